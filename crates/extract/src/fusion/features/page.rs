//! What several groups of features read of a page.

use std::ops::Range;

use dehusk_html::{Dom, Tag};

use super::super::blocks::{Block, Blocks, Condensed, Element, NONE};
use super::super::fixed::share;
use super::super::looks::{self, Looks, WordHashes};

/// Sums over a range of blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) words: u32,
    pub(super) chars: u32,
    pub(super) linked_words: u32,
    /// Characters in links, estimated from the words.
    pub(super) linked_chars: u32,
    pub(super) punctuation: u32,
    /// Big blocks, and their words.
    pub(super) big: u32,
    pub(super) big_words: u32,
    /// Words that were read, and the short ones among them.
    pub(super) read_words: u32,
    pub(super) short_words: u32,
    pub(super) headings: u32,
    pub(super) unlinked: u32,
    pub(super) hidden: u32,
}

impl Sums {
    /// The share of words that are in links.
    #[inline]
    pub(super) fn link_share(&self) -> i16 {
        share(self.linked_words, self.words)
    }

    #[inline]
    fn minus(&self, earlier: &Sums) -> Sums {
        Sums {
            words: self.words.wrapping_sub(earlier.words),
            chars: self.chars.wrapping_sub(earlier.chars),
            linked_words: self.linked_words.wrapping_sub(earlier.linked_words),
            linked_chars: self.linked_chars.wrapping_sub(earlier.linked_chars),
            punctuation: self.punctuation.wrapping_sub(earlier.punctuation),
            big: self.big - earlier.big,
            big_words: self.big_words.wrapping_sub(earlier.big_words),
            read_words: self.read_words - earlier.read_words,
            short_words: self.short_words - earlier.short_words,
            headings: self.headings - earlier.headings,
            unlinked: self.unlinked - earlier.unlinked,
            hidden: self.hidden - earlier.hidden,
        }
    }
}

/// Numbers of elements in a range of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    pub(super) all: u32,
    pub(super) images: u32,
    pub(super) controls: u32,
    pub(super) links: u32,
    pub(super) paragraphs: u32,
}

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct PageBuffers {
    looks: Vec<Looks>,
    hashes: Vec<WordHashes>,
    sums: Vec<Sums>,
    tags: Vec<Tags>,
    level_one: Vec<u32>,
    scratch: String,
}

impl PageBuffers {
    /// A hash of the text of a block.
    pub(super) fn text_hash(&self, block: usize) -> u64 {
        self.looks[block].hash
    }
}

/// The blocks of a page with prefix sums.
pub(super) struct PageSums<'p> {
    pub(super) dom: &'p Dom<'p>,
    pub(super) blocks: &'p [Block],
    pub(super) elements: &'p [Element],
    pub(super) condensed: &'p [Condensed],
    pub(super) lists: &'p [u32],
    pub(super) looks: &'p [Looks],
    pub(super) hashes: &'p [WordHashes],
    /// `sums[i]` is over the blocks before `i`.
    sums: &'p [Sums],
    /// `tags[i]` is over the nodes before `i`.
    tags: &'p [Tags],
    /// The smallest condensed node that holds more than the block.
    pub(super) level_one: &'p [u32],
}

/// Whether a block is big: it has the length of a sentence, few links, and punctuation.
#[inline]
pub(super) fn is_big(block: &Block) -> bool {
    // In a script without spaces a sentence has more words, because each character is one.
    let words = block.words - block.cjk.min(block.words) / 2;
    words >= 15 && u64::from(block.linked_words) * 100 < u64::from(block.words) * 35 && block.punctuation >= 1
}

impl<'p> PageSums<'p> {
    pub(super) fn new(dom: &'p Dom<'p>, blocks: &'p Blocks, buffers: &'p mut PageBuffers) -> Self {
        let PageBuffers {
            looks,
            hashes,
            sums,
            tags,
            level_one,
            scratch,
        } = buffers;
        looks.clear();
        hashes.clear();
        sums.clear();
        level_one.clear();
        let mut sum = Sums::default();
        sums.push(sum);
        for block in &blocks.blocks {
            let (look, hash) = looks::of_block(dom, blocks, block, scratch);
            let is_big = is_big(block);
            let linked_chars = u64::from(block.chars) * u64::from(block.linked_words) / u64::from(block.words.max(1));
            sum.words = sum.words.wrapping_add(block.words);
            sum.chars = sum.chars.wrapping_add(block.chars);
            sum.linked_words = sum.linked_words.wrapping_add(block.linked_words);
            sum.linked_chars = sum.linked_chars.wrapping_add(linked_chars as u32);
            sum.punctuation = sum.punctuation.wrapping_add(block.punctuation);
            sum.big += u32::from(is_big);
            sum.big_words = sum.big_words.wrapping_add(if is_big { block.words } else { 0 });
            sum.read_words += u32::from(look.words);
            sum.short_words += u32::from(look.short_words);
            sum.headings += u32::from(block.heading > 0);
            sum.unlinked += u32::from(block.linked_words == 0);
            let element = &blocks.elements[block.element as usize];
            sum.hidden += u32::from(element.hidden);
            sums.push(sum);
            looks.push(look);
            hashes.push(hash);
            let own = &blocks.condensed[element.condensed as usize];
            let holds_more = own.first != own.last || own.parent == NONE;
            level_one.push(if holds_more { element.condensed } else { own.parent });
        }
        count_tags(dom, tags);
        Self {
            dom,
            blocks: &blocks.blocks,
            elements: &blocks.elements,
            condensed: &blocks.condensed,
            lists: &blocks.lists,
            looks,
            hashes,
            sums,
            tags,
            level_one,
        }
    }

    /// The number of blocks.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Sums over a range of blocks.
    #[inline]
    pub(super) fn sum(&self, range: Range<usize>) -> Sums {
        self.sums[range.end].minus(&self.sums[range.start])
    }

    /// The number of words of a range of blocks.
    #[inline]
    pub(super) fn words(&self, range: Range<usize>) -> u32 {
        self.sums[range.end].words.wrapping_sub(self.sums[range.start].words)
    }

    /// The number of big blocks of a range of blocks.
    #[inline]
    pub(super) fn big(&self, range: Range<usize>) -> u32 {
        self.sums[range.end].big - self.sums[range.start].big
    }

    /// Sums over all blocks.
    #[inline]
    pub(super) fn total(&self) -> &Sums {
        &self.sums[self.len()]
    }

    /// Sums over the blocks before a block.
    #[inline]
    pub(super) fn before(&self, block: usize) -> &Sums {
        &self.sums[block]
    }

    /// Sums over the blocks of a condensed node.
    #[inline]
    pub(super) fn sum_of(&self, node: &Condensed) -> Sums {
        self.sum(node.blocks())
    }

    /// The elements in an element.
    #[inline]
    pub(super) fn tags_in(&self, element: &Element) -> Tags {
        let range = self.dom.subtree(element.node);
        let (from, to) = (&self.tags[range.start as usize], &self.tags[range.end as usize]);
        Tags {
            all: to.all - from.all,
            images: to.images - from.images,
            controls: to.controls - from.controls,
            links: to.links - from.links,
            paragraphs: to.paragraphs - from.paragraphs,
        }
    }

    /// The elements in a condensed node.
    #[inline]
    pub(super) fn tags_of(&self, node: &Condensed) -> Tags {
        self.tags_in(&self.elements[node.top as usize])
    }

    /// The element of a block.
    #[inline]
    pub(super) fn element(&self, block: usize) -> &'p Element {
        &self.elements[self.blocks[block].element as usize]
    }
}

fn count_tags(dom: &Dom<'_>, tags: &mut Vec<Tags>) {
    tags.clear();
    let mut sum = Tags::default();
    tags.push(sum);
    tags.extend(dom.nodes().iter().map(|node| {
        sum.all += u32::from(!node.tag.is_text());
        match node.tag {
            Tag::Img | Tag::Picture | Tag::Svg | Tag::Video => sum.images += 1,
            Tag::Input | Tag::Button | Tag::Select | Tag::Textarea => sum.controls += 1,
            Tag::A => sum.links += 1,
            Tag::P => sum.paragraphs += 1,
            _ => {}
        }
        sum
    }));
}
