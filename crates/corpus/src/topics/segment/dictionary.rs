//! Divides texts by the dictionaries of ICU4X.

use dehusk_similarity::is_ideograph;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};

pub(in crate::topics) const NAME: &str = "dictionary";

pub(in crate::topics) struct Segmenter(WordSegmenterBorrowed<'static>);

impl Segmenter {
    pub(in crate::topics) fn new() -> Self {
        Self(WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()))
    }

    /// Visits the words of a text.
    pub(in crate::topics) fn for_each_word<'t>(&self, text: &'t str, mut visit: impl FnMut(&'t str)) {
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
