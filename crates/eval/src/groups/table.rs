//! The figures of groupings as text, Markdown, CSV or JSON. All formats have the same rows: one a file, or for topics one
//! a file and language.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::labels::Labels;
use super::score::{Figures, Score};
use crate::layout::{align_parts, field, markdown_table, plain};
use crate::table::TableFormat;
use dehusk_archive::escape::{path, terminal};

/// A column: its family, its heading in the family, and its key in CSV and JSON.
type Column = (&'static str, &'static str, &'static str);

const CLUSTERS: [Column; 9] = [
    ("pairs", "P", "pairs_precision"),
    ("pairs", "R", "pairs_recall"),
    ("pairs", "F1", "pairs_f1"),
    ("BCubed", "P", "bcubed_precision"),
    ("BCubed", "R", "bcubed_recall"),
    ("BCubed", "F1", "bcubed_f1"),
    ("Rand", "adjusted", "adjusted_rand"),
    ("clusters", "known", "known_clusters"),
    ("clusters", "found", "found_clusters"),
];

const TOPICS: [Column; 8] = [
    ("by topic", "cost", "cost"),
    ("by topic", "missed", "missed"),
    ("by topic", "false", "false_alarms"),
    ("by story", "cost", "story_cost"),
    ("by story", "missed", "story_missed"),
    ("by story", "false", "story_false_alarms"),
    ("known", "topics", "topics"),
    ("known", "stories", "stories"),
];

/// A figure: a share, or a count.
#[derive(Clone, Copy)]
enum Figure {
    Share(f64),
    Count(u64),
}

impl Figure {
    fn text(self, digits: usize) -> String {
        match self {
            Figure::Share(share) => format!("{share:.digits$}"),
            Figure::Count(count) => count.to_string(),
        }
    }

    /// Six digits are the same on all machines.
    fn json(self) -> Value {
        match self {
            Figure::Share(share) => json!((share * 1e6).round() / 1e6),
            Figure::Count(count) => json!(count),
        }
    }
}

/// A row: the file, the group of its documents (`all`, or a language), and its figures.
struct Row<'s> {
    score: &'s Score,
    group: &'s str,
    figures: Vec<Figure>,
}

fn rows(scores: &[Score]) -> Vec<Row<'_>> {
    use Figure::{Count, Share};
    let mut rows = Vec::new();
    for score in scores {
        match &score.figures {
            Figures::Clusters(s) => {
                let shares = [s.pairs, s.bcubed].map(|a| [a.precision, a.recall, a.f1]).concat();
                let shares = shares.into_iter().chain([s.adjusted_rand]).map(Share);
                let figures = shares.chain([s.known, s.found].map(Count)).collect();
                rows.push(Row {
                    score,
                    group: "all",
                    figures,
                });
            }
            Figures::Topics(groups) => {
                for (group, s) in groups {
                    let costs = [s.by_topic, s.by_story].map(|c| [c.normalised, c.missed, c.false_alarms]);
                    let figures = costs.concat().into_iter().map(Share);
                    let figures = figures.chain([s.topics, s.stories].map(Count)).collect();
                    rows.push(Row { score, group, figures });
                }
            }
        }
    }
    rows
}

fn columns(scores: &[Score]) -> &'static [Column] {
    match scores.first().map(|score| &score.figures) {
        Some(Figures::Topics(_)) => &TOPICS,
        _ => &CLUSTERS,
    }
}

/// Writes the figures of files, all against one known grouping.
pub fn write(truth: &Labels, scores: &[Score], format: TableFormat, program: &str) -> String {
    let (columns, rows) = (columns(scores), rows(scores));
    match format {
        TableFormat::Text => {
            let mut out = fit_lines(truth, scores).join("\n") + "\n\n";
            let families: Vec<&str> = columns.iter().map(|(family, ..)| *family).collect();
            align_parts(&cells(columns, &rows), 3, &families, &mut out);
            out
        }
        TableFormat::Markdown => {
            let mut out = String::new();
            for line in fit_lines(truth, scores) {
                let indent = if line.starts_with(' ') { "  " } else { "" };
                let _ = writeln!(out, "{indent}- {}", plain(line.trim_start()));
            }
            out.push('\n');
            let mut table = cells(columns, &rows);
            for (heading, (family, name, _)) in table[0][3..].iter_mut().zip(columns) {
                *heading = format!("{family} {name}");
            }
            markdown_table(&table, 2..3 + columns.len(), &mut out);
            out
        }
        TableFormat::Csv => {
            let keys: Vec<&str> = columns.iter().map(|(.., key)| *key).collect();
            let mut out = format!(
                "file,group,documents,only_in_truth,only_in_file,repeated,{}\n",
                keys.join(",")
            );
            for row in &rows {
                let score = row.score;
                let figures: Vec<String> = row.figures.iter().map(|figure| figure.text(6)).collect();
                let _ = writeln!(
                    out,
                    "{},{},{},{},{},{},{}",
                    field(&path(&score.path)),
                    field(row.group),
                    score.documents,
                    score.only_in_truth.0,
                    score.only_in_file.0,
                    score.repeated,
                    figures.join(",")
                );
            }
            out
        }
        TableFormat::Json => {
            let rows: Vec<Value> = rows.iter().map(|row| object(row, columns)).collect();
            let whole = json!({
                "program": program,
                "truth": {"file": path(&truth.path), "documents": truth.documents(), "repeated": truth.repeated},
                "scores": rows,
            });
            serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
        }
    }
}

fn object(row: &Row<'_>, columns: &[Column]) -> Value {
    let score = row.score;
    let mut object = Map::new();
    object.insert("file".into(), json!(path(&score.path)));
    object.insert("group".into(), json!(row.group));
    object.insert("documents".into(), json!(score.documents));
    for (key, (count, ids)) in [
        ("only_in_truth", &score.only_in_truth),
        ("only_in_file", &score.only_in_file),
    ] {
        object.insert(key.into(), json!({"documents": count, "first": ids}));
    }
    object.insert("repeated".into(), json!(score.repeated));
    for (figure, (.., key)) in row.figures.iter().zip(columns) {
        object.insert((*key).into(), figure.json());
    }
    Value::Object(object)
}

fn cells(columns: &[Column], rows: &[Row<'_>]) -> Vec<Vec<String>> {
    let head = ["file", "group", "documents"].into_iter();
    let mut table = vec![
        head.chain(columns.iter().map(|(_, name, _)| *name))
            .map(str::to_owned)
            .collect(),
    ];
    for row in rows {
        let mut cells = vec![
            path(&row.score.path),
            terminal(row.group).into_owned(),
            row.score.documents.to_string(),
        ];
        cells.extend(row.figures.iter().map(|figure| figure.text(4)));
        table.push(cells);
    }
    table
}

/// How the files match the truth, as lines. Entries of lists are indented.
pub fn fit_lines(truth: &Labels, scores: &[Score]) -> Vec<String> {
    let mut lines = vec![format!("{}: {} documents", path(&truth.path), truth.documents())];
    let repeated = |path: String, n: u64| format!("{path}: {n} lines say again what an earlier line says");
    if truth.repeated > 0 {
        lines.push(repeated(path(&truth.path), truth.repeated));
    }
    for score in scores {
        let file = path(&score.path);
        let mut list = |what: String, (count, ids): &(u64, Vec<String>)| {
            if *count == 0 {
                return;
            }
            lines.push(format!("{what}: {count}"));
            lines.extend(ids.iter().map(|id| format!("  {}", terminal(id))));
            if *count > ids.len() as u64 {
                lines.push(format!("  and {} more", count - ids.len() as u64));
            }
        };
        list(format!("documents that {file} does not have"), &score.only_in_truth);
        list(
            format!("documents that only {file} has, not compared"),
            &score.only_in_file,
        );
        if score.repeated > 0 {
            lines.push(repeated(file, score.repeated));
        }
    }
    lines
}
