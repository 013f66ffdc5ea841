//! CoreEx: text-to-link ratio, weighted, with subset selection.
//!
//! J. Prasad, A. Paepcke: *CoreEx: Content Extraction from Online News Articles*, CIKM 2008, section 2.
//!
//! Every node has a `textCnt` and a `linkCnt`. The `textCnt` of a text node is its number of words. A *link node* (a
//! terminal, text or image, under `a`) counts as one word and one link. The counts of an inner node are the sums of its
//! children's. So for a subtree with `U` words outside links and `L` link nodes:
//!
//! ```text
//! textCnt = U + L        linkCnt = L        ratio = (textCnt - linkCnt) / textCnt = U / (U + L)
//! basic    (2.1.1)   score = ratio
//! weighted (2.2.1)   score = w_ratio · ratio + w_text · textCnt / page_text,   w_ratio + w_text = 1
//! subset   (2.2.2)   S(N) = children of N with ratio > threshold; N is scored by the counts of S(N) alone,
//!                    and S(N*) of the best node N* is the content
//! ```
//!
//! | parameter | paper | `coreex-modern` | |
//! |---|---|---|---|
//! | `scoring` | weighted | weighted | basic is R1 of Table 1 |
//! | `subset` | true | true | false in R1 and R2 |
//! | `weight_ratio` | 0.99 | 0.95 | one link in 100 words beats all remaining text at .99 |
//! | `threshold` | 0.9 | 0.9 | 2.2.2 |
//! | `page_text` | words | counted | whether linked text counts by its words or as one each |
//! | `link_node` | terminal | terminal | each text and image under `a`, or each `a` |
//! | `links` | targets | targets | which `a` are links: [`Links`] |
//! | `forms` | ignore | ignore-small | 3.2; the exception is explained at [`Forms`] |
//! | `scripts` | removed | removed | 3.2; kept, their code counts as text (R1 to R4) |
//! | `sibling_header` | false | true | first repair of section 6.1 |
//! | `title_match` | none | part | second repair of section 6.1 |
//!
//! # Readings of what the paper leaves open
//!
//! - Every node of the body is a candidate, including text nodes (section 6 needs this).
//! - A node without text has no ratio and is never in a set.
//! - Of equal scores the higher node wins, then the first in document order. The paper picks at random among siblings.
//!
//! # Departure
//!
//! A node that contains only links is no candidate. Section 2.1.1 scores it 0, but 2.2.1 would give it its share of the
//! text, and links are never the content.
//!
//! # Algorithm
//!
//! The naive equivalent sums the counts of every node's children. Here the counts are differences of prefix sums, and
//! one pass from the last node to the first fills the sets.

mod explain;

use std::cell::LazyCell;

use serde::{Deserialize, Serialize};

use super::titles::{self, TitleMatch};
use super::{Explanation, Extractor, PageContext, ParameterError, Selection};
use crate::strip::{Forms, Links, Strip};
use crate::view::{Sums, View};
use dehusk_html::NodeId;

/// How a node is scored (section 2.1.1 or 2.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// The ratio alone.
    Basic,
    /// The ratio and the share of the page's text.
    Weighted,
}

/// How the total text of the page is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageText {
    /// All words of the body, including those in links.
    Words,
    /// `textCnt` of the body, in which a link node is one word.
    Counted,
}

/// The node that counts as one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkNode {
    /// Each text and each image under `a`.
    Terminal,
    /// Each `a` element.
    Anchor,
}

/// CoreEx with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreEx {
    /// How a node is scored.
    pub scoring: Scoring,
    /// Whether only those children of a node are kept that exceed the threshold.
    pub subset: bool,
    /// Weight of the ratio, 0 to 1. The share of the text has the remaining weight.
    pub weight_ratio: f64,
    /// Ratio that a child must exceed to be in its parent's set, 0 to 1.
    pub threshold: f64,
    /// How the total text is measured.
    pub page_text: PageText,
    /// The node that counts as one link.
    pub link_node: LinkNode,
    /// Which elements are links.
    pub links: Links,
    /// How form elements are treated.
    pub forms: Forms,
    /// Whether scripts are removed.
    pub scripts: bool,
    /// Whether the nearest header before the selected node's parent set is included (section 6.1).
    pub sibling_header: bool,
    /// Whether a node with the page title's text is included (section 6.1).
    pub title_match: TitleMatch,
}

impl CoreEx {
    /// The paper's method with the paper's values: R5 of Table 1 (R6 with `normalize = true`).
    pub fn paper() -> Self {
        Self {
            scoring: Scoring::Weighted,
            subset: true,
            weight_ratio: 0.99,
            threshold: 0.9,
            page_text: PageText::Words,
            link_node: LinkNode::Terminal,
            links: Links::Targets,
            forms: Forms::Ignore,
            scripts: true,
            sibling_header: false,
            title_match: TitleMatch::None,
        }
    }

    /// Readings and values that do better on pages of today.
    pub fn modern() -> Self {
        Self {
            weight_ratio: 0.95,
            page_text: PageText::Counted,
            forms: Forms::IgnoreSmall,
            sibling_header: true,
            title_match: TitleMatch::Part,
            ..Self::paper()
        }
    }

    /// `textCnt` and `linkCnt` from the counts of a subtree.
    #[inline]
    fn counts(&self, sums: Sums) -> Count {
        let links = match self.link_node {
            LinkNode::Terminal => sums.link_terminals,
            LinkNode::Anchor => sums.anchors,
        };
        Count {
            text: sums.text.words - sums.linked_words + links,
            links,
        }
    }
}

/// `textCnt` and `linkCnt`.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    text: u32,
    links: u32,
}

impl Count {
    /// The basic score; NaN without text.
    #[inline]
    fn ratio(self) -> f64 {
        f64::from(self.text - self.links) / f64::from(self.text)
    }
}

impl Extractor for CoreEx {
    fn strip(&self) -> Strip {
        Strip {
            forms: self.forms,
            controls: false,
            scripts: self.scripts,
            hidden: false,
            statements: None,
            links: self.links,
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("weight_ratio", self.weight_ratio)?;
        ParameterError::check_share("threshold", self.threshold)
    }

    fn describe(&self) -> String {
        explain::describe(self)
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = page.view(&self.strip());
        let one = |id: &NodeId| explain::explain(self, &view, selection, *id);
        nodes.iter().filter_map(one).collect()
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&self.strip());
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        if body.is_empty() {
            return Selection::default();
        }
        let page_text = self.page_text(view);
        let first = body.start;
        let mut sets = vec![Count::default(); body.len()];
        let mut scores = vec![f64::NAN; body.len()];
        // Numbers of ancestors, to decide between equal scores. Most pages have none.
        let depths = LazyCell::new(|| {
            let mut depths = vec![0_u32; body.len()];
            for id in body.clone().skip(1) {
                depths[(id - first) as usize] = depths[(dom.node(id).parent - first) as usize] + 1;
            }
            depths
        });
        let depth = |id: NodeId| depths[(id - first) as usize];
        let mut best: Option<(f64, NodeId)> = None;
        // Children come after their parent, so a backward pass finds every set complete.
        for id in body.clone().rev() {
            let node = dom.node(id);
            let count = self.counts(view.range(id..node.end));
            if count.text == 0 {
                continue;
            }
            if self.subset && id > first && count.ratio() > self.threshold {
                let set = &mut sets[(node.parent - first) as usize];
                set.text += count.text;
                set.links += count.links;
            }
            let scored = if self.subset && !node.tag.is_text() {
                sets[(id - first) as usize]
            } else {
                count
            };
            if scored.text == scored.links {
                continue;
            }
            let score = match self.scoring {
                Scoring::Basic => scored.ratio(),
                Scoring::Weighted => {
                    self.weight_ratio * scored.ratio()
                        + (1.0 - self.weight_ratio) * f64::from(scored.text) / f64::from(page_text)
                }
            };
            scores[(id - first) as usize] = score;
            // Nodes around the winner are not as deep.
            let is_higher = |winner: NodeId| winner < node.end || depth(id) <= depth(winner);
            let better = best.is_none_or(|(top, winner)| score > top || (score == top && is_higher(winner)));
            if better {
                best = Some((score, id));
            }
        }
        let Some((score, winner)) = best else {
            return Selection::default();
        };
        let mut selection = Selection {
            score: score.clamp(0.0, 1.0),
            winner: Some(winner),
            scores,
            scored_from: first,
            ..Selection::default()
        };
        self.select(view, winner, &mut selection);
        titles::include_title(view, &mut selection, self.title_match);
        selection
    }
}

impl CoreEx {
    /// The text of the page that a node's share is measured by.
    fn page_text(&self, view: &View<'_>) -> u32 {
        let body = view.subtree(view.dom().body());
        match self.page_text {
            PageText::Words => body.text.words,
            PageText::Counted => self.counts(body).text,
        }
    }

    /// The counts of a node's set, where it is scored by one.
    fn set(&self, view: &View<'_>, id: NodeId) -> Option<Count> {
        let dom = view.dom();
        if !self.subset || dom.node(id).tag.is_text() {
            return None;
        }
        let counts = dom.children(id).map(|child| self.counts(view.subtree(child)));
        let in_set = counts.filter(|count| count.text > 0 && count.ratio() > self.threshold);
        Some(in_set.fold(Count::default(), |set, count| Count {
            text: set.text + count.text,
            links: set.links + count.links,
        }))
    }

    /// Selects the winner, or the children in its set (section 2.2.2), and the heading before them (section 6.1).
    fn select(&self, view: &View<'_>, winner: NodeId, selection: &mut Selection) {
        let dom = view.dom();
        if self.subset && !dom.node(winner).tag.is_text() {
            for child in dom.children(winner) {
                let count = self.counts(view.subtree(child));
                if count.text > 0 && count.ratio() > self.threshold {
                    selection.ranges.push(dom.subtree(child));
                }
            }
        } else {
            selection.ranges.push(dom.subtree(winner));
        }
        if self.sibling_header {
            // The parent of the set. It is the winner itself if the set consists of its children.
            let whole = selection.ranges.first().is_some_and(|range| range.start == winner);
            let parent = if whole { dom.node(winner).parent } else { winner };
            titles::include_sibling_header(view, selection, parent);
        }
    }
}
