//! Content that is not HTML: plain text as documents, counts of office files, and pages that need their scripts.

use serde_json::{Value, json};

use crate::program::{Place, make};

const TEXT: &str = "A text of some words.\r\n\r\n  With a second paragraph,   as it is.  \n";

/// The URL and the text of each document.
fn texts(documents: &[Value]) -> Vec<(&str, &str)> {
    let texts = documents.iter().map(|document| {
        let url = document["metadata"]["url"].as_str().unwrap();
        (url, document["text"].as_str().unwrap())
    });
    texts.collect()
}

#[test]
fn plain_text_becomes_documents_if_it_is_asked_for() {
    let place = Place::new();
    let records = [
        make::page("https://a.example/page", "A page of some words."),
        make::response(
            "https://a.example/text",
            "200 OK",
            "text/plain; charset=iso-8859-1",
            b"W\xf6rter hier.",
        ),
        make::response("https://a.example/css", "200 OK", "text/css", b"p { color: red }"),
        make::response("https://a.example/gone", "404 Not Found", "text/plain", b"Not found."),
        make::record(
            "resource",
            "urn:text:https://a.example/page",
            "Content-Type: text/plain\r\n",
            TEXT.as_bytes(),
        ),
        make::record(
            "resource",
            "urn:textFinal:https://a.example/page",
            "Content-Type: text/plain; charset=utf-8\r\n",
            b"The last text.",
        ),
        make::response(
            "https://a.example/binary",
            "200 OK",
            "text/plain",
            &[0, 1, 2, 3, 0, 0, 7, 8],
        ),
    ];
    place.write("a.warc", records.concat());
    let run = place.run(&["a.warc", "--set", "select.plain_text=true"]).ends_with(0);
    let documents = run.documents();
    let found = texts(&documents);
    assert_eq!(found[1], ("https://a.example/text", "W\u{f6}rter hier."));
    assert_eq!(
        found[2],
        (
            "urn:text:https://a.example/page",
            "A text of some words.\n\n  With a second paragraph,   as it is."
        )
    );
    assert_eq!(found[3], ("urn:textFinal:https://a.example/page", "The last text."));
    assert_eq!(found.len(), 4);
    assert_eq!(documents[1]["metadata"]["mime"], "text/plain");
    assert_eq!(documents[1]["metadata"]["charset"], "windows-1252");
    assert_eq!(documents[2]["metadata"]["hostname"], "a.example");
    let filtered = json!({"mime": 1, "status": 1, "binary": 1});
    assert_eq!(run.report["totals"]["filtered"], filtered);

    let without = place.run_to("without", &["a.warc"]).ends_with(0);
    assert_eq!(without.total("emitted"), 1);
}

#[test]
fn files_of_office_programs_are_counted_by_kind() {
    let place = Place::new();
    let with =
        |name: &str, mime: &str| make::response(&format!("https://a.example/{name}"), "200 OK", mime, b"some bytes");
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let records = [
        with("1", "application/pdf"),
        with("2", "Application/PDF; x=y"),
        with("3", word),
        with("4", "application/msword"),
        with("5", "image/png"),
        make::record("resource", "urn:x", "Content-Type: application/pdf\r\n", b"%PDF"),
    ];
    place.write("a.warc", records.concat());
    let run = place.run(&["a.warc"]).ends_with(0);
    assert_eq!(run.total("filtered.mime"), 6);
    assert_eq!(run.report["totals"]["office_files"], json!({"pdf": 3, "word": 2}));
    place.write("b.warc", with("5", "image/png"));
    let none = place.run_to("none", &["b.warc"]).ends_with(0);
    assert_eq!(none.report["totals"].get("office_files"), None);
}

#[test]
fn a_page_that_needs_its_scripts_is_no_empty_one() {
    let place = Place::new();
    let with = |name: &str, html: &str| {
        make::response(
            &format!("https://a.example/{name}"),
            "200 OK",
            "text/html",
            html.as_bytes(),
        )
    };
    let records = [
        with(
            "app",
            "<title>Shop</title><body><div id=root></div><script src=/main.js></script>",
        ),
        with("empty", "<title>Nothing</title><body><div></div>"),
        with("pixel", "<body><script>track()</script>"),
    ];
    place.write("a.warc", records.concat());
    let run = place.run(&["a.warc"]).ends_with(0);
    assert_eq!(run.report["totals"]["filtered"], json!({"needs_script": 1, "empty": 2}));
}
