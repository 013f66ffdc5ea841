//! MinHash (Broder, "On the resemblance and containment of documents", 1997).

use std::fmt;

use fearless_simd::{Level, Simd, dispatch};

use crate::base64;
use crate::shingles::shingle_hashes;
use crate::tokens::Tokens;

/// The number of hash functions.
pub const PERMUTATIONS: usize = 128;

/// The multipliers and the summands of the hash functions.
static FUNCTIONS: ([u64; PERMUTATIONS], [u64; PERMUTATIONS]) = functions();

const fn functions() -> ([u64; PERMUTATIONS], [u64; PERMUTATIONS]) {
    let (mut multipliers, mut summands) = ([0; PERMUTATIONS], [0; PERMUTATIONS]);
    let mut state = 0_u64;
    let mut i = 0;
    while i < PERMUTATIONS {
        multipliers[i] = split_mix(&mut state) | 1;
        summands[i] = split_mix(&mut state);
        i += 1;
    }
    (multipliers, summands)
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = *state;
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The MinHash of a set: for each of [`PERMUTATIONS`] hash functions the least hash of its elements.
///
/// The share of minima in which two sets agree estimates their Jaccard similarity; the standard error is at most .045.
///
/// - Function `i` is `h(x) = ((a · (x mod 2^32) + b) mod 2^64) >> 32`.
/// - `a` and `b` are numbers `2i` and `2i + 1` (from 0) of the generator SplitMix64 with seed 0; the lowest bit of `a` is set.
/// - The minima of the empty set are 2^32 - 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MinHash([u32; PERMUTATIONS]);

impl MinHash {
    /// Returns the MinHash of a set of hashes, such as [`shingles`](crate::shingles). Neither their order counts, nor
    /// how often each stands there.
    pub fn of(hashes: &[u64]) -> Self {
        let mut minima = [u32::MAX; PERMUTATIONS];
        let level = Level::new();
        dispatch!(level, simd => take_minima(simd, hashes, &mut minima));
        Self(minima)
    }

    /// Returns the MinHash of a text's [`shingles`](crate::shingles), without sorting them.
    pub fn of_text(tokens: &Tokens) -> Self {
        Self::of(&shingle_hashes(tokens).collect::<Vec<_>>())
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

/// Takes the minima of all functions over these hashes. The compiler makes it for each level of vector instructions.
#[inline(always)]
fn take_minima<S: Simd>(simd: S, hashes: &[u64], minima: &mut [u32; PERMUTATIONS]) {
    /// Elements that are taken together, so that the functions are read less often.
    const GROUP: usize = 4;
    simd.vectorize(
        #[inline(always)]
        || {
            let (multipliers, summands) = &FUNCTIONS;
            let hash = |x: u64, i: usize| (multipliers[i].wrapping_mul(x).wrapping_add(summands[i]) >> 32) as u32;
            let (groups, rest) = hashes.as_chunks::<GROUP>();
            for group in groups {
                let group = group.map(|x| x & 0xFFFF_FFFF);
                for (i, least) in minima.iter_mut().enumerate() {
                    for x in group {
                        *least = (*least).min(hash(x, i));
                    }
                }
            }
            for x in rest {
                for (i, least) in minima.iter_mut().enumerate() {
                    *least = (*least).min(hash(x & 0xFFFF_FFFF, i));
                }
            }
        },
    );
}

impl fmt::Debug for MinHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MinHash").field(&self.to_base64()).finish()
    }
}
