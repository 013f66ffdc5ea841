//! Finds the comments of readers.
//!
//! An element is a **comment section** if its class, id, role or item type says so, and if it is not around the heading of the
//! page. A block in a section is a **comment** if it has words outside links and is no part of a form. Where posts are the
//! content of a page, as in forums, the model keeps them like any other content.

use dehusk_html::Tag;

use super::blocks::{Blocks, NONE};
use super::lexicon::COMMENT;

/// Says of each block whether it is a comment, and of each whether it is in a comment section. `heading` is the block of the
/// page's heading.
pub(super) fn find(blocks: &Blocks, heading: usize, is_comment: &mut Vec<bool>, in_section: &mut Vec<bool>) {
    // What the elements around a block say.
    #[derive(Clone, Copy, Default)]
    struct Around {
        section: bool,
        form: bool,
    }
    let mut around: Vec<Around> = Vec::with_capacity(blocks.elements.len());
    for element in &blocks.elements {
        let mut own = if element.parent == NONE {
            Around::default()
        } else {
            around[element.parent as usize]
        };
        let holds_heading = (element.first as usize..=element.last as usize).contains(&heading);
        own.section |= element.kinds & COMMENT != 0 && !holds_heading && element.parent != NONE;
        own.form |= matches!(element.tag, Tag::Form | Tag::Button | Tag::Label);
        around.push(own);
    }
    is_comment.clear();
    in_section.clear();
    for block in &blocks.blocks {
        let around = around[block.element as usize];
        let is_text = block.linked_words * 2 < block.words && !around.form;
        in_section.push(around.section);
        is_comment.push(around.section && is_text);
    }
}
