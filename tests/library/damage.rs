//! Random damage to an archive: does a document ever differ from the undamaged archive's without a note?
//!
//!     cargo test --test library -- damage --ignored --nocapture
//!
//! `input.verify_digests` is on. Every document is compared with the one of the same id. It may be the same, or bear a
//! note that the other does not bear, or be missing. The remaining cases must be those that `docs/guarantees.md` names
//! as an exception: a value of the record's header, which no checksum or digest covers in these archives.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use dehusk::{ArchiveInput, Config, Document};
use dehusk_documents::encode::jsonl;
use serde_json::Value;

use crate::make;

/// How an archive is stored.
const CONTAINERS: [&str; 4] = ["gzip", "zstd with checksums", "zstd without checksums", "plain"];

/// The kinds of damage.
const DAMAGES: [&str; 10] = [
    "flip",
    "insert",
    "delete",
    "zero",
    "overwrite",
    "duplicate",
    "move",
    "swap",
    "cut",
    "noise",
];

/// The sample, stored in this way.
fn archive(container: &str) -> Vec<u8> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sample/sample.warc.gz");
    let records = make::members(&std::fs::read(sample).unwrap());
    let zstd = |record: &Vec<u8>, has_checksum| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.write_all(record).unwrap();
        encoder.finish().unwrap()
    };
    let stored = records.iter().map(|record| match container {
        "gzip" => make::gzip(record),
        "plain" => record.clone(),
        other => zstd(record, other == "zstd with checksums"),
    });
    stored.collect::<Vec<_>>().concat()
}

/// Numbers that depend on the seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }

    /// A range of 1 to `longest` of so many bytes.
    fn range(&mut self, size: usize, longest: usize) -> Range<usize> {
        let length = 1 + self.below(longest.min(size));
        let start = self.below(size - length + 1);
        start..start + length
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(1 << 32) as u8).collect()
    }
}

fn damaged(mut bytes: Vec<u8>, damage: &str, seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    // The first numbers of near seeds are near each other.
    for _ in 0..8 {
        random.below(1);
    }
    let size = bytes.len();
    let at = random.below(size);
    match damage {
        "flip" => bytes[at] ^= 1 << random.below(8),
        "insert" => {
            let length = 1 + random.below(64);
            bytes.splice(at..at, random.bytes(length));
        }
        "delete" => drop(bytes.drain(random.range(size, 4096))),
        "zero" => bytes[random.range(size, 4096)].fill(0),
        "overwrite" => {
            let range = random.range(size, 64);
            let noise = random.bytes(range.len());
            bytes[range].copy_from_slice(&noise);
        }
        "duplicate" => {
            let part = bytes[random.range(size, 8192)].to_vec();
            bytes.splice(at..at, part);
        }
        "move" => {
            let part: Vec<u8> = bytes.drain(random.range(size, 8192)).collect();
            let at = random.below(bytes.len());
            bytes.splice(at..at, part);
        }
        "swap" => {
            let (one, other) = (random.range(size / 2, 8192), size / 2 + random.below(size / 2 - 8192));
            for i in one.clone() {
                bytes.swap(i, other + i - one.start);
            }
        }
        "cut" => bytes.truncate(at),
        _ => {
            let start = at.min(size - 4096);
            let noise = random.bytes(4096);
            bytes[start..start + 4096].copy_from_slice(&noise);
        }
    }
    bytes
}

/// A document without its place in the archive.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    /// The facts from the record's block.
    content: Value,
    /// The facts from its header: id, URL, date, digest, and whether it was cut.
    header: Vec<Value>,
    notes: BTreeSet<String>,
}

impl Read {
    fn new(document: &Document) -> Self {
        let mut line = Vec::new();
        jsonl::write(document, &mut line);
        let mut content: Value = serde_json::from_slice(&line).unwrap();
        let mut header: Vec<Value> = ["id", "created"].map(|key| content[key].take()).into();
        let metadata = &mut content["metadata"];
        let keys = ["url", "hostname", "payload_digest", "truncated"];
        header.extend(keys.map(|key| metadata[key].take()));
        for place in ["warc_offset", "warc_length", "offset_in_member"] {
            metadata[place].take();
        }
        let notes = metadata["flags"].take();
        let notes = notes.as_str().unwrap().split_whitespace().map(str::to_owned).collect();
        Self { content, header, notes }
    }

    fn id(&self) -> &str {
        self.header[0].as_str().unwrap()
    }
}

/// The documents of an archive.
fn read(bytes: Vec<u8>) -> Vec<Read> {
    let config = Config::builder()
        .extractors(["coreex-modern"])
        .set("input.verify_digests", true);
    let mut config = config.build().unwrap();
    config.set("run.threads", 1).unwrap();
    let documents = dehusk::documents(&config, [ArchiveInput::source("sample.warc", Arc::new(bytes))]);
    documents
        .unwrap()
        .flatten()
        .map(|document| Read::new(&document))
        .collect()
}

/// The fates of the documents, over many damages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    same: u64,
    noted: u64,
    missing: u64,
    /// Those that differ without a note in the facts from the record's header.
    header: u64,
    /// Those that differ without a note in anything else.
    unnoticed: u64,
}

fn damage_all(container: &str, times: u64) -> Tally {
    let whole = archive(container);
    let expected: BTreeMap<String, Read> = read(whole.clone())
        .into_iter()
        .map(|read| (read.id().to_owned(), read))
        .collect();
    let mut tally = Tally::default();
    for number in 0..times {
        let damage = DAMAGES[number as usize % DAMAGES.len()];
        let mut missing: BTreeSet<&String> = expected.keys().collect();
        for found in read(damaged(whole.clone(), damage, number)) {
            let same_content = || expected.values().find(|read| read.content == found.content);
            let original = expected.get(found.id()).or_else(same_content);
            missing.remove(&original.map_or(String::new(), |read| read.id().to_owned()));
            let is_noted = match original {
                Some(original) => !found.notes.is_subset(&original.notes),
                None => !found.notes.is_empty(),
            };
            match original {
                Some(original) if *original == found => tally.same += 1,
                _ if is_noted => tally.noted += 1,
                Some(original) if original.content == found.content => tally.header += 1,
                _ => {
                    tally.unnoticed += 1;
                    let (id, notes) = (found.id(), &found.notes);
                    println!("{container}, {damage}, damage {number}: {id} {notes:?} differs without a note");
                }
            }
        }
        tally.missing += missing.len() as u64;
    }
    tally
}

fn check(times: u64) {
    println!("| archive | the same | noted | missing | header differs | unnoticed |\n|---|---|---|---|---|---|");
    for container in CONTAINERS {
        let tally = damage_all(container, times);
        let Tally {
            same,
            noted,
            missing,
            header,
            unnoticed,
        } = tally;
        println!("| {container} | {same} | {noted} | {missing} | {header} | {unnoticed} |");
        assert_eq!(unnoticed, 0, "{container}");
        if matches!(container, "gzip" | "zstd with checksums") {
            assert_eq!(header, 0, "a checksum covers the header: {container}");
        }
        assert!(same > missing + noted, "{container}: {tally:?}");
    }
}

#[test]
fn no_damage_changes_a_document_without_a_note() {
    check(50);
}

#[test]
#[ignore = "reads 4,000 archives"]
fn no_damage_of_a_thousand_changes_a_document_without_a_note() {
    check(1000);
}
