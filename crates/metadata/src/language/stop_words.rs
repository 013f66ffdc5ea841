//! Stop words: common words without a subject of their own, by language.
//!
//! The lists are in `words/stop_words.txt`. They distinguish languages, and the share of them in a text is a signal of
//! its quality. All lists are one hash table, so a word is looked up once for all languages.

use std::sync::LazyLock;

use dehusk_similarity::word_hash;

use super::script::{KINDS, Script};
use crate::words::{self, RARE_STOP_WORDS, STOP_WORDS};

/// The built-in lists.
static BUILT_IN: LazyLock<StopWords> = LazyLock::new(|| StopWords::parse(STOP_WORDS));

/// The lists of languages that are asked for only where the others do not decide.
static RARE: LazyLock<StopWords> = LazyLock::new(|| StopWords::parse(RARE_STOP_WORDS));

/// Slots of a table: a power of two, and much more than different words.
pub const SLOTS: usize = 4096;

/// Bits of the filter: a power of two, and several times as many as there are words.
const FILTER: usize = 1 << 15;

/// Most languages: one bit each.
pub const MOST_LANGUAGES: usize = 64;

/// Longest word of a list, in bytes.
const LONGEST: usize = 16;

/// How many words of a list, which begins with the most frequent ones, are its most frequent.
pub const MOST_FREQUENT: usize = 10;

/// The stop words of all languages.
#[derive(Debug)]
pub struct StopWords {
    languages: Vec<&'static str>,
    /// The languages that are written in each script, as bits, by the script's place.
    by_script: [u64; KINDS],
    /// The words' hashes, each with the set of its languages; a set is empty in a free slot.
    slots: Vec<(u64, u64)>,
    /// A bit for each remainder of the words' hashes. Most words of a text are in no list, and these bits, unlike the
    /// slots, stay in the processor's nearest memory.
    known: Box<[u64; FILTER / 64]>,
    /// By the same places, the languages in which the word is one of the most frequent.
    frequent: Vec<u64>,
}

impl StopWords {
    /// The built-in lists.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The lists of rarer languages, which are no signals of quality.
    pub(super) fn rare() -> &'static Self {
        &RARE
    }

    fn parse(text: &'static str) -> Self {
        let mut lists = Self {
            languages: Vec::new(),
            by_script: [0; KINDS],
            slots: vec![(0, 0); SLOTS],
            known: Box::new([0; FILTER / 64]),
            frequent: vec![0; SLOTS],
        };
        for (language, line) in words::lines(text).take(MOST_LANGUAGES) {
            let bit = 1 << lists.languages.len();
            for script in Script::all().filter(|script| script.writes(language)) {
                lists.by_script[script.place()] |= bit;
            }
            lists.languages.push(language);
            for (place, word) in line.split(' ').enumerate() {
                if word.len() > LONGEST {
                    continue;
                }
                let hash = word_hash(word);
                let (number, known) = Self::filter(hash);
                lists.known[number] |= known;
                let slot = lists.slot(hash);
                lists.slots[slot] = (hash, lists.slots[slot].1 | bit);
                if place < MOST_FREQUENT {
                    lists.frequent[slot] |= bit;
                }
            }
        }
        lists
    }

    /// The number and the bit of a word in the filter.
    fn filter(hash: u64) -> (usize, u64) {
        let bit = (hash >> 32) as usize % FILTER;
        (bit / 64, 1 << (bit % 64))
    }

    /// The slot of a word by its hash, or the free one where it belongs.
    fn slot(&self, hash: u64) -> usize {
        let mut slot = hash as usize % SLOTS;
        while self.slots[slot].1 != 0 && self.slots[slot].0 != hash {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// The set of the languages that have the word, in any letter case, as bits.
    pub fn languages_of(&self, word: &str) -> u64 {
        if word.len() > LONGEST {
            return 0;
        }
        let hash = word_hash(word);
        let (number, bit) = Self::filter(hash);
        if self.known[number] & bit == 0 {
            return 0;
        }
        self.slots[self.slot(hash)].1
    }

    /// A number of the word, less than [`SLOTS`], which is its own if it is a stop word, and the set of its languages.
    pub fn find(&self, word: &str) -> (usize, u64) {
        if word.len() > LONGEST {
            return (0, 0);
        }
        let slot = self.slot(word_hash(word));
        (slot, self.slots[slot].1)
    }

    /// Whether the word with this hash is a stop word of one of these languages, given as bits, and whether it is one
    /// of the `MOST_FREQUENT` words there.
    pub fn is_word_of(&self, hash: u64, languages: u64) -> (bool, bool) {
        let slot = self.slot(hash);
        let is_known = self.slots[slot].1 & languages != 0;
        (is_known, is_known && self.frequent[slot] & languages != 0)
    }

    /// The set of a language, as a bit. Empty if it has no list. `tag` is as in documents.
    pub fn language(&self, tag: &str) -> u64 {
        let language = tag.split('-').next().unwrap_or_default();
        let place = self.languages.iter().position(|known| *known == language);
        place.map_or(0, |place| 1 << place)
    }

    /// The set of the languages that are written in a script, as bits.
    pub fn languages_in(&self, script: Script) -> u64 {
        self.by_script[script.place()]
    }

    /// The languages that have a list, in the order of their bits.
    pub fn languages(&self) -> &[&'static str] {
        &self.languages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_is_found_in_its_language() {
        for (lists, text) in [
            (StopWords::built_in(), STOP_WORDS),
            (StopWords::rare(), RARE_STOP_WORDS),
        ] {
            assert_every_word_is_found(lists, text);
        }
        let lists = StopWords::built_in();
        assert_eq!(lists.languages_of("ferry"), 0);
        let english = lists.language("en");
        let is_english = |word| lists.is_word_of(word_hash(word), english);
        assert_eq!(
            [is_english("the"), is_english("your"), is_english("ferry")],
            [(true, true), (true, false), (false, false)]
        );
        assert_eq!(lists.languages_of(&"the".repeat(100)), 0);
    }

    #[track_caller]
    fn assert_every_word_is_found(lists: &StopWords, text: &'static str) {
        let mut count = 0;
        for (language, list) in words::lines(text) {
            let bit = lists
                .languages()
                .iter()
                .position(|l| *l == language)
                .expect("a language");
            for word in list.split(' ') {
                assert_ne!(lists.languages_of(word) & 1 << bit, 0, "{language}: {word}");
                assert!(lists.is_word_of(word_hash(word), 1 << bit).0, "{language}: {word}");
                let upper = word.to_uppercase();
                // Turkish has an i without a dot, whose capital is I.
                if upper.to_lowercase() == word && upper.len() <= LONGEST {
                    assert_ne!(lists.languages_of(&upper) & 1 << bit, 0, "{language}: {upper}");
                }
                count += 1;
            }
        }
        assert!(count < SLOTS && lists.languages().len() <= MOST_LANGUAGES);
    }
}
