//! Disks that are full, slow to report it, or not to be written to.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::page;
use crate::program::{EXTRACTOR, Place, make, refused};

/// Archives whose shards are of different size, 25 KB at most.
fn archives(place: &Place) -> Vec<String> {
    let sizes = [1, 20, 5, 60, 30];
    let write = |(i, pages): (usize, &usize)| {
        let records = (0..*pages).map(|n| {
            let text = format!("Page {n} of archive {i} has some words. ");
            make::page(&format!("https://{i}.example/{n}"), &text)
        });
        let name = format!("{i}.warc");
        place.write(&name, records.collect::<Vec<_>>().concat());
        name
    };
    sizes.iter().enumerate().map(write).collect()
}

/// The shards in a folder, whole ones only.
fn shards(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let documents = format!("{folder}/documents");
    let read = |name: String| (name.clone(), fs::read(place.path(&documents).join(&name)).unwrap());
    let names = place.names(&documents).into_iter();
    names.filter(|name| !name.starts_with('.')).map(read).collect()
}

/// After a run without room: whole shards or none, and an account that knows them.
fn check_failed(place: &Place, folder: &str, status: i32, whole: &BTreeMap<String, Vec<u8>>) {
    assert!(status == 1 || status == 0, "{folder}: {status}");
    let left = shards(place, folder);
    assert!(
        left.iter().all(|(name, bytes)| whole.get(name) == Some(bytes)),
        "{folder}: {:?}",
        left.keys()
    );
    assert!(status != 0 || left.len() == whole.len(), "{folder}");
    let Ok(report) = fs::read(place.path(folder).join("run.json")) else {
        assert!(left.is_empty(), "{folder}: shards of nobody");
        return;
    };
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    match report["state"].as_str().unwrap() {
        "complete" => assert_eq!(status, 0),
        "failed" => {
            let listed = |a: &serde_json::Value| !a["shards"].as_array().unwrap().is_empty();
            assert_eq!(
                report["archives"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|a| listed(a))
                    .count(),
                left.len()
            );
            assert_ne!(report["error"], "");
        }
        // There was no room for the last account; the first one lists what the run might write.
        state => assert_eq!(state, "running"),
    }
}

/// Every file may have so many blocks and no more: the write that passes them fails.
#[test]
fn a_failing_write_ends_the_run_at_every_point() {
    let place = Place::new();
    let names = archives(&place);
    let options = [
        "--threads",
        "2",
        "--compression",
        "none",
        "--quiet",
        "--overwrite",
        "-o",
    ];
    let arguments = |folder: &'static str| {
        [
            &["run", "-e", EXTRACTOR],
            &options[..],
            &[folder],
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
        ]
        .concat()
    };
    assert_eq!(place.dehusk(&arguments("whole")).status, 0);
    let whole = shards(&place, "whole");
    let mut failed = 0;
    for blocks in 1..=50 {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = place.shell_command("sh");
        command
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_dehusk")])
            .args(arguments("out"));
        let ended = place.spawn(command, Stdio::null()).end();
        // The reason is reported, and only once.
        let told = ended.stderr.matches("File too large").count();
        assert_eq!(told, usize::from(ended.status != 0), "{blocks}: {}", ended.stderr);
        check_failed(&place, "out", ended.status, &whole);
        failed += u32::from(ended.status != 0);
        let again = place.dehusk(&arguments("out"));
        assert_eq!((again.status, again.stderr), (0, String::new()));
        assert_eq!(shards(&place, "out"), whole);
        fs::remove_dir_all(place.path("out")).unwrap();
    }
    assert!(failed > 25, "the points lie within the run: {failed}");
}

/// The same on disks of fifty sizes. Needs the right to mount small file systems; without it, this reports that and
/// passes.
#[test]
fn a_full_disk_ends_the_run_at_every_point() {
    let place = Place::new();
    let names = archives(&place);
    fs::create_dir(place.path("disk")).unwrap();
    let script = "
        run() { \"$program\" run $names -e coreex-modern --threads 2 --compression none --quiet --overwrite -o disk/out; }
        program=$1; shift; names=$*
        for i in $(seq 50); do
            mount -t tmpfs -o size=$((8 * i))k none disk || exit 77
            run 2> error-$i; echo $? > status-$i; cp -r disk/out failed-$i
            mount -o remount,size=2m disk
            run; echo $? > again-$i; cp -r disk/out whole-$i
            umount disk
        done";
    let mut command = place.shell_command("unshare");
    command
        .args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_dehusk")])
        .args(&names);
    let ended = place.spawn(command, Stdio::null()).end();
    if ended.status != 0 {
        println!("skipped: no right to mount a file system here: {}", ended.stderr);
        return;
    }
    let number = |name: String| {
        fs::read_to_string(place.path(&name))
            .unwrap()
            .trim()
            .parse::<i32>()
            .unwrap()
    };
    let whole = shards(&place, "whole-50");
    assert_eq!(whole.len(), names.len());
    let mut failed = 0;
    for i in 1..=50 {
        let (status, error) = (
            number(format!("status-{i}")),
            fs::read_to_string(place.path(&format!("error-{i}"))).unwrap(),
        );
        let told = error.matches("No space left on device").count();
        assert_eq!(told, usize::from(status != 0), "{i}: {error}");
        check_failed(&place, &format!("failed-{i}"), status, &whole);
        failed += u32::from(status != 0);
        assert_eq!(number(format!("again-{i}")), 0);
        assert_eq!(shards(&place, &format!("whole-{i}")), whole);
    }
    assert!((10..50).contains(&failed), "the sizes lie around the run's: {failed}");
}

/// The folder of documents goes away while the run is at work.
#[test]
fn output_that_vanishes_ends_the_run() {
    let place = Place::new();
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "out"]);
    let mut open = fs::File::options().write(true).open(pipe).unwrap();
    fs::remove_dir_all(place.path("out/documents")).unwrap();
    open.write_all(&page("a")).unwrap();
    drop(open);
    let ended = running.end();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("cannot be created") && ended.stderr.contains("documents"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("interrupted"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("the output failed; no archive was finished"),
        "{}",
        ended.stderr
    );
    let report: serde_json::Value = serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(
        (&report["state"], &report["totals"]["emitted"]),
        (&"failed".into(), &0.into())
    );
    assert_eq!(report["archives"][0]["state"], "failed");
}

#[test]
fn an_unwritable_directory_is_named() {
    let place = Place::new();
    place.write("a.warc", page("a"));
    place.write("file", "in the way");
    refused(&place, &["a.warc", "-o", "file/out"], "file/out: cannot be created");
    refused(&place, &["a.warc", "-o", "file"], "file: cannot be created");
    if cfg!(target_os = "linux") {
        refused(&place, &["a.warc", "-o", "/proc/out"], "/proc/out: cannot be created");
    }
}

/// The system sends SIGXFSZ with the error, which ends a program that does not ignore it.
#[test]
fn a_limit_of_the_size_of_files_is_a_failed_write() {
    let place = Place::new();
    let text = "Some words that fill a file. ".repeat(40_000);
    place.write("a.warc", make::page("https://a.example/", &text));
    let mut command = place.shell_command("sh");
    let program = env!("CARGO_BIN_EXE_dehusk");
    command.args(["-c", "ulimit -f 64; exec \"$0\" \"$@\"", program]);
    command.args([
        "run",
        "a.warc",
        "-o",
        "out",
        "--compression",
        "none",
        "--extractor",
        EXTRACTOR,
    ]);
    let ended = place.spawn(command, Stdio::null()).end();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("File too large"), "{}", ended.stderr);
    assert_eq!(shards(&place, "out").len(), 0);
}
