//! The query of a search, and the places where a text matches it.

use std::ops::Range;

use dehusk_similarity::{for_each_word, is_ideograph};

/// Most phrases of a query, and words of a phrase.
const MOST: usize = 32;

/// Most places of a phrase that are kept of a text.
const PLACES: usize = 200;

/// Words and phrases, all of which a document must have in its title or its text.
///
/// Case does not matter, accents do. A word is a run of letters and digits; in Chinese and Japanese each character is
/// one. Thai, Lao, Khmer and Burmese put no spaces between words, so there a word is found inside of such a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<Phrase>,
}

/// Words that must follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Phrase {
    /// In lower case.
    words: Vec<String>,
    /// Parts of the query in which nothing separates the words: one word, or a run of ideographs. Only databases have an
    /// index that is asked for them.
    #[cfg(feature = "sqlite")]
    runs: Vec<String>,
}

/// The places of a query in a text, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Each with the number of its phrase.
    pub(super) places: Vec<(usize, Range<usize>)>,
    /// Which phrases were found, one bit each.
    pub(super) found: u32,
}

impl Query {
    /// Reads a query: words, and phrases in double quotes.
    ///
    /// # Errors
    /// There is no word in it, or there are too many.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut phrases = Vec::new();
        for (number, part) in text.split('"').enumerate() {
            match number % 2 {
                1 => phrases.push(Phrase::new(part)),
                _ => phrases.extend(part.split_whitespace().map(Phrase::new)),
            }
        }
        phrases.retain(|phrase| !phrase.words.is_empty());
        phrases.dedup();
        if phrases.is_empty() {
            return Err("there is no word to search for: give letters or digits".to_owned());
        }
        if phrases.len() > MOST || phrases.iter().any(|phrase| phrase.words.len() > MOST) {
            return Err(format!(
                "a query has at most {MOST} words and phrases, and a phrase {MOST} words"
            ));
        }
        Ok(Self { phrases })
    }

    /// Where a text has the phrases.
    pub(super) fn find(&self, text: &str) -> Places {
        let mut places = Places::default();
        let mut counts = vec![0; self.phrases.len()];
        // Where a phrase began, and how many of its words were found.
        let mut open: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.phrases.len()];
        for_each_word(text, |word| {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            for (number, (phrase, open)) in self.phrases.iter().zip(&mut open).enumerate() {
                open.push((at, 0));
                open.retain_mut(|(_, known)| {
                    let fits = is_like(word, &phrase.words[*known]);
                    *known += usize::from(fits);
                    fits
                });
                if let Some(first) = open.first().filter(|(_, known)| *known == phrase.words.len()) {
                    places.found |= 1 << number;
                    counts[number] += 1;
                    if counts[number] <= PLACES {
                        places.places.push((number, first.0..at + word.len()));
                    }
                    open.remove(0);
                }
            }
        });
        places
    }

    /// Whether these phrases are all.
    pub(super) fn is_all(&self, found: u32) -> bool {
        found.count_ones() as usize == self.phrases.len()
    }

    /// The query for an index over words, as FTS5 reads it: what such an index may not know is left out. `None` if
    /// nothing is left.
    #[cfg(feature = "sqlite")]
    pub(super) fn for_words(&self) -> Option<String> {
        let is_known = |phrase: &&Phrase| !phrase.words.iter().any(|word| word.contains(is_unspaced));
        let phrases = self.phrases.iter().filter(is_known);
        all_of(phrases.map(|phrase| phrase.words.join(" ")))
    }

    /// The same for an index over all parts of three characters.
    #[cfg(feature = "sqlite")]
    pub(super) fn for_trigrams(&self) -> Option<String> {
        let runs = self.phrases.iter().flat_map(|phrase| &phrase.runs);
        all_of(runs.filter(|run| run.chars().count() >= 3).cloned())
    }
}

impl Phrase {
    fn new(text: &str) -> Self {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(lower(word).collect()));
        Self {
            words,
            #[cfg(feature = "sqlite")]
            runs: runs(text),
        }
    }
}

/// The parts of a text in which nothing separates the words.
#[cfg(feature = "sqlite")]
fn runs(text: &str) -> Vec<String> {
    let mut runs = Vec::<String>::new();
    let mut end = None;
    for_each_word(text, |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        match runs.last_mut() {
            Some(run) if end == Some(at) && word.contains(is_ideograph) => run.extend(lower(word)),
            _ => runs.push(lower(word).collect()),
        }
        end = word.contains(is_ideograph).then_some(at + word.len());
    });
    runs
}

/// All of these strings, in the language of FTS5. They have no quotes, because they consist of words.
#[cfg(feature = "sqlite")]
fn all_of(strings: impl Iterator<Item = String>) -> Option<String> {
    let quoted: Vec<String> = strings.map(|string| format!("\"{string}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" AND "))
}

/// Whether a word of a text is one of a query, which is in lower case.
fn is_like(word: &str, wanted: &str) -> bool {
    if wanted.starts_with(is_unspaced) && !wanted.starts_with(is_ideograph) {
        return word.contains(wanted);
    }
    lower(word).eq(wanted.chars())
}

/// Whether the script of a character puts no spaces between words.
fn is_unspaced(c: char) -> bool {
    is_ideograph(c) || matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

fn lower(word: &str) -> impl Iterator<Item = char> {
    let lower = word.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, text: &str) -> Vec<String> {
        let query = Query::parse(query).unwrap();
        let places = query.find(text);
        let all = query.is_all(places.found);
        let texts = places.places.iter().map(|(_, place)| text[place.clone()].to_owned());
        if all { texts.collect() } else { Vec::new() }
    }

    #[test]
    fn words_are_whole_and_in_any_case_and_order() {
        assert_eq!(found("skeg JAMMED", "It Jammed: the skeg. Skegs!"), ["Jammed", "skeg"]);
        assert!(found("skeg missing", "the skeg").is_empty());
        assert!(found("cafe", "café").is_empty());
        assert_eq!(found("ΟΔΟΣ", "οδος"), ["οδος"]);
    }

    #[test]
    fn phrases_are_words_in_a_row() {
        assert_eq!(found("\"the red tea\"", "the the red — tea"), ["the red — tea"]);
        assert_eq!(found("e-mail", "an E mail"), ["E mail"]);
        assert!(found("\"red tea\"", "red hot tea").is_empty());
        assert_eq!(found("\"a a\"", "a a a").len(), 2);
    }

    #[test]
    fn scripts_without_spaces_are_found_inside_of_runs() {
        assert_eq!(found("青石", "在青石镇的"), ["青石"]);
        assert!(found("石青", "在青石镇的").is_empty());
        assert_eq!(found("ภาษา", "เรียนภาษาไทย").len(), 1);
        assert_eq!(found("iphone", "用iPhone手机"), ["iPhone"]);
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn an_index_is_asked_only_for_what_it_knows() {
        let query = Query::parse("e-mail 青石镇 石 \"red tea\" of").unwrap();
        assert_eq!(query.for_words().unwrap(), "\"e mail\" AND \"red tea\" AND \"of\"");
        assert_eq!(
            query.for_trigrams().unwrap(),
            "\"mail\" AND \"青石镇\" AND \"red\" AND \"tea\""
        );
        assert_eq!(Query::parse("青石").unwrap().for_words(), None);
        assert_eq!(Query::parse("青石").unwrap().for_trigrams(), None);
    }

    #[test]
    fn queries_without_words_are_refused() {
        for text in ["", "  ", "\"\"", "… — \"!\""] {
            assert!(Query::parse(text).is_err(), "{text}");
        }
        assert!(Query::parse(&"a b ".repeat(40)).is_err());
    }
}
