//! How good extractors are on pages whose main content is known, in the measures of the papers.
//!
//! [`truth`] says what the content of pages is; [`evaluate`] joins it with archives and has every page judged by
//! [`page`], several pages at a time; [`report`] averages over groups of pages and [`table`] writes that down. [`sweep`]
//! makes many extractors of one, of which [`svg`] draws curves. The measures: [`measure`] (bags of words, verdicts),
//! [`lcs`] (words in order), [`nodes`] (nodes of the page). `docs/evaluation.md` tells more.

mod join;
pub mod lcs;
pub mod measure;
pub mod nodes;
pub mod page;
pub mod report;
pub mod svg;
pub mod sweep;
pub mod table;
pub mod truth;
pub mod words;

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
    /// Time a page.
    Time,
}

impl Metric {
    /// All of them, in the order in which tables show them.
    pub const ALL: [Metric; 6] = [
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
        }
    }
}

/// Which measures are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics(u8);

impl Default for Metrics {
    fn default() -> Self {
        Metric::ALL.into_iter().collect()
    }
}

impl FromIterator<Metric> for Metrics {
    fn from_iter<I: IntoIterator<Item = Metric>>(metrics: I) -> Self {
        Self(metrics.into_iter().fold(0, |bits, m| bits | 1 << m as u8))
    }
}

impl Metrics {
    /// Whether a measure is wanted.
    pub fn has(self, metric: Metric) -> bool {
        self.0 >> metric as u8 & 1 == 1
    }

    /// Those that are, in the order in which tables show them.
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |m| self.has(*m))
    }
}
