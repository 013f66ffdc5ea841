//! Every container, every path: clean archives give back what was written, and the same on every path.

use crate::archives::make::{self, Entry, Form, Warc, archive};
use crate::archives::read::{self, All, read_all, read_some};
use crate::archives::{Random, within};
use dehusk_archive::Archive;
use proptest::prelude::*;

fn assert_gives_back(all: &All, entries: &[Entry], what: &str) {
    assert_eq!(all.records.len(), entries.len(), "{what}: {all:?}");
    // The checksum of a larger member is seen after its records.
    let is_large = entries.iter().map(|entry| entry.bytes().len()).sum::<usize>() > 8 << 20;
    for (got, entry) in all.records.iter().zip(entries) {
        assert_eq!(got.failure, None, "{what}: {got:?}");
        let is_noted = is_large && matches!(&*got.notes, "gzip_unchecked" | "zstd_unchecked");
        assert!(got.notes.is_empty() || is_noted, "{what}: {got:?}");
        assert_eq!(
            (&got.header, &got.block),
            (&entry.head, &entry.block),
            "{what}: {got:?}"
        );
    }
    assert_eq!(all.skipped, [], "{what}");
}

#[test]
fn every_container_gives_back_its_records_on_every_path() {
    for form in Form::ALL {
        for (n, size) in [(1, 500), (7, 3000), (12, 60_000)] {
            let entries = make::warcs(n, size, 3);
            let made = archive(form, &entries);
            assert_gives_back(&read_all(&made.bytes), &entries, &format!("{form:?} {n} {size}"));
            if !matches!(form, Form::GzipBlocks) || size < 1000 {
                let entries = make::arcs(n, size, 3);
                let made = archive(form, &entries);
                assert_gives_back(&read_all(&made.bytes), &entries, &format!("ARC {form:?} {n} {size}"));
            }
        }
    }
}

#[test]
fn a_record_knows_its_place() {
    let entries = make::warcs(5, 2000, 1);
    for form in [Form::Plain, Form::Gzip, Form::Zstd] {
        let made = archive(form, &entries);
        let all = read_all(&made.bytes);
        let size = made.bytes.len();
        let ends = made.starts.iter().skip(1).chain([&size]);
        for ((got, start), end) in all.records.iter().zip(&made.starts).zip(ends) {
            assert_eq!(
                (got.offset, got.stored_length, got.offset_in_member),
                (*start as u64, (end - start) as u64, 0)
            );
        }
    }
    let several = archive(Form::GzipSeveral, &entries);
    let all = read_all(&several.bytes);
    let first = entries[0].bytes().len() as u64;
    assert_eq!((all.records[1].offset, all.records[1].offset_in_member), (0, first));
    assert_eq!(all.records[3].offset, several.starts[1] as u64);
}

#[test]
fn records_and_members_larger_than_a_piece_are_read_on_every_path() {
    let mut entries = make::warcs(3, 4000, 9);
    entries.insert(1, Warc::new("large", Random(4).text(20 << 20)).entry());
    for form in [
        Form::Plain,
        Form::Gzip,
        Form::GzipWhole,
        Form::GzipSplit,
        Form::Zstd,
        Form::ZstdWhole,
    ] {
        let all = read_all(&archive(form, &entries).bytes);
        assert_gives_back(&all, &entries, &format!("{form:?}"));
    }
    // Exactly as much as is decoded at once, and one byte more or less.
    for size in [(8 << 20) - 1, 8 << 20, (8 << 20) + 1] {
        let head = Warc::new("e", vec![]).length(9_999_999).entry().head.len();
        let entries = [
            Warc::new("e", vec![b'x'; size - head - 4]).entry(),
            make::warcs(1, 100, 1).remove(0),
        ];
        for form in [Form::Gzip, Form::Zstd] {
            let all = read_all(&archive(form, &entries).bytes);
            assert_gives_back(&all, &entries, &format!("{form:?} {size}"));
        }
    }
}

#[test]
fn the_warc_crate_reads_the_same_from_clean_plain_files() {
    let entries = make::warcs(40, 3000, 11);
    let bytes = archive(Form::Plain, &entries).bytes;
    let ours = read_all(&bytes);
    let theirs = warc::WarcReader::new(std::io::BufReader::new(&bytes[..]));
    let theirs: Vec<_> = theirs.iter_records().map(|r| r.unwrap()).collect();
    assert_eq!(ours.records.len(), theirs.len());
    for (a, b) in ours.records.iter().zip(&theirs) {
        assert_eq!(a.id, b.warc_id().trim_matches(['<', '>']));
        assert_eq!(a.block, b.body());
    }
}

#[test]
fn the_sample_is_read_as_its_readme_states() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
    let all = read_all(&std::fs::read(path).unwrap());
    assert_eq!((all.records.len(), all.failures()), (65, vec!["gzip_data"]));
}

fn any_form() -> impl Strategy<Value = Form> {
    proptest::sample::select(&Form::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        form in any_form(),
        blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3000), 1..8),
    ) {
        let entries: Vec<Entry> =
            blocks.into_iter().enumerate().map(|(i, b)| Warc::new(&format!("p{i}"), b).entry()).collect();
        let made = archive(form, &entries);
        let all = read_all(&made.bytes);
        assert_gives_back(&all, &entries, &format!("{form:?}"));
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_are_accounted_for(
        bytes in prop::collection::vec(any::<u8>(), 0..5000),
        wrap in 0..4,
    ) {
        let bytes = match wrap {
            0 => bytes,
            1 => make::gzip(&bytes),
            2 => [make::warcs(1, 300, 1)[0].bytes(), bytes].concat(),
            _ => [make::gzip(&make::warcs(1, 300, 1)[0].bytes()), bytes].concat(),
        };
        let _ = read_some(&bytes);
    }

    #[test]
    fn splices_of_two_archives_are_survived(a in any_form(), b in any_form(), x in 0.0..1.0f64, y in 0.0..1.0f64) {
        let (a, b) = (archive(a, &make::warcs(4, 900, 1)).bytes, archive(b, &make::warcs(4, 900, 2)).bytes);
        let bytes = [&a[..(a.len() as f64 * x) as usize], &b[(b.len() as f64 * y) as usize..]].concat();
        within(20, "a splice", move || { let _ = read_some(&bytes); });
    }

    #[test]
    fn headers_of_any_bytes_are_survived(noise in prop::collection::vec(any::<u8>(), 0..600), at in 0..200usize) {
        let bytes: Vec<u8> = make::warcs(3, 300, 1).iter().flat_map(Entry::bytes).collect();
        let bytes = crate::archives::damage::insert(&bytes, at.min(bytes.len()), &noise);
        let _ = read_some(&bytes);
        let _ = read_some(&make::gzip(&bytes));
    }
}

#[test]
fn a_stream_that_fails_reports_it_after_its_last_record() {
    struct Fails(std::io::Cursor<Vec<u8>>);
    impl std::io::Read for Fails {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::other("the line is dead")),
                n => Ok(n),
            }
        }
    }
    let open = |bytes| Archive::from_reader("-", Fails(std::io::Cursor::new(bytes)), read::FIRM);
    assert_eq!(
        open(Vec::new()).err().unwrap().to_string(),
        "-: cannot be read: the line is dead"
    );
    // A small stream is read to its end while it is being recognised.
    for (count, size) in [(3, 500), (40, 200_000)] {
        let made = archive(Form::Gzip, &make::warcs(count, size, 1));
        let stream = open(made.bytes).unwrap();
        let mut records = stream.records();
        let mut n = 0;
        while records.next_record().is_some() {
            n += 1;
        }
        assert_eq!(n, count);
        assert_eq!(records.take_error().unwrap().to_string(), "the line is dead");
    }
}
