//! A report as text, Markdown, CSV or JSON.
//!
//! All formats have the same rows.
//!
//! - Text and Markdown have a table for each kind of group, with four digits for a share. Text has several where one
//!   would be wider than a terminal.
//! - CSV is one table with six digits for a share. Its first column is the kind of group.
//! - JSON has everything, including the complete lists of what did not match.
//!
//! A figure that no page of a row has, such as that of a part without truth, is a dash, an empty field, or null.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::columns::{Column, Unit};
use super::layout::{align_parts, field, markdown_table, plain};
use super::papers::{self, FilledTable};
use super::report::{Fit, Report, Row};
use super::sweep::Sweep;
use dehusk_archive::escape::terminal;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Aligned columns, for people.
    Text,
    /// Tables of Markdown.
    Markdown,
    /// One table for spreadsheets.
    Csv,
    /// One object for programs.
    Json,
}

/// The head of a report, for JSON.
#[derive(Clone, Debug)]
pub struct Head {
    /// Program and version.
    pub program: String,
    /// Hash of the configuration.
    pub config_hash: String,
    /// The truth files.
    pub truth: Vec<String>,
    /// The archives.
    pub archives: Vec<String>,
    /// The sweeps.
    pub sweeps: Vec<Sweep>,
}

impl Head {
    fn to_json(&self) -> Map<String, Value> {
        let sweep = |s: &Sweep| json!({"preset": s.preset, "parameter": s.parameter, "values": s.values});
        let mut head = Map::new();
        head.insert("program".into(), json!(self.program));
        head.insert("config_hash".into(), json!(self.config_hash));
        head.insert("truth".into(), json!(self.truth));
        head.insert("archives".into(), json!(self.archives));
        head.insert("sweeps".into(), self.sweeps.iter().map(sweep).collect());
        head
    }
}

/// Most entries of a list in text and Markdown. JSON has all.
const SHOWN: usize = 20;

/// Writes a report. JSON includes `head`.
pub fn write(report: &Report, format: TableFormat, head: &Head) -> String {
    match format {
        TableFormat::Text => text(report),
        TableFormat::Markdown => markdown(report),
        TableFormat::Csv => csv(report),
        TableFormat::Json => pretty(json(report, head.to_json())),
    }
}

/// Writes the tables of papers, with the report's figures beside theirs. JSON has the rest of the report, too.
pub fn write_papers(report: &Report, tables: &[FilledTable], format: TableFormat, head: &Head) -> String {
    match format {
        TableFormat::Text => papers::text(&fit_lines(&report.fit), tables),
        TableFormat::Markdown => papers::markdown(&markdown_fit(report), tables),
        TableFormat::Csv => papers::csv(tables),
        TableFormat::Json => {
            let mut whole = json(report, head.to_json());
            whole.insert("tables".into(), tables.iter().map(FilledTable::to_json).collect());
            pretty(whole)
        }
    }
}

fn pretty(object: Map<String, Value>) -> String {
    let mut text = serde_json::to_string_pretty(&object).unwrap_or_default();
    text.push('\n');
    text
}

/// How truth and archives match, as lines. Entries of lists are indented.
pub fn fit_lines(fit: &Fit) -> Vec<String> {
    let mut lines = vec![format!(
        "lines of truth: {}, joined with pages: {}",
        fit.truth, fit.joined
    )];
    let mut list = |what: &str, entries: &[(String, String)]| {
        if entries.is_empty() {
            return;
        }
        lines.push(format!("{what}: {}", entries.len()));
        let shown = entries.iter().take(SHOWN);
        lines.extend(shown.map(|(id, why)| format!("  {}: {}", terminal(id), terminal(why))));
        if entries.len() > SHOWN {
            lines.push(format!("  and {} more; --format json lists all", entries.len() - SHOWN));
        }
    };
    list("lines of truth without a page", &fit.without_page);
    list("pages without truth", &fit.without_truth);
    list("records with the id of an earlier one, not looked at", &fit.repeated);
    list("pages on which an extractor panicked", &fit.panicked);
    list(
        "extractions too long to be compared with the truth, counted as no output",
        &fit.too_long,
    );
    if fit.damaged > 0 {
        lines.push(format!("records that failed and stretches skipped: {}", fit.damaged));
    }
    lines.extend(fit.unread.iter().map(|e| format!("not read: {}", terminal(e))));
    lines
}

/// The rows of each table: those of one kind.
fn kinds(report: &Report) -> Vec<&[Row]> {
    let groups = report.groups.chunk_by(|a, b| a.by == b.by);
    groups
        .chain([&report.worst[..], &report.pages[..]])
        .filter(|rows| !rows.is_empty())
        .collect()
}

fn title(by: &str) -> &str {
    match by {
        "all" => "All pages",
        "truth" => "By truth file",
        "language" => "By language",
        "page_type" => "By type of page",
        "site" => "By site",
        "worst" => "Worst pages",
        _ => "Pages",
    }
}

/// A figure in a table. A dash where no page has it.
fn short(value: Option<f64>, unit: Unit) -> String {
    match (value, unit) {
        (None, _) => "-".to_owned(),
        (Some(value), Unit::Share) => format!("{value:.4}"),
        (Some(value), Unit::Milliseconds | Unit::Steps) => format!("{value:.3}"),
    }
}

/// The cells of a row before and after its figures.
fn outer_cells(row: &Row) -> (Vec<String>, Vec<String>) {
    let is_page = row.by == "page" || row.by == "worst";
    if is_page {
        (
            vec![row.extractor.clone(), row.group.clone()],
            vec![row.place.clone(), row.url.clone()],
        )
    } else {
        (
            vec![row.group.clone(), row.pages.to_string(), row.extractor.clone()],
            Vec::new(),
        )
    }
}

fn headings(row: &Row) -> (Vec<&'static str>, Vec<&'static str>) {
    if row.by == "page" || row.by == "worst" {
        (vec!["extractor", "page"], vec!["place", "URL"])
    } else {
        (vec!["group", "pages", "extractor"], vec![])
    }
}

fn text(report: &Report) -> String {
    let mut out = fit_lines(&report.fit).join("\n");
    out.push('\n');
    for rows in kinds(report) {
        let _ = write!(out, "\n{}\n\n", title(rows[0].by));
        let families: Vec<&str> = report.columns.iter().map(|column| column.family).collect();
        align_parts(
            &cells(rows, &report.columns),
            headings(&rows[0]).0.len(),
            &families,
            &mut out,
        );
    }
    out
}

/// The headings and rows of a table, escaped for terminals.
fn cells(rows: &[Row], columns: &[Column]) -> Vec<Vec<String>> {
    let (before, after) = headings(&rows[0]);
    let figures = columns.iter().map(|c| c.heading);
    let mut table = vec![
        before
            .into_iter()
            .chain(figures)
            .chain(after)
            .map(str::to_owned)
            .collect(),
    ];
    for row in rows {
        let (mut cells, after) = outer_cells(row);
        cells.extend(row.figures.iter().zip(columns).map(|(v, c)| short(*v, c.unit)));
        cells.extend(after);
        table.push(cells.iter().map(|c| terminal(c).into_owned()).collect());
    }
    table
}

/// How truth and archives match, as a list of Markdown.
fn markdown_fit(report: &Report) -> String {
    let mut out = String::new();
    for line in fit_lines(&report.fit) {
        let _ = match line.strip_prefix("  ") {
            Some(entry) => writeln!(out, "  - {}", plain(entry)),
            None => writeln!(out, "- {}", plain(&line)),
        };
    }
    out
}

fn markdown(report: &Report) -> String {
    let mut out = markdown_fit(report);
    for rows in kinds(report) {
        let _ = write!(out, "\n### {}\n\n", title(rows[0].by));
        let mut table = cells(rows, &report.columns);
        let first = headings(&rows[0]).0.len();
        for (heading, column) in table[0][first..].iter_mut().zip(&report.columns) {
            *heading = format!("{} {}", column.family, column.heading);
        }
        markdown_table(&table, first..first + report.columns.len(), &mut out);
    }
    out
}

fn csv(report: &Report) -> String {
    let keys: String = report.columns.iter().map(|c| format!("{},", c.key)).collect();
    let mut out = format!("by,group,extractor,pages,{keys}url,place\n");
    for row in report.groups.iter().chain(&report.worst).chain(&report.pages) {
        let figure = |value: &Option<f64>| value.map_or(",".to_owned(), |value| format!("{value:.6},"));
        let figures: String = row.figures.iter().map(figure).collect();
        let (group, extractor, url, place) = (
            field(&row.group),
            field(&row.extractor),
            field(&row.url),
            field(&row.place),
        );
        let _ = writeln!(
            out,
            "{},{group},{extractor},{},{figures}{url},{place}",
            row.by, row.pages
        );
    }
    out
}

fn json(report: &Report, mut whole: Map<String, Value>) -> Map<String, Value> {
    let object = |row: &Row| {
        let mut object = Map::new();
        let is_page = row.by == "page" || row.by == "worst";
        if is_page {
            object.insert("record_id".into(), row.group.clone().into());
            object.insert("url".into(), row.url.clone().into());
            object.insert("place".into(), row.place.clone().into());
        } else {
            object.insert("by".into(), row.by.into());
            object.insert("group".into(), row.group.clone().into());
            object.insert("pages".into(), row.pages.into());
        }
        object.insert("extractor".into(), row.extractor.clone().into());
        for (column, value) in report.columns.iter().zip(&row.figures) {
            // Six digits are more than any figure's precision, and are the same on all machines.
            let rounded = value.map(|value| (value * 1e6).round() / 1e6);
            object.insert(column.key.into(), rounded.into());
        }
        Value::Object(object)
    };
    let list = |rows: &[Row]| rows.iter().map(object).collect::<Vec<_>>();
    let pairs = |entries: &[(String, String)], key: &str| {
        let entry = |(id, why): &(String, String)| json!({"record_id": id, key: why});
        entries.iter().map(entry).collect::<Vec<_>>()
    };
    let fit = &report.fit;
    whole.insert(
        "join".into(),
        json!({
            "truth": fit.truth,
            "joined": fit.joined,
            "without_page": pairs(&fit.without_page, "why"),
            "without_truth": pairs(&fit.without_truth, "place"),
            "repeated": pairs(&fit.repeated, "place"),
            "panicked": pairs(&fit.panicked, "extractor"),
            "too_long": pairs(&fit.too_long, "extractor"),
            "damaged": fit.damaged,
            "unread": fit.unread,
        }),
    );
    whole.insert("extractors".into(), report.extractors.clone().into());
    whole.insert("groups".into(), list(&report.groups).into());
    if !report.worst.is_empty() {
        whole.insert("worst".into(), list(&report.worst).into());
    }
    if !report.pages.is_empty() {
        whole.insert("pages".into(), list(&report.pages).into());
    }
    whole
}
