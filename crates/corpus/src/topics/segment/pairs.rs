//! Takes every two Chinese or Japanese characters in a row for a word.

use dehusk_similarity::{for_each_word, is_ideograph};

pub(in crate::topics) const NAME: &str = "character pairs";

pub(in crate::topics) struct Segmenter;

impl Segmenter {
    pub(in crate::topics) fn new() -> Self {
        Self
    }

    /// Visits the words of a text.
    pub(in crate::topics) fn for_each_word<'t>(&self, text: &'t str, mut visit: impl FnMut(&'t str)) {
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
