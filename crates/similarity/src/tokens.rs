//! The tokens of a text.

use xxhash_rust::xxh3::xxh3_64;

use crate::words::{for_each_place, word_hash};

/// The factor of the hash of tokens in a row before the next one is added.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The tokens of a text: its [words](crate::for_each_word), each by its [hash](word_hash).
///
/// ```
/// use dehusk_similarity::{Tokens, word_hash};
///
/// let tokens = Tokens::new("It's 5 o'clock — 东京!");
/// let words = ["it", "s", "5", "o", "clock", "东", "京"];
/// assert_eq!(tokens.hashes(), words.map(word_hash));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    hashes: Vec<u64>,
    /// The text with its ASCII letters in lower case.
    lower: Vec<u8>,
}

impl Tokens {
    /// Returns the tokens of a text.
    pub fn new(text: &str) -> Self {
        let mut tokens = Self::default();
        tokens.read(text);
        tokens
    }

    /// Replaces the tokens by those of another text, and reuses the memory.
    pub fn read(&mut self, text: &str) {
        let Self { hashes, lower } = self;
        hashes.clear();
        lower.clear();
        lower.extend_from_slice(text.as_bytes());
        lower.make_ascii_lowercase();
        for_each_place(text, |place, is_ascii| {
            hashes.push(if is_ascii {
                xxh3_64(&lower[place])
            } else {
                word_hash(&text[place])
            });
        });
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether the text has no token.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the hashes of the tokens, in order.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the hashes of all sequences of `length` tokens, or that of all tokens if there are fewer.
    pub(crate) fn rows(&self, length: usize) -> impl Iterator<Item = u64> {
        let rows = self.hashes.windows(length.min(self.len()).max(1));
        rows.map(|row| row_hash(row.iter().copied()))
    }
}

/// The hash of some tokens in a row: beginning with 0, it is multiplied by [`BASE`] and the hash of the next token is
/// added, all modulo 2^64; then its bits are mixed by the last step of XXH3.
pub(crate) fn row_hash(tokens: impl Iterator<Item = u64>) -> u64 {
    let row = tokens.fold(0_u64, |row, token| row.wrapping_mul(BASE).wrapping_add(token));
    let row = (row ^ (row >> 37)).wrapping_mul(0x1656_6791_9E37_79F9);
    row ^ (row >> 32)
}
