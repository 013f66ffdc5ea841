//! Archives and indexes that are written where the disk is full, the input fails, or the program is killed: nothing
//! that is not whole has its final name.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::program::{Ended, Place, make};

/// The commands that write a file, with what they write.
const COMMANDS: [(&[&str], &str); 3] = [
    (&["mend", "a.warc", "-o", "b.warc"], "b.warc"),
    (&["index", "a.warc", "-o", "b.cdxj"], "b.cdxj"),
    (&["cat", "run", "--records", "b.warc"], "b.warc"),
];

/// 300 pages: 140 KB, and 60 KB of index.
fn records() -> Vec<u8> {
    let page = |i: usize| make::page(&format!("https://a.example/{i}"), &format!("Page {i}."));
    (0..300).flat_map(page).collect()
}

/// The archive, and the run that `cat` reads.
fn place() -> Place {
    let place = Place::new();
    place.write("a.warc", records());
    place.run_to("run", &["a.warc"]).ends_with(0);
    place
}

/// The files that a command wrote under names that are not hidden.
fn written(place: &Place) -> Vec<String> {
    let names = place.names(".").into_iter();
    names.filter(|name| name.starts_with("b.")).collect()
}

#[test]
fn a_full_disk_leaves_no_half_archive_or_index() {
    let place = place();
    for (command, _) in COMMANDS {
        let mut failed = 0;
        for blocks in [1, 2, 8, 40, 100, 200, 1000] {
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
            let mut shell = place.shell_command("sh");
            shell
                .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_dehusk")])
                .args(command);
            let ended = place.spawn(shell, Stdio::null()).end();
            if ended.status == 1 {
                assert!(ended.stderr.contains("File too large"), "{blocks}: {}", ended.stderr);
                assert_eq!(place.names("."), ["a.warc", "run"], "{command:?} {blocks}");
                failed += 1;
            } else {
                assert_eq!(ended.status, 0, "{}", ended.stderr);
                for name in written(&place) {
                    fs::remove_file(place.path(&name)).unwrap();
                }
            }
        }
        assert!((4..7).contains(&failed), "{command:?}: {failed}");
    }
}

#[test]
fn an_input_that_fails_leaves_no_half_archive_or_index() {
    let place = place();
    let bytes = records();
    let run = |command: &[&str], from: u64| -> Ended {
        let mut program = place.command();
        program.args(command);
        place.preload(&mut program, "faulty_reads");
        program.env("FAULTY_FROM", from.to_string());
        program.env("FAULTY_FILE", fs::canonicalize(place.path("a.warc")).unwrap());
        place.spawn(program, Stdio::null()).end()
    };
    for (command, name) in COMMANDS {
        let ended = run(command, bytes.len() as u64 / 2);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(ended.stderr.contains("Input/output error"), "{}", ended.stderr);
        assert!(ended.stderr.contains("nothing was written"), "{}", ended.stderr);
        assert!(written(&place).is_empty());
        let ended = run(command, u64::MAX >> 1);
        assert_eq!((ended.status, place.path(name).exists()), (0, true), "{}", ended.stderr);
        for name in written(&place) {
            fs::remove_file(place.path(&name)).unwrap();
        }
    }
}

#[test]
fn a_killed_mend_leaves_no_half_archive_and_can_be_done_again() {
    for signal in ["INT", "KILL"] {
        let place = Place::new();
        let bytes = records();
        place.write("a.warc", &bytes);
        let mut running = place.start(&["mend", "-", "-o", "b.warc"]);
        let mut stdin = running.stdin.take().unwrap();
        // More than a pipe holds, so some of it has been read when this returns.
        for _ in 0..20 {
            stdin.write_all(&bytes).unwrap();
        }
        running.signal(signal);
        let ended = running.end_with_open_stdin();
        assert_ne!(ended.status, 0);
        assert!(written(&place).is_empty());
        let ended = place.dehusk(&["mend", "a.warc", "-o", "b.warc", "--overwrite"]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        assert_eq!(fs::read(place.path("b.warc")).unwrap(), bytes);
        assert_eq!(place.names("."), ["a.warc", "b.warc", "b.warc.report.jsonl"]);
    }
}
