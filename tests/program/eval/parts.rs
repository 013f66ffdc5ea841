//! Title, author, comments, lost body, the whole page's share, and the steps of backtracking.

use crate::program::Place;
use crate::program::eval::{figure, near, object, rows};
use crate::program::make;
use serde_json::json;

/// Evaluates one page with the preset and the measures.
fn evaluated(html: &str, truth: &serde_json::Value, preset: &str) -> serde_json::Value {
    let place = Place::new();
    let url = "http://a.test/1";
    place.write("a.warc", make::response(url, "200 OK", "text/html", html.as_bytes()));
    let mut line = json!({"record_id": format!("<urn:test:response:{url}>"), "url": url});
    for (key, value) in truth.as_object().unwrap() {
        line[key] = value.clone();
    }
    place.write("t.jsonl", line.to_string());
    let arguments = [
        "eval",
        "--truth",
        "t.jsonl",
        "a.warc",
        "--format=json",
        "--metrics=parts,steps",
        "-e",
        preset,
    ];
    object(&place.dehusk(&arguments))
}

const PAGE: &str = "<body><ul><li><a href=/>Home</a></ul><h1>The storm has gone</h1>\
                    <div><p>By Ann Lee. The harbour opened again, at last.</p><p>All boats are back, we hear.</p></div>\
                    <div><p>First comment here, I agree</p></div>";

#[test]
fn parts_are_those_worked_out_by_hand() {
    let truth = json!({
        "text": "The harbour opened again, at last. All boats are back, we hear.",
        "title": "The storm has gone",
        "author": "Ann Lee",
        "comments": "First comment here, I agree",
    });
    // Everything is kept: 1 + 4 + 9 + 6 + 5 words, 12 of them true.
    let whole = evaluated(PAGE, &truth, "cetd-ds");
    let near_to = |report: &serde_json::Value, key: &str, value: f64| {
        let is = figure(report, key);
        assert!(near(is, value), "{key}: {is} is not {value}");
    };
    near_to(&whole, "page_relevant", 12.0 / 25.0);
    // econ: p 4 marks of the div's 4. From the first p up to the div: one step; the body adds one mark (the comment's),
    // so on.
    let econ = evaluated(PAGE, &truth, "econ");
    near_to(&econ, "steps", 2.0);
    near_to(&econ, "title_found", 0.0);
    // “the” is in the text.
    near_to(&econ, "title_recall", 0.25);
    near_to(&econ, "author_found", 1.0);
    near_to(&econ, "comments_removed", 0.0);
    near_to(&econ, "body_lost", 0.0);
    // coreex keeps the div's two paragraphs alone, or with the title.
    let coreex = evaluated(PAGE, &truth, "coreex-modern");
    near_to(&coreex, "title_found", 1.0);
    near_to(&coreex, "title_recall", 1.0);
}

#[test]
fn what_the_truth_does_not_name_is_not_averaged() {
    let truth = json!({"text": "Not on this page at all"});
    let report = evaluated(PAGE, &truth, "coreex");
    for key in [
        "title_recall",
        "title_found",
        "author_found",
        "comments_removed",
        "steps",
    ] {
        assert!(rows(&report, "all")[0][key].is_null(), "{key}");
    }
    assert_eq!(figure(&report, "body_lost"), 1.0);
}
