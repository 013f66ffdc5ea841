//! Runs that stop and go on: at any batch, in any kind of archive, the result is that of a run that never stopped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use dehusk::report::RunState;
use dehusk::{Config, Report, RunOptions, Stop};

use super::run_watched_with;
use crate::program::{Place, make};

/// Pages between records that are no pages, one of them damaged: some 20 windows of stored bytes.
fn records() -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    for i in 0..40 {
        let text = format!("Page {i} has some words. ").repeat(20);
        records.push(make::page(&format!("https://a.example/{i}"), &text));
        records.push(make::filler(i, 500_000));
        if i % 7 == 3 {
            // A charset that is not supported.
            let body = b"<p>+AGEAYgBj-";
            records.push(make::response(
                "https://b.example/",
                "200 OK",
                "text/html; charset=utf-7",
                body,
            ));
        }
    }
    records
}

/// All files of a run but what depends on its time.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for part in ["documents", "quarantine"] {
        for entry in fs::read_dir(folder.join(part)).into_iter().flatten() {
            let entry = entry.unwrap();
            let name = format!("{part}/{}", entry.file_name().to_string_lossy());
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found.insert(
        "failed.jsonl".to_owned(),
        fs::read(folder.join("failed.jsonl")).unwrap(),
    );
    let mut report: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    report.as_object_mut().unwrap().remove("timing");
    found.insert("run.json".to_owned(), serde_json::to_vec(&report).unwrap());
    found
}

/// Runs archives into `out`, and stops after a few pages.
fn run_a_piece(place: &Place, names: &[&str], config: &Config) -> Report {
    let (stop, seen) = (Stop::default(), AtomicUsize::new(0));
    let request = stop.clone();
    run_watched_with(config, place, names, RunOptions::default().stop(&stop), move |_| {
        if seen.fetch_add(1, Ordering::Relaxed) == 2 {
            request.request();
        }
    })
}

/// Runs archives into `out`, stopping at every few pages, until the run is complete. Returns how often it stopped.
fn run_in_pieces(place: &Place, names: &[&str], config: &Config) -> usize {
    for stopped in 0..100 {
        let report = run_a_piece(place, names, config);
        match report.state {
            RunState::Complete => return stopped,
            state => assert_eq!((state, report.exit_status()), (RunState::Interrupted, 130)),
        }
    }
    panic!("the run gets nowhere");
}

#[track_caller]
fn pieces_equal_the_whole(names: &[(&str, Vec<u8>)]) {
    pieces_equal_the_whole_with(Config::default(), names);
}

#[track_caller]
fn pieces_equal_the_whole_with(mut config: Config, names: &[(&str, Vec<u8>)]) {
    let place = Place::new();
    for (name, bytes) in names {
        place.write(name, bytes);
    }
    let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    config.set("output.quarantine", true).unwrap();
    let report = run_watched_with(&config, &place, &names, RunOptions::default(), |_| {});
    assert_eq!(report.exit_status(), 3);
    let whole = files(&place.path("out"));
    for threads in [1, 3] {
        fs::remove_dir_all(place.path("out")).unwrap();
        config.set("run.threads", threads).unwrap();
        let stopped = run_in_pieces(&place, &names, &config);
        assert!(stopped > 0, "it never stopped");
        let mut pieces = files(&place.path("out"));
        let report = String::from_utf8(pieces["run.json"].clone()).unwrap();
        let report = report.replace(&format!("\"threads\":{threads}"), "\"threads\":0");
        pieces.insert("run.json".to_owned(), report.into_bytes());
        let differing: Vec<&String> = whole
            .keys()
            .filter(|name| pieces.get(*name) != whole.get(*name))
            .collect();
        assert!(
            differing.is_empty() && pieces.len() == whole.len(),
            "{threads} threads: {differing:?}"
        );
        assert!(!place.path("out/.dehusk.journal").exists());
    }
}

#[test]
fn a_continued_run_reports_the_time_of_all_its_executions() {
    let place = Place::new();
    // On a busy machine, a piece goes far before it stops. The last execution must have pages left.
    place.write("a.warc", [records(), records(), records()].concat().concat());
    let config = Config::default();
    let mut seconds = 0.0;
    for _ in 0..2 {
        let timing = run_a_piece(&place, &["a.warc"], &config).timing;
        assert!(timing.seconds > 0.0);
        // Up to the end of the execution, a moment after its account.
        assert!(timing.earlier_seconds >= seconds, "{timing:?} after {seconds} s");
        seconds += timing.seconds;
    }
    let report = run_watched_with(&config, &place, &["a.warc"], RunOptions::default(), |_| {});
    assert_eq!(report.state, RunState::Complete);
    assert!(report.timing.earlier_seconds >= seconds);
    assert_eq!(
        report.timing.all_seconds(),
        report.timing.earlier_seconds + report.timing.seconds
    );
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains("The run was resumed."));
    let whole = run_watched_with(
        &config,
        &place,
        &["a.warc"],
        RunOptions::default().overwrite(true),
        |_| {},
    );
    assert_eq!(whole.timing.earlier_seconds, 0.0);
    assert!(
        !fs::read_to_string(place.path("out/report.html"))
            .unwrap()
            .contains("The run was resumed.")
    );
}

#[test]
fn an_archive_of_members_continues_at_a_window() {
    pieces_equal_the_whole(&[("a.warc.gz", make::each(&records(), make::gzip_stored))]);
}

#[test]
fn an_archive_continues_where_no_record_starts_any_more() {
    // The last record fills more windows than may be in flight, so the request to stop always comes before the last of
    // them. The reader that continues then has no record left to read, but still states the digest of all bytes.
    let mut records = records()[..9].to_vec();
    records.push(make::filler(0, 20_000_000));
    pieces_equal_the_whole(&[("a.warc", records.concat())]);
}

#[test]
fn a_plain_archive_continues_at_a_window() {
    pieces_equal_the_whole(&[("a.warc", records().concat())]);
}

#[test]
fn an_archive_that_is_one_member_continues_after_what_was_extracted() {
    let mut records = records();
    // Batches are cut where their decoded bytes pass a limit that two of these do not keep. There are more batches than
    // may be in flight, so the request to stop always comes before the last one is read.
    for i in 0..12 {
        records.push(make::filler(i, 9_000_000));
        records.push(make::page(
            &format!("https://c.example/{i}"),
            "Some words of another page.",
        ));
    }
    pieces_equal_the_whole(&[("a.warc.gz", make::gzip_stored(&records.concat()))]);
}

#[test]
fn archives_that_are_read_at_the_same_time_continue_each_for_itself() {
    let mut damaged = make::each(&records(), make::gzip_stored);
    let middle = damaged.len() / 2;
    damaged[middle..middle + 5_000].fill(0);
    pieces_equal_the_whole(&[
        ("a.warc.gz", damaged),
        ("b.warc.zst", make::each(&records(), make::zstd)),
        ("b.warc.gz", make::gzip_stored(&records().concat())),
    ]);
}

/// Revisits of the pages of `records`, far apart.
fn revisits() -> Vec<Vec<u8>> {
    let revisit = |i: u64| {
        let fields = format!(
            "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
             WARC-Refers-To: <urn:test:response:https://a.example/{i}>\r\n"
        );
        let again = format!("https://again.example/{i}");
        [
            make::record("revisit", &again, &fields, b"HTTP/1.1 200 OK\r\n\r\n"),
            make::filler(i, 500_000),
        ]
    };
    (0..40).flat_map(revisit).collect()
}

#[test]
fn revisits_continue_with_the_same_originals() {
    let (records, revisits) = (records(), revisits());
    let mut config = Config::default();
    config.set("select.resolve_revisits", true).unwrap();
    pieces_equal_the_whole_with(
        config,
        &[
            ("a.warc.gz", make::each(&revisits, make::gzip_stored)),
            ("b.warc", records.concat()),
            ("c.warc.gz", make::gzip_stored(&revisits.concat())),
        ],
    );
}

#[test]
fn resolved_revisits_do_not_continue_while_an_archive_is_away() {
    let place = Place::new();
    place.write("a.warc.gz", make::each(&revisits(), make::gzip_stored));
    place.write("b.warc", records().concat());
    let names = ["a.warc.gz", "b.warc"];
    let mut config = Config::default();
    config.set("select.resolve_revisits", true).unwrap();
    config.set("run.threads", 1).unwrap();
    let run = || run_watched_with(&config, &place, &names, RunOptions::default(), |_| {});
    assert_eq!(run().exit_status(), 3);
    let whole = files(&place.path("out"));
    fs::remove_dir_all(place.path("out")).unwrap();
    assert_eq!(run_a_piece(&place, &names, &config).state, RunState::Interrupted);
    fs::rename(place.path("b.warc"), place.path("away")).unwrap();
    for _ in 0..2 {
        let without = run();
        assert_eq!(without.exit_status(), 1);
        let why = &without.archives[0].changed;
        assert!(why.ends_with("b.warc, which cannot be found any more"), "{why}");
    }
    fs::rename(place.path("away"), place.path("b.warc")).unwrap();
    assert_eq!(run().exit_status(), 3);
    assert!(files(&place.path("out")) == whole);
}

#[test]
fn resolved_revisits_begin_again_when_an_archive_with_earlier_originals_is_back() {
    let place = Place::new();
    let original = |name: &str| {
        let page = |i: u64| {
            make::page(
                &format!("https://a.example/{i}"),
                &format!("The page {i} as {name} has it."),
            )
        };
        (0..40).flat_map(page).collect::<Vec<u8>>()
    };
    place.write("first.warc", original("first"));
    place.write("other.warc", original("other"));
    place.write("revisits.warc.gz", make::each(&revisits(), make::gzip_stored));
    let names = ["first.warc", "revisits.warc.gz", "other.warc"];
    let mut config = Config::default();
    config.set("select.resolve_revisits", true).unwrap();
    config.set("run.threads", 1).unwrap();
    let run = || run_watched_with(&config, &place, &names, RunOptions::default(), |_| {});
    assert_eq!(run().exit_status(), 0);
    let whole = files(&place.path("out"));
    fs::remove_dir_all(place.path("out")).unwrap();
    fs::rename(place.path("first.warc"), place.path("away")).unwrap();
    assert_eq!(run_a_piece(&place, &names, &config).state, RunState::Interrupted);
    fs::rename(place.path("away"), place.path("first.warc")).unwrap();
    assert_eq!(run().exit_status(), 0);
    assert!(files(&place.path("out")) == whole);
}

/// Formats whose shards cannot be continued in the middle go on by their spools.
#[cfg(any(feature = "parquet", feature = "sqlite"))]
#[track_caller]
fn pieces_of_a_format_equal_the_whole(format: dehusk_documents::encode::OutputFormat) {
    let mut config = Config::default();
    config.set("output.format", format.name()).unwrap();
    let names = [
        ("a.warc", records().concat()),
        ("b.warc.gz", make::each(&records(), make::gzip_stored)),
    ];
    pieces_equal_the_whole_with(config, &names);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_continues_inside_an_archive() {
    pieces_of_a_format_equal_the_whole(dehusk_documents::encode::OutputFormat::PARQUET);
}

#[cfg(feature = "sqlite")]
#[test]
fn sqlite_continues_inside_an_archive() {
    pieces_of_a_format_equal_the_whole(dehusk_documents::encode::OutputFormat::SQLITE);
}
