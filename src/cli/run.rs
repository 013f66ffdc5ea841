//! `dehusk run`: archives → documents.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use serde_json::json;

use super::args::RunArgs;
use super::inputs;
use super::log::{self, LogFormat};
use super::metrics::Metrics;
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
    match (run_archives(args), args.log_format) {
        (Err(failure), LogFormat::Json) => {
            let fields = json!({"message": failure.message, "exit_status": failure.status});
            log::event("error", "failure", fields);
            Ok(failure.status)
        }
        (result, _) => result,
    }
}

fn run_archives(args: &RunArgs) -> Result<u8, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "-o takes a directory, not standard output; use `-o ./-` for a directory of this name";
        return Err(Failure::usage(message));
    }
    let config = args.resolve().map_err(Failure::usage)?;
    let rules = Arc::new(Rules::new(&config).map_err(Failure::usage)?);
    let inputs = inputs::of_run(&config, args)?;
    if let (true, Some(run)) = (inputs.archives.is_empty(), &args.only_failed) {
        let run = run.to_string_lossy();
        say(format!(
            "every archive is complete in {}, so there is nothing to do",
            terminal(&run)
        ));
        return Ok(0);
    }
    let progress = Arc::new(Progress::default());
    let stop = Stop::default();
    watch_signals(stop.clone())?;
    let style = match (args.quiet, args.log_format, stderr().is_terminal()) {
        (true, ..) => Style::Silent,
        (_, LogFormat::Json, _) => Style::Json,
        (.., true) => Style::Bar,
        (.., false) => Style::Lines,
    };
    let metrics = args.metrics.as_deref();
    let metrics = metrics
        .map(|path| Metrics::start(path, &args.output, &progress, &rules.hash))
        .transpose()?;
    let display = Display::start(style, Arc::clone(&progress));
    let mut on_archive = |archive: &ArchiveReport| {
        if args.log_format == LogFormat::Json {
            log_archive(archive, args);
        } else if args.verbose || archive.state != ArchiveState::Complete || is_empty(archive) {
            display.line(&archive_line(archive));
        }
    };
    // Threads that still work end with the program.
    let mut on_abandon = |report: &Report| {
        display.clear();
        conclude(report, metrics.as_ref(), args);
        std::process::exit(i32::from(report.exit_status()));
    };
    let mut options = RunOptions::default()
        .overwrite(args.overwrite)
        .changed(args.changed)
        .verify(args.verify)
        .inputs_skipped(inputs.skipped.len() as u64)
        .progress(&progress)
        .stop(&stop)
        .on_archive(&mut on_archive)
        .on_abandon(&mut on_abandon);
    if let Some((number, count)) = args.part {
        options = options.part(number, count);
    }
    if let Some(since) = &args.since {
        options = options.since(since);
    }
    let result = run_with_rules(&rules, &inputs.archives, &args.output, options);
    display.finish();
    let report = result.map_err(|e| {
        let failure = match e {
            RunError::Directory(e) => Failure::other(e),
            RunError::Store(e) => Failure::other(e),
            RunError::Input(e @ InputError::NotFound { .. }) => Failure::other(e),
            usage => Failure::usage(usage),
        };
        if let Some(metrics) = &metrics {
            metrics.conclude_failed(failure.status);
        }
        failure
    })?;
    conclude(&report, metrics.as_ref(), args);
    Ok(report.exit_status())
}

/// Says how the run ended: in the metrics, and on standard error.
fn conclude(report: &Report, metrics: Option<&Metrics>, args: &RunArgs) {
    if let Some(metrics) = metrics {
        metrics.conclude(report);
    }
    match args.log_format {
        LogFormat::Text => print_summary(report, args),
        LogFormat::Json => log_summary(report, args),
    }
}

/// The level of a message about something that ended with this status.
fn level(exit_status: u8) -> &'static str {
    match exit_status {
        0 => "info",
        1 => "error",
        _ => "warning",
    }
}

/// Logs what became of an archive.
fn log_archive(archive: &ArchiveReport, args: &RunArgs) {
    let status = match archive.state {
        ArchiveState::Complete => 0,
        ArchiveState::Failed => 1,
        _ => 3,
    };
    if status == 1 || !args.quiet {
        // The account of an archive always has a form in JSON.
        let fields = serde_json::to_value(archive).unwrap_or_default();
        log::event(level(status), "archive", fields);
    }
}

/// Logs how the run ended.
fn log_summary(report: &Report, args: &RunArgs) {
    let status = report.exit_status();
    if args.quiet && status != 1 {
        return;
    }
    for archive in report.archives.iter().filter(|archive| !archive.changed.is_empty()) {
        let fields = json!({"path": archive.path, "changed": archive.changed});
        log::event("error", "changed", fields);
    }
    if report.was_finished {
        let failed = report.archives.iter().filter(|a| a.state == ArchiveState::Failed);
        failed.for_each(|archive| log_archive(archive, args));
    }
    let fields = json!({
        "state": report.state,
        "exit_status": status,
        "was_finished": report.was_finished,
        "taken_over": report.taken_over,
        "damaged_journal_lines": report.damaged_journal_lines,
        "error": report.error,
        "directory": args.output.to_string_lossy(),
        "totals": report.totals,
        "timing": report.timing,
    });
    log::event(level(status), "summary", fields);
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
    for archive in report.archives.iter().filter(|a| !a.changed.is_empty()) {
        let (path, changed) = (terminal(&archive.path), terminal(&archive.changed));
        let end = match args.changed {
            true => "what was made of it stays",
            false => "it is not read again, unless you pass --changed",
        };
        say(format!("dehusk: {path}: {changed}; {end}"));
    }
    if report.damaged_journal_lines > 0 && !args.quiet {
        let lines = match report.damaged_journal_lines {
            1 => "1 line of the journal is damaged".to_owned(),
            n => format!("{n} lines of the journal are damaged"),
        };
        say(format!("dehusk: {lines}; the run went on from what is whole"));
    }
    if let (Some(since), 1..) = (&args.since, report.taken_over) {
        let count = match report.taken_over {
            1 => "1 archive was".to_owned(),
            n => format!("{n} archives were"),
        };
        let since = since.to_string_lossy();
        if !args.quiet {
            say(format!("{count} taken over from {}", terminal(&since)));
        }
    }
    if args.quiet || report.was_finished {
        // Why the run failed is said once, not once more for each archive.
        let is_failed = |a: &&ArchiveReport| a.state == ArchiveState::Failed && !a.lost_output();
        for archive in report.archives.iter().filter(is_failed) {
            say(format!("dehusk: {}", terminal(&archive.error)));
        }
    }
    if args.quiet {
        return;
    }
    let directory = args.output.to_string_lossy();
    let directory = terminal(&directory);
    if report.was_finished {
        say(format!(
            "{directory} is finished already ({}), so there is nothing to do; --overwrite starts anew",
            match report.archives.len() {
                1 => "1 archive".to_owned(),
                n => format!("{n} archives"),
            }
        ));
        return;
    }
    say(totals_table(report).trim_end());
    let place = match report.archives.iter().any(|a| !a.shards.is_empty()) {
        true => format!("finished files are in {directory}/documents"),
        false => "no archive was finished, so there are no documents".to_owned(),
    };
    say(match report.state {
        RunState::Interrupted => format!("interrupted; {place}; the same command goes on from here"),
        RunState::Failed => format!("the output failed; {place}; the same command goes on from here"),
        _ if report.totals.ledger.emitted > 0 => format!("documents are in {directory}/documents"),
        _ => format!(
            "no documents were written{}; see {directory}/run.json",
            main_cause(report)
        ),
    });
}
