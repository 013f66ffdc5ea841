//! Runs that were killed: they go on from what was synced, and what was changed or lost since is refused.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use crate::program::{Place, make, refused, unpack};

/// Starts a run over an archive of 80 MB and kills it when it has written a checkpoint.
fn kill_after_a_checkpoint(place: &Place, flags: &[&str]) {
    let mut large = Vec::new();
    for i in 0..80 {
        large.extend(make::page(
            &format!("https://a.example/{i}"),
            &format!("The page {i} has some words."),
        ));
        large.extend(make::filler(i, 1_000_000));
    }
    place.write("large.warc", &large);
    let mut running = place.start(&[&["run", "large.warc", "-o", "out", "--threads", "2"], flags].concat());
    let journal = place.path("out/.dehusk.journal");
    while !fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"checkpoint\"")) {
        assert!(running.child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    running.signal("KILL");
    assert_eq!(running.end().status, -1);
    assert_eq!(place.names("out/documents"), [".large.jsonl.zst.partial"]);
}

#[test]
fn a_killed_run_continues_inside_an_archive() {
    let place = Place::new();
    kill_after_a_checkpoint(&place, &[]);
    // A crash leaves such bytes after the last line that was synced.
    let mut journal = fs::File::options()
        .append(true)
        .open(place.path("out/.dehusk.journal"))
        .unwrap();
    journal.write_all(b"0123456789abcdef {\"checkpoint\":{").unwrap();
    let mut shard = fs::File::options()
        .append(true)
        .open(place.path("out/documents/.large.jsonl.zst.partial"))
        .unwrap();
    shard.write_all(&[0; 5_000]).unwrap();
    let run = place.run(&["large.warc", "--threads", "2"]).ends_with(0);
    assert_eq!(run.documents().len(), 80);
    let whole = place.run_to("whole", &["large.warc", "--threads", "2"]).ends_with(0);
    assert_eq!(run.shards, whole.shards);
    assert_eq!(run.archives()[0]["input"], whole.archives()[0]["input"]);
}

#[test]
fn the_archives_of_chosen_records_of_a_killed_run_continue() {
    let flags = ["--records-out", "even:url ~ [02468]$"];
    let place = Place::new();
    kill_after_a_checkpoint(&place, &flags);
    place
        .run(&[&["large.warc", "--threads", "2"], &flags[..]].concat())
        .ends_with(0);
    let whole = [&["large.warc", "--threads", "2"], &flags[..]].concat();
    place.run_to("whole", &whole).ends_with(0);
    let records = |run: &str| {
        let name = format!("{run}/records/large.even.warc.gz");
        let bytes = unpack(&place.path(&name));
        let second = bytes.windows(5).skip(5).position(|window| window == b"WARC/").unwrap();
        let index = fs::read_to_string(place.path(&format!("{name}.cdxj"))).unwrap();
        (bytes[second + 5..].to_vec(), index.lines().count())
    };
    assert_eq!(records("out").1, 40);
    assert_eq!(records("out"), records("whole"));
    // The index fits the archive.
    let indexed = place.dehusk(&["index", "out/records/large.even.warc.gz"]);
    let index = fs::read_to_string(place.path("out/records/large.even.warc.gz.cdxj")).unwrap();
    let mut lines: Vec<&str> = index.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        String::from_utf8(indexed.stdout).unwrap().lines().collect::<Vec<_>>(),
        lines
    );
}

/// Damages something that a killed run left. The run refuses the archive, names it, reads the others, and leaves what
/// is there until an option makes it start the archive anew.
#[track_caller]
fn is_refused(damage: impl Fn(&Place), message: &str) {
    let place = Place::new();
    kill_after_a_checkpoint(&place, &[]);
    damage(&place);
    let partial = fs::metadata(place.path("out/documents/.large.jsonl.zst.partial")).map(|m| m.len());
    place.write("other.warc", super::page("other"));
    let run = place.run(&["large.warc", "other.warc", "--threads", "2"]).ends_with(1);
    let line = run
        .ended
        .stderr
        .lines()
        .find(|line| line.starts_with("dehusk: large.warc: "));
    assert!(line.is_some_and(|line| line.contains(message)), "{}", run.ended.stderr);
    assert_eq!(run.archives()[1]["state"], "complete");
    let left = fs::metadata(place.path("out/documents/.large.jsonl.zst.partial")).map(|m| m.len());
    assert_eq!(left.ok(), partial.ok());
    let again = place
        .run(&["large.warc", "other.warc", "--threads", "2", "--changed"])
        .ends_with(0);
    let mut whole = place.run_to("whole", &["large.warc"]).ends_with(0);
    let large = "documents/large.jsonl.zst";
    assert_eq!(again.shards.get(large), whole.shards.remove(large).as_ref());
}

#[test]
fn an_archive_that_grew_since_its_run_was_killed_is_refused() {
    let grow = |place: &Place| {
        let mut file = fs::File::options().append(true).open(place.path("large.warc")).unwrap();
        file.write_all(&super::page("late")).unwrap();
    };
    is_refused(grow, "it grew from 8");
}

#[test]
fn a_partial_shard_that_was_changed_is_refused() {
    let change = |place: &Place| {
        let path = place.path("out/documents/.large.jsonl.zst.partial");
        let mut file = fs::File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(100)).unwrap();
        file.write_all(b"x").unwrap();
    };
    is_refused(change, "its bytes are not those that were written");
}

#[test]
fn a_partial_shard_that_is_gone_is_refused() {
    let remove = |place: &Place| fs::remove_file(place.path("out/documents/.large.jsonl.zst.partial")).unwrap();
    is_refused(remove, "cannot be opened");
}

#[test]
fn a_run_without_its_journal_is_refused() {
    let place = Place::new();
    kill_after_a_checkpoint(&place, &[]);
    fs::remove_file(place.path("out/.dehusk.journal")).unwrap();
    refused(
        &place,
        &["large.warc", "-o", "out", "--threads", "2"],
        "left no journal to continue from",
    );
}

/// Each line of the journal is damaged in turn. Whatever it held, the result is right, or the archive is refused by
/// name.
#[test]
fn a_damaged_line_of_the_journal_is_never_believed() {
    let place = Place::new();
    let damaged = make::response(
        "https://b.example/",
        "200 OK",
        "text/html; charset=utf-7",
        b"<p>+AGEAYgBj-",
    );
    place.write("a.warc", [super::page("a"), damaged].concat());
    place.write("b.warc", super::page("b"));
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "a.warc", "b.warc", "pipe", "-o", "out", "--threads", "2"]);
    let open = fs::File::options().write(true).open(pipe).unwrap();
    let path = place.path("out/.dehusk.journal");
    while fs::read_to_string(&path).unwrap().matches("\"finish\"").count() < 2 {
        std::thread::yield_now();
    }
    running.signal("KILL");
    running.end();
    drop(open);
    let journal = fs::read(&path).unwrap();
    let lines = journal.iter().filter(|b| **b == b'\n').count();
    for damaged in 0..lines {
        fs::remove_dir_all(place.path("copy")).unwrap_or_default();
        let copied = std::process::Command::new("cp")
            .arg("-r")
            .args([place.path("out"), place.path("copy")])
            .status();
        assert!(copied.unwrap().success());
        let mut bytes = journal.clone();
        let start = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(at, _)| at + 1);
        let start = std::iter::once(0).chain(start).nth(damaged).unwrap();
        bytes[start + 20] ^= 1;
        fs::write(place.path("copy/.dehusk.journal"), bytes).unwrap();
        let ended = place.dehusk(&["run", "a.warc", "b.warc", "-o", "copy", "--threads", "2"]);
        assert!(
            ended.status == 1 || ended.status == 3,
            "line {damaged}: {}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("holds documents/")
                || ended
                    .stderr
                    .contains("1 line of the journal is damaged; the run went on from what is whole"),
            "line {damaged}: {}",
            ended.stderr
        );
        if ended.status == 1 {
            let is_named = ["a.warc: ", "b.warc: ", "holds documents/"];
            assert!(
                is_named.iter().any(|name| ended.stderr.contains(name)),
                "line {damaged}: {}",
                ended.stderr
            );
            continue;
        }
        let run = place.read("copy", ended);
        assert_eq!(run.documents().len(), 2, "line {damaged}");
        assert_eq!(run.failed.len(), 1, "line {damaged}");
    }
}
