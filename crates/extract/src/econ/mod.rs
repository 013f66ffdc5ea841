//! ECON: climbs from the longest text with punctuation as long as that adds periods or commas.
//!
//! Y. Guo, H. Tang, L. Song, Y. Wang, G. Ding: *ECON: An Approach to Extract Content from Web News Page*, APWeb 2010,
//! section III.B.
//!
//! Content has many more periods and commas than noise. `punc(N)` is the number of these marks in the subtree of N:
//!
//! ```text
//! big-node       the father of a text, unless it is script or style, or one of p br h1…h6 strong em b i tt font
//! text-node-set  big-nodes that are adjacent siblings; its text-para is their text
//! Joint-para     punc(text-para) = 0: the set is noise, and its nodes are pruned; else the text-para is output
//! Extract-news   snippet-node: a node of the set with the longest text-para
//!                backtracking: distance = punc(father) - punc(child), from the snippet-node up;
//!                at the first distance 0 the child is the summary-node; its text without the pruned part is the content
//! ```
//!
//! | parameter | `econ` | `econ-modern` | |
//! |---|---|---|---|
//! | `marks` | all | closing | whether a mark before a letter or digit counts (3.14, example.com) |
//! | `linked_marks` | true | false | whether marks in links count |
//! | `links` | targets | targets | which `a` are links, for `linked_marks`: [`Links`] |
//! | `bare_text` | passed | joined | how a text beside big-nodes affects their set |
//! | `para_text` | left | left | whether the length of a text-para counts what is pruned inside |
//! | `skip_wrappers` | false | true | whether backtracking continues at a father that adds no text at all |
//! | `fallback` | false | true | whether a page without marks is kept as a whole, instead of not at all |
//! | `forms` | keep | ignore-small | explained at [`Forms`] |
//!
//! The paper has no number to set, and none was added.
//!
//! # Readings of what the paper leaves open
//!
//! - One of the two conditions for a big-node is enough. The text that a node wraps is that of its whole subtree.
//! - A text without an element of its own is no node of a set and does not separate two sets.
//! - The snippet-node is the first big-node with text of its set (a line break has none); the paper picks any at
//!   random. Of equally long text-paras the first in document order counts.
//! - Sets are complete from the inside out, so a text-para's length is that of its texts that no inner set has.
//! - Backtracking ends at the body.
//! - Without any text-para (no period or comma) there is no snippet-node, and nothing is selected.
//!
//! # Departures
//!
//! - A set without any text (line breaks) is no noise and stays. The result reads the same and keeps its paragraphs.
//! - The marks are not only those of Chinese: docs/extractors/econ.md lists them, with the reasons.
//!
//! # Algorithm
//!
//! Pruned nodes have no marks, so `punc` is that of the page before pruning: a difference of prefix sums. Adjacent
//! big-nodes share a set, which is found once. All steps are linear in the number of nodes.

mod explain;
mod page;

use serde::{Deserialize, Serialize};

use super::range_difference::range_difference;
use super::{Explanation, Extractor, PageContext, Selection};
use crate::strip::{Forms, Links, Strip};
use dehusk_html::NodeId;
use page::EconPage;

/// Which periods and commas are counted. Those of the paper's nine languages, and of Chinese, are `. , 。 ｡ ， ، ．`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marks {
    /// All, as in the paper.
    All,
    /// All but a `.` or `,` directly before a letter or digit. In numbers, addresses and abbreviations these marks
    /// close nothing, and noise is full of them.
    Closing,
}

/// How a text between big-nodes, a child of the same father, affects their set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BareText {
    /// Not at all: it does not separate the set and is not in its text-para. So a link in a sentence is a set of its
    /// own and pruned.
    Passed,
    /// It is part of the text-para. So a link in a sentence stays with the sentence.
    Joined,
}

/// The text that the length of a text-para counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParaText {
    /// The part that is left. Joint-para prunes noise during merging, so a list of links inside a big-node adds
    /// nothing.
    Left,
    /// All of it, with what is pruned inside.
    Whole,
}

/// ECON with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Econ {
    /// Which marks are counted.
    pub marks: Marks,
    /// Whether marks in links are counted.
    pub linked_marks: bool,
    /// Which elements are links. It matters only where marks in links are not counted.
    pub links: Links,
    /// How a text beside big-nodes affects their set.
    pub bare_text: BareText,
    /// The text that the length of a text-para counts.
    pub para_text: ParaText,
    /// Whether backtracking continues where the father wraps no more text than the child.
    pub skip_wrappers: bool,
    /// Whether the whole body is selected if there is no text-para.
    pub fallback: bool,
    /// How form elements are treated.
    pub forms: Forms,
}

impl Econ {
    /// The paper's method.
    pub fn paper() -> Self {
        Self {
            marks: Marks::All,
            linked_marks: true,
            links: Links::Targets,
            bare_text: BareText::Passed,
            para_text: ParaText::Left,
            skip_wrappers: false,
            fallback: false,
            forms: Forms::Keep,
        }
    }

    /// Readings that do better on pages of today.
    pub fn modern() -> Self {
        Self {
            marks: Marks::Closing,
            linked_marks: false,
            links: Links::Targets,
            bare_text: BareText::Joined,
            para_text: ParaText::Left,
            skip_wrappers: true,
            fallback: true,
            forms: Forms::IgnoreSmall,
        }
    }
}

impl Extractor for Econ {
    fn strip(&self) -> Strip {
        Strip {
            // To look at every link's attributes costs time.
            links: if self.linked_marks { Links::Anchors } else { self.links },
            ..Strip::new(self.forms)
        }
    }

    fn describe(&self) -> String {
        explain::describe(self)
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        explain::explain(*self, &page.view(&self.strip()), selection, nodes)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&self.strip());
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        if body.is_empty() {
            return Selection::default();
        }
        let mut page = EconPage::new(*self, view);
        page.join_paras();
        let (snippet, scores) = (page.snippet(), std::mem::take(&mut page.scores));
        let mut selection = Selection {
            scores,
            scored_from: body.start,
            ..Selection::default()
        };
        let Some(snippet) = snippet else {
            if self.fallback && view.range(body.clone()).text.chars > 0 {
                selection.ranges.push(body);
            }
            return selection;
        };
        let summary = page.backtrack(snippet);
        selection.winner = Some(summary);
        selection.score = page.share(dom.subtree(summary));
        let way = std::iter::successors(Some(snippet), |id| (*id != summary).then(|| dom.node(*id).parent));
        for (steps, id) in (0..).zip(way) {
            selection.steps = Some(steps);
            selection.scores[(id - body.start) as usize] = page.share(dom.subtree(id));
        }
        range_difference(dom, dom.subtree(summary), &page.pruned(summary), &mut selection.ranges);
        selection
    }
}
