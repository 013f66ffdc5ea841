//! Buttons that are no content: those that end like items, such as the products of a shop, and those that are alone in
//! their paragraph after other blocks.
//!
//! **Like items** are at least three children of one element with the same path: the tags, classes and ids of all
//! elements around them.

use std::collections::HashMap;

use dehusk_html::Tag;

use crate::blocks::{Block, Blocks, NONE};

/// Fewer items are no list of things.
const LEAST_ITEMS: u32 = 3;

/// The most words of a button that is left out.
const MOST_WORDS: u32 = 4;

fn is_item(tag: Tag) -> bool {
    matches!(tag, Tag::Li | Tag::Div | Tag::Article | Tag::Section)
}

/// Leaves out the buttons that end like items or are alone in their paragraph.
pub(super) fn drop(blocks: &Blocks, kept: &mut [bool]) {
    let is_button = |block: &Block| {
        block.heading == 0 && block.words <= MOST_WORDS && blocks.elements[block.element as usize].tag == Tag::Button
    };
    let buttons = || (0..kept.len()).filter(|block| kept[*block] && is_button(&blocks.blocks[*block]));
    if buttons().next().is_none() {
        return;
    }
    let buttons: Vec<usize> = buttons().collect();
    let paragraph = |block: usize| {
        let mut element = blocks.blocks[block].element;
        while element != NONE && !blocks.elements[element as usize].tag.is_block() {
            element = blocks.elements[element as usize].parent;
        }
        element
    };
    let is_alone = |block: usize| {
        let own = paragraph(block);
        let is_other = |other: usize| other >= kept.len() || paragraph(other) != own;
        own != NONE && blocks.elements[own as usize].first < block as u32 && is_other(block - 1) && is_other(block + 1)
    };
    // The item that ends with a button.
    let item = |block: usize| {
        let item = blocks.elements.get(paragraph(block) as usize)?;
        let ends = item.last as usize == block && (item.first as usize) < block && is_item(item.tag);
        ends.then_some((item.parent, item.path))
    };
    let mut like: HashMap<(u32, u64), u32> = HashMap::new();
    for item in buttons.iter().filter_map(|block| item(*block)) {
        *like.entry(item).or_default() += 1;
    }
    let is_last = |block: usize| item(block).is_some_and(|item| like[&item] >= LEAST_ITEMS);
    let left_out: Vec<usize> = buttons
        .into_iter()
        .filter(|block| is_last(*block) || is_alone(*block))
        .collect();
    for block in left_out {
        kept[block] = false;
    }
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};

    use super::*;

    fn without_buttons(page: &str) -> Vec<bool> {
        let mut blocks = Blocks::default();
        blocks.cut(&parse(page, Buffers::default()));
        let mut kept = vec![true; blocks.blocks.len()];
        drop(&blocks, &mut kept);
        kept
    }

    #[test]
    fn buttons_at_the_ends_of_items_or_alone_are_left_out() {
        let item = "<li><p>name</p><span>price</span><button>buy</button>";
        assert_eq!(
            without_buttons(&format!("<ul>{}</ul>", item.repeat(3))),
            [true, true, false].repeat(3)
        );
        assert_eq!(
            without_buttons(&format!("<ul>{}</ul>", item.repeat(2))),
            [true, true, true].repeat(2)
        );
        assert_eq!(
            without_buttons("<div><p>a</p><button>buy</button><p>b</p></div>"),
            [true, false, true]
        );
        // A question that unfolds its answer, a heading, and a button in a sentence.
        for page in [
            "<div><button>Why?</button><p>So.</p></div>",
            "<div><p>a</p><h2><button>Why?</button></h2></div>",
            "<p>said <button>Ann</button> today",
        ] {
            assert!(without_buttons(page).iter().all(|kept| *kept), "{page}");
        }
    }
}
