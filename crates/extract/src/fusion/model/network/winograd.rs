//! The matrix of a layer over three blocks, for two blocks at a time (Winograd's *F*(2, 3); Lavin and Gray, *Fast
//! Algorithms for Convolutional Neural Networks*, CVPR 2016).
//!
//! Two blocks that lie as far apart as the layer looks have two of their three inputs in common. With the inputs `x0` to
//! `x3` of both and the weights `g0`, `g1`, `g2`, their sums are
//!
//! ```text
//! m = ((x1 + x2)·(g0 + g1 + g2) + (x2 - x1)·(g0 - g1 + g2)) / 2 + (x0 - x2)·g0
//! n = ((x1 + x2)·(g0 + g1 + g2) - (x2 - x1)·(g0 - g1 + g2)) / 2 + (x3 - x1)·g2
//! ```
//!
//! which are four products instead of six. All of it is computed twice as large, so that nothing is halved before the
//! end: the results are the very integers of the plain sums.

use fearless_simd::{Bytes, Simd, SimdBase, i16x32, i32x16};

use super::MARGIN;
use super::dense::{Dense, TILE, Words};

/// The farthest that a layer may look for the blocks of two tiles to make pairs.
const FARTHEST: usize = TILE;

/// A matrix over three blocks.
#[derive(Clone, Debug)]
pub(super) struct Winograd {
    /// `g0 + g1 + g2`.
    sum: Dense,
    /// `g0 - g1 + g2`.
    difference: Dense,
    /// `2·g0`, and `2·g2`.
    before: Dense,
    after: Dense,
}

/// The sums and differences of inputs, a plane a pair of channels. They are kept from page to page.
#[derive(Debug, Default)]
pub(super) struct PairBuffers {
    sum: Vec<Words>,
    difference: Vec<Words>,
    before: Vec<Words>,
    after: Vec<Words>,
}

impl Winograd {
    /// Makes it of a matrix of rows over three blocks, whose sums are at most `largest`. `None` if twice as much is too
    /// much for integers of 32 bits, or the layer looks too far.
    pub(super) fn new(
        taps: &[i16],
        rows: usize,
        largest: i64,
        distance: usize,
        output: impl Fn(usize, usize) -> usize,
    ) -> Option<Self> {
        if distance > FARTHEST || 2 * largest > i32::MAX.into() {
            return None;
        }
        let width = taps.len() / rows / 3;
        let none = vec![0; rows];
        let matrix = |weight: fn([i32; 3]) -> i32| {
            let rows = taps.chunks_exact(3 * width);
            let weights = rows
                .flat_map(|row| (0..width).map(move |i| weight([0, 1, 2].map(|tap| i32::from(row[tap * width + i])))));
            let weights: Option<Vec<i16>> = weights.map(|weight| weight.try_into().ok()).collect();
            Some(Dense::new(&weights?, &none, &output))
        };
        Some(Self {
            sum: matrix(|[a, b, c]| a + b + c)?,
            difference: matrix(|[a, b, c]| a - b + c)?,
            before: matrix(|[a, _, _]| 2 * a)?,
            after: matrix(|[_, _, c]| 2 * c)?,
        })
    }

    /// Four outputs of the blocks of two tiles, rounded but not clamped: of some blocks, and of those `distance` after
    /// them. `biases` take the half that rounds.
    #[inline(always)]
    pub(super) fn group<S: Simd>(
        &self,
        simd: S,
        group: usize,
        biases: [i32; 4],
        inputs: &PairBuffers,
    ) -> [[i32x16<S>; 4]; 2] {
        let mut first = [i32x16::splat(simd, 0); 4];
        let differences = self.difference.add(simd, group, first, &inputs.difference);
        for i in 0..4 {
            first[i] = i32x16::splat(simd, 2 * biases[i]);
        }
        first = self.sum.add(simd, group, first, &inputs.sum);
        let mut second = first;
        for i in 0..4 {
            first[i] += differences[i];
            second[i] -= differences[i];
        }
        first = self.before.add(simd, group, first, &inputs.before);
        second = self.after.add(simd, group, second, &inputs.after);
        for i in 0..4 {
            first[i] >>= 13;
            second[i] >>= 13;
        }
        [first, second]
    }
}

impl PairBuffers {
    /// Reads the inputs of two tiles from the planes of a page.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, simd: S, distance: usize, z: &[i32], plane: usize, tile: usize) {
        match distance {
            1 => self.fill_at::<S, 1>(simd, z, plane, tile),
            2 => self.fill_at::<S, 2>(simd, z, plane, tile),
            4 => self.fill_at::<S, 4>(simd, z, plane, tile),
            8 => self.fill_at::<S, 8>(simd, z, plane, tile),
            _ => self.fill_at::<S, FARTHEST>(simd, z, plane, tile),
        }
    }

    #[inline(always)]
    fn fill_at<S: Simd, const DISTANCE: usize>(&mut self, simd: S, z: &[i32], plane: usize, tile: usize) {
        for inputs in [&mut self.sum, &mut self.difference, &mut self.before, &mut self.after] {
            inputs.resize(z.len() / plane, [0; TILE]);
        }
        let from = MARGIN + tile * TILE - DISTANCE;
        for (pair, z) in z.chunks_exact(plane).enumerate() {
            let z = &z[from..][..2 * (TILE + DISTANCE)];
            let x0 = inputs::<S, DISTANCE>(simd, z);
            let x1 = inputs::<S, DISTANCE>(simd, &z[DISTANCE..]);
            let x2 = inputs::<S, DISTANCE>(simd, &z[2 * DISTANCE..]);
            let x3 = inputs::<S, DISTANCE>(simd, &z[3 * DISTANCE..]);
            store(x1 + x2, &mut self.sum[pair]);
            store(x2 - x1, &mut self.difference[pair]);
            store(x0 - x2, &mut self.before[pair]);
            store(x3 - x1, &mut self.after[pair]);
        }
    }
}

/// An input of all pairs, given those from that of the first pair on.
#[inline(always)]
fn inputs<S: Simd, const DISTANCE: usize>(simd: S, z: &[i32]) -> i16x32<S> {
    let mut words = [0; TILE];
    for (pair, word) in words.iter_mut().enumerate() {
        *word = z[first_of::<DISTANCE>(pair)];
    }
    i32x16::load_array(simd, words).bitcast()
}

#[inline(always)]
fn store<S: Simd>(channels: i16x32<S>, to: &mut Words) {
    channels.bitcast::<i32x16<S>>().store_array(to);
}

/// The place among the blocks of two tiles of the first block of a pair.
const fn first_of<const DISTANCE: usize>(pair: usize) -> usize {
    pair / DISTANCE * 2 * DISTANCE + pair % DISTANCE
}

/// Orders planes by block that were ordered by pair: the first blocks of all pairs, and the second ones.
pub(super) fn order_by_block(distance: usize, planes: &mut [Vec<Words>; 2]) {
    match distance {
        1 => order::<1>(planes),
        2 => order::<2>(planes),
        4 => order::<4>(planes),
        8 => order::<8>(planes),
        // The pairs are as far apart as the tiles.
        _ => {}
    }
}

fn order<const DISTANCE: usize>([first, second]: &mut [Vec<Words>; 2]) {
    for (first, second) in first.iter_mut().zip(second) {
        let mut blocks = [0; 2 * TILE];
        for pair in 0..TILE {
            let at = first_of::<DISTANCE>(pair);
            (blocks[at], blocks[at + DISTANCE]) = (first[pair], second[pair]);
        }
        first.copy_from_slice(&blocks[..TILE]);
        second.copy_from_slice(&blocks[TILE..]);
    }
}
