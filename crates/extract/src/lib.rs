//! Extractors: a view in, a selection of nodes out. One file a paper, one trait, one registry of presets.
//!
//! A preset is an extractor with named parameter values. A paper's name (`coreex`) stands for the paper's method with
//! the paper's values; a reading of ours that does better stands beside it (`coreex-modern`).

#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod cetd;
pub mod contentex;
pub mod coreex;
pub mod econ;
pub mod explained;
pub mod explanation;
pub mod nce;
pub mod page;
pub mod parameters;
mod range_difference;
pub mod registry;
pub mod strip;
pub mod titles;
pub mod view;

use std::ops::Range;

use dehusk_html::internal::render_with;
use dehusk_html::{NodeId, render_xhtml};

use crate::strip::Strip;
use crate::view::View;

pub use cetd::Cetd;
pub use contentex::ContentEx;
pub use coreex::CoreEx;
pub use econ::Econ;
pub use explanation::{Explanation, Figure, Rule, Verdict};
pub use nce::Nce;
pub use page::PageContext;
pub use parameters::{ParameterError, Parameters, Value};
pub use registry::{DEFAULT_PRESET, PRESETS, Preset};

/// An algorithm that maps a view to a selection.
pub trait Extractor: Send + Sync + std::fmt::Debug {
    /// The preprocessing that it wants.
    fn strip(&self) -> Strip;

    /// Chooses the nodes that hold the main content.
    fn extract(&self, page: &PageContext<'_>) -> Selection;

    /// The rule that chooses nodes, with the values that it has here, in a sentence.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Explains what became of some nodes, given this extractor's own selection: which part of the rule chose, kept or
    /// left out each of them, with the figures that decided. A node that [`describe`](Self::describe) says all about has
    /// no explanation.
    ///
    /// It is asked about the winner, the roots of the selected subtrees, and the largest subtrees without anything
    /// selected.
    fn explain(&self, _page: &PageContext<'_>, _selection: &Selection, _nodes: &[NodeId]) -> Vec<Explanation> {
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
pub struct Selection {
    /// Whole subtrees, as index ranges: in order, disjoint, never empty.
    pub ranges: Vec<Range<NodeId>>,
    /// The extractor's own score of the selection, 0 to 1.
    pub score: f64,
    /// The node that won, where the extractor chooses one.
    pub winner: Option<NodeId>,
    /// Every node's score, from the first node of the body on, where the extractor scores nodes; NaN for a node without
    /// a score. Empty where it does not.
    pub scores: Vec<f64>,
    /// The node that `scores[0]` belongs to.
    pub scored_from: NodeId,
}

impl Selection {
    /// Adds a subtree that may lie before, between or inside the ranges.
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

    /// The score of a node, where it has one.
    pub fn score_of(&self, id: NodeId) -> Option<f64> {
        id.checked_sub(self.scored_from)
            .and_then(|i| self.scores.get(i as usize))
            .copied()
            .filter(|s| !s.is_nan())
    }

    /// The selection's text: paragraphs parted by a blank line, white space collapsed within.
    pub fn render_text(&self, view: &View<'_>, out: &mut String) {
        // Scripts that were not stripped are text, as in the paper's first configurations.
        render_with(view.dom(), &self.ranges, view.masked(), true, out);
    }

    /// The selection's structure as a well-formed XHTML fragment.
    pub fn render_xhtml(&self, view: &View<'_>, out: &mut String) {
        render_xhtml(view.dom(), &self.ranges, view.masked(), out);
    }
}
