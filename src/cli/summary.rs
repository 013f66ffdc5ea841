//! What a run prints about its archives and its totals.

use crate::run::{ArchiveReport, ArchiveState, Report};
use dehusk_archive::Note;
use dehusk_archive::escape::terminal;

/// Whether an archive holds nothing at all.
pub(super) fn is_empty(archive: &ArchiveReport) -> bool {
    archive.ledger.notes.get(Note::EmptyInput) > 0
}

/// What became of an archive, in one line.
pub(super) fn archive_line(archive: &ArchiveReport) -> String {
    let path = terminal(&archive.path);
    let state = match archive.state {
        ArchiveState::Complete if is_empty(archive) => return format!("{path}: is empty, there is no record in it"),
        ArchiveState::Complete => "complete",
        ArchiveState::Damaged => "damaged",
        ArchiveState::Failed => return format!("failed: {}", terminal(&archive.error)),
        ArchiveState::Interrupted | ArchiveState::Pending => {
            return format!("{path}: interrupted; its documents are not kept");
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
