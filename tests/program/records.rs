//! `dehusk cat --records` and `dehusk inspect --records`: chosen records, as an archive of their own.

use std::fs;

use serde_json::Value;

use crate::archives::make::{self, Entry, Form, Warc, http};
use crate::program::{Ended, Place, SAMPLE, json_lines, make as pages, unpack};

/// Where a document comes from: another archive has the same record elsewhere.
const OF_THE_PLACE: [&str; 4] = ["file_path", "warc_offset", "warc_length", "offset_in_member"];

/// Documents that a condition chooses, without their place.
fn documents(place: &Place, run: &str, conditions: &[&str]) -> Vec<Value> {
    let chosen: Vec<&str> = conditions.iter().flat_map(|condition| ["--where", condition]).collect();
    let ended = place.dehusk(&[&["cat", run][..], &chosen].concat());
    let mut documents = json_lines(&ended.stdout);
    for document in &mut documents {
        let fields = document["metadata"].as_object_mut().unwrap();
        fields.retain(|name, _| !OF_THE_PLACE.contains(&name.as_str()));
    }
    documents
}

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

#[test]
fn records_that_were_written_out_give_the_same_documents() {
    let place = Place::new();
    place.run(&[SAMPLE]).ends_with(3);
    let ended = place.dehusk(&["cat", "out", "--where", "words < 300", "--records", "short.warc.gz"]);
    assert_eq!((ended.status, text(&ended)), (0, String::new()), "{}", ended.stderr);
    place.run_to("again", &["short.warc.gz"]).ends_with(0);
    let chosen = documents(&place, "out", &["words < 300"]);
    assert!((10..50).contains(&chosen.len()), "{}", chosen.len());
    assert_eq!(documents(&place, "again", &[]), chosen);
    let said = format!(
        "{0} records of 1 archive, {0} of them copied without being compressed again",
        chosen.len()
    );
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    let checked = text(&place.dehusk(&["check", "short.warc.gz", "--severity", "note"]));
    assert!(checked.contains(": 0 errors, 0 warnings, 0 notes"), "{checked}");
}

#[test]
fn stored_bytes_are_copied_and_indexed() {
    let place = Place::new();
    place.run(&[SAMPLE]).ends_with(3);
    let run = ["cat", "out", "--where", "words >= 300", "--records", "long.warc.gz"];
    assert_eq!(place.dehusk(&run).status, 0);
    let (whole, sample) = (fs::read(place.path("long.warc.gz")).unwrap(), fs::read(SAMPLE).unwrap());
    let lines = fs::read_to_string(place.path("long.warc.gz.cdxj")).unwrap();
    let mut copied = 0;
    for line in lines.lines() {
        let object: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        let number = |name: &str| object[name].as_str().unwrap().parse::<usize>().unwrap();
        let stored = &whole[number("offset")..number("offset") + number("length")];
        assert!(sample.windows(stored.len()).any(|window| window == stored), "{line}");
        copied += stored.len();
    }
    let indexed = place.dehusk(&["index", "long.warc.gz"]);
    assert_eq!(text(&indexed), lines);
    // The rest is the record that states how they were chosen.
    let first = unpack(&place.path("long.warc.gz"));
    let first = String::from_utf8_lossy(&first[..900.min(first.len())]).into_owned();
    assert!(whole.len() - copied < 600, "{} of {}", copied, whole.len());
    for said in [
        "WARC-Type: warcinfo\r\n",
        "WARC-Filename: long.warc.gz\r\n",
        "\r\ndehusk-run: out\r\n",
        "\r\ndehusk-where: words >= 300\r\n",
    ] {
        assert!(first.contains(said), "{first}");
    }
}

#[test]
fn records_of_every_form_are_packed_one_by_one() {
    let warcs: Vec<Entry> = make::warcs(8, 600, 11);
    for (number, form) in Form::ALL.into_iter().enumerate() {
        let place = Place::new();
        place.write("a.warc", make::archive(form, &warcs).bytes);
        place.run(&["a.warc"]).ends_with(0);
        let name = ["b.warc.gz", "b.warc.zst", "b.warc"][number % 3];
        let chosen = ["url != http://r3.example/page"];
        let ended = place.dehusk(&["cat", "out", "--where", chosen[0], "--records", name]);
        assert_eq!(ended.status, 0, "{form:?}: {}", ended.stderr);
        place.run_to("again", &[name]).ends_with(0);
        assert_eq!(
            documents(&place, "again", &[]),
            documents(&place, "out", &chosen),
            "{form:?}"
        );
        let checked = text(&place.dehusk(&["check", name, "--severity", "note"]));
        assert!(checked.contains(": 8 records, "), "{form:?} {checked}");
        assert!(
            checked.contains(": 0 errors, 0 warnings, 0 notes"),
            "{form:?} {checked}"
        );
    }
}

#[test]
fn records_of_arc_become_records_of_warc() {
    let place = Place::new();
    place.write("a.arc", make::archive(Form::Plain, &make::arcs(4, 500, 2)).bytes);
    place.run(&["a.arc"]).ends_with(0);
    let ended = place.dehusk(&["cat", "out", "--records", "b.warc.gz"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(place.dehusk(&["check", "b.warc.gz"]).status, 0);
    place.run_to("again", &["b.warc.gz"]).ends_with(0);
    let texts = |run: &str| {
        let all = documents(&place, run, &[]);
        Vec::from_iter(
            all.iter()
                .map(|document| (document["text"].clone(), document["created"].clone())),
        )
    };
    assert_eq!(texts("again").len(), 4);
    assert_eq!(texts("again"), texts("out"));
}

#[test]
fn a_record_of_several_runs_is_written_once() {
    let place = Place::new();
    place.write("a.warc", pages::page("http://a.example/", "A page of some words."));
    place.run_to("one", &["a.warc"]);
    place.run_to("two", &["a.warc"]);
    let ended = place.dehusk(&["cat", "one", "two", "--records", "b.warc"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("1 records of 1 archive"), "{}", ended.stderr);
}

/// Runs the command that must fail and write nothing.
#[track_caller]
fn refused(place: &Place, arguments: &[&str], status: i32, said: &str) {
    let before = place.names(".");
    let ended = place.dehusk(&[&["cat"], arguments].concat());
    assert_eq!(ended.status, status, "{}", ended.stderr);
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    assert_eq!(place.names("."), before);
}

#[test]
fn nothing_is_written_that_is_not_whole() {
    let place = Place::new();
    let page = |words: &str| Warc::new("a", http(words.as_bytes())).bytes();
    place.write("a.warc", page("<p>A page of some words."));
    place.run(&["a.warc"]).ends_with(0);
    refused(
        &place,
        &["out", "--records", "out/b.warc"],
        2,
        "is in the directory of a run",
    );
    refused(
        &place,
        &["out", "--records", "b.warc", "--field", "url"],
        2,
        "cannot be used with",
    );
    refused(&place, &["out", "--overwrite"], 2, "--records");
    refused(
        &place,
        &["out", "--where", "words > 99", "--records", "b.warc"],
        1,
        "no document was chosen",
    );
    refused(
        &place,
        &["out", "--where", "wrds > 99", "--records", "b.warc"],
        2,
        "wrds",
    );
    refused(&place, &["none", "--records", "b.warc"], 1, "none");
    for taken in ["b.warc", "b.warc.cdxj"] {
        place.write(taken, "mine");
        refused(&place, &["out", "--records", "b.warc"], 1, "--overwrite replaces it");
        assert_eq!(fs::read(place.path(taken)).unwrap(), b"mine");
        fs::remove_file(place.path(taken)).unwrap();
    }
    // The archive is not what it was.
    let other = Warc::new("b", http(b"<p>A page of some words.")).bytes();
    place.write("a.warc", &other);
    refused(
        &place,
        &["out", "--records", "b.warc"],
        1,
        "a.warc@0: is not the record of the document urn:test:a",
    );
    place.write(
        "a.warc",
        [&b"Something in front of it, which is a line.\r\n"[..], &page("<p>A")].concat(),
    );
    refused(
        &place,
        &["out", "--records", "b.warc"],
        1,
        "a.warc@0: is not the record of the document urn:test:a",
    );
    fs::remove_file(place.path("a.warc")).unwrap();
    refused(&place, &["out", "--records", "b.warc"], 1, "a.warc: no such file");
}

#[test]
fn records_of_a_stream_are_refused() {
    let place = Place::new();
    let page = pages::page("http://a.example/", "A page of some words.");
    assert_eq!(place.dehusk_fed(&["run", "-", "-o", "out"], &page).status, 0);
    refused(
        &place,
        &["out", "--records", "b.warc"],
        1,
        "-: is a stream, which can be read once only",
    );
}

/// The records of an archive by verdict; what is read from a failing archive is not counted.
fn verdicts(place: &Place, archive: &str) -> Vec<String> {
    let listed = text(&place.dehusk(&["inspect", archive, "--verdicts"]));
    let verdict = |line: &str| line.split('\t').nth(6).unwrap_or_default().to_owned();
    listed.lines().skip(1).map(verdict).collect()
}

#[test]
fn every_whole_record_has_a_verdict_by_which_it_is_written_out() {
    let place = Place::new();
    let all = verdicts(&place, SAMPLE);
    for verdict in ["emitted", "filtered", "filtered: mime", "filtered: needs_script"] {
        let name = format!("{}.warc.gz", verdict.replace(": ", "-"));
        let ended = place.dehusk(&["inspect", SAMPLE, "--verdict", verdict, "--records", &name]);
        assert_eq!(ended.status, 3, "the sample is damaged: {}", ended.stderr);
        assert!(
            ended.stderr.contains("1 damaged records or ranges were left out"),
            "{}",
            ended.stderr
        );
        let expected: Vec<&String> = all.iter().filter(|found| found.starts_with(verdict)).collect();
        let found = verdicts(&place, &name);
        assert!(
            found[0].starts_with("filtered: record_type"),
            "it says how the others were chosen"
        );
        assert_eq!(found[1..].iter().collect::<Vec<_>>(), expected, "{verdict}");
        assert_eq!(place.dehusk(&["check", &name]).status, 0);
    }
    place.run(&[SAMPLE]).ends_with(3);
    place.run_to("again", &["emitted.warc.gz"]).ends_with(0);
    assert_eq!(documents(&place, "again", &[]), documents(&place, "out", &[]));
}

#[test]
fn records_are_written_out_by_type() {
    let place = Place::new();
    let of = |url: &str, mime: &str| pages::response(url, "200 OK", mime, b"some bytes");
    let archive = [
        of("http://a.example/1", "application/pdf; x=y"),
        of("http://a.example/2", "Image/PNG"),
        of("http://a.example/3", "text/html"),
        of("http://a.example/4", "image/gif"),
    ];
    place.write("a.warc", archive.concat());
    let urls = |arguments: &[&str]| {
        let run = ["inspect", "a.warc", "--records", "b.warc", "--overwrite"];
        let ended = place.dehusk(&[&run[..], arguments].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let index = fs::read_to_string(place.path("b.warc.cdxj")).unwrap();
        let last = |line: &str| line.split(' ').next().unwrap().chars().last().unwrap();
        index.lines().map(last).collect::<String>()
    };
    assert_eq!(urls(&["--type", "application/pdf"]), "1");
    assert_eq!(urls(&["--type", "image/*", "--type", "application/pdf"]), "124");
    assert_eq!(urls(&["--verdict", "filtered: mime"]), "124");
    assert_eq!(urls(&["--verdict", "filtered", "--type", "image/png"]), "2");
    let written = fs::read_to_string(place.path("b.warc")).unwrap();
    for said in [
        "dehusk-archive: a.warc",
        "dehusk-verdict: filtered",
        "dehusk-type: image/png",
    ] {
        assert!(written.contains(&format!("\r\n{said}\r\n")), "{written}");
    }
}

#[test]
fn a_choice_that_cannot_be_met_writes_nothing() {
    let place = Place::new();
    place.write("a.warc", pages::page("http://a.example/", "A page of some words."));
    place.write("taken.warc", "mine");
    let mime = ["--type", "text/html"];
    for (arguments, status, said) in [
        (&["a.warc", "--records", "b.warc"][..], 2, "required"),
        (&["a.warc", "--type", "text/html"], 2, "--records"),
        (
            &[&["a.warc@0", "--records", "b.warc"][..], &mime].concat(),
            2,
            "takes a whole archive",
        ),
        (
            &[&["a.warc", "--records", "taken.warc"][..], &mime].concat(),
            1,
            "--overwrite replaces it",
        ),
        (
            &["a.warc", "--records", "b.warc", "--verdict", "emited"],
            1,
            "--verdicts` lists types and verdicts",
        ),
        (
            &[
                "a.warc",
                "--records",
                "b.warc",
                "--verdict",
                "emitted",
                "--type",
                "text/x",
            ],
            1,
            "no record was chosen",
        ),
        (
            &[&["none.warc", "--records", "b.warc"][..], &mime].concat(),
            1,
            "none.warc: no such file",
        ),
    ] {
        let ended = place.dehusk(&[&["inspect"][..], arguments].concat());
        assert_eq!(ended.status, status, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
        assert_eq!(place.names("."), ["a.warc", "taken.warc"]);
    }
    assert_eq!(fs::read(place.path("taken.warc")).unwrap(), b"mine");
}
