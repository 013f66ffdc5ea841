//! Leaves out what is around the things of a shop or a listing: rows of other things, filters and sorting.
//!
//! - A **row of other things** begins with a heading such as "You may also like", or its class names it. All of its
//!   texts are short, and it has many links. It has images or prices, or a third of its words are links. Where the
//!   words alone do not decide, as in "Related products", it has prices.
//! - A **panel** of filters or of sorting begins with a heading such as "Filter by", or its class names it. It has
//!   controls or links with counts, such as `Oak (12)`, short texts, and no image, table or code.
//!
//! Neither holds the heading of the page. The words and the classes are lists that were written by hand: see `words`.

mod words;

use std::ops::Range;

use dehusk_html::references::decode_references;
use dehusk_html::{Dom, NodeId, Tag};

use crate::blocks::{Block, Blocks, Element, NONE};
use words::{Class, Heading};

/// The longest heading of a row or a panel, in words and in characters.
const MOST_WORDS_OF_HEADING: u32 = 9;
const MOST_CHARS_OF_HEADING: u32 = 60;

/// The longest text that is looked at, in bytes as the page has it.
const MOST_OF_TEXT: usize = 512;

/// A row or a panel has so few blocks at most.
const MOST_BLOCKS: usize = 500;

/// The most words of a text in a row, and in a panel.
const MOST_WORDS_OF_ROW: u32 = 60;
const MOST_WORDS_OF_PANEL: u32 = 12;

/// A row has at least so many links, and one for so many blocks.
const LEAST_LINKS: usize = 2;
const BLOCKS_OF_LINK: usize = 8;

/// A panel without controls has at least so many blocks.
const LEAST_COUNTS: usize = 3;

/// The memory of a page, kept for the next.
#[derive(Debug, Default)]
pub(super) struct Shops {
    /// For each block, whether it is left out.
    pub(super) left_out: Vec<bool>,
    /// The numbers of kept blocks and of links before each block, and at the end.
    before: Vec<(u32, u32)>,
    text: String,
    groups: Vec<(u32, Range<usize>)>,
    /// Images, controls, and tables and code, in document order. Collected if a row or a panel is looked at.
    images: Vec<NodeId>,
    controls: Vec<NodeId>,
    contents: Vec<NodeId>,
    is_collected: bool,
}

/// A page, as far as rows and panels are concerned.
#[derive(Clone, Copy)]
struct Page<'p> {
    dom: &'p Dom<'p>,
    blocks: &'p Blocks,
    /// The block of the page's heading.
    heading: Option<usize>,
}

impl Shops {
    /// Finds the rows and the panels that hold kept blocks. `heading` is the block of the page's heading, if it has
    /// one. Nothing is left out where nothing else is kept.
    pub(super) fn find(&mut self, dom: &Dom<'_>, blocks: &Blocks, heading: Option<usize>, kept: &[bool]) {
        self.left_out.clear();
        self.left_out.resize(kept.len(), false);
        self.is_collected = false;
        self.before.clear();
        self.before.push((0, 0));
        let mut sums = (0, 0);
        self.before.extend(kept.iter().zip(&blocks.blocks).map(|(kept, block)| {
            sums = (sums.0 + u32::from(*kept), sums.1 + block.links);
            sums
        }));
        let page = Page { dom, blocks, heading };
        for block in 0..kept.len() {
            self.look_below(page, block);
        }
        for element in &blocks.elements {
            self.look_at_class(page, element);
        }
        let is_rest = |(kept, left_out): (&bool, &bool)| *kept && !left_out;
        if !kept.iter().zip(&self.left_out).any(is_rest) {
            self.left_out.fill(false);
        }
    }

    /// Takes the found blocks out of a selection.
    pub(super) fn drop(&self, kept: &mut [bool]) {
        for (kept, left_out) in kept.iter_mut().zip(&self.left_out) {
            *kept &= !left_out;
        }
    }

    fn holds_kept(&self, range: &Range<usize>) -> bool {
        self.before[range.start].0 < self.before[range.end].0
    }

    /// Whether some blocks have as many links as a row has, or a panel of counts.
    fn has_links(&self, range: &Range<usize>) -> bool {
        let links = (self.before[range.end].1 - self.before[range.start].1) as usize;
        links >= LEAST_LINKS && links * BLOCKS_OF_LINK >= range.len()
    }

    /// Leaves out what a block is the heading of: the largest row or panel that begins with it, or else the next
    /// element.
    fn look_below(&mut self, page: Page<'_>, block: usize) {
        let own = &page.blocks.blocks[block];
        let is_long = words(own) > MOST_WORDS_OF_HEADING || own.chars > MOST_CHARS_OF_HEADING;
        let is_of_page = page.heading == Some(block) || own.heading == 1;
        if is_long || is_of_page || self.left_out[block] {
            return;
        }
        let mut groups = std::mem::take(&mut self.groups);
        find_groups(page.blocks, block, &mut groups);
        let is_kept = self.holds_kept(&(block..block + 1)) || groups.iter().any(|(_, range)| self.holds_kept(range));
        // Texts are read last: most blocks head nothing that could be a row or a panel.
        if is_kept && (groups.iter().any(|group| self.may_be_one(page, group)) || self.is_label(page, block)) {
            self.look_at_heading(page, block, &groups);
        }
        self.groups = groups;
    }

    /// Whether a group could be a row or a panel, regardless of its heading.
    fn may_be_one(&mut self, page: Page<'_>, (element, range): &(u32, Range<usize>)) -> bool {
        self.has_links(range) || {
            self.collect(page.dom);
            has_one(
                &self.controls,
                &page.dom.subtree(page.blocks.elements[*element as usize].node),
            )
        }
    }

    fn look_at_heading(&mut self, page: Page<'_>, block: usize, groups: &[(u32, Range<usize>)]) {
        self.text.clear();
        for text in page.blocks.texts_of(&page.blocks.blocks[block]) {
            let raw = page.dom.raw(*text);
            if raw.len() > MOST_OF_TEXT {
                return;
            }
            self.text.push_str(decode_references(raw).trim());
            self.text.push(' ');
        }
        let Some(heading) = words::heading(&self.text) else {
            return;
        };
        let is_one = |shops: &mut Self, element: u32, range: &Range<usize>| match heading {
            Heading::Others => {
                is_apart(page, block, element)
                    && shops.is_row(page, block, range)
                    && shops.is_of_things(page, element, range)
            }
            Heading::Products => {
                is_apart(page, block, element) && shops.is_row(page, block, range) && has_price(page, range)
            }
            Heading::Panel => shops.is_panel(page, &page.blocks.elements[element as usize], range),
        };
        if let Some((_, range)) = groups.iter().find(|(element, range)| is_one(self, *element, range)) {
            self.left_out[block..range.end].fill(true);
        } else if heading == Heading::Panel && self.is_label(page, block) {
            self.left_out[block] = true;
        }
    }

    /// Whether a block is alone with a control, as is the label of a choice.
    fn is_label(&mut self, page: Page<'_>, block: usize) -> bool {
        let around = page.blocks.around(page.blocks.blocks[block].element);
        let alone = around.take_while(|(_, around)| blocks_of(around) == (block..block + 1));
        let Some((_, largest)) = alone.last() else {
            return false;
        };
        self.collect(page.dom);
        has_one(&self.controls, &page.dom.subtree(largest.node))
    }

    /// Leaves out an element whose class marks it as a row or a panel.
    fn look_at_class(&mut self, page: Page<'_>, element: &Element) {
        let range = blocks_of(element);
        if element.kinds & words::KINDS == 0 || self.left_out[range.start] || !self.holds_kept(&range) {
            return;
        }
        let names = ["class", "id"].map(|name| page.dom.attribute(element.node, name).unwrap_or_default());
        let is_one = match names.iter().find_map(|name| words::class(name)) {
            Some(Class::Others) => {
                let first = &page.blocks.blocks[range.start];
                let is_short = words(first) <= MOST_WORDS_OF_ROW && first.heading != 1;
                is_short && self.is_row(page, range.start, &range) && has_price(page, &range)
            }
            Some(Class::Panel) => self.is_panel(page, element, &range),
            None => false,
        };
        if is_one {
            self.left_out[range].fill(true);
        }
    }

    /// Whether some blocks are a row of things below their heading, which may be the first of them.
    fn is_row(&self, page: Page<'_>, heading: usize, range: &Range<usize>) -> bool {
        if range.len() > MOST_BLOCKS || page.holds_heading(range) {
            return false;
        }
        let level = page.blocks.blocks[heading].heading;
        let blocks = &page.blocks.blocks[range.clone()];
        let ranks_higher = |block: &Block| block.heading == 1 || (1..level).contains(&block.heading);
        let is_part = |block: &Block| words(block) <= MOST_WORDS_OF_ROW && !ranks_higher(block);
        let rest = if range.start == heading { &blocks[1..] } else { blocks };
        self.has_links(range) && rest.iter().all(is_part)
    }

    /// Whether a row has images or prices, or a third of its words are links.
    fn is_of_things(&mut self, page: Page<'_>, element: u32, range: &Range<usize>) -> bool {
        let blocks = &page.blocks.blocks[range.clone()];
        let sum = |count: fn(&Block) -> u32| blocks.iter().map(count).sum::<u32>();
        if 3 * sum(|block| block.linked_words) >= sum(|block| block.words) || has_price(page, range) {
            return true;
        }
        self.collect(page.dom);
        let nodes = page.dom.subtree(page.blocks.elements[element as usize].node);
        has_one(&self.images, &nodes)
    }

    fn is_panel(&mut self, page: Page<'_>, element: &Element, range: &Range<usize>) -> bool {
        let blocks = &page.blocks.blocks[range.clone()];
        let is_short = |block: &Block| words(block) <= MOST_WORDS_OF_PANEL && block.heading != 1;
        if range.len() > MOST_BLOCKS || page.holds_heading(range) || !blocks.iter().all(is_short) {
            return false;
        }
        self.collect(page.dom);
        let nodes = page.dom.subtree(element.node);
        let is_count = |block: &&Block| {
            let last = page.blocks.texts_of(block).last();
            let text = last.map_or("", |text| page.dom.raw(*text));
            block.links > 0 && text.len() <= MOST_OF_TEXT && ends_with_count(text.trim_end())
        };
        let has_counts = || blocks.len() >= LEAST_COUNTS && 2 * blocks.iter().filter(is_count).count() >= blocks.len();
        let has_content = has_one(&self.images, &nodes) || has_one(&self.contents, &nodes);
        !has_content && (has_one(&self.controls, &nodes) || has_counts())
    }

    fn collect(&mut self, dom: &Dom<'_>) {
        if self.is_collected {
            return;
        }
        self.is_collected = true;
        self.images.clear();
        self.controls.clear();
        self.contents.clear();
        for (id, node) in (0..).zip(dom.nodes()) {
            match node.tag {
                Tag::Img => self.images.push(id),
                // The box of a list of tasks is no choice.
                Tag::Input if dom.attribute(id, "disabled").is_some() => {}
                Tag::Input | Tag::Select | Tag::Label => self.controls.push(id),
                Tag::Table | Tag::Pre | Tag::Code => self.contents.push(id),
                _ => {}
            }
        }
    }
}

/// Whether a text ends with a number in brackets that is no year.
fn ends_with_count(text: &str) -> bool {
    let Some((_, count)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) else {
        return false;
    };
    let is_year = count.len() == 4 && (count.starts_with("19") || count.starts_with("20"));
    !is_year && count.ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a block can be the heading of a row in an element. The first cell, term or item of others is none.
fn is_apart(page: Page<'_>, block: usize, element: u32) -> bool {
    let elements = &page.blocks.elements;
    let around = &elements[element as usize];
    let own = elements[page.blocks.blocks[block].element as usize].tag;
    let is_in_others = matches!(around.tag, Tag::Tr | Tag::Dl | Tag::Ul | Tag::Ol) || matches!(own, Tag::Th | Tag::Dt);
    around.first as usize > block || !is_in_others
}

/// The words of a block. Three characters of Chinese or Japanese are one here.
fn words(block: &Block) -> u32 {
    block.words.saturating_sub(block.cjk - block.cjk / 3)
}

/// Whether a range of nodes holds one of these, which are in order.
fn has_one(all: &[NodeId], nodes: &Range<NodeId>) -> bool {
    let first = all.partition_point(|id| *id < nodes.start);
    all.get(first).is_some_and(|id| *id < nodes.end)
}

fn blocks_of(element: &Element) -> Range<usize> {
    element.first as usize..element.last as usize + 1
}

/// The elements that begin with a block and hold more, the largest first. If there is none, the element that follows
/// the block. Each element is among the groups of two blocks at most.
fn find_groups(blocks: &Blocks, block: usize, groups: &mut Vec<(u32, Range<usize>)>) {
    groups.clear();
    // The element that holds blocks before this one, too.
    let mut parent = NONE;
    for (number, around) in blocks.around(blocks.blocks[block].element) {
        if around.first as usize != block {
            parent = number;
            break;
        }
        if around.last as usize > block {
            groups.push((number, blocks_of(around)));
        }
    }
    if groups.is_empty() && block + 1 < blocks.blocks.len() {
        let next = blocks.around(blocks.blocks[block + 1].element);
        let beginning = next.take_while(|(_, element)| element.first as usize == block + 1);
        let siblings = beginning.filter(|(_, element)| element.parent == parent);
        groups.extend(siblings.map(|(number, element)| (number, blocks_of(element))));
    }
    groups.reverse();
}

impl Page<'_> {
    fn holds_heading(self, range: &Range<usize>) -> bool {
        self.heading.is_some_and(|heading| range.contains(&heading))
    }
}

/// Whether one of some blocks has a price.
fn has_price(page: Page<'_>, range: &Range<usize>) -> bool {
    let mut blocks = page.blocks.blocks[range.clone()].iter();
    blocks.any(|block| {
        words(block) <= MOST_WORDS_OF_PANEL
            && page
                .blocks
                .texts_of(block)
                .iter()
                .map(|text| page.dom.raw(*text))
                .any(|text| text.len() <= MOST_OF_TEXT && words::has_currency(text))
    })
}

#[cfg(test)]
mod tests;
