//! Revisits of runs that are repeated, continued or taken over: what becomes of them when other archives change.

use std::fs;

use super::{RESOLVE, by_id, counts, original, revisit, run};
use crate::program::{Place, with_extractor};

/// An archive with an original, one with its revisit, and one without either.
fn three(place: &Place) -> [&'static str; 3] {
    place.write("original.warc", original(1, "https://a.example/", "Some words."));
    place.write("revisit.warc", revisit(2, "https://a.example/", &by_id(1)));
    place.write("other.warc", original(3, "https://c.example/", "Other words."));
    ["original.warc", "revisit.warc", "other.warc"]
}

#[test]
fn a_change_of_the_original_concerns_its_revisits() {
    let place = Place::new();
    let names = three(&place);
    let first = run(&place, "out", &names).ends_with(0);
    let again = run(&place, "out", &names).ends_with(0);
    assert!(
        again.ended.stderr.contains("finished already"),
        "{}",
        again.ended.stderr
    );
    place.write(
        "original.warc",
        original(1, "https://a.example/", "Words that were changed."),
    );
    let changed = run(&place, "out", &names).ends_with(1);
    assert_eq!(changed.shards, first.shards);
    let line = "revisit.warc: its revisits may have their originals in original.warc, which has changed";
    assert!(changed.ended.stderr.contains(line), "{}", changed.ended.stderr);
    assert!(!changed.ended.stderr.contains("other.warc"), "{}", changed.ended.stderr);
    let redone = run(&place, "out", &[&names[..], &["--changed"]].concat()).ends_with(0);
    assert_eq!(redone.document("2")["text"], "Words that were changed.");
    // Of an original that is gone, nothing can be made again.
    fs::remove_file(place.path("original.warc")).unwrap();
    let gone = run(&place, "out", &[&names[..], &["--changed"]].concat()).ends_with(1);
    assert_eq!(gone.shards, redone.shards);
}

#[test]
fn revisits_wait_for_an_archive_that_is_away() {
    let place = Place::new();
    let names = three(&place);
    let away = |is_away: bool| {
        let (from, to) = if is_away {
            ("original.warc", "kept")
        } else {
            ("kept", "original.warc")
        };
        fs::rename(place.path(from), place.path(to)).unwrap();
    };
    away(true);
    for _ in 0..2 {
        let without = run(&place, "out", &names).ends_with(1);
        assert_eq!((without.total("emitted"), without.total("failed.unreadable")), (1, 1));
    }
    away(false);
    let with = run(&place, "out", &names).ends_with(0);
    let whole = run(&place, "whole", &names).ends_with(0);
    assert_eq!((counts(&with), &with.shards), ((1, 0), &whole.shards));
    assert_eq!(with.failed, whole.failed);
    // The documents of it stay if it is away again.
    away(true);
    let gone = run(&place, "out", &names).ends_with(1);
    assert_eq!(gone.shards, whole.shards);
}

#[test]
fn an_output_that_is_gone_concerns_no_revisits() {
    let place = Place::new();
    let names = three(&place);
    let first = run(&place, "out", &names).ends_with(0);
    fs::remove_file(place.path("out/documents/original.jsonl.zst")).unwrap();
    let refused = place.dehusk(&[&["run", RESOLVE, "-o", "out"], &names[..]].concat());
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("is gone"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("revisit.warc"), "{}", refused.stderr);
    let redone = run(&place, "out", &[&names[..], &["--changed"]].concat()).ends_with(0);
    assert_eq!(redone.shards, first.shards);
}

#[test]
fn new_archives_find_originals_in_finished_ones() {
    let place = Place::new();
    let names = three(&place);
    run(&place, "out", &[names[0]]).ends_with(0);
    let more = run(&place, "out", &names).ends_with(0);
    assert_eq!((counts(&more), more.documents().len()), ((1, 0), 3));
    let whole = run(&place, "whole", &names).ends_with(0);
    assert_eq!(more.shards, whole.shards);
}

#[test]
fn revisits_are_taken_over_only_with_all_archives() {
    let place = Place::new();
    let names = three(&place);
    let first = run(&place, "first", &names).ends_with(0);
    let since =
        |folder: &str, names: &[&str]| run(&place, folder, &[names, &["--since", "first"]].concat()).ends_with(0);
    let same = since("same", &names);
    assert!(
        same.ended.stderr.contains("3 archives were taken over"),
        "{}",
        same.ended.stderr
    );
    assert_eq!(same.shards, first.shards);
    // In another order, the first of several originals may be another one.
    let reversed = since("reversed", &[names[2], names[1], names[0]]);
    assert!(
        reversed.ended.stderr.contains("2 archives were taken over"),
        "{}",
        reversed.ended.stderr
    );
    place.write(
        "original.warc",
        original(1, "https://a.example/", "Words that were changed."),
    );
    let changed = since("changed", &names);
    assert!(
        changed.ended.stderr.contains("1 archive was taken over"),
        "{}",
        changed.ended.stderr
    );
    let fresh = run(&place, "fresh", &names).ends_with(0);
    assert_eq!(changed.shards, fresh.shards);
    // Without the original, and without the option.
    let fewer = since("fewer", &names[1..]);
    assert_eq!(counts(&fewer), (0, 1));
    let off = place
        .run_to("off", &[&names[..], &["--since", "first"]].concat())
        .ends_with(0);
    assert_eq!((counts(&off), off.documents().len()), ((0, 1), 2));
}

#[test]
fn an_unfinished_run_refuses_what_its_originals_have_become() {
    let place = Place::new();
    let names = three(&place);
    place.pipe("late.warc");
    let all = [&names[..], &["late.warc"]].concat();
    let mut running = place.start(&[&["run", RESOLVE, "-o", "out"], &all[..]].concat());
    let shard = place.path("out/documents/revisit.jsonl.zst");
    // Of an archive that is not finished either, a part would be left that no account lists.
    let finished = names.map(|name| name.replace(".warc", ".jsonl.zst"));
    let finished = finished.map(|name| place.path("out/documents").join(name));
    while !finished.iter().all(|shard| shard.exists()) {
        assert_eq!(running.child.try_wait().unwrap(), None, "it ended before it wrote");
        std::thread::yield_now();
    }
    running.signal("KILL");
    running.end();
    fs::remove_file(place.path("late.warc")).unwrap();
    place.write("late.warc", original(5, "https://d.example/", "Late words."));
    let kept = fs::read(&shard).unwrap();
    place.write(
        "original.warc",
        original(1, "https://a.example/", "Words that were changed."),
    );
    let refused = run(&place, "out", &all).ends_with(1);
    assert!(
        refused.ended.stderr.contains("which has changed"),
        "{}",
        refused.ended.stderr
    );
    assert_eq!(fs::read(&shard).unwrap(), kept);
    let redone = run(&place, "out", &[&all[..], &["--changed"]].concat()).ends_with(0);
    let whole = run(&place, "whole", &all).ends_with(0);
    assert_eq!(redone.shards, whole.shards);
}

#[test]
fn a_payload_that_was_seen_is_a_duplicate_in_its_revisits_too() {
    let place = Place::new();
    let names = three(&place);
    let seen = ["--seen", "store"];
    run(&place, "one", &[&[names[0]], &seen[..]].concat()).ends_with(0);
    let two = run(&place, "two", &[&names[..], &seen[..]].concat()).ends_with(0);
    assert_eq!((two.total("filtered.duplicate"), two.total("emitted")), (2, 1));
    assert_eq!(counts(&two), (1, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_first_pass() {
    let place = Place::new();
    let names = three(&place);
    let mut command = place.shell_command("sh");
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_dehusk")]);
    command.args(with_extractor(&["run", RESOLVE, "-o", "out"]));
    command.args(names);
    let ended = place.spawn(command, std::process::Stdio::null()).end();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let message = "out/.places.partial: the store cannot be used: File too large";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    let whole = run(&place, "out", &names).ends_with(0);
    assert_eq!(counts(&whole), (1, 0));
}
