//! Another model and the readers' comments: `--model`, `--comments`, and the keys of the configuration.

use std::fs;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::program::{Ended, Place, make};

/// A built-in model, as a file.
const MODEL: &[u8] = include_bytes!("../../crates/extract/src/fusion/models/fusion-quality.dhm");

/// Where a model file has its version, the hash of its features, its length and its sections.
const VERSION: usize = 8;
const FEATURES: usize = 12;
const LENGTH: usize = 20;
const SECTIONS: usize = 24;

const PAGE: &str = "<title>The ferry is back</title><nav><a href=/>Home</a> <a href=/news>News</a></nav><article>\
    <h1>The ferry is back</h1>\
    <p>After eleven years, the night ferry to Selwick left the harbour again on Saturday, with forty passengers on \
    board.</p>\
    <p>The service was cut when the old vessel failed its survey, and nobody could agree on who should pay for the \
    repair.</p>\
    </article><section class=comments><h2>Comments</h2><ul>\
    <li>I was on board, and the sea was as calm as a pond.</li><li>My father worked on the old vessel for years.</li>\
    </ul></section>";
const COMMENT: &str = "I was on board, and the sea was as calm as a pond.";

/// A folder with an archive, a page and a model file.
fn place() -> Place {
    let place = Place::new();
    let archive = make::response("https://a.example/", "200 OK", "text/html", PAGE.as_bytes());
    place.write("a.warc", archive);
    place.write("page.html", PAGE);
    place.write("good.dhm", MODEL);
    place
}

/// The model with other bytes at an offset, and with a right checksum.
fn changed(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut model = MODEL.to_vec();
    model[offset..offset + bytes.len()].copy_from_slice(bytes);
    let body = model.len() - 8;
    let checksum = xxh3_64(&model[..body]);
    model[body..].copy_from_slice(&checksum.to_le_bytes());
    model
}

#[track_caller]
fn assert_refused(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    for word in words {
        assert!(ended.stderr.contains(word), "“{word}” is missing: {}", ended.stderr);
    }
}

#[test]
fn a_file_that_is_no_model_of_this_version_is_refused() {
    let place = place();
    place.write("folder/file", "");
    let mut damaged = MODEL.to_vec();
    damaged[MODEL.len() / 2] ^= 1;
    let cases = [
        ("empty.dhm", Vec::new(), "not a model"),
        ("foreign.dhm", b"\x89PNG\r\n\x1a\n and more".to_vec(), "not a model"),
        ("cut.dhm", MODEL[..MODEL.len() / 2].to_vec(), "cut"),
        ("start.dhm", MODEL[..11].to_vec(), "cut"),
        ("longer.dhm", [MODEL, b"more"].concat(), "something follows"),
        ("damaged.dhm", damaged, "checksum is wrong"),
        ("version.dhm", changed(VERSION, &[2]), "version 2 of the format, not 1"),
        ("features.dhm", changed(FEATURES, &[1, 2, 3]), "other features"),
        ("length.dhm", changed(LENGTH, &[0xff; 4]), "cut"),
        ("sections.dhm", changed(SECTIONS, &[0xff; 4]), "sections"),
        ("tag.dhm", changed(SECTIONS + 4, b"EVIL"), "sections"),
        ("huge.dhm", changed(SECTIONS + 8, &[0xff; 4]), "sections"),
    ];
    let refused = |name: &str, reason: &str| {
        let ended = place.dehusk(&["run", "a.warc", "-o", "out", "-e", "fusion", "--model", name]);
        assert_refused(&ended, &["“extract.model”", name, reason, "; "]);
        assert!(!place.path("out").exists());
    };
    for (name, bytes, reason) in cases {
        place.write(name, bytes);
        refused(name, reason);
    }
    refused("missing.dhm", "No such file");
    refused("folder", "directory");
    let truth = format!("{{\"record_id\": \"urn:test:response:https://a.example/\", \"text\": {COMMENT:?}}}");
    place.write("t.jsonl", truth);
    for arguments in [
        &["extract", "page.html", "-e", "fusion"][..],
        &["eval", "--truth", "t.jsonl", "a.warc", "-e", "fusion"],
        &["inspect", "a.warc", "-e", "fusion"],
    ] {
        let refused = place.dehusk(&[arguments, &["--model", "cut.dhm"]].concat());
        assert_refused(&refused, &["“extract.model”", "cut.dhm"]);
        let taken = place.dehusk(&[arguments, &["--model", "good.dhm"]].concat());
        assert_eq!(taken.status, 0, "{}", taken.stderr);
    }
}

#[test]
fn a_key_that_no_chosen_extractor_takes_is_an_error() {
    let place = place();
    for (flags, key) in [
        (["--model", "good.dhm"], "“extract.model”"),
        (["--comments", "keep"], "“extract.comments”"),
    ] {
        let run = ["run", "a.warc", "-o", "out", "--extractor", "coreex,nce"];
        let ended = place.dehusk(&[&run[..], &flags].concat());
        assert_refused(&ended, &[key, "“extract.extractors”", "“fusion” and “fusion-quality”"]);
    }
    // One that takes it is enough.
    let run = ["a.warc", "--extractor", "coreex,fusion", "--comments", "keep"];
    place.run(&run).ends_with(0);
    let word = place.dehusk(&["extract", "page.html", "-e", "fusion", "--comments", "seperate"]);
    assert_refused(&word, &["seperate", "did you mean “separate”?"]);
}

#[test]
fn the_content_of_the_model_is_in_the_hash() {
    let place = place();
    place.write("folder/same.dhm", MODEL);
    let hash = |name: &str, flags: &[&str]| {
        let run = place
            .run_to(name, &[&["a.warc", "-e", "fusion"], flags].concat())
            .ends_with(0);
        run.report["config_hash"].as_str().unwrap().to_owned()
    };
    let (default, one) = (hash("default", &[]), hash("one", &["--model", "good.dhm"]));
    assert_ne!(default, one);
    assert_eq!(hash("same", &["--model", "folder/same.dhm"]), one);
    assert_ne!(hash("name", &["--model", "fusion-quality"]), default);
    fs::write(
        place.path("good.dhm"),
        include_bytes!("../../crates/extract/src/fusion/models/fusion.dhm"),
    )
    .unwrap();
    let other = hash("other", &["--model", "good.dhm"]);
    assert!(other != one && other != default);
    assert_ne!(hash("comments", &["--comments", "drop"]), default);
}

#[test]
fn presets_of_one_s_own_take_the_model_unless_they_set_one() {
    let place = place();
    place.write("cut.dhm", &MODEL[..100]);
    place.write(
        "mine.toml",
        "[extract]\nextractors = [\"mine\"]\nmodel = \"cut.dhm\"\n[presets.mine]\nbase = \"fusion\"\n",
    );
    let run = |more: &[&str]| {
        let run = ["run", "a.warc", "-o", "out", "--overwrite", "--config", "mine.toml"];
        place.dehusk(&[&run[..], more].concat())
    };
    assert_refused(&run(&[]), &["“extract.model”", "cut.dhm", "cut"]);
    // A flag beats the file, and the preset's own value beats both.
    assert_eq!(run(&["--model", "good.dhm"]).status, 0);
    assert_eq!(run(&["--set", "presets.mine.model=good.dhm"]).status, 0);
    assert_refused(
        &run(&["--model", "good.dhm", "--set", "presets.mine.model=cut.dhm"]),
        &["“presets.mine.model”", "cut.dhm"],
    );
}

#[test]
fn comments_are_kept_dropped_or_separate() {
    let place = place();
    let document = |how: &str| -> Value {
        let flags = ["--format", "json", "--comments", how];
        let ended = place.dehusk(&[&["extract", "page.html", "-e", "fusion"], &flags[..]].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        serde_json::from_slice(&ended.stdout).unwrap()
    };
    for (how, in_text, in_comments) in [("keep", true, false), ("drop", false, false), ("separate", false, true)] {
        let document = document(how);
        let has = |key: &str| document[key].as_str().is_some_and(|text| text.contains(COMMENT));
        assert_eq!(
            (has("text"), has("comments")),
            (in_text, in_comments),
            "{how}: {document}"
        );
        assert!(document["text"].as_str().unwrap().contains("forty passengers"));
        assert_eq!(document.get("comments").is_some(), in_comments);
    }
}
