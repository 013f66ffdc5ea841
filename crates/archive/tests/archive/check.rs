//! Findings of `check`: each rule is broken by an archive that breaks nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;

use dehusk_archive::check::{Finding, Rule, Severity, check, refusal};
use dehusk_archive::{Archive, ReadOptions};

use crate::archives::make::{self, Form, Warc, gzip, http, zstd};
use crate::archives::{Random, damage};

fn try_findings(bytes: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    match Archive::from_source("a.warc", Arc::new(bytes.to_vec()), ReadOptions::new()) {
        Ok(archive) => {
            let summary = check(&archive, |finding| found.push(finding)).unwrap();
            assert_eq!(summary.bytes.sum(), bytes.len() as u64, "every byte is accounted for");
        }
        Err(error) => found.extend(refusal(&error)),
    }
    found
}

/// The rules that an archive breaks, each once.
fn rules(bytes: &[u8]) -> BTreeSet<&'static str> {
    try_findings(bytes).iter().map(|finding| finding.rule.name()).collect()
}

/// A response that breaks no rule.
fn clean() -> Warc {
    Warc::new("a", http(b"<p>a page</p>"))
}

/// A record of another type, without the fields that only a response may have.
fn of_type(name: &str, block: &[u8]) -> Warc {
    let mut record = Warc::new("a", block).field("WARC-Type", name);
    record
        .fields
        .retain(|(name, _)| name != "Content-Type" && name != "WARC-Target-URI");
    record.field("Content-Type", "application/octet-stream")
}

fn with_url(record: Warc) -> Warc {
    record.field("WARC-Target-URI", "http://a.example/")
}

fn without(mut record: Warc, name: &str) -> Vec<u8> {
    record.fields.retain(|(field, _)| field != name);
    record.bytes()
}

/// A record with one line more in its header.
fn with_line(line: &[u8]) -> Vec<u8> {
    damage::insert(&clean().bytes(), "WARC/1.0\r\nWARC-Type: response\r\n".len(), line)
}

/// Archives, each of which breaks one rule.
fn broken() -> Vec<(&'static str, Vec<u8>)> {
    let two = [clean().bytes(), Warc::new("b", http(b"<p>b</p>")).bytes()];
    let both = two.concat();
    let member = gzip(&two[0]);
    let text = Random(7).text(40_000);
    let frame = zstd(&Warc::new("z", http(&text)).bytes(), &[]);
    let set = |name: &str, value: &str| clean().field(name, value).bytes();
    let chunked = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let decoded = [&chunked[..], &gzip(b"<p>a page</p>")].concat();
    let sha1 = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    vec![
        ("not_an_archive", b"what is this?".to_vec()),
        ("empty_archive", Vec::new()),
        ("gzip_crc", damage::flip(&member, member.len() - 6, 1)),
        (
            "gzip_gap",
            [&member[..], b"\0\x01\x02 no member", &gzip(&two[1])].concat(),
        ),
        ("gzip_records", gzip(&both)),
        ("zstd_checksum", damage::flip(&frame, frame.len() - 1, 1)),
        (
            "zstd_gap",
            [&frame[..], b"\0\x01\x02 no frame", &zstd(&two[1], &[])].concat(),
        ),
        ("truncated_input", damage::cut(&both, both.len() - 20)),
        ("garbage", [&two[0][..], b"no record\r\n", &two[1]].concat()),
        (
            "bad_header",
            [b"WARC/1.0\r\nWARC-Type: response\r\n", &two[0][..]].concat(),
        ),
        ("version", damage::insert(&two[0], "WARC/1".len(), b"0")),
        (
            "draft_version",
            Warc {
                version: "0.18",
                ..clean()
            }
            .bytes(),
        ),
        ("header_line_end", with_line(b"X-Field: value\n")),
        ("header_line", with_line(b"no colon here\r\n")),
        ("header_name", with_line(b"X Field: value\r\n")),
        ("header_encoding", with_line(b"X-Field: \xe4\r\n")),
        (
            "record_end",
            Warc {
                tail: "\n\n",
                ..clean()
            }
            .bytes(),
        ),
        ("duplicate_field", with_line(b"WARC-Date: 2024-05-06T07:08:09Z\r\n")),
        ("missing_field", without(clean(), "WARC-Record-ID")),
        ("empty_field", set("WARC-IP-Address", "")),
        ("required_field", without(clean(), "WARC-Target-URI")),
        ("forbidden_field", set("WARC-Filename", "a.warc")),
        ("record_id", set("WARC-Record-ID", "urn:test:a")),
        ("duplicate_id", [&two[0][..], &two[0]].concat()),
        ("content_length", clean().length("many").bytes()),
        (
            "bad_length",
            clean()
                .length(400_000)
                .bytes()
                .into_iter()
                .chain(two[1].clone())
                .collect(),
        ),
        (
            "length_mismatch",
            clean().length(9).bytes().into_iter().chain(two[1].clone()).collect(),
        ),
        ("date", set("WARC-Date", "6 May 2024")),
        ("date_form", set("WARC-Date", "2024-05-06T07:08:09.123Z")),
        ("record_type", set("WARC-Type", "screenshot")),
        (
            "media_type",
            with_url(of_type("resource", b"x")).field("Content-Type", "gif").bytes(),
        ),
        (
            "content_type",
            without(with_url(of_type("resource", b"x")), "Content-Type"),
        ),
        ("digest_form", set("WARC-Block-Digest", "sha1:none")),
        ("digest_algorithm", set("WARC-Block-Digest", "crc:1234")),
        ("block_digest", set("WARC-Block-Digest", sha1)),
        ("payload_digest", set("WARC-Payload-Digest", sha1)),
        (
            "payload_decoded",
            Warc::new("a", decoded)
                .field("WARC-Payload-Digest", "md5:502ea2a5133631c8f57b687b467343b9")
                .bytes(),
        ),
        ("ip_address", set("WARC-IP-Address", "a.b.c.d")),
        ("uri", set("WARC-Target-URI", "a page")),
        ("uri_character", set("WARC-Target-URI", "http://a.example/{x}")),
        ("uri_brackets", set("WARC-Target-URI", "<http://a.example/>")),
        ("truncated", set("WARC-Truncated", "boredom")),
        (
            "profile",
            with_url(of_type("revisit", b""))
                .field("WARC-Profile", "http://a.example/")
                .bytes(),
        ),
        ("segment_number", set("WARC-Segment-Number", "2")),
        (
            "segment_length",
            with_url(of_type("continuation", b"x"))
                .field("WARC-Segment-Number", "2")
                .field("WARC-Segment-Origin-ID", "<urn:test:b>")
                .field("WARC-Segment-Total-Length", "long")
                .bytes(),
        ),
        (
            "warcinfo_fields",
            of_type("warcinfo", b"no field\r\n")
                .field("Content-Type", "application/warc-fields")
                .bytes(),
        ),
        ("http_type", set("Content-Type", "text/html")),
        ("http_message", Warc::new("a", b"<p>a page</p>".to_vec()).bytes()),
        (
            "http_length",
            Warc::new("a", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<p>".to_vec()).bytes(),
        ),
        ("tail_padding", [&member[..], &[0; 512]].concat()),
        (
            "arc_field",
            [
                make::arc_start(1),
                make::arc_line(
                    "http://a.example/ 192.0.2.1 20081302030405 text/html 5",
                    b"<p>a\n".to_vec(),
                ),
            ]
            .iter()
            .flat_map(make::Entry::bytes)
            .collect(),
        ),
    ]
}

#[test]
fn each_rule_is_found_alone() {
    for (rule, bytes) in broken() {
        assert_eq!(rules(&bytes), BTreeSet::from([rule]), "{:#?}", try_findings(&bytes));
    }
}

#[test]
fn every_rule_has_an_archive_that_breaks_it() {
    // These are faults of the reader, which are tested where they are found.
    let of_reader = [
        "gzip_data",
        "gzip_header",
        "zstd_data",
        "zstd_window",
        "zstd_dict",
        "unreadable",
        "too_large",
        "header_too_long",
    ];
    let tested: BTreeSet<&str> = broken().iter().map(|(rule, _)| *rule).chain(of_reader).collect();
    assert_eq!(tested, Rule::ALL.iter().map(|rule| rule.name()).collect());
}

#[test]
fn archives_of_every_form_are_clean() {
    for form in Form::ALL {
        let made = make::archive(form, &make::warcs(7, 3000, 5));
        let found: Vec<_> = try_findings(&made.bytes)
            .into_iter()
            .filter(|finding| finding.rule.severity() > Severity::Note && finding.rule != Rule::GzipRecords)
            .collect();
        assert_eq!(found, [], "{form:?}");
    }
    let arcs: Vec<u8> = make::arcs(5, 900, 3).iter().flat_map(make::Entry::bytes).collect();
    assert_eq!(try_findings(&arcs), []);
}

#[test]
fn every_type_of_record_has_its_fields() {
    let records = [
        of_type("warcinfo", b"software: dehusk\r\n")
            .field("Content-Type", "application/warc-fields")
            .field("WARC-Filename", "a.warc"),
        clean()
            .field("WARC-IP-Address", "2001:db8::1")
            .field("WARC-Concurrent-To", "<urn:test:b>"),
        with_url(of_type("resource", b"x")).field("WARC-Warcinfo-ID", "<urn:test:b>"),
        with_url(of_type("request", b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"))
            .field("Content-Type", "application/http; msgtype=request")
            .field("WARC-Payload-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
        of_type("metadata", b"via: x\r\n").field("WARC-Refers-To", "<urn:test:b>"),
        with_url(of_type("revisit", b""))
            .field(
                "WARC-Profile",
                "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            )
            .field("WARC-Refers-To-Target-URI", "http://a.example/")
            .field("WARC-Refers-To-Date", "2024-05-06T07:08:09Z")
            // That of the original, whose payload is not here.
            .field("WARC-Payload-Digest", "sha1:BZYL6RGPSOE2SCMLJCEOWS5H5IAZE4MA"),
        with_url(of_type("conversion", b"text")).field("WARC-Refers-To", "<urn:test:b>"),
        with_url(of_type("continuation", b"more"))
            .field("WARC-Segment-Number", "2")
            .field("WARC-Segment-Origin-ID", "<urn:test:b>")
            .field("WARC-Segment-Total-Length", "1234"),
    ];
    for record in records {
        assert_eq!(try_findings(&record.bytes()), [], "{record:?}");
    }
}

#[test]
fn a_finding_has_its_place_and_its_rule() {
    let bad = Warc::new("b", http(b"<p>b</p>")).field("WARC-Date", "soon").bytes();
    let archive = [clean().bytes(), bad.clone()].concat();
    let found = try_findings(&archive);
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(
        (finding.offset, finding.length),
        (clean().bytes().len() as u64, bad.len() as u64)
    );
    assert_eq!(
        (finding.id.as_str(), finding.url.as_str()),
        ("urn:test:b", "http://b.example/page")
    );
    assert_eq!(finding.detail, "WARC-Date: soon");
    assert_eq!(finding.rule.section(), "ISO 28500, 5.4");
}

#[test]
fn digests_of_chunked_bodies_are_those_without_the_chunks() {
    let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n1\r\na\r\n0\r\n\r\n";
    // SHA-1 of `<p>a`, and of the body as it is stored.
    for digest in [
        "sha1:115c67831de8af9c6d44a1cdbaf42a61d9915ff1",
        "sha1:dca69a06e1fa4a0c94d5a45fa23c18ec917ea170",
    ] {
        let record = Warc::new("a", block.to_vec()).field("WARC-Payload-Digest", digest);
        assert_eq!(try_findings(&record.bytes()), [], "{digest}");
    }
}

#[test]
fn damage_anywhere_is_found_and_nothing_panics() {
    let entries = make::warcs(6, 600, 9);
    for form in Form::ALL {
        let made = make::archive(form, &entries);
        let mut random = Random(3);
        for _ in 0..60 {
            let at = random.below(made.bytes.len());
            let length = random.below(made.bytes.len() - at).min(90);
            for bytes in [
                damage::flip(&made.bytes, at, 0x40),
                damage::cut(&made.bytes, at),
                damage::delete(&made.bytes, at..at + length),
                damage::zero(&made.bytes, at..at + length),
            ] {
                try_findings(&bytes);
            }
        }
    }
}
