//! `dehusk run`: archives → documents.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::args::{ConfigArgs, FileArgs, RunArgs};
use super::inputs;
use super::output::say;
use super::progress::{Display, Style};
use super::{Failure, INTERRUPTED};
use crate::archive::Note;
use crate::config::{Config, ConfigError, Rules};
use crate::escape::terminal;
use crate::pipeline::{Progress, Stop};
use crate::run::{ArchiveReport, ArchiveState, Report, RunError, RunOptions, RunState, run_with_rules};

/// How long batches in flight may take after a signal; then the run ends without them.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long the account may take to be written then; a disk may not answer.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) fn run(args: &RunArgs) -> Result<u8, Failure> {
    let config = args.resolve().map_err(Failure::usage)?;
    let rules = Arc::new(Rules::new(&config).map_err(Failure::usage)?);
    let archives = inputs::resolve(&args.archives).map_err(Failure::usage)?;
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
            display.line(&account_line(archive));
        }
    };
    // The threads that are still at work end with the program.
    let mut on_abandon = |report: &Report| {
        display.clear();
        tell(report, args);
        std::process::exit(i32::from(report.exit_status()));
    };
    let options = RunOptions::default()
        .overwrite(args.overwrite)
        .progress(&progress)
        .stop(&stop)
        .on_archive(&mut on_archive)
        .on_abandon(&mut on_abandon);
    let result = run_with_rules(&rules, &archives, &args.output, options);
    display.finish();
    let report = result.map_err(|e| match e {
        RunError::Directory(e) => Failure::other(e),
        usage => Failure::usage(usage),
    })?;
    tell(&report, args);
    Ok(report.exit_status())
}

impl FileArgs {
    /// The file, then the settings.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let config = match &self.config {
            Some(path) => Config::from_file(path)?,
            None => Config::default(),
        };
        config.with_settings(&self.settings)
    }
}

impl ConfigArgs {
    /// The file and the settings, then these flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        replace(&mut config.extract.extractors, &self.extractor);
        let select = &mut config.select;
        replace(&mut select.record_types, &self.record_type);
        replace(&mut select.statuses, &self.status);
        replace(&mut select.mime_types, &self.mime);
        replace(&mut select.url_include, &self.url_include);
        replace(&mut select.url_exclude, &self.url_exclude);
        select.min_words = self.min_words.unwrap_or(select.min_words);
        config.dom.normalize |= self.normalize;
        Ok(config)
    }
}

impl RunArgs {
    /// The file and the settings, then the flags.
    fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.config.resolve()?;
        let output = &mut config.output;
        output.format = self.format.unwrap_or(output.format);
        output.compression = self.compression.unwrap_or(output.compression);
        output.level = self.level.unwrap_or(output.level);
        if let Some(source) = &self.source {
            output.source.clone_from(source);
        }
        output.quarantine |= self.quarantine;
        config.run.threads = self.threads.unwrap_or(config.run.threads);
        Ok(config)
    }
}

/// A list given by flags replaces the whole list before it.
fn replace(list: &mut Vec<String>, flags: &[String]) {
    if !flags.is_empty() {
        *list = flags.to_vec();
    }
}

/// The first signal asks for a clean end, the second ends at once.
fn watch_signals(stop: Stop) -> Result<(), Failure> {
    let asked = Arc::new(AtomicBool::new(false));
    let failed = |e| Failure::other(format!("signals cannot be watched: {e}"));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&asked))
            .map_err(failed)?;
        signal_hook::flag::register(signal, Arc::clone(&asked)).map_err(failed)?;
        signal_hook::flag::register(signal, stop.flag()).map_err(failed)?;
    }
    let watch = move || {
        while !asked.load(std::sync::atomic::Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
        }
        thread::sleep(PATIENCE);
        stop.drop_in_flight();
        thread::sleep(LAST_WORDS);
        std::process::exit(i32::from(INTERRUPTED));
    };
    // Without the watch a second signal still ends the program.
    let _ = thread::Builder::new().name("signals".into()).spawn(watch);
    Ok(())
}

/// Says how the run ended.
fn tell(report: &Report, args: &RunArgs) {
    if report.state == RunState::Failed {
        say(format!("dehusk: {}", terminal(&report.error)));
    }
    if args.quiet {
        for archive in report.archives.iter().filter(|a| a.state == ArchiveState::Failed) {
            say(format!("dehusk: {}", terminal(&archive.error)));
        }
        return;
    }
    say(table(report).trim_end());
    let directory = args.output.to_string_lossy();
    let directory = terminal(&directory);
    match report.state {
        RunState::Interrupted => say(format!("interrupted; whole shards are in {directory}/documents")),
        RunState::Failed => say(format!("the output failed; whole shards are in {directory}/documents")),
        _ if report.totals.ledger.emitted > 0 => say(format!("documents are in {directory}/documents")),
        _ => say(format!("no documents were written; {directory}/run.json says why")),
    }
}

/// Whether there was nothing in an archive, which is worth a word.
fn is_empty(archive: &ArchiveReport) -> bool {
    archive.ledger.notes.get(Note::EmptyInput) > 0
}

/// One archive's account in a line.
fn account_line(archive: &ArchiveReport) -> String {
    let path = terminal(&archive.path).into_owned();
    let state = match archive.state {
        ArchiveState::Complete if is_empty(archive) => return format!("{path}: is empty, there is no record in it"),
        ArchiveState::Complete => "complete",
        ArchiveState::Damaged => "damaged",
        ArchiveState::Failed => return format!("failed: {}", terminal(&archive.error)),
        ArchiveState::Interrupted | ArchiveState::Pending => {
            return format!("{path}: interrupted, nothing of it is kept");
        }
    };
    let ledger = &archive.ledger;
    let (emitted, filtered) = (ledger.emitted, ledger.filtered.sum());
    let mut line = format!("{path}: {state}, {emitted} emitted, {filtered} filtered");
    for (reason, n) in ledger.failed.iter() {
        line.push_str(&format!(", {n} failed by {reason}"));
    }
    if ledger.skipped_bytes > 0 {
        line.push_str(&format!(", {} bytes skipped", ledger.skipped_bytes));
    }
    if ledger.skipped_decoded_bytes > 0 {
        line.push_str(&format!(", {} decoded bytes skipped", ledger.skipped_decoded_bytes));
    }
    line
}

/// The ledger as a table.
fn table(report: &Report) -> String {
    let (totals, ledger) = (&report.totals, &report.totals.ledger);
    let mut rows = vec![
        ("framed records".to_owned(), ledger.framed),
        ("  emitted".to_owned(), ledger.emitted),
    ];
    rows.extend(
        ledger
            .filtered
            .iter()
            .map(|(reason, n)| (format!("  filtered: {reason}"), n)),
    );
    rows.extend(
        ledger
            .failed
            .iter()
            .map(|(reason, n)| (format!("  failed: {reason}"), n)),
    );
    rows.extend(ledger.notes.iter().map(|(note, n)| (format!("noted: {note}"), n)));
    for (name, n) in [
        ("skipped bytes", ledger.skipped_bytes),
        ("skipped decoded bytes", ledger.skipped_decoded_bytes),
    ] {
        if n > 0 {
            rows.push((name.to_owned(), n));
        }
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text: String = rows
        .iter()
        .map(|(name, n)| format!("{name:width$}  {n:>12}\n"))
        .collect();
    let megabytes = totals.bytes as f64 / 1e6;
    text.push_str(&format!(
        "{} archive{}, {megabytes:.1} MB, {:.1} s, {:.0} pages/s\n",
        totals.archives,
        if totals.archives == 1 { "" } else { "s" },
        report.timing.seconds,
        report.timing.pages_per_second,
    ));
    text
}
