//! `dehusk run --records-out`: archives of chosen records beside the documents.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::archives::make::{self as archives, Form};
use crate::program::{EXTRACTOR, Place, Run, SAMPLE, make, program, unpack};

/// Where a document comes from: another archive has the same record elsewhere.
const OF_THE_PLACE: [&str; 4] = ["file_path", "warc_offset", "warc_length", "offset_in_member"];

/// Documents without their place.
fn documents(run: &Run, keep: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut documents: Vec<Value> = run.documents().into_iter().filter(keep).collect();
    for document in &mut documents {
        let fields = document["metadata"].as_object_mut().unwrap();
        fields.retain(|name, _| !OF_THE_PLACE.contains(&name.as_str()));
    }
    documents
}

/// The URLs of the records of an archive, in order, without that of the record which describes it.
fn urls(place: &Place, archive: &str) -> Vec<String> {
    let text = unpack(&place.path(archive));
    let text = String::from_utf8_lossy(&text);
    let urls = text.lines().filter_map(|line| line.strip_prefix("WARC-Target-URI: "));
    urls.map(str::to_owned).collect()
}

#[test]
fn records_read_back_give_the_same_documents() {
    let place = Place::new();
    let rules = ["--records-out", "short:words < 300", "--records-out", "all"];
    let run = place.run(&[&[SAMPLE], &rules[..]].concat()).ends_with(3);
    let listed = json!([
        "records/sample.short.warc.gz",
        "records/sample.short.warc.gz.cdxj",
        "records/sample.all.warc.gz",
        "records/sample.all.warc.gz.cdxj"
    ]);
    assert_eq!(run.archives()[0]["records"], listed, "in the order of the rules");
    let is_short = |document: &Value| document["metadata"]["words"].as_u64().unwrap() < 300;
    for (set, short_only) in [("short", true), ("all", false)] {
        let name = format!("out/records/sample.{set}.warc.gz");
        let again = place.run_to(&format!("again-{set}"), &[&name]).ends_with(0);
        let chosen = documents(&run, |document| !short_only || is_short(document));
        assert!(chosen.len() >= 10, "{set}: {}", chosen.len());
        assert_eq!(documents(&again, |_| true), chosen, "{set}");
        let checked = place.dehusk(&["check", &name, "--severity", "note"]);
        let checked = String::from_utf8(checked.stdout).unwrap();
        assert!(checked.contains(": 0 errors, 0 warnings, 0 notes"), "{checked}");
    }
    // Stored bytes are copied, and the index lists where they are.
    let (whole, sample) = (
        fs::read(place.path("out/records/sample.all.warc.gz")).unwrap(),
        fs::read(SAMPLE).unwrap(),
    );
    let lines = fs::read_to_string(place.path("out/records/sample.all.warc.gz.cdxj")).unwrap();
    assert_eq!(lines.lines().count() as u64, run.total("emitted"));
    for line in lines.lines() {
        let object: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        let number = |name: &str| object[name].as_str().unwrap().parse::<usize>().unwrap();
        let stored = &whole[number("offset")..number("offset") + number("length")];
        assert!(sample.windows(stored.len()).any(|window| window == stored), "{line}");
        assert_eq!(object["filename"], "sample.all.warc.gz");
    }
    // A record of several sets is named in the archive of each.
    let short = fs::read_to_string(place.path("out/records/sample.short.warc.gz.cdxj")).unwrap();
    assert!(
        short
            .lines()
            .all(|line| line.ends_with(r#""filename": "sample.short.warc.gz"}"#))
            && !short.is_empty()
    );
    let mut sorted: Vec<&str> = lines.lines().collect();
    sorted.sort_unstable();
    let indexed = place.dehusk(&["index", "out/records/sample.all.warc.gz"]);
    assert_eq!(
        String::from_utf8(indexed.stdout).unwrap().lines().collect::<Vec<_>>(),
        sorted
    );
    let first = String::from_utf8_lossy(&unpack(&place.path("out/records/sample.short.warc.gz"))[..900]).into_owned();
    for said in [
        "WARC-Type: warcinfo\r\n",
        "\r\ndehusk-rule: words < 300\r\n",
        "\r\ndehusk-archive: ",
    ] {
        assert!(first.contains(said), "{first}");
    }
}

#[test]
fn rules_choose_by_outcome_reason_and_type() {
    let response = |name: &str, status: &str, mime: &str, body: &[u8]| {
        make::response(&format!("https://a.example/{name}"), status, mime, body)
    };
    let records = [
        make::page("https://a.example/page", "A page of some words."),
        response("empty", "200 OK", "text/html", b"<p></p>"),
        response("gone", "404 Not Found", "text/html", b"<p>Gone."),
        response("pdf", "200 OK", "application/pdf; x=y", b"%PDF-1.4"),
        response("png", "200 OK", "image/png", b"\x89PNG"),
        response("utf7", "200 OK", "text/html; charset=utf-7", b"<p>+AGEAYgBj-"),
        make::record("resource", "urn:x", "Content-Type: image/gif; x=y\r\n", b"GIF89a"),
    ];
    let place = Place::new();
    place.write("a.warc", records.concat());
    let rules = [
        "ok",
        "none:filtered: empty",
        "none:filtered: status",
        "files:type: application/PDF",
        "images:type: image/*",
        "failed:failed: charset_unsupported",
        "filtered:filtered",
        "urls:url: example/(gone|p[dn]f?)",
        "never:words > 100",
    ];
    let flags: Vec<&str> = rules.iter().flat_map(|rule| ["--records-out", *rule]).collect();
    place.run(&[&["a.warc"], &flags[..]].concat()).ends_with(3);
    for (set, expected) in [
        ("ok", &["page"][..]),
        ("none", &["empty", "gone"]),
        ("files", &["pdf"]),
        ("images", &["png", "urn:x"]),
        ("failed", &["utf7"]),
        ("filtered", &["empty", "gone", "pdf", "png", "urn:x"]),
        ("urls", &["gone", "pdf", "png"]),
    ] {
        let urls = urls(&place, &format!("out/records/a.{set}.warc.gz"));
        let names: Vec<&str> = urls
            .iter()
            .map(|url| url.trim_start_matches("https://a.example/"))
            .collect();
        assert_eq!(names, expected, "{set}");
    }
    let names = place.names("out/records");
    assert_eq!(names.len(), 14, "no archive without a record: {names:?}");
}

#[test]
fn the_archives_are_the_same_for_all_forms_of_reading() {
    let warcs = archives::warcs(60, 30_000, 7);
    let bytes = archives::archive(Form::Gzip, &warcs).bytes;
    let place = Place::new();
    place.write("a.warc.gz", &bytes);
    let flags = ["--records-out", "some:url ~ [13579][.]example"];
    let made: Vec<Vec<u8>> = ["1", "3"]
        .iter()
        .map(|threads| {
            place.run_to(threads, &[&["a.warc.gz", "--threads", threads], &flags[..]].concat());
            unpack(&place.path(&format!("{threads}/records/a.some.warc.gz")))
        })
        .collect();
    let piped = place.dehusk_fed(&[&["run", "-", "-o", "piped"], &flags[..]].concat(), &bytes);
    assert_eq!(piped.status, 0, "{}", piped.stderr);
    let piped = unpack(&place.path("piped/records/stdin.some.warc.gz"));
    // All but the record that describes the archive: it names what was read.
    let rest = |bytes: &[u8]| {
        let second = bytes.windows(5).skip(5).position(|window| window == b"WARC/").unwrap();
        bytes[second + 5..].to_vec()
    };
    assert_eq!(made[0], made[1]);
    assert_eq!(rest(&made[0]), rest(&piped));
    assert_eq!(urls(&place, "1/records/a.some.warc.gz").len(), 30);
}

#[test]
fn two_runs_write_the_same_bytes() {
    let warc = make::page("https://a.example/", "A page of some words.");
    let body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A page of some words.";
    let arc = |url: &str| {
        let line = format!("{url} 192.0.2.1 20080430204825 text/html {}\n", body.len());
        [line.as_bytes(), body, b"\n"].concat()
    };
    let first = "filedesc://a.arc 0.0.0.0 20080430000000 text/plain 69\n1 0 x\n\
        URL IP-address Archive-date Content-type Archive-length\n\n\n";
    let arc = [first.as_bytes(), &arc("http://b.example/"), &arc("http://c.example/")].concat();
    let place = Place::new();
    place.write("a.warc", [without_id(&warc), warc].concat());
    place.write("b.arc", arc);
    let files = [
        "a.all.warc.gz",
        "a.all.warc.gz.cdxj",
        "b.all.warc.gz",
        "b.all.warc.gz.cdxj",
    ];
    let made = ["one", "two"].map(|folder| {
        place
            .run_to(folder, &["a.warc", "b.arc", "--records-out", "all"])
            .ends_with(0);
        files.map(|file| fs::read(place.path(folder).join("records").join(file)).unwrap())
    });
    assert!(made[0] == made[1]);
    for (file, date) in [("a", "2024-05-06T07:08:09Z"), ("b", "2008-04-30T20:48:25Z")] {
        let text = unpack(&place.path(&format!("one/records/{file}.all.warc.gz")));
        let text = String::from_utf8_lossy(&text);
        let (first, second) = text.split_once("\r\n\r\n").unwrap();
        assert!(first.contains(&format!("\r\nWARC-Date: {date}\r\n")), "{first}");
        let ids: std::collections::BTreeSet<_> =
            text.lines().filter(|line| line.starts_with("WARC-Record-ID")).collect();
        assert_eq!(ids.len(), 3, "{second}");
    }
}

#[test]
fn a_document_whose_record_cannot_be_mended_is_not_lost() {
    let page = String::from_utf8(make::page("https://a.example/", "A page of some words.")).unwrap();
    let segment = page.replacen("WARC-Date", "WARC-Segment-Number: 2\r\nWARC-Date", 1);
    let place = Place::new();
    place.write("a.warc", segment);
    let run = place.run(&["a.warc", "--records-out", "all"]).ends_with(0);
    assert_eq!((run.total("emitted"), run.total("notes.not_copied")), (1, 0));
    let again = place.run_to("again", &["out/records/a.all.warc.gz"]).ends_with(0);
    assert_eq!(documents(&again, |_| true), documents(&run, |_| true));
}

/// A record without its id.
fn without_id(record: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(record.to_vec()).unwrap();
    let lines = text
        .split_inclusive("\r\n")
        .filter(|line| !line.starts_with("WARC-Record-ID"));
    lines.collect::<String>().into_bytes()
}

#[cfg(unix)]
#[test]
fn a_line_end_in_a_name_ends_no_line_of_a_header() {
    let place = Place::new();
    place.write(
        "a\r\nX: y\n.warc",
        make::page("https://a.example/", "A page of some words."),
    );
    place.run(&["a\r\nX: y\n.warc", "--records-out", "all"]).ends_with(0);
    let copy = "out/records/a\r\nX: y\n.all.warc.gz";
    let text = String::from_utf8(unpack(&place.path(copy))).unwrap();
    assert!(
        text.contains("\r\nWARC-Filename: a\\u{d}\\u{a}X: y\\u{a}.all.warc.gz\r\n"),
        "{text}"
    );
    assert!(!text.contains("\nX: y"), "{text}");
}

#[test]
fn frames_of_zstd_stay_what_they_are() {
    for (form, name) in [(Form::Zstd, "a.warc.zst"), (Form::ZstdDictionary, "b.warc.zst")] {
        let place = Place::new();
        place.write(name, archives::archive(form, &archives::warcs(6, 900, 5)).bytes);
        let run = place.run(&[name, "--records-out", "all"]).ends_with(0);
        let stem = &name[..1];
        let copy = format!("out/records/{stem}.all.warc.zst");
        let again = place.run_to("again", &[&copy]).ends_with(0);
        assert_eq!(documents(&again, |_| true), documents(&run, |_| true), "{form:?}");
    }
}

#[test]
fn the_same_command_with_another_rule_is_refused_and_redone() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "A page of some words."));
    place.run(&["a.warc", "--records-out", "one"]).ends_with(0);
    let again = place.dehusk(&["run", "a.warc", "-o", "out", "-e", EXTRACTOR, "--records-out", "two"]);
    assert_eq!(again.status, 1, "{}", again.stderr);
    assert!(again.stderr.contains("output.records"), "{}", again.stderr);
    place.run(&["a.warc", "--records-out", "two", "--changed"]).ends_with(0);
    assert_eq!(place.names("out/records"), ["a.two.warc.gz", "a.two.warc.gz.cdxj"]);
}

/// Every file may have so many blocks and no more: the write that passes them fails.
#[test]
fn nothing_half_is_under_a_final_name_when_the_disk_is_full() {
    let place = Place::new();
    let bytes = archives::archive(Form::Gzip, &archives::warcs(8, 9_000, 3)).bytes;
    place.write("a.warc.gz", bytes);
    let arguments = [
        "run",
        "a.warc.gz",
        "-e",
        EXTRACTOR,
        "-o",
        "out",
        "--records-out",
        "all",
        "--quiet",
    ];
    let mut failed = 0;
    for blocks in [1, 8, 16, 32, 48, 64] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = place.shell_command("sh");
        command.args(["-c", &script, "sh"]).arg(program()).args(arguments);
        let ended = place.spawn(command, Stdio::null()).end();
        if ended.status != 0 {
            assert!(ended.stderr.contains("File too large"), "{}", ended.stderr);
            assert_eq!(
                place
                    .names("out/records")
                    .iter()
                    .filter(|name| !name.starts_with('.'))
                    .count(),
                0
            );
            failed += 1;
        }
        let again = place.dehusk(&arguments);
        assert_eq!(again.status, 0, "{blocks}: {}", again.stderr);
        assert_eq!(urls(&place, "out/records/a.all.warc.gz").len(), 8);
        fs::remove_dir_all(place.path("out")).unwrap();
    }
    assert!(failed > 2, "the points lie within the run: {failed}");
}

#[test]
fn documents_have_their_html_if_it_is_asked_for() {
    let place = Place::new();
    let html = b"<html><p>K\xf6nnen w\xf6rter hier sein.";
    place.write(
        "a.warc",
        make::response("https://a.example/", "200 OK", "text/html; charset=iso-8859-1", html),
    );
    let run = place.run(&["a.warc", "--set", "output.html=true"]).ends_with(0);
    assert_eq!(
        run.documents()[0]["html"],
        "<html><p>K\u{f6}nnen w\u{f6}rter hier sein."
    );
    let without = place.run_to("without", &["a.warc"]).ends_with(0);
    assert_eq!(without.documents()[0].get("html"), None);
}

#[test]
fn what_is_no_rule_is_refused() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "A page of some words."));
    for (rule, says) in [
        ("/tmp/x:words > 3", "does not begin with a name"),
        ("x:filtered: emtpy", "did you mean \u{201c}empty\u{201d}?"),
        ("x:quality_sentences > 3", "output.quality"),
    ] {
        let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--records-out", rule]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("output.records"), "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
}
