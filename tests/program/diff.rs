//! `dehusk diff`: two runs compared.

use std::fs;

use serde_json::Value;

use crate::program::{Place, SAMPLE, make};

fn page(n: u32, words: &str) -> Vec<u8> {
    make::page(&format!("https://p{n}.example/"), words)
}

/// Two runs: page 1 is the same, 2 changes, 3 goes, 4 comes; archive `b` is only in the first run, `c` in the second.
fn two_runs(place: &Place) {
    let text = "The first page says the same in both of the runs.";
    place.write(
        "a.warc",
        [page(1, text), page(2, "One two three four five."), page(3, "Gone.")].concat(),
    );
    place.write("b.warc", page(5, "Only in the first run."));
    place.run_to("before", &["a.warc", "b.warc"]).ends_with(0);
    place.write(
        "a.warc",
        [page(1, text), page(2, "One two four five six seven."), page(4, "Come.")].concat(),
    );
    place.write("c.warc", page(6, "Only in the second run, and one word longer."));
    place.run_to("after", &["a.warc", "c.warc"]).ends_with(0);
}

fn diff(place: &Place, arguments: &[&str]) -> String {
    let ended = place.dehusk(&[&["diff", "before", "after"], arguments].concat());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn documents_that_came_went_and_changed_are_counted() {
    let place = Place::new();
    two_runs(&place);
    let found: Value = serde_json::from_str(&diff(&place, &["--format", "json"])).unwrap();
    for (key, n) in [
        ("documents_a", 4),
        ("documents_b", 4),
        ("same", 1),
        ("changed", 1),
        ("gone", 2),
        ("added", 2),
        ("longer", 1),
        ("shorter", 0),
        ("words_removed", 1),
        ("words_added", 2),
        ("words_gone", 6),
    ] {
        assert_eq!(found["totals"][key], n, "{key}: {}", found["totals"]);
    }
    let names: Vec<&str> = found["archives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["archive"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a.warc", "b.warc", "c.warc"]);
    assert_eq!(
        (&found["archives"][0]["gone"], &found["archives"][1]["gone"]),
        (&1.into(), &1.into())
    );
    assert_eq!(found["gone_by_reason"]["filtered"], 1);
    assert_eq!(found["gone_by_reason"]["archive not in the run"], 1);
    let changed = &found["changed"][0];
    assert_eq!(changed["url"], "https://p2.example/");
    // Four of five and of six words are the same in the same order.
    assert!(
        (changed["similarity"].as_f64().unwrap() - 8.0 / 11.0).abs() < 1e-9,
        "{changed}"
    );
    assert_eq!(changed["removed"][0], "One two three four five.");
    assert_eq!(changed["added"][0], "One two four five six seven.");
    // The longest document that was added comes first.
    assert_eq!(found["added"][0]["url"], "https://p6.example/");
}

#[test]
fn the_table_has_80_columns() {
    let place = Place::new();
    two_runs(&place);
    let text = diff(&place, &[]);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for part in [
        "changed text",
        "1 longer, 0 shorter",
        "1 archive not in the run",
        "+ One two four five six seven.",
        "a.warc@",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere_and_escapes_texts() {
    let place = Place::new();
    place.write("a.warc", page(1, "Some words."));
    place.run_to("before", &["a.warc"]).ends_with(0);
    place.write("a.warc", page(1, "Some &lt;script&gt;alert(1)&lt;/script&gt; words."));
    place.run_to("after", &["a.warc"]).ends_with(0);
    let ended = place.dehusk(&["diff", "before", "after", "-f", "html", "-o", "diff.html"]);
    assert_eq!((ended.status, ended.stdout.as_slice()), (0, &b""[..]));
    let html = fs::read_to_string(place.path("diff.html")).unwrap();
    assert!(
        html.contains("&lt;script&gt;alert(1)") && !html.contains("<script"),
        "{html}"
    );
    for outside in ["src=", "href=", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn a_run_does_not_differ_from_itself_in_another_format() {
    let place = Place::new();
    place.run_to("before", &[SAMPLE]);
    place.run_to("after", &[SAMPLE, "--compression", "gzip", "--threads", "1"]);
    let found: Value = serde_json::from_str(&diff(&place, &["--format", "json"])).unwrap();
    assert_eq!(found["totals"]["same"], found["totals"]["documents_a"]);
    assert_eq!(found["totals"]["similarity"], 1.0);
    assert_eq!(found["changed"], Value::Array(Vec::new()));
}

#[test]
fn other_fields_and_failed_records_are_named() {
    let place = Place::new();
    place.write("a.warc", [page(1, "Words."), page(2, "More words.")].concat());
    place.run_to("before", &["a.warc", "--source", "one"]).ends_with(0);
    place
        .run_to("after", &["a.warc", "--source", "two", "--set", "limits.page_nodes=1"])
        .ends_with(3);
    let ended = place.dehusk(&["diff", "before", "after", "-f", "json"]);
    let found: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(found["gone_by_reason"]["failed: too_costly"], 2);
    place.run_to("again", &["a.warc", "--source", "two"]).ends_with(0);
    let ended = place.dehusk(&["diff", "before", "again", "-f", "json"]);
    let found: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(
        (&found["totals"]["other_fields"], &found["fields"]["source"]),
        (&2.into(), &2.into())
    );
}

#[test]
fn several_runs_are_compared_with_several() {
    let place = Place::new();
    place.write(
        "a.warc",
        [page(1, "The first page."), page(2, "The second page.")].concat(),
    );
    place.write("b.warc", page(3, "The third page."));
    place.run_to("old/one", &["a.warc"]).ends_with(0);
    place.run_to("old/two", &["b.warc"]).ends_with(0);
    place.run_to("both", &["a.warc", "b.warc"]).ends_with(0);
    place.write("a.warc", page(1, "The first page, changed."));
    place.run_to("again", &["a.warc"]).ends_with(0);
    for (arguments, [a, b, same, changed, gone]) in [
        (&["old", "both"][..], [3, 3, 3, 0, 0]),
        (&["--before", "old/one", "old/two", "--after", "both"], [3, 3, 3, 0, 0]),
        (&["--before", "both", "--after", "old/two", "again"], [3, 2, 1, 1, 1]),
        // The first archive of a path belongs to the first of the other side.
        (
            &["--before", "again", "old/one", "--after", "again", "both"],
            [3, 4, 3, 0, 0],
        ),
    ] {
        let ended = place.dehusk(&[&["diff", "--format", "json"], arguments].concat());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
        let found: Value = serde_json::from_slice(&ended.stdout).unwrap();
        for (key, n) in [
            ("documents_a", a),
            ("documents_b", b),
            ("same", same),
            ("changed", changed),
            ("gone", gone),
        ] {
            assert_eq!(found["totals"][key], n, "{arguments:?} {key}: {}", found["totals"]);
        }
    }
    let ended = place.dehusk(&["diff", "--before", "old/one", "old/two", "--after", "both"]);
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(
        text.contains("A  old/one  (") && text.contains("A  old/two  (") && text.contains("B  both  ("),
        "{text}"
    );
    for arguments in [
        &["diff", "both"][..],
        &["diff", "--before", "both"],
        &["diff", "both", "old", "--before", "x", "--after", "y"],
    ] {
        assert_eq!(place.dehusk(arguments).status, 2, "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_named() {
    let place = Place::new();
    two_runs(&place);
    let ended = place.dehusk(&["diff", "before", "missing"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("missing/run.json: no such file"),
        "{}",
        ended.stderr
    );
    let several = place.dehusk(&["diff", "before", "after", "after"]);
    assert!(
        several.status == 2 && several.stderr.contains("--before A1 A2 --after B1 B2"),
        "{}",
        several.stderr
    );
    // Runs without a common document are not alike.
    place.run_to("other", &["c.warc"]).ends_with(0);
    let apart = place.dehusk(&["diff", "before", "other"]);
    let text = String::from_utf8_lossy(&apart.stdout);
    let mean = text.lines().find(|line| line.starts_with("mean similarity")).unwrap();
    assert!(mean.ends_with(" –") && !text.contains("1.0000"), "{text}");
    fs::write(place.path("after/documents/a.jsonl.zst"), b"damaged").unwrap();
    let ended = place.dehusk(&["diff", "before", "after"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("after/documents/a.jsonl.zst: "),
        "{}",
        ended.stderr
    );
    assert!(String::from_utf8_lossy(&ended.stdout).contains("c.warc"));
}
