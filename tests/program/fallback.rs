//! Presets in the place of the extractor: `extract.fallback` where its score is low, and `extract.union` where the
//! rules leave out its text.

use serde_json::{Value, json};

use crate::program::{Place, Run, make};

const PAGE: &str = "<title>The ferry is back</title><nav><a href=/>Home</a> <a href=/news>News</a></nav><article>\
    <h1>The ferry is back</h1>\
    <p>After eleven years, the night ferry to Selwick left the harbour again on Saturday, with forty passengers on board.</p>\
    <p>The service was cut when the old vessel failed its survey, and nobody could agree on who should pay for the repair.</p>\
    </article><section class=comments><h2>Comments</h2><ul>\
    <li>I was on board, and the sea was as calm as a pond.</li><li>My father worked on the old vessel for years.</li>\
    </ul></section>";

const FUSION: &[&str] = &["-e", "fusion"];

fn run(place: &Place, options: &[&str]) -> Run {
    let archive = make::response("https://a.example/ferry", "200 OK", "text/html", PAGE.as_bytes());
    place.write("a.warc", archive);
    place.run(&[&["a.warc", "--overwrite"], options].concat()).ends_with(0)
}

/// The document of a run that emits one.
#[track_caller]
fn document(place: &Place, options: &[&str]) -> Value {
    let run = run(place, options);
    assert_eq!(run.total("emitted"), 1, "{options:?}");
    serde_json::from_slice(run.shards.values().next().unwrap()).unwrap()
}

/// The fields of a document that depend on the preset that made its text.
fn text(document: &Value) -> [&Value; 4] {
    let metadata = &document["metadata"];
    [
        &document["text"],
        &metadata["extractor"],
        &metadata["score"],
        &metadata["words"],
    ]
}

#[test]
fn a_fallback_makes_the_text_where_the_score_is_low() {
    let place = Place::new();
    let (first, other) = (document(&place, FUSION), document(&place, &["-e", "coreex-modern"]));
    let score = |document: &Value| document["metadata"]["score"].as_f64().unwrap();
    assert!(score(&first) < score(&other));
    let with = |least: f64, presets: &str| {
        let (least, fallback) = (
            format!("extract.fallback_score={least}"),
            format!("extract.fallback={presets}"),
        );
        document(&place, &["-e", "fusion", "--set", &least, "--set", &fallback])
    };
    let both = r#"["coreex-modern", "cetd-ds"]"#;
    assert_eq!(text(&with(score(&first), both)), text(&first));
    assert_eq!(text(&with(score(&other), both)), text(&other));
    assert_eq!(with(1.0, both)["metadata"]["extractor"], "cetd-ds");
    // Where no score is high enough, the first text stays.
    let nce = document(&place, &["-e", "nce"]);
    assert!(score(&nce) < 1.0);
    assert_eq!(text(&with(1.0, r#"["nce"]"#)), text(&first));
}

#[test]
fn a_page_is_kept_if_the_rules_keep_it_with_any_text() {
    let place = Place::new();
    let (first, other) = (document(&place, FUSION), document(&place, &["-e", "contentex"]));
    let words = |document: &Value| document["metadata"]["words"].as_u64().unwrap();
    assert!(words(&first) < words(&other), "{first}\n{other}");
    let with = |least: u64, presets: &str| {
        let (least, union) = (format!("select.min_words={least}"), format!("extract.union={presets}"));
        run(&place, &["-e", "fusion", "--set", &least, "--set", &union])
    };
    let both = r#"["cetd-ds", "contentex"]"#;
    let document = |run: Run| -> Value { serde_json::from_slice(run.shards.values().next().unwrap()).unwrap() };
    assert_eq!(text(&document(with(words(&first), both))), text(&first));
    assert_eq!(text(&document(with(words(&other), r#"["contentex"]"#))), text(&other));
    let none = with(10_000, both);
    assert_eq!(none.report["totals"]["filtered"], json!({"too_short": 1}));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "Five words are in here."));
    for (options, words) in [
        (
            &["--set", "extract.fallback=[\"corex-modern\"]"][..],
            &["unknown extractor “corex-modern”", "“coreex-modern”"][..],
        ),
        (
            &["--set", "extract.union=[\"econ\"]", "-e", "fusion,coreex"],
            &["“extract.union”", "must name one preset, not 2"],
        ),
        (
            &["--set", "extract.fallback=[\"econ\"]", "-e", "fusion,coreex"],
            &["“extract.fallback”", "must name one preset, not 2"],
        ),
        (
            &["--set", "extract.fallback=[\"coreex-modern\"]"],
            &["“coreex-modern”, which is the extractor already"],
        ),
        (
            &["--set", "extract.union=[\"econ\", \"econ\"]"],
            &["“extract.union” names extractor “econ” twice"],
        ),
        (
            &["--set", "extract.fallback_score=1.5"],
            &["“extract.fallback_score” must lie between 0 and 1, not be 1.5"],
        ),
        (
            &["--set", "extract.union=econ"],
            &["“extract.union” takes a list of strings, not a string"],
        ),
    ] {
        let ended = place.dehusk(&[&["run", "a.warc", "-o", "out"], options].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "“{word}” is missing: {}", ended.stderr);
        }
    }
}

#[test]
fn the_hash_covers_what_can_change_a_document() {
    let place = Place::new();
    let version = |options: &[&str]| document(&place, options)["version"].clone();
    let plain = version(&[]);
    assert_eq!(version(&["--set", "extract.fallback_score=0.7"]), plain);
    assert_ne!(version(&["--set", "extract.fallback=[\"econ\"]"]), plain);
    assert_ne!(version(&["--set", "extract.union=[\"econ\"]"]), plain);
}
