//! The tables of the five papers, with the figures of a report beside the paper's own.
//!
//! `papers.tsv` has the papers' figures. Every truth file of a report is a source of pages, as in the papers.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::columns::Unit;
use super::layout::{align_parts, field, markdown_table, plain};
use super::report::Report;
use super::{Metric, Metrics};
use dehusk_archive::escape::terminal;
use dehusk_extract::{ParameterError, Parameters, Preset, registry};

/// The papers that have tables.
pub const PAPERS: [&str; 5] = ["coreex", "contentex", "nce", "econ", "cetd"];

const DATA: &str = include_str!("papers.tsv");

/// A variant of a built-in preset that a paper measures: its name, the preset, and what is different.
type Variant = (&'static str, &'static str, fn(&mut Parameters));

const VARIANTS: [Variant; 5] = [
    ("coreex R1", "coreex", |values| {
        values.set("scoring", "basic");
        values.set("subset", false);
        as_in_r3(values);
    }),
    ("coreex R2", "coreex", |values| {
        values.set("subset", false);
        as_in_r3(values);
    }),
    ("coreex R3", "coreex", as_in_r3),
    ("coreex R4", "coreex", |values| values.set("scripts", false)),
    ("coreex titles", "coreex", |values| {
        values.set("sibling_header", true);
        values.set("title_match", "exact");
    }),
];

/// Forms and scripts are kept, as in CoreEx's first three variants.
fn as_in_r3(values: &mut Parameters) {
    values.set("forms", "keep");
    values.set("scripts", false);
}

/// A table of a paper.
#[derive(Debug)]
struct PaperTable {
    paper: &'static str,
    title: &'static str,
    metric: Option<Metric>,
    /// Keys of the report's columns, and their headings here.
    here: Vec<(&'static str, &'static str)>,
    /// The family and the heading of each of the paper's columns.
    columns: Vec<(&'static str, &'static str)>,
    /// Notes for readers of the paper's figures.
    notes: Vec<&'static str>,
    /// Extractors with the paper's figures.
    rows: Vec<(&'static str, Vec<&'static str>)>,
}

/// The tables of some papers, in the order of the data.
fn tables(papers: &[&str]) -> Vec<PaperTable> {
    let mut tables: Vec<PaperTable> = Vec::new();
    for line in DATA.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let pairs = |cells: &[&'static str], separator| {
            let pairs = cells.iter().filter_map(|cell| cell.split_once(separator));
            pairs.collect::<Vec<_>>()
        };
        match (cells.as_slice(), tables.last_mut()) {
            (&["table", paper, title], _) => tables.push(PaperTable {
                paper,
                title,
                metric: None,
                here: Vec::new(),
                columns: Vec::new(),
                notes: Vec::new(),
                rows: Vec::new(),
            }),
            (&["here", metric, ref keys @ ..], Some(table)) => {
                table.metric = Metric::ALL.into_iter().find(|known| known.name() == metric);
                table.here = pairs(keys, '=');
            }
            (&["columns", ref columns @ ..], Some(table)) => table.columns = pairs(columns, '|'),
            (&["note", note], Some(table)) => table.notes.push(note),
            (&[extractor, ref figures @ ..], Some(table)) => table.rows.push((extractor, figures.to_vec())),
            _ => {}
        }
    }
    tables.retain(|table| papers.contains(&table.paper));
    tables
}

/// The measures that the tables of some papers need.
pub fn metrics(papers: &[&str]) -> Metrics {
    tables(papers).into_iter().filter_map(|table| table.metric).collect()
}

/// The names of the extractors in the tables of some papers: built-in presets, and variants of them.
pub fn extractors(papers: &[&str]) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in tables(papers).into_iter().flat_map(|table| table.rows) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The variants of built-in presets in the tables of some papers. No preset of a configuration can have their names.
///
/// # Errors
/// Never, unless a variant sets a parameter that its preset does not have.
pub fn variants(papers: &[&str]) -> Result<Vec<Preset>, ParameterError> {
    let names = extractors(papers);
    let asked = VARIANTS.iter().filter(|(name, ..)| names.contains(name));
    let build = |(name, base, change): &Variant| {
        let mut values = Parameters::new();
        change(&mut values);
        registry::build(name, base, &values)
    };
    asked.map(build).collect()
}

/// A table of a paper with the figures of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledTable {
    /// The paper.
    pub paper: &'static str,
    /// The title of the table.
    pub title: &'static str,
    /// The family and the heading of each column: one or more for each truth file, then the paper's.
    pub columns: Vec<(String, String)>,
    /// Extractors and their figures, in the unit that the title names; empty where there is none.
    pub rows: Vec<(String, Vec<String>)>,
    /// Notes for readers of the paper's figures: misprints.
    pub notes: Vec<&'static str>,
}

/// Fills the tables of some papers from a report by truth file. Extractors that no paper has are the last rows.
pub fn fill(papers: &[&str], report: &Report) -> Vec<FilledTable> {
    let systems = extractors(papers);
    tables(papers)
        .iter()
        .map(|table| fill_one(table, report, &systems))
        .collect()
}

/// `systems` are the extractors of the papers. All others of the report are rows of each table.
fn fill_one(table: &PaperTable, report: &Report, systems: &[&str]) -> FilledTable {
    let mut sources: Vec<&str> = Vec::new();
    for row in report.groups.iter().filter(|row| row.by == "truth") {
        if !sources.contains(&row.group.as_str()) {
            sources.push(&row.group);
        }
    }
    let places = table.here.iter().filter_map(|(key, heading)| {
        let place = report.columns.iter().position(|column| column.key == *key)?;
        Some((place, *heading))
    });
    let places: Vec<(usize, &str)> = places.collect();
    let here = sources.iter().flat_map(|source| {
        let column = |heading: &str| match table.here.len() {
            1 => ("here".to_owned(), short(source).to_owned()),
            _ => (short(source).to_owned(), heading.to_owned()),
        };
        places
            .iter()
            .map(move |(_, heading)| column(heading))
            .collect::<Vec<_>>()
    });
    let paper = table
        .columns
        .iter()
        .map(|(family, heading)| ((*family).to_owned(), (*heading).to_owned()));
    let columns: Vec<(String, String)> = here.chain(paper).collect();
    let measured = |extractor: &str| {
        let figures = sources.iter().flat_map(|source| {
            let row = report
                .groups
                .iter()
                .find(|row| row.by == "truth" && row.group == *source && row.extractor == extractor);
            let figure = |place: usize| {
                let figure = row.and_then(|row| row.figures[place]);
                figure.map_or(String::new(), |figure| match report.columns[place].unit {
                    Unit::Share => format!("{:.2}", 100.0 * figure),
                    Unit::Milliseconds | Unit::Steps => format!("{figure:.3}"),
                })
            };
            places.iter().map(|(place, _)| figure(*place)).collect::<Vec<_>>()
        });
        figures.collect::<Vec<String>>()
    };
    let of_paper = table.rows.iter().map(|(extractor, figures)| {
        let theirs = figures.iter().map(|figure| figure.trim_matches('-').to_owned());
        (
            (*extractor).to_owned(),
            measured(extractor).into_iter().chain(theirs).collect(),
        )
    });
    let others = report
        .extractors
        .iter()
        .filter(|name| !systems.contains(&name.as_str()));
    let others = others.map(|name| {
        let theirs = std::iter::repeat_n(String::new(), table.columns.len());
        (name.clone(), measured(name).into_iter().chain(theirs).collect())
    });
    FilledTable {
        paper: table.paper,
        title: table.title,
        columns,
        rows: of_paper.chain(others).collect(),
        notes: table.notes.clone(),
    }
}

/// The name of a truth file without its directory and its endings.
fn short(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ends = [".gz", ".zst", ".jsonl", ".truth"];
    ends.iter()
        .fold(name, |name, end| name.strip_suffix(end).unwrap_or(name))
}

impl FilledTable {
    fn heading(&self) -> String {
        format!("{}, {}", self.paper, self.title)
    }

    /// The headings and the rows, escaped for terminals.
    fn cells(&self) -> Vec<Vec<String>> {
        let headings = self.columns.iter().map(|(_, heading)| heading.as_str());
        let mut cells = vec![
            std::iter::once("extractor")
                .chain(headings)
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        ];
        for (extractor, figures) in &self.rows {
            let figures = figures
                .iter()
                .map(|figure| if figure.is_empty() { "-" } else { figure });
            cells.push(
                std::iter::once(extractor.as_str())
                    .chain(figures)
                    .map(str::to_owned)
                    .collect(),
            );
        }
        for cell in cells.iter_mut().flatten() {
            *cell = terminal(cell).into_owned();
        }
        cells
    }

    pub(super) fn to_json(&self) -> Value {
        let row = |(extractor, figures): &(String, Vec<String>)| {
            let mut groups: Map<String, Value> = Map::new();
            for ((family, heading), figure) in self.columns.iter().zip(figures) {
                if let Ok(figure) = figure.parse::<f64>()
                    && let Some(group) = groups.entry(family).or_insert_with(|| json!({})).as_object_mut()
                {
                    group.insert(heading.clone(), figure.into());
                }
            }
            json!({"extractor": extractor, "figures": groups})
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"paper": self.paper, "title": self.title, "rows": rows, "notes": self.notes})
    }
}

/// Tables of aligned columns, after some lines.
pub(super) fn text(lines: &[String], tables: &[FilledTable]) -> String {
    let mut out = lines.join("\n");
    out.push('\n');
    for table in tables {
        let _ = write!(out, "\n{}\n\n", table.heading());
        let families: Vec<&str> = table.columns.iter().map(|(family, _)| family.as_str()).collect();
        align_parts(&table.cells(), 1, &families, &mut out);
        for note in &table.notes {
            let _ = write!(out, "\n{note}\n");
        }
    }
    out
}

/// Tables of Markdown, after some text.
pub(super) fn markdown(before: &str, tables: &[FilledTable]) -> String {
    let mut out = before.to_owned();
    for table in tables {
        let _ = write!(out, "\n### {}\n\n", plain(&table.heading()));
        let mut cells = table.cells();
        for (cell, (family, heading)) in cells[0][1..].iter_mut().zip(&table.columns) {
            *cell = format!("{}: {}", terminal(family), terminal(heading));
        }
        markdown_table(&cells, 1..1 + table.columns.len(), &mut out);
        for note in &table.notes {
            let _ = write!(out, "\n{}\n", plain(note));
        }
    }
    out
}

/// A row for each figure.
pub(super) fn csv(tables: &[FilledTable]) -> String {
    let mut out = "paper,table,extractor,family,column,figure\n".to_owned();
    for table in tables {
        for (extractor, figures) in &table.rows {
            for ((family, column), figure) in table
                .columns
                .iter()
                .zip(figures)
                .filter(|(_, figure)| !figure.is_empty())
            {
                let cells = [table.title, extractor, family, column, figure].map(field);
                let _ = writeln!(out, "{},{}", table.paper, cells.join(","));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::columns;

    #[test]
    fn the_data_fit_the_columns_and_the_presets() {
        let all = tables(&PAPERS);
        assert_eq!(all.iter().filter(|table| table.paper == "cetd").count(), 4);
        let keys: Vec<&str> = columns(Metric::ALL.into_iter().collect())
            .iter()
            .map(|column| column.key)
            .collect();
        for table in &all {
            assert!(table.metric.is_some() && !table.here.is_empty(), "{table:?}");
            assert!(table.here.iter().all(|(key, _)| keys.contains(key)), "{table:?}");
            for (extractor, figures) in &table.rows {
                assert_eq!(figures.len(), table.columns.len(), "{extractor} of {}", table.title);
                let is_number = |figure: &&str| *figure == "-" || figure.parse::<f64>().is_ok();
                assert!(figures.iter().all(is_number), "{figures:?}");
            }
        }
        assert!(PAPERS.iter().all(|paper| all.iter().any(|table| table.paper == *paper)));
        let variants = variants(&PAPERS).expect("variants");
        let is_known =
            |name: &&str| registry::built_in(name).is_some() || variants.iter().any(|own| own.name == **name);
        assert!(extractors(&PAPERS).iter().all(is_known));
        assert_eq!(variants.len(), VARIANTS.len());
    }

    #[test]
    fn a_source_is_named_after_its_truth_file() {
        assert_eq!(short("corpus/cleaneval.truth.jsonl.gz"), "cleaneval");
        assert_eq!(short("t.jsonl"), "t");
        assert_eq!(short(".jsonl"), "");
    }
}
