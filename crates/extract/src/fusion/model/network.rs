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
//! with `dense(W, x, b) = clamp(round(W·x + b))` and `round(y) = (y + 2048) >> 12`. Weights are in units of 2^-12, biases
//! of 2^-20, activations of 2^-8; the latter are clamped to ±8191. Shifts round down. The norm of a block is either
//! nothing or `z = (h·(2^32 / r) + 32768) >> 16` with `r = isqrt(Σh² · 65536 / D + 65536)`, where divisions round down.
//! The mean over the page is rounded, and weighted by `min(isqrt((words + 1)·256), 32767)`.
//!
//! The reader refuses a network whose sums could leave 32 bits, so results are exact and the same on every machine.
//!
//! **Layout.** Two channels of a block make one 32-bit word, so that one instruction multiplies both and adds. The
//! words of a pair of channels stand side by side for all blocks, a *plane*. Blocks are worked on in tiles of 16. A page
//! takes `6·D` bytes a block, and a few besides.

use fearless_simd::{
    Bytes, Level, Simd, SimdBase, SimdCombine, SimdInt, SimdIntWiden, SimdWiden, dispatch, i16x16, i16x32, i32x16,
};

use super::reader::Reader;
use crate::fusion::matrix::Matrix;

/// The blocks of a tile.
const TILE: usize = 16;

/// The largest activation.
const LARGEST: i32 = 8191;

/// The largest standardised input.
const LARGEST_INPUT: i32 = 1024;

/// The largest activation behind the norm: 8, the root of 64 channels, and a little for rounding.
const LARGEST_NORMED: i32 = 2304;

/// The largest weight of a block in the page's mean.
const LARGEST_WEIGHT: f64 = 32767.0;

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
    /// From three blocks to values and gates. In a group of four, two values are followed by their gates.
    gated: Dense,
    /// What the page's means and maxima add, row by row.
    page: Vec<i16>,
    /// Back to the channels.
    back: Dense,
}

/// A matrix with biases, for groups of four outputs.
#[derive(Clone, Debug)]
struct Dense {
    /// For every group of outputs and every pair of inputs the four pairs of weights.
    weights: Vec<[i32; 4]>,
    biases: Vec<[i32; 4]>,
    /// Pairs of inputs.
    pairs: usize,
}

/// Sixteen blocks of one plane.
type Words = [i32; TILE];

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
    /// The inputs of a dense layer.
    tile: Vec<Words>,
    /// The gated values of a tile.
    gated: Vec<Words>,
    /// The page's means and maxima.
    page: Vec<i32>,
    /// A layer's biases with what the page adds.
    biases: Vec<[i32; 4]>,
}

/// Two 16-bit numbers as a word.
fn pair(low: i32, high: i32) -> i32 {
    (low & 0xFFFF) | (high << 16)
}

impl Network {
    /// Reads the section. `features` is the number of columns of a matrix.
    pub fn read(reader: Reader<'_>, features: usize) -> Result<Self, &'static str> {
        const CUT: &str = "ends too early";
        let mut reader = reader;
        let width = usize::from(reader.u8().ok_or(CUT)?);
        if !(8..=64).contains(&width) || !width.is_multiple_of(8) {
            return Err("has a width other than 8, 16 … 64");
        }
        let count = usize::from(reader.u8().ok_or(CUT)?);
        if !(1..=MAX_LAYERS).contains(&count) {
            return Err("has a number of layers other than 1 to 6");
        }
        let input_count = usize::from(reader.u16().ok_or(CUT)?);
        let normed = match reader.u8().ok_or(CUT)? {
            0 => false,
            1 => true,
            _ => return Err("has an unknown norm"),
        };
        let mut inputs = Vec::new();
        for _ in 0..input_count {
            let input = Input {
                feature: reader.u16().ok_or(CUT)?,
                mean: reader.i16().ok_or(CUT)?,
                scale: reader.u16().ok_or(CUT)?,
            };
            if usize::from(input.feature) >= features {
                return Err("names a feature that does not exist");
            }
            inputs.push(input);
        }
        if inputs.is_empty() {
            return Err("has no inputs");
        }
        let z = if normed { LARGEST_NORMED } else { LARGEST };
        let weights = reader.i16s(width * input_count).ok_or(CUT)?;
        let biases = reader.i32s(width).ok_or(CUT)?;
        check(&weights, LARGEST_INPUT, &biases)?;
        let first = Dense::new(&weights, &biases, |group, i| 4 * group + i);
        let mut layers = Vec::new();
        for _ in 0..count {
            let taps = reader.i16s(2 * width * 3 * width).ok_or(CUT)?;
            let biases = reader.i32s(2 * width).ok_or(CUT)?;
            let page = reader.i16s(2 * width * 2 * width).ok_or(CUT)?;
            let rows = taps.chunks(3 * width).zip(page.chunks(2 * width));
            let both: Vec<i16> = rows.flat_map(|(taps, page)| [taps, page].concat()).collect();
            check(&both, z, &biases)?;
            let back = reader.i16s(width * width).ok_or(CUT)?;
            let none = vec![0; width];
            check(&back, LARGEST, &none)?;
            layers.push(Layer {
                gated: Dense::new(&taps, &biases, |group, i| 2 * group + i % 2 + i / 2 * width),
                page,
                back: Dense::new(&back, &none, |group, i| 4 * group + i),
            });
        }
        let weights = reader.i16s(width * 2 * width).ok_or(CUT)?;
        let biases = reader.i32s(width).ok_or(CUT)?;
        check(&weights, LARGEST, &biases)?;
        let logit = reader.i16s(width).ok_or(CUT)?;
        let logit_bias = reader.i32().ok_or(CUT)?;
        check(&logit, LARGEST, &[logit_bias])?;
        if !reader.0.is_empty() {
            return Err("is too long");
        }
        Ok(Self {
            width,
            normed,
            inputs,
            first,
            layers,
            last: Dense::new(&weights, &biases, |group, i| 4 * group + i),
            logit: logit.chunks(2).map(|w| pair(w[0].into(), w[1].into())).collect(),
            logit_bias,
        })
    }

    /// The logits of all blocks, in units of 2^-12. There may be some more behind them.
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
        buffers.gated.resize(pairs, [0; TILE]);
        dispatch!(level, simd => self.run(simd, matrix, buffers, logits));
    }

    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, matrix: &Matrix, buffers: &mut Buffers, logits: &mut [i32]) {
        let blocks = matrix.blocks();
        let tiles = blocks.div_ceil(TILE);
        let pairs = self.width / 2;
        for tile in 0..tiles {
            self.standardise(simd, matrix, tile, &mut buffers.tile);
            for group in 0..self.first.groups() {
                let [a, b, c, d] = self.first.group(simd, group, self.first.biases[group], &buffers.tile);
                for (p, (low, high)) in [(2 * group, (a, b)), (2 * group + 1, (c, d))] {
                    let words = join(relu(low), relu(high));
                    words.store_array(&mut buffers.h0[p * tiles + tile]);
                    words.store_array(&mut buffers.h[p * tiles + tile]);
                }
            }
        }
        for (l, layer) in self.layers.iter().enumerate() {
            let distance = 1 << l;
            self.norm(simd, blocks, buffers);
            self.summarise(simd, blocks, buffers);
            layer.add_page(self.width, &buffers.page, &mut buffers.biases);
            let plane = tiles * TILE + 2 * MARGIN;
            for tile in 0..tiles {
                buffers.tile.resize(3 * pairs, [0; TILE]);
                for (tap, words) in buffers.tile.chunks_exact_mut(pairs).enumerate() {
                    let at = MARGIN + tile * TILE + tap * distance - distance;
                    for (words, z) in words.iter_mut().zip(buffers.z.chunks_exact(plane)) {
                        words.copy_from_slice(&z[at..at + TILE]);
                    }
                }
                for group in 0..layer.gated.groups() {
                    let [u0, u1, v0, v1] = layer.gated.group(simd, group, buffers.biases[group], &buffers.tile);
                    join(gate(u0, v0), gate(u1, v1)).store_array(&mut buffers.gated[group]);
                }
                for group in 0..layer.back.groups() {
                    let [a, b, c, d] = layer.back.group(simd, group, layer.back.biases[group], &buffers.gated);
                    for (p, (low, high)) in [(2 * group, (a, b)), (2 * group + 1, (c, d))] {
                        let h = &mut buffers.h[p * tiles + tile];
                        let (old_low, old_high) = split(i32x16::load_array_ref(simd, h));
                        join(clamp(old_low + low), clamp(old_high + high)).store_array(h);
                    }
                }
            }
        }
        for (tile, logits) in logits.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
            buffers.tile.clear();
            for planes in [&buffers.h, &buffers.h0] {
                buffers.tile.extend(planes.chunks_exact(tiles).map(|plane| plane[tile]));
            }
            let mut sum = i32x16::splat(simd, self.logit_bias);
            for group in 0..self.last.groups() {
                let [a, b, c, d] = self.last.group(simd, group, self.last.biases[group], &buffers.tile);
                sum += dot(join(relu(a), relu(b)), i32x16::splat(simd, self.logit[2 * group]));
                sum += dot(join(relu(c), relu(d)), i32x16::splat(simd, self.logit[2 * group + 1]));
            }
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

    /// Sets `z` to the normed activations, and to 0 behind the last block.
    #[inline(always)]
    fn norm<S: Simd>(&self, simd: S, blocks: usize, buffers: &mut Buffers) {
        let tiles = blocks.div_ceil(TILE);
        let plane = tiles * TILE + 2 * MARGIN;
        if self.normed {
            for tile in 0..tiles {
                let mut squares = i32x16::splat(simd, 0);
                for h in buffers.h.chunks_exact(tiles) {
                    let words = i32x16::load_array_ref(simd, &h[tile]);
                    squares += dot(words, words);
                }
                let factors = i32x16::load_array(simd, factors(squares.to_array(), self.width));
                for (h, z) in buffers.h.chunks_exact(tiles).zip(buffers.z.chunks_exact_mut(plane)) {
                    let (low, high) = split(i32x16::load_array_ref(simd, &h[tile]));
                    let (low, high) = ((low * factors + 32768) >> 16, (high * factors + 32768) >> 16);
                    join(low, high).store_slice(&mut z[MARGIN + tile * TILE..][..TILE]);
                }
            }
        } else {
            for (h, z) in buffers.h.chunks_exact(tiles).zip(buffers.z.chunks_exact_mut(plane)) {
                z[MARGIN..][..tiles * TILE].copy_from_slice(h.as_flattened());
            }
        }
        for z in buffers.z.chunks_exact_mut(plane) {
            z[MARGIN + blocks..][..tiles * TILE - blocks].fill(0);
        }
    }

    /// The page's means of `z`, and its maxima.
    #[inline(always)]
    fn summarise<S: Simd>(&self, simd: S, blocks: usize, buffers: &mut Buffers) {
        let tiles = blocks.div_ceil(TILE);
        let plane = tiles * TILE + 2 * MARGIN;
        let bound = if self.normed { LARGEST_NORMED } else { LARGEST };
        let total: i64 = buffers.weights.as_flattened().iter().map(|&w| i64::from(w)).sum();
        buffers.page.clear();
        buffers.page.resize(2 * self.width, 0);
        for (p, z) in buffers.z.chunks_exact(plane).enumerate() {
            let z = z[MARGIN..][..tiles * TILE].as_chunks::<TILE>().0;
            let mut sums = [0_i64; 2];
            let mut partial = [i32x16::splat(simd, 0); 2];
            let mut largest = i16x32::splat(simd, i16::MIN);
            // What the sums of 32 bits have room for.
            let mut room = 0;
            for (tile, (z, weights)) in z.iter().zip(&buffers.weights).enumerate() {
                let needed = 2 * bound * weights.iter().fold(0, |a, &b| a.max(b));
                if room < needed {
                    flush(&mut sums, &mut partial);
                    room = i32::MAX;
                }
                room -= needed;
                let words = i32x16::load_array_ref(simd, z);
                let weights = i32x16::load_array_ref(simd, weights);
                let (low, high) = split(words);
                partial[0] += low * weights;
                partial[1] += high * weights;
                if (tile + 1) * TILE <= blocks {
                    largest = largest.max(words.bitcast::<i16x32<S>>());
                }
            }
            flush(&mut sums, &mut partial);
            let largest: i32x16<S> = largest.bitcast();
            let largest = largest.to_array();
            let rest = &z.as_flattened()[blocks / TILE * TILE..blocks];
            for (channel, sum) in (2 * p..).zip(sums) {
                let largest = largest
                    .iter()
                    .chain(rest)
                    .map(|&word| (word >> (channel % 2 * 16)) as i16)
                    .max();
                buffers.page[channel] = (2 * sum + total).div_euclid(2 * total) as i32;
                buffers.page[self.width + channel] = largest.unwrap_or_default().into();
            }
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

impl Dense {
    /// Orders a matrix of rows. `output` is the row of a group's output. Biases take the half that rounds.
    fn new(weights: &[i16], biases: &[i32], output: impl Fn(usize, usize) -> usize) -> Self {
        let inputs = weights.len() / biases.len();
        let groups = 0..biases.len() / 4;
        let weight = |row: usize, column: usize| {
            let row = &weights[row * inputs..][..inputs];
            i32::from(row.get(column).copied().unwrap_or_default())
        };
        let weights = groups.clone().flat_map(|group| {
            let rows: [usize; 4] = std::array::from_fn(|i| output(group, i));
            (0..inputs.div_ceil(2)).map(move |p| rows.map(|row| pair(weight(row, 2 * p), weight(row, 2 * p + 1))))
        });
        Self {
            weights: weights.collect(),
            biases: groups
                .map(|group| std::array::from_fn(|i| biases[output(group, i)] + 2048))
                .collect(),
            pairs: inputs.div_ceil(2),
        }
    }

    fn groups(&self) -> usize {
        self.biases.len()
    }

    /// Four outputs of sixteen blocks, rounded but not clamped. `inputs` has a plane a pair.
    #[inline(always)]
    fn group<S: Simd>(&self, simd: S, group: usize, biases: [i32; 4], inputs: &[Words]) -> [i32x16<S>; 4] {
        let mut a = i32x16::splat(simd, biases[0]);
        let mut b = i32x16::splat(simd, biases[1]);
        let mut c = i32x16::splat(simd, biases[2]);
        let mut d = i32x16::splat(simd, biases[3]);
        let weights = &self.weights[group * self.pairs..][..self.pairs];
        for (weights, words) in weights.iter().zip(inputs) {
            let words = i32x16::load_array_ref(simd, words);
            a += dot(words, i32x16::splat(simd, weights[0]));
            b += dot(words, i32x16::splat(simd, weights[1]));
            c += dot(words, i32x16::splat(simd, weights[2]));
            d += dot(words, i32x16::splat(simd, weights[3]));
        }
        [a >> 12, b >> 12, c >> 12, d >> 12]
    }
}

/// The sum of the products of both halves of words.
#[inline(always)]
fn dot<S: Simd>(a: i32x16<S>, b: i32x16<S>) -> i32x16<S> {
    a.bitcast::<i16x32<S>>().pairwise_dot_product(b.bitcast::<i16x32<S>>())
}

/// Both channels of words.
#[inline(always)]
fn split<S: Simd>(words: i32x16<S>) -> (i32x16<S>, i32x16<S>) {
    ((words << 16) >> 16, words >> 16)
}

/// The words of two channels.
#[inline(always)]
fn join<S: Simd>(low: i32x16<S>, high: i32x16<S>) -> i32x16<S> {
    (low & 0xFFFF) | (high << 16)
}

#[inline(always)]
fn clamp<S: Simd>(x: i32x16<S>) -> i32x16<S> {
    x.max(-LARGEST).min(LARGEST)
}

#[inline(always)]
fn relu<S: Simd>(x: i32x16<S>) -> i32x16<S> {
    x.max(0).min(LARGEST)
}

/// A value times its gate.
#[inline(always)]
fn gate<S: Simd>(value: i32x16<S>, gate: i32x16<S>) -> i32x16<S> {
    let open = ((clamp(gate) >> 2) + 128).max(0).min(256);
    (clamp(value) * open) >> 8
}

/// Moves what the lanes hold to sums of 64 bits.
#[inline(always)]
fn flush<S: Simd>(sums: &mut [i64; 2], partial: &mut [i32x16<S>; 2]) {
    for (sum, partial) in sums.iter_mut().zip(partial) {
        *sum += partial.to_array().iter().map(|&lane| i64::from(lane)).sum::<i64>();
        *partial ^= *partial;
    }
}

/// The weight in the page's mean of a block with so many words. Doubles give the very root, as in [`factors`].
fn page_weight(words: u32) -> i32 {
    let square = (f64::from(words) + 1.0) * 256.0;
    square.sqrt().min(LARGEST_WEIGHT) as i32
}

/// `2^32 / isqrt(square * 65536 / width + 65536)` for sums of squares.
///
/// The numbers are below 2^53 and no quotient lies closer below a whole number than a double can tell apart, so that
/// doubles give the very results of integers, and faster.
#[inline(always)]
fn factors(squares: Words, width: usize) -> Words {
    let mut factors = [0; TILE];
    for (factor, square) in factors.iter_mut().zip(squares) {
        let mean = (f64::from(square as u32) * 65536.0 / width as f64).floor() + 65536.0;
        *factor = (4_294_967_296.0 / mean.sqrt().floor()) as i32;
    }
    factors
}

/// Checks that no sum of a row leaves 32 bits where inputs are up to `bound`.
fn check(weights: &[i16], bound: i32, biases: &[i32]) -> Result<(), &'static str> {
    let inputs = weights.len() / biases.len();
    for (weights, bias) in weights.chunks(inputs).zip(biases) {
        let sum: i64 = weights.iter().map(|&w| i64::from(w).abs()).sum();
        if sum * i64::from(bound) + i64::from(*bias).abs() + 2048 > i32::MAX.into() {
            return Err("has weights whose sums could be too large");
        }
    }
    Ok(())
}
