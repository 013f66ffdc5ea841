//! How a run ended, and what failed in it, on its page.

use super::super::report::{ArchiveReport, Report};
use dehusk_web::{escape, grouped, size, table};

/// Most archives whose errors are listed. The table of archives has more.
const ERRORS: usize = 50;

/// The exit status in words.
fn meaning(status: u8) -> &'static str {
    match status {
        0 => "everything was read to its end, and nothing failed",
        1 => "an archive could not be read or has changed, or the output failed",
        3 => "finished, but records failed or bytes were skipped",
        4 => "finished, but with fewer documents than were asked for",
        5 => "a network or a server did not answer; the same command tries again",
        130 => "interrupted; the same command continues",
        _ => "it did not come to its end",
    }
}

/// When the run was, and with which exit status it ended.
pub(super) fn outcome(report: &Report, body: &mut String) {
    let status = report.exit_status();
    let class = match status {
        0 => "good",
        _ => "warning",
    };
    body.push_str(&format!(
        "<p class=\"{class}\">Exit status {status}: {}.</p>\n",
        meaning(status)
    ));
    if !report.error.is_empty() {
        body.push_str(&format!("<p class=\"warning\">{}</p>\n", escape(&report.error)));
    }
    let timing = &report.timing;
    let part = match report.part.as_str() {
        "" => String::new(),
        part => format!(", part {}", escape(part)),
    };
    body.push_str(&format!(
        "<p class=\"quiet\">From {} to {}, by {}, configuration {}{part}. The account is in run.json, and what failed \
         in failed.jsonl.</p>\n",
        date(&timing.started),
        date(&timing.ended),
        escape(&report.program),
        escape(&report.config_hash)
    ));
}

/// A time for people.
fn date(time: &str) -> String {
    let shown = time.replace('T', " ").replace('Z', " UTC");
    format!("<time datetime=\"{}\">{}</time>", escape(time), escape(&shown))
}

/// Writes the failures with their reasons in words; nothing if there are none.
pub(super) fn failures(report: &Report, body: &mut String) {
    let ledger = &report.totals.ledger;
    let row = |name: &str, words: &str, count: String| {
        let name = format!("<span class=\"bad\">{}</span><br>{}", escape(name), escape(words));
        vec![name, format!("<span class=\"bad\">{count}</span>")]
    };
    let mut rows: Vec<Vec<String>> = ledger
        .failed
        .iter()
        .map(|(reason, n)| row(reason.name(), reason.sentence(), grouped(n)))
        .collect();
    for (name, words, bytes) in [
        (
            "skipped bytes",
            "Stored bytes in which no record was recognised. failed.jsonl has each range with its reason.",
            ledger.skipped_bytes,
        ),
        (
            "skipped decoded bytes",
            "Bytes inside compressed members in which no record was recognised. failed.jsonl has each range with its \
                reason.",
            ledger.skipped_decoded_bytes,
        ),
    ] {
        if bytes > 0 {
            rows.push(row(name, words, size(bytes)));
        }
    }
    if ledger.damaged_members > 0 {
        let words = "Compressed members that are damaged although no record of theirs failed for that. Their documents \
            bear a note.";
        rows.push(row("damaged members", words, grouped(ledger.damaged_members)));
    }
    let has_error = |archive: &&ArchiveReport| !archive.error.is_empty() || !archive.changed.is_empty();
    let errors: Vec<&ArchiveReport> = report.archives.iter().filter(has_error).collect();
    if rows.is_empty() && errors.is_empty() {
        return;
    }
    body.push_str("<h2>Failures</h2>\n");
    for archive in errors.iter().take(ERRORS) {
        body.push_str(&format!("<p class=\"warning\">{}</p>\n", error(archive)));
    }
    if errors.len() > ERRORS {
        let left = grouped((errors.len() - ERRORS) as u64);
        body.push_str(&format!("<p class=\"quiet\">{left} more archives failed.</p>\n"));
    }
    if !rows.is_empty() {
        body.push_str(&table(&["reason", "records"], &rows));
    }
}

/// Why an archive failed. Most errors name it.
fn error(archive: &ArchiveReport) -> String {
    let why = match archive.error.as_str() {
        "" => &archive.changed,
        error => error,
    };
    if why.contains(&archive.path) {
        escape(why)
    } else {
        escape(&format!("{}: {why}", archive.path))
    }
}
