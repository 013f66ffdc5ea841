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
    let mut set = BitCounts::new();
    for feature in tokens.windows(FEATURE) {
        set.count(xxh3_64(feature.as_bytes()));
    }
    set.majority()
}

/// How often each of 64 bits is set.
struct BitCounts {
    /// The counts of bits `i`, `i + 8`, … of what was counted last stand in the bytes of number `i`: eight are counted at a time.
    recent: [u64; 8],
    /// How many numbers are counted there: no more than a byte can count.
    of_recent: u8,
    counts: [u32; 64],
    numbers: u32,
}

impl BitCounts {
    fn new() -> Self {
        Self {
            recent: [0; 8],
            of_recent: 0,
            counts: [0; 64],
            numbers: 0,
        }
    }

    fn count(&mut self, number: u64) {
        for (bit, counts) in self.recent.iter_mut().enumerate() {
            *counts += (number >> bit) & 0x0101_0101_0101_0101;
        }
        self.of_recent += 1;
        if self.of_recent == u8::MAX {
            self.add_recent();
        }
    }

    fn add_recent(&mut self) {
        for (bit, counts) in self.recent.iter_mut().enumerate() {
            for (byte, count) in counts.to_le_bytes().into_iter().enumerate() {
                self.counts[8 * byte + bit] += u32::from(count);
            }
            *counts = 0;
        }
        self.numbers += u32::from(self.of_recent);
        self.of_recent = 0;
    }

    /// The bits that are set in more than half of the numbers.
    fn majority(mut self) -> u64 {
        self.add_recent();
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|(_, count)| **count > self.numbers / 2)
            .fold(0, |bits, (bit, _)| bits | 1 << bit)
    }
}

/// Returns in how many bits two SimHashes differ. Near-duplicates of some length differ in few.
pub fn simhash_distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}
