//! MinHash (Broder, "On the resemblance and containment of documents", 1997).

use std::fmt;

use fearless_simd::{Level, Simd, SimdBase, SimdFrom, dispatch, u32x8};

use crate::base64;
use crate::shingles::SHINGLE;
use crate::tokens::Tokens;

/// The number of hash functions.
pub const PERMUTATIONS: usize = 128;

/// The MinHash of a set: for each of [`PERMUTATIONS`] hash functions the least hash of its elements.
///
/// The share of minima in which two sets agree estimates their Jaccard similarity; the standard error is at most .045.
///
/// - Function `i`, from 0, is `h(x) = (x + i · s) mod 2^32`, where `x` is the lower half of the element, and `s` is the
///   same after the last step of MurmurHash3, by which its bits are mixed (double hashing: Kirsch and Mitzenmacher,
///   "Less hashing, same performance: building a better Bloom filter", 2006). The hashes of an element by two of these
///   functions are nearly independent: if the numbers of the functions differ by a multiple of 2^k, they agree in their
///   lowest k bits, which hardly matter to a minimum.
/// - The minima of the empty set are 2^32 - 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MinHash([u32; PERMUTATIONS]);

impl MinHash {
    /// Returns the MinHash of a set of hashes, such as [`shingles`](crate::shingles). Neither their order counts, nor
    /// how often each is there.
    pub fn new(hashes: &[u64]) -> Self {
        let mut minima = [u32::MAX; PERMUTATIONS];
        let level = Level::new();
        dispatch!(level, simd => take_minima(simd, hashes, &mut minima));
        Self(minima)
    }

    /// Returns the MinHash of a text's [`shingles`](crate::shingles), without sorting them.
    pub fn of_text(tokens: &Tokens) -> Self {
        Self::new(&tokens.rows(SHINGLE).collect::<Vec<_>>())
    }

    /// Returns the minima.
    pub fn minima(&self) -> &[u32; PERMUTATIONS] {
        &self.0
    }

    /// Returns the share of minima in which both agree, 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / PERMUTATIONS as f64
    }

    /// Returns the minima as little-endian bytes in base64 (RFC 4648, with padding).
    pub fn to_base64(&self) -> String {
        base64::encode(&self.0)
    }

    /// Reads what [`MinHash::to_base64`] wrote. `None` if the text is anything else.
    pub fn from_base64(text: &str) -> Option<Self> {
        let minima: Vec<u32> = base64::decode(text)?;
        minima.try_into().ok().map(Self)
    }
}

/// The last step of MurmurHash3 (Appleby), which makes each bit depend on all.
fn mixed(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x85EB_CA6B);
    let x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE35);
    x ^ (x >> 16)
}

/// Functions that are computed at a time.
const LANES: usize = 8;

/// Elements that are taken together, so that the minima are read and written less often.
const GROUP: usize = 4;

/// Takes the minima of all functions over these hashes. The compiler makes it for each level of vector instructions.
#[inline(always)]
fn take_minima<S: Simd>(simd: S, hashes: &[u64], minima: &mut [u32; PERMUTATIONS]) {
    simd.vectorize(
        #[inline(always)]
        || {
            let numbers = u32x8::simd_from(simd, std::array::from_fn(|lane| lane as u32));
            // The hashes of an element by the first functions, and what is added for those after them.
            let start = |element: u64| {
                let x = element as u32;
                let step = mixed(x);
                let hashes = numbers * step + x;
                (hashes, u32x8::splat(simd, step.wrapping_mul(LANES as u32)))
            };
            let (groups, rest) = hashes.as_chunks::<GROUP>();
            for group in groups {
                take(simd, group.map(start), minima);
            }
            for element in rest {
                take(simd, [start(*element)], minima);
            }
        },
    );
}

/// Takes the minima over some elements.
#[inline(always)]
fn take<S: Simd, const N: usize>(simd: S, mut elements: [(u32x8<S>, u32x8<S>); N], minima: &mut [u32; PERMUTATIONS]) {
    for minima in minima.as_chunks_mut::<LANES>().0 {
        let mut least = u32x8::simd_from(simd, *minima);
        for (hashes, step) in &mut elements {
            least = least.min(*hashes);
            *hashes += *step;
        }
        least.store_array(minima);
    }
}

impl fmt::Debug for MinHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MinHash").field(&self.to_base64()).finish()
    }
}
