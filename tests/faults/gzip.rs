//! Damaged and odd gzip members: each test is one fault, with its outcome on every path.

use crate::archives::faults::{N, all_but, assert_good, entries, sha1_base32};
use crate::archives::make::{self, Entry, Form, Made, Warc, archive};
use crate::archives::read::{FIRM, read_all, read_all_with};
use crate::archives::{Random, damage};
use dehusk_archive::Archive;
use dehusk_archive::{Fault, Note};

fn gzip() -> Made {
    archive(Form::Gzip, &entries())
}

fn gzip_with_header(flags: u8, extra: &[u8], data: &[u8]) -> Vec<u8> {
    let plain = make::gzip(data);
    let mut bytes = plain[..10].to_vec();
    bytes[3] = flags;
    bytes.extend_from_slice(extra);
    bytes.extend_from_slice(&plain[10..]);
    bytes
}

#[test]
fn a_flipped_bit_in_a_gzip_member_costs_only_its_record() {
    let made = gzip();
    let at = (made.starts[4] + made.starts[5]) / 2;
    let all = read_all(&damage::flip(&made.bytes, at, 0x55));
    assert_good(&all, all_but(4));
    assert!(matches!(all.failures()[..], ["gzip_data"] | ["gzip_crc"]), "{all:?}");
    assert_eq!(all.records.len(), N);
    assert_eq!(all.records[4].offset, made.starts[4] as u64);
}

#[test]
fn a_wrong_gzip_checksum_fails_the_record_unless_a_digest_proves_the_data() {
    let made = gzip();
    for back in [8, 4] {
        let all = read_all(&damage::flip(&made.bytes, made.starts[5] - back, 1));
        assert_good(&all, all_but(4));
        assert_eq!(all.failures(), ["gzip_crc"]);
        assert_eq!(all.skipped, []);
    }
    let block = make::http(b"good all the same");
    let digest = sha1_base32(&block);
    for (stated, failure) in [
        (digest.as_str(), None),
        ("sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", Some(Fault::GzipCrc)),
    ] {
        let record = Warc::new("w", block.clone()).field("WARC-Block-Digest", stated).bytes();
        let mut bytes = make::gzip(&record);
        let n = bytes.len();
        bytes[n - 8] ^= 1;
        let all = read_all(&bytes);
        assert_eq!(all.records[0].failure, failure);
        assert_eq!(
            all.records[0].notes,
            if failure.is_none() { Note::GzipCrc.name() } else { "" }
        );
    }
}

#[test]
fn a_record_with_a_wrong_gzip_checksum_is_emitted_with_the_option() {
    let page = Warc::new("w", make::http(b"<p>Good or not.</p>"));
    let without_digest = page.bytes();
    let denied = page
        .field("WARC-Block-Digest", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        .bytes();
    let broken = |record: &[u8]| {
        let member = make::gzip(record);
        damage::flip(&member, member.len() - 8, 1)
    };
    let bytes = [broken(&without_digest), broken(&denied)].concat();
    let run = crate::program::run_one("w.warc.gz", &bytes).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("failed.gzip_crc")), (0, 2));
    let run =
        crate::program::run_one_with("w.warc.gz", &bytes, &["--set", "input.checksum_mismatch=note"]).ends_with(3);
    assert_eq!(run.texts(), ["Good or not."]);
    assert_eq!(run.documents()[0]["metadata"]["flags"], "gzip_crc");
    assert_eq!((run.total("notes.gzip_crc"), run.total("failed.gzip_crc")), (1, 1));
}

#[test]
fn a_destroyed_gzip_magic_a_hole_and_a_short_member_are_gaps() {
    let made = gzip();
    let (a, b) = (made.starts[4], made.starts[5]);
    for (what, bytes) in [
        ("magic", damage::flip(&made.bytes, a, 0xff)),
        ("hole", damage::zero(&made.bytes, a..a + 100)),
        ("all", damage::zero(&made.bytes, a..b)),
    ] {
        let all = read_all(&bytes);
        assert_good(&all, all_but(4));
        assert_eq!(all.gaps(), ["gzip_gap"], "{what}");
        assert_eq!(
            (all.skipped[0].offset, all.skipped[0].length()),
            (a as u64, (b - a) as u64),
            "{what}"
        );
    }
    let all = read_all(&damage::delete(&made.bytes, b - 60..b));
    assert_good(&all, all_but(4));
    // The inflater may take the next member's first bytes for data, and stumble over them or over the checksum.
    assert!(matches!(all.failures()[..], ["gzip_data"] | ["gzip_crc"]), "{all:?}");
}

#[test]
fn junk_between_gzip_members_is_a_gap() {
    let made = gzip();
    for junk in [
        &b"junk"[..],
        &Random(3).bytes(5000),
        &[0; 700],
        &[0x1f, 0x8b, 8, 0, 0, 0],
    ] {
        let all = read_all(&damage::insert(&made.bytes, made.starts[4], junk));
        assert_good(&all, 0..N);
        // Junk that begins like a member is one that does not inflate.
        let reason = if junk[0] == 0x1f { "gzip_data" } else { "gzip_gap" };
        assert_eq!(all.gaps(), [reason], "{} bytes", junk.len());
        assert_eq!(all.bytes.skipped, junk.len() as u64);
    }
}

#[test]
fn empty_gzip_members_are_padding() {
    let made = gzip();
    let empty = make::gzip(b"");
    let mut bytes = damage::insert(&made.bytes, made.starts[5], &empty.repeat(3));
    bytes = [&empty[..], &bytes, &empty].concat();
    let all = read_all(&bytes);
    assert_good(&all, 0..N);
    assert_eq!((all.gaps().len(), all.bytes.padding), (0, 5 * empty.len() as u64));
}

#[test]
fn zeros_or_text_after_the_last_member_are_noted() {
    for (form, tail) in [
        (Form::Gzip, &[0u8; 5000][..]),
        (Form::Gzip, b"\n-- end of crawl --\n"),
        (Form::Zstd, &[0; 70]),
        (Form::Plain, &[0; 7000]),
        (Form::Plain, b" \t \r\n \r\n"),
    ] {
        let made = archive(form, &entries());
        let all = read_all(&[&made.bytes[..], tail].concat());
        assert_good(&all, 0..N);
        assert_eq!(
            (all.notes.as_slice(), all.gaps().len()),
            (&[Note::TailPadding][..], 0),
            "{form:?}"
        );
    }
}

/// Text after the last member may be records that were appended without compression. They are not read, but reported.
#[test]
fn uncompressed_records_after_the_last_member_are_not_taken_for_padding() {
    for form in [Form::Gzip, Form::Zstd] {
        let made = archive(form, &entries());
        let tail: Vec<u8> = (0..3)
            .flat_map(|i| Warc::new(&format!("t{i}"), make::http(b"<p>A page.</p>")).bytes())
            .collect();
        let all = read_all(&[&made.bytes[..], &tail].concat());
        assert_good(&all, 0..N);
        assert!(all.notes.is_empty() && all.gaps().len() == 1, "{form:?}: {all:?}");
    }
}

#[test]
fn a_run_succeeds_over_an_archive_with_a_padded_tail() {
    let bytes = [
        make::gzip(&Warc::new("t", make::http(b"<p>A page.</p>")).bytes()),
        vec![0; 5000],
    ]
    .concat();
    let run = crate::program::run_one("t.warc.gz", &bytes).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("notes.tail_padding")), (1, 1));
}

#[test]
fn a_file_cut_inside_a_gzip_member_keeps_the_records_before() {
    let made = gzip();
    for at in [
        made.starts[6] + 300,
        made.bytes.len() - 3,
        made.bytes.len() - 8,
        made.starts[9] + 5,
    ] {
        let all = read_all(&damage::cut(&made.bytes, at));
        let whole = made.starts[1..].iter().filter(|s| **s <= at).count();
        assert_good(&all, 0..whole);
        let reasons = [all.failures(), all.gaps()].concat();
        assert_eq!(reasons, ["truncated_input"], "{at}: {all:?}");
    }
}

#[test]
fn a_file_of_one_member_is_read_up_to_the_damage() {
    for form in [Form::GzipWhole, Form::ZstdWhole] {
        let made = archive(form, &entries());
        assert_good(&read_all(&made.bytes), 0..N);
    }
    // Large enough for the decoder to give something before it stumbles.
    let entries = make::warcs(60, 40_000, 21);
    let made = archive(Form::GzipWhole, &entries);
    let all = read_all(&damage::cut(&made.bytes, made.bytes.len() / 2));
    let good = all.good();
    assert!(good.len() > 20, "{all:?}");
    for (got, entry) in good.iter().zip(&entries) {
        assert!(got.block == entry.block);
    }
    assert_eq!(all.failures(), ["truncated_input"]);
}

#[test]
fn an_archive_of_one_member_is_noted_as_no_seek() {
    for form in [Form::GzipWhole, Form::ZstdWhole] {
        let run = crate::program::run_one("one", &archive(form, &entries()).bytes).ends_with(0);
        assert_eq!((run.total("emitted"), run.total("notes.no_seek")), (N as u64, 1));
    }
}

#[test]
fn members_of_several_records_and_records_across_members_are_read() {
    for form in [Form::GzipSeveral, Form::GzipSplit, Form::GzipBlocks] {
        let all = read_all(&archive(form, &entries()).bytes);
        assert_good(&all, 0..N);
        assert_eq!(all.skipped, []);
    }
}

#[test]
fn a_gzip_extra_field_with_a_wrong_inner_length_is_skipped() {
    // Inner length 60 in a field of 12 bytes, as wget 1.14 wrote it.
    let extra = [12, 0, b's', b'l', 60, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let bytes: Vec<u8> = entries()
        .iter()
        .flat_map(|e| gzip_with_header(4, &extra, &e.bytes()))
        .collect();
    assert_good(&read_all(&bytes), 0..N);
}

#[test]
fn a_gzip_name_without_an_end_is_bounded() {
    let made = gzip();
    for (flag, long) in [(8, 300_000), (16, 5_000_000)] {
        let endless = [&[0x1f, 0x8b, 8, flag, 0, 0, 0, 0, 0, 3][..], &vec![b'x'; long]].concat();
        let all = read_all(&damage::insert(&made.bytes, made.starts[4], &endless));
        assert_good(&all, 0..N);
        assert_eq!(all.gaps(), ["gzip_header"]);
    }
    let named: Vec<u8> = entries()
        .iter()
        .flat_map(|e| gzip_with_header(24, b"a name\0a comment\0", &e.bytes()))
        .collect();
    assert_good(&read_all(&named), 0..N);
}

#[test]
fn magic_bytes_inside_compressed_data_start_no_member() {
    // The bodies are gzip themselves, and stored as they are.
    let mut random = Random(8);
    let entries: Vec<Entry> = (0..N)
        .map(|i| Warc::new(&format!("r{i}"), make::http(&make::gzip(&random.text(9000)))).entry())
        .collect();
    let store = |data: &[u8]| make::gzip_at(data, flate2::Compression::none());
    let members: Vec<Vec<u8>> = entries.iter().map(|e| store(&e.bytes())).collect();
    let start: usize = members[..4].iter().map(Vec::len).sum();
    let bytes = members.concat();
    assert_eq!(read_all(&bytes).good().len(), N);
    for at in [start, start + 1, start + 40, start + 700] {
        let all = read_all(&damage::flip(&bytes, at, 0x10));
        let good: Vec<&str> = all.good().iter().map(|r| &r.id[9..]).collect();
        assert_eq!(
            good,
            ["r0", "r1", "r2", "r3", "r5", "r6", "r7", "r8", "r9"],
            "{at}: {all:?}"
        );
        assert_eq!(all.failures().len() + all.gaps().len(), 1, "{all:?}");
    }
}

/// Larger than what is inflated at once, so that the inflater is asked on the way.
#[test]
fn an_archive_inside_a_page_body_is_read_as_that_body() {
    let inner = archive(Form::Gzip, &make::warcs(3000, 1500, 5)).bytes;
    assert!(inner.len() > 2 << 20);
    let outer = [
        entries()[0].clone(),
        Warc::new("inner", make::http(&inner)).entry(),
        entries()[1].clone(),
    ];
    for level in [flate2::Compression::none(), flate2::Compression::default()] {
        let bytes: Vec<u8> = outer.iter().flat_map(|e| make::gzip_at(&e.bytes(), level)).collect();
        let all = read_all(&bytes);
        assert_eq!(
            (all.records.len(), all.good().len(), all.skipped.len()),
            (3, 3, 0),
            "{level:?}"
        );
    }
}

#[test]
#[ignore = "inflates more than 4 GiB"]
fn the_stated_gzip_size_counts_modulo_4_gib() {
    use std::io::{BufReader, Read};
    let length = (4u64 << 30) + 12_345;
    let head = Warc::new("long", "").length(length).entry().head;
    let next = entries()[0].bytes();
    let long = std::io::Cursor::new(head)
        .chain(std::io::repeat(b'a').take(length))
        .chain(&b"\r\n\r\n"[..]);
    let long = flate2::read::GzEncoder::new(BufReader::with_capacity(1 << 20, long), flate2::Compression::fast());
    let stream = long.chain(std::io::Cursor::new(make::gzip(&next)));
    let archive = Archive::from_reader("long", stream, FIRM).unwrap();
    let mut records = archive.records();
    assert_eq!(records.next_record().unwrap().failure, Some(Fault::TooLarge));
    assert_eq!(records.next_record().unwrap().failure, None);
    assert!(records.next_record().is_none());
}

#[test]
fn an_input_that_is_no_archive_is_an_error_whatever_its_name() {
    let error = |bytes: &[u8]| read_all_with(bytes, FIRM).expect_err("no archive");
    let record = entries()[0].bytes();
    assert!(error(&make::gzip(&make::gzip(&record))).contains("gzip again"));
    assert!(error(b"<!DOCTYPE html><html></html>").contains("HTML page"));
    assert!(error(&make::gzip(b"hello, this is text")).contains("hello"));
    assert!(error(&Random(1).bytes(3000)).contains("binary"));
    assert!(error(b"PK\x03\x04 and so on").contains("ZIP"));
    // LZ4 leaves the start of a text as it is.
    let lz4 = [b"\x04\x22\x4d\x18\x64\x40\xa7\xf0\x01\0\0\xf2", &record[..]].concat();
    assert_eq!(
        error(&lz4),
        "is compressed with LZ4, which is not read; recompress it with gzip or zstd"
    );
    for (start, name) in [
        (&b"BZh91AY&SY"[..], "bzip2"),
        (b"\xfd7zXZ\0\0\x04", "xz"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "7z"),
    ] {
        let bytes = [start, &Random(1).bytes(3000)].concat();
        assert!(error(&bytes).contains(&format!("compressed with {name},")));
        assert!(error(&make::gzip(&bytes)).contains(&format!("gzip of {name} data")));
    }
    // The temporary files here end in nothing at all.
    assert_good(&read_all(&gzip().bytes), 0..N);
}

#[test]
fn an_input_that_is_no_archive_ends_with_status_1() {
    let record = entries()[0].bytes();
    for bytes in [
        make::gzip(&make::gzip(&record)),
        make::gzip(b"hello, this is text"),
        Random(1).bytes(3000),
    ] {
        let run = crate::program::run_one("x.warc.gz", &bytes).ends_with(1);
        assert_eq!(run.archives()[0]["state"], "failed");
    }
}

#[test]
fn an_empty_input_is_reported_and_noted() {
    // An archive is recognised by its first 16 MiB. More empty members than these hold are no archive of another kind.
    let (member, frame) = (make::gzip(b""), make::zstd(b"", &[]));
    let many = |unit: &[u8], size: usize| unit.repeat(size / unit.len() + 1);
    for bytes in [
        vec![],
        member.clone(),
        many(&member, 100 << 10),
        many(&frame, 100 << 10),
        many(&member, 17 << 20),
    ] {
        let run = crate::program::run_one("x.warc.gz", &bytes).ends_with(0);
        assert_eq!((run.total("framed"), run.total("notes.empty_input")), (0, 1));
        assert!(run.ended.stderr.contains("x.warc.gz"), "{}", run.ended.stderr);
    }
}

#[test]
fn an_empty_file_or_a_gzip_file_of_nothing_holds_no_record() {
    let frame = make::zstd(b"", &[]);
    for bytes in [
        vec![],
        make::gzip(b""),
        make::gzip(b"").repeat(4),
        frame.repeat(7000),
        frame,
    ] {
        let all = read_all(&bytes);
        assert_eq!(
            (all.records.len(), all.skipped.len(), all.bytes.padding),
            (0, 0, bytes.len() as u64)
        );
    }
}

#[test]
fn a_damaged_first_member_does_not_change_the_detected_format_from_gzip() {
    let inner = archive(Form::Zstd, &make::warcs(3, 900, 2)).bytes;
    let page = Warc::new("page", make::http(&inner)).bytes();
    let mut first = make::gzip_at(&page, flate2::Compression::none());
    let rest = archive(Form::Gzip, &entries()).bytes;
    assert_eq!(read_all(&[&first[..], &rest].concat()).good().len(), N + 1);
    // A block of a kind that there is not.
    first[10] |= 6;
    let all = read_all(&[&first[..], &rest].concat());
    assert_good(&all, 0..N);
    assert_eq!(all.gaps(), ["gzip_data"], "{all:?}");
}

#[test]
fn a_run_over_an_archive_with_blanks_in_its_middle_reports_skipped_bytes() {
    let members = entries()
        .iter()
        .map(|entry| make::gzip(&entry.bytes()))
        .collect::<Vec<_>>();
    let bytes = [members[..3].concat(), make::gzip(&[0; 3000]), members[3..].concat()].concat();
    let run = crate::program::run_one("a.warc.gz", &bytes).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("notes.tail_padding")), (N as u64, 0));
    assert_eq!(run.failed[0]["reason"], "garbage");
}
