//! SimHash (Charikar, "Similarity estimation techniques from rounding algorithms", 2002).

use xxhash_rust::xxh3::xxh3_64;

use crate::tokens::Tokens;

/// The tokens of a feature.
pub const FEATURE: usize = 3;

/// Returns the SimHash of a text.
///
/// A feature is [`FEATURE`] tokens in a row, joined by a space; a text with fewer tokens has one feature of all of them. Its
/// hash is XXH3 (64 bits, seed 0) of the feature in UTF-8. Bit `i` of the SimHash is set if more than half of the text's
/// features, each as often as it occurs, have bit `i` of their hash set. The SimHash of a text without tokens is 0.
pub fn simhash(tokens: &Tokens) -> u64 {
    let mut set = [0_u32; 64];
    let mut features = 0_u32;
    for feature in tokens.windows(FEATURE) {
        let hash = xxh3_64(feature.as_bytes());
        features += 1;
        for (bit, set) in set.iter_mut().enumerate() {
            *set += (hash >> bit) as u32 & 1;
        }
    }
    let bits = set.iter().enumerate();
    bits.filter(|(_, set)| **set > features / 2)
        .fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// Returns in how many bits two SimHashes differ. Near-duplicates of some length differ in few.
pub fn simhash_distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}
