//! Damaged and odd WARC and ARC records: each test is one fault, and says what is made of it on every path.
#![allow(clippy::unwrap_used)]

mod support;

use dehusk::archive::{DigestPolicy, ReadOptions, RecordType};
use dehusk::reason::{Failed, Note};
use support::faults::{N, all_but, assert_good, entries, sha1_base32};
use support::make::{self, Entry, Form, Warc, archive};
use support::read::{All, FIRM, read_all, read_all_with};
use support::{Random, damage};

// WARC framing. All of it plain, a member a record, and in one member.

fn in_forms(entries: &[Entry], check: impl Fn(Form, &All)) {
    for form in [
        Form::Plain,
        Form::Gzip,
        Form::GzipSeveral,
        Form::GzipWhole,
        Form::Zstd,
        Form::ZstdWhole,
    ] {
        check(form, &read_all(&archive(form, entries).bytes));
    }
}

/// Ten records, the fourth of them changed.
fn with_fourth(change: impl Fn(&mut Entry)) -> Vec<Entry> {
    let mut entries = entries();
    change(&mut entries[4]);
    entries
}

fn set_length(entry: &mut Entry, length: &str) {
    let head = String::from_utf8(entry.head.clone()).unwrap();
    let at = head.find("Content-Length: ").unwrap() + 16;
    let end = at + head[at..].find('\r').unwrap();
    entry.head = format!("{}{length}{}", &head[..at], &head[end..]).into();
}

#[test]
fn case_26_a_length_that_is_a_little_off_is_mended_with_a_note() {
    for by in [-700, -33, -1, 1, 2, 3, 4, 5, 90, 1000] {
        let made = with_fourth(|e| {
            let length = e.block.len() as i64 + by;
            set_length(e, &length.to_string());
        });
        in_forms(&made, |form, all| {
            // Where the length is too small by the very blank line of the block, nobody can know.
            let good: Vec<usize> = all.good().iter().map(|r| r.id[10..].parse().unwrap()).collect();
            assert_eq!(good, (0..N).collect::<Vec<_>>(), "{form:?} {by} {all:?}");
            assert_eq!(all.skipped, []);
            let (got, written) = (&all.records[4], &entries()[4].block);
            if (1..=4).contains(&by) {
                // Nothing tells line ends of the block from those behind it.
                assert_eq!(
                    (got.notes.as_str(), got.block.len()),
                    ("", written.len() + by as usize),
                    "{form:?} {by}"
                );
            } else {
                assert_eq!(got.notes, Note::LengthMismatch.name(), "{form:?} {by}");
                assert!(got.block == *written, "{form:?} {by}");
            }
        });
    }
}

#[test]
fn case_27_a_length_that_cannot_be_is_bad_length_and_nothing_else_is_lost() {
    for length in [
        "-5",
        "abc",
        "",
        "18446744073709551615",
        "9223372036854775808",
        "999999999999",
        "9999999",
        "70000000",
        "1e3",
        "12 13",
    ] {
        let made = with_fourth(|e| set_length(e, length));
        in_forms(&made, |form, all| {
            if length == "9999999" && matches!(form, Form::Gzip | Form::Zstd | Form::GzipSeveral) {
                // The member's end says where the record ends.
                assert_eq!(all.good().len(), N, "{form:?} {length} {all:?}");
                assert_eq!(all.records[4].notes, Note::LengthMismatch.name());
            } else {
                assert_good(all, all_but(4));
                assert_eq!(all.failures(), ["bad_length"], "{form:?} {length}");
            }
            assert_eq!(all.skipped, []);
        });
    }
}

#[test]
fn case_28_a_missing_length_fails_and_of_two_the_first_counts() {
    let made = with_fourth(|e| {
        let head = String::from_utf8(e.head.clone()).unwrap();
        e.head = head.replace("Content-Length", "X-Length").into();
    });
    in_forms(&made, |_, all| {
        assert_good(all, all_but(4));
        assert_eq!(all.failures(), ["bad_length"]);
    });
    let made = with_fourth(|e| {
        let head = String::from_utf8(e.head.clone()).unwrap();
        e.head = head.replace("\r\n\r\n", "\r\nContent-Length: 7\r\n\r\n").into();
    });
    in_forms(&made, |_, all| {
        assert_good(all, 0..N);
        assert_eq!(all.records[4].notes, Note::DuplicateLength.name());
    });
}

#[test]
fn case_29_any_number_of_line_ends_parts_records() {
    for tail in ["", "\r\n", "\n", "\n\n", "\r\n\r\n\r\n", "\r\n\r\n\r\n\r\n\n\n\n"] {
        let mut made = entries();
        made.iter_mut().for_each(|e| e.tail = tail.into());
        in_forms(&made, |form, all| {
            assert_good(all, 0..N);
            assert!(
                all.records.iter().all(|r| r.notes.is_empty()) && all.skipped.is_empty(),
                "{form:?} {tail:?}"
            );
        });
    }
}

#[test]
fn case_30_line_ends_folds_and_lines_without_a_colon_are_accepted() {
    let mut odd = Warc::new("r4", entries()[4].block.clone());
    odd.line_end = "\n";
    odd.fields.push(("WARC-Note".into(), "folded\n over\n\tlines".into()));
    odd.fields.push(("no colon here\nX".into(), "y".into()));
    let made = with_fourth(|e| *e = odd.entry());
    in_forms(&made, |_, all| {
        assert_good(all, 0..N);
        assert_eq!(all.records[4].notes, Note::LenientHeader.name());
    });
}

#[test]
fn case_31_and_32_missing_fields_odd_dates_and_odd_addresses_are_accepted() {
    use dehusk::archive::Archive;
    use std::io::Write;
    let read = |warc: Warc, check: &dyn Fn(&dehusk::archive::Header<'_>)| {
        assert_eq!(read_all(&warc.bytes()).good().len(), 1);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&warc.bytes()).unwrap();
        let archive = Archive::open(file.path()).unwrap();
        check(&archive.records().next_record().unwrap().header);
    };
    let mut bare = Warc::new("x", "y");
    bare.fields.retain(|(n, _)| n == "WARC-Type");
    read(bare, &|h| {
        assert_eq!((&*h.id(), h.date().as_str(), &*h.url()), ("", "", ""))
    });
    for date in ["2008-10-294T00:00:00Z", "2008-10-29", "yesterday", ""] {
        read(Warc::new("x", "y").field("WARC-Date", date), &|h| {
            assert_eq!(h.date(), "")
        });
    }
    read(
        Warc::new("x", "y").field("WARC-Target-URI", "<http://a.example/>"),
        &|h| {
            assert_eq!(h.url(), "http://a.example/");
            assert_eq!(h.get("warc-target-uri").unwrap(), "<http://a.example/>");
        },
    );
    read(
        Warc::new("x", "y").field("WARC-Target-URI", "http://a.example/a b\u{e4}"),
        &|h| {
            assert_eq!(h.url(), "http://a.example/a b\u{e4}");
        },
    );
    let mut latin = Warc::new("x", "y")
        .field("WARC-Target-URI", "http://a.example/@")
        .entry();
    let at = latin.head.iter().position(|b| *b == b'@').unwrap();
    latin.head[at] = 0xe4;
    let all = read_all(&latin.bytes());
    assert_eq!(all.records[0].url, "http://a.example/\u{fffd}");
}

#[test]
fn case_33_a_header_without_end_is_bounded() {
    for junk in [
        "x".repeat(70_000),
        "X-Field: value\r\n".repeat(9000),
        "y".repeat(9_000_000),
    ] {
        let made = with_fourth(|e| {
            let head = String::from_utf8(e.head.clone()).unwrap();
            e.head = format!("{}X-Long: {junk}", &head[..head.len() - 2]).into();
        });
        in_forms(&made, |form, all| {
            assert_good(all, all_but(4));
            assert_eq!(all.failures(), ["header_too_long"], "{form:?}");
        });
    }
}

#[test]
fn case_34_and_35_other_versions_types_and_fields_are_read() {
    for (version, note) in [
        ("0.17", ""),
        ("0.18", ""),
        ("1.0", ""),
        ("1.1", ""),
        ("2.0", "unknown_version"),
    ] {
        let mut warc = Warc::new("v", make::http(b"x")).field("X-Unheard-Of", "1");
        warc.version = version;
        let all = read_all(&warc.bytes());
        assert_eq!(
            (all.good().len(), all.records[0].notes.as_str()),
            (1, note),
            "{version}"
        );
    }
    let all = read_all(&Warc::new("t", "x").field("WARC-Type", "novelty").bytes());
    assert_eq!(
        (all.good().len(), all.records[0].notes.as_str()),
        (1, Note::UnknownType.name())
    );
}

#[test]
fn case_36_to_38_types_are_told() {
    use dehusk::archive::Archive;
    for (name, kind) in [
        ("revisit", RecordType::Revisit),
        ("continuation", RecordType::Continuation),
        ("Response", RecordType::Response),
    ] {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), Warc::new("t", "x").field("WARC-Type", name).bytes()).unwrap();
        let archive = Archive::open(file.path()).unwrap();
        assert_eq!(archive.records().next_record().unwrap().header.record_type, kind);
    }
}

#[test]
fn case_39_a_byte_order_mark_or_garbage_between_records_is_skipped() {
    let made = archive(Form::Plain, &entries());
    for garbage in [
        &b"\xef\xbb\xbf"[..],
        b"some garbage\r\n",
        &Random(5).bytes(20_000),
        b"WARC/1.0 is a format\r\n",
    ] {
        for at in [made.starts[0], made.starts[4]] {
            let all = read_all(&damage::insert(&made.bytes, at, garbage));
            assert_good(&all, 0..N);
            assert_eq!(all.gaps(), ["garbage"]);
            let range = (all.skipped[0].offset, all.skipped[0].length);
            assert_eq!(range, (at as u64, garbage.len() as u64));
        }
    }
    // Inside a member that also holds records the range is counted in decoded bytes.
    let mut inner = entries();
    inner[4].head = [b"garbage", &inner[4].head[..]].concat();
    let all = read_all(&archive(Form::GzipWhole, &inner).bytes);
    assert_good(&all, 0..N);
    assert_eq!(
        (all.gaps(), all.skipped[0].inside, all.skipped[0].length),
        (vec!["garbage"], true, 7)
    );
}

#[test]
fn case_40_a_record_inside_a_body_is_no_record_while_lengths_hold() {
    let inner = entries()[0].bytes();
    let body = [&inner[..], &inner, b"and text"].concat();
    let made = with_fourth(|e| *e = Warc::new("r4", body.clone()).entry());
    in_forms(&made, |_, all| {
        assert_eq!((all.records.len(), all.good().len()), (N, N));
        assert!(all.records[4].block == body);
    });
    // Even where the record is too large to be held.
    let all = read_all_with(
        &archive(Form::Plain, &made).bytes,
        ReadOptions {
            record_limit: 2000,
            ..FIRM
        },
    )
    .unwrap();
    assert_eq!(all.records.len(), N);
    assert_eq!(all.records[4].failure, Some(Failed::TooLarge));
}

#[test]
fn a_header_that_is_cut_off_does_not_take_the_next_record_with_it() {
    let made = with_fourth(|e| {
        e.head.truncate(60);
        e.head.extend_from_slice(b"\r\n");
        e.block.clear();
        e.tail.clear();
    });
    in_forms(&made, |form, all| {
        assert_good(all, all_but(4));
        assert_eq!(all.skipped.len(), 1, "{form:?} {all:?}");
    });
}

// ARC.

fn arc_entries() -> Vec<Entry> {
    make::arcs(N, 900, 6)
}

fn assert_arc(entries: &[Entry], expected: usize, check: impl Fn(Form, &All)) {
    for form in [Form::Plain, Form::Gzip, Form::GzipWhole, Form::Zstd] {
        let all = read_all(&archive(form, entries).bytes);
        assert_eq!(all.good().len(), expected, "{form:?}: {all:?}");
        check(form, &all);
    }
}

#[test]
fn case_41_addresses_with_spaces_are_read_from_the_right() {
    assert_arc(&arc_entries(), N + 1, |_, all| {
        assert_eq!(all.records[3].url, "http://r2.example/a page")
    });
}

#[test]
fn case_42_wrong_arc_lengths_are_scanned_over() {
    for length in ["-1", "abc", "99999999999"] {
        let mut entries = arc_entries();
        entries[4].head = format!("http://r3.example/ 192.0.2.3 20080102030405 text/html {length}\n").into();
        assert_arc(&entries, N, |form, all| {
            assert_eq!(all.failures(), ["bad_length"], "{form:?} {length}");
            assert_eq!(all.skipped, []);
        });
    }
    for by in [-40i64, -1, 1, 2, 60] {
        let mut entries = arc_entries();
        let length = entries[4].block.len() as i64 + by;
        entries[4].head = format!("http://r3.example/ 192.0.2.3 20080102030405 text/html {length}\n").into();
        let block = entries[4].block.clone();
        assert_arc(&entries, N + 1, |form, all| {
            let trimmed = |b: &[u8]| b.trim_ascii_end().len();
            assert_eq!(trimmed(&all.records[4].block), trimmed(&block), "{form:?} {by}");
            assert_eq!(all.skipped, []);
        });
    }
}

#[test]
fn case_43_odd_dates_and_types_are_accepted() {
    let mut entries = vec![make::arc_start(1)];
    for fields in [
        "200801020304 text/html",
        "200801020304050607 text/html",
        "20080102030405 no-type",
        "20080102030405",
        "20080102030405 text/html; charset=utf-8",
        "20080102030405 a b c d",
    ] {
        entries.push(make::arc_line(
            &format!("http://a.example/ 192.0.2.1 {fields} 5"),
            "12345",
        ));
    }
    assert_arc(&entries, 7, |_, all| {
        assert!(all.records[1..].iter().all(|r| r.block == b"12345"))
    });
}

#[test]
fn case_44_and_45_version_2_and_odd_schemes_are_read() {
    let mut entries = vec![make::arc_start(2)];
    for url in ["http://a.example/x y", "dns:a.example", "https://b.example/?q=1"] {
        let line = format!("{url} 192.0.2.1 20080102030405 text/html 200 0123abcd - 1234 x.arc.gz 5");
        entries.push(make::arc_line(&line, "12345"));
    }
    assert_arc(&entries, 4, |_, all| {
        assert_eq!(all.records[1].url, "http://a.example/x y");
        assert!(all.records[1..].iter().all(|r| r.block == b"12345"));
    });
}

#[test]
fn case_47_an_xml_version_block_is_read() {
    let block = "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n<?xml version=\"1.0\"?>\n<arcmetadata>\n<software>x</software>\n</arcmetadata>\n";
    let mut entries = vec![make::arc_line(
        &format!("filedesc://x.arc 0.0.0.0 20080102030405 text/plain {}", block.len()),
        block,
    )];
    entries.extend(arc_entries().drain(1..));
    assert_arc(&entries, N + 1, |_, all| {
        assert_eq!(all.records[0].url, "filedesc://x.arc")
    });
}

#[test]
fn case_102_digests_bear_witness_where_they_are_asked() {
    let block = make::http(b"a plain page");
    let digest = sha1_base32(&block);
    let record = Warc::new("d", block).field("WARC-Block-Digest", &digest).bytes();
    let at = record.windows(5).position(|w| w == b"plain").unwrap();
    let bytes = damage::flip(&record, at, 1);
    for (policy, clean, note, failure) in [
        (DigestPolicy::Ignore, "", "", None),
        (DigestPolicy::Note, "", "digest_mismatch", None),
        (DigestPolicy::Fail, "", "", Some(Failed::Digest)),
    ] {
        let options = ReadOptions {
            digests: policy,
            ..FIRM
        };
        let all = read_all_with(&record, options).unwrap();
        assert_eq!((all.records[0].notes.as_str(), all.records[0].failure), (clean, None));
        let all = read_all_with(&bytes, options).unwrap();
        assert_eq!((all.records[0].notes.as_str(), all.records[0].failure), (note, failure));
    }
}
