//! Scores blocks with boosted trees, 64 blocks at a time.
//!
//! Every inner node of a tree knows which leaves it rules out for blocks that go right: those of its left subtree. A
//! block's leaf is the leftmost one that no node has ruled out. So a tree is scored without branches, and for 64 blocks
//! in lanes of 16 bits (Lucchese et al., *QuickScorer*, SIGIR 2015). The leaf's number is found with a multiplication
//! by a de Bruijn sequence, and its value with two lookups of bytes.
//!
//! Where the paper goes through the nodes of all trees feature by feature, this goes tree by tree: the bits of 64
//! blocks stay in registers, and features are compared as they are, without bins.

use std::ops::Range;

use fearless_simd::{Bytes, Level, Simd, SimdBase, SimdMask, dispatch, i16x32, u8x16, u8x64, u16x32};

use super::reader::ModelBytes;
use crate::fusion::matrix::{LANES, Matrix};

/// The most leaves that a tree can have.
pub(super) const MAX_LEAVES: usize = 16;

/// A sequence whose 16 windows of four bits are all different. Times 2^n, it has the window of `n` at the top.
const DE_BRUIJN: u16 = 0x09AF;

/// The bound of the sum of all trees.
const LARGEST_SUM: i64 = 1 << 30;

/// Boosted trees.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    trees: Vec<Tree>,
    nodes: Vec<Node>,
    /// Runs of trees whose leaves cannot overflow 16 bits when they are summed: where each ends.
    runs: Vec<usize>,
    bias: i32,
}

/// An inner node.
#[derive(Clone, Copy, Debug)]
struct Node {
    feature: u16,
    /// Blocks go left where this is greater than the value: the threshold plus one.
    above: i16,
    /// The leaves that stay when a block goes right. All ones where no block can.
    stay: u16,
    /// The first leaf of its subtree.
    first: u16,
}

/// The node at the top of the subtree that has these leaves; `None` for a single leaf. `nodes` are those of the tree.
///
/// Node `i` is between the leaves `i` and `i + 1`. Of the nodes with the same first leaf, a higher one has more
/// leaves on its left.
fn top(nodes: &[Node], leaves: Range<usize>) -> Option<usize> {
    (leaves.start..leaves.end - 1).rfind(|&i| usize::from(nodes[i].first) == leaves.start)
}

/// Whether nodes make a binary tree over these leaves.
fn is_tree(nodes: &[Node], leaves: Range<usize>) -> bool {
    leaves.len() == 1
        || top(nodes, leaves.clone())
            .is_some_and(|i| is_tree(nodes, leaves.start..i + 1) && is_tree(nodes, i + 1..leaves.end))
}

/// A tree: some of the nodes, and the values of its leaves.
#[derive(Clone, Debug)]
struct Tree {
    nodes: Range<usize>,
    leaves: [i16; MAX_LEAVES],
    /// The low bytes of the leaves, in the order of their windows of the sequence; and the high bytes.
    low: [u8; MAX_LEAVES],
    high: [u8; MAX_LEAVES],
}

impl Trees {
    /// Reads the section. `features` is the number of columns of a matrix.
    pub fn read(mut reader: ModelBytes<'_>, features: usize) -> Result<Self, &'static str> {
        const CUT: &str = "ends too early";
        let columns = reader.u16().ok_or(CUT)?;
        let columns = reader.i16s(columns.into()).ok_or(CUT)?;
        let columns: Vec<u16> = columns.iter().map(|&c| c as u16).collect();
        if columns.iter().any(|&c| usize::from(c) >= features) {
            return Err("names a feature that does not exist");
        }
        let count = reader.u16().ok_or(CUT)?;
        let mut trees = Self {
            bias: reader.i32().ok_or(CUT)?,
            trees: Vec::new(),
            nodes: Vec::new(),
            runs: Vec::new(),
        };
        let (mut sum, mut run) = (i64::from(trees.bias).abs(), 0);
        for index in 0..usize::from(count) {
            let largest = trees.read_tree(&mut reader, &columns)?;
            sum += largest;
            run += largest;
            if run > i64::from(i16::MAX) {
                if index > 0 {
                    trees.runs.push(index);
                }
                run = largest;
            }
        }
        if sum > LARGEST_SUM {
            return Err("has sums that are too large");
        }
        trees.runs.push(trees.trees.len());
        if reader.0.is_empty() {
            Ok(trees)
        } else {
            Err("is too long")
        }
    }

    /// Reads a tree. Returns the largest absolute value of its leaves.
    fn read_tree(&mut self, reader: &mut ModelBytes<'_>, columns: &[u16]) -> Result<i64, &'static str> {
        const CUT: &str = "ends too early";
        let inner = usize::from(reader.u8().ok_or(CUT)?);
        if inner >= MAX_LEAVES {
            return Err("has a tree with too many nodes");
        }
        let mut nodes = Vec::with_capacity(inner);
        for _ in 0..inner {
            let column = reader.u16().ok_or(CUT)?;
            let threshold = reader.i16().ok_or(CUT)?;
            let mask = reader.u16().ok_or(CUT)?;
            // A run of ones.
            let (first, end) = (mask.trailing_zeros(), 16 - mask.leading_zeros());
            if mask == 0 || mask.count_ones() != end - first {
                return Err("has a mask that is not a run of leaves");
            }
            let never = threshold == i16::MAX;
            let node = Node {
                feature: *columns
                    .get(usize::from(column))
                    .ok_or("names a column that does not exist")?,
                above: threshold.saturating_add(1),
                stay: if never { !0 } else { !mask },
                first: first as u16,
            };
            nodes.push((end, node));
        }
        if usize::from(reader.u8().ok_or(CUT)?) != inner + 1 {
            return Err("has a tree whose leaves are not one more than its nodes");
        }
        nodes.sort_by_key(|&(end, _)| end);
        let in_order = nodes.iter().zip(1..).all(|(&(end, _), i)| end == i);
        let start = self.nodes.len();
        self.nodes.extend(nodes.into_iter().map(|(_, node)| node));
        if !in_order || !is_tree(&self.nodes[start..], 0..inner + 1) {
            return Err("has masks that make no tree");
        }
        let mut tree = Tree {
            nodes: start..start + inner,
            leaves: [0; MAX_LEAVES],
            low: [0; MAX_LEAVES],
            high: [0; MAX_LEAVES],
        };
        let mut largest = 0;
        for n in 0..=inner {
            let leaf = reader.i16().ok_or(CUT)?;
            let window = usize::from((DE_BRUIJN << n) >> 12);
            tree.leaves[n] = leaf;
            [tree.low[window], tree.high[window]] = leaf.to_le_bytes();
            largest = largest.max(i64::from(leaf).abs());
        }
        self.trees.push(tree);
        Ok(largest)
    }

    /// The logits of all rows of a matrix, padding included, in units of 2^-12.
    pub fn score(&self, level: Level, matrix: &Matrix, logits: &mut Vec<i32>) {
        logits.clear();
        logits.resize(matrix.stride(), self.bias);
        dispatch!(level, simd => self.run(simd, matrix, logits));
    }

    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, matrix: &Matrix, logits: &mut [i32]) {
        let (logits, _) = logits.as_chunks_mut::<LANES>();
        let (values, chunks) = (matrix.chunks(), logits.len());
        for (chunk, logits) in logits.iter_mut().enumerate() {
            let mut start = 0;
            for &end in &self.runs {
                let mut sums = [i16x32::splat(simd, 0); 2];
                for tree in &self.trees[start..end] {
                    let mut left = [i16x32::splat(simd, -1); 2];
                    for node in &self.nodes[tree.nodes.clone()] {
                        let (halves, _) = values[usize::from(node.feature) * chunks + chunk].as_chunks::<32>();
                        let above = i16x32::splat(simd, node.above);
                        let stay = i16x32::splat(simd, node.stay as i16);
                        for half in 0..2 {
                            let values = i16x32::load_array_ref(simd, &halves[half]);
                            left[half] &= above.simd_gt(values).to_vector() | stay;
                        }
                    }
                    for half in 0..2 {
                        sums[half] += tree.leaf_values(simd, left[half]);
                    }
                }
                for half in 0..2 {
                    for (logit, sum) in logits[half * 32..].iter_mut().zip(sums[half].to_array()) {
                        *logit += i32::from(sum);
                    }
                }
                start = end;
            }
        }
    }

    /// The contribution of each feature to the logit of a row, the largest first, and the logit without any feature.
    ///
    /// Going down a tree, a step adds to its node's feature the mean of the leaves below it minus the mean of the
    /// leaves before it (Saabas, 2014; there the means are weighted by training rows, which a model does not hold). The
    /// sum of all is the logit.
    pub fn contributions(&self, matrix: &Matrix, row: usize) -> (i32, Vec<(u16, i32)>) {
        let mut base = self.bias;
        let mut of_feature = vec![0; matrix.columns()];
        for tree in &self.trees {
            let nodes = &self.nodes[tree.nodes.clone()];
            let mut leaves = 0..nodes.len() + 1;
            let mut mean = tree.mean(leaves.clone());
            base += mean;
            while let Some(i) = top(nodes, leaves.clone()) {
                let node = nodes[i];
                let feature = usize::from(node.feature);
                if matrix.column(feature)[row] < node.above || node.stay == !0 {
                    leaves.end = i + 1;
                } else {
                    leaves.start = i + 1;
                }
                let below = tree.mean(leaves.clone());
                // Only a file that was not made by training comes near the bound.
                of_feature[feature] = i32::saturating_add(of_feature[feature], below - mean);
                mean = below;
            }
        }
        let mut features: Vec<_> = (0..).zip(of_feature).filter(|&(_, c)| c != 0).collect();
        features.sort_by_key(|&(feature, c): &(u16, i32)| (std::cmp::Reverse(c.unsigned_abs()), feature));
        (base, features)
    }
}

impl Tree {
    /// The mean of some of the leaves.
    fn mean(&self, leaves: Range<usize>) -> i32 {
        let count = leaves.len() as i32;
        let sum: i32 = self.leaves[leaves].iter().map(|&leaf| i32::from(leaf)).sum();
        sum / count
    }

    /// The value of the leaf of each block: the lowest of the bits that are left.
    #[inline(always)]
    fn leaf_values<S: Simd>(&self, simd: S, left: i16x32<S>) -> i16x32<S> {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if matches!(simd.level(), Level::Sse2(_)) {
            // It has no lookups of many bytes at once.
            let mut values = left.to_array();
            for value in &mut values {
                *value = self.leaves[value.trailing_zeros() as usize % MAX_LEAVES];
            }
            return i16x32::load_array(simd, values);
        }
        let left: u16x32<S> = left.bitcast();
        let lowest = left & (u16x32::splat(simd, 0) - left);
        // The window, in both bytes.
        let window = ((lowest * DE_BRUIJN) >> 12) * 0x0101;
        let window: u8x64<S> = window.bitcast();
        let low = u8x64::block_splat(u8x16::load_array(simd, self.low));
        let high = u8x64::block_splat(u8x16::load_array(simd, self.high));
        let low: u16x32<S> = low.swizzle_dyn_within_blocks(window).bitcast();
        let high: u16x32<S> = high.swizzle_dyn_within_blocks(window).bitcast();
        ((low & 0x00FF) | (high & 0xFF00)).bitcast()
    }
}
