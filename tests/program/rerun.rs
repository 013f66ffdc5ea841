//! Runs over a part of what there is: parts of a list, what failed before, what has changed since, records by offset.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::program::{Place, Run, make};
use crate::resume::{broken, page};

fn paths(run: &Run) -> Vec<&str> {
    run.archives().iter().map(|a| a["path"].as_str().unwrap()).collect()
}

#[test]
fn the_parts_of_a_list_are_the_list() {
    let place = Place::new();
    let mut list = String::new();
    for i in 0..7 {
        // All of one name, so that the names of shards depend on the whole list.
        place.write(&format!("{i}/a.warc"), page(&format!("p{i}")));
        list.push_str(&format!("{i}/a.warc\n"));
    }
    place.write("list", list);
    let whole = place.run_to("whole", &["@list"]).ends_with(0);
    let mut parts = std::collections::BTreeMap::new();
    let mut read = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let folder = format!("part-{}", &part[..1]);
        let run = place.run_to(&folder, &["@list", "--part", part]).ends_with(0);
        assert_eq!(run.report["part"], part);
        read.extend(paths(&run).into_iter().map(str::to_owned));
        parts.extend(run.shards.clone());
    }
    assert_eq!(parts, whole.shards);
    read.sort();
    assert_eq!(read, paths(&whole));
    // There may be more parts than archives.
    let none = place.dehusk(&["run", "@list", "-o", "part-9", "--part", "9/9"]);
    assert_eq!(none.status, 0, "{}", none.stderr);
    assert!(
        fs::read_to_string(place.path("part-9/run.json"))
            .unwrap()
            .contains("\"archives\": []")
    );
    for part in ["0/3", "4/3", "1", "a/b", "1/0"] {
        assert_eq!(place.dehusk(&["run", "@list", "-o", "no", "--part", part]).status, 2);
    }
}

#[test]
fn what_failed_is_read_again() {
    let place = Place::new();
    place.write("good.warc", page("good"));
    place.write("damaged.warc", [page("damaged"), broken()].concat());
    place.run(&["good.warc", "damaged.warc", "missing.warc"]).ends_with(1);
    place.write("missing.warc", page("missing"));
    let again = place.run_to("again", &["--only-failed", "out"]).ends_with(3);
    assert_eq!(paths(&again), ["damaged.warc", "missing.warc"]);
    let listed = place
        .run_to("listed", &["good.warc", "missing.warc", "--only-failed", "out"])
        .ends_with(0);
    assert_eq!(paths(&listed), ["missing.warc"]);
    let nothing = place.dehusk(&["run", "--only-failed", "listed", "-o", "nothing"]);
    assert_eq!(nothing.status, 0);
    assert!(
        nothing.stderr.contains("every archive is complete in listed"),
        "{}",
        nothing.stderr
    );
    assert!(!place.path("nothing").exists());
    let foreign = place.dehusk(&["run", "--only-failed", "nowhere", "-o", "no"]);
    assert_eq!(foreign.status, 1);
}

/// The archives of a history, one of them damaged.
fn history(place: &Place) -> [&'static str; 3] {
    place.write("a.warc", [page("a"), broken()].concat());
    place.write("b.warc", page("b"));
    place.write("c.warc", page("c"));
    ["a.warc", "b.warc", "c.warc"]
}

fn inode(place: &Place, name: &str) -> u64 {
    fs::metadata(place.path(name)).unwrap().ino()
}

#[test]
fn what_has_not_changed_is_taken_over() {
    let place = Place::new();
    let names = history(&place);
    place
        .run_to("first", &[&names[..], &["--quarantine"]].concat())
        .ends_with(3);
    place.write("b.warc", [page("b"), page("more")].concat());
    place.write("d.warc", page("d"));
    let all = [&names[..], &["d.warc", "--quarantine"]].concat();
    let second = place
        .run_to("second", &[&all[..], &["--since", "first"]].concat())
        .ends_with(3);
    assert!(
        second.ended.stderr.contains("2 archives were taken over from first"),
        "{}",
        second.ended.stderr
    );
    let fresh = place.run_to("fresh", &all).ends_with(3);
    assert_eq!((&second.shards, &second.failed), (&fresh.shards, &fresh.failed));
    assert_eq!(second.report["archives"], fresh.report["archives"]);
    assert_eq!(second.report["totals"], fresh.report["totals"]);
    assert_eq!(place.names("second/quarantine"), place.names("fresh/quarantine"));
    let shard = |run: &str, name: &str| inode(&place, &format!("{run}/documents/{name}.jsonl.zst"));
    assert_eq!(shard("second", "a"), shard("first", "a"), "it is the same file");
    assert_ne!(shard("second", "b"), shard("first", "b"));
    // With another configuration all is read again.
    let other = place
        .run_to(
            "other",
            &[&all[..], &["--since", "second", "--min-words", "2"]].concat(),
        )
        .ends_with(3);
    assert!(!other.ended.stderr.contains("taken over"), "{}", other.ended.stderr);
}

#[test]
fn another_compression_is_a_conversion() {
    let place = Place::new();
    let names = history(&place);
    place.run_to("first", &names).ends_with(3);
    let since = ["--since", "first", "--compression", "gzip"];
    let second = place.run_to("second", &[&names[..], &since].concat()).ends_with(3);
    assert!(
        second.ended.stderr.contains("3 archives were taken over"),
        "{}",
        second.ended.stderr
    );
    let fresh = place
        .run_to("fresh", &[&names[..], &["--compression", "gzip"]].concat())
        .ends_with(3);
    // The unpacked shards are the same.
    assert_eq!((&second.shards, &second.failed), (&fresh.shards, &fresh.failed));
    assert_eq!(second.report["archives"], fresh.report["archives"]);
}

#[test]
fn a_format_is_converted_where_nothing_is_lost() {
    let place = Place::new();
    let mut names = history(&place).to_vec();
    place.write(
        "forbidden.warc",
        make::page("https://f.example/", "Some\u{fffe} words of a page."),
    );
    names.push("forbidden.warc");
    place
        .run_to("xml", &[&names[..], &["--format", "xml"]].concat())
        .ends_with(3);
    let second = place
        .run_to("second", &[&names[..], &["--since", "xml"]].concat())
        .ends_with(3);
    let fresh = place.run_to("fresh", &names).ends_with(3);
    assert_eq!((&second.shards, &second.failed), (&fresh.shards, &fresh.failed));
    let taken = second
        .ended
        .stderr
        .lines()
        .find(|line| line.contains("taken over"))
        .unwrap_or_default();
    assert!(
        taken.starts_with("3 archives"),
        "one had a character that XML forbids: {}",
        second.ended.stderr
    );
    // JSONL does not record what lists and tables were, so the way back is no conversion.
    let back = place
        .run_to("back", &[&names[..], &["--since", "fresh", "--format", "xml"]].concat())
        .ends_with(3);
    assert!(!back.ended.stderr.contains("taken over"));
}

#[test]
fn what_cannot_be_converted_is_read_with_its_quarantine() {
    let place = Place::new();
    let forbidden = make::page("https://f.example/", "Some\u{fffe} words of a page.");
    place.write("a.warc", [forbidden, broken()].concat());
    let quarantine = ["a.warc", "--quarantine"];
    place
        .run_to("xml", &[&quarantine[..], &["--format", "xml"]].concat())
        .ends_with(3);
    let second = place
        .run_to("second", &[&quarantine[..], &["--since", "xml"]].concat())
        .ends_with(3);
    let fresh = place.run_to("fresh", &quarantine).ends_with(3);
    assert_eq!((&second.shards, &second.failed), (&fresh.shards, &fresh.failed));
    assert_eq!(second.report["archives"], fresh.report["archives"]);
}

/// An archive of some pages, and the offset and length of each.
fn members() -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for i in 0..6 {
        let member = make::gzip(&page(&format!("p{i}")));
        places.push((bytes.len(), member.len()));
        bytes.extend(member);
    }
    (bytes, places)
}

fn texts(run: &Run) -> BTreeSet<String> {
    let text = |url: &str| {
        url.trim_start_matches("https://")
            .trim_end_matches(".example/")
            .to_owned()
    };
    let documents = run.documents();
    documents
        .iter()
        .map(|d| text(d["metadata"]["url"].as_str().unwrap()))
        .collect()
}

/// The account closes over the bytes that were not asked for.
fn check_bytes(run: &Run, size: usize, framed: usize) {
    let archive = &run.archives()[0];
    let number = |key: &str| archive[key].as_u64().unwrap() as usize;
    assert_eq!(number("bytes"), size);
    assert_eq!(
        number("not_selected_bytes") + number("skipped_bytes") + framed,
        size,
        "{archive}"
    );
}

#[test]
fn records_are_read_by_offset() {
    let place = Place::new();
    let (bytes, at) = members();
    place.write("crawl/a.warc.gz", &bytes);
    let line = |i: usize| format!("crawl/a.warc.gz\t{}\t{}\n", at[i].0, at[i].1);
    place.write("list.tsv", [line(4), line(1), line(1)].concat());
    let run = place.run(&["--offsets", "list.tsv"]).ends_with(0);
    assert_eq!(texts(&run), ["p1", "p4"].map(str::to_owned).into());
    check_bytes(&run, bytes.len(), at[1].1 + at[4].1);
    // The records of the whole archive, byte for byte.
    let whole = place.run_to("whole", &["crawl/a.warc.gz"]).ends_with(0);
    let lines = whole.documents();
    assert!(run.documents().iter().all(|document| lines.contains(document)));
    // Other records are a change.
    place.write("list.tsv", line(2));
    let changed = place.run(&["--offsets", "list.tsv"]).ends_with(1);
    assert!(
        changed.ended.stderr.contains("other records of it were asked for"),
        "{}",
        changed.ended.stderr
    );
    // CDX, without a length column and with one; CDXJ. Their names have no folders.
    let cdx = format!(" CDX N b a m s k r M V g\n- - - - - - - - {} a.warc.gz\n", at[3].0);
    let cdx11 = format!("org,a)/ 2024 u text/html 200 X - - {} {} a.warc.gz\n", at[3].1, at[3].0);
    let cdxj = format!(
        "org,a)/ 20240506070809 {{\"url\": \"u\", \"filename\": \"a.warc.gz\", \"offset\": \"{}\", \"length\": \"{}\"}}\n",
        at[3].0, at[3].1
    );
    for (name, text) in [("cdx", cdx), ("cdx11", cdx11), ("cdxj", cdxj)] {
        place.write("list", text);
        let run = place
            .run_to(name, &["crawl/a.warc.gz", "--offsets", "list"])
            .ends_with(0);
        assert_eq!(texts(&run), ["p3".to_owned()].into(), "{name}");
        check_bytes(&run, bytes.len(), at[3].1);
    }
}

#[test]
fn a_file_name_of_two_archives_names_neither() {
    let place = Place::new();
    for folder in ["x", "y"] {
        place.write(&format!("{folder}/a.warc"), page(folder));
    }
    place.write("list", "a.warc\t0\n");
    let ended = place.dehusk(&["run", "x/a.warc", "y/a.warc", "--offsets", "list", "-o", "none"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains("a.warc: no such file"), "{}", ended.stderr);
    let one = place.run_to("one", &["y/a.warc", "--offsets", "list"]).ends_with(0);
    assert_eq!(texts(&one), ["y".to_owned()].into());
}

#[test]
fn an_offset_that_is_no_record_is_named() {
    let place = Place::new();
    let (bytes, at) = members();
    place.write("a.warc.gz", &bytes);
    place.write("plain.warc", [page("one"), page("two")].concat());
    let inside = at[2].0 + 7;
    let list = format!(
        "a.warc.gz\t{inside}\t20\na.warc.gz\t{}\t{}\nmissing.warc\t0\nplain.warc\t9\nplain.warc\t0\n",
        at[5].0, at[5].1
    );
    place.write("list", list);
    let run = place.run(&["--offsets", "list"]).ends_with(1);
    assert_eq!(paths(&run), ["a.warc.gz", "missing.warc", "plain.warc"]);
    let states: Vec<&str> = run.archives().iter().map(|a| a["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["damaged", "failed", "damaged"]);
    assert_eq!(texts(&run), ["p5", "one"].map(str::to_owned).into());
    check_bytes(&run, bytes.len(), at[5].1);
    let named: Vec<(u64, &str)> = run
        .failed
        .iter()
        .map(|line| (line["offset"].as_u64().unwrap(), line["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [(inside as u64, "no_record"), (9, "no_record")]);
    place.write("beyond", "a.warc.gz\t99999999\t5\na.warc.gz\t0\n");
    let beyond = place.run_to("beyond-out", &["--offsets", "beyond"]).ends_with(1);
    assert!(
        beyond.ended.stderr.contains("ends before the offset 99999999"),
        "{}",
        beyond.ended.stderr
    );
    assert_eq!(texts(&beyond), ["p0".to_owned()].into());
    place.write("odd", "a.warc.gz\tzero\t5\n");
    let odd = place.dehusk(&["run", "--offsets", "odd", "-o", "no"]);
    assert_eq!(odd.status, 2);
    assert!(
        odd.stderr.contains("odd:1: is not a path, an offset and a length"),
        "{}",
        odd.stderr
    );
}
