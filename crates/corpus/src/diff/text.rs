//! A comparison as text of 80 columns.

use std::fmt::Write;

use super::comparison::{Comparison, Example, Side};
use dehusk_archive::escape::terminal;
use dehusk_web::grouped;

/// Most archives that are listed. JSON has all.
const ARCHIVES: usize = 30;

/// Width of the lines.
const WIDTH: usize = 80;

/// The comparison for a terminal.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    sides(&comparison.a, &comparison.b, &mut out);
    totals(comparison, &mut out);
    archives(comparison, &mut out);
    reasons(comparison, &mut out);
    fields(comparison, &mut out);
    for (title, examples) in [
        ("Changed most", &comparison.changed),
        ("Gone, the longest", &comparison.gone),
        ("Added, the longest", &comparison.added),
    ] {
        if !examples.is_empty() {
            push(&mut out, &format!("\n{title}"));
            examples.iter().for_each(|e| example(e, &mut out));
        }
    }
    for problem in &comparison.problems {
        push(&mut out, &format!("not read: {}", terminal(problem)));
    }
    out
}

/// Appends a line for each run of both sides, and a blank one.
pub(super) fn sides(a: &[Side], b: &[Side], out: &mut String) {
    let of_a = a.iter().map(|side| ("A", side));
    for (name, side) in of_a.chain(b.iter().map(|side| ("B", side))) {
        let line = format!(
            "{name}  {}  ({}, configuration {}, {})",
            terminal(&side.directory),
            terminal(&side.program),
            terminal(&side.config_hash),
            terminal(&side.state)
        );
        push(out, &line);
    }
    out.push('\n');
}

/// Appends a line, and cuts it at the width.
pub(super) fn push(out: &mut String, line: &str) {
    for part in line.split('\n') {
        match part.char_indices().nth(WIDTH - 1) {
            Some((end, _)) if part.chars().count() > WIDTH => {
                out.push_str(&part[..end]);
                out.push('…');
            }
            _ => out.push_str(part.trim_end()),
        }
        out.push('\n');
    }
}

fn totals(comparison: &Comparison, out: &mut String) {
    let counts = &comparison.totals;
    push(
        out,
        &format!(
            "{:24}{:>14}{:>14}",
            "documents of A, of B",
            grouped(counts.documents_a),
            grouped(counts.documents_b)
        ),
    );
    let changed = format!("{} longer, {} shorter", grouped(counts.longer), grouped(counts.shorter));
    for (name, n, more) in [
        ("  same", counts.same, String::new()),
        ("  changed text", counts.changed, changed),
        ("  other fields changed", counts.other_fields, String::new()),
        ("  gone", counts.gone, by_reason(&comparison.gone_by_reason)),
        ("  added", counts.added, by_reason(&comparison.added_by_reason)),
    ] {
        let more = if n == 0 { String::new() } else { more };
        push(out, &format!("{name:24}{:>14}  {more}", grouped(n)));
    }
    push(
        out,
        &format!(
            "{:24}{:>14}{:>14}",
            "words removed, added",
            grouped(counts.words_removed),
            grouped(counts.words_added)
        ),
    );
    push(
        out,
        &format!(
            "{:24}{:>14}{:>14}",
            "words gone, new",
            grouped(counts.words_gone),
            grouped(counts.words_new)
        ),
    );
    push(
        out,
        &format!("{:24}{:>14}", "mean similarity", counts.similarity_text()),
    );
    if counts.changed > 0 {
        push(out, "changed texts, by similarity");
        for group in &comparison.similarity {
            let name = format!("  {} to {}", group.from, group.to);
            push(out, &format!("{name:24}{:>14}", grouped(group.documents)));
        }
    }
}

fn by_reason(reasons: &std::collections::BTreeMap<String, u64>) -> String {
    let parts: Vec<String> = reasons
        .iter()
        .map(|(reason, n)| format!("{} {}", grouped(*n), terminal(reason)))
        .collect();
    parts.join(", ")
}

fn archives(comparison: &Comparison, out: &mut String) {
    const NAME: usize = 30;
    let differ: Vec<_> = comparison
        .archives
        .iter()
        .filter(|a| a.counts.differences() > 0 || !a.in_a || !a.in_b)
        .collect();
    if comparison.archives.len() < 2 || differ.is_empty() {
        return;
    }
    push(
        out,
        &format!(
            "\n{:NAME$}{:>9}{:>9}{:>8}{:>8}{:>8}{:>8}",
            "archive", "in A", "in B", "changed", "gone", "added", "similar"
        ),
    );
    for archive in differ.iter().take(ARCHIVES) {
        let counts = &archive.counts;
        let documents = |is_there: bool, n: u64| if is_there { grouped(n) } else { "–".to_owned() };
        push(
            out,
            &format!(
                "{:NAME$}{:>9}{:>9}{:>8}{:>8}{:>8}{:>8}",
                end_of(&archive.archive, NAME - 1),
                documents(archive.in_a, counts.documents_a),
                documents(archive.in_b, counts.documents_b),
                grouped(counts.changed + counts.other_fields),
                grouped(counts.gone),
                grouped(counts.added),
                counts.similarity_text()
            ),
        );
    }
    let left = differ.len().saturating_sub(ARCHIVES);
    if left > 0 {
        push(
            out,
            &format!("… and {left} more archives that differ; --format json lists all"),
        );
    }
    let same = comparison.archives.len() - differ.len();
    if same > 0 {
        push(out, &format!("{same} archives without a difference"));
    }
}

/// The end of a path, which identifies it better than its start.
pub(super) fn end_of(path: &str, width: usize) -> String {
    let path = terminal(path);
    let length = path.chars().count();
    if length > width {
        format!("…{}", path.chars().skip(length - width + 1).collect::<String>())
    } else {
        path.into_owned()
    }
}

fn reasons(comparison: &Comparison, out: &mut String) {
    push(out, &format!("\n{:34}{:>14}{:>14}{:>14}", "records", "A", "B", "B - A"));
    for reason in &comparison.reasons {
        let name = match reason.reason.as_str() {
            "" => reason.class.to_owned(),
            name => format!("{}: {}", reason.class, terminal(name)),
        };
        let difference = i128::from(reason.b) - i128::from(reason.a);
        let difference = if difference == 0 {
            String::new()
        } else {
            format!("{difference:+}")
        };
        push(
            out,
            &format!(
                "{name:34}{:>14}{:>14}{difference:>14}",
                grouped(reason.a),
                grouped(reason.b)
            ),
        );
    }
}

fn fields(comparison: &Comparison, out: &mut String) {
    if comparison.fields.is_empty() {
        return;
    }
    push(out, &format!("\n{:34}{:>14}", "fields that differ", "documents"));
    for (field, n) in &comparison.fields {
        push(out, &format!("{field:34}{:>14}", grouped(*n)));
    }
}

fn example(example: &Example, out: &mut String) {
    let mut head = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        head,
        "  {:.3}  {} → {} words",
        example.similarity,
        grouped(example.words_a),
        grouped(example.words_b)
    );
    if !example.reason.is_empty() {
        let _ = write!(head, "  {}", terminal(&example.reason));
    }
    push(out, &head);
    push(out, &format!("         {}", terminal(&example.url)));
    push(out, &format!("         {}", end_of(&example.place(), WIDTH - 9)));
    for (sign, lines) in [('-', &example.lines.removed), ('+', &example.lines.added)] {
        for line in lines.iter().take(2) {
            push(out, &format!("       {sign} {}", terminal(line)));
        }
    }
}
