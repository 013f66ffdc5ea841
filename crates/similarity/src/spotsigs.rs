//! Spot Signatures (Theobald, Siddharth and Paepcke, "SpotSigs: robust and efficient near duplicate detection in large
//! web collections", SIGIR 2008; section 3).

use crate::base64;
use crate::shingles::jaccard;
use crate::tokens::{Tokens, row_hash};

/// The words of a chain: the paper's `c`. The distance between them, its `d`, is 1.
pub const CHAIN: usize = 2;

/// The spot signatures of a text, sorted. One that occurs several times is there as often: the paper compares
/// multisets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotSigs(Vec<u32>);

/// The role of a word in spot signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRole {
    /// A stop word at which a signature begins: a frequent one, such as an article.
    Antecedent,
    /// Any other stop word.
    StopWord,
    /// A word that signatures are made of.
    Content,
}

/// Returns the spot signatures of a text. `role` returns what a word is, by its [hash](crate::word_hash).
///
/// A signature begins at each antecedent. It consists of the antecedent and of the next [`CHAIN`] tokens that are no
/// stop words; an antecedent with fewer such tokens after it has none. Its hash is the lower half of that of a
/// [shingle](crate::shingles) of these tokens.
pub fn spotsigs(tokens: &Tokens, role: impl Fn(u64) -> WordRole) -> SpotSigs {
    let mut hashes = Vec::new();
    // The next words that are no stop words.
    let mut chain = [0; CHAIN];
    let mut known = 0;
    // From the end on, so that the words after an antecedent are known already.
    for word in tokens.hashes().iter().copied().rev() {
        match role(word) {
            WordRole::Antecedent if known == CHAIN => {
                hashes.push(row_hash(std::iter::once(word).chain(chain)) as u32);
            }
            WordRole::Antecedent | WordRole::StopWord => {}
            WordRole::Content => {
                chain.rotate_right(1);
                chain[0] = word;
                known = CHAIN.min(known + 1);
            }
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

    /// Returns the Jaccard similarity of two multisets (section 3.2): the sum of the lesser counts, divided by the sum
    /// of the greater ones. That of two empty ones is 0.
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
