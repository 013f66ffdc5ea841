//! Damaged and odd ARC records: each test is one fault, with its outcome on every path.

use crate::archives::faults::N;
use crate::archives::make::{self, Entry, Form, archive};
use crate::archives::read::{All, read_all};

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
fn arc_urls_with_spaces_are_read_from_the_right() {
    assert_arc(&arc_entries(), N + 1, |_, all| {
        assert_eq!(all.records[3].url, "http://r2.example/a page")
    });
}

#[test]
fn a_wrong_arc_length_costs_at_most_its_record() {
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
fn arc_records_need_no_line_end_between_them() {
    let mut entries = arc_entries();
    for entry in &mut entries[1..] {
        let body = b"<a href=\"http://x.example/\">x</a></html>";
        entry.block.extend_from_slice(body);
        let line = String::from_utf8(entry.head.clone()).unwrap();
        let (fields, _) = line.trim_end().rsplit_once(' ').unwrap();
        entry.head = format!("{fields} {}\n", entry.block.len()).into();
        entry.tail.clear();
    }
    let blocks = |entries: &[Entry]| -> Vec<Vec<u8>> { entries.iter().map(|e| e.block.clone()).collect() };
    assert_arc(&entries, N + 1, |form, all| {
        let got: Vec<Vec<u8>> = all.records.iter().map(|r| r.block.clone()).collect();
        assert_eq!(got, blocks(&entries), "{form:?}");
        assert!(all.records.iter().all(|r| r.notes.is_empty()), "{form:?}");
    });
    // Then the next record is found after a bad length, too.
    for length in ["-1", "abc", "9999999", "1000000"] {
        let mut wrong = entries.clone();
        wrong[4].head = format!("http://r3.example/ 192.0.2.3 20080102030405 text/html {length}\n").into();
        for form in [Form::Plain, Form::GzipWhole] {
            let all = read_all(&archive(form, &wrong).bytes);
            assert_eq!(
                (all.good().len(), all.failures()),
                (N, vec!["bad_length"]),
                "{form:?} {length}"
            );
            assert_eq!(all.skipped, []);
            assert!(all.records[5].block == entries[5].block, "{form:?} {length}");
        }
    }
    for by in [-40i64, -1, 1, 2, 60] {
        let mut wrong = entries.clone();
        let length = wrong[4].block.len() as i64 + by;
        wrong[4].head = format!("http://r3.example/ 192.0.2.3 20080102030405 text/html {length}\n").into();
        assert_arc(&wrong, N + 1, |form, all| {
            assert!(all.records[4].block == entries[4].block, "{form:?} {by}");
            assert_eq!(all.records[4].notes, "length_mismatch");
        });
    }
}

#[test]
fn two_arc_lines_that_damage_joined_are_noted_in_the_document() {
    let block = make::http(b"<p>The page of the second line.</p>");
    let line = |start: &str| {
        make::arc_line(
            &format!(
                "{start}http://b.example/ 192.0.2.1 20080102030405 text/html {}",
                block.len()
            ),
            &block[..],
        )
    };
    let entries = [
        make::arc_start(1),
        line(""),
        line("http://a.example/ 192.0.2."),
        line("http://a.example/pa"),
    ];
    let run = crate::program::run_one("x.arc", &archive(Form::Plain, &entries).bytes).ends_with(0);
    let flags: Vec<String> = run
        .documents()
        .iter()
        .map(|d| d["metadata"]["flags"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(flags, ["", "header_value", "header_value"]);
}

#[test]
fn odd_arc_dates_and_types_are_accepted() {
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
fn arc_version_2_is_read_by_its_declared_fields() {
    let line = |rest: &str| {
        make::arc_line(
            &format!("http://a.example/x y 192.0.2.1 20080102030405 {rest}"),
            "12345",
        )
    };
    let v2 = vec![
        make::arc_start(2),
        line("text/html 200 0123abcd - 1234 x.arc.gz 5"),
        line("text/html; charset=utf-8 200 0123abcd - 1234 x.arc.gz 5"),
        // Without a type there are five fields before the length, as many as a long type of version 1 has words.
        line("200 0123abcd - 1234 x.arc.gz 5"),
    ];
    let v1 = vec![make::arc_start(1), line("text/html; a b c d e f 5")];
    for (entries, types) in [
        (v2, &["text/html", "text/html; charset=utf-8", ""][..]),
        (v1, &["text/html; a b c d e f"]),
    ] {
        assert_arc(&entries, entries.len(), |form, all| {
            assert!(all.records[1..].iter().all(|r| r.block == b"12345"));
            assert_eq!(all.records[1].url, "http://a.example/x y");
            let got: Vec<&str> = all.records[1..].iter().map(|r| r.content_type.as_str()).collect();
            assert_eq!(got, types, "{form:?}");
        });
    }
}

#[test]
fn arc_records_that_hold_no_page_are_counted() {
    let mut entries = vec![make::arc_start(1)];
    for (url, mime) in [
        ("dns:a.example", "text/dns"),
        ("http://a.example/", "alexa/dat"),
        ("https://b.example/?q=1", "text/html"),
    ] {
        let line = format!("{url} 192.0.2.1 20080102030405 {mime}");
        let body = make::http(b"<p>A page.</p>");
        let block = if mime == "text/html" { &body[..] } else { b"no page" };
        entries.push(make::arc_line(&format!("{line} {}", block.len()), block));
    }
    let run = crate::program::run_one("x.arc", &archive(Form::Plain, &entries).bytes).ends_with(0);
    assert_eq!((run.total("framed"), run.total("emitted")), (4, 1));
    let filtered = &run.report["totals"]["filtered"];
    assert_eq!(*filtered, serde_json::json!({"record_type": 1, "no_http_header": 2}));
}

#[test]
fn without_an_http_header_the_arc_type_decides() {
    let line = |mime: &str, block: &str| {
        make::arc_line(
            &format!("http://a.example/ 192.0.2.1 20080102030405 {mime} {}", block.len()),
            block,
        )
    };
    let entries = vec![
        make::arc_start(1),
        line("text/html", "<p>A page without a head.</p>"),
        line("image/gif", "GIF89a"),
        line("no-type", "who knows"),
    ];
    let run = crate::program::run_one("x.arc", &archive(Form::Plain, &entries).bytes).ends_with(0);
    assert_eq!(run.texts(), ["A page without a head."]);
    assert_eq!(run.total("filtered.no_http_header"), 2);
}

#[test]
fn an_arc_version_block_in_xml_is_read() {
    let block = "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n<?xml \
        version=\"1.0\"?>\n<arcmetadata>\n<software>x</software>\n</arcmetadata>\n";
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
fn a_member_that_ends_within_a_line_does_not_take_the_next_record_with_it() {
    let entries = arc_entries();
    let mut members: Vec<Vec<u8>> = entries.iter().map(|e| make::gzip(&e.bytes())).collect();
    members.insert(4, make::gzip(b"http://r3.example/a 192.0.2"));
    let all = read_all(&members.concat());
    assert_eq!((all.good().len(), all.gaps()), (N + 1, vec!["garbage"]), "{all:?}");
}
