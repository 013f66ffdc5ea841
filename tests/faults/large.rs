//! Large members and frames, and small ones whose data run on: damage shows after documents that were given before.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::archives::faults::sha1_base32;
use crate::archives::make::{self, Entry, Form, archive, tar_file};
use crate::archives::read::map;
use crate::archives::{Random, damage};
use crate::program::{Place, Run};

/// Pages of an archive whose only member decodes to more than 8 MiB.
const PAGES: usize = 140;
const PAGE: usize = 80_000;

fn bodies() -> impl Iterator<Item = Vec<u8>> {
    let mut random = Random(11);
    (0..PAGES).map(move |_| random.text(PAGE))
}

fn warcs(with_digests: bool) -> Vec<Entry> {
    let warc = |(i, body): (usize, Vec<u8>)| {
        let record = make::Warc::new(&format!("r{i}"), make::http(&body));
        let digest = sha1_base32(&record.block);
        if with_digests {
            record.field("WARC-Block-Digest", &digest).entry()
        } else {
            record.entry()
        }
    };
    bodies().enumerate().map(warc).collect()
}

fn tar() -> Vec<u8> {
    let files = bodies()
        .enumerate()
        .map(|(n, body)| tar_file(&format!("p{n}.html"), &body));
    files.chain([make::TAR_END.to_vec()]).flatten().collect()
}

/// Archives of one large member or frame.
fn large() -> [(&'static str, Vec<u8>); 5] {
    [
        ("a.warc.gz", archive(Form::GzipWhole, &warcs(false)).bytes),
        ("digests.warc.gz", archive(Form::GzipWhole, &warcs(true)).bytes),
        ("a.arc.gz", archive(Form::GzipWhole, &make::arcs(PAGES, PAGE, 2)).bytes),
        ("a.tar.gz", make::gzip(&tar())),
        ("digests.warc.zst", archive(Form::ZstdWhole, &warcs(true)).bytes),
    ]
}

fn run(name: &str, bytes: &[u8], threads: &str) -> Run {
    let place = Place::new();
    place.write(name, bytes);
    place.run(&[name, "--threads", threads])
}

/// The content of each document, without its flags, by its id.
fn by_id(run: &Run) -> BTreeMap<String, (Value, String)> {
    let documents = run.documents().into_iter().map(|mut document| {
        let metadata = document["metadata"].as_object_mut().unwrap();
        let flags = metadata
            .remove("flags")
            .and_then(|flags| Some(flags.as_str()?.to_owned()));
        // The stored length is known only once the end was read.
        metadata.remove("warc_length");
        (
            document["id"].as_str().unwrap().to_owned(),
            (document, flags.unwrap_or_default()),
        )
    });
    documents.collect()
}

/// Sees that each document is that of the whole archive, or bears a flag.
fn assert_nothing_is_silent(what: &str, damaged: &Run, whole: &BTreeMap<String, (Value, String)>) {
    for (id, (document, flags)) in by_id(damaged) {
        let is_right = whole.get(&id).is_some_and(|(expected, _)| *expected == document);
        assert!(is_right || !flags.is_empty(), "{what}: {id} is wrong and bears no flag");
    }
}

#[test]
fn a_flipped_bit_in_a_large_member_is_never_silent() {
    let mut random = Random(2024);
    for (name, bytes) in large() {
        let whole = run(name, &bytes, "2").ends_with(0);
        let expected = by_id(&whole);
        assert!(expected.values().all(|(_, flags)| flags.is_empty()), "{name}");
        // In the data, and in the checksum.
        let places = [
            20 + random.below(bytes.len() / 2),
            bytes.len() / 2 + random.below(bytes.len() / 3),
            bytes.len() - 5,
        ];
        for at in places {
            let flipped = damage::flip(&bytes, at, 1 << random.below(8));
            let what = format!("{name} at {at}");
            let damaged = run(name, &flipped, "1").ends_with(3);
            assert_eq!(damaged.archives()[0]["state"], "damaged", "{what}");
            assert!(
                damaged.failed.iter().any(|line| line["offset"] == 0),
                "{what}: {:?}",
                damaged.failed
            );
            assert_nothing_is_silent(&what, &damaged, &expected);
            if at == places[0] {
                let again = run(name, &flipped, "4").ends_with(3);
                assert!(again.shards == damaged.shards, "{what}: other bytes with other threads");
            }
        }
    }
}

#[test]
fn a_large_member_through_a_pipe_is_noted_and_its_damage_reported() {
    let place = Place::new();
    let fed = |folder: &str, bytes: &[u8]| {
        let ended = place.dehusk_fed(&["run", "-", "-o", folder], bytes);
        place.read(folder, ended)
    };
    let [(_, without), (_, with), ..] = large();
    let run = fed("without", &without).ends_with(0);
    assert_eq!(run.total("emitted"), PAGES as u64);
    // The last pages were decoded together with the checksum.
    let noted = run.total("notes.gzip_unchecked") as usize;
    assert!(noted > PAGES / 2 && noted < PAGES, "{noted}");
    let run = fed("with", &with).ends_with(0);
    assert_eq!(
        (run.total("emitted"), run.total("notes.gzip_unchecked")),
        (PAGES as u64, 0)
    );
    let wrong = |bytes: &[u8]| damage::flip(bytes, bytes.len() - 8, 1);
    for (folder, bytes) in [("bad", &without), ("proven", &with)] {
        let run = fed(folder, &wrong(bytes)).ends_with(3);
        assert_eq!((run.total("emitted"), run.total("damaged_members")), (PAGES as u64, 1));
        let [line] = &run.failed[..] else {
            panic!("{:?}", run.failed)
        };
        assert_eq!((&line["offset"], &line["reason"]), (&0.into(), &"gzip_crc".into()));
        assert_eq!(line["length"], bytes.len() as u64);
        assert!(run.ended.stderr.contains("1 damaged members"), "{}", run.ended.stderr);
    }
}

/// Every bit of a small archive: some make the data run on over the checksum to the end of the file, with all pages
/// whole by their lengths.
#[test]
fn a_flipped_bit_in_a_small_tar_is_never_silent() {
    let mut random = Random(7);
    let files = (0..6).map(|n| tar_file(&format!("p{n}.html"), &random.text(700)));
    let bytes = make::gzip(&files.chain([make::TAR_END.to_vec()]).flatten().collect::<Vec<u8>>());
    let read = |bytes: &[u8]| map(bytes, crate::archives::read::FIRM);
    let whole = read(&bytes).unwrap();
    let mut run_on = 0;
    for at in 10..bytes.len() {
        for bit in 0..8 {
            let Ok(all) = read(&damage::flip(&bytes, at, 1 << bit)) else {
                continue;
            };
            for got in all.good() {
                let is_right = whole
                    .records
                    .iter()
                    .any(|r| (&r.header, &r.block) == (&got.header, &got.block));
                assert!(is_right || !got.notes.is_empty(), "{at}.{bit}: {got:?}");
                run_on += usize::from(!is_right && got.notes == "gzip_unchecked");
            }
            // The bits between the data and the checksum mean nothing.
            let is_told = !all.failures().is_empty() || !all.skipped.is_empty();
            assert!(is_told || all.records == whole.records, "{at}.{bit}");
        }
    }
    assert!(run_on > 0, "no damage made the data run on");
}
