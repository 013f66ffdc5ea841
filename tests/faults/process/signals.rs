//! Signals and broken pipes: what is in flight is finished or dropped, and the directory is in order afterwards.

use std::io::Write;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

use dehusk::Stop;
use dehusk::report::RunState;

use crate::program::{Place, make, with_extractor};

/// A run that reads a pipe in which nothing more comes ends cleanly at once.
#[test]
fn a_signal_ends_a_run_that_waits_for_input() {
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        place.write("good.warc", make::page("https://a.example/", "A page of some words."));
        let mut running = place.start(&["run", "good.warc", "-", "-o", "out", "--threads", "2"]);
        let mut stdin = running.stdin.take().unwrap();
        for i in 0..200 {
            // More than pipes hold, so some of it has been read when this returns.
            stdin
                .write_all(&make::page(&format!("https://a.example/{i}"), "Some words."))
                .unwrap();
            stdin.write_all(&make::filler(i, 20_000)).unwrap();
        }
        running.signal(signal);
        let ended = running.end_with_open_stdin();
        let run = place.read("out", ended).ends_with(130);
        drop(stdin);
        assert_eq!(run.report["state"], "interrupted");
        assert_eq!(run.archives()[1]["state"], "interrupted");
        assert_eq!(run.archives()[1]["shards"], serde_json::json!([]));
        assert!(run.ended.stderr.contains("-: interrupted"), "{}", run.ended.stderr);
        assert!(place.names("out/documents").iter().all(|n| n == "good.jsonl.zst"));
        // Unfinished work can be done again.
        place.run(&["good.warc", "--overwrite"]).ends_with(0);
    }
}

/// A run that was started to outlive its terminal continues.
#[test]
fn a_hangup_that_was_ignored_at_the_start_stays_ignored() {
    outlives("HUP");
}

#[test]
fn an_interrupt_and_a_request_to_end_that_were_ignored_at_the_start_stay_ignored() {
    outlives("INT");
    outlives("TERM");
}

/// Starts a run where a signal is ignored, sends the signal, and lets the run end.
fn outlives(signal: &str) {
    let place = Place::new();
    let mut command = place.shell_command("sh");
    let program = env!("CARGO_BIN_EXE_dehusk");
    command.args(["-c", &format!("trap '' {signal}; exec \"$0\" \"$@\""), program]);
    command.args(with_extractor(&["run", "-", "-o", "out"]));
    let mut running = place.spawn(command, Stdio::piped());
    let mut stdin = running.stdin.take().unwrap();
    let filler = make::filler(0, 300_000);
    // More than a pipe holds, so the program has begun to read when this returns.
    stdin.write_all(&filler).unwrap();
    running.signal(signal);
    stdin
        .write_all(&make::page("https://a.example/", "A page of some words."))
        .unwrap();
    drop(stdin);
    let run = place.read("out", running.end()).ends_with(0);
    assert_eq!(run.texts(), ["A page of some words."]);
}

#[test]
fn a_signal_ends_a_run_that_waits_for_a_pipe_to_be_opened() {
    let place = Place::new();
    place.pipe("silent");
    let gate = place.pipe("gate");
    // The second pipe shows when both have been begun.
    let running = place.start(&["run", "silent", "gate", "-o", "out", "--threads", "2"]);
    let open = std::fs::File::options().write(true).open(gate).unwrap();
    running.signal("INT");
    let run = place.read("out", running.end()).ends_with(130);
    drop(open);
    assert_eq!(run.total("framed"), 0);
}

/// A worker that does not come back in time is not waited for: the account is closed without its archive. Here it comes
/// back only when the test lets it.
#[test]
fn work_that_takes_too_long_after_a_signal_is_dropped() {
    let place = Place::new();
    place.write("a.warc", super::page("a"));
    place.write("b.warc", [super::page("stuck"), super::page("b")].concat());
    let stop = Stop::default();
    let (begun, wait_for_begun) = channel();
    let (release, wait_for_release) = channel::<()>();
    let (done, wait_for_done) = channel();
    let (told, wait_for_account) = channel();
    let (begun, wait_for_release) = (Mutex::new(begun), Mutex::new(wait_for_release));
    let asked = stop.clone();
    thread::scope(|scope| {
        // Where a check fails, this goes, and lets the worker go too.
        let release = release;
        let running = scope.spawn(|| {
            let mut abandoned = |report: &dehusk::Report| told.send(report.clone()).unwrap();
            let mut finished = |_: &_| done.send(()).unwrap_or_default();
            super::run_watched(
                &place,
                &["a.warc", "b.warc"],
                1,
                &asked,
                &mut finished,
                &mut abandoned,
                move |text| {
                    if text.contains("stuck") {
                        begun.lock().unwrap().send(()).unwrap();
                        wait_for_release.lock().unwrap().recv().unwrap();
                    }
                },
            )
        });
        wait_for_begun.recv().unwrap();
        wait_for_done.recv().unwrap();
        stop.drop_in_flight();
        let report = wait_for_account.recv().unwrap();
        assert_eq!((report.state, report.exit_status()), (RunState::Interrupted, 130));
        // The run on the disk has ended now, while the worker is still at it.
        let run = super::read(&place, &report);
        assert_eq!(run.report["state"], "interrupted");
        assert_eq!(run.archives()[0]["state"], "complete");
        assert_eq!(run.archives()[1]["state"], "interrupted");
        assert_eq!(run.texts(), ["The page a has some words."]);
        drop(run);
        release.send(()).unwrap();
        let late = running.join().unwrap();
        assert_eq!(late, report, "what comes too late changes nothing");
    });
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst"]);
}

/// The reader of the output hangs up before the input is even fed. The program may hang up as well then, before it has
/// read everything.
#[test]
fn a_broken_pipe_ends_the_program_quietly() {
    let place = Place::new();
    place.write("a.warc", super::page("a"));
    for arguments in [
        &["extract", "-"][..],
        &["extract", "-", "--format", "json"],
        &["inspect", "-"],
        &["inspect", "a.warc"],
        &["inspect", "a.warc@0"],
    ] {
        let mut command = place.command();
        command
            .args(with_extractor(arguments))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let input = match arguments[0] {
            "inspect" => crate::program::sample_records().concat(),
            _ => b"<title>A page</title><p>Some words of it.".to_vec(),
        };
        let _ = child.stdin.take().unwrap().write_all(&input);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}
