//! The run directory: whose it is, what is replaced in it, and what a broken run leaves there.
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;

use program::{Place, SAMPLE, make, refused};

fn page(name: &str) -> Vec<u8> {
    make::page(
        &format!("https://{name}.example/"),
        &format!("The page {name} has some words."),
    )
}

#[test]
fn a_directory_of_somebody_else_is_refused_always() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("out/thesis.txt", "years of work");
    refused(
        &place,
        &["a.warc", "-o", "out"],
        "out: is not empty and no run directory",
    );
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "out: is not empty and no run directory",
    );
    assert_eq!(place.names("out"), ["thesis.txt"]);
    place.write("other/run.json", "{\"program\": \"another 1.0\", \"archives\": []}");
    refused(
        &place,
        &["a.warc", "-o", "other", "--overwrite"],
        "its run.json is not of this program",
    );
    place.write(
        "lookalike/run.json",
        "{\"program\": \"dehusker 1.0\", \"archives\": []}",
    );
    refused(
        &place,
        &["a.warc", "-o", "lookalike", "--overwrite"],
        "its run.json is not of this program",
    );
    fs::create_dir(place.path("empty")).unwrap();
    place.run_to("empty", &["a.warc"]).ends_with(0);
}

#[test]
fn a_file_that_the_last_run_does_not_list_is_not_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    place.write("out/documents/b.jsonl.zst", "somebody else's");
    refused(
        &place,
        &["a.warc", "b.warc", "-o", "out", "--overwrite"],
        "holds documents/b.jsonl.zst",
    );
    assert_eq!(
        fs::read(place.path("out/documents/b.jsonl.zst")).unwrap(),
        b"somebody else's"
    );
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst", "b.jsonl.zst"]);
}

#[test]
fn only_plain_names_of_an_old_account_are_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("precious", "stays");
    place.write("out/precious", "stays");
    place.write(
        "out/run.json",
        "{\"program\": \"dehusk 0.1.0\", \"archives\": [{\"shards\": [\"../precious\", \"documents/../precious\", \"precious\", \
         \"documents/..\", \"documents/\", \"/etc/passwd\", 7]}, 3]}",
    );
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert!(place.path("precious").exists() && place.path("out/precious").exists());
}

#[test]
fn the_account_says_what_ran() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--threads", "2", "--min-words", "5"]).ends_with(3);
    assert_eq!(run.report["program"], concat!("dehusk ", env!("CARGO_PKG_VERSION")));
    assert_eq!(run.report["config"]["select"]["min_words"], 5);
    assert_eq!(run.report["config"]["run"]["threads"], 2);
    let version = format!(
        "{}+cfg{}",
        env!("CARGO_PKG_VERSION"),
        run.report["config_hash"].as_str().unwrap()
    );
    assert!(run.documents().iter().all(|d| d["version"] == *version));
    assert!(run.report["timing"]["seconds"].as_f64().unwrap() > 0.0);
    assert!(run.report["timing"]["pages_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(run.archives()[0]["path"], SAMPLE);
    for key in [
        "path",
        "bytes",
        "state",
        "shards",
        "framed",
        "emitted",
        "filtered",
        "failed",
        "notes",
        "skipped_bytes",
    ] {
        assert!(run.archives()[0].get(key).is_some(), "{key}");
    }
}
