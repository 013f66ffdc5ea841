//! The keys of documents: those of the values that were computed.

use std::fs;

use serde_json::Value;

use crate::program::{Place, json_lines, make};

fn place() -> Place {
    let place = Place::new();
    let page = "<title>A walk</title><meta name=description content='Of a walk.'><p>We went out early in the morning, \
        up the hill.";
    place.write("a.warc", make::page("https://a.example/", page));
    place
}

/// The keys of a document, with `metadata.` before those in there.
fn keys(document: &Value) -> Vec<String> {
    let of = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    let metadata = of(&document["metadata"])
        .into_iter()
        .map(|key| format!("metadata.{key}"));
    let top = of(document).into_iter().filter(|key| key != "metadata");
    top.chain(metadata).collect()
}

/// The keys that `run.json` names.
fn named(report: &Value) -> Vec<String> {
    let fields = report["schema"]["fields"].as_array().unwrap().iter();
    fields.map(|field| field["key"].as_str().unwrap().to_owned()).collect()
}

const ALL: [&str; 10] = [
    "--set",
    "output.html=true",
    "--set",
    "output.rights=true",
    "--set",
    "output.details=true",
    "--set",
    "output.evidence=true",
    "--set",
    "output.quality=true",
];

#[test]
fn a_run_names_the_keys_of_its_documents_in_every_format() {
    let place = place();
    let mut formats = vec!["jsonl", "xml"];
    if cfg!(feature = "parquet") {
        formats.push("parquet");
    }
    if cfg!(feature = "sqlite") {
        formats.push("sqlite");
    }
    for options in [&[][..], &ALL, &["--signatures", "minhash"]] {
        for format in &formats {
            let run = [
                "run",
                "a.warc",
                "-o",
                "out",
                "--overwrite",
                "--quiet",
                "--format",
                format,
            ];
            let ended = place.dehusk(&[&run, options].concat());
            assert_eq!(ended.status, 0, "{}", ended.stderr);
            let report: Value = serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
            let read = place.dehusk(&["cat", "out"]);
            let documents = json_lines(&read.stdout);
            let mut found = keys(&documents[0]);
            let mut expected = named(&report);
            assert_eq!(report["schema"]["number"], dehusk::schema::SCHEMA_VERSION);
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{format} {options:?}");
        }
    }
}

#[test]
fn by_default_nothing_is_there_that_was_not_computed() {
    let place = place();
    let run = place.run(&["a.warc"]).ends_with(0);
    let found = keys(&run.documents()[0]);
    let is_more = |key: &&String| {
        let key = key.strip_prefix("metadata.").unwrap_or(key);
        key.starts_with("quality_")
            || key.ends_with("_from")
            || ["date", "comments", "simhash", "description"].contains(&key)
    };
    assert_eq!(found.iter().filter(is_more).count(), 0, "{found:?}");
    let run = place.run_to("all", &[&["a.warc"], &ALL[..]].concat()).ends_with(0);
    let metadata = &run.documents()[0]["metadata"];
    assert_eq!(
        (&metadata["description"], &metadata["description_from"]),
        (&"Of a walk.".into(), &"meta".into())
    );
}

#[test]
fn a_field_that_a_run_did_not_compute_is_named_with_its_setting() {
    let place = place();
    place.run(&["a.warc"]).ends_with(0);
    place.run_to("all", &[&["a.warc"], &ALL[..]].concat()).ends_with(0);
    for arguments in [["-f", "quality_sentences"], ["--where", "quality_sentences >= 0"]] {
        let ended = place.dehusk(&[&["cat", "all"], &arguments[..]].concat());
        assert_eq!((ended.status, ended.stdout.is_empty()), (0, false), "{}", ended.stderr);
        let ended = place.dehusk(&[&["cat", "out"], &arguments[..]].concat());
        assert_eq!((ended.status, ended.stdout.is_empty()), (1, true), "{arguments:?}");
        let message = "a.jsonl.zst: its run did not compute quality_sentences; a run with output.quality = true does";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
}

#[test]
fn runs_of_different_keys_are_read_together() {
    let place = place();
    place.write(
        "b.warc",
        make::page(
            "https://b.example/",
            "<p>The council met on Monday, and nothing was decided.",
        ),
    );
    place.run(&["a.warc"]).ends_with(0);
    place.run_to("all", &[&["b.warc"], &ALL[..]].concat()).ends_with(0);
    let ended = place.dehusk(&["cat", "out", "all"]);
    let found: Vec<usize> = json_lines(&ended.stdout)
        .iter()
        .map(|document| keys(document).len())
        .collect();
    assert_eq!((ended.status, found.len()), (0, 2), "{}", ended.stderr);
    assert!(found[0] < found[1]);
    for command in [
        &["cluster", "out", "all", "-o", "clusters"][..],
        &["topics", "out", "all", "-o", "topics"],
        &["diff", "out", "all"],
    ] {
        let ended = place.dehusk(command);
        assert!(
            ended.status == 0 || command[0] == "diff",
            "{command:?}: {}",
            ended.stderr
        );
        assert!(ended.status != 1, "{command:?}: {}", ended.stderr);
    }
    if cfg!(feature = "sqlite") {
        let ended = place.dehusk(&["cluster", "out", "all", "-o", "database", "--format", "sqlite"]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
    }
    let ended = place.dehusk(&["run", "a.warc", "-o", "again", "--since", "all", "--quiet"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}
