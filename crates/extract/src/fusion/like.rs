//! Judges similar blocks in a similar way.
//!
//! Lines of code, cells of a column and the posts of a thread have the same **path**: the tags, classes and ids of the
//! elements around them. The model's logit of one of them is evidence for the others. So each block's logit is moved
//! towards the mean of all blocks of the page with its path. A mean is weighted by the roots of the blocks' words, as
//! in training. Blocks whose words are mostly in links are apart: on old pages without classes, menus have the paths of
//! texts.

use crate::blocks::interner::Interner;
use crate::blocks::{Block, Blocks, hash};

/// How far a logit is moved towards the mean, in fifths.
const FIFTHS: i64 = 3;

/// Most pages have fewer paths of blocks.
const USUAL_PATHS: usize = 128;

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct LikeBuffers {
    paths: Interner,
    path_of: Vec<u32>,
    /// For each path the weighted sum of the logits, and the sum of the weights. The first becomes the mean.
    sums: Vec<(i64, i64)>,
}

/// Moves the logits of blocks alike towards each other.
pub(super) fn draw_together(blocks: &Blocks, logits: &mut [i32], buffers: &mut LikeBuffers) {
    let LikeBuffers { paths, path_of, sums } = buffers;
    paths.reset(USUAL_PATHS);
    path_of.clear();
    sums.clear();
    for (block, logit) in blocks.blocks.iter().zip(&*logits) {
        let path = paths.number(path(blocks, block));
        if path as usize == sums.len() {
            sums.push((0, 0));
        }
        let (sum, weights) = &mut sums[path as usize];
        *sum += block.weight() * i64::from(*logit);
        *weights += block.weight();
        path_of.push(path);
    }
    for (sum, weights) in &mut *sums {
        *sum /= *weights;
    }
    for (path, logit) in path_of.iter().zip(logits) {
        let (mean, _) = sums[*path as usize];
        *logit = (((5 - FIFTHS) * i64::from(*logit) + FIFTHS * mean) / 5) as i32;
    }
}

/// A hash of a block's path; blocks alike have the same one.
pub(super) fn path(blocks: &Blocks, block: &Block) -> u64 {
    hash(blocks.elements[block.element as usize].path, block.is_linked().into())
}
