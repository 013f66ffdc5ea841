//! `dehusk index`: CDXJ of archives.

use std::fs;
use std::io::Read;

use serde_json::Value;

use crate::archives::make::{self, Form, Warc, http};
use crate::program::{Ended, Place, SAMPLE, make as pages};

/// The lines of an index: key, time, object.
fn lines(index: &[u8]) -> Vec<(String, String, Value)> {
    let text = std::str::from_utf8(index).unwrap();
    let line = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let [key, time, object] = [(); 3].map(|()| parts.next().unwrap().to_owned());
        (key, time, serde_json::from_str(&object).unwrap())
    };
    text.lines().map(line).collect()
}

fn number(value: &Value) -> usize {
    value.as_str().unwrap().parse().unwrap()
}

fn text(ended: &Ended) -> &str {
    std::str::from_utf8(&ended.stdout).unwrap()
}

/// These lines are those of cdxj-indexer 1.5.0, byte for byte.
#[test]
fn lines_are_those_of_the_usual_indexer() {
    let place = Place::new();
    let record = |kind: &str, url: &str, fields: &str, block: &[u8]| pages::record(kind, url, fields, block);
    let http_type = "Content-Type: application/http; msgtype=response\r\n";
    let archive = [
        pages::page("https://www.Example.org/b?y=2&x=1#part", "A page."),
        record("request", "https://example.org/b", "", b"GET /b HTTP/1.1\r\n\r\n"),
        pages::response(
            "http://example.org:8080/\u{fc}",
            "404 Not Found",
            "TEXT/html;charset=utf-8",
            b"gone",
        ),
        record(
            "revisit",
            "http://example.org/a",
            &format!("{http_type}WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"),
            b"HTTP/1.1 304 Not Modified\r\n\r\n",
        ),
        record(
            "resource",
            "urn:text:http://example.org/",
            "Content-Type: text/plain\r\n",
            b"words",
        ),
        record(
            "metadata",
            "http://example.org/",
            "Content-Type: application/warc-fields\r\n",
            b"a: b\r\n",
        ),
    ];
    place.write("a.warc", archive.concat());
    let ended = place.dehusk(&["index", "a.warc"]);
    assert_eq!((ended.status, &*ended.stderr), (0, ""));
    assert_eq!(text(&ended), include_str!("index.cdxj"));
}

#[test]
fn every_line_leads_to_its_record() {
    let place = Place::new();
    let entries = make::warcs(6, 700, 3);
    for (name, form) in [
        ("a.warc", Form::Plain),
        ("a.warc.gz", Form::Gzip),
        ("a.warc.zst", Form::Zstd),
    ] {
        let bytes = make::archive(form, &entries).bytes;
        place.write(name, &bytes);
        let ended = place.dehusk(&["index", name]);
        let lines = lines(&ended.stdout);
        assert_eq!(lines.len(), entries.len());
        let keys: Vec<&str> = lines.iter().map(|(key, ..)| &**key).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        for (key, time, object) in &lines {
            assert_eq!((&**time, &object["filename"]), ("20240506070809", &name.into()));
            let (offset, length) = (number(&object["offset"]), number(&object["length"]));
            let stored = &bytes[offset..offset + length];
            let record = match form {
                Form::Plain => stored.to_vec(),
                Form::Gzip => {
                    let mut out = Vec::new();
                    flate2::read::GzDecoder::new(stored).read_to_end(&mut out).unwrap();
                    out
                }
                _ => zstd::decode_all(stored).unwrap(),
            };
            let host = key.trim_start_matches("example,").trim_end_matches(")/page");
            let entry = &entries[host[1..].parse::<usize>().unwrap()];
            let whole = entry.bytes();
            assert!(
                whole.starts_with(&record) && record.len() >= whole.len() - 4,
                "{name} {key}"
            );
        }
    }
}

#[test]
fn several_archives_make_one_sorted_index() {
    let place = Place::new();
    place.write("b.warc", pages::page("http://b.example/", "B"));
    place.write(
        "a.warc",
        [
            pages::page("http://c.example/", "C"),
            pages::page("http://a.example/", "A"),
        ]
        .concat(),
    );
    let ended = place.dehusk(&["index", "b.warc", "a.warc", "-o", "all.cdxj"]);
    assert_eq!((ended.status, &*ended.stderr, text(&ended)), (0, "", ""));
    let found = lines(&fs::read(place.path("all.cdxj")).unwrap());
    let found: Vec<_> = found
        .iter()
        .map(|(key, _, o)| (&**key, o["filename"].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("example,a)/", "a.warc"),
            ("example,b)/", "b.warc"),
            ("example,c)/", "a.warc")
        ]
    );
}

#[test]
fn damage_is_reported_and_the_other_records_are_there() {
    let place = Place::new();
    let ended = place.dehusk(&["index", SAMPLE]);
    assert_eq!(ended.status, 3);
    assert!(ended.stderr.contains("1 records failed"), "{}", ended.stderr);
    let found = lines(&ended.stdout);
    // An index lists the records that are looked up: neither requests nor the record that describes the archive.
    assert_eq!(found.len(), 59);
}

#[test]
fn a_record_without_a_key_is_reported() {
    let place = Place::new();
    place.write("a.warc", Warc::new("a", http(b"<p>a")).field("WARC-Date", "").bytes());
    let ended = place.dehusk(&["index", "a.warc"]);
    assert_eq!((ended.status, text(&ended)), (3, ""));
    assert!(
        ended.stderr.contains("1 records have no URL or date"),
        "{}",
        ended.stderr
    );
}

#[test]
fn nothing_that_exists_is_replaced_and_no_archive_is_left_out_in_silence() {
    let place = Place::new();
    place.write("a.warc", pages::page("http://a.example/", "A"));
    place.write("all.cdxj", "mine");
    let ended = place.dehusk(&["index", "a.warc", "-o", "all.cdxj"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("all.cdxj") && ended.stderr.contains("--overwrite replaces it"),
        "{}",
        ended.stderr
    );
    let ended = place.dehusk(&["index", "a.warc", "missing.warc", "-o", "all.cdxj", "--overwrite"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("missing.warc: no such file"), "{}", ended.stderr);
    assert!(ended.stderr.contains("nothing was written"), "{}", ended.stderr);
    assert_eq!(fs::read(place.path("all.cdxj")).unwrap(), b"mine");
    assert_eq!(place.names("."), ["a.warc", "all.cdxj"]);
    let ended = place.dehusk(&["index", "a.warc", "-o", "all.cdxj", "--overwrite"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(lines(&fs::read(place.path("all.cdxj")).unwrap()).len(), 1);
}
