//! The run directory: whose it is, what is replaced in it, and what a broken run leaves there.
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use program::{Place, SAMPLE, make};

fn page(name: &str) -> Vec<u8> {
    make::page(
        &format!("https://{name}.example/"),
        &format!("The page {name} has some words."),
    )
}

#[track_caller]
fn refused(place: &Place, arguments: &[&str], message: &str) {
    let ended = place.dehusk(&[&["run"], arguments].concat());
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}

#[test]
fn a_used_directory_is_refused_unless_it_may_be_overwritten() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    let first = place.run(&["a.warc"]).ends_with(0);
    let before = fs::read(place.path("out/run.json")).unwrap();
    refused(&place, &["b.warc", "-o", "out"], "out: was used by a run already");
    assert_eq!(fs::read(place.path("out/run.json")).unwrap(), before);
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
    drop(first);
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
        [".dehusk.lock", "documents", "failed.jsonl", "notes.txt", "run.json"]
    );
    let again = place
        .run(&["b.warc", "--overwrite", "--compression", "none"])
        .ends_with(0);
    assert_eq!(again.report.get("earlier"), None);
    assert_eq!(place.names("out/documents"), ["b.jsonl", "foreign.txt"]);
}

#[test]
fn a_directory_of_somebody_else_is_refused_always() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("out/thesis.txt", "years of work");
    refused(
        &place,
        &["a.warc", "-o", "out"],
        "out: is not empty and no run directory",
    );
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "out: is not empty and no run directory",
    );
    assert_eq!(place.names("out"), ["thesis.txt"]);
    place.write("other/run.json", "{\"program\": \"another 1.0\", \"archives\": []}");
    refused(
        &place,
        &["a.warc", "-o", "other", "--overwrite"],
        "its run.json is not of this program",
    );
    place.write(
        "lookalike/run.json",
        "{\"program\": \"dehusker 1.0\", \"archives\": []}",
    );
    refused(
        &place,
        &["a.warc", "-o", "lookalike", "--overwrite"],
        "its run.json is not of this program",
    );
    fs::create_dir(place.path("empty")).unwrap();
    place.run_to("empty", &["a.warc"]).ends_with(0);
}

#[test]
fn a_file_that_the_last_run_does_not_list_is_not_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("b.warc", page("b"));
    place.run(&["a.warc"]).ends_with(0);
    place.write("out/documents/b.jsonl.zst", "somebody else's");
    refused(
        &place,
        &["a.warc", "b.warc", "-o", "out", "--overwrite"],
        "holds documents/b.jsonl.zst",
    );
    assert_eq!(
        fs::read(place.path("out/documents/b.jsonl.zst")).unwrap(),
        b"somebody else's"
    );
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst", "b.jsonl.zst"]);
}

#[test]
fn only_plain_names_of_an_old_account_are_replaced() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("precious", "stays");
    place.write("out/precious", "stays");
    place.write(
        "out/run.json",
        "{\"program\": \"dehusk 0.1.0\", \"archives\": [{\"shards\": [\"../precious\", \"documents/../precious\", \"precious\", \
         \"documents/..\", \"documents/\", \"/etc/passwd\", 7]}, 3]}",
    );
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert!(place.path("precious").exists() && place.path("out/precious").exists());
}

/// The first run waits for a pipe while the second one asks.
#[test]
fn a_directory_in_use_is_refused() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "out"]);
    // Opens when the program has opened the other end; by then the directory is its own.
    let mut open = fs::File::options().write(true).open(pipe).unwrap();
    refused(&place, &["a.warc", "-o", "out"], "out: is in use by another run");
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "out: is in use by another run",
    );
    open.write_all(&page("piped")).unwrap();
    drop(open);
    let run = place.read("out", running.end()).ends_with(0);
    assert_eq!(run.texts(), ["The page piped has some words."]);
}

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
fn a_killed_run_leaves_no_shard_and_can_be_done_again() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    kill_in_the_middle(&place, &[]);
    assert!(!place.path("out/documents/stdin.jsonl").exists());
    let report = fs::read_to_string(place.path("out/run.json")).unwrap();
    assert!(report.contains("\"state\": \"running\""));
    refused(&place, &["a.warc", "-o", "out"], "was used by a run already");
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert_eq!(
        place.names("out/documents"),
        ["a.jsonl.zst"],
        "what the killed run had begun is gone"
    );
}

#[test]
fn what_a_killed_run_had_finished_can_be_replaced() {
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

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("file", "in the way");
    refused(&place, &["a.warc", "-o", "file/out"], "file/out: cannot be created");
    refused(&place, &["a.warc", "-o", "file"], "file: cannot be created");
    if cfg!(target_os = "linux") {
        refused(&place, &["a.warc", "-o", "/proc/out"], "/proc/out: cannot be created");
    }
}

#[test]
fn links_in_the_directory_are_not_followed() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    fs::create_dir(place.path("elsewhere")).unwrap();
    place.run(&["a.warc"]).ends_with(0);
    fs::rename(place.path("out/documents"), place.path("moved")).unwrap();
    symlink(place.path("elsewhere"), place.path("out/documents")).unwrap();
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "is a symbolic link, which is not followed",
    );
    assert!(place.names("elsewhere").is_empty());
    fs::remove_file(place.path("out/documents")).unwrap();
    fs::rename(place.path("moved"), place.path("out/documents")).unwrap();
    // A shard that is a link is replaced, not written through; so is the account.
    for name in ["documents/a.jsonl.zst", "failed.jsonl"] {
        place.write("victim", "untouched");
        let link = place.path("out").join(name);
        fs::remove_file(&link).unwrap();
        symlink(place.path("victim"), &link).unwrap();
    }
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert_eq!(fs::read(place.path("victim")).unwrap(), b"untouched");
    assert!(
        !place
            .path("out/documents/a.jsonl.zst")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
}

/// Needs the right to mount a small file system of its own; where it lacks, this says so and passes.
#[test]
fn a_full_disk_ends_the_run_and_keeps_what_was_whole() {
    let place = Place::new();
    place.write("small.warc", page("small"));
    let large: Vec<u8> = (0..3000)
        .flat_map(|i| make::page(&format!("https://a.example/{i}"), &format!("{i} ").repeat(400)))
        .collect();
    place.write("large.warc", large);
    fs::create_dir(place.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=600k none disk || exit 77
        \"$1\" run small.warc large.warc -o disk/out --threads 1 --compression none; echo $? > status
        cp -r disk/out copy";
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_dehusk")])
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .output();
    let stderr = match &output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stderr),
        _ => {
            println!("skipped: no right to mount a file system here: {output:?}");
            return;
        }
    };
    assert_eq!(fs::read_to_string(place.path("status")).unwrap().trim(), "1");
    assert!(
        stderr.contains("No space left on device") && stderr.contains("large.jsonl"),
        "{stderr}"
    );
    assert_eq!(place.names("copy/documents"), ["small.jsonl"]);
    let small = fs::read_to_string(place.path("copy/documents/small.jsonl")).unwrap();
    assert_eq!(program::json_lines(small.as_bytes()).len(), 1);
    let report: serde_json::Value = serde_json::from_slice(&fs::read(place.path("copy/run.json")).unwrap()).unwrap();
    assert_eq!(report["state"], "failed");
    assert!(report["error"].as_str().unwrap().contains("No space left"));
    assert_eq!(report["totals"]["emitted"], 1);
}

#[test]
fn the_account_says_what_ran() {
    let place = Place::new();
    let run = place.run(&[SAMPLE, "--threads", "2", "--min-words", "5"]).ends_with(3);
    assert_eq!(run.report["program"], concat!("dehusk ", env!("CARGO_PKG_VERSION")));
    assert_eq!(run.report["config"]["select"]["min_words"], 5);
    assert_eq!(run.report["config"]["run"]["threads"], 2);
    let version = format!(
        "{}+cfg{}",
        env!("CARGO_PKG_VERSION"),
        run.report["config_hash"].as_str().unwrap()
    );
    assert!(run.documents().iter().all(|d| d["version"] == *version));
    assert!(run.report["timing"]["seconds"].as_f64().unwrap() > 0.0);
    assert!(run.report["timing"]["pages_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(run.archives()[0]["path"], SAMPLE);
    for key in [
        "path",
        "bytes",
        "state",
        "shards",
        "framed",
        "emitted",
        "filtered",
        "failed",
        "notes",
        "skipped_bytes",
    ] {
        assert!(run.archives()[0].get(key).is_some(), "{key}");
    }
}
