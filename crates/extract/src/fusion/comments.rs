//! Finds the comments of readers.
//!
//! An element is a **comment section** if its class, id, role or item type says so, and if it is not around the heading of the
//! page. A block in a section is a **comment** if it has words outside links and is no part of a form. Where posts are the
//! content of a page, as in forums, the model keeps them like any other content.

use dehusk_html::Tag;

use super::blocks::{Block, Blocks, NONE};
use super::lexicon::COMMENT;

/// What a block has to do with comments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Whether it is in a comment section.
    pub(super) in_section: bool,
    /// Whether it is a comment.
    pub(super) is_comment: bool,
}

/// Looks for comments. `heading` is the block of the page's heading.
pub(super) fn find(blocks: &Blocks, heading: usize) -> Vec<Found> {
    // What the elements around a block say.
    #[derive(Clone, Copy, Default)]
    struct Around {
        section: bool,
        form: bool,
    }
    let mut around: Vec<Around> = Vec::with_capacity(blocks.elements.len());
    for element in &blocks.elements {
        let mut own = around.get(element.parent as usize).copied().unwrap_or_default();
        let holds_heading = (element.first as usize..=element.last as usize).contains(&heading);
        own.section |= element.kinds & COMMENT != 0 && !holds_heading && element.parent != NONE;
        own.form |= matches!(element.tag, Tag::Form | Tag::Button | Tag::Label);
        around.push(own);
    }
    let find = |block: &Block| {
        let around = around[block.element as usize];
        let is_text = block.linked_words * 2 < block.words && !around.form;
        Found {
            in_section: around.section,
            is_comment: around.section && is_text,
        }
    };
    blocks.blocks.iter().map(find).collect()
}
