//! Measures extractors on pages whose main content is known, with the measures of the papers.
//!
//! - [`truth`] reads the main content of pages from files; [`truth_file`] writes what somebody marked as such in the
//!   blocks that [`marking`] cuts a page into.
//! - [`evaluate`] joins it with archives and measures every page with [`page`], several pages at a time.
//! - [`report`] averages over groups of pages, and [`table`] writes the averages.
//! - [`papers`] fills the tables of the papers, with their figures beside those of a report.
//! - [`groups`] measures clusters and topics.
//! - [`densities`] draws CETD's Figures 3 and 4 for pages that are asked for.
//! - [`sweep`] makes many presets of one, whose curves can be drawn.
//! - The measures are in [`measure`] (bags of words, verdicts), [`lcs`](dehusk_similarity::lcs) (words in order),
//!   [`nodes`] (nodes of the page), [`parts`] (title, author, comments) and [`form`] (Markdown and its structure).
//!
//! `docs/evaluation.md` describes the measures.

pub mod columns;
pub mod densities;
mod edit;
pub mod form;
pub mod groups;
mod join;
mod layout;
mod markdown;
pub mod marking;
pub mod measure;
pub mod nodes;
pub mod page;
pub mod papers;
pub mod parts;
pub mod report;
mod rouge;
pub mod structure;
pub mod sweep;
pub mod table;
mod teds;
pub mod training;
pub mod truth;
pub mod truth_file;

pub use join::{Evaluation, Join, TruthOutcome, UnmatchedPage, evaluate};
pub use truth::Truth;

/// A family of measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Precision, recall and F1 of bags of words (NCE).
    Bag,
    /// The same of the longest common subsequence of words, and Score (CETD, 5.2).
    Lcs,
    /// The same of nodes (CoreEx, 3.3).
    Nodes,
    /// The same of nodes, weighted by their words (CoreEx, 3.3).
    Text,
    /// Correct, wrong or missed (ECON, IV).
    Verdict,
    /// Time for each page.
    Time,
    /// Title, author, comments, and what the whole page has of the content (CoreEx, 6.1; NCE).
    Parts,
    /// Steps of backtracking (ECON, IV).
    Steps,
    /// ROUGE-5, edit similarities and TEDS of Markdown (WebMainBench).
    Rouge,
    /// Headings, paragraphs, items, code, cells and quotes of Markdown.
    Structure,
}

impl Metric {
    /// All measures, in the order of tables.
    pub const ALL: [Metric; 10] = [
        Metric::Bag,
        Metric::Lcs,
        Metric::Nodes,
        Metric::Text,
        Metric::Verdict,
        Metric::Time,
        Metric::Parts,
        Metric::Steps,
        Metric::Rouge,
        Metric::Structure,
    ];

    /// Those that are taken unless others are asked for.
    pub const USUAL: [Metric; 6] = [
        Metric::Bag,
        Metric::Lcs,
        Metric::Nodes,
        Metric::Text,
        Metric::Verdict,
        Metric::Time,
    ];

    /// The name that the command line and tables use.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Bag => "bag",
            Metric::Lcs => "lcs",
            Metric::Nodes => "nodes",
            Metric::Text => "text",
            Metric::Verdict => "verdict",
            Metric::Time => "time",
            Metric::Parts => "parts",
            Metric::Steps => "steps",
            Metric::Rouge => "rouge",
            Metric::Structure => "structure",
        }
    }
}

/// A set of measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics(u16);

impl Default for Metrics {
    fn default() -> Self {
        Metric::USUAL.into_iter().collect()
    }
}

impl FromIterator<Metric> for Metrics {
    fn from_iter<I: IntoIterator<Item = Metric>>(metrics: I) -> Self {
        Self(metrics.into_iter().fold(0, |bits, m| bits | 1 << m as u8))
    }
}

impl Metrics {
    /// Whether a measure is in the set.
    pub fn has(self, metric: Metric) -> bool {
        self.0 >> metric as u8 & 1 == 1
    }

    /// The measures of the set, in the order of tables.
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |m| self.has(*m))
    }
}
