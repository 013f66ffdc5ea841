//! Spot Signatures (Theobald, Siddharth and Paepcke, "SpotSigs: robust and efficient near duplicate detection in large
//! web collections", SIGIR 2008; section 3).

use xxhash_rust::xxh3::xxh3_64;

use crate::base64;
use crate::shingles::jaccard;
use crate::tokens::Tokens;

/// The words of a chain: the paper's `c`. The distance between them, its `d`, is 1.
pub const CHAIN: usize = 2;

/// The spot signatures of a text, sorted. One that occurs several times is there as often: the paper compares multisets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotSigs(Vec<u32>);

/// Returns the spot signatures of a text.
///
/// A signature begins at each antecedent, which is a frequent stop word, such as an article. Only stop words are asked for. It
/// consists of the antecedent and of the next [`CHAIN`] tokens that are no stop words, joined by a space; an antecedent with
/// fewer such tokens behind it has none. Its hash is the lower half of XXH3 (64 bits, seed 0) of the signature in UTF-8.
pub fn spotsigs(
    tokens: &Tokens,
    is_antecedent: impl Fn(&str) -> bool,
    is_stop_word: impl Fn(&str) -> bool,
) -> SpotSigs {
    let mut hashes = Vec::new();
    let mut chain: [&str; CHAIN] = [""; CHAIN];
    let mut known = 0;
    let mut signature = String::new();
    let words: Vec<&str> = tokens.iter().collect();
    // From the end on, so that the words behind an antecedent are known already.
    for word in words.into_iter().rev() {
        let is_stop = is_stop_word(word);
        if is_stop && known == CHAIN && is_antecedent(word) {
            signature.clear();
            signature.push_str(word);
            for next in chain {
                signature.push(' ');
                signature.push_str(next);
            }
            hashes.push(xxh3_64(signature.as_bytes()) as u32);
        }
        if !is_stop {
            chain.rotate_right(1);
            chain[0] = word;
            known = CHAIN.min(known + 1);
        }
    }
    hashes.sort_unstable();
    SpotSigs(hashes)
}

impl SpotSigs {
    /// Returns the hashes, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }

    /// Returns the Jaccard similarity of two multisets (section 3.2): the sum of the lesser counts, divided by the sum of
    /// the greater ones. That of two empty ones is 0.
    pub fn similarity(&self, other: &Self) -> f64 {
        jaccard(&self.0, &other.0)
    }

    /// Returns the hashes as little-endian bytes in base64 (RFC 4648, with padding); `""` if there are none.
    pub fn to_base64(&self) -> String {
        base64::encode(&self.0)
    }

    /// Reads what [`SpotSigs::to_base64`] wrote. `None` if the text is anything else.
    pub fn from_base64(text: &str) -> Option<Self> {
        let hashes = base64::decode(text)?;
        hashes.is_sorted().then_some(Self(hashes))
    }
}
