//! The blocks of a page, their features and what a model makes of them.

use std::collections::HashMap;
use std::ops::Range;

use dehusk_html::{Dom, NodeId, Tag};

use super::BlockFates;
use super::choice::ChoiceBuffers;
use super::features::{self, FeatureBuffers};
use super::like::{self, LikeBuffers};
use super::matrix::Matrix;
use super::model::{Model, Scratch};
use super::ranges::{self, RangeBuffers};
use super::repeats;
use super::shops::Shops;
use super::tables::Tables;
use crate::blocks::{Blocks, Element};
use crate::site::OtherPages;

/// The blocks of a page with their features. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct PageBlocks {
    pub(super) blocks: Blocks,
    pub(super) buffers: FeatureBuffers,
    pub(super) matrix: Matrix,
    words: Vec<u32>,
    /// The nodes of the page, and the bytes of its source.
    nodes: usize,
    bytes: usize,
}

impl PageBlocks {
    /// Cuts a page into blocks.
    pub fn cut(&mut self, dom: &Dom<'_>) {
        self.blocks.cut(dom);
        self.nodes = dom.len() as usize;
        self.bytes = dom.source().len();
        self.words.clear();
        self.words.extend(self.blocks.blocks.iter().map(|block| block.words));
    }

    /// Cuts a page into blocks and computes their features.
    pub fn compute(&mut self, dom: &Dom<'_>) {
        self.cut(dom);
        features::compute(dom, &self.blocks, &mut self.buffers, &mut self.matrix);
    }

    /// The features.
    pub fn features(&self) -> &Matrix {
        &self.matrix
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The numbers of words of the blocks.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of a block that are in links.
    pub fn linked_words(&self, block: usize) -> u32 {
        self.blocks.blocks[block].linked_words
    }

    /// The innermost element around a block: a number of [`Self::elements`].
    pub fn element(&self, block: usize) -> u32 {
        self.blocks.blocks[block].element
    }

    /// The first block that is like each block.
    pub fn first_alike(&self) -> Vec<u32> {
        let mut first = HashMap::new();
        let blocks = (0..).zip(&self.blocks.blocks);
        blocks
            .map(|(number, block)| *first.entry(like::path(&self.blocks, block)).or_insert(number))
            .collect()
    }

    /// The elements around blocks: the number of the parent, the number of the tag, whether it is block-level, the
    /// first and the last block. A parent comes before its children; the first has none.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = [u32; 5]> {
        let row = |element: &Element| {
            let tag = element.tag;
            [
                element.parent,
                tag as u32,
                tag.is_block().into(),
                element.first,
                element.last,
            ]
        };
        self.blocks.elements.iter().map(row)
    }

    /// The text nodes of a block.
    pub fn texts(&self, block: usize) -> &[NodeId] {
        self.blocks.texts_of(&self.blocks.blocks[block])
    }

    /// The tag of the innermost element around a block.
    pub fn tag(&self, block: usize) -> Tag {
        self.blocks.elements[self.element(block) as usize].tag
    }

    /// The level of the heading that a block is in; 0 if in none.
    pub fn heading(&self, block: usize) -> u8 {
        self.blocks.blocks[block].heading
    }

    /// The ranges of nodes of some blocks of the page that was cut last; `kept` has a value for each block. They are
    /// in order, disjoint and never empty, as in a selection.
    pub fn ranges(&self, dom: &Dom<'_>, kept: &[bool]) -> Vec<Range<NodeId>> {
        ranges::of_kept(dom, &self.blocks, kept, &mut RangeBuffers::default())
    }
}

/// The memory of the extractor, kept from page to page.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(super) page: PageBlocks,
    /// The logits of the blocks, in units of 2^-12.
    pub(super) logits: Vec<i32>,
    /// The logits before those of blocks alike were moved towards each other.
    pub(super) logits_alone: Vec<i32>,
    pub(super) choice: ChoiceBuffers,
    pub(super) shops: Shops,
    pub(super) tables: Tables,
    pub(super) kept: BlockFates,
    pub(super) ranges: RangeBuffers,
    /// How many other pages of the host and of its layout hold each block's text. Empty if no others are known.
    pub(super) repeated: Vec<u32>,
    /// How many there are, without copies of the page.
    pub(super) known: u32,
    like: LikeBuffers,
    scratch: Scratch,
}

/// After a page with more blocks, nodes or bytes than these, the memory is given back.
const MANY_BLOCKS: usize = 1 << 14;
const MANY_NODES: usize = 1 << 18;
const MANY_BYTES: usize = 8 << 20;

impl Workspace {
    /// Gives memory back if the last page was large.
    pub(crate) fn shrink(&mut self) {
        let page = &self.page;
        if page.len() > MANY_BLOCKS || page.nodes > MANY_NODES || page.bytes > MANY_BYTES {
            *self = Self::default();
        }
    }

    /// Cuts a page and computes the logit of each block: how likely it is content. `others` are other pages of its
    /// host.
    pub(super) fn score(&mut self, dom: &Dom<'_>, model: &Model, others: Option<&OtherPages>) {
        let Self {
            page,
            logits,
            logits_alone,
            like,
            scratch,
            repeated,
            known,
            ..
        } = self;
        page.compute(dom);
        logits_alone.clear();
        logits.clear();
        repeated.clear();
        *known = 0;
        if page.is_empty() {
            return;
        }
        model.score(&page.matrix, &page.words, scratch, logits_alone);
        logits.extend_from_slice(logits_alone);
        like::draw_together(&page.blocks, logits, like);
        if let Some(others) = others {
            repeated.extend(others.counts_alike());
            *known = others.alike();
            repeats::shift(logits, repeated, *known);
        }
    }
}
