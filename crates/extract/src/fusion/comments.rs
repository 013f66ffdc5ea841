//! Finds the comments of readers.
//!
//! An element is a **comment section** if its class, id, role or item type marks it as one, and if it is not around the
//! heading of the page, or around most of its words where the page has no heading. A block in a section is a
//! **comment** if it has words outside links and is no part of a form. Where posts are the content of a page, as in
//! forums, the model keeps them like any other content.

use dehusk_html::Tag;

use crate::blocks::lexicon::COMMENT;
use crate::blocks::{Block, Blocks, Element, NONE};

/// The relation of a block to comments.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentMark {
    /// Whether it is in a comment section.
    pub(super) in_section: bool,
    /// Whether it is a comment.
    pub(super) is_comment: bool,
}

/// Looks for comments. `heading` is the block of the page's heading, if it has one.
pub(super) fn find(blocks: &Blocks, heading: Option<usize>) -> Vec<CommentMark> {
    // The facts from the elements around a block.
    #[derive(Clone, Copy, Default)]
    struct Inherited {
        section: bool,
        form: bool,
    }
    let mut words = 0;
    let mut words_before = vec![0];
    words_before.extend(blocks.blocks.iter().map(|block| {
        words += u64::from(block.words);
        words
    }));
    let is_around_content = |element: &Element| {
        let (first, end) = (element.first as usize, element.last as usize + 1);
        match heading {
            Some(heading) => (first..end).contains(&heading),
            None => (words_before[end] - words_before[first]) * 2 > words,
        }
    };
    let mut around: Vec<Inherited> = Vec::with_capacity(blocks.elements.len());
    for element in &blocks.elements {
        let mut own = around.get(element.parent as usize).copied().unwrap_or_default();
        own.section |= element.kinds & COMMENT != 0 && element.parent != NONE && !is_around_content(element);
        own.form |= matches!(element.tag, Tag::Form | Tag::Button | Tag::Label);
        around.push(own);
    }
    let find = |block: &Block| {
        let around = around[block.element as usize];
        let is_text = block.linked_words * 2 < block.words && !around.form;
        CommentMark {
            in_section: around.section,
            is_comment: around.section && is_text,
        }
    };
    blocks.blocks.iter().map(find).collect()
}
