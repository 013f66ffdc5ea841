//! Shingles: tokens in a row (Broder, "On the resemblance and containment of documents", 1997).

use crate::tokens::Tokens;

/// The tokens of a shingle.
pub const SHINGLE: usize = 5;

/// Returns the set of a text's shingles: sorted, each once.
///
/// A shingle is [`SHINGLE`] tokens in a row; a text with fewer tokens has one shingle of all of them, and a text
/// without tokens has none. Its hash `h` is made of the hashes of its tokens: beginning with 0, `h` becomes `h ·
/// 0x9E3779B97F4A7C15` plus the hash of the next token, modulo 2^64; in the end `h ^= h >> 37`, `h *=
/// 0x165667919E3779F9`, `h ^= h >> 32`.
pub fn shingles(tokens: &Tokens) -> Vec<u64> {
    let mut hashes = Vec::new();
    shingles_into(tokens, &mut hashes);
    hashes
}

/// Computes the [`shingles`] in a vector whose memory is reused.
pub fn shingles_into(tokens: &Tokens, hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.extend(tokens.rows(SHINGLE));
    hashes.sort_unstable();
    hashes.dedup();
}

/// Returns the Jaccard similarity of two sets: what they share, divided by what both have together. The slices are
/// sorted. A value that is in them several times counts as often, as in multisets. The similarity of two empty sets
/// is 0, because nothing is known of them.
pub fn jaccard<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        // Without a branch: which of the two is smaller cannot be foreseen.
        common += usize::from(x == y);
        let (next_i, next_j) = (i + usize::from(x <= y), j + usize::from(y <= x));
        (i, j) = (next_i, next_j);
    }
    match a.len() + b.len() - common {
        0 => 0.0,
        all => common as f64 / all as f64,
    }
}
