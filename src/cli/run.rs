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
use super::inputs;
use super::log::{self, LogFormat};
use super::metrics::Metrics;
use super::output::say;
use super::progress::{Display, Style};
use super::summary::{archive_line, is_empty, main_cause, totals_table};
use super::{Failure, INTERRUPTED, TOO_FEW};
use dehusk_archive::escape::{self, terminal};
use dehusk_archive::redact::redacted;
use dehusk_engine::config::Rules;
use dehusk_engine::input::InputError;
use dehusk_engine::pipeline::{Progress, Stop};
use dehusk_engine::run::{ArchiveReport, ArchiveState, Report, RunError, RunOptions, RunState, forget, run_with_rules};

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
    // First of all, so that they tell of a run that is refused, too.
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
            log_archive(archive, args);
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

/// Takes archives out of a run, and says so.
fn forget_archives(args: &RunArgs) -> Result<u8, Failure> {
    // As accounts have them, which is also what the hint says; or as they were given to the run.
    let named = |name| {
        let shown = redacted(Path::new(name));
        match shown.to_str() {
            Some(name) => name.to_owned(),
            None => escape::name(shown.as_os_str()).into_owned(),
        }
    };
    let names: Vec<String> = args.forget.iter().map(named).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
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
    if let Some(message) = too_few(report, args) {
        let (emitted, at_least) = (report.totals.ledger.emitted, args.at_least);
        let fields = json!({"message": message, "emitted": emitted, "at_least": at_least});
        log::event("warning", "few_documents", fields);
    }
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
        "changed_outputs": report.changed_outputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "damaged_journal_lines": report.damaged_journal_lines,
        "error": report.error,
        "directory": redacted(&args.output).to_string_lossy(),
        "totals": report.totals,
        "timing": report.timing,
    });
    log::event(level(status), "summary", fields);
}

/// The signals that end a run, less those that the program was started to outlive, as by `nohup`, or by a script that leaves
/// them to another process.
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
fn watch_signals(stop: Stop) -> Result<(), Failure> {
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
    for output in &report.changed_outputs {
        let name = escape::path(output);
        say(format!(
            "dehusk: {name}: its bytes are not those that were written, so its archive is not taken over but read"
        ));
    }
    if let (Some(since), 1..) = (&args.since, report.taken_over) {
        let count = match report.taken_over {
            1 => "1 archive was".to_owned(),
            n => format!("{n} archives were"),
        };
        if !args.quiet {
            say(format!("{count} taken over from {}", escape::path(since)));
        }
    }
    if args.quiet || report.was_finished {
        // Why the run failed is said once, not once more for each archive.
        let is_failed = |a: &&ArchiveReport| a.state == ArchiveState::Failed && !a.lost_output();
        for archive in report.archives.iter().filter(is_failed) {
            say(format!("dehusk: {}", terminal(&archive.error)));
        }
    }
    let directory = escape::path(&args.output);
    // A wrong name fails every night, until it is taken out. A server that is down is no wrong name.
    let was_not_read = |a: &&ArchiveReport| {
        a.state == ArchiveState::Failed && !a.lost_output() && !a.unreachable && a.ledger.framed == 0
    };
    if let Some(archive) = report.archives.iter().find(was_not_read) {
        let (directory, name) = (shell_word(&directory), shell_word(&terminal(&archive.path)));
        say(format!(
            "dehusk: to take an archive that cannot be read out of this run: dehusk run -o {directory} --forget {name}"
        ));
    }
    if args.quiet {
        if let Some(message) = too_few(report, args) {
            say(format!("dehusk: {message}"));
        }
        return;
    }
    if report.was_finished {
        say(format!(
            "{directory} is finished already ({}), so there is nothing to do; --overwrite starts anew",
            match report.archives.len() {
                1 => "1 archive".to_owned(),
                n => format!("{n} archives"),
            }
        ));
        too_few(report, args).into_iter().for_each(say);
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
        _ => match too_few(report, args) {
            Some(message) => message,
            None => format!("documents are in {directory}/documents"),
        },
    });
}

/// A word as a shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What to say of a run that went through its archives and has no documents, or fewer than were asked for: whoever reads nothing else
/// should read this.
fn too_few(report: &Report, args: &RunArgs) -> Option<String> {
    let emitted = report.totals.ledger.emitted;
    if report.state != RunState::Complete || emitted > 0 && emitted >= args.at_least {
        return None;
    }
    let documents = match emitted {
        0 => "no documents were written".to_owned(),
        1 => "only 1 document was written".to_owned(),
        n => format!("only {n} documents were written"),
    };
    let asked = match args.at_least {
        0 => String::new(),
        n => format!("; --at-least asks for {n}"),
    };
    let (cause, directory) = (main_cause(report), escape::path(&args.output));
    Some(format!("warning: {documents}{asked}{cause}; see {directory}/run.json"))
}
