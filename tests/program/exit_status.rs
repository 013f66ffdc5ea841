//! One test an exit status.

use crate::program::{Place, SAMPLE, make};

#[test]
fn status_0_everything_was_read() {
    let place = Place::new();
    place.write("good.warc", make::page("https://a.example/", "A page of some words."));
    let run = place.run(&["good.warc"]).ends_with(0);
    assert_eq!(run.report["state"], "complete");
    assert!(run.failed.is_empty());
    assert!(
        run.ended.stderr.contains("documents are in out/documents"),
        "{}",
        run.ended.stderr
    );
    assert!(run.ended.stdout.is_empty());
    let quiet = place.run_to("quiet", &["good.warc", "--quiet"]).ends_with(0);
    assert_eq!(quiet.ended.stderr, "");
}

#[test]
fn status_3_finished_but_something_failed() {
    let place = Place::new();
    let run = place.run(&[SAMPLE]).ends_with(3);
    assert_eq!(run.report["state"], "complete");
    assert!(
        run.ended.stderr.contains("1 failed by gzip_data"),
        "{}",
        run.ended.stderr
    );
}

#[test]
fn status_3_finished_but_bytes_were_skipped() {
    let place = Place::new();
    let page = make::page("https://a.example/", "A page of some words.");
    place.write("gap.warc", [&page[..], b"what is this?\r\n\r\n", &page].concat());
    let run = place.run(&["gap.warc"]).ends_with(3);
    assert_eq!(
        (run.total("emitted"), run.report["totals"]["failed"].clone()),
        (2, serde_json::json!({}))
    );
    assert_eq!(run.failed[0]["offset"], page.len());
    assert!(run.ended.stderr.contains("bytes skipped"), "{}", run.ended.stderr);
}

/// Stored and decoded bytes are counted apart: the member itself is framed, since it holds records.
#[test]
fn status_3_finished_but_bytes_inside_a_member_were_skipped() {
    let place = Place::new();
    let (page, junk) = (
        make::page("https://a.example/", "A page of some words."),
        b"what is this?\r\n\r\n",
    );
    let member = make::gzip(&[&page[..], junk, &page].concat());
    place.write("gap.warc.gz", &member);
    let run = place.run(&["gap.warc.gz"]).ends_with(3);
    assert_eq!((run.total("emitted"), run.total("bytes")), (2, member.len() as u64));
    let skipped = (run.total("skipped_bytes"), run.total("skipped_decoded_bytes"));
    assert_eq!(skipped, (0, junk.len() as u64));
    let said = format!("{} decoded bytes skipped", junk.len());
    assert!(run.ended.stderr.contains(&said), "{}", run.ended.stderr);
}

#[test]
fn status_4_fewer_documents_than_were_asked_for() {
    let place = Place::new();
    place.write("one.warc", make::page("https://a.example/", "A page of some words."));
    // The second time the run is finished already.
    for _ in 0..2 {
        place.run(&["one.warc", "--at-least", "1"]).ends_with(0);
        let run = place.run(&["one.warc", "--at-least", "2", "--quiet"]).ends_with(4);
        let said = "dehusk: warning: only 1 document was written; --at-least asks for 2; see out/run.json\n";
        assert_eq!(run.ended.stderr, said);
    }
    // Damage is less severe than that, and a failed archive more.
    place.run_to("damaged", &[SAMPLE, "--at-least", "54"]).ends_with(4);
    place
        .run_to("missing", &["missing.warc", "one.warc", "--at-least", "2"])
        .ends_with(1);
}

#[test]
fn a_run_without_documents_always_reports_it() {
    let place = Place::new();
    place.write("one.warc", make::page("https://a.example/", "A page of some words."));
    for _ in 0..2 {
        let run = place.run(&["one.warc", "--min-words", "100", "--quiet"]).ends_with(0);
        let said = &run.ended.stderr;
        assert!(
            said.starts_with("dehusk: warning: no documents were written; 1 of 1 records were filtered as too_short"),
            "{said}"
        );
    }
    let ended = place.dehusk(&[
        "run",
        "one.warc",
        "-o",
        "out",
        "--min-words",
        "100",
        "--quiet",
        "--log-format",
        "json",
    ]);
    let event: serde_json::Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(
        (&event["event"], &event["emitted"]),
        (&"few_documents".into(), &0.into())
    );
}

#[test]
fn status_1_an_archive_could_not_be_read() {
    let place = Place::new();
    let run = place.run(&["missing.warc", SAMPLE]).ends_with(1);
    assert_eq!(run.total("emitted"), 53);
}

#[test]
fn status_2_wrong_usage() {
    let place = Place::new();
    for arguments in [
        &["run"][..],
        &["run", SAMPLE],
        &["run", SAMPLE, "-o", "out", "--frmat", "xml"],
        &["run", SAMPLE, "-o", "out", "--quiet", "--verbose"],
        &["run", SAMPLE, "-o", "out", "--threads", "some"],
        &["run", SAMPLE, "-o", "out", "--threads", "100000"],
        &["run", SAMPLE, "-o", "out", "--format", "csv"],
        &["run", SAMPLE, "-o", "out", "--level", "40"],
        &["run", SAMPLE, "-o", "out", "--status", "600"],
        &["run", SAMPLE, "-o", "out", "--status", "6xx"],
        &["run", SAMPLE, "-o", "out", "--status", "99"],
        &["run", SAMPLE, "-o", "out", "--mime", "html"],
        &["walk"],
        &[],
    ] {
        let ended = place.dehusk(arguments);
        assert_eq!(ended.status, 2, "{arguments:?}: {}", ended.stderr);
        assert!(!ended.stderr.is_empty() && ended.stdout.is_empty());
        assert!(!place.path("out").exists(), "nothing is begun");
    }
}

/// A mapped archive that is interrupted is either whole or not there.
#[test]
fn status_130_interrupted_between_windows() {
    let place = Place::new();
    let mut large = Vec::new();
    for i in 0..12 {
        large.extend(make::page(
            &format!("https://a.example/{i}"),
            &"Some words. ".repeat(2_000),
        ));
        large.extend(make::filler(i, 1_000_000));
    }
    for name in ["a.warc", "b.warc", "c.warc"] {
        place.write(name, &large);
    }
    let pipe = place.pipe("pipe");
    let running = place.start(&[
        "run",
        "pipe",
        "a.warc",
        "b.warc",
        "c.warc",
        "-o",
        "out",
        "--threads",
        "2",
    ]);
    let open = std::fs::File::options().write(true).open(pipe).unwrap();
    running.signal("INT");
    let run = place.read("out", running.end()).ends_with(130);
    drop(open);
    for archive in run.archives() {
        let emitted = match archive["state"].as_str().unwrap() {
            "complete" => 12,
            state => {
                assert_eq!(state, "interrupted");
                0
            }
        };
        assert_eq!(archive["emitted"], emitted);
    }
}

/// Messages that nobody can read must not cost the run: neither its work nor its exit status.
#[test]
fn a_full_standard_error_changes_nothing() {
    let place = Place::new();
    let stderr = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(["run", SAMPLE, "-v", "-o"])
        .arg(place.path("out"))
        .stderr(stderr)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
    assert_eq!(place.names("out/documents"), ["sample.jsonl.zst"]);
}

#[test]
fn an_interrupted_run_without_a_document_reports_it() {
    let place = Place::new();
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "out"]);
    let open = std::fs::File::options().write(true).open(pipe).unwrap();
    running.signal("INT");
    let run = place.read("out", running.end()).ends_with(130);
    drop(open);
    let last = run.ended.stderr.lines().last().unwrap();
    assert!(last.contains("interrupted; no archive was finished"), "{last}");
}
