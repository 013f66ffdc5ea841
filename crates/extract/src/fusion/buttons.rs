//! Buttons that are no content: those that end like items, such as the products of a shop, and those that are alone in
//! their paragraph after other blocks. A button at the end of a sentence is content, and so is one that unfolds a text.
//!
//! **Like items** are at least three children of one element with the same path: the tags, classes and ids of all
//! elements around them.

use std::collections::HashMap;

use dehusk_html::{Dom, NodeId, Tag};

use crate::blocks::{Block, Blocks, NONE};

/// Fewer items are no list of things.
const LEAST_ITEMS: u32 = 3;

/// The most words of a button that is left out.
const MOST_WORDS: u32 = 4;

fn is_item(tag: Tag) -> bool {
    matches!(tag, Tag::Li | Tag::Div | Tag::Article | Tag::Section)
}

/// Leaves out the buttons that end like items or are alone in their paragraph.
pub(super) fn drop(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let is_possible = |block: &Block| block.heading == 0 && block.words <= MOST_WORDS;
    let found = (0..kept.len())
        .filter(|block| kept[*block] && is_possible(&blocks.blocks[*block]))
        .filter_map(|block| Some((block, button(blocks, block)?)));
    let buttons: Vec<(usize, u32)> = found.collect();
    if buttons.is_empty() {
        return;
    }
    let paragraph = |block: usize| blocks.block_level(blocks.blocks[block].element);
    let mut of_paragraph: HashMap<u32, u32> = HashMap::new();
    for element in blocks.elements.iter().filter(|element| element.tag == Tag::Button) {
        *of_paragraph.entry(blocks.block_level(element.parent)).or_default() += 1;
    }
    let is_alone = |block: usize, button: u32| {
        let own = paragraph(block);
        let is_other = |other: usize| other >= kept.len() || paragraph(other) != own;
        own != NONE
            && blocks.elements[own as usize].first < block as u32
            && is_other(block - 1)
            && is_other(block + 1)
            && of_paragraph[&own] == 1
            && !unfolds(dom, blocks.elements[button as usize].node)
    };
    // The item that ends with a button. A text right around the button is the start of its sentence.
    let item = |block: usize| {
        let item = blocks.elements.get(paragraph(block) as usize)?;
        let ends = item.last as usize == block && (item.first as usize) < block && is_item(item.tag);
        let is_apart = || (blocks.elements[blocks.blocks[block - 1].element as usize].last as usize) < block;
        (ends && is_apart()).then_some((item.parent, item.path))
    };
    let mut like: HashMap<(u32, u64), u32> = HashMap::new();
    for item in buttons.iter().filter_map(|(block, _)| item(*block)) {
        *like.entry(item).or_default() += 1;
    }
    let is_last = |block: usize| item(block).is_some_and(|item| like[&item] >= LEAST_ITEMS);
    let left_out: Vec<usize> = buttons
        .iter()
        .filter(|(block, button)| is_last(*block) || is_alone(*block, *button))
        .map(|(block, _)| *block)
        .collect();
    for block in left_out {
        kept[block] = false;
    }
}

/// The button of which a block is the whole text.
fn button(blocks: &Blocks, block: usize) -> Option<u32> {
    let is_end = |tag: Tag| tag == Tag::Button || tag.is_block();
    let mut around = blocks.around(blocks.blocks[block].element);
    let (number, element) = around.find(|(_, around)| is_end(around.tag))?;
    (element.tag == Tag::Button && element.first == element.last).then_some(number)
}

/// Whether a button unfolds what follows it, as the question of an answer does.
fn unfolds(dom: &Dom<'_>, button: NodeId) -> bool {
    ["aria-expanded", "aria-controls"]
        .iter()
        .any(|name| dom.attribute(button, name).is_some())
        || dom
            .attribute(button, "class")
            .is_some_and(|classes| classes.contains("accordion"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::tests::kept_after;

    fn without_buttons(page: &str) -> Vec<bool> {
        kept_after(page, drop)
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
        assert_eq!(
            without_buttons("<div><p>a</p><button><span>Add to</span> <b>cart</b></button><p>b</p></div>"),
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

    #[test]
    fn the_questions_of_a_flat_page_stay() {
        let question = |attributes: &str| format!("<button {attributes}>Opening hours</button><div><p>a</p></div>");
        let page = |questions: &str| format!("<div><h2>FAQ</h2>{questions}</div>");
        assert_eq!(without_buttons(&page(&question("").repeat(2))), [true; 5]);
        assert_eq!(without_buttons(&page(&question(""))), [true, false, true]);
        for attributes in ["class=accordion", "aria-expanded=false", "aria-controls=a"] {
            assert_eq!(without_buttons(&page(&question(attributes))), [true; 3], "{attributes}");
        }
    }

    #[test]
    fn buttons_at_the_ends_of_sentences_stay() {
        let steps = "<li>Choose the file and click <button>Open</button></li>".repeat(3);
        assert_eq!(without_buttons(&format!("<ol>{steps}</ol>")), [true; 6]);
        let in_inline = "<li>Click <i><button>Open</button></i></li>".repeat(3);
        assert_eq!(without_buttons(&format!("<ol>{in_inline}</ol>")), [true; 6]);
        let prices = "<li><span>price</span><button>buy</button></li>".repeat(3);
        assert_eq!(without_buttons(&format!("<ul>{prices}</ul>")), [true, false].repeat(3));
    }
}
