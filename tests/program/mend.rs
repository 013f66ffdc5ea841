//! `dehusk mend`: a clean archive of all that can be read of a damaged one.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::archives::damaged::damaged;
use crate::archives::make::{self, Form, Warc, http};
use crate::program::{Ended, Place, SAMPLE, json_lines, unpack};

/// Where a document comes from, and what was odd about the record there: mending changes both.
const OF_THE_PLACE: [&str; 5] = ["file_path", "warc_offset", "warc_length", "offset_in_member", "flags"];

/// The documents of a run over a folder, archive by archive.
fn documents(place: &Place, archives: &str, out: &str) -> BTreeMap<String, Vec<Value>> {
    let ended = place.dehusk(&["run", archives, "-o", out, "--compression", "none", "--quiet"]);
    assert!(matches!(ended.status, 0 | 1 | 3), "{}", ended.stderr);
    let folder = format!("{out}/documents");
    let read = |name: String| {
        let documents = json_lines(&fs::read(place.path(&folder).join(&name)).unwrap());
        let number = name.split(['-', '.']).next().unwrap().to_owned();
        (number, documents.into_iter().map(without_place).collect())
    };
    place.names(&folder).into_iter().map(read).collect()
}

fn without_place(mut document: Value) -> Value {
    let fields = document["metadata"].as_object_mut().unwrap();
    fields.retain(|name, _| !OF_THE_PLACE.contains(&name.as_str()));
    document
}

/// Takes out what a record without an id or a date is given, and writes a URL as mending must.
fn without_invented(mut before: Value, mut after: Value) -> (Value, Value) {
    for document in [&mut before, &mut after] {
        let url = document["metadata"]["url"].as_str().unwrap().replace(' ', "%20");
        document["metadata"]["url"] = url.into();
    }
    if before["created"] == "" {
        (before["created"], after["created"]) = (Value::Null, Value::Null);
    }
    if !before["id"].as_str().unwrap().starts_with("urn:test:") {
        (before["id"], after["id"]) = (Value::Null, Value::Null);
    }
    (before, after)
}

fn report(place: &Place, archive: &str) -> Vec<Value> {
    json_lines(&fs::read(place.path(&format!("{archive}.report.jsonl"))).unwrap())
}

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.clone()).unwrap()
}

#[test]
fn each_of_200_damaged_archives_passes_check_and_gives_the_same_documents() {
    let place = Place::new();
    let archives = damaged(200);
    fs::create_dir(place.path("clean")).unwrap();
    for (number, archive) in archives.iter().enumerate() {
        let damaged = format!("damaged/{}", archive.name);
        place.write(&damaged, &archive.bytes);
        let end = [".gz", "", ".zst"][number % 3];
        let framing = archive.name.split('.').nth(1).unwrap();
        let clean = format!("clean/{number:03}.{framing}{end}");
        let ended = place.dehusk(&["mend", &damaged, "-o", &clean]);
        let has_none = ended.status == 1;
        assert!(matches!(ended.status, 0 | 3) || has_none, "{damaged}: {}", ended.stderr);
        assert_eq!(place.path(&clean).exists(), !has_none, "{damaged}");
    }
    let checked = place.dehusk(&["check", "clean", "--severity", "error"]);
    assert_eq!(checked.status, 0, "{}{}", text(&checked), checked.stderr);
    let before = documents(&place, "damaged", "before");
    let mut after = documents(&place, "clean", "after");
    let mut compared = 0;
    for (number, before) in before {
        let after = after.remove(&number).unwrap_or_default();
        assert_eq!(before.len(), after.len(), "{number}");
        for (before, after) in before.into_iter().zip(after) {
            let (before, after) = without_invented(before, after);
            assert_eq!(before, after, "{number}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "most records are whole: {compared}");
}

#[test]
fn what_is_left_out_or_corrected_is_listed() {
    let place = Place::new();
    let records = [
        Warc::new("good", http(b"<p>good")).bytes(),
        Warc::new("date", http(b"<p>date")).field("WARC-Date", "soon").bytes(),
        Warc::new("lost", http(b"<p>lost")).bytes(),
        Warc::new("last", http(b"<p>last")).bytes(),
    ];
    let mut members = records.clone().map(|record| make::gzip(&record));
    let middle = members[2].len() / 2;
    members[2][middle] ^= 0xff;
    place.write("a.warc.gz", members.concat());
    let ended = place.dehusk(&["mend", "a.warc.gz", "-o", "b.warc.gz"]);
    assert_eq!(ended.status, 3, "{}", ended.stderr);
    let lines = report(&place, "b.warc.gz");
    let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    let (changed, summary) = (&lines[0], lines.last().unwrap());
    assert_eq!((outcomes[0], outcomes[outcomes.len() - 1]), ("changed", "summary"));
    assert_eq!(
        (&changed["id"], &changed["offset"]),
        (&"urn:test:date".into(), &members[0].len().into())
    );
    assert!(changed["changes"][0].as_str().unwrap().starts_with("WARC-Date: soon: "));
    let lost = &lines[1];
    assert_eq!(lost["offset"], members[0].len() + members[1].len());
    assert!(["left_out", "skipped"].contains(&outcomes[1]), "{lost}");
    assert!(lost["rule"].as_str().unwrap().starts_with("gzip_"), "{lost}");
    assert_eq!((&summary["written"], &summary["changed"]), (&3.into(), &1.into()));
    assert!(
        ended.stderr.contains("3 of 3 records written, 1 corrected, "),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("b.warc.gz.report.jsonl"), "{}", ended.stderr);
    let written = String::from_utf8(unpack(&place.path("b.warc.gz"))).unwrap();
    // Neither the good records nor what was wrong is lost.
    assert!(written.starts_with(std::str::from_utf8(&records[0]).unwrap()));
    assert!(written.ends_with(std::str::from_utf8(&records[3]).unwrap()));
    assert!(written.contains("\r\nX-Dehusk-Was: WARC-Date: soon\r\n"), "{written}");
    // The date is that of the record before.
    assert_eq!(written.matches("WARC-Date: 2024-05-06T07:08:09Z\r\n").count(), 3);
}

#[test]
fn a_clean_archive_keeps_its_bytes_and_gets_a_member_a_record() {
    let entries = make::warcs(7, 900, 5);
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.bytes()).collect();
    for form in [Form::Plain, Form::GzipWhole, Form::GzipBlocks, Form::ZstdDictionary] {
        let place = Place::new();
        place.write("a.warc", make::archive(form, &entries).bytes);
        for name in ["b.warc", "b.warc.gz", "b.warc.zst"] {
            let ended = place.dehusk(&["mend", "a.warc", "-o", name]);
            assert_eq!(ended.status, 0, "{form:?}: {}", ended.stderr);
            assert_eq!(unpack(&place.path(name)), bytes, "{form:?} to {name}");
            let found = text(&place.dehusk(&["check", name, "--severity", "note"]));
            assert!(
                found
                    .trim_end()
                    .ends_with(": 7 records, 0 digests verified: 0 errors, 0 warnings, 0 notes"),
                "{found}"
            );
            assert_eq!(report(&place, name).len(), 1);
        }
    }
}

#[test]
fn an_arc_file_stays_one() {
    let place = Place::new();
    let mut entries = make::arcs(3, 500, 9);
    entries[2].head = b"http://r1.example/a page 192.0.2.1 20080102030405 text/html 2\n".to_vec();
    place.write("a.arc", make::archive(Form::Plain, &entries).bytes);
    let ended = place.dehusk(&["mend", "a.arc", "-o", "b.arc.gz"]);
    assert_eq!(ended.status, 0, "nothing is lost: {}", ended.stderr);
    let written = unpack(&place.path("b.arc.gz"));
    let line = format!(
        "\nhttp://r1.example/a page 192.0.2.1 20080102030405 text/html {}\n",
        entries[2].block.len()
    );
    assert!(String::from_utf8(written).unwrap().contains(&line));
    assert_eq!(place.dehusk(&["check", "b.arc.gz"]).status, 0);
}

#[test]
fn nothing_that_exists_is_replaced_unasked() {
    for taken in ["b.warc", "b.warc.report.jsonl"] {
        let place = Place::new();
        place.write("a.warc", Warc::new("a", http(b"<p>a")).bytes());
        place.write(taken, "mine");
        let ended = place.dehusk(&["mend", "a.warc", "-o", "b.warc"]);
        assert_eq!(ended.status, 1);
        assert!(ended.stderr.contains(taken), "{}", ended.stderr);
        assert!(ended.stderr.contains("--overwrite replaces it"), "{}", ended.stderr);
        assert_eq!(fs::read(place.path(taken)).unwrap(), b"mine");
        assert_eq!(place.names("."), ["a.warc", taken]);
        let again = place.dehusk(&["mend", "a.warc", "-o", "b.warc", "--overwrite"]);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert_eq!(place.names("."), ["a.warc", "b.warc", "b.warc.report.jsonl"]);
    }
}

#[test]
fn the_damaged_archive_is_never_replaced() {
    let place = Place::new();
    let bytes = Warc::new("a", http(b"<p>a")).field("WARC-Date", "soon").bytes();
    place.write("a.warc", &bytes);
    for output in ["a.warc", "./a.warc"] {
        let ended = place.dehusk(&["mend", "a.warc", "-o", output, "--overwrite"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("is the archive itself"), "{}", ended.stderr);
        assert_eq!(fs::read(place.path("a.warc")).unwrap(), bytes);
    }
    assert_eq!(place.names("."), ["a.warc"]);
}

#[test]
fn what_holds_no_record_is_refused_and_nothing_is_written() {
    let place = Place::new();
    let lost = make::gzip(&Warc::new("a", http(b"<p>a")).bytes());
    place.write("empty.warc", b"");
    place.write("text.warc", b"nothing of the kind");
    place.write("cut.warc.gz", &lost[..lost.len() / 2]);
    place.write(
        "pages.tar",
        [make::tar_file("a.html", b"<p>a"), make::TAR_END.to_vec()].concat(),
    );
    let names = place.names(".");
    for (input, said) in [
        ("missing.warc", "missing.warc: no such file"),
        ("empty.warc", "no record of it can be read; nothing was written"),
        ("text.warc", "text.warc"),
        (
            "cut.warc.gz",
            "cut.warc.gz: no record of it can be read; nothing was written",
        ),
        ("pages.tar", "pages.tar: is a tar file, which has no records"),
    ] {
        let ended = place.dehusk(&["mend", input, "-o", "b.warc"]);
        assert_eq!(ended.status, 1, "{input}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{input}: {}", ended.stderr);
        assert_eq!(place.names("."), names, "{input}");
    }
}

#[test]
fn a_stream_is_mended_as_a_file_is() {
    let place = Place::new();
    assert_eq!(place.dehusk(&["mend", SAMPLE, "-o", "a.warc.gz"]).status, 3);
    let ended = place.dehusk_fed(&["mend", "-", "-o", "b.warc.gz"], &fs::read(SAMPLE).unwrap());
    assert_eq!(ended.status, 3, "{}", ended.stderr);
    assert_eq!(
        fs::read(place.path("a.warc.gz")).unwrap(),
        fs::read(place.path("b.warc.gz")).unwrap()
    );
}
