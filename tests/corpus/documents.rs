//! The documents of the corpora are the pinned ones.

use std::fs::File;
use std::process::Stdio;

use crate::corpus::archive;
use crate::program::digests::{PRESETS, assert_pinned};
use crate::program::{Place, Run};

/// How an archive comes to the program.
#[derive(Clone, Copy)]
enum Way {
    Mapped,
    Piped,
}

fn run(place: &Place, corpus: &str, format: &str, extractors: &str, way: Way, threads: u32) -> Run {
    let path = archive(corpus);
    let (input, stdin) = match way {
        Way::Mapped => (path.to_str().unwrap(), Stdio::null()),
        Way::Piped => ("-", File::open(&path).unwrap().into()),
    };
    let threads = threads.to_string();
    let arguments = [
        &["run", input, "-o", "out", "--overwrite", "--quiet"][..],
        &["--format", format, "--extractor", extractors, "--threads", &threads],
    ];
    let ended = place.start_piped(&arguments.concat(), stdin).end();
    place.read("out", ended).ends_with(0)
}

/// A part of what [`are_pinned_on_every_path`] checks, in less time: all presets, once in each format.
pub fn are_pinned(corpus: &str) {
    let place = Place::new();
    let all = PRESETS.join(",");
    assert_pinned(
        &run(&place, corpus, "jsonl", &all, Way::Mapped, 2),
        corpus,
        "jsonl",
        "all",
    );
    assert_pinned(
        &run(&place, corpus, "xml", "coreex-modern", Way::Piped, 1),
        corpus,
        "xml",
        "coreex-modern",
    );
}

pub fn are_pinned_on_every_path(corpus: &str) {
    let place = Place::new();
    let all = PRESETS.join(",");
    for format in ["jsonl", "xml"] {
        for way in [Way::Mapped, Way::Piped] {
            for threads in [1, 2] {
                assert_pinned(&run(&place, corpus, format, &all, way, threads), corpus, format, "all");
            }
        }
        for preset in PRESETS {
            for (way, threads) in [(Way::Mapped, 2), (Way::Piped, 1)] {
                assert_pinned(
                    &run(&place, corpus, format, preset, way, threads),
                    corpus,
                    format,
                    preset,
                );
            }
        }
    }
}
