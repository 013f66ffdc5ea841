//! `--forget`: an archive is taken out of a run.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::program::{Place, Run, refused};
use crate::resume::{broken, page};

/// Three archives, of which two have failures, read with a quarantine.
fn three(place: &Place, folder: &str) -> Run {
    place.write("a.warc", [page("a"), broken()].concat());
    place.write("b.warc", page("b"));
    place.write("wrong.warc", [page("wrong"), broken()].concat());
    place
        .run_to(folder, &["a.warc", "wrong.warc", "b.warc", "--quarantine"])
        .ends_with(3)
}

/// The names in a run directory and its folders.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let of = |name: &str| place.names(&format!("{folder}/{name}"));
    [place.names(folder), of("documents"), of("quarantine")].concat()
}

/// Checks that a run is as one over the other archives.
fn is_without(place: &Place, run: &Run, folder: &str) {
    let fresh = place
        .run_to("fresh", &["a.warc", "b.warc", "--quarantine", "--overwrite"])
        .ends_with(3);
    assert_eq!(run.report["archives"], fresh.report["archives"]);
    assert_eq!(run.report["totals"], fresh.report["totals"]);
    assert_eq!(run.report["config_hash"], fresh.report["config_hash"]);
    assert_eq!(run.report["state"], "complete");
    assert_eq!((&run.shards, &run.failed), (&fresh.shards, &fresh.failed));
    assert_eq!(names(place, folder), names(place, "fresh"));
}

#[test]
fn a_wrong_name_is_named_and_can_be_taken_out() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    let run = place.run(&["a.warc", "no such.warc"]).ends_with(1);
    let hint = "dehusk run -o out --forget 'no such.warc'";
    assert!(run.ended.stderr.contains(hint), "{}", run.ended.stderr);
    let alone = place.run(&["a.warc", "--quiet"]).ends_with(1);
    assert!(alone.ended.stderr.contains(hint), "{}", alone.ended.stderr);
    let forgotten = place.run(&["--forget", "no such.warc"]).ends_with(0);
    assert!(
        forgotten
            .ended
            .stderr
            .contains("no such.warc is no part of out any more; its archives are now 1, with 1 documents"),
        "{}",
        forgotten.ended.stderr
    );
    // No document was made, so there are no rates.
    let html = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(
        html.contains("All documents were there before") && !html.contains("documents per second"),
        "{html}"
    );
    let again = place.run(&["a.warc"]).ends_with(0);
    assert!(
        again.ended.stderr.contains("finished already (1 archive)"),
        "{}",
        again.ended.stderr
    );
    // A name that run.json and the hint must escape.
    let odd = place.run(&["a.warc", "odd\\x41.warc"]).ends_with(1);
    assert!(
        odd.ended.stderr.contains(r"--forget 'odd\x5cx41.warc'"),
        "{}",
        odd.ended.stderr
    );
    place.run(&["--forget", r"odd\x5cx41.warc"]).ends_with(0);
    // An archive that is named once more is read once more.
    place.write("no such.warc", page("b"));
    let joined = place.run(&["a.warc", "no such.warc"]).ends_with(0);
    assert_eq!(joined.documents().len(), 2);
}

#[test]
fn all_of_an_archive_is_taken_out() {
    let place = Place::new();
    three(&place, "out");
    let run = place.run(&["--forget", "wrong.warc"]).ends_with(3);
    is_without(&place, &run, "out");
    let none = place.dehusk(&["run", "-o", "out", "--forget", "a.warc", "--forget", "b.warc"]);
    assert_eq!(none.status, 0, "{}", none.stderr);
    let report: serde_json::Value = serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(
        (&report["archives"], &report["totals"]["emitted"]),
        (&json!([]), &json!(0))
    );
    assert_eq!(fs::read(place.path("out/failed.jsonl")).unwrap(), b"");
    assert!(place.names("out/documents").is_empty());
}

#[test]
fn what_cannot_be_taken_out_is_named_and_nothing_changes() {
    let place = Place::new();
    three(&place, "out");
    let before = (fs::read(place.path("out/run.json")).unwrap(), names(&place, "out"));
    let missing =
        "out: has no archive “wrnog.warc”; its run.json has their names in archives[].path; did you mean “wrong.warc”?";
    refused(
        &place,
        &["-o", "out", "--forget", "b.warc", "--forget", "wrnog.warc"],
        missing,
    );
    // A file name is not enough, because several archives can have it.
    place.write("folder/c.warc", page("c"));
    place.run_to("other", &["folder/c.warc"]).ends_with(0);
    refused(
        &place,
        &["-o", "other", "--forget", "c.warc"],
        "did you mean “folder/c.warc”?",
    );
    refused(
        &place,
        &["-o", "nowhere", "--forget", "b.warc"],
        "nowhere: holds no run.json",
    );
    assert!(!place.path("nowhere").exists());
    let with_archive = place.dehusk(&["run", "a.warc", "-o", "out", "--forget", "b.warc"]);
    assert_eq!(with_archive.status, 2, "{}", with_archive.stderr);
    assert_eq!(
        (fs::read(place.path("out/run.json")).unwrap(), names(&place, "out")),
        before
    );
    // A run that has not come to its end.
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "a.warc", "pipe", "-o", "unfinished"]);
    let open = fs::File::options().write(true).open(pipe).unwrap();
    running.signal("KILL");
    running.end();
    drop(open);
    refused(
        &place,
        &["-o", "unfinished", "--forget", "a.warc"],
        "“pipe” is not finished; give the run's command once more",
    );
}

/// The program is killed before each of its writes, until there are no more. Whatever it has done by then, the next
/// command does the rest.
#[test]
fn a_kill_while_an_archive_is_taken_out_leaves_nothing_half() {
    let place = Place::new();
    three(&place, "whole");
    let mut killed = 0;
    loop {
        fs::remove_dir_all(place.path("out")).unwrap_or_default();
        let copied = Command::new("cp")
            .arg("-r")
            .args([place.path("whole"), place.path("out")])
            .status();
        assert!(copied.unwrap().success());
        let mut command = place.command();
        place.preload(&mut command, "kill_at_write");
        let at = (killed + 1).to_string();
        command.envs([("KILL_FILE", "*"), ("KILL_AT", &at)]);
        command.args(["run", "-o", "out", "--forget", "wrong.warc"]);
        let ended = place.spawn(command, Stdio::null()).end();
        if ended.status != -1 {
            assert_eq!(ended.status, 3, "{}", ended.stderr);
            break;
        }
        killed += 1;
        let again = place.dehusk(&["run", "-o", "out", "--forget", "wrong.warc"]);
        assert!(
            again.status == 3 || again.stderr.contains("has no archive “wrong.warc”"),
            "{killed}: {}",
            again.stderr
        );
        let run = place.run(&["a.warc", "b.warc", "--quarantine"]).ends_with(3);
        is_without(&place, &run, "out");
    }
    assert!(killed > 10, "{killed}");
}
