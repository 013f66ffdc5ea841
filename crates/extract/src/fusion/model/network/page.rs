//! Inputs of a network from the page as a whole: the norm of each block, and the page's means and maxima.

use fearless_simd::{Bytes, Simd, SimdBase, i16x32, i32x16};

use super::dense::{LARGEST, TILE, Words, dot, join, split};
use super::{Buffers, LARGEST_NORMED, MARGIN, Network};

/// The largest weight of a block in the page's mean.
const LARGEST_WEIGHT: f64 = 32767.0;

impl Network {
    /// Sets `z` to the normed activations, and to 0 after the last block.
    #[inline(always)]
    pub(super) fn norm<S: Simd>(&self, simd: S, blocks: usize, buffers: &mut Buffers) {
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
    pub(super) fn summarise<S: Simd>(&self, simd: S, blocks: usize, buffers: &mut Buffers) {
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
            // The room that is left in the sums of 32 bits.
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

/// Moves what the lanes hold to sums of 64 bits.
#[inline(always)]
fn flush<S: Simd>(sums: &mut [i64; 2], partial: &mut [i32x16<S>; 2]) {
    for (sum, partial) in sums.iter_mut().zip(partial) {
        *sum += partial.to_array().iter().map(|&lane| i64::from(lane)).sum::<i64>();
        *partial ^= *partial;
    }
}

/// The weight in the page's mean of a block with so many words. Doubles give the very root, as in [`factors`].
pub(super) fn page_weight(words: u32) -> i32 {
    let square = (f64::from(words) + 1.0) * 256.0;
    square.sqrt().min(LARGEST_WEIGHT) as i32
}

/// `2^32 / isqrt(square * 65536 / width + 65536)` for sums of squares.
///
/// The numbers are below 2^53 and no quotient lies closer below a whole number than a double can resolve, so that
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
