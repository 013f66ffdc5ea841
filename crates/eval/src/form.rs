//! How well an extraction keeps the form of the content, measured on Markdown: ROUGE-5, edit similarities, TEDS, and
//! the structure.

use super::measure::Prf;
use super::rouge::Rouge;
use super::structure::{KINDS, PartsOfKind, Structure};
use super::truth::TruthLine;
use super::{Metric, Metrics};
use super::{edit, markdown};
use dehusk_html::{Buffers, TextForm, parse, render};

/// Edit similarities, in the order of their figures: code, tables, formulas, TEDS.
pub(super) const EDITS: usize = 4;

/// Measures of the form of an extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FormCounts {
    /// ROUGE-5. `None` if the truth has neither Markdown nor HTML.
    pub rouge: Option<Prf>,
    /// Similarities of code, tables and formulas, and TEDS. `None` if neither text has any, or they are too large.
    pub edits: [Option<f64>; EDITS],
    /// Headings, paragraphs, items, code, cells and quotes.
    pub kinds: [PartsOfKind; KINDS],
}

/// The form of a truth.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// `None` if it is not measured, or the truth has neither Markdown nor HTML.
    rouge: Option<(Rouge, Written)>,
    structure: Option<Structure>,
}

/// Texts that are compared character by character.
#[derive(Debug)]
struct Written {
    structure: Structure,
    formulas: Vec<char>,
}

impl Written {
    fn new(markdown: &str) -> Self {
        let reading = markdown::read(markdown);
        Self {
            structure: Structure::new(&reading.html),
            formulas: reading.formulas.chars().collect(),
        }
    }
}

impl Form {
    /// The form of a line of truth, as far as `metrics` need it. Markdown is made from the HTML if need be.
    pub fn new(line: &TruthLine, metrics: Metrics) -> Self {
        let has_form = !(line.html.is_empty() && line.markdown.is_empty());
        let rouge = has_form && metrics.has(Metric::Rouge);
        let structure = has_form && metrics.has(Metric::Structure);
        Self {
            rouge: rouge.then(|| {
                let markdown = markdown_of(line);
                (Rouge::new(&markdown), Written::new(&markdown))
            }),
            structure: structure.then(|| {
                if line.html.is_empty() {
                    Structure::new(&markdown::read(&line.markdown).html)
                } else {
                    Structure::new(&line.html)
                }
            }),
        }
    }

    /// Whether anything is measured.
    pub fn is_measured(&self) -> bool {
        self.rouge.is_some() || self.structure.is_some()
    }

    /// Compares an extraction with the truth.
    pub fn compare(&self, markdown: &str) -> FormCounts {
        if !self.is_measured() {
            return FormCounts::default();
        }
        let written = Written::new(markdown);
        let mut counts = FormCounts::default();
        if let Some((rouge, truth)) = &self.rouge {
            let (own, other) = (&written.structure, &truth.structure);
            counts.rouge = Some(rouge.score(markdown));
            counts.edits = [
                edit::similarity(&own.code, &other.code),
                edit::similarity(&own.cells, &other.cells),
                edit::similarity(&written.formulas, &truth.formulas),
                own.tables.similarity(&other.tables),
            ];
        }
        if let Some(truth) = &self.structure {
            counts.kinds = written.structure.compare(truth);
        }
        counts
    }
}

/// The Markdown of a truth, made from its HTML if need be.
fn markdown_of(line: &TruthLine) -> String {
    if !line.markdown.is_empty() {
        return line.markdown.clone();
    }
    let dom = parse(&line.html, Buffers::default());
    let mut markdown = String::new();
    let all = dom.subtree(0);
    render(
        &dom,
        std::slice::from_ref(&all),
        &[],
        TextForm::markdown(),
        &mut markdown,
    );
    markdown
}
