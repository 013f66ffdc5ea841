//! Words of languages that put no spaces between them.
//!
//! With the feature `topics`, ICU4X divides such texts by its dictionaries. Names that these do not have become single
//! characters, of which every two in a row are a word, too. Without the feature, every two Chinese or Japanese
//! characters in a row are a word, which is the usual substitute, and other such languages are divided at spaces.

#[cfg(not(feature = "topics"))]
use dehusk_similarity::for_each_word;
use dehusk_similarity::is_ideograph;
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
        // Where the single character begins that ends at `start`, if there is one.
        let mut single = None;
        for (end, kind) in self.0.segment_str(text).iter_with_word_type() {
            let word = &text[start..end];
            let mut characters = word.chars();
            let is_single = characters.next().is_some_and(is_ideograph) && characters.next().is_none();
            if kind.is_word_like() {
                visit(word);
            }
            if let (true, Some(before)) = (is_single, single) {
                visit(&text[before..end]);
            }
            single = is_single.then_some(start);
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
            if !word.chars().all(is_ideograph) {
                visit(word);
            }
        });
        let pairs = text.char_indices().zip(text.char_indices().skip(1));
        for ((start, first), (at, second)) in pairs {
            if is_ideograph(first) && is_ideograph(second) {
                visit(&text[start..at + second.len_utf8()]);
            }
        }
    }
}
