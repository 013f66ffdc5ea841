//! Facts about a page that several groups of features read.

use std::ops::Range;

use dehusk_html::Dom;

use super::super::fixed::count;
use super::super::looks::{self, LookBuffers, Looks, TitleWords};
use crate::blocks::{Block, Blocks, Condensed, Element, NONE};

/// A range of blocks around a block reaches at most so far to each side.
const MARGIN: usize = 8;

/// The sums of a count over the blocks before each block, so that the sum over a range is a difference of two of them.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// Before the first block and after the last are more of the same sums, so that a range may reach beyond the
    /// page.
    sums: Vec<i32>,
    blocks: usize,
}

impl Sums {
    fn fill(&mut self, counts: impl ExactSizeIterator<Item = i32>) {
        self.blocks = counts.len();
        self.sums.clear();
        self.sums.resize(MARGIN + 1, 0);
        let mut sum = 0i32;
        self.sums.extend(counts.map(|count| {
            sum = sum.saturating_add(count);
            sum
        }));
        self.sums.resize(self.blocks + 2 * MARGIN + 1, sum);
    }

    /// The sum over all blocks.
    #[inline]
    pub(super) fn total(&self) -> i32 {
        self.sums[MARGIN + self.blocks]
    }

    /// The sum over a range of blocks.
    #[inline]
    pub(super) fn of(&self, range: Range<usize>) -> i32 {
        self.sums[MARGIN + range.end] - self.sums[MARGIN + range.start]
    }

    /// The count of each block.
    #[inline]
    pub(super) fn each(&self) -> impl Iterator<Item = i32> {
        self.with()
            .iter()
            .zip(self.before())
            .map(|(with, before)| with - before)
    }

    /// For each block the sum over those before it.
    #[inline]
    pub(super) fn before(&self) -> &[i32] {
        &self.sums[MARGIN..][..self.blocks]
    }

    /// For each block the sum over those before it and itself.
    #[inline]
    pub(super) fn with(&self) -> &[i32] {
        &self.sums[MARGIN + 1..][..self.blocks]
    }

    /// For each block the sum over those around it: so many before it, itself, and as many after it.
    #[inline]
    pub(super) fn around(&self, reach: usize) -> impl Iterator<Item = i32> {
        let reach = reach.min(MARGIN);
        let before = &self.sums[MARGIN - reach..][..self.blocks];
        let with = &self.sums[MARGIN + reach + 1..][..self.blocks];
        with.iter().zip(before).map(|(with, before)| with - before)
    }
}

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct PageBuffers {
    looks: Vec<Looks>,
    of_looks: LookBuffers,
    level_one: Vec<u32>,
    is_big: Vec<bool>,
    sums: PageSums,
}

impl PageBuffers {
    /// A hash of the text of a block; `None` if no other block has the same text.
    pub(super) fn text_hash(&self, block: usize) -> Option<u64> {
        self.looks[block].hash
    }
}

/// Sums over the blocks.
#[derive(Debug, Default)]
pub(super) struct PageSums {
    pub(super) words: Sums,
    pub(super) chars: Sums,
    pub(super) linked_words: Sums,
    pub(super) punctuation: Sums,
    /// Big blocks, and their words.
    pub(super) big: Sums,
    pub(super) big_words: Sums,
    pub(super) headings: Sums,
    pub(super) unlinked: Sums,
    pub(super) tags: Sums,
}

/// The blocks of a page with what was computed of them.
pub(super) struct Page<'p> {
    pub(super) blocks: &'p [Block],
    pub(super) elements: &'p [Element],
    pub(super) condensed: &'p [Condensed],
    pub(super) looks: &'p [Looks],
    /// The words of the title.
    pub(super) title: &'p TitleWords,
    /// Whether each block is big.
    pub(super) is_big: &'p [bool],
    pub(super) sums: &'p PageSums,
    /// The smallest condensed node that holds more than the block.
    pub(super) level_one: &'p [u32],
}

/// Whether a block is big: it has the length of a sentence, few links, and punctuation.
#[inline]
fn is_big(block: &Block) -> bool {
    // In a script without spaces a sentence has more words, because each character is one.
    let words = block.words - block.cjk.min(block.words) / 2;
    words >= 15 && u64::from(block.linked_words) * 100 < u64::from(block.words) * 35 && block.punctuation >= 1
}

impl<'p> Page<'p> {
    pub(super) fn new(dom: &Dom<'_>, blocks: &'p Blocks, buffers: &'p mut PageBuffers) -> Self {
        let PageBuffers {
            looks,
            of_looks,
            level_one,
            is_big: big,
            sums,
        } = buffers;
        let title = looks::of_blocks(dom, blocks, of_looks, looks);
        level_one.clear();
        level_one.extend(blocks.blocks.iter().map(|block| {
            let element = &blocks.elements[block.element as usize];
            let own = &blocks.condensed[element.condensed as usize];
            let holds_more = own.first != own.last || own.parent == NONE;
            if holds_more { element.condensed } else { own.parent }
        }));
        let all = &blocks.blocks;
        big.clear();
        big.extend(all.iter().map(is_big));
        sums.words.fill(all.iter().map(|block| count(block.words)));
        sums.chars.fill(all.iter().map(|block| count(block.chars)));
        sums.linked_words
            .fill(all.iter().map(|block| count(block.linked_words)));
        sums.punctuation.fill(all.iter().map(|block| count(block.punctuation)));
        sums.big.fill(big.iter().map(|big| i32::from(*big)));
        let big_words = |(block, big): (&Block, &bool)| if *big { count(block.words) } else { 0 };
        sums.big_words.fill(all.iter().zip(&*big).map(big_words));
        sums.headings.fill(all.iter().map(|block| i32::from(block.heading > 0)));
        sums.unlinked
            .fill(all.iter().map(|block| i32::from(block.linked_words == 0)));
        sums.tags.fill(all.iter().map(|block| count(block.tags)));
        Self {
            blocks: all,
            elements: &blocks.elements,
            condensed: &blocks.condensed,
            looks,
            title,
            is_big: big,
            sums,
            level_one,
        }
    }

    /// The number of blocks.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }
}
