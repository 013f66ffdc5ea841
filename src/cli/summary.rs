//! The lines that a run prints about its archives and its totals.

use dehusk_archive::escape::terminal;
use dehusk_archive::{Fault, Note};
use dehusk_engine::reason::{Failed, Filtered};
use dehusk_engine::run::{ArchiveReport, ArchiveState, Report};

/// The message about an archive without a byte.
const EMPTY: &str = "is empty, there is no record in it; if it was downloaded, fetch it again";

/// Whether an archive holds nothing at all.
pub(super) fn is_empty(archive: &ArchiveReport) -> bool {
    archive.ledger.notes.get(Note::EmptyInput) > 0
}

/// The outcome of an archive, in one line.
pub(super) fn archive_line(archive: &ArchiveReport) -> String {
    let path = terminal(&archive.path);
    let state = match archive.state {
        ArchiveState::Complete if is_empty(archive) => return format!("{path}: {EMPTY}"),
        ArchiveState::Complete => "complete",
        ArchiveState::Failed => return format!("failed: {}", terminal(&archive.error)),
        ArchiveState::Interrupted | ArchiveState::Pending => {
            return if archive.partial.is_empty() {
                format!("{path}: interrupted; it will be read from its start")
            } else {
                format!("{path}: interrupted; the same command continues it")
            };
        }
        _ => "damaged",
    };
    let ledger = &archive.ledger;
    let (emitted, filtered) = (ledger.emitted, ledger.filtered.sum());
    let mut line = format!("{path}: {state}, {emitted} emitted, {filtered} filtered");
    for (reason, n) in ledger.failed.iter() {
        line.push_str(&format!(", {n} failed by {reason}"));
    }
    if ledger
        .failed
        .iter()
        .any(|(reason, _)| reason == Failed::Archive(Fault::TruncatedInput))
    {
        line.push_str(" (it ends early: if it was downloaded, fetch it again)");
    }
    if ledger.skipped_bytes > 0 {
        line.push_str(&format!(", {} bytes skipped", ledger.skipped_bytes));
    }
    if ledger.skipped_decoded_bytes > 0 {
        line.push_str(&format!(", {} decoded bytes skipped", ledger.skipped_decoded_bytes));
    }
    if ledger.damaged_members > 0 {
        line.push_str(&format!(", {} damaged members", ledger.damaged_members));
    }
    line
}

/// The reason that took most of a run's pages, after “no documents were written”; nothing if there was no record.
pub(super) fn main_cause(report: &Report) -> String {
    let ledger = &report.totals.ledger;
    // Requests and the like never are pages, and often outnumber them.
    let rules = ledger.filtered.iter().filter(|(rule, _)| *rule != Filtered::RecordType);
    let filtered =
        |(rule, n): (Filtered, u64)| (n, format!("were filtered as {rule}{}: {}", keys(rule), rule.sentence()));
    let failed = |(fault, n): (Failed, u64)| (n, format!("failed as {fault}: {}", fault.sentence()));
    let causes = rules.map(filtered).chain(ledger.failed.iter().map(failed));
    let other_type = (Filtered::RecordType, ledger.filtered.get(Filtered::RecordType));
    let main = causes.max_by_key(|(n, _)| *n);
    let (n, cause) = main.unwrap_or_else(|| filtered(other_type));
    match n {
        0 => String::new(),
        _ => format!("; {n} of {} records {}", ledger.framed, cause.trim_end_matches('.')),
    }
}

/// The flags or keys that set a rule, in brackets.
fn keys(rule: Filtered) -> &'static str {
    match rule {
        Filtered::RecordType => " (--record-type)",
        Filtered::Status => " (--status)",
        Filtered::Mime => " (--mime)",
        Filtered::Url => " (--url-include, --url-exclude)",
        Filtered::Host => " (--hosts-from, --drop-hosts-from)",
        Filtered::TooShort => " (--min-words, select.min_bytes)",
        Filtered::Wish => " (--respect)",
        Filtered::Language => " (--languages)",
        Filtered::Quality => " (--quality)",
        Filtered::TooLong => " (select.max_bytes)",
        _ => "",
    }
}

/// The totals of a run, as a table.
pub(super) fn totals_table(report: &Report) -> String {
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
        ("damaged members", ledger.damaged_members),
    ] {
        if n > 0 {
            rows.push((name.to_owned(), n));
        }
    }
    if report.inputs_skipped > 0 {
        rows.push(("unfinished files skipped".to_owned(), report.inputs_skipped));
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text: String = rows
        .iter()
        .map(|(name, n)| format!("{name:width$}  {n:>12}\n"))
        .collect();
    let megabytes = totals.bytes as f64 / 1e6;
    let timing = &report.timing;
    let in_all = if timing.earlier_seconds > 0.0 {
        format!(" ({:.1} s in all)", timing.all_seconds())
    } else {
        String::new()
    };
    text.push_str(&format!(
        "{} archive{}, {megabytes:.1} MB, {:.1} s{in_all}, {:.0} pages/s\n",
        totals.archives,
        if totals.archives == 1 { "" } else { "s" },
        timing.seconds,
        timing.pages_per_second,
    ));
    text
}
