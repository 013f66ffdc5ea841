//! The documents that every preset makes of the sample, in both formats, are the pinned ones.

use crate::program::digests::{PRESETS, assert_pinned};
use crate::program::{Place, SAMPLE};

fn check(format: &str) {
    let place = Place::new();
    let all = PRESETS.join(",");
    for (name, extractor) in PRESETS
        .map(|preset| (preset, preset))
        .into_iter()
        .chain([("all", &all[..])])
    {
        let arguments = [SAMPLE, "--format", format, "--extractor", extractor, "--overwrite"];
        let run = place.run(&arguments).ends_with(3);
        assert_pinned(&run, "sample", format, name);
    }
}

#[test]
fn every_preset_makes_the_pinned_documents_as_jsonl() {
    check("jsonl");
}

#[test]
fn every_preset_makes_the_pinned_documents_as_xml() {
    check("xml");
}
