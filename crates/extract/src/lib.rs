//! Extracts the main content of web pages by a learned extractor or by the methods of five papers.
//!
//! An [`Extractor`] maps a page to a [`Selection`] of nodes. The learned one is [`Fusion`]. Each paper's method has its
//! file: [`coreex`], [`contentex`], [`nce`], [`econ`] and [`cetd`]. It reads the counts of a [`View`], which is the
//! page's tree without the nodes that a [`Strip`] masks.
//!
//! A [`Preset`] is an extractor with named parameter values. `fusion` is the [default](DEFAULT_PRESET). The name of a
//! paper (`coreex`) means the paper's method with the paper's values. A `-modern` preset (`coreex-modern`) has
//! values of ours that do better on pages of today. [`registry`] has the table of all presets.
//!
//! ```
//! use dehusk_extract::{PageContext, registry};
//! use dehusk_html::{Buffers, parse};
//!
//! let dom = parse("<ul><li><a href=/>Home</a></ul><p>The kernel of the page.</p>", Buffers::default());
//! let page = PageContext::new(&dom, "https://example.org/");
//! let preset = registry::preset("coreex").expect("a built-in preset");
//! let mut text = String::new();
//! page.selection(&preset).render_text(&page.view(preset.strip()), &mut text);
//! assert_eq!(text, "The kernel of the page.");
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod blocks;
pub mod cetd;
pub mod comparators;
pub mod contentex;
pub mod coreex;
pub mod econ;
pub mod ensemble;
mod explained;
mod explained_page;
mod explanation;
#[doc(hidden)]
pub mod fusion;
mod links;
pub mod nce;
mod page;
mod parameters;
mod range_difference;
pub mod registry;
pub mod site;
pub mod strip;
mod texts;
pub mod titles;
mod value;
pub mod view;

use std::ops::Range;

use dehusk_html::rendering::{Mark, render_form, render_marked, render_words};
use dehusk_html::{NodeId, TextForm, render_xhtml};

use crate::strip::Strip;
use crate::view::View;

pub use cetd::Cetd;
pub use contentex::ContentEx;
pub use coreex::CoreEx;
pub use econ::Econ;
pub use ensemble::Ensemble;
pub use explained::{ExplainedBlock, ExplainedNode, ExplainedSelection};
pub use explained_page::{ExplainedPage, NodeState, PageNode};
pub use explanation::{Explanation, Figure, Rule, Verdict};
pub use fusion::{Comments, Fusion, FusionParameters};
pub use nce::Nce;
pub use page::{PageContext, ViewPool};
pub use parameters::{ParameterError, Parameters};
pub use registry::{COMPARATORS, DEFAULT_PRESET, PRESETS, Preset};
pub use value::Value;

/// An algorithm that maps a page to a selection.
pub trait Extractor: Send + Sync + std::fmt::Debug {
    /// The preprocessing that the method asks for.
    fn strip(&self) -> Strip;

    /// Chooses the nodes that hold the main content.
    fn extract(&self, page: &PageContext<'_>) -> Selection;

    /// The rule that chooses nodes, with the values that it has here, in a sentence.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Explains the result for some nodes, given this extractor's own selection: which part of the rule chose, kept or
    /// left out each of them, with the figures that decided. A node that [`describe`](Self::describe) explains
    /// fully has no explanation.
    ///
    /// It is asked about the winner, the roots of the selected subtrees, and the largest subtrees without anything
    /// selected.
    fn explain(&self, _page: &PageContext<'_>, _selection: &Selection, _nodes: &[NodeId]) -> Vec<Explanation> {
        Vec::new()
    }

    /// The blocks that the extractor cuts the page into, with their probabilities. Empty for an extractor that selects
    /// nodes and not blocks.
    fn explain_blocks(&self, _page: &PageContext<'_>) -> Vec<ExplainedBlock> {
        Vec::new()
    }

    /// Checks the parameters' values.
    ///
    /// # Errors
    /// A parameter has a value that it does not take.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// The nodes that an extractor keeps.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// Whole subtrees, as index ranges: in order, disjoint, never empty.
    pub ranges: Vec<Range<NodeId>>,
    /// The readers' comments, where the extractor keeps them apart from the main content: as `ranges`, with no node of
    /// those.
    pub comments: Vec<Range<NodeId>>,
    /// The extractor's own score of the selection, 0 to 1.
    pub score: f64,
    /// The winning node, where the extractor chooses one.
    pub winner: Option<NodeId>,
    /// How many steps up the tree led to the winner, where the extractor climbs to it.
    pub steps: Option<u32>,
    /// The score of every node from [`scored_from`](Self::scored_from) on; NaN for a node without a score. Empty where
    /// the extractor scores no nodes.
    pub scores: Vec<f64>,
    /// The node that `scores[0]` belongs to.
    pub scored_from: NodeId,
}

impl Selection {
    /// A selection of ranges without scores. The ranges are in order, disjoint and never empty.
    pub fn new(ranges: Vec<Range<NodeId>>) -> Self {
        Self {
            ranges,
            ..Self::default()
        }
    }

    /// Adds a subtree. It may lie before, between, around or inside the ranges.
    pub fn insert(&mut self, subtree: Range<NodeId>) {
        if self.contains(subtree.start) {
            return;
        }
        self.ranges.retain(|r| r.start < subtree.start || r.end > subtree.end);
        let at = self.ranges.partition_point(|r| r.start < subtree.start);
        self.ranges.insert(at, subtree);
    }

    /// Whether a node is selected.
    pub fn contains(&self, id: NodeId) -> bool {
        let after = self.ranges.partition_point(|r| r.start <= id);
        after > 0 && id < self.ranges[after - 1].end
    }

    /// The score of a node; `None` where it has none.
    pub fn score_of(&self, id: NodeId) -> Option<f64> {
        id.checked_sub(self.scored_from)
            .and_then(|i| self.scores.get(i as usize))
            .copied()
            .filter(|s| !s.is_nan())
    }

    /// Appends the selection's text. Blank lines separate paragraphs; lists, tables and code keep their form.
    pub fn render_text(&self, view: &View<'_>, out: &mut String) {
        self.render(view, TextForm::plain(), out);
    }

    /// Appends the selection's text in a form.
    pub fn render(&self, view: &View<'_>, form: TextForm<'_>, out: &mut String) {
        // A script that the strip keeps counts as text, as in CoreEx's first configurations.
        render_form(view.dom(), &self.ranges, view.masked(), form, true, out);
    }

    /// Appends the selection's text as [`render_text`](Self::render_text). Returns where in it lists, tables and code
    /// are.
    #[doc(hidden)]
    pub fn render_marked(&self, view: &View<'_>, out: &mut String) -> Vec<Mark> {
        render_marked(view.dom(), &self.ranges, view.masked(), true, out)
    }

    /// The same for [`comments`](Self::comments).
    #[doc(hidden)]
    pub fn render_comments_marked(&self, view: &View<'_>, out: &mut String) -> Vec<Mark> {
        render_marked(view.dom(), &self.comments, view.masked(), true, out)
    }

    /// Appends the selection's text as [`render_text`](Self::render_text), but without the markers of lists and tables,
    /// so that every word is one of the page.
    pub fn render_words(&self, view: &View<'_>, out: &mut String) {
        render_words(view.dom(), &self.ranges, view.masked(), true, out);
    }

    /// Appends the text of [`comments`](Self::comments) in a form.
    pub fn render_comments(&self, view: &View<'_>, form: TextForm<'_>, out: &mut String) {
        render_form(view.dom(), &self.comments, view.masked(), form, true, out);
    }

    /// Appends the selection's structure as a well-formed XHTML fragment.
    pub fn render_xhtml(&self, view: &View<'_>, out: &mut String) {
        render_xhtml(view.dom(), &self.ranges, view.masked(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    #[test]
    fn comments_are_rendered_apart_from_the_text() {
        let dom = parse(
            "<p>News.</p><ul><li>First!</li><li>I agree.</li></ul>",
            Buffers::default(),
        );
        let page = PageContext::new(&dom, "");
        let view = page.view(&Strip::new(strip::Forms::Keep));
        let [text, list] = [0, 1].map(|i| dom.children(dom.body()).nth(i).expect("a child"));
        let mut selection = Selection::new(vec![dom.subtree(text)]);
        let render = |selection: &Selection| {
            let (mut text, mut comments) = (String::new(), String::new());
            selection.render_text(&view, &mut text);
            selection.render_comments(&view, TextForm::plain(), &mut comments);
            (text, comments)
        };
        assert_eq!(render(&selection), ("News.".to_owned(), String::new()));
        selection.comments = vec![dom.subtree(list)];
        let comments = "- First!\n- I agree.".to_owned();
        assert_eq!(render(&selection), ("News.".to_owned(), comments));
        assert!(!selection.contains(list));
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
