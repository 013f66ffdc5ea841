//! Tables of cells as aligned text and Markdown, and fields of CSV.

use std::fmt::Write;
use std::ops::Range;

/// Aligns a table whose figures begin at column `first`, as several tables where one would be too wide. `families` has
/// the family of each column of figures.
pub(super) fn align_parts(table: &[Vec<String>], first: usize, families: &[&str], out: &mut String) {
    for (number, part) in parts(table, first, families).into_iter().enumerate() {
        out.push_str(if number > 0 { "\n" } else { "" });
        let cells = |row: &Vec<String>| {
            let (before, figures) = row.split_at(first);
            let after = &figures[families.len()..];
            [before, &figures[part.clone()], after].concat()
        };
        let part_of_table: Vec<_> = table.iter().map(cells).collect();
        align(&part_of_table, first, &families[part.clone()], out);
    }
}

/// Columns of a terminal.
const WIDTH: usize = 80;

/// The columns of each of the tables that show a table too wide for a terminal. Families stay whole. Rows of pages end
/// with addresses of any length, so their table stays one.
fn parts(table: &[Vec<String>], first: usize, families: &[&str]) -> Vec<Range<usize>> {
    if table[0].len() > first + families.len() {
        return std::iter::once(0..families.len()).collect();
    }
    let width = |at: usize| width(table, at) + 2;
    let outer = (0..first).map(width).sum::<usize>() - 2;
    let (mut parts, mut used) = (Vec::new(), 0);
    for family in families.chunk_by(|a, b| a == b) {
        let at = parts.last().map_or(0, |part: &Range<usize>| part.end);
        let room: usize = (first + at..first + at + family.len()).map(width).sum::<usize>() + 2;
        match parts.last_mut() {
            Some(part) if used + room <= WIDTH => part.end += family.len(),
            _ => {
                parts.push(at..at + family.len());
                used = outer;
            }
        }
        used += room;
    }
    parts
}

/// The width of a column.
fn width(table: &[Vec<String>], at: usize) -> usize {
    table.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)
}

/// Aligns cells in columns: figures to the right, everything else to the left. The names of the families are above the
/// figures, which begin at column `first`.
fn align(table: &[Vec<String>], first: usize, families: &[&str], out: &mut String) {
    let figures = first..first + families.len();
    let widths: Vec<usize> = (0..table[0].len()).map(|at| width(table, at)).collect();
    let family = |at: usize| figures.contains(&at).then(|| families[at - first]);
    let begins = |at: usize| family(at).is_some() && (at == first || family(at - 1) != family(at));
    let gap = |at: usize| match at {
        0 => 0,
        _ if begins(at) || at == figures.end => 4,
        _ => 2,
    };
    let mut above = String::new();
    let mut offset = 0usize;
    for (at, width) in widths.iter().enumerate() {
        offset += gap(at);
        if let Some(name) = family(at).filter(|_| begins(at)) {
            above.push_str(&" ".repeat(offset.saturating_sub(above.chars().count())));
            above.push_str(name);
        }
        offset += width;
    }
    if !above.is_empty() {
        out.push_str(&above);
        out.push('\n');
    }
    for row in table {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let room = " ".repeat(widths[at].saturating_sub(cell.chars().count()));
            line.push_str(&" ".repeat(gap(at)));
            if figures.contains(&at) {
                line.extend([room.as_str(), cell])
            } else {
                line.extend([cell, room.as_str()])
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Writes a table of Markdown. The columns of `figures` are aligned to the right.
pub(super) fn markdown_table(table: &[Vec<String>], figures: Range<usize>, out: &mut String) {
    for (number, row) in table.iter().enumerate() {
        let row: Vec<String> = row.iter().map(|c| plain(c)).collect();
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if number == 0 {
            let rule = (0..row.len()).map(|at| if figures.contains(&at) { "--:|" } else { "---|" });
            let _ = writeln!(out, "|{}", rule.collect::<String>());
        }
    }
}

/// Escapes text for Markdown, inside and outside of cells.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

/// A field of CSV (RFC 4180), quoted if necessary. A field that a spreadsheet would read as a formula gets an
/// apostrophe: URLs and groups are untrusted.
pub(super) fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}
