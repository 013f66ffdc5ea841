//! `dehusk inspect`: what is in an archive, and why a record is or is not emitted.

use std::fs;

use crate::program::{Ended, Place, SAMPLE, make};

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

/// The columns of every line but the first.
fn rows(ended: &Ended) -> Vec<Vec<String>> {
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    text(ended).lines().skip(1).map(row).collect()
}

#[test]
fn the_list_has_one_line_for_each_record() {
    let place = Place::new();
    let ended = place.dehusk(&["inspect", SAMPLE]);
    assert_eq!(ended.status, 3, "the sample holds one damaged record");
    let text = text(&ended);
    assert_eq!(
        text.lines().next(),
        Some("offset\tlength\ttype\tdate\tstatus\tmime\turl")
    );
    let rows = rows(&ended);
    assert_eq!(rows.len(), 65);
    assert_eq!((rows[0][0].as_str(), rows[0][2].as_str()), ("0", "warcinfo"));
    assert_eq!(
        rows[1][2..6],
        ["response", "2026-05-04T08:00:34Z", "200", "text/html"].map(str::to_owned)[..]
    );
    // Every line leads to the next one.
    for pair in rows.windows(2) {
        let number = |text: &str| text.parse::<u64>().unwrap();
        assert_eq!(
            number(&pair[0][0]) + number(&pair[0][1]),
            number(&pair[1][0]),
            "{pair:?}"
        );
    }
    let stream = place.dehusk_fed(&["inspect", "-"], &fs::read(SAMPLE).unwrap());
    assert_eq!((stream.status, String::from_utf8(stream.stdout).unwrap()), (3, text));
}

#[test]
fn verdicts_are_what_a_run_does() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--min-words", "150"]).ends_with(3);
    let ended = place.dehusk(&["inspect", SAMPLE, "--verdicts", "--min-words", "150"]);
    let rows = rows(&ended);
    let count = |verdict: &str| rows.iter().filter(|r| r[6].starts_with(verdict)).count() as u64;
    assert_eq!(count("emitted, "), run.total("emitted"));
    for kind in ["filtered", "failed"] {
        for (reason, n) in run.report["totals"][kind].as_object().unwrap() {
            assert_eq!(count(&format!("{kind}: {reason}")), n.as_u64().unwrap(), "{reason}");
        }
    }
    assert!(run.total("filtered.too_short") > 0);
}

#[test]
fn a_record_is_shown_with_its_verdict() {
    let place = Place::new();
    let rows = rows(&place.dehusk(&["inspect", SAMPLE]));
    let show = |row: &[String], more: &[&str]| {
        let place_of = format!("{SAMPLE}@{}", row[0]);
        let ended = place.dehusk(&[&["inspect", &place_of], more].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        text(&ended)
    };
    let ferry = show(&rows[1], &[]);
    for part in [
        "WARC-Type: response",
        "HTTP/1.1 200",
        "emitted: ",
        "by coreex-modern",
        "The first night ferry",
    ] {
        assert!(ferry.contains(part), "{part}: {ferry}");
    }
    assert!(show(&rows[1], &["--extractor", "coreex"]).contains("by coreex,"));
    assert!(show(&rows[1], &["--url-exclude", "ferry"]).contains("not emitted; filtered as url: "));
    assert!(show(&rows[0], &[]).contains("not emitted; filtered as record_type: "));
    let damaged = rows
        .iter()
        .find(|r| r.iter().any(|c| c.contains("carrick-low")))
        .unwrap();
    assert!(show(damaged, &[]).contains("not emitted; failed as gzip_data: "));
    let revisit = rows.iter().find(|r| r[2] == "revisit").unwrap();
    assert!(show(revisit, &[]).contains("filtered as revisit"));
}

#[test]
fn a_record_inside_a_member_is_found_by_its_place() {
    let place = Place::new();
    let pages =
        ["one", "two"].map(|n| make::page(&format!("https://{n}.example/"), &format!("The page {n} has words.")));
    let first = make::gzip(&make::page("https://zero.example/", "Words."));
    place.write("pairs.warc.gz", [&first[..], &make::gzip(&pages.concat())].concat());
    let listed = rows(&place.dehusk(&["inspect", "pairs.warc.gz"]));
    let inside = format!("{}+{}", first.len(), pages[0].len());
    assert_eq!(listed[2][0], inside);
    let ended = place.dehusk(&["inspect", &format!("pairs.warc.gz@{inside}")]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(text(&ended).contains("The page two has words."));
    let ended = place.dehusk(&["inspect", &format!("pairs.warc.gz@{}", first.len())]);
    assert!(text(&ended).contains("The page one has words."));
}

#[test]
fn skipped_ranges_are_listed_and_shown() {
    let place = Place::new();
    let page = make::page("https://a.example/", "Words.");
    place.write("gap.warc", [&page[..], b"what is this?\r\n", &page].concat());
    let ended = place.dehusk(&["inspect", "gap.warc"]);
    assert_eq!(ended.status, 3);
    let listed = rows(&ended);
    assert_eq!(listed.len(), 3);
    assert_eq!((listed[1][2].as_str(), listed[1][6].as_str()), ("skipped", "garbage"));
    let ended = place.dehusk(&["inspect", &format!("gap.warc@{}", page.len())]);
    assert_eq!(ended.status, 3);
    assert!(text(&ended).starts_with("skipped, "), "{}", text(&ended));
}

#[test]
fn a_record_that_cannot_be_shown_is_named_with_its_place() {
    let place = Place::new();
    place.write("page.html", "<!doctype html><p>words");
    fs::create_dir(place.path("empty")).unwrap();
    for (argument, message) in [
        ("missing.warc", "missing.warc: no such file"),
        ("page.html", "page.html: is not an archive but an HTML page"),
        ("empty", "empty: is a directory"),
        (&format!("{SAMPLE}@7"), "no record starts there; `dehusk inspect"),
        (
            &format!("{SAMPLE}@99999999"),
            "at offset 99999999: there is nothing: the file has",
        ),
        ("missing.warc@12", "missing.warc: no such file"),
        (&format!("{SAMPLE}@x"), "no such file"),
    ] {
        let ended = place.dehusk(&["inspect", argument]);
        assert_eq!(ended.status, 1, "{argument}");
        assert!(ended.stderr.contains(message), "{argument}: {}", ended.stderr);
        assert!(ended.stdout.is_empty());
    }
}

#[test]
fn a_file_name_that_looks_like_a_place_is_a_file() {
    let place = Place::new();
    place.write("crawl@12", make::page("https://a.example/", "Words."));
    assert_eq!(rows(&place.dehusk(&["inspect", "crawl@12"])).len(), 1);
    assert!(text(&place.dehusk(&["inspect", "crawl@12@0"])).contains("emitted: "));
}

#[test]
fn an_empty_archive_is_reported_as_empty() {
    let place = Place::new();
    for (name, bytes) in [("empty.warc", Vec::new()), ("nothing.warc.gz", make::gzip(b""))] {
        place.write(name, &bytes);
        let ended = place.dehusk(&["inspect", name]);
        let message = format!("dehusk: {name}: is empty, there is no record in it\n");
        assert_eq!((ended.status, ended.stderr), (0, message));
        assert_eq!(place.dehusk_fed(&["inspect", "-"], &bytes).status, 0);
    }
}

#[test]
fn a_named_pipe_is_listed() {
    let place = Place::new();
    let pipe = place.pipe("pipe");
    let running = place.start(&["inspect", "pipe"]);
    fs::write(pipe, make::page("https://a.example/", "Words.")).unwrap();
    let ended = running.end();
    assert_eq!((ended.status, rows(&ended).len()), (0, 1));
}

#[test]
fn control_characters_are_escaped() {
    let place = Place::new();
    let html = "<title>\u{1b}]0;mine\u{7}</title><p>red \u{1b}[31m and \u{202e}backwards";
    let record = make::response(
        "https://a.example/\u{1b}[2J\u{202e}",
        "200 OK\u{1b}[1m",
        "text/html; charset=utf-8",
        html.as_bytes(),
    );
    place.write("odd\u{1b}[31m.warc", record);
    for arguments in [
        &["inspect", "odd\u{1b}[31m.warc"][..],
        &["inspect", "odd\u{1b}[31m.warc", "--verdicts"],
        &["inspect", "odd\u{1b}[31m.warc@0"],
    ] {
        let ended = place.dehusk(arguments);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let text = text(&ended);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
        assert!(text.contains("\\u{1b}[2J"), "{text}");
    }
    let ended = place.dehusk(&["inspect", "missing\u{1b}[31m.warc"]);
    assert!(!ended.stderr.contains('\u{1b}'), "{}", ended.stderr);
}
