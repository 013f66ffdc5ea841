//! Archives that ask for too much memory or time, and digests as the only proof: each test is one fault.

use crate::archives::faults::{N, assert_good, entries, sha1_base32};
use crate::archives::make::{self, Form, Warc, archive};
use crate::archives::read::{FIRM, read_all, read_all_with};
use crate::archives::{damage, within};
use dehusk_archive::DigestPolicy;
use dehusk_archive::Fault;

#[test]
fn bombs_of_every_coding_stop_at_one_limit() {
    use std::io::Write;
    let page = [b"<p>A bomb.</p><!--", &vec![b'x'; 40 << 20][..]].concat();
    let mut br = Vec::new();
    brotli::CompressorWriter::new(&mut br, 65536, 5, 22)
        .write_all(&page)
        .unwrap();
    let coded = |coding: &str, body: Vec<u8>| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n");
        Warc::new(coding, [head.as_bytes(), &body].concat()).bytes()
    };
    let bombs = [
        coded("gzip", make::gzip(&page)),
        coded("br", br),
        coded("zstd", make::zstd(&page, &[])),
        coded("gzip, gzip", make::gzip(&make::gzip(&page))),
    ];
    let bytes = [bombs.concat(), entries()[0].bytes()].concat();
    let run = crate::program::run_one_with("b.warc", &bytes, &["--set", "limits.page_bytes=1000000"]).ends_with(3);
    assert_eq!((run.total("failed.too_large"), run.total("emitted")), (4, 1));
    // By their expansion the last three are bombs even below the cap; no gzip goes beyond 1,032 to 1 by itself.
    let run = crate::program::run_one_with("b.warc", &bytes, &["--set", "limits.page_expansion=1032"]).ends_with(3);
    assert_eq!((run.total("failed.too_large"), run.total("emitted")), (3, 2));
}

#[test]
fn many_tiny_records_are_read_in_linear_time() {
    let one = Warc::new("r", "x").bytes();
    for bytes in [
        one.repeat(60_000),
        make::gzip(&one).repeat(60_000),
        make::gzip(&one.repeat(60_000)),
    ] {
        within(60, "tiny records", move || {
            assert_eq!(read_all(&bytes).good().len(), 60_000)
        });
    }
}

#[test]
fn a_slow_page_does_not_make_others_wait_in_memory() {
    // Far more batches than there are permits: all are written, in order, whatever the first one takes.
    let slow = Warc::new("slow", make::http("<p>slow ".repeat(300_000).as_bytes())).bytes();
    let quick = make::warcs(600, 20_000, 5);
    let quick: Vec<u8> = quick.iter().flat_map(make::Entry::bytes).collect();
    let run = crate::program::run_one_with("s.warc", &[slow, quick].concat(), &["--threads", "4"]).ends_with(0);
    let ids: Vec<String> = run
        .documents()
        .iter()
        .map(|d| d["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        (ids.len(), ids[0].as_str(), ids[600].as_str()),
        (601, "urn:test:slow", "urn:test:r599")
    );
}

#[test]
fn a_declared_petabyte_allocates_nothing() {
    let made = archive(Form::Zstd, &entries());
    // A frame that declares 1 PB as a single segment.
    let petabyte = [
        &[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..],
        &(1u64 << 50).to_le_bytes(),
        &[1, 0, 0],
    ]
    .concat();
    let all = read_all(&damage::insert(&made.bytes, made.starts[3], &petabyte));
    assert_good(&all, 0..N);
    assert_eq!(all.gaps(), ["zstd_window"]);
}

#[test]
fn digests_are_checked_with_the_option() {
    let block = make::http(b"a plain page");
    let digest = sha1_base32(&block);
    let record = Warc::new("d", block).field("WARC-Block-Digest", &digest).bytes();
    let at = record.windows(5).position(|w| w == b"plain").unwrap();
    let bytes = damage::flip(&record, at, 1);
    for (policy, clean, note, failure) in [
        (DigestPolicy::Ignore, "", "", None),
        (DigestPolicy::Note, "", "digest_mismatch", None),
        (DigestPolicy::Fail, "", "", Some(Fault::Digest)),
    ] {
        let mut options = FIRM;
        options.digests = policy;
        let all = read_all_with(&record, options).unwrap();
        assert_eq!((all.records[0].notes.as_str(), all.records[0].failure), (clean, None));
        let all = read_all_with(&bytes, options).unwrap();
        assert_eq!((all.records[0].notes.as_str(), all.records[0].failure), (note, failure));
    }
}

#[test]
fn payload_digests_are_checked_where_there_is_no_block_digest() {
    let page = b"<p>A plain page.</p>";
    let right = sha1_base32(page);
    let wrong = sha1_base32(b"another");
    let with = |id: &str, digest: &str, block: Vec<u8>| Warc::new(id, block).field("WARC-Payload-Digest", digest);
    let chunked = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n<p>A plain \
        page.</p>\r\n0\r\n\r\n";
    let records = [
        with("right", &right, make::http(page)),
        with("wrong", &wrong, make::http(page)),
        // Crawlers do not agree on which of its forms such a body's digest is of.
        with("coded", &wrong, chunked.to_vec()),
        with("cut", &wrong, make::http(page)).field("WARC-Truncated", "length"),
        // It is that of the page which did not change.
        with("revisit", &wrong, make::http(b"")).field("WARC-Type", "revisit"),
    ];
    let bytes: Vec<u8> = records.iter().flat_map(Warc::bytes).collect();
    let run = crate::program::run_one_with("d.warc", &bytes, &["--set", "input.verify_digests=true"]).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.digest")), (3, 1));
    assert_eq!(run.failed[0]["id"], "urn:test:wrong");
    let run = crate::program::run_one("d.warc", &bytes).ends_with(0);
    assert_eq!(run.total("emitted"), 4);
}

/// The words of the stories come again in many others, and no story is as similar to another as the threshold asks.
#[test]
fn the_work_for_a_story_is_bounded_however_many_topics_are_open() {
    const STORIES: u64 = 3_000;
    const MOST_ENTRIES: u64 = 16_384;
    let letter = |n: u8| char::from(b'a' + n);
    let story = |number: u64| {
        let words = crate::program::make::noise(number, 60);
        let words = words.iter().map(|n| (letter(n % 6), letter(n / 6 % 10)));
        let text: String = words
            .map(|(a, b)| format!("The {a}{b}thing was there, and it was in "))
            .collect();
        crate::program::make::page(&format!("https://{number}.example/"), &text)
    };
    let place = crate::program::Place::new();
    place.write("a.warc", (0..STORIES).flat_map(story).collect::<Vec<u8>>());
    place.run_to("run", &["a.warc"]).ends_with(0);
    // Each is a story of its own.
    place.write("none.jsonl", "");
    let options = ["--clusters", "none.jsonl", "--threshold", "1", "--min-stories", "1"];
    let ended = place.dehusk(&[&["topics", "run", "-o", "topics"], &options[..]].concat());
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let summary = std::fs::read(place.path("topics/topics.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(
        (&summary["documents"], &summary["topics"]),
        (&STORIES.into(), &STORIES.into())
    );
    let entries = summary["index_entries"].as_u64().unwrap();
    // Without a bound, there are about 15 for each pair of stories.
    assert!((STORIES..=STORIES * MOST_ENTRIES).contains(&entries), "{entries}");
}
