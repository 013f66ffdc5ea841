//! Damaged and odd HTTP responses in records: each test is one fault, with its outcome in a run.

use crate::archives::damage;
use crate::archives::make::{self, Warc, gzip, response, zstd};
use crate::codings::{brotli, raw_deflate, zlib};
use crate::program::run_one;

const PAGE: &[u8] = b"<!doctype html><p>A page of some words.</p>";
const TEXT: &str = "A page of some words.";
const HTML: &str = "Content-Type: text/html\r\n";

/// A record whose page has this coding by its head, and these bytes.
fn coded(id: &str, coding: &str, body: &[u8]) -> Vec<u8> {
    response(id, &format!("{HTML}Content-Encoding: {coding}\r\n"), body)
}

fn chunked(id: &str, body: &str) -> Vec<u8> {
    response(id, &format!("{HTML}Transfer-Encoding: chunked\r\n"), body.as_bytes())
}

#[test]
fn a_body_that_is_wrongly_called_chunked_is_read_raw() {
    let run = run_one("a.warc", &chunked("raw", std::str::from_utf8(PAGE).unwrap())).ends_with(0);
    run.gives("raw", TEXT, "coding_absent");
    assert_eq!(run.total("notes.coding_absent"), 1);
}

#[test]
fn chunks_before_a_bad_one_are_kept() {
    let records = [
        chunked("bad", "7\r\n<p>One \r\n4\r\ntwo \r\nxyz\r\nthree"),
        chunked("overflow", "7\r\n<p>One \r\nffffffffffffffffff\r\ntwo"),
        chunked("endless", "a\r\n<p>One two\r\n"),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["bad", "overflow", "endless"] {
        run.gives(id, "One two", "chunked");
    }
    assert_eq!(run.total("notes.chunked"), 3);
}

#[test]
fn chunk_extensions_and_trailers_are_ignored() {
    let body = "7;name=value\r\n<p>One \r\n3 ; x=\"y\"\r\ntwo\r\n0\r\nX-Trailer: <p>three\r\n\r\n";
    run_one("a.warc", &chunked("odd", body))
        .ends_with(0)
        .gives("odd", "One two", "");
}

#[test]
fn a_plain_body_that_is_called_gzip_is_read_raw() {
    let run = run_one("a.warc", &coded("raw", "gzip", PAGE)).ends_with(0);
    run.gives("raw", TEXT, "coding_absent");
}

#[test]
fn deflate_is_read_with_and_without_its_zlib_wrapper() {
    let records = [
        coded("zlib", "deflate", &zlib(PAGE)),
        coded("raw", "deflate", &raw_deflate(PAGE)),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["zlib", "raw"] {
        run.gives(id, TEXT, "");
    }
}

#[test]
fn known_content_codings_are_decoded_and_unknown_ones_filtered() {
    let stacked = gzip(&brotli(&zstd(&zlib(&gzip(PAGE)), &[])));
    let records = [
        coded("br", "br", &brotli(PAGE)),
        coded("zstd", "zstd", &zstd(PAGE, &[])),
        coded("identity", "identity", PAGE),
        coded("none", "none", PAGE),
        coded("stacked", "gzip, deflate, zstd, br, gzip", &stacked),
        coded("unknown", "lzma", &make::gzip(PAGE)),
        coded("six", "gzip, gzip, deflate, zstd, br, gzip", &gzip(&stacked)),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["br", "zstd", "identity", "none", "stacked"] {
        run.gives(id, TEXT, "");
    }
    assert_eq!((run.total("emitted"), run.total("filtered.encoding_unknown")), (5, 2));
}

#[test]
fn a_compressed_body_that_is_cut_gives_its_prefix() {
    let page = [PAGE, &crate::archives::Random(7).text(200_000)].concat();
    let cut = |id: &str, coding: &str, body: Vec<u8>| coded(id, coding, &damage::cut(&body, body.len() * 3 / 4));
    let records = [
        cut("gzip", "gzip", gzip(&page)),
        cut("deflate", "deflate", zlib(&page)),
        cut("br", "br", brotli(&page)),
        cut("zstd", "zstd", zstd(&page, &[])),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["gzip", "deflate", "br", "zstd"] {
        let document = run.document(id);
        assert_eq!(document["metadata"]["flags"], "content_coding", "{id}");
        assert!(
            document["metadata"]["page_words"].as_u64().unwrap() > 5000,
            "{id}: {document}"
        );
    }
}

#[test]
fn a_body_that_cannot_be_decoded_fails_and_is_never_empty() {
    // A block of a kind that there is not, a window of 2 GiB, and a page that is cut before its text.
    let mut data = gzip(PAGE);
    data[10] |= 6;
    let window = b"\x28\xB5\x2F\xFD\x00\xA8\x09\x00\x00a";
    let script = [
        b"<script>",
        &crate::archives::Random(8).text(200_000)[..],
        b"</script>",
        PAGE,
    ]
    .concat();
    let cut = damage::cut(&gzip(&script), 20_000);
    let records = [
        coded("gzip", "gzip", &data),
        coded("window", "zstd", window),
        coded("script", "gzip", &cut),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(3);
    assert_eq!(
        (run.total("failed.content_coding"), run.total("filtered.empty")),
        (3, 0)
    );
    let ids: Vec<&str> = run.failed.iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!(ids, ["urn:test:gzip", "urn:test:window", "urn:test:script"]);
}

#[test]
fn a_body_that_lost_the_start_of_its_coding_fails_and_is_never_binary_data() {
    let page = [PAGE, &crate::archives::Random(10).text(20_000)].concat();
    let (gzip, zstd) = (gzip(&page), zstd(&page, &[]));
    let records = [
        coded("magic", "gzip", &damage::flip(&gzip, 1, 4)),
        coded("start", "gzip", &gzip[20..]),
        coded("frame", "zstd", &damage::flip(&zstd, 0, 1)),
        coded("cut", "zstd", &zstd[..2]),
        coded("br", "br", &crate::archives::Random(11).bytes(500)),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(3);
    let reasons: Vec<&str> = run.failed.iter().filter_map(|line| line["reason"].as_str()).collect();
    assert_eq!(reasons, ["content_coding"; 5]);
}

#[test]
fn a_zstd_body_with_a_wrong_checksum_gives_all_of_its_page() {
    let page = [PAGE, &crate::archives::Random(9).text(400_000)].concat();
    let (small, large) = (zstd(PAGE, &[]), zstd(&page, &[]));
    let wrong = |body: &[u8]| damage::flip(body, body.len() - 1, 1);
    let records = [
        coded("small", "zstd", &wrong(&small)),
        coded("right", "zstd", &large),
        coded("large", "zstd", &wrong(&large)),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    run.gives("small", TEXT, "content_coding");
    let text = run.document("right")["text"].as_str().unwrap().to_owned();
    assert!(text.len() > 100_000);
    run.gives("large", &text, "content_coding");
}

#[test]
fn the_bounds_of_the_record_beat_the_http_content_length() {
    let with = |id: &str, length: usize| response(id, &format!("{HTML}Content-Length: {length}\r\n"), PAGE);
    let records = [with("short", 5), with("long", 5000), with("right", PAGE.len())];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    run.gives("short", TEXT, "body_size");
    run.gives("long", TEXT, "body_size");
    run.gives("right", TEXT, "");
}

#[test]
fn interim_responses_are_skipped() {
    let block = [
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
        &make::http(PAGE)[..],
    ]
    .concat();
    let run = run_one("a.warc", &Warc::new("interim", block).bytes()).ends_with(0);
    run.gives("interim", TEXT, "");
}

#[test]
fn odd_http_headers_are_parsed() {
    let with = |id: &str, head: &str| Warc::new(id, [head.as_bytes(), PAGE].concat()).bytes();
    let records = [
        with("lf", "HTTP/1.1 200 OK\nContent-Type: text/html\n\n"),
        with(
            "folded",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=utf-8\r\n\r\n",
        ),
        with("reason", "HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n"),
        with("http2", "HTTP/2 200\r\ncontent-type: text/html\r\n\r\n"),
        with("zero", "HTTP/1.1 0\r\nContent-Type: text/html\r\n\r\n"),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["lf", "folded", "reason", "http2"] {
        run.gives(id, TEXT, "");
    }
    assert_eq!(run.document("folded")["metadata"]["charset_source"], "http");
    assert_eq!((run.total("emitted"), run.total("filtered.status")), (4, 1));
}

#[test]
fn an_extra_line_end_before_the_body_is_removed() {
    let after = |body: &[u8]| [b"\r\n", body].concat();
    let records = [
        response("plain", HTML, &after(PAGE)),
        coded("gzip", "gzip", &after(&gzip(PAGE))),
        coded("br", "br", &after(&brotli(PAGE))),
        coded("deflate", "deflate", &after(&raw_deflate(PAGE))),
        coded("zlib", "deflate", &after(&zlib(PAGE))),
        coded("zstd", "zstd", &after(&zstd(PAGE, &[]))),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    for id in ["plain", "gzip", "br", "deflate", "zlib", "zstd"] {
        run.gives(id, TEXT, "");
    }
    // Even where the length counts the line end.
    let body = after(&gzip(PAGE));
    let fields = format!("{HTML}Content-Encoding: gzip\r\nContent-Length: {}\r\n", body.len());
    run_one("a.warc", &response("counted", &fields, &body))
        .ends_with(0)
        .gives("counted", TEXT, "");
}

#[test]
fn responses_without_a_page_are_filtered_by_reason() {
    let records = [
        response("empty", HTML, b""),
        Warc::new("304", *b"HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n").bytes(),
        response("image", "Content-Type: image/png\r\n", b"\x89PNG"),
    ];
    let run = run_one("a.warc", &records.concat()).ends_with(0);
    let filtered = serde_json::json!({"empty": 1, "status": 1, "mime": 1});
    assert_eq!(run.report["totals"]["filtered"], filtered);
}
