//! The documents that every preset makes of the sample, in both formats, are the pinned ones. The document that the
//! documentation shows is true.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

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

#[test]
fn the_documented_document_is_the_first_of_the_sample_by_the_default_preset() {
    let place = Place::new();
    let mut command = place.command();
    command.args(["run", SAMPLE, "-o", "out", "--quiet"]);
    let ended = place.spawn(command, Stdio::null()).end();
    let run = place.read("out", ended).ends_with(3);
    let line = run.shards.values().next().unwrap().split(|byte| *byte == b'\n').next();
    let document: Value = serde_json::from_slice(line.unwrap()).unwrap();

    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/documents.md")).unwrap();
    let rest = page.split("```json\n").nth(1).unwrap();
    let shown: Value = serde_json::from_str(rest.split("```").next().unwrap()).unwrap();
    for field in dehusk::schema::FIELDS.iter().filter(|field| field.name() != "version") {
        let of = |document: &Value| {
            if field.is_in_metadata() {
                document["metadata"][field.name()].clone()
            } else {
                document[field.name()].clone()
            }
        };
        let (is, shown) = (of(&document), of(&shown));
        let is_same = match shown.as_str().and_then(|shown| shown.strip_suffix('…')) {
            Some(beginning) => is.as_str().unwrap().starts_with(beginning),
            None => is == shown,
        };
        assert!(
            is_same,
            "{}: {shown} is documented, and {is} is written: cargo xtask schema",
            field.key()
        );
    }
}
