//! Large members and frames with one flipped bit: whatever is given is right, or bears a note, and the damage is
//! reported.

use std::sync::Arc;

use crate::archives::faults::sha1_base32;
use crate::archives::make::{self, Entry, Form, archive, tar_file};
use crate::archives::read::{All, Held, map, stream, whole};
use crate::archives::{Random, damage};
use dehusk_archive::{Archive, DigestPolicy, ReadOptions};

/// Decoded bytes of the archives, of which the first 8 MiB are decoded at once.
const RECORDS: usize = 700;
const RECORD: usize = 16_000;

fn passing_first() -> ReadOptions {
    let mut options = ReadOptions::new();
    options.first_pass = true;
    options
}

fn with_digests(entries: Vec<Entry>) -> Vec<Entry> {
    let with_digest = |(i, entry): (usize, Entry)| {
        let digest = sha1_base32(&entry.block);
        let record = make::Warc::new(&format!("r{i}"), entry.block);
        record.field("WARC-Block-Digest", &digest).entry()
    };
    entries.into_iter().enumerate().map(with_digest).collect()
}

fn tar() -> Vec<u8> {
    let mut random = Random(4);
    let files = (0..RECORDS).map(|n| tar_file(&format!("p{n}.html"), &random.text(RECORD)));
    files.chain([make::TAR_END.to_vec()]).flatten().collect()
}

/// Archives of one large member or frame.
fn large() -> Vec<(&'static str, Vec<u8>)> {
    let warcs = make::warcs(RECORDS, RECORD, 1);
    let digests = with_digests(warcs.clone());
    let arcs = make::arcs(RECORDS, RECORD, 2);
    vec![
        ("warc.gz", archive(Form::GzipWhole, &warcs).bytes),
        ("warc.gz with digests", archive(Form::GzipWhole, &digests).bytes),
        ("arc.gz", archive(Form::GzipWhole, &arcs).bytes),
        ("tar.gz", make::gzip(&tar())),
        ("warc.zst", archive(Form::ZstdWhole, &warcs).bytes),
        ("warc.zst with digests", archive(Form::ZstdWhole, &digests).bytes),
    ]
}

/// Sees that each record is among the good ones, failed, or bears a note.
fn assert_nothing_is_silent(name: &str, all: &All, whole: &All) {
    let mut expected = whole.records.iter().map(|r| (&r.header, &r.block)).collect::<Vec<_>>();
    expected.sort();
    for got in all.good() {
        let is_right = expected.binary_search(&(&got.header, &got.block)).is_ok();
        assert!(
            is_right || !got.notes.is_empty(),
            "{name}: {got:?} is wrong and bears no note"
        );
    }
    assert!(
        !all.failures().is_empty() || !all.skipped.is_empty(),
        "{name}: nothing tells of the damage"
    );
}

#[test]
fn a_flipped_bit_in_a_large_unit_is_never_silent() {
    for (name, bytes) in large() {
        let good = map(&bytes, passing_first()).unwrap();
        assert!(good.good().iter().all(|r| r.notes.is_empty()), "{name}");
        assert!(good.skipped.is_empty(), "{name}: {:?}", good.skipped);
        let mut random = Random(99);
        for _ in 0..8 {
            let at = 20 + random.below(bytes.len() - 20);
            let damaged = damage::flip(&bytes, at, 1 << random.below(8));
            let what = format!("{name} at {at}");
            let all = map(&damaged, passing_first()).unwrap();
            assert_eq!(all.bytes.sum(), damaged.len() as u64, "{what}");
            assert_nothing_is_silent(&what, &all, &good);
            let ranges = whole(&damaged, Held::Elsewhere, passing_first()).unwrap();
            assert_nothing_is_silent(&what, &ranges, &good);
            assert!(stream(&damaged, 65_536, passing_first()).unwrap() == ranges, "{what}");
        }
    }
}

#[test]
fn a_wrong_checksum_of_a_large_unit_fails_no_record() {
    for (name, bytes) in large() {
        let damaged = damage::flip(&bytes, bytes.len() - if name.contains("gz") { 8 } else { 1 }, 1);
        let all = map(&damaged, passing_first()).unwrap();
        assert_eq!(all.failures(), [""; 0], "{name}");
        let [skipped] = &all.skipped[..] else {
            panic!("{name}: {:?}", all.skipped)
        };
        assert!(skipped.is_notice() && skipped.length() == bytes.len() as u64, "{name}");
        let note = match name {
            "warc.gz with digests" => "gzip_crc",
            "warc.zst with digests" => "zstd_checksum",
            "warc.zst" => "zstd_unchecked",
            _ => "gzip_unchecked",
        };
        assert!(
            all.records.iter().all(|r| r.notes == note),
            "{name}: {:?}",
            all.records[0]
        );
    }
}

#[test]
fn records_whose_checksum_was_not_seen_yet_are_proven_by_digests_or_noted() {
    for (name, bytes) in large() {
        let all = stream(&bytes, 65_536, passing_first()).unwrap();
        assert!(all.failures().is_empty() && all.skipped.is_empty(), "{name}");
        let noted = all.records.iter().filter(|r| r.notes.ends_with("_unchecked")).count();
        if name.ends_with("digests") {
            assert_eq!(noted, 0, "{name}")
        } else {
            // The last ones were decoded together with the checksum.
            assert!(noted > RECORDS / 2 && noted < all.records.len(), "{name}: {noted}")
        }
    }
    // A digest that is wrong fails its record, because nothing proves that the bytes are right.
    let mut warcs = with_digests(make::warcs(RECORDS, RECORD, 1));
    warcs[3].block[100] ^= 1;
    let bytes = archive(Form::GzipWhole, &warcs).bytes;
    assert_eq!(stream(&bytes, 65_536, passing_first()).unwrap().failures(), ["digest"]);
    // Where a first pass has seen that the checksum is right, it is noted.
    let all = map(&bytes, passing_first()).unwrap();
    assert_eq!(all.failures(), [""; 0]);
    let noted: Vec<_> = all.records.iter().filter(|r| !r.notes.is_empty()).collect();
    assert_eq!(
        noted.iter().map(|r| r.notes.as_str()).collect::<Vec<_>>(),
        ["digest_mismatch"]
    );
    let mut strict = passing_first();
    strict.digests = DigestPolicy::Fail;
    assert_eq!(map(&bytes, strict).unwrap().failures(), ["digest"]);
}

#[test]
fn a_first_pass_can_be_cancelled() {
    let (_, bytes) = large().swap_remove(0);
    let archive = Archive::from_source("large", Arc::new(bytes), passing_first()).unwrap();
    let archive = archive.cancelled_by(Arc::new(true.into()));
    let mut records = archive.records();
    while records.next_record().is_some() {}
    let error = records.take_error().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::Interrupted);
}
