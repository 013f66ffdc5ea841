//! Damaged and odd zstd frames: each test is one fault, with its outcome on every path.

use crate::archives::faults::{N, all_but, assert_good, entries, sha1_base32};
use crate::archives::make::{self, Entry, Form, archive};
use crate::archives::mended::check_and_mend;
use crate::archives::read::{FIRM, read_all, read_all_with};
use crate::archives::{Random, damage};
use dehusk_archive::{Container, Note};
use std::io::Write;

#[test]
fn raw_and_compressed_zstd_dictionaries_are_loaded() {
    for form in [Form::ZstdDictionary, Form::ZstdDictionaryCompressed] {
        let all = read_all(&archive(form, &entries()).bytes);
        assert_good(&all, 0..N);
    }
}

#[test]
fn a_missing_or_wrong_zstd_dictionary_is_named_in_the_error() {
    let made = archive(Form::ZstdDictionaryCompressed, &entries());
    let error = read_all_with(&made.bytes[made.starts[1]..], FIRM).unwrap_err();
    assert!(error.contains("4242"), "{error}");
    let mut other = make::TRAINED.to_vec();
    other[4..8].copy_from_slice(&777u32.to_le_bytes());
    let wrong = [&make::skippable(13, &other)[..], &made.bytes[made.starts[1]..]].concat();
    let error = read_all_with(&wrong, FIRM).unwrap_err();
    assert!(error.contains("4242") && error.contains("777"), "{error}");
    let error = read_all_with(
        &[&make::skippable(3, b"x")[..], &made.bytes[made.starts[1]..]].concat(),
        FIRM,
    )
    .unwrap_err();
    assert!(error.contains("4242"), "{error}");
}

#[test]
fn a_zstd_dictionary_beyond_the_limit_is_refused() {
    let frames = archive(Form::Zstd, &entries()).bytes;
    for dictionary in [vec![7; (8 << 20) + 1], make::zstd(&vec![7; (8 << 20) + 1], &[])] {
        let error = read_all_with(&[&make::skippable(13, &dictionary)[..], &frames].concat(), FIRM).unwrap_err();
        assert!(error.contains("8388608"), "{error}");
    }
}

#[test]
fn the_limit_for_zstd_dictionaries_can_be_set() {
    let bytes = archive(Form::ZstdDictionary, &entries()).bytes;
    let run =
        crate::program::run_one_with("d.warc.zst", &bytes, &["--set", "limits.dictionary_bytes=1000"]).ends_with(1);
    let error = run.archives()[0]["error"].as_str().unwrap();
    assert!(error.contains("1000 (limits.dictionary_bytes)"), "{error}");
}

#[test]
fn skippable_zstd_frames_are_padding() {
    let made = archive(Form::ZstdSkippable, &entries());
    let large = make::skippable(2, &Random(2).bytes(6 << 20));
    let bytes = [&made.bytes[..], &large, &made.bytes, &large, &make::skippable(0, b"")].concat();
    let all = read_all(&bytes);
    assert_eq!((all.good().len(), all.skipped.len()), (2 * N, 0));
}

/// A seekable archive: the header of a record in a frame of its own, its block in frames of 500 bytes, and a table of
/// all frames in a skippable frame at the end. Also returns where the frames of each record start.
fn seekable() -> (Vec<u8>, Vec<Vec<usize>>) {
    let (mut bytes, mut starts, mut table) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries() {
        let rest = [&entry.block[..], &entry.tail].concat();
        let parts = std::iter::once(&entry.head[..]).chain(rest.chunks(500));
        let of_record = parts.map(|part| {
            let (frame, start) = (make::zstd(part, &[]), bytes.len());
            table.extend((frame.len() as u32).to_le_bytes());
            table.extend((part.len() as u32).to_le_bytes());
            bytes.extend(frame);
            start
        });
        starts.push(of_record.collect::<Vec<_>>());
    }
    let frames = (table.len() / 8) as u32;
    table.extend(frames.to_le_bytes());
    table.push(0);
    table.extend(0x8f92_eab1_u32.to_le_bytes());
    bytes.extend(make::skippable(14, &table));
    (bytes, starts)
}

#[test]
fn a_seekable_zstd_archive_is_read_whole_and_damaged() {
    let (bytes, starts) = seekable();
    let all = read_all(&bytes);
    assert_good(&all, 0..N);
    assert_eq!((all.skipped.len(), all.failures().len()), (0, 0));
    assert_eq!(check_and_mend(&bytes, Container::Zstd), Some(N as u64));
    // Damage in a frame costs the record that it is of; damage in the table costs nothing.
    for frame in [0, 1, 2] {
        let all = read_all(&damage::flip(&bytes, starts[4][frame] + 12, 0x40));
        assert_good(&all, all_but(4));
    }
    let table = bytes.len() - 20;
    assert_good(&read_all(&damage::flip(&bytes, table, 0xff)), 0..N);
    let all = read_all(&damage::cut(&bytes, table));
    assert_good(&all, 0..N);
    assert_eq!((all.failures().len(), all.gaps()), (0, vec!["truncated_input"]));
}

#[test]
fn empty_zstd_frames_are_padding() {
    let made = archive(Form::Zstd, &entries());
    let empty = make::zstd(b"", &[]);
    let bytes = damage::insert(&made.bytes, made.starts[5], &empty.repeat(3));
    let all = read_all(&[&empty[..], &bytes, &empty].concat());
    assert_good(&all, 0..N);
    assert_eq!((all.skipped.len(), all.bytes.padding), (0, 5 * empty.len() as u64));
}

#[test]
fn a_zstd_window_beyond_the_limit_fails_and_one_within_it_is_read() {
    let made = archive(Form::Zstd, &entries());
    // A frame header with a window of 2^38 bytes.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xe0, 1, 0, 0];
    let all = read_all(&damage::insert(&made.bytes, made.starts[3], &frame));
    assert_good(&all, 0..N);
    assert_eq!(all.gaps(), ["zstd_window"]);
    // 64 MiB are within the cap, and more than 8 MiB.
    use std::io::Write;
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(26).unwrap();
    encoder.write_all(&entries()[0].bytes()).unwrap();
    let wide = encoder.finish().unwrap();
    assert_eq!(read_all(&wide).good().len(), 1);
    // The limit can be set.
    let bytes = [&made.bytes[..], &wide].concat();
    let run =
        crate::program::run_one_with("w.warc.zst", &bytes, &["--set", "limits.window_bytes=8388608"]).ends_with(3);
    assert_eq!(
        (run.total("emitted"), &run.failed[0]["reason"]),
        (N as u64, &"zstd_window".into())
    );
}

#[test]
fn a_corrupt_zstd_frame_costs_only_its_record() {
    let made = archive(Form::Zstd, &entries());
    let at = (made.starts[4] + made.starts[5]) / 2;
    let all = read_all(&damage::flip(&made.bytes, at, 0x55));
    assert_good(&all, all_but(4));
    let reasons = [all.failures(), all.gaps()].concat();
    // Garbled data may be a failed record with a rest after it.
    assert!(
        ["zstd_data", "zstd_checksum"]
            .iter()
            .any(|r| reasons.iter().all(|x| x == r)),
        "{reasons:?}"
    );
    let all = read_all(&damage::flip(&made.bytes, made.starts[5] - 1, 1));
    assert_good(&all, all_but(4));
    assert_eq!(all.failures(), ["zstd_checksum"]);
    let all = read_all(&damage::flip(&made.bytes, made.starts[4], 1));
    assert_good(&all, all_but(4));
    assert_eq!(all.gaps(), ["zstd_gap"]);
}

#[test]
fn what_a_zstd_frame_gives_before_a_wrong_checksum_counts() {
    // The decoder's last call decodes the last block and compares the checksum.
    let entries: Vec<Entry> = make::warcs(14, 20_000, 5)
        .into_iter()
        .enumerate()
        .map(|(i, entry)| {
            let digest = sha1_base32(&entry.block);
            make::Warc::new(&format!("r{i}"), entry.block)
                .field("WARC-Block-Digest", &digest)
                .entry()
        })
        .collect();
    let made = archive(Form::ZstdWhole, &entries);
    let all = read_all(&damage::flip(&made.bytes, made.bytes.len() - 1, 1));
    assert_eq!((all.records.len(), all.good().len(), all.gaps().len()), (14, 14, 0));
    assert!(all.records.iter().all(|record| record.notes == "zstd_checksum"));
    for (got, entry) in all.records.iter().zip(&entries) {
        assert!(got.block == entry.block);
    }
}

#[test]
fn zstd_frames_without_size_or_checksum_are_read_and_noted() {
    let bytes: Vec<u8> = entries()
        .iter()
        .flat_map(|e| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_contentsize(false).unwrap();
            encoder.include_checksum(false).unwrap();
            encoder.write_all(&e.bytes()).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let all = read_all(&bytes);
    assert_good(&all, 0..N);
    assert_eq!(all.notes, [Note::ZstdUnsized; N]);
    assert!(all.records.iter().all(|r| r.notes == "zstd_unchecked"));
    let checked = read_all(&archive(Form::Zstd, &entries()).bytes);
    assert!(checked.notes.is_empty() && checked.records.iter().all(|r| r.notes.is_empty()));
    // How the size is written is the archive's; that damage may go unnoticed concerns every page.
    let run = crate::program::run_one("z.warc.zst", &bytes).ends_with(0);
    assert_eq!(
        (run.total("notes.zstd_unsized"), run.total("notes.zstd_unchecked")),
        (N as u64, N as u64)
    );
    assert!(
        run.documents()
            .iter()
            .all(|d| d["metadata"]["flags"] == "zstd_unchecked")
    );
}

#[test]
fn every_record_of_a_zstd_frame_without_checksum_is_noted() {
    let entries = entries();
    let frame = |entries: &[Entry], has_checksum: bool| {
        let bytes: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.write_all(&bytes).unwrap();
        encoder.finish().unwrap()
    };
    let bytes = [
        frame(&entries[..3], true),
        frame(&entries[3..7], false),
        frame(&entries[7..], true),
    ]
    .concat();
    let noted: Vec<bool> = read_all(&bytes)
        .records
        .iter()
        .map(|r| r.notes == "zstd_unchecked")
        .collect();
    assert_eq!(
        noted,
        [false, false, false, true, true, true, true, false, false, false]
    );
    // A record bears the note, too, if only its second half is in such a frame.
    let all: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    let at = entries[0].bytes().len() + 300;
    let part = |bytes: &[u8], has_checksum| {
        frame(
            &[Entry {
                head: bytes.to_vec(),
                block: vec![],
                tail: vec![],
            }],
            has_checksum,
        )
    };
    let read = read_all(&[part(&all[..at], true), part(&all[at..], false)].concat());
    assert_good(&read, 0..N);
    let noted: Vec<&str> = read.records.iter().map(|r| &*r.notes).collect();
    assert_eq!((noted[0], &noted[1..]), ("", &["zstd_unchecked"; N - 1][..]));
}

#[test]
fn a_record_that_spans_several_zstd_frames_is_joined() {
    assert_good(&read_all(&archive(Form::ZstdSplit, &entries()).bytes), 0..N);
}

#[test]
fn a_second_zstd_dictionary_in_the_middle_is_explained() {
    let first = archive(Form::ZstdDictionary, &entries()[..5]);
    let second = archive(Form::ZstdDictionaryCompressed, &entries()[5..]);
    let all = read_all(&[first.bytes, second.bytes].concat());
    assert_good(&all, 0..5);
    assert!(
        all.gaps().iter().all(|g| *g == "zstd_dict") && !all.gaps().is_empty(),
        "{all:?}"
    );
}

/// A frame of one block in which the data are as they were (RFC 8878, sections 3.1.1.1 and 3.1.1.2).
fn stored_frame(data: &[u8]) -> Vec<u8> {
    let last_raw_block = &(1 | (data.len() as u32) << 3).to_le_bytes()[..3];
    let size = (data.len() as u32).to_le_bytes();
    [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0], &size[..], last_raw_block, data].concat()
}

#[test]
fn a_damaged_first_frame_does_not_change_the_detected_format_from_zstd() {
    let inner = archive(Form::Gzip, &make::warcs(3, 900, 2)).bytes;
    let page = make::Warc::new("page", make::http(&inner)).bytes();
    let mut first = stored_frame(&page);
    let rest = archive(Form::Zstd, &entries()).bytes;
    assert_eq!(read_all(&[&first[..], &rest].concat()).good().len(), N + 1);
    // A block of a kind that there is not.
    first[9] |= 6;
    let all = read_all(&[&first[..], &rest].concat());
    assert_good(&all, 0..N);
    assert_eq!(all.gaps(), ["zstd_data"], "{all:?}");
}

#[test]
fn a_damaged_first_frame_of_any_size_is_a_gap() {
    let rest = archive(Form::Zstd, &entries()).bytes;
    // More stored bytes than a format is looked for in.
    let mut first = make::zstd(&make::Warc::new("large", Random(3).bytes(17 << 20)).bytes(), &[]);
    assert!(first.len() > 16 << 20);
    // The kind of the first block, after the magic, the descriptor, the window and four bytes of size.
    first[10] |= 6;
    let run = crate::program::run_one("z.warc.zst", &[&first[..], &rest].concat()).ends_with(3);
    assert_eq!(
        (run.total("emitted"), &run.failed[0]["reason"]),
        (N as u64, &"zstd_data".into())
    );
    // The only frame.
    let run = crate::program::run_one("z.warc.zst", &first[..1 << 20]).ends_with(1);
    let error = run.archives()[0]["error"].as_str().unwrap();
    assert!(error.contains("no record was recognised"), "{error}");
}
