//! Signatures of texts for near-duplicate detection.
//!
//! Every signature is made of the text's [`Tokens`]: the hashes of its words in lower case, and of single Chinese and
//! Japanese characters.
//!
//! - [`shingles`]: the hashes of five tokens in a row. Two texts are as similar as their sets of shingles: [`jaccard`].
//! - [`MinHash`]: 128 minima, which estimate that similarity and can be compared in bands.
//! - [`simhash`]: 64 bits; near-duplicates differ in few.
//! - [`spotsigs`]: hashes of the words after stop words. Navigation and captions have few of those.
//!
//! The values depend on the text alone: not on the machine, and not on the version of a library. The documentation of
//! each function is its definition.

mod base64;
pub mod lcs;
pub mod lexicon;
mod minhash;
mod shingles;
mod simhash;
mod spotsigs;
mod tokens;
mod words;

/// The number of the definitions. It changes with any of them, so that values of different definitions are never
/// compared.
pub const DEFINITION: u32 = 2;

pub use minhash::{MinHash, PERMUTATIONS};
pub use shingles::{SHINGLE, jaccard, shingles, shingles_into};
pub use simhash::{FEATURE, simhash, simhash_distance};
pub use spotsigs::{CHAIN, SpotSigs, WordRole, spotsigs};
pub use tokens::Tokens;
pub use words::{for_each_word, is_ideograph, word_hash};
