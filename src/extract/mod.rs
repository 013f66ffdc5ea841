//! Extractors: a view in, a selection of nodes out. One file a paper, one trait, one registry of presets.
//!
//! A preset is an extractor with named parameter values. A paper's name (`coreex`) stands for the paper's method with
//! the paper's values; a reading of ours that does better stands beside it (`coreex-modern`).

pub mod cetd;
pub mod contentex;
pub mod coreex;
pub mod econ;
pub mod nce;
pub mod registry;
pub mod titles;
mod without;

use std::ops::Range;

use crate::dom::view::View;
use crate::dom::{NodeId, text, xhtml};
use crate::strip::Strip;

pub use cetd::Cetd;
pub use contentex::ContentEx;
pub use coreex::CoreEx;
pub use econ::Econ;
pub use nce::Nce;
pub use registry::{DEFAULT_PRESET, PRESETS, Preset};

/// An algorithm that maps a view to a selection.
pub trait Extractor: Send + Sync + std::fmt::Debug {
    /// The preprocessing that it wants.
    fn strip(&self) -> Strip;

    /// Chooses the nodes that hold the main content.
    fn extract(&self, view: &View<'_>) -> Selection;

    /// The rule by which nodes are chosen, with the values that it has here, in a sentence for people.
    fn rule(&self) -> String {
        format!("{self:?}")
    }

    /// Which part of the rule kept a node, with the figures that decided; `None` where the rule says it all. Asked of
    /// the roots of a selection's subtrees.
    fn why(&self, _view: &View<'_>, _selection: &Selection, _id: NodeId) -> Option<String> {
        None
    }

    /// Checks the parameters' values.
    ///
    /// # Errors
    /// A sentence that names the parameter and the values that it may have.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Parameters that name a file, each with a hash of what the file held when it was read: it is this, and not where
    /// the file lay, that can change a document.
    fn files(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
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
        text::render_with(view.dom(), &self.ranges, view.masked(), true, out);
    }

    /// The selection's structure as a well-formed XHTML fragment.
    pub fn render_xhtml(&self, view: &View<'_>, out: &mut String) {
        xhtml::render_xhtml(view.dom(), &self.ranges, view.masked(), out);
    }
}
