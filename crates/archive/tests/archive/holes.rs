//! Holes in an archive: what is cut out or overwritten costs the records that it touches, and makes no page out of two.

use std::ops::Range;

use crate::archives::faults::sha1_base32;
use crate::archives::make::{self, Entry, Form, Warc, archive};
use crate::archives::read::{All, read_all, read_some};
use crate::archives::{Random, damage, within};
use dehusk_archive::{Fault, Note};

/// The evidence of how long a record's block is, beside its length.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Evidence {
    None,
    BlockDigest,
    PayloadDigest,
    HttpLength,
}

fn record(id: usize, body: &[u8], evidence: Evidence) -> Warc {
    let block = match evidence {
        Evidence::HttpLength => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            [head.as_bytes(), body].concat()
        }
        _ => make::http(body),
    };
    let digest = sha1_base32(if evidence == Evidence::PayloadDigest {
        body
    } else {
        &block
    });
    let warc = Warc::new(&format!("r{id}"), block);
    match evidence {
        Evidence::BlockDigest => warc.field("WARC-Block-Digest", &digest),
        Evidence::PayloadDigest => warc.field("WARC-Payload-Digest", &digest),
        _ => warc,
    }
}

fn records(n: usize, size: usize, evidence: Evidence) -> Vec<Entry> {
    let mut random = Random(41);
    let mut make = |id| record(id, &random.text(size / 2 + id * size / n), evidence).entry();
    (0..n).map(&mut make).collect()
}

/// The archive of these records in one piece, and where each of them is in it before it is compressed.
fn joined(entries: &[Entry]) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut ranges = Vec::new();
    let mut bytes = Vec::new();
    for entry in entries {
        let start = bytes.len();
        bytes.extend(entry.bytes());
        ranges.push(start..bytes.len());
    }
    (bytes, ranges)
}

fn hole(bytes: &[u8], range: Range<usize>, kind: usize, random: &mut Random) -> Vec<u8> {
    match kind {
        0 => damage::delete(bytes, range),
        1 => damage::zero(bytes, range),
        _ => {
            let junk = random.text(range.len());
            damage::insert(&damage::delete(bytes, range.clone()), range.start, &junk)
        }
    }
}

/// Length of a response's head here, at most.
const HTTP_HEAD: usize = 48;

#[test]
fn a_hole_costs_the_records_that_it_touches_and_gives_nothing_false() {
    for evidence in [Evidence::BlockDigest, Evidence::PayloadDigest, Evidence::HttpLength] {
        let entries = records(12, 1500, evidence);
        let (bytes, ranges) = joined(&entries);
        for seed in 1..=240 {
            let mut random = Random(seed * 7919);
            let kind = seed as usize % 3;
            let from = random.below(bytes.len() - 1);
            let to = (from + 1 + random.below(6000)).min(bytes.len());
            let what = format!("{evidence:?}, seed {seed}: hole {from}..{to} of kind {kind}");
            let damaged = hole(&bytes, from..to, kind, &mut random);
            let packed = match seed / 3 % 3 {
                0 => damaged,
                1 => make::gzip(&damaged),
                _ => make::zstd(&damaged, &[]),
            };
            let all = within(10, &what, move || read_some(&packed).unwrap());
            let touched = |r: &Range<usize>| r.start < to && from < r.end;
            // In one block, at the same length, it is a flipped byte among others: only a checked digest shows it.
            let flipped = kind > 0 && ranges.iter().any(|r| r.start <= from && to <= r.end);
            // Where the HTTP head is cut, the length of the body is lost.
            let in_head =
                |(e, r): (&Entry, &Range<usize>)| r.start <= from && from < r.start + e.head.len() + HTTP_HEAD;
            let without_evidence = evidence == Evidence::HttpLength && entries.iter().zip(&ranges).any(in_head);
            let unseen = flipped || without_evidence;
            // A block without an HTTP head is no page, and a digest of its payload proves nothing.
            for got in all.good().iter().filter(|got| got.block.starts_with(b"HTTP/")) {
                let written = entries.iter().any(|e| e.block == got.block);
                assert!(written || unseen, "{what}: {got:?} was never written; {all:?}");
            }
            for (entry, range) in entries.iter().zip(&ranges).filter(|(_, r)| !touched(r)) {
                let there = all
                    .good()
                    .iter()
                    .any(|g| g.block == entry.block && g.header == entry.head);
                assert!(there, "{what}: what stood at {range:?} is lost; {all:?}");
            }
        }
    }
}

/// A hole from the middle of the third record into the middle of the sixth, in plain and in single units.
fn in_the_middle(evidence: Evidence, check: impl Fn(Form, usize, &All)) {
    let entries = records(9, 30_000, evidence);
    let (bytes, ranges) = joined(&entries);
    let middle = |r: &Range<usize>| r.start.midpoint(r.end);
    for kind in 0..3 {
        let damaged = hole(&bytes, middle(&ranges[2])..middle(&ranges[5]), kind, &mut Random(3));
        for (form, packed) in [
            (Form::GzipWhole, make::gzip(&damaged)),
            (Form::ZstdWhole, make::zstd(&damaged, &[])),
            (Form::Plain, damaged),
        ] {
            let all = read_all(&packed);
            let good: Vec<&str> = all.good().iter().map(|r| &r.id[9..]).collect();
            assert_eq!(
                good,
                ["r0", "r1", "r6", "r7", "r8"],
                "{evidence:?} {form:?} {kind}: {all:?}"
            );
            check(form, kind, &all);
        }
    }
}

#[test]
fn without_a_digest_a_record_whose_length_leads_nowhere_fails_as_bad_length() {
    for evidence in [Evidence::None, Evidence::HttpLength] {
        in_the_middle(evidence, |form, kind, all| {
            assert_eq!(all.failures(), ["bad_length"], "{evidence:?} {form:?} {kind}: {all:?}");
        });
    }
}

#[test]
fn a_record_whose_digest_matches_no_end_fails_as_digest() {
    for evidence in [Evidence::BlockDigest, Evidence::PayloadDigest] {
        in_the_middle(evidence, |form, kind, all| {
            assert_eq!(all.failures(), ["digest"], "{evidence:?} {form:?} {kind}: {all:?}");
        });
    }
}

#[test]
fn the_bytes_after_a_failed_record_are_a_skipped_range() {
    in_the_middle(Evidence::None, |form, kind, all| {
        // Where bytes are gone, the next record may start before the length ends.
        if kind > 0 {
            assert_eq!(all.gaps(), ["garbage"], "{form:?} {kind}: {all:?}");
            assert_eq!(all.skipped[0].is_inside(), form != Form::Plain);
        }
        if form == Form::Plain && kind > 0 {
            let failed = all.records.iter().find(|r| r.failure.is_some()).unwrap();
            let range = &all.skipped[0];
            assert_eq!(range.offset, failed.offset + failed.stored_length, "{all:?}");
            assert_eq!(range.offset + range.length(), all.records[3].offset, "{all:?}");
        }
    });
}

/// Five records of which the middle one states this length.
fn with_length(evidence: Evidence, change: i64) -> Vec<Entry> {
    let body = Random(8).text(90_000);
    let mut entries = records(5, 900, evidence);
    let warc = record(2, &body, evidence);
    let length = warc.block.len() as i64 + change;
    entries[2] = warc.length(length).entry();
    entries
}

#[test]
fn a_very_wrong_length_is_corrected_if_a_digest_or_the_http_length_proves_the_block() {
    for by in [-60_000, -5000, 5000] {
        for form in [Form::Plain, Form::GzipWhole, Form::ZstdWhole, Form::Gzip] {
            for evidence in [Evidence::BlockDigest, Evidence::PayloadDigest, Evidence::HttpLength] {
                let mut entries = with_length(evidence, by);
                // So that the length does not lead past the archive.
                entries.push(record(5, &Random(9).text(9000), evidence).entry());
                let all = read_all(&archive(form, &entries).bytes);
                let what = format!("{evidence:?} {form:?} {by}: {all:?}");
                assert_eq!(all.good().len(), 6, "{what}");
                assert_eq!(all.records[2].notes, Note::LengthMismatch.name(), "{what}");
                assert!(all.records[2].block == entries[2].block, "{what}");
                assert_eq!(all.skipped, [], "{what}");
            }
        }
    }
}

#[test]
fn a_very_wrong_length_without_evidence_fails_only_its_record() {
    for by in [-60_000, -5000, 5000] {
        for form in [Form::Plain, Form::GzipWhole, Form::ZstdWhole] {
            let mut entries = with_length(Evidence::None, by);
            entries.push(record(5, &Random(9).text(9000), Evidence::None).entry());
            let all = read_all(&archive(form, &entries).bytes);
            let what = format!("{form:?} {by}: {all:?}");
            assert_eq!((all.good().len(), all.failures()), (5, vec!["bad_length"]), "{what}");
        }
    }
}

#[test]
fn the_end_of_a_member_with_one_record_is_evidence_unless_a_digest_contradicts_it() {
    for by in [-60_000, 60_000] {
        for form in [Form::Gzip, Form::Zstd] {
            let all = read_all(&archive(form, &with_length(Evidence::None, by)).bytes);
            assert_eq!(all.good().len(), 5, "{form:?} {by}: {all:?}");
            let mut entries = with_length(Evidence::BlockDigest, by);
            let last = entries[2].block.len() - 1;
            entries[2].block[last] ^= 1;
            let all = read_all(&archive(form, &entries).bytes);
            assert_eq!(all.failures(), ["digest"], "{form:?} {by}: {all:?}");
        }
    }
}

#[test]
fn blank_lines_before_garbage_end_a_record_only_if_its_digest_agrees() {
    let entries = records(3, 900, Evidence::BlockDigest);
    let (bytes, ranges) = joined(&entries);
    let garbage = damage::insert(&bytes, ranges[1].end, b"what is no record");
    let all = read_all(&garbage);
    assert_eq!((all.good().len(), all.gaps()), (3, vec!["garbage"]), "{all:?}");
    let all = read_all(&damage::flip(&garbage, ranges[1].end - 40, 1));
    assert_eq!(all.failures(), ["digest"], "{all:?}");
}

#[test]
fn a_hole_to_the_end_of_a_plain_archive_fails_the_record_in_which_it_begins() {
    let entries = records(4, 900, Evidence::None);
    let (bytes, ranges) = joined(&entries);
    let all = read_all(&damage::zero(&bytes, ranges[3].start + 400..bytes.len()));
    assert_eq!(all.failures(), [Fault::BadLength.name()], "{all:?}");
}

#[test]
fn an_arc_record_ends_at_its_length_if_a_line_end_follows() {
    let entries = make::arcs(5, 9000, 6);
    let (bytes, ranges) = joined(&entries);
    // An ARC record is only found where it begins a line.
    let garbage = [&Random(4).bytes(20_000)[..], b"\n"].concat();
    for at in [ranges[3].end, bytes.len()] {
        let all = read_all(&damage::insert(&bytes, at, &garbage));
        assert_eq!((all.good().len(), all.gaps()), (6, vec!["garbage"]), "{all:?}");
    }
    // Where there is none, what follows is not of the record.
    let middle = ranges[2].start.midpoint(ranges[2].end)..ranges[4].start.midpoint(ranges[4].end);
    let all = read_all(&damage::zero(&bytes, middle));
    assert_eq!((all.good().len(), all.failures()), (3, vec!["bad_length"]), "{all:?}");
}

/// Pages of paragraphs with this between them. Each has a length of its own, and its number in each paragraph.
fn of_paragraphs(n: usize, between: &str, mut entry: impl FnMut(usize, &[u8]) -> Entry) -> Vec<Entry> {
    let paragraph = |id, k| format!("<p>page{id} part{k} {}</p>", "words ".repeat(9 + (id + k) % 3));
    // The third is as long as those that its length has to lead over, and more.
    let parts = |id| if id == 2 { 600 } else { 100 + id };
    let body = |id| -> Vec<String> { (0..parts(id)).map(|k| paragraph(id, k)).collect() };
    (0..n).map(|id| entry(id, body(id).join(between).as_bytes())).collect()
}

/// A hole in the third record, of such a length that its length leads to what is between the paragraphs of the seventh.
fn up_to_a_paragraph(entries: &[Entry], between: &str) -> Vec<u8> {
    let (bytes, ranges) = joined(entries);
    let declared = ranges[2].start + entries[2].head.len() + entries[2].block.len();
    let at = ranges[6].start.midpoint(ranges[6].end);
    let target = at + memchr::memmem::find(&bytes[at..], between.as_bytes()).unwrap();
    let from = ranges[2].start + entries[2].head.len() + 200;
    let hole = from..from + (target - declared);
    assert!(hole.end < ranges[2].end, "{ranges:?}");
    damage::delete(&bytes, hole)
}

fn assert_none_is_joined(entries: &[Entry], damaged: &[u8], what: &str) {
    for (form, packed) in [
        (Form::Plain, damaged.to_vec()),
        (Form::GzipWhole, make::gzip(damaged)),
        (Form::ZstdWhole, make::zstd(damaged, &[])),
    ] {
        let all = read_all(&packed);
        let good: Vec<&[u8]> = all.good().iter().map(|got| &got.block[..]).collect();
        let mut untouched = entries[..2].iter().chain(&entries[3..]);
        let false_ones = good.iter().filter(|got| !entries.iter().any(|e| e.block == **got));
        assert_eq!(false_ones.count(), 0, "{what} {form:?}: {all:?}");
        assert!(
            untouched.all(|e| good.contains(&&e.block[..])),
            "{what} {form:?}: {all:?}"
        );
    }
}

#[test]
fn a_blank_line_of_a_later_page_ends_no_record_in_which_others_start() {
    for between in ["\n\n", "\r\n\r\n", "\n"] {
        for evidence in [
            Evidence::None,
            Evidence::BlockDigest,
            Evidence::PayloadDigest,
            Evidence::HttpLength,
        ] {
            let entries = of_paragraphs(10, between, |id, body| record(id, body, evidence).entry());
            let damaged = up_to_a_paragraph(&entries, between);
            assert_none_is_joined(&entries, &damaged, &format!("{evidence:?} {between:?}"));
        }
    }
}

#[test]
fn a_line_end_of_a_later_page_ends_no_arc_record_in_which_others_start() {
    for between in ["\n\n", "\r\n\r\n", "\n"] {
        for states_length in [true, false] {
            let mut entries = of_paragraphs(10, between, |id, body| {
                let block = if states_length {
                    record(id, body, Evidence::HttpLength).block
                } else {
                    make::http(body)
                };
                let line = format!("http://a.example/{id} 1.2.3.4 20080102030405 text/html {}", block.len());
                make::arc_line(&line, block)
            });
            entries[0] = make::arc_start(1);
            let damaged = up_to_a_paragraph(&entries, between);
            assert_none_is_joined(&entries, &damaged, &format!("length {states_length} {between:?}"));
        }
    }
}

#[test]
fn a_blank_line_that_the_writer_did_not_make_ends_a_record_only_if_its_digest_agrees() {
    for evidence in [Evidence::BlockDigest, Evidence::HttpLength] {
        let entries = of_paragraphs(4, "\n\n", |id, body| record(id, body, evidence).entry());
        let (bytes, ranges) = joined(&entries);
        // Two halves of pages with no record's start between.
        let declared = ranges[1].end - 4;
        let at = ranges[2].start.midpoint(ranges[2].end);
        let target = at + memchr::memmem::find(&bytes[at..], b"\n\n").unwrap();
        let from = ranges[1].end - 3000;
        let all = read_all(&damage::delete(&bytes, from..from + (target - declared)));
        assert_eq!(
            (all.good().len(), all.failures().len()),
            (2, 1),
            "{evidence:?}: {all:?}"
        );
    }
}

#[test]
fn a_page_that_holds_records_is_whole_if_its_digest_or_what_follows_proves_it() {
    let inner: Vec<u8> = records(3, 900, Evidence::None).iter().flat_map(Entry::bytes).collect();
    for (evidence, garbage, good) in [
        (Evidence::None, &b""[..], 3),
        (Evidence::BlockDigest, b"what is no record", 3),
        (Evidence::PayloadDigest, b"what is no record", 3),
    ] {
        let mut entries = records(3, 900, evidence);
        entries[1] = record(
            1,
            &[b"<p>An archive:</p><pre>", &inner[..], b"</pre>"].concat(),
            evidence,
        )
        .entry();
        let (bytes, ranges) = joined(&entries);
        let all = read_all(&damage::insert(&bytes, ranges[1].end, garbage));
        assert_eq!(
            (all.good().len(), all.failures().len()),
            (good, 0),
            "{evidence:?}: {all:?}"
        );
        assert!(all.records[1].block == entries[1].block, "{evidence:?}: {all:?}");
    }
}

#[test]
fn the_last_record_of_a_plain_archive_may_end_early_if_its_digest_proves_it() {
    for by in [-5000, -5, 5, 5000] {
        for evidence in [Evidence::BlockDigest, Evidence::PayloadDigest] {
            let mut entries = with_length(evidence, by);
            entries.truncate(3);
            let all = read_all(&archive(Form::Plain, &entries).bytes);
            assert_eq!(all.good().len(), 3, "{evidence:?} {by}: {all:?}");
            assert_eq!(all.records[2].notes, Note::LengthMismatch.name(), "{evidence:?} {by}");
            assert!(all.records[2].block == entries[2].block, "{evidence:?} {by}");
        }
    }
}
