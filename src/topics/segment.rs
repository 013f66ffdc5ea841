//! Words of languages that put no spaces between them.
//!
//! With the feature `topics`, ICU4X divides such texts by its dictionaries. Without it, every two Chinese or Japanese characters
//! in a row are a word, which is the usual substitute, and other such languages are divided at spaces.

#[cfg(not(feature = "topics"))]
use crate::language::{for_each_word, is_word};
#[cfg(feature = "topics")]
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};

/// The languages that have no spaces between words.
const WITHOUT_SPACES: [&str; 6] = ["zh", "ja", "th", "km", "lo", "my"];

/// Whether a language, as documents have it, puts no spaces between words.
pub(super) fn is_without_spaces(language: &str) -> bool {
    WITHOUT_SPACES.contains(&language.split('-').next().unwrap_or_default())
}

/// What divides the texts, as it is named in the summary.
pub(super) const NAME: &str = if cfg!(feature = "topics") {
    "dictionary"
} else {
    "character pairs"
};

#[cfg(feature = "topics")]
pub(super) struct Segmenter(WordSegmenterBorrowed<'static>);

#[cfg(feature = "topics")]
impl Segmenter {
    pub(super) fn new() -> Self {
        Self(WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()))
    }

    /// Visits the words of a text.
    pub(super) fn for_each_word<'t>(&self, text: &'t str, mut visit: impl FnMut(&'t str)) {
        let mut start = 0;
        for (end, kind) in self.0.segment_str(text).iter_with_word_type() {
            if kind.is_word_like() {
                visit(&text[start..end]);
            }
            start = end;
        }
    }
}

#[cfg(not(feature = "topics"))]
pub(super) struct Segmenter;

#[cfg(not(feature = "topics"))]
impl Segmenter {
    pub(super) fn new() -> Self {
        Self
    }

    /// Visits the words of a text.
    pub(super) fn for_each_word<'t>(&self, text: &'t str, mut visit: impl FnMut(&'t str)) {
        for_each_word(text, |word| {
            if !word.chars().all(is_word) {
                visit(word);
            }
        });
        let pairs = text.char_indices().zip(text.char_indices().skip(1));
        for ((start, first), (at, second)) in pairs {
            if is_word(first) && is_word(second) {
                visit(&text[start..at + second.len_utf8()]);
            }
        }
    }
}
