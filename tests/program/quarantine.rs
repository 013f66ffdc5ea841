//! Keeping the stored bytes of what fails.

use crate::archives::make::{self, Form, Made, Warc, archive, response};
use crate::archives::{Random, damage};
use crate::program::{Place, Run, json_lines};
use serde_json::Value;

/// A good page, one in UTF-7, a damaged unit, junk, and a good page again.
fn damaged(form: Form) -> (Made, Vec<u8>) {
    let page = |id: &str| Warc::new(id, make::http(b"<p>A page of some words.</p>")).entry();
    let utf7 = response("utf7", "Content-Type: text/html; charset=utf-7\r\n", b"<p>+AGEAYgBj-");
    let utf7 = make::Entry {
        head: utf7,
        block: Vec::new(),
        tail: Vec::new(),
    };
    let long = Warc::new("hit", make::http(&Random(3).text(30_000))).entry();
    let mut made = archive(form, &[page("first"), utf7, long, page("last")]);
    let units = made.starts.len();
    let (from, to) = (made.starts[units - 2], made.starts[units - 1]);
    made.bytes = damage::flip(&made.bytes, (from + to) / 2, 0xff);
    let junk = Random(9).bytes(500);
    made.bytes = damage::insert(&made.bytes, to, &junk);
    (made, junk)
}

fn file(run: &Run, name: &str) -> Vec<u8> {
    std::fs::read(run.directory.join("quarantine").join(name)).unwrap()
}

/// The index, each line with the bytes that it points to; all that it points to must be as it was in the archive.
fn index(run: &Run, name: &str, original: &[u8]) -> Vec<(Value, Vec<u8>)> {
    let lines = json_lines(&file(run, &format!("{name}.jsonl")));
    let bytes = |line: &Value| {
        let number = |key: &str| line[key].as_u64().unwrap() as usize;
        let name = line["file"].as_str().unwrap();
        if name.is_empty() {
            return Vec::new();
        }
        let kept = file(run, name)[number("at")..][..number("stored_length")].to_vec();
        assert!(kept == original[number("offset")..][..kept.len()], "{line}");
        kept
    };
    assert_eq!(lines.len(), run.failed.len());
    for (line, failure) in lines.iter().zip(&run.failed) {
        let failure = failure.as_object().unwrap();
        assert!(failure.iter().all(|(key, value)| line[key] == *value), "{line}");
    }
    lines.iter().map(|line| (line.clone(), bytes(line))).collect()
}

#[test]
fn failed_records_are_kept_unchanged_with_their_reason() {
    for (form, name) in [
        (Form::Gzip, "crawl.warc.gz"),
        (Form::ZstdDictionary, "crawl.warc.zst"),
        (Form::ZstdDictionaryCompressed, "crawl.warc.zst"),
    ] {
        let (made, junk) = damaged(form);
        let place = Place::new();
        place.write(name, &made.bytes);
        // A stream gives the same files as a mapped archive.
        let mapped = place.run(&[name, "--quarantine", "--threads", "2"]).ends_with(3);
        let piped = place.dehusk_fed(&["run", "-", "-o", "piped", "--quarantine"], &made.bytes);
        let piped = place.read("piped", piped).ends_with(3);
        for (run, shard) in [(&mapped, "crawl"), (&piped, "stdin")] {
            let lines = index(run, shard, &made.bytes);
            let of = |reason: &str| lines.iter().filter(|(l, _)| l["reason"] == reason).collect::<Vec<_>>();
            let utf7 = of("charset_unsupported");
            assert_eq!((utf7.len(), &utf7[0].0["id"]), (1, &"urn:test:utf7".into()));
            let units = made.starts.len();
            let whole = made.starts[units - 2] - made.starts[units - 3];
            assert_eq!(utf7[0].1.len(), whole, "all of the member");
            let gap = of(if form == Form::Gzip { "gzip_gap" } else { "zstd_gap" });
            assert!(gap.is_empty() || gap[0].1.ends_with(&junk), "{form:?}");
            assert!(lines.iter().all(|(_, bytes)| !bytes.is_empty()), "{lines:?}");
            let listed: Vec<&str> = run.archives()[0]["quarantine"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| f.as_str().unwrap())
                .collect();
            assert!(
                listed.contains(&format!("quarantine/{shard}.jsonl").as_str()),
                "{listed:?}"
            );
        }
        // The quarantine is an archive that can be looked at, and gives the reason again.
        let kept = format!("out/quarantine/{name}");
        let ended = place.dehusk(&["inspect", &kept, "--verdicts"]);
        let list = String::from_utf8(ended.stdout).unwrap();
        assert!(
            list.contains("failed: charset_unsupported"),
            "{form:?}: {list}{}",
            ended.stderr
        );
    }
}

#[test]
fn a_record_beyond_the_limit_is_kept_without_being_held() {
    let long = Warc::new("long", make::http(&Random(3).text(12 << 20))).bytes();
    let bytes = [
        &make::warcs(1, 500, 1)[0].bytes()[..],
        &long,
        &make::warcs(1, 500, 2)[0].bytes(),
    ]
    .concat();
    let place = Place::new();
    place.write("a.warc", &bytes);
    let limit = ["--set", "limits.record_bytes=1000000"];
    let run = place
        .run(&[&["a.warc", "--quarantine"], &limit[..]].concat())
        .ends_with(3);
    assert!(file(&run, "a.warc") == long);
    // A stream keeps 4 MiB before its position; the index marks what is longer as not kept.
    let ended = place.dehusk_fed(
        &[&["run", "-", "-o", "piped", "--quarantine"], &limit[..]].concat(),
        &bytes,
    );
    let run = place.read("piped", ended).ends_with(3);
    let lines = index(&run, "stdin", &bytes);
    assert_eq!((lines.len(), &lines[0].0["file"]), (1, &"".into()));
}

#[test]
fn several_records_of_one_member_are_kept_once() {
    let utf7 = |id: &str| response(id, "Content-Type: text/html; charset=utf-7\r\n", b"<p>+AGEAYgBj-");
    let member = make::gzip(&[utf7("a"), utf7("b"), utf7("c")].concat());
    let place = Place::new();
    place.write("a.warc.gz", &member);
    let run = place.run(&["a.warc.gz", "--quarantine"]).ends_with(3);
    assert!(file(&run, "a.warc.gz") == member);
    assert_eq!(index(&run, "a", &member).len(), 3);
}

#[test]
fn records_without_a_length_are_kept_with_their_member() {
    let records = || {
        let without_length = |id: &str| Warc::new(id, make::http(b"<p>Of what length?")).length("many").bytes();
        let good = |id: &str| Warc::new(id, make::http(b"<p>A page.</p>")).bytes();
        [
            good("a"),
            without_length("b"),
            without_length("c"),
            good("d"),
            without_length("e"),
        ]
        .concat()
    };
    for (name, unit) in [
        ("a.warc.gz", make::gzip(&records())),
        ("a.warc.zst", make::zstd(&records(), &[])),
    ] {
        let place = Place::new();
        let bytes = [&unit[..], &unit].concat();
        place.write(name, &bytes);
        let mapped = place.run(&[name, "--quarantine"]).ends_with(3);
        let piped = place.dehusk_fed(&["run", "-", "-o", "piped", "--quarantine"], &bytes);
        let piped = place.read("piped", piped).ends_with(3);
        for (run, shard) in [(mapped, "a"), (piped, "stdin")] {
            let lines = index(&run, shard, &bytes);
            assert_eq!(lines.len(), 6);
            for (line, kept) in &lines {
                assert_eq!(line["length"], unit.len(), "{line}");
                assert!(*kept == unit, "{line}");
            }
        }
    }
}

#[test]
fn whole_records_are_not_kept_and_nothing_is_kept_without_the_option() {
    let (made, _) = damaged(Form::Gzip);
    let place = Place::new();
    place.write("crawl.warc.gz", &made.bytes);
    place.write("good.warc", make::warcs(1, 500, 1)[0].bytes());
    place.run(&["crawl.warc.gz"]).ends_with(3);
    assert_eq!(
        place.names("out"),
        [".dehusk.lock", "documents", "failed.jsonl", "report.html", "run.json"]
    );
    let run = place.run_to("good", &["good.warc", "--quarantine"]).ends_with(0);
    assert_eq!(place.names("good/quarantine"), [""; 0]);
    assert_eq!(run.archives()[0].get("quarantine"), None);
}

#[test]
fn the_quarantine_of_an_earlier_run_is_replaced_and_links_are_not_followed() {
    let (made, _) = damaged(Form::Gzip);
    let place = Place::new();
    place.write("crawl.warc.gz", &made.bytes);
    place.run(&["crawl.warc.gz", "--quarantine"]).ends_with(3);
    assert!(!place.names("out/quarantine").is_empty());
    place
        .run(&["crawl.warc.gz", "--overwrite", "--quarantine"])
        .ends_with(3);
    assert!(!place.names("out/quarantine").is_empty());
    place.run(&["crawl.warc.gz", "--overwrite"]).ends_with(3);
    assert_eq!(place.names("out/quarantine"), [""; 0]);
    std::fs::remove_dir(place.path("out/quarantine")).unwrap();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("out/quarantine")).unwrap();
    let ended = place.dehusk(&["run", "crawl.warc.gz", "-o", "out", "--overwrite", "--quarantine"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("symbolic link"), "{}", ended.stderr);
    assert_eq!(place.names("elsewhere"), [""; 0]);
}
