//! The names of months in many languages, from `words/months.txt`.

use std::sync::LazyLock;

use crate::words::{self, MONTHS};

/// The meaning of a month's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Month {
    Gregorian(u32),
    Persian(u32),
}

/// A name of a month.
#[derive(Clone, Copy, Debug)]
struct MonthName {
    name: &'static str,
    language: &'static str,
    month: Month,
}

/// The names, each as often as there are languages that have it.
fn all_names() -> impl Iterator<Item = MonthName> {
    words::lines(MONTHS).flat_map(|(key, line)| {
        let (language, is_persian) = match key.split_once(' ') {
            Some((language, calendar)) => (language, calendar == "persian"),
            None => (key, false),
        };
        (1..).zip(words::items(line)).flat_map(move |(number, names)| {
            let month = if is_persian {
                Month::Persian(number)
            } else {
                Month::Gregorian(number)
            };
            let name = move |name| MonthName { name, language, month };
            names.split(' ').map(name)
        })
    })
}

/// The names of months.
struct MonthNames {
    /// The names of one word, in order.
    words: Vec<MonthName>,
    /// The names of two words.
    pairs: Vec<((&'static str, &'static str), Month)>,
}

static NAMES: LazyLock<MonthNames> = LazyLock::new(|| {
    let (mut words, mut pairs) = (Vec::new(), Vec::new());
    for known in all_names() {
        match known.name.split_once('_') {
            Some(pair) => pairs.push((pair, known.month)),
            None => words.push(known),
        }
    }
    words.sort_unstable_by_key(|known| (known.name, known.language));
    MonthNames { words, pairs }
});

/// The most characters of an ending.
const INFLECTION: usize = 5;

/// The fewest characters of a name, and of one that an ending may follow.
const SHORTEST: usize = 2;
const SHORTEST_STEM: usize = 4;

/// The most characters of a word that are looked at.
const LONGEST: usize = 24;

/// The month that a word in lower case names. Where languages do not agree, that of the page decides.
pub(super) fn month(word: &str, language: &str) -> Option<Month> {
    let end = word.char_indices().nth(LONGEST).map_or(word.len(), |(end, _)| end);
    let glance = &word[..end];
    let length = glance.chars().count();
    // Most words begin as no month does, and need no search by their endings.
    let most = if begins_name(glance) { INFLECTION + 1 } else { 0 };
    let ends = glance.char_indices().rev().map(|(at, c)| at + c.len_utf8());
    for (ending, end) in ends.enumerate().take(most) {
        let is_whole = end == word.len();
        if length - ending < if is_whole { SHORTEST } else { SHORTEST_STEM } {
            break;
        }
        if let Some(month) = named(&word[..end], language) {
            return Some(month);
        }
    }
    // In Hebrew, "in" is a letter before the month.
    word.strip_prefix('ב').and_then(|word| named(word, language))
}

/// The number of the month that a word in lower case names in English.
pub(crate) fn english_month(word: &str) -> Option<u32> {
    let names = &NAMES.words;
    let from = names.partition_point(|known| known.name < word);
    let mut same = names[from..].iter().take_while(|known| known.name == word);
    match same.find(|known| known.language == "en")?.month {
        Month::Gregorian(month) => Some(month),
        Month::Persian(_) => None,
    }
}

/// Whether the first letters of a word are those of a month.
fn begins_name(word: &str) -> bool {
    let end = word.char_indices().nth(SHORTEST).map_or(word.len(), |(end, _)| end);
    let stem = &word[..end];
    let from = NAMES.words.partition_point(|known| known.name < stem);
    NAMES.words.get(from).is_some_and(|known| known.name.starts_with(stem))
}

/// The month that two words in lower case name.
pub(super) fn month_of_two_words(first: &str, second: &str) -> Option<Month> {
    let known = NAMES.pairs.iter().find(|(pair, _)| *pair == (first, second));
    known.map(|(_, month)| *month)
}

fn named(name: &str, language: &str) -> Option<Month> {
    let names = &NAMES.words;
    let from = names.partition_point(|known| known.name < name);
    let mut same = names[from..].iter().take_while(|known| known.name == name);
    let first = same.clone().next()?;
    if same.clone().all(|known| known.month == first.month) {
        return Some(first.month);
    }
    same.find(|known| known.language == language).map(|known| known.month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_twelve_months() {
        for (key, line) in words::lines(MONTHS) {
            assert_eq!(words::items(line).count(), 12, "{key}");
        }
    }

    #[test]
    fn names_are_known_with_endings_and_of_two_words() {
        assert_eq!(month("марта", "ru"), Some(Month::Gregorian(3)));
        assert_eq!(month("septemberin", "fi"), Some(Month::Gregorian(9)));
        assert_eq!(month("mays", "en"), None);
        assert_eq!(month("مهر", "fa"), Some(Month::Persian(7)));
        assert_eq!(month_of_two_words("كانون", "الثاني"), Some(Month::Gregorian(1)));
        assert_eq!(month(&"ab".repeat(40), "en"), None);
    }
}
