//! `dehusk run`: archives → documents.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::args::RunArgs;
use super::inputs;
use super::output::say;
use super::progress::{Display, Style};
use super::summary::{archive_line, is_empty, main_cause, totals_table};
use super::{Failure, INTERRUPTED};
use crate::config::Rules;
use crate::input::InputError;
use crate::pipeline::{Progress, Stop};
use crate::run::{ArchiveReport, ArchiveState, Report, RunError, RunOptions, RunState, run_with_rules};
use dehusk_archive::escape::terminal;

/// How long batches in flight may take after a signal. Then the run ends without them.
const DRAIN_TIME: Duration = Duration::from_secs(4);

/// How long the report may take after that: a disk can hang.
const REPORT_TIME: Duration = Duration::from_secs(1);

pub(super) fn run(args: &RunArgs) -> Result<u8, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "-o takes a directory, not standard output; use `-o ./-` for a directory of this name";
        return Err(Failure::usage(message));
    }
    let config = args.resolve().map_err(Failure::usage)?;
    let rules = Arc::new(Rules::new(&config).map_err(Failure::usage)?);
    let inputs = inputs::resolve(&args.archives).map_err(Failure::usage)?;
    let progress = Arc::new(Progress::default());
    let stop = Stop::default();
    watch_signals(stop.clone())?;
    let style = match (args.quiet, stderr().is_terminal()) {
        (true, _) => Style::Silent,
        (_, true) => Style::Bar,
        (_, false) => Style::Lines,
    };
    let display = Display::start(style, Arc::clone(&progress));
    let mut on_archive = |archive: &ArchiveReport| {
        if args.verbose || archive.state != ArchiveState::Complete || is_empty(archive) {
            display.line(&archive_line(archive));
        }
    };
    // Threads that still work end with the program.
    let mut on_abandon = |report: &Report| {
        display.clear();
        print_summary(report, args);
        std::process::exit(i32::from(report.exit_status()));
    };
    let options = RunOptions::default()
        .overwrite(args.overwrite)
        .inputs_skipped(inputs.skipped.len() as u64)
        .progress(&progress)
        .stop(&stop)
        .on_archive(&mut on_archive)
        .on_abandon(&mut on_abandon);
    let result = run_with_rules(&rules, &inputs.archives, &args.output, options);
    display.finish();
    let report = result.map_err(|e| match e {
        RunError::Directory(e) => Failure::other(e),
        RunError::Input(e @ InputError::NotFound { .. }) => Failure::other(e),
        usage => Failure::usage(usage),
    })?;
    print_summary(&report, args);
    Ok(report.exit_status())
}

/// The signal that a closed terminal sends, unless the program was started to outlive it, as by `nohup`.
fn hangup() -> Option<i32> {
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGHUP;
        (!dehusk_archive::sigbus::is_ignored(SIGHUP)).then_some(SIGHUP)
    }
    #[cfg(not(unix))]
    None
}

/// The first signal asks the run to end cleanly; the second ends the program at once.
fn watch_signals(stop: Stop) -> Result<(), Failure> {
    let signalled = Arc::new(AtomicBool::new(false));
    let failed = |e| Failure::other(format!("signals cannot be handled: {e}"));
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup()) {
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&signalled))
            .map_err(failed)?;
        signal_hook::flag::register(signal, Arc::clone(&signalled)).map_err(failed)?;
        signal_hook::flag::register(signal, stop.flag()).map_err(failed)?;
    }
    let watch = move || {
        while !signalled.load(std::sync::atomic::Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
        }
        thread::sleep(DRAIN_TIME);
        stop.drop_in_flight();
        thread::sleep(REPORT_TIME);
        std::process::exit(i32::from(INTERRUPTED));
    };
    // Without this thread a second signal still ends the program.
    let _ = thread::Builder::new().name("signals".into()).spawn(watch);
    Ok(())
}

/// Prints how the run ended.
fn print_summary(report: &Report, args: &RunArgs) {
    if report.state == RunState::Failed {
        say(format!("dehusk: {}", terminal(&report.error)));
    }
    if args.quiet {
        // Why the run failed is said once, not once more for each archive.
        let is_failed = |a: &&ArchiveReport| a.state == ArchiveState::Failed && !a.lost_output();
        for archive in report.archives.iter().filter(is_failed) {
            say(format!("dehusk: {}", terminal(&archive.error)));
        }
        return;
    }
    say(totals_table(report).trim_end());
    let directory = args.output.to_string_lossy();
    let directory = terminal(&directory);
    let place = match report.archives.iter().any(|a| !a.shards.is_empty()) {
        true => format!("finished files are in {directory}/documents"),
        false => "no archive was finished, so there are no documents".to_owned(),
    };
    say(match report.state {
        RunState::Interrupted => format!("interrupted; {place}"),
        RunState::Failed => format!("the output failed; {place}"),
        _ if report.totals.ledger.emitted > 0 => format!("documents are in {directory}/documents"),
        _ => format!(
            "no documents were written{}; see {directory}/run.json",
            main_cause(report)
        ),
    });
}
