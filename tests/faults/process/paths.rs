//! Paths that lead to something else than a plain file.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use crate::program::{Place, make};

/// A folder of two archives with everything in it that is no archive and no file.
fn odd_folder() -> (Place, UnixListener) {
    let place = Place::new();
    place.write("in/a.warc", super::page("a"));
    place.write("in/folder.warc.gz/b", super::page("b"));
    place.pipe("in/pipe.warc.gz");
    place.pipe("in/pipe");
    let socket = UnixListener::bind(place.path("in/socket.warc")).unwrap();
    for (to, name) in [
        ("/dev/zero", "endless.warc"),
        ("/dev/null", "nothing"),
        ("pipe", "link-to-pipe.arc"),
        ("..", "folder.warc.gz/back"),
    ] {
        symlink(to, place.path("in").join(name)).unwrap();
    }
    (place, socket)
}

#[test]
fn pipes_sockets_and_devices_in_a_folder_are_skipped_unopened() {
    let (place, _socket) = odd_folder();
    for (argument, out) in [("in", "folder"), ("in/*", "glob"), ("i*", "folders")] {
        let run = place.run_to(out, &[argument]).ends_with(0);
        assert_eq!(run.report["inputs_skipped"], 5, "{argument}");
        assert_eq!(
            run.texts(),
            ["The page a has some words.", "The page b has some words."]
        );
    }
    // An argument of its own is read as a stream.
    let run = place.run_to("null", &["in/nothing"]).ends_with(0);
    assert_eq!(run.total("notes.empty_input"), 1);
}

#[test]
fn links_that_lead_nowhere_are_reported() {
    let place = Place::new();
    place.write("in/a.warc", super::page("a"));
    symlink("missing", place.path("in/dangling.warc.gz")).unwrap();
    symlink("circle.warc", place.path("in/circle.warc")).unwrap();
    symlink("missing", place.path("in/no-archive")).unwrap();
    let run = place.run(&["in"]).ends_with(1);
    let states: Vec<_> = run.archives().iter().map(|a| a["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["complete", "failed", "failed"]);
}

#[test]
fn a_file_that_states_no_size_is_read_as_a_stream() {
    let place = Place::new();
    // Made when it is read.
    let ended = place.dehusk(&["run", "/proc/version", "-o", "out"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended.stderr.contains("text that starts with “Linux"),
        "{}",
        ended.stderr
    );
    let ended = place.dehusk(&["extract", "/proc/version"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(ended.stdout.starts_with(b"Linux"));
}

#[test]
fn endless_input_where_a_small_file_is_expected_is_an_error() {
    let place = Place::new();
    place.write("a.warc", super::page("a"));
    let patterns = "presets.mine={base=\"contentex\",patterns=\"/dev/zero\"}";
    for arguments in [
        &["extract", "/dev/zero"][..],
        &["extract", "/dev/full"],
        &["extract", "a.warc", "--config", "/dev/zero"],
        &["run", "a.warc", "-o", "out", "--config", "/dev/zero"],
        &["run", "@/dev/zero", "-o", "out"],
        &["run", "/dev/zero", "-o", "archive"],
        &[
            "run",
            "a.warc",
            "-o",
            "out",
            "--extractor",
            "fusion",
            "--model",
            "/dev/zero",
        ],
        &["run", "a.warc", "-o", "out", "--set", patterns, "--extractor", "mine"],
        &["eval", "a.warc", "--truth", "/dev/zero"],
    ] {
        let mut command = place.shell_command("sh");
        // Without a limit it would fill the memory.
        command.args([
            "-c",
            "ulimit -v 1000000; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_dehusk"),
        ]);
        command.args(crate::program::with_extractor(arguments));
        let ended = place.spawn(command, std::process::Stdio::null()).end();
        assert!(
            matches!(ended.status, 1 | 2),
            "{arguments:?}: {} {}",
            ended.status,
            ended.stderr
        );
        assert!(
            !ended.stderr.contains("panicked") && !ended.stderr.contains("memory"),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains("/dev/"), "{arguments:?}: {}", ended.stderr);
    }
    assert!(!place.path("out").exists());
}

/// The system may have no room for a map, or a file system may have none at all.
#[test]
fn an_archive_that_cannot_be_mapped_is_read_all_the_same() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..20)
        .map(|i| make::page(&format!("https://a.example/{i}"), "Some words."))
        .collect();
    for (name, bytes) in [
        ("a.warc", records.concat()),
        ("b.warc.gz", make::each(&records, make::gzip)),
    ] {
        let path = place.write(name, &bytes);
        // Zeros that take no room on the disk.
        File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 30)
            .unwrap();
        let mut command = place.shell_command("sh");
        command.args([
            "-c",
            "ulimit -v 600000; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_dehusk"),
        ]);
        command.args(crate::program::with_extractor(&[
            "run",
            name,
            "-o",
            "out",
            "--threads",
            "1",
        ]));
        let ended = place.spawn(command, std::process::Stdio::null()).end();
        let run = place.read("out", ended).ends_with(3);
        assert_eq!(run.total("emitted"), 20, "{name}");
        fs::remove_dir_all(place.path("out")).unwrap();
    }
}
