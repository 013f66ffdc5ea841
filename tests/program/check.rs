//! `dehusk check`: what is wrong with archives, by offset and rule.

use std::fs;

use serde_json::Value;

use crate::archives::make::{Warc, http};
use crate::program::{Ended, Place, SAMPLE};

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

fn document(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap()
}

/// A record whose date a draft of the standard would not take, which is a warning.
fn dubious() -> Vec<u8> {
    Warc::new("a", http(b"<p>a"))
        .field("WARC-Date", "2024-05-06T07:08:09.5Z")
        .bytes()
}

#[test]
fn the_damaged_record_of_the_sample_is_named_by_offset_and_rule() {
    let place = Place::new();
    let ended = place.dehusk(&["check", SAMPLE]);
    assert_eq!(ended.status, 3, "{}", ended.stderr);
    let listed = place.dehusk(&["inspect", SAMPLE]);
    let listed = text(&listed);
    let failed = listed.lines().find(|line| line.contains("failed: ")).unwrap();
    let offset = failed.split('\t').next().unwrap();
    let text = text(&ended);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("offset\tlength\tseverity\trule\tdetail\tarchive"));
    let first: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!((first[0], first[2], first[3]), (offset, "error", "gzip_data"));
    assert!(text.contains("\n1\terror\tgzip_data\tRFC 1951, 3.2\t"), "{text}");
    assert!(text.trim_end().ends_with(": 1 error, 0 warnings, 0 notes"), "{text}");
}

#[test]
fn json_and_the_table_have_the_same_facts() {
    let place = Place::new();
    let record = Warc::new("b", http(b"<p>b"))
        .field("WARC-Date", "soon")
        .field("WARC-Filename", "x");
    place.write("a.warc", [dubious(), record.bytes()].concat());
    let ended = place.dehusk(&["check", "a.warc", "--json"]);
    assert_eq!(ended.status, 3);
    let json = document(&ended);
    let archive = &json["archives"][0];
    let findings = archive["findings"].as_array().unwrap();
    let table = text(&place.dehusk(&["check", "a.warc"]));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .take(3)
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(findings.len(), 3);
    for (row, finding) in rows.iter().zip(findings) {
        assert_eq!(row[0], finding["offset"].to_string());
        assert_eq!(row[1], finding["length"].to_string());
        assert_eq!(
            row[2..5],
            [&finding["severity"], &finding["rule"], &finding["detail"]].map(|v| v.as_str().unwrap())[..]
        );
        assert_ne!(finding["section"], "");
    }
    assert_eq!(findings[1]["id"], "urn:test:b");
    assert_eq!(archive["counts"]["error"], 2);
    assert_eq!(archive["rules"]["date_form"], 1);
    assert_eq!((&archive["records"], &archive["error"]), (&2.into(), &Value::Null));
    assert_eq!(
        archive["bytes"]["framed"],
        fs::metadata(place.path("a.warc")).unwrap().len()
    );
}

#[test]
fn the_exit_status_is_by_severity() {
    let place = Place::new();
    place.write("clean.warc", Warc::new("c", http(b"<p>c")).bytes());
    place.write("dubious.warc", dubious());
    place.write(
        "bad.warc",
        Warc::new("b", http(b"<p>b")).field("WARC-Date", "soon").bytes(),
    );
    for (arguments, status) in [
        (&["clean.warc"][..], 0),
        (&["dubious.warc"], 0),
        (&["dubious.warc", "--strict"], 6),
        (&["clean.warc", "--strict"], 0),
        (&["bad.warc", "dubious.warc", "--strict"], 3),
        (&["bad.warc", "missing.warc"], 1),
        (&["clean.warc", "--set", "nothing=1"], 2),
        (&[], 2),
    ] {
        let ended = place.dehusk(&[&["check"][..], arguments].concat());
        assert_eq!(ended.status, status, "{arguments:?}: {}", ended.stderr);
    }
    let missing = place.dehusk(&["check", "missing.warc", "clean.warc"]);
    assert!(
        missing.stderr.contains("missing.warc: no such file"),
        "{}",
        missing.stderr
    );
    assert!(
        text(&missing).contains("clean.warc: 1 records"),
        "the others are checked"
    );
}

#[test]
fn the_table_is_short_unless_all_is_asked_for() {
    let place = Place::new();
    let records = (0..40).map(|i| {
        Warc::new(&format!("r{i}"), http(b"<p>x"))
            .field("WARC-Date", "soon")
            .bytes()
    });
    place.write("a.warc", records.collect::<Vec<_>>().concat());
    let lines = |arguments: &[&str]| {
        text(&place.dehusk(arguments))
            .matches("\terror\tdate\tWARC-Date")
            .count()
    };
    assert_eq!(lines(&["check", "a.warc"]), 10);
    assert!(text(&place.dehusk(&["check", "a.warc"])).contains("\n30 more findings are not listed; --all lists them"));
    assert_eq!(lines(&["check", "a.warc", "--all"]), 40);
    let json = document(&place.dehusk(&["check", "a.warc", "--json"]));
    assert_eq!(json["archives"][0]["findings"].as_array().unwrap().len(), 40);
}

#[test]
fn notes_are_listed_where_they_are_asked_for() {
    let place = Place::new();
    place.write(
        "a.warc",
        Warc {
            version: "0.18",
            ..Warc::new("a", http(b"<p>a"))
        }
        .bytes(),
    );
    assert!(!text(&place.dehusk(&["check", "a.warc"])).contains("draft_version"));
    assert!(text(&place.dehusk(&["check", "a.warc", "--severity", "note"])).contains("draft_version"));
}

#[test]
fn what_an_archive_holds_cannot_move_the_cursor() {
    let place = Place::new();
    let record = Warc::new("a", http(b"<p>a")).field("WARC-Date", "\u{1b}[2Jsoon");
    place.write("a.warc", record.bytes());
    let ended = place.dehusk(&["check", "a.warc"]);
    assert!(!ended.stdout.contains(&0x1b), "{}", text(&ended));
    document(&place.dehusk(&["check", "a.warc", "--json"]));
}

#[test]
fn what_is_no_archive_is_named_by_a_rule() {
    let place = Place::new();
    place.write("a.warc", b"nothing of the kind");
    place.write("empty.warc", b"");
    let json = document(&place.dehusk(&["check", "a.warc", "empty.warc", "--json"]));
    let rule = |at: usize| json["archives"][at]["findings"][0]["rule"].clone();
    assert_eq!((rule(0), rule(1)), ("not_an_archive".into(), "empty_archive".into()));
}

#[test]
fn a_stream_is_checked_as_a_file_is() {
    let place = Place::new();
    let file = document(&place.dehusk(&["check", SAMPLE, "--json"]));
    let stream = document(&place.dehusk_fed(&["check", "-", "--json"], &fs::read(SAMPLE).unwrap()));
    assert_eq!(file["archives"][0]["findings"], stream["archives"][0]["findings"]);
}
