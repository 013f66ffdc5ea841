//! `dehusk run`: archives → documents.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use serde_json::json;

use super::args::RunArgs;
use super::conclusion;
use super::inputs;
use super::log::{self, LogFormat};
use super::metrics::Metrics;
use super::output::say;
use super::progress::{Display, Style};
use super::summary::{archive_line, is_empty};
use super::{Failure, INTERRUPTED, TOO_FEW};
use dehusk_archive::escape::{self, terminal};
use dehusk_archive::redact::redacted;
use dehusk_engine::config::Rules;
use dehusk_engine::input::InputError;
use dehusk_engine::pipeline::{Progress, Stop};
use dehusk_engine::run::{ArchiveReport, ArchiveState, Report, RunError, RunOptions, forget, run_with_rules};

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
    let progress = Arc::new(Progress::default());
    let metrics = args.metrics.as_deref();
    // First of all, so that they also report a run that is refused.
    let metrics = metrics
        .map(|path| Metrics::start(path, &args.output, &progress))
        .transpose()?;
    let result = run_watched(args, &progress, metrics.as_ref());
    if let (Err(failure), Some(metrics)) = (&result, &metrics) {
        metrics.conclude_failed(failure.status);
    }
    result
}

fn run_watched(args: &RunArgs, progress: &Arc<Progress>, metrics: Option<&Metrics>) -> Result<u8, Failure> {
    if args.output.as_os_str() == "-" {
        let message = "-o takes a directory, not standard output; use `-o ./-` for a directory of this name";
        return Err(Failure::usage(message));
    }
    if !args.forget.is_empty() {
        return forget_archives(args);
    }
    let config = args.resolve().map_err(Failure::usage)?;
    let rules = Arc::new(Rules::new(&config).map_err(Failure::usage)?);
    if let Some(metrics) = metrics {
        metrics.set_config(&rules.hash);
    }
    let inputs = inputs::of_run(&config, args)?;
    if let (true, Some(run)) = (inputs.archives.is_empty(), &args.only_failed) {
        say(format!(
            "every archive is complete in {}, so there is nothing to do",
            escape::path(run)
        ));
        return Ok(nothing_to_do(metrics, args));
    }
    if inputs.archives.is_empty() && !args.only_new.is_empty() {
        say("there is no new archive, so there is nothing to do");
        return Ok(nothing_to_do(metrics, args));
    }
    let stop = Stop::default();
    watch_signals(stop.clone())?;
    let style = match (args.quiet, args.log_format, stderr().is_terminal()) {
        (true, ..) => Style::Silent,
        (_, LogFormat::Json, _) => Style::Json,
        (.., true) => Style::Bar,
        (.., false) => Style::Lines,
    };
    let display = Display::start(style, Arc::clone(progress));
    let mut on_archive = |archive: &ArchiveReport| {
        if args.log_format == LogFormat::Json {
            conclusion::log_archive(archive, args);
        } else if args.verbose || archive.state != ArchiveState::Complete || is_empty(archive) {
            display.line(&archive_line(archive));
        }
    };
    // Threads that still work end with the program.
    let mut on_abandon = |report: &Report| {
        display.clear();
        conclude(report, metrics, args);
        std::process::exit(i32::from(report.exit_status()));
    };
    let mut options = RunOptions::default()
        .overwrite(args.overwrite)
        .changed(args.changed)
        .verify(args.verify)
        .inputs_skipped(inputs.skipped.len() as u64)
        .at_least(args.at_least)
        .progress(progress)
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
    let report = result.map_err(|e| match e {
        RunError::Directory(e) => Failure::other(e),
        RunError::Store(e) => Failure::other(e),
        RunError::Input(e @ InputError::NotFound { .. }) => Failure::other(e),
        usage => Failure::usage(usage),
    })?;
    conclude(&report, metrics, args);
    Ok(report.exit_status())
}

/// Removes archives from a run, and reports it.
fn forget_archives(args: &RunArgs) -> Result<u8, Failure> {
    // As accounts and the hint have them; or as they were given to the run.
    let named = |name| {
        let shown = redacted(Path::new(name));
        match shown.to_str() {
            Some(name) => name.to_owned(),
            None => escape::name(shown.as_os_str()).into_owned(),
        }
    };
    let names: Vec<String> = args.forget.iter().map(named).collect();
    let report = forget(&args.output, &names).map_err(Failure::other)?;
    let status = report.exit_status();
    if args.log_format == LogFormat::Json {
        let fields = json!({"forgotten": names, "state": report.state, "exit_status": status, "totals": report.totals});
        log::event("info", "forget", fields);
    } else if !args.quiet {
        let names: Vec<_> = names.iter().map(|name| terminal(name)).collect();
        say(format!(
            "{} is no part of {} any more; its archives are now {}, with {} documents",
            names.join(", "),
            escape::path(&args.output),
            report.totals.archives,
            report.totals.ledger.emitted
        ));
    }
    Ok(status)
}

/// The status of a run that has nothing to read and does not begin.
fn nothing_to_do(metrics: Option<&Metrics>, args: &RunArgs) -> u8 {
    let status = if args.at_least > 0 { TOO_FEW } else { 0 };
    if let Some(metrics) = metrics {
        metrics.conclude_idle(status);
    }
    status
}

/// Reports how the run ended: in the metrics, and on standard error.
fn conclude(report: &Report, metrics: Option<&Metrics>, args: &RunArgs) {
    if let Some(metrics) = metrics {
        metrics.conclude(report);
    }
    match args.log_format {
        LogFormat::Text => conclusion::print(report, args),
        LogFormat::Json => conclusion::log(report, args),
    }
}

/// The signals that end a run, less those that the program was started to outlive, as by `nohup`, or by a script that
/// leaves them to another process.
#[cfg(unix)]
fn ending_signals() -> impl Iterator<Item = i32> {
    let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
    signals
        .into_iter()
        .filter(|signal| !dehusk_archive::sigbus::is_ignored(*signal))
}

#[cfg(not(unix))]
fn ending_signals() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM].into_iter()
}

/// The first signal asks the run to end cleanly; the second ends the program at once.
pub(super) fn watch_signals(stop: Stop) -> Result<(), Failure> {
    let signalled = Arc::new(AtomicBool::new(false));
    let failed = |e| Failure::other(format!("signals cannot be handled: {e}"));
    for signal in ending_signals() {
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
