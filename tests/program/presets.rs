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

/// With `DEHUSK_BLESS` set, writes the numbers and the hashes of today into the page.
#[test]
fn the_documented_document_is_the_first_of_the_sample_by_the_default_preset() {
    let place = Place::new();
    let mut command = place.command();
    command.args(["run", SAMPLE, "-o", "out", "--quiet"]);
    let ended = place.spawn(command, Stdio::null()).end();
    let run = place.read("out", ended).ends_with(3);
    let line = run.shards.values().next().unwrap().split(|byte| *byte == b'\n').next();
    let mut document: Value = serde_json::from_slice(line.unwrap()).unwrap();

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/documents.md");
    let mut page = fs::read_to_string(path).unwrap();
    if std::env::var_os("DEHUSK_BLESS").is_some() {
        page = blessed(&page, &document);
        fs::write(path, &page).unwrap();
    }
    let mut shown = example(&page);
    let [beginning, text] = [&mut shown, &mut document].map(|of| of["text"].take());
    let beginning = beginning.as_str().unwrap().strip_suffix('…').unwrap();
    assert!(text.as_str().unwrap().starts_with(beginning), "{text}");
    assert_eq!(shown, document);
}

/// The first example in JSON.
fn example(page: &str) -> Value {
    let rest = page.split("```json\n").nth(1).unwrap();
    serde_json::from_str(rest.split("```").next().unwrap()).unwrap()
}

/// The page with this document's values in place of those that depend on a model.
fn blessed(page: &str, document: &Value) -> String {
    let (mut page, shown) = (page.to_owned(), example(page));
    for key in ["score", "words", "text_hash"] {
        let [was, is] = [&shown, document].map(|of| of["metadata"][key].to_string());
        page = page.replace(&format!("\"{key}\": {was}"), &format!("\"{key}\": {is}"));
        page = page.replace(&format!("{key}={was}"), &format!("{key}={is}"));
        let [was, is] = [was, is].map(|value| format!("`{}`", value.trim_matches('"')));
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `metadata.{key}` ")));
        let row = row.unwrap().to_owned();
        page = page.replace(&row, &row.replace(&was, &is));
    }
    let words: Vec<&str> = document["text"].as_str().unwrap().split(' ').take(13).collect();
    let [was, is] = [&shown["text"], &Value::from(words.join(" ") + " …")].map(Value::to_string);
    page.replace(&was, &is)
}
