//! Words of languages that put no spaces between them.
//!
//! With the feature `topics`, ICU4X divides such texts by its dictionaries. Names that these do not have become single
//! characters, of which every two in a row are a word, too. Without the feature, every two Chinese or Japanese
//! characters in a row are a word, which is the usual substitute, and other such languages are divided at spaces.

#[cfg_attr(feature = "topics", path = "segment/dictionary.rs")]
#[cfg_attr(not(feature = "topics"), path = "segment/pairs.rs")]
mod segmenter;

/// The segmenter, and its name in the summary.
pub(super) use segmenter::{NAME, Segmenter};

/// The languages that have no spaces between words.
const WITHOUT_SPACES: [&str; 6] = ["zh", "ja", "th", "km", "lo", "my"];

/// Whether a language, as documents have it, puts no spaces between words.
pub(super) fn is_without_spaces(language: &str) -> bool {
    WITHOUT_SPACES.contains(&language.split('-').next().unwrap_or_default())
}
