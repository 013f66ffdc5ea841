//! Fills the gaps between kept blocks.
//!
//! A model finds unlikely what is short or unusual in a text: five lines of code, a table of numbers, a list of two
//! items. Pages with known content do not teach it better, because half of their truths leave such things out. So the
//! structure decides, in this order:
//!
//! 1. What is between two kept blocks of one paragraph is kept, if it is not longer than the two together.
//! 2. Code, definitions, quotes and tables of data are kept whole, if half of their words are kept. `tables` defines
//!    what data is. Quotes and tables are also kept whole close to a kept block, if they are no menus and the model
//!    does not find them very unlikely.
//! 3. Between two kept blocks are **units**: the children of the innermost block-level element around both blocks. Code
//!    is kept always, with the numbers of its lines and its caption. Tables of data, their rows, lists and quotes are
//!    kept if one of the two blocks is next to them, and not deeper in another element. Paragraphs, items and headings
//!    are kept if both are, and if the model does not find them unlikely. So are callouts, which are recognised by
//!    their class. The last paragraph of an element whose other blocks are kept is kept too: a note below a table. A
//!    unit whose words are mostly in links is a menu and stays out; only lists and rows are kept if the model finds
//!    them likely enough, and tables of data if both blocks are next to them. A table with links to the pages before
//!    and above is no table of data.
//! 4. What a kept text announces is kept: code, definitions, a quote, a list or a table of data right after it in the
//!    same element, if it is no menu. How unlikely the model may find it depends on the text, which may end in a colon,
//!    and on links in the group. Often such a group ends the page.
//! 5. A caption of a figure or a table is kept if the block beside it is.
//! 6. A heading is kept if what follows it in the same element is kept.

mod kinds;

use std::ops::Range;

use dehusk_html::{Dom, Tag};

use super::tables::Tables;
use crate::blocks::{Block, Blocks, NONE};
use kinds::Kind;

/// The least mean logit of whole quotes and tables, of lists and rows of links, and of headings: a probability of 0.12.
const LEAST: i64 = -2 << 12;

/// The least mean logit of paragraphs and items: a probability of 0.27.
const LEAST_OF_TEXT: i64 = -1 << 12;

/// The least mean logit of what a text with a colon at its end announces, and of callouts, captions and tables of
/// links: a probability of 0.02.
const LEAST_OF_KNOWN: i64 = -4 << 12;

/// Keeps what is missing between the kept blocks. `logits` are in units of 2^-12. `tables` is memory that is kept from
/// page to page.
pub(super) fn fill(dom: &Dom<'_>, blocks: &Blocks, logits: &[i32], tables: &mut Tables, kept: &mut [bool]) {
    tables.find(blocks);
    let tables = &*tables;
    let tree = Tree { dom, blocks, tables };
    close_paragraphs(tree, kept);
    keep_whole(tree, logits, kept);
    let mut last = None;
    for block in 0..kept.len() {
        if !kept[block] {
            continue;
        }
        if let Some(before) = last.replace(block)
            && before + 1 < block
            && let Some(gap) = Gap::between(tree, before, block)
        {
            fill_gap(tree, &gap, logits, kept);
        }
    }
    keep_announced(tree, logits, kept);
    keep_captions(tree, logits, kept);
    keep_headings(tree, logits, kept);
}

/// Keeps what is between two kept blocks of one paragraph, so that no sentence has a hole: lines, cells of a row, and
/// buttons in a text. What is longer than the two blocks together stays out.
fn close_paragraphs(tree: Tree<'_>, kept: &mut [bool]) {
    let words = |block: usize| u64::from(tree.blocks.blocks[block].words);
    let mut last = None;
    for block in 0..kept.len() {
        if !kept[block] {
            continue;
        }
        if let Some(before) = last.replace(block)
            && before + 1 < block
            && tree.paragraph(before) == tree.paragraph(block)
        {
            let mut gap = before + 1..block;
            let size: u64 = gap.clone().map(words).sum();
            if size <= words(before) + words(block) && gap.all(|inside| tree.paragraph(inside) == tree.paragraph(block))
            {
                kept[before + 1..block].fill(true);
            }
        }
    }
}

/// A quote or a table is close to this many blocks on either side.
const CLOSE: usize = 3;

/// Keeps code, definitions, quotes and tables of data whole. Lines of code may be blocks, and one such as `}` has no
/// words to be judged by. Of quotes in quotes only the innermost are looked at, so that nesting costs no time, and so
/// of the others.
fn keep_whole(tree: Tree<'_>, logits: &[i32], kept: &mut [bool]) {
    let elements = &tree.blocks.elements;
    // The first block of the next element of each kind.
    let mut next = [usize::MAX; 4];
    for (number, element) in elements.iter().enumerate().rev() {
        let kind = match element.tag {
            Tag::Pre => 0,
            Tag::Dl => 1,
            Tag::Blockquote => 2,
            Tag::Table if tree.tables.is_in_data(number as u32) => 3,
            _ => continue,
        };
        let range = element.first as usize..element.last as usize + 1;
        let is_innermost = next[kind] >= range.end;
        next[kind] = range.start;
        if is_innermost && is_whole(tree, kind >= 2, &range, logits, kept) {
            kept[range].fill(true);
        }
    }
}

fn is_whole(tree: Tree<'_>, may_be_likely: bool, range: &Range<usize>, logits: &[i32], kept: &[bool]) -> bool {
    let blocks = &tree.blocks.blocks[range.clone()];
    let all: u64 = blocks.iter().map(|block| u64::from(block.words)).sum();
    let kept_blocks = blocks.iter().zip(&kept[range.clone()]).filter(|(_, kept)| **kept);
    let own: u64 = kept_blocks.map(|(block, _)| u64::from(block.words)).sum();
    if own > 0 && 2 * own >= all {
        return true;
    }
    let close = range.start.saturating_sub(CLOSE)..(range.end + CLOSE).min(kept.len());
    may_be_likely
        && (kept[close.start..range.start].contains(&true) || kept[range.end..close.end].contains(&true))
        && !is_menu(blocks)
        && mean(blocks, &logits[range.clone()]) > LEAST
}

/// Keeps a heading if the next block is kept and in the same element.
fn keep_headings(tree: Tree<'_>, logits: &[i32], kept: &mut [bool]) {
    for next in (1..kept.len()).rev() {
        let block = &tree.blocks.blocks[next - 1];
        let is_possible = block.heading > 0 && kept[next] && !kept[next - 1];
        if !is_possible || block.is_linked() || i64::from(logits[next - 1]) <= LEAST {
            continue;
        }
        let heading = tree.heading(next - 1);
        kept[next - 1] = heading != NONE && tree.holds(tree.above(heading), next);
    }
}

/// Keeps a caption if the block beside it in its figure or table is kept.
fn keep_captions(tree: Tree<'_>, logits: &[i32], kept: &mut [bool]) {
    for (number, element) in tree.blocks.elements.iter().enumerate() {
        if !matches!(element.tag, Tag::Figcaption | Tag::Caption) {
            continue;
        }
        let range = element.first as usize..element.last as usize + 1;
        let around = tree.above(number as u32);
        let is_kept = |block: usize| tree.holds(around, block) && kept[block];
        let is_beside = range.start.checked_sub(1).is_some_and(is_kept) || is_kept(range.end);
        let blocks = &tree.blocks.blocks[range.clone()];
        if is_beside && !is_menu(blocks) && mean(blocks, &logits[range.clone()]) > LEAST_OF_KNOWN {
            kept[range].fill(true);
        }
    }
}

/// Keeps the code, list, definitions, quote or table of data that follows a kept text in the same element.
fn keep_announced(tree: Tree<'_>, logits: &[i32], kept: &mut [bool]) {
    let mut next = 1;
    while next < kept.len() {
        let at = next;
        next += 1;
        if !kept[at - 1] || tree.blocks.blocks[at].heading > 0 {
            continue;
        }
        let Some(group) = tree.announced(at) else {
            continue;
        };
        // The group is looked at once, so that nested ones cost no time.
        next = tree.blocks.elements[group as usize].last as usize + 1;
        let blocks = &tree.blocks.blocks[at..next];
        let least = if ends_in_colon(tree, at - 1) {
            LEAST_OF_KNOWN
        } else if blocks.iter().all(|block| block.links == 0) {
            LEAST
        } else {
            LEAST_OF_TEXT
        };
        if !is_menu(blocks) && mean(blocks, &logits[at..next]) > least {
            kept[at..next].fill(true);
        }
    }
}

/// Whether a text ends in a colon, as one does that announces what follows.
fn ends_in_colon(tree: Tree<'_>, block: usize) -> bool {
    let texts = tree.blocks.texts_of(&tree.blocks.blocks[block]).iter().rev();
    let mut ends = texts.filter_map(|text| tree.dom.raw(*text).trim_end().chars().next_back());
    ends.next().is_some_and(|last| matches!(last, ':' | '\u{ff1a}'))
}

fn fill_gap(tree: Tree<'_>, gap: &Gap, logits: &[i32], kept: &mut [bool]) {
    let mut at = gap.blocks.start;
    while at < gap.blocks.end {
        let (range, kind, is_cut) = gap.unit(tree, at);
        // A kept part of the unit is next to the rest of it.
        let is_between = gap.is_next_to_both || is_cut && gap.is_next_to_one;
        at = range.end;
        let blocks = &tree.blocks.blocks[range.clone()];
        let is_likelier_than = |least| mean(blocks, &logits[range.clone()]) > least;
        let is_filled = match kind {
            Kind::Code => true,
            Kind::Group => gap.is_next_to_one && !is_menu(blocks),
            Kind::Table if is_menu(blocks) => is_between && is_likelier_than(LEAST_OF_KNOWN),
            Kind::Table => gap.is_next_to_one,
            Kind::Callout => is_between && !is_menu(blocks) && is_likelier_than(LEAST_OF_KNOWN),
            Kind::Rest => !is_menu(blocks) && is_likelier_than(LEAST),
            Kind::Items => gap.is_next_to_one && (!is_menu(blocks) || is_likelier_than(LEAST)),
            Kind::Text => gap.is_next_to_both && !is_menu(blocks) && is_likelier_than(LEAST_OF_TEXT),
            Kind::Other => false,
        };
        if is_filled {
            kept[range].fill(true);
        }
    }
}

/// Whether at least half of the words are in links.
fn is_menu(blocks: &[Block]) -> bool {
    let words: u64 = blocks.iter().map(|block| u64::from(block.words)).sum();
    let linked: u64 = blocks.iter().map(|block| u64::from(block.linked_words)).sum();
    words > 0 && 2 * linked >= words
}

/// The weighted mean of the logits of some blocks.
fn mean(blocks: &[Block], logits: &[i32]) -> i64 {
    let weights: i64 = blocks.iter().map(Block::weight).sum();
    let weighted = blocks
        .iter()
        .zip(logits)
        .map(|(block, logit)| block.weight() * i64::from(*logit));
    weighted.sum::<i64>() / weights.max(1)
}

/// The elements around the blocks of a page.
#[derive(Clone, Copy)]
struct Tree<'b> {
    dom: &'b Dom<'b>,
    blocks: &'b Blocks,
    tables: &'b Tables,
}

impl Tree<'_> {
    fn tag(self, element: u32) -> Option<Tag> {
        Some(self.blocks.elements.get(element as usize)?.tag)
    }

    /// The innermost block-level element around a block.
    fn paragraph(self, block: usize) -> u32 {
        self.blocks.block_level(self.blocks.blocks[block].element)
    }

    /// The innermost block-level element around an element, itself excluded.
    fn above(self, element: u32) -> u32 {
        self.blocks.block_level(self.blocks.elements[element as usize].parent)
    }

    /// The heading around a block.
    fn heading(self, block: usize) -> u32 {
        let mut around = self.blocks.around(self.blocks.blocks[block].element);
        let heading = around.find(|(_, around)| around.tag.is_heading());
        heading.map_or(NONE, |(number, _)| number)
    }

    /// The code, list, definitions, quote or table of data that begins with a block and is in the same element as the
    /// text before it. Each may be alone in an element.
    fn announced(self, at: usize) -> Option<u32> {
        let announcing = match self.blocks.blocks[at - 1].heading {
            0 => self.paragraph(at - 1),
            _ => self.heading(at - 1),
        };
        let tag = self.tag(announcing)?;
        let mut around = if tag == Tag::P || tag.is_heading() {
            self.above(announcing)
        } else {
            announcing
        };
        if self.blocks.elements.get(around as usize)?.last as usize == at - 1 {
            around = self.above(around);
        }
        let (mut group, mut element) = (NONE, self.paragraph(at));
        while element != around && element != NONE {
            (group, element) = (element, self.above(element));
        }
        let unit = self.blocks.elements.get(group as usize)?;
        if element == NONE || unit.first as usize != at {
            return None;
        }
        let kind = kinds::of_unit(self, group, &(at..unit.last as usize + 1));
        matches!(kind, Kind::Code | Kind::Table | Kind::Group | Kind::Items).then_some(group)
    }

    fn holds(self, element: u32, block: usize) -> bool {
        let element = self.blocks.elements.get(element as usize);
        element.is_some_and(|element| (element.first as usize..element.last as usize + 1).contains(&block))
    }
}

/// Blocks between two kept blocks.
struct Gap {
    blocks: Range<usize>,
    /// The innermost block-level element around both kept blocks.
    around: u32,
    /// Whether one of the two, or both, are directly in that element, or in a child of it that has no block-level
    /// element in turn.
    is_next_to_one: bool,
    is_next_to_both: bool,
}

impl Gap {
    fn between(tree: Tree<'_>, before: usize, after: usize) -> Option<Self> {
        let (mut around, mut levels_before) = (tree.paragraph(before), 0);
        while around != NONE && !tree.holds(around, after) {
            (around, levels_before) = (tree.above(around), levels_before + 1);
        }
        let (mut other, mut levels_after) = (tree.paragraph(after), 0);
        while other != around && other != NONE {
            (other, levels_after) = (tree.above(other), levels_after + 1);
        }
        (around != NONE).then(|| Self {
            blocks: before + 1..after,
            around,
            is_next_to_one: levels_before.min(levels_after) <= 1,
            is_next_to_both: levels_before.max(levels_after) <= 1,
        })
    }

    /// The unit that begins with a block, as far as it is in the gap: a child of the element around the gap, or a block
    /// that is directly in it. Also returns whether one of the kept blocks is in the unit, too.
    fn unit(&self, tree: Tree<'_>, block: usize) -> (Range<usize>, Kind, bool) {
        let (mut child, mut element) = (NONE, tree.paragraph(block));
        while element != self.around && element != NONE {
            (child, element) = (element, tree.above(element));
        }
        let Some(unit) = tree.blocks.elements.get(child as usize) else {
            return (block..block + 1, Kind::Text, false);
        };
        let blocks = block..(unit.last as usize + 1).min(self.blocks.end);
        let kind = match kinds::of_unit(tree, child, &blocks) {
            Kind::Other if tree.holds(child, self.blocks.start - 1) && kinds::is_text(tree, &blocks) => Kind::Rest,
            kind => kind,
        };
        let is_cut = tree.holds(child, self.blocks.start - 1) || tree.holds(child, self.blocks.end);
        (blocks, kind, is_cut)
    }
}

#[cfg(test)]
mod tests;
