//! A learned extractor: scores blocks of text by many features, and keeps the blocks that maximise the expected F1.
//!
//! A page's features stand in a [`Matrix`](internal::Matrix), a column a feature. A [`Model`] gives every block a logit.

mod blocks;
mod features;
mod fixed;
mod interner;
mod lexicon;
mod looks;
mod matrix;
mod model;

pub use model::{Model, ModelError};

/// What tests, benchmarks and fuzz targets need besides. It may change at any time.
#[doc(hidden)]
pub mod internal {
    pub use super::PageBlocks;
    pub use super::features::{names, names_hash};
    pub use super::matrix::Matrix;
    pub use super::model::{Contributions, Rule, Scratch, hash_features, probability};
}

use dehusk_html::{Dom, NodeId};

/// The blocks of a page with their features. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct PageBlocks {
    blocks: blocks::Blocks,
    buffers: features::FeatureBuffers,
    matrix: matrix::Matrix,
}

impl PageBlocks {
    /// Cuts a page into blocks, without features.
    pub fn cut(&mut self, dom: &Dom<'_>) {
        self.blocks.cut(dom);
    }

    /// Cuts a page into blocks and computes their features: all of them, or those that are wanted.
    pub fn compute(&mut self, dom: &Dom<'_>, wanted: &[bool]) {
        self.blocks.cut(dom);
        features::compute(dom, &self.blocks, &mut self.buffers, &mut self.matrix, wanted);
    }

    /// The features.
    pub fn features(&self) -> &matrix::Matrix {
        &self.matrix
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.blocks.len()
    }

    /// Whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.blocks.is_empty()
    }

    /// The number of words of a block.
    pub fn words(&self, block: usize) -> u32 {
        self.blocks.blocks[block].words
    }

    /// The text nodes of a block.
    pub fn texts(&self, block: usize) -> &[NodeId] {
        self.blocks.texts_of(&self.blocks.blocks[block])
    }
}
