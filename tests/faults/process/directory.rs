//! The owner of the run directory: kills, second runs, files that are there already.

use std::fs;
use std::io::Write;
use std::thread;

use super::page;
use crate::program::{Place, make, refused};

/// Reads a pipe until some of a large archive has been written, then dies.
fn kill_in_the_middle(place: &Place, arguments: &[&str]) {
    let options = ["-", "-o", "out", "--threads", "1", "--compression", "none"];
    let mut running = place.start(&[&["run"], arguments, &options].concat());
    let mut stdin = running.stdin.take().unwrap();
    for i in 0..500 {
        stdin
            .write_all(&make::page(&format!("https://a.example/{i}"), "Some words."))
            .unwrap();
        stdin.write_all(&make::filler(i, 20_000)).unwrap();
    }
    running.signal("KILL");
    assert_eq!(running.end_with_open_stdin().status, -1);
}

#[test]
fn a_killed_run_leaves_no_shard_and_can_be_run_again() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    kill_in_the_middle(&place, &[]);
    assert!(!place.path("out/documents/stdin.jsonl").exists());
    let report = fs::read_to_string(place.path("out/run.json")).unwrap();
    assert!(report.contains("\"state\": \"running\""));
    refused(
        &place,
        &["a.warc", "-o", "out"],
        "output.compression was \"none\" and is \"zstd\"",
    );
    place.run(&["a.warc", "--changed"]).ends_with(0);
    assert_eq!(
        place.names("out/documents"),
        ["a.jsonl.zst"],
        "what the killed run had begun is gone"
    );
}

#[test]
fn shards_that_a_killed_run_finished_can_be_replaced() {
    let place = Place::new();
    place.write("old.warc", page("old"));
    place.write("a.warc", page("a"));
    place.run(&["old.warc", "--compression", "none"]).ends_with(0);
    // One thread reads one archive after the other: the first is whole before the pipe is opened.
    kill_in_the_middle(&place, &["a.warc", "--overwrite"]);
    assert!(
        place.path("out/documents/old.jsonl").exists(),
        "not replaced before the run is complete"
    );
    let run = place
        .run(&["a.warc", "--overwrite", "--compression", "none"])
        .ends_with(0);
    assert_eq!(run.texts(), ["The page a has some words."]);
    assert_eq!(place.names("out/documents"), ["a.jsonl"]);
}

/// The first run waits for a pipe while the second one asks.
#[test]
fn a_second_run_in_a_directory_is_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "out"]);
    // Opens when the program has opened the other end; by then the directory is its own.
    let mut open = fs::File::options().write(true).open(pipe).unwrap();
    refused(
        &place,
        &["a.warc", "-o", "out"],
        "out: is in use by another run; wait for its end, or name another directory",
    );
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "out: is in use by another run; wait for its end, or name another directory",
    );
    open.write_all(&page("piped")).unwrap();
    drop(open);
    let run = place.read("out", running.end()).ends_with(0);
    assert_eq!(run.texts(), ["The page piped has some words."]);
}

/// The second run has opened the lock's file when the first one is killed.
#[test]
#[cfg(target_os = "linux")]
fn a_run_waits_for_the_lock_of_one_that_is_killed() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    let pipe = place.pipe("pipe");
    let killed = place.start(&["run", "pipe", "-o", "out"]);
    let _open = fs::File::options().write(true).open(pipe).unwrap();
    let mut second = place.start(&["run", "a.warc", "-o", "out", "--overwrite"]);
    let files = format!("/proc/{}/fd", second.child.id());
    let has_lock = || {
        let files = fs::read_dir(&files).into_iter().flatten().flatten();
        files
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|file| file.ends_with(".dehusk.lock"))
    };
    while !has_lock() && second.child.try_wait().unwrap().is_none() {
        thread::yield_now();
    }
    killed.signal("KILL");
    let run = place.read("out", second.end()).ends_with(0);
    assert_eq!(run.texts(), ["The page a has some words."]);
}

/// Nothing that is written depends on the clock: two runs at two times, in two time zones, over files of different age,
/// differ in what they took alone.
#[test]
fn the_clock_has_no_part_in_the_output() {
    let place = Place::new();
    let path = place.write("a.warc", [page("one"), page("two")].concat());
    let mut runs = Vec::new();
    for (zone, modified) in [("Asia/Tokyo", 1), ("America/Lima", 4_000_000_000)] {
        let modified = std::time::UNIX_EPOCH + std::time::Duration::from_secs(modified);
        let times = fs::FileTimes::new().set_modified(modified);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(times)
            .unwrap();
        let ended = place.dehusk_in(&["run", "a.warc", "-o", zone], &[("TZ", zone)]);
        let mut run = place.read(zone, ended).ends_with(0);
        run.report.as_object_mut().unwrap().remove("timing").unwrap();
        let input = run.report["archives"][0]["input"].as_object_mut().unwrap();
        input.remove("modified").unwrap();
        runs.push((
            run.report.clone(),
            run.shards.clone(),
            fs::read(run.directory.join("failed.jsonl")).unwrap(),
        ));
    }
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn existing_output_is_not_overwritten_without_the_option() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    let before = fs::read(place.path("out/run.json")).unwrap();
    refused(
        &place,
        &["b.warc", "-o", "out", "--min-words", "7"],
        "out: was made by a run that differs from this one: select.min_words was 0 and is 7",
    );
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), before);
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
    place.write("out/documents/foreign.txt", "not ours");
    place.write("out/notes.txt", "not ours");
    let run = place.run(&["b.warc", "--overwrite"]).ends_with(0);
    assert_eq!(run.texts(), ["The page b has some words."]);
    assert_eq!(
        place.names("out/documents"),
        ["b.jsonl.zst", "foreign.txt"],
        "what is no longer made goes"
    );
    assert_eq!(
        place.names("out"),
        [
            ".dehusk.lock",
            "documents",
            "failed.jsonl",
            "notes.txt",
            "report.html",
            "run.json"
        ]
    );
    let again = place
        .run(&["b.warc", "--overwrite", "--compression", "none"])
        .ends_with(0);
    assert_eq!(again.report.get("earlier"), None);
    assert_eq!(place.names("out/documents"), ["b.jsonl", "foreign.txt"]);
}

/// Opening a pipe waits for its other end.
#[test]
fn a_pipe_in_the_place_of_the_lock_is_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    fs::create_dir(place.path("out")).unwrap();
    place.pipe("out/.dehusk.lock");
    refused(&place, &["a.warc", "-o", "out"], "it is no regular file; remove it");
}

#[test]
fn a_pipe_in_the_place_of_an_output_is_refused_where_it_is_read_back() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.run(&["a.warc"]).ends_with(0);
    place.run_to("good", &["a.warc"]).ends_with(0);
    let commands: [&[&str]; 5] = [
        &["cat", "out"],
        &["diff", "good", "out"],
        &["cluster", "out", "-o", "near"],
        &["inspect", "--find", "words", "out"],
        &["run", "a.warc", "-o", "new", "--since", "out"],
    ];
    for (file, number) in [("documents/a.jsonl.zst", 4), ("run.json", 5), ("failed.jsonl", 2)] {
        let (path, kept) = (place.path(&format!("out/{file}")), place.path("kept"));
        fs::rename(&path, &kept).unwrap();
        place.pipe(&format!("out/{file}"));
        let ended = commands.map(|command| place.dehusk(command));
        let refused = ended.iter().filter(|e| e.stderr.contains("it is no regular file"));
        assert_eq!(refused.count(), number, "{file}");
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
        for made in ["near", "new"] {
            let _ = fs::remove_dir_all(place.path(made));
        }
    }
}
