//! Requests that are wrong. Each is named, and the server continues.

use super::client::{Connection, head};
use super::{PAGE, Served};
use crate::program::Place;

const HTML: [(&str, &str); 1] = [("Content-Type", "text/html")];
const JSON: [(&str, &str); 1] = [("Content-Type", "application/json")];

#[test]
fn wrong_parameters_are_named_with_the_nearest() {
    let served = Served::start(&[]);
    for (query, error, message) in [
        ("extractor=coreexx", "extractor", "did you mean “coreex”?"),
        ("format=jsn", "format", "did you mean “json”?"),
        ("text=markdwn", "setting", "did you mean “markdown”?"),
        ("set=select.min_wrods=5", "setting", "did you mean “min_words”?"),
        ("set=select.min_words=many", "setting", "select.min_words"),
        ("set=min_words", "setting", "is not of the form key=value"),
        ("extracter=coreex", "unknown_parameter", "did you mean “extractor”?"),
        ("extractor=coreex&extractor=nce", "repeated_parameter", "once only"),
        ("url=%FF", "query", "no UTF-8"),
        ("extractor=%1b%5B31m%3Cscript%3E", "extractor", "unknown extractor"),
    ] {
        let answer = served.ask(&format!("POST /extract?{query}"), PAGE.as_bytes());
        assert_eq!(answer.refusal(), (400, error.to_owned()), "{query}");
        let json = answer.json();
        let said = json["message"].as_str().unwrap();
        assert!(said.contains(message), "{query}: {said}");
        assert!(!said.contains('\u{1b}'), "{query}: {said}");
    }
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn wrong_bodies_are_named() {
    let served = Served::start(&[]);
    for (headers, body, refusal) in [
        (&JSON[..], &b"[{\"html\": 1}]"[..], (400, "json")),
        (&JSON[..], b"{\"html\": \"\"}", (400, "json")),
        (&JSON[..], b"[{\"html\": \"\", \"other\": 1}]", (400, "json")),
        (&JSON[..], b"[{\"html\": \"\xFF\"}]", (400, "json")),
        (&JSON[..], b"[{\"html\": ", (400, "json")),
        (&JSON[..], b"", (400, "json")),
        (&[("Content-Type", "image/png")][..], b"x", (415, "content_type")),
        (&[("Content-Encoding", "gzip")][..], b"x", (415, "content_encoding")),
    ] {
        let answer = served.ask_with("POST /extract", headers, body);
        assert_eq!(
            answer.refusal(),
            (refusal.0, refusal.1.to_owned()),
            "{headers:?} {body:?}"
        );
    }
    let deep = format!("[{}", "[".repeat(100_000));
    assert_eq!(
        served.ask_with("POST /extract", &JSON, deep.as_bytes()).refusal().0,
        400
    );
}

#[test]
fn methods_and_paths_that_are_not_there_are_refused() {
    let served = Served::start(&[]);
    let answer = served.ask("GET /extract", b"");
    assert_eq!(answer.refusal(), (405, "method".to_owned()));
    assert_eq!(answer.header("allow"), Some("POST"));
    assert_eq!(served.ask("DELETE /health", b"").header("allow"), Some("GET, HEAD"));
    assert_eq!(served.ask("GET /extrac", b"").refusal(), (404, "not_found".to_owned()));
}

#[test]
fn a_body_that_is_cut_off_does_no_harm() {
    let served = Served::start(&[]);
    for sent in [0, 1, 100] {
        let mut connection = Connection::new(&served);
        assert!(connection.send(head("POST /extract", &HTML, PAGE.len())) && connection.send(&PAGE[..sent]));
        connection.finish();
        // There may be nobody to answer any more.
        if let Some(answer) = connection.answer() {
            assert_eq!(answer.refusal(), (400, "cut_body".to_owned()));
        }
    }
    let mut connection = Connection::new(&served);
    connection.send("POST /extract HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    if let Some(answer) = connection.answer() {
        assert_eq!(answer.status, 400);
    }
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn bytes_that_are_no_request_are_answered_as_such() {
    let served = Served::start(&[]);
    let mut connection = Connection::new(&served);
    connection.send("\x16\x03\x01\x02 hello\r\n\r\n");
    assert!(connection.answer().is_none_or(|answer| answer.status == 400));
    let long = format!("GET /{} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "a".repeat(1 << 20));
    let mut connection = Connection::new(&served);
    connection.send(long);
    assert!(
        connection
            .answer()
            .is_none_or(|answer| answer.status == 414 || answer.status == 431)
    );
    assert_eq!(served.ask("GET /health", b"").status, 200);
}

#[test]
fn ten_thousand_nested_elements_are_extracted() {
    let served = Served::start(&[]);
    let sentence = "The innermost of all these elements has a text, which is a sentence of a good many words.";
    let page = format!("{}<p>{sentence}", "<div>".repeat(10_000));
    for path in ["/extract?extractor=coreex", "/explain?extractor=coreex", "/explain"] {
        let answer = served.ask(&format!("POST {path}"), page.as_bytes());
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text().contains("innermost"), "{path}");
    }
}

#[test]
fn a_port_in_use_is_named_with_the_remedy() {
    let served = Served::start(&[]);
    let port = served.port.to_string();
    let ended = Place::new()
        .command()
        .args(["serve", "--port", &port])
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(
        said.contains(&format!("127.0.0.1:{port}: cannot listen")) && said.contains("--port"),
        "{said}"
    );
}

#[test]
fn wrong_flags_are_refused() {
    for (arguments, message) in [
        (&["--timeout", "0"][..], "--timeout must lie between"),
        (&["--timeout", "NaN"], "--timeout must lie between"),
        (&["--requests", "0"], "--requests must lie between"),
        (&["-e", "coreexx"], "did you mean “coreex”?"),
        (&["--bind", "localhost"], "--bind"),
    ] {
        let ended = Place::new().command().arg("serve").args(arguments).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
}
