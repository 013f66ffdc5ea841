//! Heads of HTTP responses through the public surface: every departure from RFC 9112 that is read all the same.

use dehusk_archive::http::{MAX_HEAD, parse_head};
use proptest::prelude::*;
use std::io::Write;

const PAGE: &[u8] =
    b"<!DOCTYPE html><html><body><p>The kernel of the page, said twice. The kernel of the page.</p></body></html>";

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn interim_responses_are_skipped() {
    let block = b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 200 OK\r\nA: c\r\n\r\nbody";
    let (head, start) = parse_head(block).unwrap();
    assert_eq!(
        (head.status(), head.get("a"), &block[start..]),
        (200, Some(&b"c"[..]), &b"body"[..])
    );
}

#[test]
fn an_interim_response_alone_is_kept() {
    assert_eq!(parse_head(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap().0.status(), 100);
}

#[test]
fn lines_may_end_in_line_feeds() {
    let block = b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n<p>";
    let (head, start) = parse_head(block).unwrap();
    assert_eq!(
        (head.mime().as_deref(), &block[start..]),
        (Some("text/html"), &b"<p>"[..])
    );
}

#[test]
fn folded_lines_are_joined() {
    let (head, _) = parse_head(b"HTTP/1.1 200\r\nX: one\r\n  two\r\n\tthree\r\nY: z\r\n\r\n").unwrap();
    assert_eq!(
        (head.text("x").as_deref(), head.get("Y")),
        (Some("one two three"), Some(&b"z"[..]))
    );
}

#[test]
fn status_lines_without_reason_status_or_minor_version_are_read() {
    for (line, status) in [
        ("HTTP/1.1 404", 404),
        ("HTTP/2 200", 200),
        ("HTTP/1.1 0 x", 0),
        ("HTTP/1.1", 0),
        ("HTTP/", 0),
    ] {
        assert_eq!(
            parse_head(format!("{line}\r\n\r\n").as_bytes()).unwrap().0.status(),
            status,
            "{line}"
        );
    }
}

#[test]
fn lines_without_a_colon_are_ignored() {
    let (head, _) = parse_head(b"HTTP/1.1 200 OK\r\nnonsense\r\n: nameless\r\nA: b\r\n\r\n").unwrap();
    assert_eq!(head.get("A"), Some(&b"b"[..]));
}

#[test]
fn values_need_not_be_utf8() {
    let (head, _) =
        parse_head(b"HTTP/1.1 200 OK\r\nX: caf\xE9\r\nContent-Type: text/html; charset=\xFF\r\n\r\n").unwrap();
    assert_eq!(
        (head.get("x"), head.text("x").as_deref()),
        (Some(&b"caf\xE9"[..]), Some("caf\u{FFFD}"))
    );
    assert_eq!(head.mime().as_deref(), Some("text/html"));
}

#[test]
fn one_extra_line_end_before_a_page_is_dropped() {
    for (extra, page) in [("\r\n", PAGE.to_vec()), ("\n", PAGE.to_vec()), ("\r\n", gzip(PAGE))] {
        let block = [b"HTTP/1.1 200 OK\r\n\r\n", extra.as_bytes(), &page].concat();
        assert_eq!(&block[parse_head(&block).unwrap().1..], page);
    }
}

#[test]
fn a_line_end_that_the_length_counts_is_kept() {
    let block = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\r\n<p>";
    assert_eq!(&block[parse_head(block).unwrap().1..], b"\r\n<p>");
}

#[test]
fn a_line_end_before_anything_else_is_kept() {
    let block = b"HTTP/1.1 200 OK\r\n\r\n\r\nplain text";
    assert_eq!(&block[parse_head(block).unwrap().1..], b"\r\nplain text");
}

#[test]
fn a_page_ends_a_head_without_an_empty_line() {
    let block = b"HTTP/1.1 200 OK\r\nA: b\r\n<html>x: y</html>";
    assert_eq!(&block[parse_head(block).unwrap().1..], b"<html>x: y</html>");
}

#[test]
fn a_head_without_an_end_has_an_empty_body() {
    let block = b"HTTP/1.1 200 OK\r\nA: b";
    let (head, start) = parse_head(block).unwrap();
    assert_eq!((head.get("A"), start), (Some(&b"b"[..]), block.len()));
}

#[test]
fn fields_beyond_the_largest_head_are_ignored() {
    let block = format!(
        "HTTP/1.1 200 OK\r\nA: b\r\nLong: {}\r\nC: d\r\n\r\n<p>",
        "x".repeat(MAX_HEAD)
    );
    let (head, start) = parse_head(block.as_bytes()).unwrap();
    assert_eq!(
        (head.get("A"), head.get("Long"), head.get("C")),
        (Some(&b"b"[..]), None, None)
    );
    assert_eq!(&block[start..], "<p>");
}

#[test]
fn a_block_that_is_no_response_has_no_head() {
    for block in [&b"<html>"[..], b"", b"GET / HTTP/1.1\r\n\r\n", b"http/1.1 200"] {
        assert!(parse_head(block).is_none(), "{block:?}");
    }
}

#[test]
fn content_type_gives_mime_and_charset() {
    for (fields, mime, charset) in [
        (
            "Content-Type: Text/HTML; Charset=\"UTF-8\"\r\n",
            Some("text/html"),
            Some("UTF-8"),
        ),
        (
            "content-type:text/html;charset='koi8-r'\r\n",
            Some("text/html"),
            Some("koi8-r"),
        ),
        (
            "Content-Type: text/html; charset=gbk\r\nContent-Type: text/html\r\n",
            Some("text/html"),
            Some("gbk"),
        ),
        (
            "Content-Type: text/html; charset=gbk\r\nContent-Type: image/png\r\n",
            Some("image/png"),
            None,
        ),
        ("Content-Type: html\r\n", None, None),
        ("Content-Type: ;;charset=big5\r\n", None, Some("big5")),
        ("", None, None),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
        let (head, _) = parse_head(block.as_bytes()).unwrap();
        assert_eq!(
            (head.mime().as_deref(), head.charset().as_deref()),
            (mime, charset),
            "{fields}"
        );
    }
}

#[test]
fn the_first_language_counts() {
    let (head, _) = parse_head(b"HTTP/1.1 200 OK\r\nContent-Language: de-AT, en\r\n\r\n").unwrap();
    assert_eq!(head.content_language().as_deref(), Some("de-at"));
}

#[test]
fn the_first_numeric_length_counts() {
    for (fields, length) in [
        ("Content-Length: 12, 12\r\n", Some(12)),
        ("Content-Length: -1\r\nContent-Length: 5\r\n", Some(5)),
        ("Content-Length: +5\r\n", None),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
        assert_eq!(
            parse_head(block.as_bytes()).unwrap().0.content_length(),
            length,
            "{fields}"
        );
    }
}

proptest! {
    #[test]
    fn any_head_is_read(noise in proptest::collection::vec(any::<u8>(), 0..600), text in "[ -~\r\n\t]{0,300}") {
        for tail in [&noise[..], text.as_bytes()] {
            let block = [b"HTTP/1.1 200 OK\r\n", tail].concat();
            let (head, start) = parse_head(&block).unwrap();
            prop_assert!(start <= block.len());
            let _ = (head.mime(), head.charset(), head.content_language(), head.content_length());
            let _ = head.content_codings().count();
        }
    }
}
