//! Stop words: common words without a subject of their own, by language.
//!
//! The lists are a data file, `stop_words.txt`. They tell languages apart, and the share of them in a text is a signal of its
//! quality. All lists are one hash table, so a word is looked up once for all languages.

use std::sync::LazyLock;

use super::script::{KINDS, Script};

/// The built-in lists.
static BUILT_IN: LazyLock<StopWords> = LazyLock::new(|| StopWords::parse(include_str!("stop_words.txt")));

/// Slots of the table: a power of two, and more than twice the words.
pub const SLOTS: usize = 4096;

/// How many shapes of words are told apart: a power of two.
const SHAPES: usize = 2048;

/// Most languages: one bit each.
pub const MOST_LANGUAGES: usize = 64;

/// Longest word of a list, in bytes.
const LONGEST: usize = size_of::<u128>();

/// How many words of a list, which begins with the most frequent ones, are its most frequent.
pub const MOST_FREQUENT: usize = 10;

/// The stop words of all languages.
#[derive(Debug)]
pub struct StopWords {
    languages: Vec<&'static str>,
    /// The languages that are written in each script, as bits, by the script's place.
    by_script: [u64; KINDS],
    /// The words' keys, each with the set of its languages; a set is empty in a free slot.
    slots: Vec<(u128, u64)>,
    /// By the same places, the languages in which the word is one of the most frequent.
    frequent: Vec<u64>,
    /// By a word's length and first bytes, the languages that have such words. Most other words are recognised by this alone.
    shapes: Vec<u64>,
}

impl StopWords {
    /// The built-in lists.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    fn parse(text: &'static str) -> Self {
        let mut lists = Self {
            languages: Vec::new(),
            by_script: [0; KINDS],
            slots: vec![(0, 0); SLOTS],
            frequent: vec![0; SLOTS],
            shapes: vec![0; SHAPES],
        };
        for line in text.lines().filter(|line| !line.starts_with('#')).take(MOST_LANGUAGES) {
            let mut words = line.split(' ');
            let Some(language) = words.next() else { continue };
            let bit = 1 << lists.languages.len();
            for script in Script::all().filter(|script| script.writes(language)) {
                lists.by_script[script.place()] |= bit;
            }
            lists.languages.push(language);
            for (place, word) in words.enumerate() {
                let Some(key) = key(word) else { continue };
                lists.shapes[shape(word)] |= bit;
                let slot = lists.slot(key);
                lists.slots[slot] = (key, lists.slots[slot].1 | bit);
                if place < MOST_FREQUENT {
                    lists.frequent[slot] |= bit;
                }
            }
        }
        lists
    }

    /// The slot of a key, or the free one where it belongs.
    fn slot(&self, key: u128) -> usize {
        let folded = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot = (folded >> 40) as usize % SLOTS;
        while self.slots[slot].1 != 0 && self.slots[slot].0 != key {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// The set of the languages that have the word, in any letter case, as bits.
    pub fn languages_of(&self, word: &str) -> u64 {
        self.find(word).1
    }

    /// A number of the word, less than [`SLOTS`], which is its own if it is a stop word, and the set of its languages.
    pub fn find(&self, word: &str) -> (usize, u64) {
        let Some(key) = key(word) else { return (0, 0) };
        let slot = self.slot(key);
        (slot, self.slots[slot].1)
    }

    /// Whether a word in lower case is a stop word of one of these languages, given as bits, and whether it is one of the
    /// [`MOST_FREQUENT`] words there.
    pub fn is_lowercase_word_of(&self, word: &str, languages: u64) -> (bool, bool) {
        if self.shapes[shape(word)] & languages == 0 {
            return (false, false);
        }
        let (slot, known) = self.find(word);
        let is_known = known & languages != 0;
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

/// The shape of a word in lower case: its length and its first two bytes.
fn shape(word: &str) -> usize {
    let start = match word.as_bytes() {
        [first, second, ..] => usize::from(*first) << 3 ^ usize::from(*second),
        [first] => usize::from(*first),
        [] => 0,
    };
    (start ^ word.len() << 7) % SHAPES
}

/// The bytes of a word in lower case. `None` if the word is longer than any stop word.
fn key(word: &str) -> Option<u128> {
    let mut bytes = little_endian(word.as_bytes())?.to_le_bytes();
    if bytes.is_ascii() {
        bytes.make_ascii_lowercase();
        return Some(u128::from_le_bytes(bytes));
    }
    bytes = [0; LONGEST];
    let mut length = 0;
    for c in word.chars().flat_map(char::to_lowercase) {
        // The Greek sigma has a form of its own at the end of a word, which its capital does not have.
        let c = if c == 'ς' { 'σ' } else { c };
        let encoded = bytes.get_mut(length..length + c.len_utf8())?;
        c.encode_utf8(encoded);
        length += c.len_utf8();
    }
    Some(u128::from_le_bytes(bytes))
}

/// The number of which these are the first bytes, the least one first; the others are 0. `None` if there are too many.
///
/// Two loads that overlap are quicker than a copy of so few bytes.
fn little_endian(bytes: &[u8]) -> Option<u128> {
    fn ends<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> u64) -> Option<u128> {
        let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
        Some(u128::from(number(*first)) | u128::from(number(*last)) << (8 * (bytes.len() - N)))
    }
    match bytes.len() {
        0 => Some(0),
        1 => Some(u128::from(bytes[0])),
        2..4 => ends(bytes, |bytes| u16::from_le_bytes(bytes).into()),
        4..8 => ends(bytes, |bytes| u32::from_le_bytes(bytes).into()),
        8..=LONGEST => ends(bytes, u64::from_le_bytes),
        _ => None,
    }
}

/// Whether a character is part of a word. Vowel signs and other marks are.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}')
}

/// Whether a character is a word of its own, as in Chinese and Japanese.
pub fn is_word(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Visits the words of a text: runs of letters and digits. A Chinese or Japanese character is a word of its own.
pub fn for_each_word<'t>(text: &'t str, mut visit: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        // Most words of most texts are plain ASCII.
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        if at < bytes.len() && !bytes[at].is_ascii() {
            for c in text[at..].chars() {
                if !is_of_word(c) || is_word(c) {
                    break;
                }
                at += c.len_utf8();
            }
        }
        if at > start {
            visit(&text[start..at]);
            continue;
        }
        // The character is no part of a longer word.
        let Some(c) = text[at..].chars().next() else { break };
        at += c.len_utf8();
        if is_word(c) {
            visit(&text[start..at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_is_found_in_its_language() {
        let lists = StopWords::built_in();
        let mut words = 0;
        for line in include_str!("stop_words.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
        {
            let (language, list) = line.split_once(' ').expect("a list");
            let bit = lists
                .languages()
                .iter()
                .position(|l| *l == language)
                .expect("a language");
            for word in list.split(' ') {
                assert_ne!(lists.languages_of(word) & 1 << bit, 0, "{language}: {word}");
                assert!(lists.is_lowercase_word_of(word, 1 << bit).0, "{language}: {word}");
                let upper = word.to_uppercase();
                // Turkish has an i without a dot, whose capital is I.
                if upper.to_lowercase() == word && upper.len() <= LONGEST {
                    assert_ne!(lists.languages_of(&upper) & 1 << bit, 0, "{language}: {upper}");
                }
                words += 1;
            }
        }
        assert!(words < SLOTS && lists.languages().len() <= MOST_LANGUAGES);
        assert_eq!(lists.languages_of("ferry"), 0);
        let english = lists.language("en");
        let is_english = |word| lists.is_lowercase_word_of(word, english);
        assert_eq!(
            [is_english("the"), is_english("your"), is_english("ferry")],
            [(true, true), (true, false), (false, false)]
        );
        assert_eq!(lists.languages_of(&"the".repeat(100)), 0);
    }

    #[test]
    fn words_are_runs_of_letters_and_single_ideographs() {
        let mut words = Vec::new();
        for_each_word("L'eau — Größe, 3.5 是的ok है! naïveté", |word| {
            words.push(word)
        });
        assert_eq!(words, ["L", "eau", "Größe", "3", "5", "是", "的", "ok", "है", "naïveté"]);
    }
}
