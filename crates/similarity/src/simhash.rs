//! SimHash (Charikar, "Similarity estimation techniques from rounding algorithms", 2002).

use fearless_simd::{Level, Simd, dispatch};

use crate::tokens::Tokens;

/// The tokens of a feature.
pub const FEATURE: usize = 3;

/// Returns the SimHash of a text.
///
/// A feature is [`FEATURE`] tokens in a row; a text with fewer tokens has one feature of all of them. Its hash is that
/// of a [shingle](crate::shingles) of these tokens. Bit `i` of the SimHash is set if more than half of the text's
/// features, each as often as it occurs, have bit `i` of their hash set. The SimHash of a text without tokens is 0.
pub fn simhash(tokens: &Tokens) -> u64 {
    let mut features = tokens.rows(FEATURE);
    let mut counts = [0; 64];
    let mut numbers = 0;
    let mut batch = [0; BATCH];
    let level = Level::new();
    loop {
        let mut length = 0;
        for (place, feature) in batch.iter_mut().zip(&mut features) {
            *place = feature;
            length += 1;
        }
        if length == 0 {
            break;
        }
        dispatch!(level, simd => count_bits(simd, &batch[..length], &mut counts));
        numbers += length as u32;
    }
    let counts = counts.iter().enumerate();
    counts
        .filter(|(_, count)| **count > numbers / 2)
        .fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// Numbers whose bits are counted at a time: no more than a byte can count.
const BATCH: usize = u8::MAX as usize;

/// Counts how often each bit is set. The compiler makes it for each level of vector instructions.
#[inline(always)]
fn count_bits<S: Simd>(simd: S, numbers: &[u64], counts: &mut [u32; 64]) {
    simd.vectorize(
        #[inline(always)]
        || {
            // The counts of bits `i`, `i + 8`, … are in the bytes of number `i`: eight are counted at a time.
            let mut bytes = [0_u64; 8];
            for number in numbers {
                for (bit, bytes) in bytes.iter_mut().enumerate() {
                    *bytes += (number >> bit) & 0x0101_0101_0101_0101;
                }
            }
            for (bit, bytes) in bytes.iter().enumerate() {
                for (byte, count) in bytes.to_le_bytes().into_iter().enumerate() {
                    counts[8 * byte + bit] += u32::from(count);
                }
            }
        },
    );
}

/// Returns in how many bits two SimHashes differ. Near-duplicates of some length differ in few.
pub fn simhash_distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}
