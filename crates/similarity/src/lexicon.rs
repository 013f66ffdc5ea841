//! The words of the evaluation: runs of letters and digits of the lower-cased text. Every CJK character is a word.
//!
//! These are exactly the words of the pattern `[CJK]|[^\W CJK]+` in Python's `re`, where `\w` is a letter (category L),
//! a number (N) or `_`. So figures can be compared with those of scripts. As in Python, combining marks separate words.
//! Soft hyphens do not: they are left out, as in the texts of documents. Extractors count words differently: see
//! [`dehusk_html::Counts`].

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// One bit for each character: whether it is a part of words.
static INNER: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0u64; 0x11_0000 / 64];
    let mut set = |c: char| bits[c as usize / 64] |= 1 << (c as usize % 64);
    let all: String = (0..=0x10_ffff).filter_map(char::from_u32).collect();
    match Regex::new(r"[\p{L}\p{N}_]+") {
        Ok(pattern) => pattern
            .find_iter(&all)
            .flat_map(|run| run.as_str().chars())
            .for_each(set),
        // Never reached, since the pattern is constant. The replacement differs only in marks.
        Err(_) => all
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == '_')
            .for_each(&mut set),
    }
    bits
});

#[inline]
fn is_inner(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    INNER[c as usize / 64] >> (c as usize % 64) & 1 == 1
}

/// Kana, ideographs and the marks among them. Each is a word of its own.
#[inline]
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// A place where a word may be broken.
const SOFT_HYPHEN: char = '\u{AD}';

/// Calls `found` with every word of a text, lower-cased, in order.
pub fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut lower = text.to_lowercase();
    if lower.contains(SOFT_HYPHEN) {
        lower.retain(|c| c != SOFT_HYPHEN);
    }
    let mut from = None;
    for (at, c) in lower.char_indices() {
        let cjk = is_cjk(c);
        match (from, !cjk && is_inner(c)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                found(&lower[start..at]);
                from = None;
            }
            _ => {}
        }
        if cjk {
            found(&lower[at..at + c.len_utf8()]);
        }
    }
    if let Some(start) = from {
        found(&lower[start..]);
    }
}

/// Numbers for words, in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct Lexicon {
    ids: HashMap<String, u32>,
}

impl Lexicon {
    /// Forgets all words.
    pub fn clear(&mut self) {
        self.ids.clear();
    }

    /// Number of different words.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Appends the numbers of a text's words.
    pub fn read(&mut self, text: &str, out: &mut Vec<u32>) {
        each_word(text, |word| {
            let id = self.ids.get(word).copied().unwrap_or_else(|| {
                let id = self.ids.len() as u32;
                self.ids.insert(word.to_owned(), id);
                id
            });
            out.push(id);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |w| words.push(w.to_owned()));
        words
    }

    #[test]
    fn words_are_runs_and_cjk_characters() {
        assert_eq!(words("It's 3.5 km_h — OK"), ["it", "s", "3", "5", "km_h", "ok"]);
        assert_eq!(words("Tokyo東京へ2024年"), ["tokyo", "東", "京", "へ", "2024", "年"]);
        // The middle dot and the long vowel mark are among the kana.
        assert_eq!(words("ア・ー"), ["ア", "・", "ー"]);
        assert_eq!(words("so\u{AD}ft"), ["soft"]);
        assert_eq!(words(" … "), [""; 0]);
    }

    #[test]
    fn lower_case_is_that_of_the_whole_text() {
        assert_eq!(words("ΟΔΟΣ ΑΣ"), ["οδος", "ας"]);
        // A capital dotted I becomes an i and a mark, and the mark separates words.
        assert_eq!(words("İstanbul"), ["i", "stanbul"]);
    }

    #[test]
    fn marks_part_words_and_numbers_of_all_kinds_do_not() {
        assert_eq!(words("हिन्दी"), ["ह", "न", "द"]);
        assert_eq!(words("x²Ⅷ½ ⓐ"), ["x²ⅷ½"]);
    }
}
