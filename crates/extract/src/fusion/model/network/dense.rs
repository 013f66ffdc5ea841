//! Dense layers over tiles of blocks, and the vector arithmetic that they are made of.

use fearless_simd::{Bytes, Simd, SimdBase, SimdIntWiden, i16x32, i32x16};

/// The blocks of a tile.
pub(super) const TILE: usize = 16;

/// The largest activation.
pub(super) const LARGEST: i32 = 8191;

/// Sixteen blocks of one plane.
pub(super) type Words = [i32; TILE];

/// A matrix with biases, for groups of four outputs.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// For every group of outputs and every pair of inputs the four pairs of weights.
    weights: Vec<[i32; 4]>,
    pub(super) biases: Vec<[i32; 4]>,
    /// Pairs of inputs.
    pairs: usize,
}

impl Dense {
    /// Orders a matrix of rows. `output` is the row of a group's output. Biases take the half that rounds.
    pub(super) fn new(weights: &[i16], biases: &[i32], output: impl Fn(usize, usize) -> usize) -> Self {
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

    pub(super) fn groups(&self) -> usize {
        self.biases.len()
    }

    /// Four outputs of the blocks of some tiles, rounded but not clamped. `inputs` has for each tile a plane a pair.
    ///
    /// Each weight is loaded once for all of the tiles.
    #[inline(always)]
    pub(super) fn group<S: Simd, const TILES: usize>(
        &self,
        simd: S,
        group: usize,
        biases: [i32; 4],
        inputs: [&[Words]; TILES],
    ) -> [[i32x16<S>; 4]; TILES] {
        if TILES == 1 {
            // The compiler keeps these four sums in registers; with the arrays below, AVX2 takes a sixth more
            // instructions.
            return [self.group_of_one(simd, group, biases, inputs[0]); TILES];
        }
        let mut sums = [[i32x16::splat(simd, 0); 4]; TILES];
        for sums in &mut sums {
            for i in 0..4 {
                sums[i] = i32x16::splat(simd, biases[i]);
            }
        }
        let weights = &self.weights[group * self.pairs..][..self.pairs];
        let mut planes = inputs;
        for inputs in &mut planes {
            *inputs = &inputs[..weights.len()];
        }
        for (pair, weights) in weights.iter().enumerate() {
            for (sums, inputs) in sums.iter_mut().zip(&planes) {
                let words = i32x16::load_array_ref(simd, &inputs[pair]);
                for i in 0..4 {
                    sums[i] += dot(words, i32x16::splat(simd, weights[i]));
                }
            }
        }
        for sums in &mut sums {
            for sum in sums {
                *sum >>= 12;
            }
        }
        sums
    }

    /// [`Self::group`] of one tile.
    #[inline(always)]
    fn group_of_one<S: Simd>(&self, simd: S, group: usize, biases: [i32; 4], inputs: &[Words]) -> [i32x16<S>; 4] {
        let mut sums = [i32x16::splat(simd, 0); 4];
        for i in 0..4 {
            sums[i] = i32x16::splat(simd, biases[i]);
        }
        let [a, b, c, d] = self.add(simd, group, sums, inputs);
        [a >> 12, b >> 12, c >> 12, d >> 12]
    }

    /// Adds the products of a group's four outputs to sums of a tile.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &self,
        simd: S,
        group: usize,
        [mut a, mut b, mut c, mut d]: [i32x16<S>; 4],
        inputs: &[Words],
    ) -> [i32x16<S>; 4] {
        let weights = &self.weights[group * self.pairs..][..self.pairs];
        for (weights, words) in weights.iter().zip(inputs) {
            let words = i32x16::load_array_ref(simd, words);
            a += dot(words, i32x16::splat(simd, weights[0]));
            b += dot(words, i32x16::splat(simd, weights[1]));
            c += dot(words, i32x16::splat(simd, weights[2]));
            d += dot(words, i32x16::splat(simd, weights[3]));
        }
        [a, b, c, d]
    }
}

/// How many of some tiles are computed two at a time. AVX-512 has registers for the sums of two; elsewhere, those of
/// one tile take twice or four times as many.
#[inline(always)]
pub(super) fn paired<S: Simd>(simd: S, tiles: usize) -> usize {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if matches!(simd.level(), fearless_simd::Level::Avx512(_)) {
        return tiles / 2 * 2;
    }
    let _ = (simd, tiles);
    0
}

/// Two 16-bit numbers as a word.
pub(super) fn pair(low: i32, high: i32) -> i32 {
    (low & 0xFFFF) | (high << 16)
}

/// The sum of the products of both halves of words.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: i32x16<S>, b: i32x16<S>) -> i32x16<S> {
    a.bitcast::<i16x32<S>>().pairwise_dot_product(b.bitcast::<i16x32<S>>())
}

/// Both channels of words.
#[inline(always)]
pub(super) fn split<S: Simd>(words: i32x16<S>) -> (i32x16<S>, i32x16<S>) {
    ((words << 16) >> 16, words >> 16)
}

/// The words of two channels.
#[inline(always)]
pub(super) fn join<S: Simd>(low: i32x16<S>, high: i32x16<S>) -> i32x16<S> {
    (low & 0xFFFF) | (high << 16)
}

#[inline(always)]
pub(super) fn clamp<S: Simd>(x: i32x16<S>) -> i32x16<S> {
    x.max(-LARGEST).min(LARGEST)
}

#[inline(always)]
pub(super) fn relu<S: Simd>(x: i32x16<S>) -> i32x16<S> {
    x.max(0).min(LARGEST)
}

/// A value times its gate.
#[inline(always)]
pub(super) fn gate<S: Simd>(value: i32x16<S>, gate: i32x16<S>) -> i32x16<S> {
    let open = ((clamp(gate) >> 2) + 128).max(0).min(256);
    (clamp(value) * open) >> 8
}
