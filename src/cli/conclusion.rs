//! How a run ended, printed for people or logged as JSON.

use dehusk_archive::escape::{self, terminal};
use dehusk_archive::redact::redacted;
use dehusk_engine::run::{ArchiveReport, ArchiveState, Report, RunState};
use serde_json::json;

use super::args::RunArgs;
use super::log::event;
use super::output::say;
use super::summary::{main_cause, totals_table};

/// Prints how the run ended.
pub(super) fn print(report: &Report, args: &RunArgs) {
    print_problems(report, args);
    let directory = escape::path(&args.output);
    if args.quiet {
        if let Some(message) = too_few(report, args) {
            say(format!("dehusk: {message}"));
        }
        return;
    }
    if report.was_finished {
        let archives = match report.archives.len() {
            1 => "1 archive".to_owned(),
            n => format!("{n} archives"),
        };
        say(format!(
            "{directory} is finished already ({archives}), so there is nothing to do; --overwrite starts again"
        ));
        too_few(report, args).into_iter().for_each(say);
        return;
    }
    say(totals_table(report).trim_end());
    let place = if report.archives.iter().any(|a| !a.shards.is_empty()) {
        format!("finished files are in {directory}/documents")
    } else {
        "no archive was finished, so there are no documents".to_owned()
    };
    say(match report.state {
        RunState::Interrupted => format!("interrupted; {place}; the same command continues from here"),
        RunState::Failed => format!("the output failed; {place}; the same command continues from here"),
        _ => too_few(report, args).unwrap_or_else(|| format!("documents are in {directory}/documents")),
    });
}

/// Prints what went wrong, and what was taken over.
fn print_problems(report: &Report, args: &RunArgs) {
    if report.state == RunState::Failed {
        say(format!("dehusk: {}", terminal(&report.error)));
    }
    print_changes(report, args);
    if let (Some(since), 1.., false) = (&args.since, report.taken_over, args.quiet) {
        let count = match report.taken_over {
            1 => "1 archive was".to_owned(),
            n => format!("{n} archives were"),
        };
        say(format!("{count} taken over from {}", escape::path(since)));
    }
    if args.quiet || report.was_finished {
        // Why the run failed is printed once, not once more for each archive.
        let is_failed = |a: &&ArchiveReport| a.state == ArchiveState::Failed && !a.lost_output();
        for archive in report.archives.iter().filter(is_failed) {
            say(format!("dehusk: {}", terminal(&archive.error)));
        }
    }
    // A wrong name fails every night, until it is removed. A server that is down is no wrong name.
    let was_not_read = |a: &&ArchiveReport| {
        a.state == ArchiveState::Failed && !a.lost_output() && !a.unreachable && a.ledger.framed == 0
    };
    if let Some(archive) = report.archives.iter().find(was_not_read) {
        let (directory, name) = (escape::path(&args.output), terminal(&archive.path));
        let (directory, name) = (escape::shell_word(&directory), escape::shell_word(&name));
        say(format!(
            "dehusk: to take an archive that cannot be read out of this run: dehusk run -o {directory} --forget {name}"
        ));
    }
}

/// Prints what has changed since the earlier run, or since another run wrote its outputs.
fn print_changes(report: &Report, args: &RunArgs) {
    for archive in report.archives.iter().filter(|a| !a.changed.is_empty()) {
        let (path, changed) = (terminal(&archive.path), terminal(&archive.changed));
        let end = if args.changed {
            "what was made of it stays"
        } else {
            "it is not read again, unless you pass --changed"
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
pub(super) fn log_archive(archive: &ArchiveReport, args: &RunArgs) {
    let status = match archive.state {
        ArchiveState::Complete => 0,
        ArchiveState::Failed => 1,
        _ => 3,
    };
    if status == 1 || !args.quiet {
        // The account of an archive always has a form in JSON.
        let fields = serde_json::to_value(archive).unwrap_or_default();
        event(level(status), "archive", fields);
    }
}

/// Logs how the run ended.
pub(super) fn log(report: &Report, args: &RunArgs) {
    let status = report.exit_status();
    if let Some(message) = too_few(report, args) {
        let (emitted, at_least) = (report.totals.ledger.emitted, args.at_least);
        let fields = json!({"message": message, "emitted": emitted, "at_least": at_least});
        event("warning", "few_documents", fields);
    }
    if args.quiet && status != 1 {
        return;
    }
    for archive in report.archives.iter().filter(|archive| !archive.changed.is_empty()) {
        let fields = json!({"path": archive.path, "changed": archive.changed});
        event("error", "changed", fields);
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
    event(level(status), "summary", fields);
}

/// The warning about a run that went through its archives and has no documents, or fewer than were asked for. It is
/// printed even if nothing else is.
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
