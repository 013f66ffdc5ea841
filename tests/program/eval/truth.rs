//! `dehusk eval`: truth and archives that do not join, and truth of a wrong shape.

use crate::program::eval::{figure, near, object, page, rows, stdout, truth};
use crate::program::{Place, make};
use serde_json::json;

#[test]
fn truth_and_records_that_do_not_join_are_counted_and_listed() {
    let place = Place::new();
    let gone = make::response("http://a.test/gone", "404 Not Found", "text/html", b"<p>Gone it is.");
    let archive = [
        page("http://a.test/known", &["Every word of this is known."]),
        page("http://a.test/unknown", &["No truth knows this."]),
        page("http://a.test/known", &["A second record of the same id."]),
        make::record("request", "http://a.test/known", "", b"GET / HTTP/1.1\r\n\r\n"),
        gone,
    ];
    place.write("a.warc", archive.concat());
    let lines = [
        truth("http://a.test/absent", "Not in the archive at all."),
        truth("http://a.test/gone", "Gone it is."),
        truth("http://a.test/known", "Every word of this is known."),
    ];
    place.write("t.jsonl", lines.join("\n"));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"]);
    assert_eq!(ended.status, 3);
    let report = object(&ended);
    let join = &report["join"];
    assert_eq!((&join["truth"], &join["joined"]), (&json!(3), &json!(1)));
    let expected = json!([
        {"record_id": "urn:test:response:http://a.test/absent", "why": "not in the archives"},
        {"record_id": "urn:test:response:http://a.test/gone", "why": "filtered as status"},
    ]);
    assert_eq!(join["without_page"], expected);
    assert_eq!(join["without_truth"].as_array().unwrap().len(), 1);
    assert_eq!(
        join["without_truth"][0]["record_id"],
        "urn:test:response:http://a.test/unknown"
    );
    assert_eq!(join["repeated"].as_array().unwrap().len(), 1);
    // A line of the truth without a page is without output.
    assert!(near(figure(&report, "bag_f1"), 1.0 / 3.0));
    assert!(near(figure(&report, "nodes_f1"), 1.0 / 3.0));
    assert!(near(figure(&report, "no_output"), 2.0 / 3.0));
    let joined = place.dehusk(&[
        "eval",
        "--truth",
        "t.jsonl",
        "a.warc",
        "--format",
        "json",
        "--joined-only",
    ]);
    assert!(near(figure(&object(&joined), "bag_f1"), 1.0));
    assert_eq!(rows(&object(&joined), "all")[0]["pages"], 1);
    // People read the same.
    let text = stdout(&place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]));
    for line in [
        "lines of truth: 3, joined with pages: 1",
        "lines of truth without a page: 2",
        "  urn:test:response:http://a.test/gone: filtered as status",
        "pages without truth: 1",
        "records with the id of an earlier one, not looked at: 1",
    ] {
        assert!(text.lines().any(|l| l == line), "“{line}” is not in\n{text}");
    }
}

#[test]
fn a_join_without_a_match_is_an_error() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    place.write("t.jsonl", truth("http://a.test/2", "Some words."));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("no line of truth joins a page"),
        "{}",
        ended.stderr
    );
}

#[test]
fn an_unreadable_archive_does_not_stop_the_others() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    place.write("t.jsonl", truth("http://a.test/1", "Some words."));
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "absent.warc", "a.warc"]);
    assert_eq!(ended.status, 1);
    let text = stdout(&ended);
    assert!(
        text.contains("not read: absent.warc: no such file") && text.contains("joined with pages: 1"),
        "{text}"
    );
    let piped = place.dehusk_fed(
        &["eval", "--truth", "t.jsonl", "-"],
        &page("http://a.test/1", &["Some words."]),
    );
    assert_eq!(piped.status, 0, "{}", piped.stderr);
}

#[test]
fn truth_of_a_wrong_shape_is_named_by_line_and_key() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    let good = truth("http://a.test/1", "Some words.");
    let cases = [
        ("{\"record_id\": \"x\"", "t.jsonl:2: is no JSON"),
        ("[1]", "t.jsonl:2: is a list, not an object"),
        (
            "{\"record_id\": \"x\", \"text\": \"one\", \"text\": \"two\"}",
            "t.jsonl:2: “text” occurs twice",
        ),
        (
            "{\"record_id\": \"x\", \"text\": \"\", \"own\": 1, \"own\": 2}",
            "t.jsonl:2: “own” occurs twice",
        ),
        ("{\"text\": \"x\"}", "t.jsonl:2: “record_id” is missing"),
        (
            "{\"recordid\": \"x\", \"text\": \"\"}",
            "t.jsonl:2: “record_id” is missing; did you mean “recordid”?",
        ),
        (
            "{\"record_id\": \"x\", \"text\": null}",
            "t.jsonl:2: “text” takes a string, not null",
        ),
        (
            "{\"record_id\": 5, \"text\": \"\"}",
            "t.jsonl:2: “record_id” takes a string, not a number",
        ),
        (
            "{\"record_id\": \"<>\", \"text\": \"\"}",
            "t.jsonl:2: “record_id” is empty",
        ),
        (
            "{\"record_id\": \"x\", \"text\": \"\", \"lang\": [\"en\"]}",
            "t.jsonl:2: “lang” takes a string or null, not a list",
        ),
        (
            good.as_str(),
            "t.jsonl:2: “record_id” urn:test:response:http://a.test/1 is in an earlier line too",
        ),
    ];
    for (line, message) in cases {
        place.write("t.jsonl", format!("{good}\n{line}\n"));
        let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
        assert_eq!(ended.status, 1, "{line}");
        assert!(ended.stderr.contains(message), "{line}: {}", ended.stderr);
    }
    place.write("t.jsonl", "\n\n");
    let ended = place.dehusk(&["eval", "--truth", "t.jsonl", "a.warc"]);
    assert!(
        ended.stderr.contains("t.jsonl: has no line of truth"),
        "{}",
        ended.stderr
    );
    let ended = place.dehusk(&["eval", "--truth", "absent.jsonl", "a.warc"]);
    assert!(
        ended.status == 1 && ended.stderr.contains("absent.jsonl: cannot be read"),
        "{}",
        ended.stderr
    );
}

#[test]
fn truth_may_be_compressed_and_its_keys_may_be_null() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."]));
    let id = "urn:test:response:http://a.test/1";
    let line = json!({"record_id": id, "text": "Some words.", "lang": null, "more": {"a": [1]}}).to_string();
    let plain = format!("\u{feff}{line}\r\n\n");
    place.write("plain", &plain);
    place.write("gz", [make::gzip(b"\n"), make::gzip(plain.as_bytes())].concat());
    place.write("zst", make::zstd(plain.as_bytes()));
    for name in ["plain", "gz", "zst"] {
        let ended = place.dehusk(&["eval", "--truth", name, "a.warc", "--format", "json"]);
        assert_eq!(ended.status, 0, "{name}: {}", ended.stderr);
        assert!(near(figure(&object(&ended), "bag_f1"), 1.0));
    }
}

#[test]
fn a_page_beyond_the_limits_is_a_line_without_a_page() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words."; 100]));
    place.write("t.jsonl", truth("http://a.test/1", "Some words."));
    for parser in ["dom.normalize=false", "dom.normalize=true"] {
        let arguments = ["eval", "--truth", "t.jsonl", "a.warc", "--format", "json"];
        let limit = ["--set", "limits.page_nodes=50", "--set", parser];
        let ended = place.dehusk(&[&arguments[..], &limit].concat());
        assert_eq!(
            object(&ended)["join"]["without_page"],
            json!([{"record_id": "urn:test:response:http://a.test/1", "why": "failed as too_costly"}]),
            "{parser}"
        );
    }
}

#[test]
fn an_extraction_too_long_to_be_compared_is_listed() {
    let place = Place::new();
    // 2^20 equal words on both sides: 2^34 steps.
    let words = "a ".repeat(1 << 20);
    place.write("a.warc", page("http://a.test/1", &[&words]));
    place.write("t.jsonl", truth("http://a.test/1", &words));
    let arguments = ["eval", "--truth", "t.jsonl", "a.warc", "--format", "json", "--metrics"];
    let ended = place.dehusk(&[&arguments[..], &["bag,lcs"]].concat());
    let report = object(&ended);
    let id = "urn:test:response:http://a.test/1";
    assert_eq!(
        report["join"]["too_long"],
        json!([{"record_id": id, "extractor": "coreex-modern"}])
    );
    assert_eq!((ended.status, figure(&report, "lcs_f1")), (3, 0.0));
    assert!(ended.stderr.contains("too long to be compared"), "{}", ended.stderr);
    // Bags of words are compared at any length.
    let ended = place.dehusk(&[&arguments[..], &["bag"]].concat());
    assert_eq!((ended.status, figure(&object(&ended), "bag_f1")), (0, 1.0));
}
