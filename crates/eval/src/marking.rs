//! The blocks of a page, for people who mark them as content or not, and the truth that follows from their marks.
//!
//! The blocks are those that the learned extractor judges, so a model learns from exactly what was marked.

mod layout;

use dehusk_extract::fusion::training::PageBlocks;
use dehusk_extract::strip::{Forms, Strip};
use dehusk_extract::{PageContext, Preset, Selection};
use dehusk_html::NodeId;

pub use layout::{Layout, Look, ShownText};

/// A block of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// Its number of words.
    pub words: u32,
    /// Whether the preset keeps more than half of its text nodes.
    pub is_kept: bool,
}

/// The blocks of a page, in order, with what a preset makes of each, and how the page shows them.
pub fn blocks(page: &PageContext<'_>, preset: &Preset) -> (Vec<Block>, Layout) {
    let (view, selection) = (page.view(preset.strip()), page.selection(preset));
    let is_kept = |node: &&NodeId| {
        let is_masked = view.masked().iter().any(|range| range.contains(node));
        selection.contains(**node) && !is_masked
    };
    let mut cut = PageBlocks::default();
    cut.cut(page.dom());
    let block = |block: usize| {
        let texts = cut.texts(block);
        Block {
            words: cut.words()[block],
            is_kept: texts.iter().filter(is_kept).count() * 2 > texts.len(),
        }
    };
    ((0..cut.len()).map(block).collect(), Layout::of(page.dom(), &cut))
}

/// The text of some blocks, as documents have it: lists, tables and code keep their form. `None` if the page does not
/// have as many blocks as `kept` has values.
pub fn text(page: &PageContext<'_>, kept: &[bool]) -> Option<String> {
    let mut cut = PageBlocks::default();
    cut.cut(page.dom());
    if cut.len() != kept.len() {
        return None;
    }
    let mut strip = Strip::new(Forms::Keep);
    strip.controls = true;
    let mut text = String::new();
    if cut.is_empty() {
        return Some(text);
    }
    Selection::new(cut.ranges(page.dom(), kept)).render_text(&page.view(&strip), &mut text);
    Some(text)
}
