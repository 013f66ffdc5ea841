//! Scores blocks with a small sequence network, in integers.
//!
//! The network is a dense layer, some residual layers, and a dense layer again. A residual layer sees the block, the
//! blocks `d` before and after it (`d` = 1, 2, 4 …), and what the page has in the mean and at most; half of its outputs
//! gate the other half. In formulas, with `D` channels:
//!
//! - `x = clamp((sat16(value - mean)·scale + 128) >> 8, ±1024)`; `h0 = h = relu(dense(W0, x, b0))`
//! - in layer `l`: `z = norm(h)`; `g` = the mean and the maximum of `z` over the page;
//!   `(u, v) = dense(W, [z(i-d), z(i), z(i+d), g], b)`; `a = (u·clamp(128 + (v >> 2), 0, 256)) >> 8`;
//!   `h = clamp(h + round(O·a))`
//! - `o = relu(dense(Wo, [h, h0], bo))`; `logit = (wf·o + bf) >> 8`
//!
//! with `dense(W, x, b) = clamp(round(W·x + b))` and `round(y) = (y + 2048) >> 12`. Weights are in units of 2^-12,
//! biases of 2^-20, activations of 2^-8; the latter are clamped to ±8191. Shifts round down. The norm of a block is
//! either nothing or `z = (h·(2^32 / r) + 32768) >> 16` with `r = isqrt(Σh² · 65536 / D + 65536)`, where divisions
//! round down. The mean over the page is rounded, and weighted by `min(isqrt((words + 1)·256), 32767)`.
//!
//! The reader refuses a network whose sums could leave 32 bits, so results are exact and the same on every machine.
//!
//! **Layout.** Two channels of a block make one 32-bit word, so that one instruction multiplies both and adds. The
//! words of a pair of channels are adjacent for all blocks, a *plane*. Blocks are worked on in tiles of 16, and
//! two tiles at a time where registers are wide enough; the matrix over three blocks always takes two ([`winograd`]).
//! The instructions differ (with VNNI, one multiplies and adds to a sum), the integers do not. A page takes `6·D` bytes
//! a block, and a few besides.

mod dense;
mod page;
mod read;
mod winograd;

use fearless_simd::{Level, Simd, SimdBase, SimdCombine, SimdInt, SimdWiden, dispatch, i16x16, i32x16};

use dense::{Dense, TILE, Words, clamp, dot, gate, join, paired, relu, split};
use page::page_weight;
use winograd::{PairBuffers, Winograd, order_by_block};

use crate::fusion::matrix::Matrix;

/// The largest standardised input.
const LARGEST_INPUT: i32 = 1024;

/// The largest activation after the norm: 8, the root of 64 channels, and a little for rounding.
const LARGEST_NORMED: i32 = 2304;

/// The most layers. The last one looks `1 << 5` blocks back and ahead.
const MAX_LAYERS: usize = 6;

/// Empty blocks before and after a page: as many as the last layer looks at.
const MARGIN: usize = 1 << (MAX_LAYERS - 1);

/// A network.
#[derive(Clone, Debug)]
pub(super) struct Network {
    width: usize,
    normed: bool,
    inputs: Vec<Input>,
    first: Dense,
    layers: Vec<Layer>,
    last: Dense,
    /// The weights of the logit, in pairs.
    logit: Vec<i32>,
    logit_bias: i32,
}

/// How an input is made of a feature.
#[derive(Clone, Copy, Debug)]
struct Input {
    feature: u16,
    mean: i16,
    scale: u16,
}

/// A residual layer.
#[derive(Clone, Debug)]
struct Layer {
    /// The layer looks at the blocks so far before and after each.
    distance: usize,
    /// From three blocks to values and gates. In a group of four, two values are followed by their gates.
    gated: Dense,
    /// The same for two blocks at a time, if its integers have room for that.
    winograd: Option<Winograd>,
    /// The part of the page's means and maxima, row by row.
    page: Vec<i16>,
    /// Back to the channels.
    back: Dense,
}

/// Memory that is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The activations, a plane a pair of channels.
    h: Vec<Words>,
    /// Those of the first layer.
    h0: Vec<Words>,
    /// The normed ones, with margins.
    z: Vec<i32>,
    /// The blocks' weights in the page's mean.
    weights: Vec<Words>,
    /// The inputs of a dense layer, of one or two tiles.
    inputs: [Vec<Words>; 2],
    /// Those of pairs of blocks of two tiles.
    pairs: PairBuffers,
    /// The gated values of these tiles.
    gated: [Vec<Words>; 2],
    /// The page's means and maxima.
    page: Vec<i32>,
    /// A layer's biases with what the page adds.
    biases: Vec<[i32; 4]>,
}

impl Network {
    /// The logits of all blocks, in units of 2^-12. There may be some more after them.
    pub fn score(&self, level: Level, matrix: &Matrix, words: &[u32], buffers: &mut Buffers, logits: &mut Vec<i32>) {
        let blocks = matrix.blocks();
        let tiles = blocks.div_ceil(TILE);
        logits.clear();
        logits.resize(tiles * TILE, 0);
        if blocks == 0 {
            return;
        }
        let pairs = self.width / 2;
        buffers.h.resize(pairs * tiles, [0; TILE]);
        buffers.h0.resize(pairs * tiles, [0; TILE]);
        buffers.z.clear();
        buffers.z.resize(pairs * (tiles * TILE + 2 * MARGIN), 0);
        buffers.weights.clear();
        buffers.weights.resize(tiles, [0; TILE]);
        for (block, weight) in buffers.weights.as_flattened_mut()[..blocks].iter_mut().enumerate() {
            *weight = page_weight(words.get(block).copied().unwrap_or_default());
        }
        for gated in &mut buffers.gated {
            gated.resize(pairs, [0; TILE]);
        }
        dispatch!(level, simd => self.run(simd, matrix, buffers, logits));
    }

    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, matrix: &Matrix, buffers: &mut Buffers, logits: &mut [i32]) {
        let blocks = matrix.blocks();
        let tiles = blocks.div_ceil(TILE);
        let paired = paired(simd, tiles);
        for tile in (0..paired).step_by(2) {
            self.begin::<S, 2>(simd, matrix, tiles, tile, buffers);
        }
        for tile in paired..tiles {
            self.begin::<S, 1>(simd, matrix, tiles, tile, buffers);
        }
        for layer in &self.layers {
            self.norm(simd, blocks, buffers);
            self.summarise(simd, blocks, buffers);
            layer.add_page(self.width, &buffers.page, &mut buffers.biases);
            layer.run(simd, tiles, buffers);
        }
        for tile in (0..paired).step_by(2) {
            self.end::<S, 2>(simd, tiles, tile, buffers, logits);
        }
        for tile in paired..tiles {
            self.end::<S, 1>(simd, tiles, tile, buffers, logits);
        }
    }

    /// The first dense layer over some tiles.
    #[inline(always)]
    fn begin<S: Simd, const TILES: usize>(
        &self,
        simd: S,
        matrix: &Matrix,
        tiles: usize,
        first: usize,
        buffers: &mut Buffers,
    ) {
        for t in 0..TILES {
            self.standardise(simd, matrix, first + t, &mut buffers.inputs[t]);
        }
        for group in 0..self.first.groups() {
            let inputs = std::array::from_fn(|t| &buffers.inputs[t][..]);
            let outputs = self
                .first
                .group::<S, TILES>(simd, group, self.first.biases[group], inputs);
            for (t, [a, b, c, d]) in outputs.into_iter().enumerate() {
                for (p, (low, high)) in [(2 * group, (a, b)), (2 * group + 1, (c, d))] {
                    let words = join(relu(low), relu(high));
                    words.store_array(&mut buffers.h0[p * tiles + first + t]);
                    words.store_array(&mut buffers.h[p * tiles + first + t]);
                }
            }
        }
    }

    /// The last dense layer over some tiles, and their logits.
    #[inline(always)]
    fn end<S: Simd, const TILES: usize>(
        &self,
        simd: S,
        tiles: usize,
        first: usize,
        buffers: &mut Buffers,
        logits: &mut [i32],
    ) {
        for t in 0..TILES {
            let inputs = &mut buffers.inputs[t];
            inputs.clear();
            for planes in [&buffers.h, &buffers.h0] {
                inputs.extend(planes.chunks_exact(tiles).map(|plane| plane[first + t]));
            }
        }
        let mut sums = [i32x16::splat(simd, self.logit_bias); TILES];
        for group in 0..self.last.groups() {
            let inputs = std::array::from_fn(|t| &buffers.inputs[t][..]);
            let outputs = self
                .last
                .group::<S, TILES>(simd, group, self.last.biases[group], inputs);
            for (sum, [a, b, c, d]) in sums.iter_mut().zip(outputs) {
                *sum += dot(join(relu(a), relu(b)), i32x16::splat(simd, self.logit[2 * group]));
                *sum += dot(join(relu(c), relu(d)), i32x16::splat(simd, self.logit[2 * group + 1]));
            }
        }
        for (sum, logits) in sums.into_iter().zip(&mut logits.as_chunks_mut::<TILE>().0[first..]) {
            (sum >> 8).store_array(logits);
        }
    }

    /// The inputs of a tile.
    #[inline(always)]
    fn standardise<S: Simd>(&self, simd: S, matrix: &Matrix, tile: usize, words: &mut Vec<Words>) {
        words.clear();
        for inputs in self.inputs.chunks(2) {
            let low = inputs[0].standardise(simd, matrix, tile);
            let high = match inputs.get(1) {
                Some(input) => input.standardise(simd, matrix, tile),
                None => i32x16::splat(simd, 0),
            };
            words.push(join(low, high).to_array());
        }
    }
}

impl Input {
    #[inline(always)]
    fn standardise<S: Simd>(self, simd: S, matrix: &Matrix, tile: usize) -> i32x16<S> {
        let values = &matrix.column(self.feature.into()).as_chunks::<TILE>().0[tile];
        let differences = i16x16::load_array_ref(simd, values).saturating_sub(self.mean);
        let (low, high) = differences.widen();
        let x = (low.combine(high) * i32::from(self.scale) + 128) >> 8;
        x.max(-LARGEST_INPUT).min(LARGEST_INPUT)
    }
}

impl Layer {
    /// Adds what the layer makes of the blocks to their activations.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, tiles: usize, buffers: &mut Buffers) {
        let mut done = 0;
        if let Some(winograd) = &self.winograd {
            while done + 2 <= tiles {
                self.gate_pairs(simd, winograd, tiles, done, buffers);
                if paired(simd, 2) == 2 {
                    self.add::<S, 2>(simd, 0, tiles, done, buffers);
                } else {
                    self.add::<S, 1>(simd, 0, tiles, done, buffers);
                    self.add::<S, 1>(simd, 1, tiles, done + 1, buffers);
                }
                done += 2;
            }
        }
        for tile in done..tiles {
            self.gate(simd, tiles, tile, buffers);
            self.add::<S, 1>(simd, 0, tiles, tile, buffers);
        }
    }

    /// The gated values of two tiles.
    #[inline(always)]
    fn gate_pairs<S: Simd>(&self, simd: S, winograd: &Winograd, tiles: usize, first: usize, buffers: &mut Buffers) {
        let plane = tiles * TILE + 2 * MARGIN;
        buffers.pairs.fill(simd, self.distance, &buffers.z, plane, first);
        for group in 0..self.gated.groups() {
            let outputs = winograd.group(simd, group, buffers.biases[group], &buffers.pairs);
            for (gated, [u0, u1, v0, v1]) in buffers.gated.iter_mut().zip(outputs) {
                join(gate(u0, v0), gate(u1, v1)).store_array(&mut gated[group]);
            }
        }
        order_by_block(self.distance, &mut buffers.gated);
    }

    /// The gated values of a tile.
    #[inline(always)]
    fn gate<S: Simd>(&self, simd: S, tiles: usize, tile: usize, buffers: &mut Buffers) {
        let pairs = self.back.groups() * 2;
        let plane = tiles * TILE + 2 * MARGIN;
        let inputs = &mut buffers.inputs[0];
        inputs.resize(3 * pairs, [0; TILE]);
        for (tap, words) in inputs.chunks_exact_mut(pairs).enumerate() {
            let at = MARGIN + tile * TILE + tap * self.distance - self.distance;
            for (words, z) in words.iter_mut().zip(buffers.z.chunks_exact(plane)) {
                words.copy_from_slice(&z[at..at + TILE]);
            }
        }
        for group in 0..self.gated.groups() {
            let inputs = [&buffers.inputs[0][..]];
            let [[u0, u1, v0, v1]] = self.gated.group::<S, 1>(simd, group, buffers.biases[group], inputs);
            join(gate(u0, v0), gate(u1, v1)).store_array(&mut buffers.gated[0][group]);
        }
    }

    /// Adds what some tiles of gated values give to the activations of as many tiles from `first` on.
    #[inline(always)]
    fn add<S: Simd, const TILES: usize>(
        &self,
        simd: S,
        gated: usize,
        tiles: usize,
        first: usize,
        buffers: &mut Buffers,
    ) {
        for group in 0..self.back.groups() {
            let inputs = std::array::from_fn(|t| &buffers.gated[gated + t][..]);
            let outputs = self
                .back
                .group::<S, TILES>(simd, group, self.back.biases[group], inputs);
            for (t, [a, b, c, d]) in outputs.into_iter().enumerate() {
                for (p, (low, high)) in [(2 * group, (a, b)), (2 * group + 1, (c, d))] {
                    let h = &mut buffers.h[p * tiles + first + t];
                    let (old_low, old_high) = split(i32x16::load_array_ref(simd, h));
                    join(clamp(old_low + low), clamp(old_high + high)).store_array(h);
                }
            }
        }
    }

    /// The biases of the gated matrix, with what the page adds.
    #[inline(always)]
    fn add_page(&self, width: usize, page: &[i32], biases: &mut Vec<[i32; 4]>) {
        biases.clone_from(&self.gated.biases);
        for (row, weights) in self.page.chunks_exact(2 * width).enumerate() {
            let (group, place) = (row % width / 2, row % 2 + row / width * 2);
            let products = weights.iter().zip(page).map(|(&w, &g)| i32::from(w) * g);
            biases[group][place] += products.sum::<i32>();
        }
    }
}
