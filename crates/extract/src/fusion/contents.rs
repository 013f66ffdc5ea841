//! Finds the table of contents beside the text: links to places of the page, in a bar or after the text. One inside the text
//! is a part of it.

use dehusk_html::{Dom, NodeId, Tag};

use crate::blocks::lexicon::{NAV, SIDE};
use crate::blocks::{Block, Blocks, Element, NONE};

/// Fewer links are no table of contents.
const LEAST_LINKS: usize = 3;

/// The element of the text is the deepest one with at least this many tenths of the kept words.
const TENTHS: u64 = 9;

/// The most elements between a text and its link.
const MOST_AROUND: usize = 6;

/// Adds the blocks of such tables to those that are left out.
pub(super) fn find(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool], left_out: &mut [bool]) {
    let is_link = |block: &usize| kept[*block] && links_to_place(dom, blocks, &blocks.blocks[*block]);
    let links: Vec<usize> = (0..kept.len()).filter(is_link).collect();
    if links.len() < LEAST_LINKS {
        return;
    }
    let Some(text) = element_of_text(blocks, kept, &links) else {
        return;
    };
    for run in links.chunk_by(|one, next| one + 1 == *next) {
        let is_outside = run[0] > text.last as usize || run[run.len() - 1] < text.first as usize;
        let is_beside = || run[0] > text.last as usize || is_in_bar(blocks, text, run[0]);
        if run.len() >= LEAST_LINKS && is_outside && is_beside() {
            left_out[run[0]..=run[run.len() - 1]].fill(true);
        }
    }
}

/// Whether a block is nothing but a link to a place of the page.
fn links_to_place(dom: &Dom<'_>, blocks: &Blocks, block: &Block) -> bool {
    if block.words == 0 || block.linked_words < block.words || block.heading > 0 {
        return false;
    }
    let Some(first) = blocks.texts_of(block).first() else {
        return false;
    };
    let parent = |id: &NodeId| Some(dom.node(*id).parent);
    let mut around = std::iter::successors(Some(*first), parent).take(MOST_AROUND);
    let link = around.find(|id| dom.node(*id).tag == Tag::A);
    let target = link.and_then(|link| dom.attribute(link, "href"));
    target.is_some_and(|target| target.trim_start().starts_with('#'))
}

/// The deepest element with most of the kept words, links to places aside.
fn element_of_text<'b>(blocks: &'b Blocks, kept: &[bool], links: &[usize]) -> Option<&'b Element> {
    let mut before = Vec::with_capacity(kept.len() + 1);
    before.push(0);
    for (number, block) in blocks.blocks.iter().enumerate() {
        let is_text = kept[number] && links.binary_search(&number).is_err();
        before.push(before[number] + if is_text { u64::from(block.words) } else { 0 });
    }
    let words = |element: &Element| before[element.last as usize + 1] - before[element.first as usize];
    let all = before[kept.len()];
    let holds_text = |element: &&Element| all > 0 && 10 * words(element) >= TENTHS * all;
    // Of several as deep, the first.
    blocks
        .elements
        .iter()
        .rev()
        .filter(holds_text)
        .max_by_key(|element| element.depth)
}

/// Whether a block is in a bar that does not hold the text.
fn is_in_bar(blocks: &Blocks, text: &Element, block: usize) -> bool {
    let mut element = blocks.blocks[block].element;
    while element != NONE {
        let around = &blocks.elements[element as usize];
        if around.first <= text.first && around.last >= text.last {
            return false;
        }
        if matches!(around.tag, Tag::Nav | Tag::Aside) || around.kinds & (NAV | SIDE) != 0 {
            return true;
        }
        element = around.parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::tests::kept_after;

    fn kept(page: &str) -> usize {
        let kept = kept_after(page, |dom, blocks, kept| {
            let mut left_out = vec![false; kept.len()];
            find(dom, blocks, kept, &mut left_out);
            kept.iter_mut().zip(left_out).for_each(|(kept, out)| *kept &= !out);
        });
        kept.iter().filter(|kept| **kept).count()
    }

    const TEXT: &str = "<div><h2 id=a>One</h2><p>A text of some words.<h2 id=b>Two</h2><p>A text of some words.</div>";

    fn list(links: &str) -> String {
        format!("<ul>{links}</ul>")
    }

    #[test]
    fn a_table_of_contents_beside_the_text_is_left_out() {
        let table = list("<li><a href=#a>One</a><li><a href=#b>Two</a><li><a href='#c'><b>Three</b></a>");
        assert_eq!(kept(&format!("{TEXT}<div>{table}</div>")), 4);
        assert_eq!(kept(&format!("<nav>{table}</nav>{TEXT}")), 4);
        assert_eq!(kept(&format!("<div class=sidebar>{table}</div>{TEXT}")), 4);
    }

    #[test]
    fn other_links_and_tables_in_the_text_stay() {
        let table = list("<li><a href=#a>One</a><li><a href=#b>Two</a><li><a href=#c>Three</a>");
        assert_eq!(kept(&format!("<div>{table}</div>{TEXT}")), 7);
        assert_eq!(kept(&format!("<div>{table}{TEXT}</div>")), 7);
        assert_eq!(kept(&format!("<nav>{table}</nav>")), 3);
        let two = list("<li><a href=#a>One</a><li><a href=#b>Two</a>");
        assert_eq!(kept(&format!("{TEXT}{two}")), 6);
        let others = list("<li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a>");
        assert_eq!(kept(&format!("{TEXT}{others}")), 7);
        let notes = list("<li><a href=#a>1</a> A note.<li><a href=#b>2</a> A note.<li><a href=#c>3</a> A note.");
        assert_eq!(kept(&format!("{TEXT}{notes}")), 7);
    }
}
