//! Damaged and odd WARC records: each test is one fault, with its outcome on every path.

use crate::archives::faults::{N, all_but, assert_good, entries};
use crate::archives::make::{self, Entry, Form, Warc, archive};
use crate::archives::read::{All, FIRM, read_all, read_all_with};
use crate::archives::{Random, damage};
use dehusk_archive::{Archive, Header};
use dehusk_archive::{Fault, Note};

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
fn a_content_length_that_is_a_little_wrong_is_corrected_with_a_note() {
    for by in [-700, -33, -1, 1, 2, 3, 4, 5, 90, 1000] {
        let made = with_fourth(|e| {
            let length = e.block.len() as i64 + by;
            set_length(e, &length.to_string());
        });
        in_forms(&made, |form, all| {
            // Where the length is too small by the very blank line of the block, it cannot be known.
            let good: Vec<usize> = all.good().iter().map(|r| r.id[10..].parse().unwrap()).collect();
            assert_eq!(good, (0..N).collect::<Vec<_>>(), "{form:?} {by} {all:?}");
            assert_eq!(all.skipped, []);
            let (got, written) = (&all.records[4], &entries()[4].block);
            if (1..=4).contains(&by) {
                // Nothing distinguishes line ends of the block from those after it.
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
fn an_impossible_content_length_costs_only_its_record() {
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
                // The member's end shows where the record ends.
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
fn a_last_record_whose_http_body_is_complete_is_whole() {
    for (by, tail, is_whole) in [
        (40, "\r\n\r\n", true),
        (4, "", true),
        (7, "\r\n", true),
        (40, "cut", false),
    ] {
        let mut made = entries();
        let last = &mut made[N - 1];
        let body = b"<p>The last page is complete.</p>";
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        *last = Warc::new(&format!("r{}", N - 1), [head.as_bytes(), body].concat()).entry();
        set_length(last, &(last.block.len() + tail.len() + by).to_string());
        last.tail = tail.into();
        let block = last.block.clone();
        in_forms(&made, |form, all| {
            let last = all.records.last().unwrap();
            if is_whole {
                assert_eq!(
                    (all.good().len(), &*last.notes),
                    (N, "length_mismatch"),
                    "{form:?} {by}"
                );
                assert!(last.block == block, "{form:?} {by}");
            } else {
                assert_eq!(all.failures(), ["truncated_input"], "{form:?}")
            }
        });
    }
    // A digest that disagrees has the last word.
    let mut wrong = Warc::new("x", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny")
        .field("WARC-Block-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ")
        .length(99)
        .bytes();
    wrong.extend(b"\r\n");
    assert_eq!(read_all(&wrong).failures(), ["truncated_input"]);
}

#[test]
fn a_missing_content_length_fails_and_the_first_of_two_counts() {
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
fn any_number_of_line_ends_may_separate_records() {
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
fn bare_line_feeds_folded_lines_and_lines_without_a_colon_are_accepted() {
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
fn a_length_that_is_folded_after_its_name_is_read() {
    let mut odd = Warc::new("r4", entries()[4].block.clone());
    let length = odd.block.len();
    odd = odd.length(format!("\r\n\t{length}"));
    let made = with_fourth(|e| *e = odd.entry());
    in_forms(&made, |_, all| {
        assert_good(all, 0..N);
        assert_eq!(all.records[4].notes, Note::LenientHeader.name());
    });
}

#[test]
fn a_version_in_lower_case_starts_a_record() {
    for damage in ["", "garbage, and no line end"] {
        let made = with_fourth(|e| {
            let head = String::from_utf8(e.head.clone()).unwrap();
            e.head = format!("{damage}{}", head.replace("WARC/1.0", "warc/1.0")).into();
        });
        in_forms(&made, |_, all| {
            assert_good(all, 0..N);
            assert_eq!(all.records[4].notes, Note::LenientHeader.name());
        });
    }
}

/// Reads a single record and looks at its header.
fn header_of(warc: Warc, check: impl Fn(&Header)) {
    assert_eq!(read_all(&warc.bytes()).good().len(), 1);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), warc.bytes()).unwrap();
    let archive = Archive::open(file.path()).unwrap();
    check(&archive.records().next_record().unwrap().header);
}

#[test]
fn missing_ids_missing_dates_and_odd_dates_are_accepted() {
    let mut bare = Warc::new("x", "y");
    bare.fields.retain(|(n, _)| n == "WARC-Type");
    header_of(bare, |h| {
        assert_eq!((&*h.id(), h.date().as_str(), &*h.url()), ("", "", ""))
    });
    for date in ["2008-10-294T00:00:00Z", "2008-10-29", "yesterday", ""] {
        header_of(Warc::new("x", "y").field("WARC-Date", date), |h| {
            assert_eq!(h.date(), "")
        });
    }
    // Such a record becomes a document all the same, with an id made of its place.
    let mut odd = Warc::new("x", make::http(b"<p>An odd date.</p>")).field("WARC-Date", "2008-10-294T00:00:00Z");
    odd.fields.retain(|(n, _)| n != "WARC-Record-ID");
    let run = crate::program::run_one("odd.warc", &odd.bytes()).ends_with(0);
    let document = &run.documents()[0];
    assert_eq!(document["created"], "");
    assert!(document["id"].as_str().unwrap().starts_with("dehusk:"));
}

#[test]
fn header_values_that_cannot_be_right_are_noted_in_the_document() {
    let good = || Warc::new("x", make::http(b"<p>A page with some words.</p>"));
    let uuid = "<urn:uuid:c5bc8e3f-1d0c-4a4c-b2b2-1f1e0f8b3c55>";
    let without = |name: &str| {
        let mut warc = good();
        warc.fields.retain(|(n, _)| n != name);
        warc
    };
    let cases = [
        (good(), ""),
        (good().field("WARC-Record-ID", uuid), ""),
        (good().field("WARC-Date", "2016-09-19T17:20:24.123456Z"), ""),
        (good().field("WARC-Target-URI", "http://a.example/a page"), ""),
        (good().field("WARC-Record-ID", &uuid[..40]), "header_value"),
        (good().field("WARC-Record-ID", "<urn:test:a\u{1}b>"), "header_value"),
        (good().field("WARC-Date", "2016-19-19T17:20:24Z"), "header_value"),
        (good().field("WARC-Date", "2O16-09-19T17:20:24Z"), "header_value"),
        (good().field("WARC-Target-URI", "http//a.example/"), "header_value"),
        (
            good().field("WARC-Target-URI", "http://a.exa\u{7f}mple/"),
            "header_value",
        ),
        (good().field("WARC-Target-URI", "ht|p://a.example/"), "header_value"),
        (without("WARC-Record-ID"), "header_value"),
        (without("WARC-Date"), "header_value"),
        (without("WARC-Target-URI"), "header_value"),
    ];
    let bytes: Vec<u8> = cases.iter().flat_map(|(warc, _)| warc.bytes()).collect();
    let run = crate::program::run_one("x.warc", &bytes).ends_with(0);
    for (document, (warc, flags)) in run.documents().iter().zip(&cases) {
        assert_eq!(document["metadata"]["flags"], *flags, "{:?}", warc.fields);
    }
    assert_eq!((run.total("emitted"), run.total("notes.header_value")), (14, 10));
}

#[test]
fn odd_target_uris_are_cleaned_and_the_original_is_kept() {
    let uri = |uri: &str| Warc::new("x", "y").field("WARC-Target-URI", uri);
    header_of(uri("<http://a.example/>"), |h| {
        assert_eq!(h.url(), "http://a.example/");
        assert_eq!(h.get("warc-target-uri").unwrap(), "<http://a.example/>");
    });
    // A bracket at the end that none begins is a part of it.
    for whole in ["http://a.example/?q=a>", "http://a.example/>>"] {
        header_of(uri(whole), |h| assert_eq!(h.url(), whole));
    }
    header_of(uri("http://a.example/a b\u{e4}"), |h| {
        assert_eq!(h.url(), "http://a.example/a b\u{e4}")
    });
    let mut latin = uri("http://a.example/@").entry();
    let at = latin.head.iter().position(|b| *b == b'@').unwrap();
    latin.head[at] = 0xe4;
    let all = read_all(&latin.bytes());
    assert_eq!(all.records[0].url, "http://a.example/\u{fffd}");
    assert!(all.records[0].header == latin.head, "the original is kept");
}

#[test]
fn a_warc_header_without_an_end_is_bounded() {
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
fn other_warc_versions_are_read_and_unknown_ones_noted() {
    for (version, note) in [
        ("0.17", ""),
        ("0.18", ""),
        ("1.0", ""),
        ("1.1", ""),
        ("2.0", "unknown_version"),
    ] {
        let mut warc = Warc::new("v", make::http(b"x"));
        warc.version = version;
        let all = read_all(&warc.bytes());
        assert_eq!(
            (all.good().len(), all.records[0].notes.as_str()),
            (1, note),
            "{version}"
        );
    }
}

#[test]
fn unknown_warc_fields_are_ignored_and_unknown_types_counted() {
    let field = Warc::new("f", make::http(b"<p>A page.</p>")).field("X-Unheard-Of", "1");
    let novel = Warc::new("t", "x").field("WARC-Type", "novelty");
    let run = crate::program::run_one("new.warc", &[field.bytes(), novel.bytes()].concat()).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("filtered.record_type")), (1, 1));
    assert_eq!(run.total("notes.unknown_type"), 1);
}

#[test]
fn a_revisit_holds_no_page() {
    let revisit = Warc::new("r", make::http(b"")).field("WARC-Type", "revisit");
    let run = crate::program::run_one("r.warc", &revisit.bytes()).ends_with(0);
    assert_eq!((run.total("framed"), run.total("filtered.revisit")), (1, 1));
}

#[test]
fn continuation_records_are_not_joined() {
    let first = Warc::new("s", make::http(b"<p>The first half")).field("WARC-Segment-Number", "1");
    let second = Warc::new("s2", "and the second.</p>").field("WARC-Type", "continuation");
    let run = crate::program::run_one("s.warc", &[first.bytes(), second.bytes()].concat()).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("filtered.segmented")), (1, 1));
}

#[test]
fn a_body_that_the_crawler_cut_is_emitted_as_truncated() {
    let stated = Warc::new("t", make::http(b"<p>Cut in the mid")).field("WARC-Truncated", "length");
    // Before August 2019 crawlers cut at 1 MiB without saying so.
    let mut body = b"<p>Cut at a size</p><!--".to_vec();
    body.resize(1 << 20, b'x');
    let silent = Warc::new("u", make::http(&body));
    body.pop();
    let shorter = Warc::new("v", make::http(&body));
    let bytes = [stated.bytes(), silent.bytes(), shorter.bytes()].concat();
    let run = crate::program::run_one("cut.warc", &bytes).ends_with(0);
    let truncated: Vec<_> = run
        .documents()
        .iter()
        .map(|d| d["metadata"]["truncated"].as_bool())
        .collect();
    assert_eq!(truncated, [Some(true), Some(true), Some(false)]);
    assert_eq!(run.total("notes.truncated"), 2);
}

#[test]
fn a_byte_order_mark_or_garbage_between_records_is_skipped() {
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
            let range = (all.skipped[0].offset, all.skipped[0].length());
            assert_eq!(range, (at as u64, garbage.len() as u64));
        }
    }
    // Inside a member that also holds records the range is counted in decoded bytes.
    let mut inner = entries();
    inner[4].head = [b"garbage", &inner[4].head[..]].concat();
    let all = read_all(&archive(Form::GzipWhole, &inner).bytes);
    assert_good(&all, 0..N);
    assert_eq!(
        (all.gaps(), all.skipped[0].is_inside(), all.skipped[0].length()),
        (vec!["garbage"], true, 7)
    );
}

#[test]
fn a_record_start_inside_a_body_is_ignored_while_lengths_hold() {
    let inner = entries()[0].bytes();
    let body = [&inner[..], &inner, b"and text"].concat();
    let made = with_fourth(|e| *e = Warc::new("r4", body.clone()).entry());
    in_forms(&made, |_, all| {
        assert_eq!((all.records.len(), all.good().len()), (N, N));
        assert!(all.records[4].block == body);
    });
    // Even where the record is too large to be held.
    let mut options = FIRM;
    options.record_limit = 2000;
    let all = read_all_with(&archive(Form::Plain, &made).bytes, options).unwrap();
    assert_eq!(all.records.len(), N);
    assert_eq!(all.records[4].failure, Some(Fault::TooLarge));
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

/// More of them than a format is looked for in.
#[test]
fn a_flood_of_version_lines_before_a_record_is_skipped() {
    let flood = b"WARC/1.0\r\n".repeat(1_800_000);
    let run = crate::program::run_one(
        "f.warc",
        &[&flood[..], &archive(Form::Plain, &entries()).bytes].concat(),
    );
    let run = run.ends_with(3);
    assert_eq!(
        (run.total("emitted"), run.total("skipped_bytes")),
        (N as u64, flood.len() as u64)
    );
    let rest = archive(Form::Gzip, &entries()).bytes;
    let run = crate::program::run_one("f.warc.gz", &[&make::gzip(&flood)[..], &rest].concat()).ends_with(3);
    assert_eq!(run.total("emitted"), N as u64);
    // There is nothing but the flood.
    let run = crate::program::run_one("f.warc", &flood).ends_with(1);
    let error = run.archives()[0]["error"].as_str().unwrap();
    assert!(error.contains("no record was recognised"), "{error}");
}
