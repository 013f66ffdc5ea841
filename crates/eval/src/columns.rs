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
    /// A share of counts that are summed up over the pages: common, extracted and true ones, at this place and the next
    /// two.
    Counts(usize, Share),
}

/// A share of common, extracted and true ones.
type Share = fn(f64, f64, f64) -> f64;

/// Precision, recall and F1 of counts.
const SHARES: [(&str, Share); 3] = [
    ("P", |common, extracted, _| ratio(common, extracted)),
    ("R", |common, _, truth| ratio(common, truth)),
    ("F1", |common, extracted, truth| ratio(2.0 * common, extracted + truth)),
];

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
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
    (
        Metric::Rouge,
        Unit::Share,
        "ROUGE-5",
        &[("rouge_precision", "P"), ("rouge_recall", "R"), ("rouge_f1", "F1")],
    ),
    (
        Metric::Rouge,
        Unit::Share,
        "similarity",
        &[
            ("code_edit", "code"),
            ("table_edit", "tables"),
            ("formula_edit", "formulas"),
            ("table_teds", "TEDS"),
        ],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "headings",
        &[
            ("headings_precision", "P"),
            ("headings_recall", "R"),
            ("headings_f1", "F1"),
        ],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "paragraphs",
        &[
            ("paragraphs_precision", "P"),
            ("paragraphs_recall", "R"),
            ("paragraphs_f1", "F1"),
        ],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "list items",
        &[("items_precision", "P"), ("items_recall", "R"), ("items_f1", "F1")],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "code",
        &[("code_precision", "P"), ("code_recall", "R"), ("code_f1", "F1")],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "table cells",
        &[("cells_precision", "P"), ("cells_recall", "R"), ("cells_f1", "F1")],
    ),
    (
        Metric::Structure,
        Unit::Share,
        "quotes",
        &[("quotes_precision", "P"), ("quotes_recall", "R"), ("quotes_f1", "F1")],
    ),
];

/// Returns the columns of some measures, in order.
pub fn columns(metrics: Metrics) -> Vec<Column> {
    let mut chosen = Vec::new();
    let mut place = 0;
    for (metric, unit, family, figures) in FAMILIES {
        let first = place;
        for (key, heading) in *figures {
            let share = SHARES.iter().find(|(name, _)| name == heading);
            let source = if *heading == OF_MEANS {
                Source::OfMeans(first)
            } else {
                place += 1;
                match share.filter(|_| *metric == Metric::Structure) {
                    Some((_, share)) => Source::Counts(first, *share),
                    None => Source::Mean(place - 1),
                }
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
