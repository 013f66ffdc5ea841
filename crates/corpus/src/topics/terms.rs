//! The terms of a text: its words in lower case, without stop words, numbers and single characters.
//!
//! Words that begin with the same [`STEM`] characters are one term, so that the forms of a word count together in all
//! languages that inflect at the end. (McNamee and Mayfield, "Character n-gram tokenization for European language text
//! retrieval", 2004, found beginnings of words to serve as well as stemmers.) A term is shown in its first form.

use std::collections::HashMap;

use dehusk_similarity::for_each_word;
use xxhash_rust::xxh3::xxh3_64;

use super::segment::{Segmenter, is_without_spaces};
use dehusk_metadata::language::StopWords;

/// The characters by which words are distinguished.
const STEM: usize = 6;

/// The most terms of a document: the most frequent ones.
const MOST_TERMS: usize = 256;

/// How often a word of the title counts.
const TITLE: u32 = 3;

/// Longer runs of letters, in bytes, are no words.
const LONGEST: usize = 64;

/// A term of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The hash of the beginning.
    pub(super) key: u64,
    /// The first form in the text.
    pub(super) name: String,
    /// How often it occurs.
    pub(super) count: u32,
}

/// Finds the terms of texts.
pub(super) struct Terms {
    segmenter: Segmenter,
    /// The places of the terms, by their keys.
    places: HashMap<u64, usize>,
}

impl Terms {
    pub(super) fn new() -> Self {
        Self {
            segmenter: Segmenter::new(),
            places: HashMap::new(),
        }
    }

    /// The terms of a title and a text, the most frequent first, then in the order of their first places.
    pub(super) fn count(&mut self, title: &str, text: &str, language: &str) -> Vec<Term> {
        self.places.clear();
        let mut terms = Vec::new();
        self.add(text, language, 1, &mut terms);
        self.add(title, language, TITLE, &mut terms);
        terms.sort_by_key(|term| std::cmp::Reverse(term.count));
        terms.truncate(MOST_TERMS);
        terms
    }

    fn add(&mut self, text: &str, language: &str, weight: u32, terms: &mut Vec<Term>) {
        let stop_words = StopWords::built_in();
        let own = stop_words.language(language);
        let has_spaces = !is_without_spaces(language);
        let places = &mut self.places;
        let mut visit = |word: &str| {
            let is_term = (2..=LONGEST).contains(&word.len())
                && word.chars().nth(1).is_some()
                && word.chars().any(char::is_alphabetic)
                && stop_words.languages_of(word) & own == 0;
            if !is_term {
                return;
            }
            let name = word.to_lowercase();
            let end = name.char_indices().nth(STEM).map_or(name.len(), |(at, _)| at);
            let stem = if has_spaces { &name[..end] } else { &name };
            let key = xxh3_64(stem.as_bytes());
            let place = *places.entry(key).or_insert(terms.len());
            match terms.get_mut(place) {
                Some(term) => term.count = term.count.saturating_add(weight),
                None => terms.push(Term {
                    key,
                    name,
                    count: weight,
                }),
            }
        };
        if has_spaces {
            for_each_word(text, visit);
        } else {
            self.segmenter.for_each_word(text, &mut visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(title: &str, text: &str, language: &str) -> Vec<(String, u32)> {
        let terms = Terms::new().count(title, text, language);
        terms.into_iter().map(|term| (term.name, term.count)).collect()
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        let text = "The vaccine was late. Vaccines and vaccination in 2012: 3 of 4 ferries.";
        let terms = names("Ferries", text, "en");
        let expected = [("ferries", 4), ("vaccine", 3), ("late", 1)];
        assert_eq!(terms, expected.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn a_text_without_spaces_has_words() {
        let terms = names("", "北京天气很好。北京H1N1病毒", "zh-Hans");
        let expected: &[(&str, u32)] = if cfg!(feature = "topics") {
            &[("北京", 2), ("天气", 1), ("很好", 1), ("h1n1", 1), ("病毒", 1)]
        } else {
            &[
                ("北京", 2),
                ("h1n1", 1),
                ("京天", 1),
                ("天气", 1),
                ("气很", 1),
                ("很好", 1),
                ("病毒", 1),
            ]
        };
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect();
        assert_eq!(terms, expected);
    }

    #[test]
    fn hostile_words_are_no_terms() {
        assert_eq!(names("", &"x".repeat(1 << 20), "en"), []);
        let many: String = (0..1000).map(|n| format!("w{n}w ")).collect();
        assert_eq!(names("", &many, "en").len(), MOST_TERMS);
    }
}
