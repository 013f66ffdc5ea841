//! The columns of a report: which figures there are, and how those of a group come from those of its pages.

use super::{Metric, Metrics};

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 0 to 1.
    Share,
    /// Milliseconds.
    Milliseconds,
    /// A number of steps.
    Steps,
}

/// One figure of an extraction.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The key in CSV and JSON.
    pub key: &'static str,
    /// The heading of its family in tables.
    pub family: &'static str,
    /// Its own heading, under the family's.
    pub heading: &'static str,
    /// The unit.
    pub unit: Unit,
    pub(super) source: Source,
}

/// Where a column's value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// The mean over the pages of the figure at this place.
    Mean(usize),
    /// `2PR / (P + R)` of the mean precision and recall, which are at this place and the next: how CoreEx (Table 1) and
    /// CETD (Tables 1 to 3) aggregate.
    OfMeans(usize),
}

/// A family of figures: its measure, unit and heading, and the key and the heading of each figure.
type Family = (Metric, Unit, &'static str, &'static [(&'static str, &'static str)]);

/// The heading of the F1 of mean precision and mean recall.
const OF_MEANS: &str = "F1(PR)";

const FAMILIES: &[Family] = &[
    (
        Metric::Bag,
        Unit::Share,
        "words",
        &[
            ("bag_precision", "P"),
            ("bag_recall", "R"),
            ("bag_f1", "F1"),
            ("bag_f1_of_means", OF_MEANS),
        ],
    ),
    (
        Metric::Lcs,
        Unit::Share,
        "words in order",
        &[
            ("lcs_precision", "P"),
            ("lcs_recall", "R"),
            ("lcs_f1", "F1"),
            ("lcs_f1_of_means", OF_MEANS),
            ("lcs_score", "Score"),
        ],
    ),
    (
        Metric::Nodes,
        Unit::Share,
        "nodes",
        &[
            ("nodes_precision", "P"),
            ("nodes_recall", "R"),
            ("nodes_f1", "F1"),
            ("nodes_f1_of_means", OF_MEANS),
        ],
    ),
    (
        Metric::Text,
        Unit::Share,
        "nodes by text",
        &[
            ("text_precision", "P"),
            ("text_recall", "R"),
            ("text_f1", "F1"),
            ("text_f1_of_means", OF_MEANS),
        ],
    ),
    (
        Metric::Verdict,
        Unit::Share,
        "pages",
        &[
            ("correct", "correct"),
            ("wrong", "wrong"),
            ("missed", "missed"),
            ("no_output", "none"),
        ],
    ),
    (
        Metric::Time,
        Unit::Milliseconds,
        "ms a page",
        &[("own_ms", "own"), ("page_ms", "whole")],
    ),
    (
        Metric::Parts,
        Unit::Share,
        "parts",
        &[
            ("title_recall", "title R"),
            ("title_found", "title"),
            ("author_found", "author"),
            ("comments_removed", "no comments"),
            ("body_lost", "lost"),
            ("page_relevant", "page P"),
        ],
    ),
    (Metric::Steps, Unit::Steps, "backtracking", &[("steps", "steps")]),
];

/// Returns the columns of some measures, in order.
pub fn columns(metrics: Metrics) -> Vec<Column> {
    let mut chosen = Vec::new();
    let mut place = 0;
    for (metric, unit, family, figures) in FAMILIES {
        let first = place;
        for (key, heading) in *figures {
            let source = if *heading == OF_MEANS {
                Source::OfMeans(first)
            } else {
                place += 1;
                Source::Mean(place - 1)
            };
            chosen.extend(metrics.has(*metric).then_some(Column {
                key,
                family,
                heading,
                unit: *unit,
                source,
            }));
        }
    }
    chosen
}
