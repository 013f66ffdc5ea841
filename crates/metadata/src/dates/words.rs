//! The words around dates, from `words/dates.txt`.

use std::sync::LazyLock;

use crate::words::{self, DATES, WordMap};

/// The words of all languages. Stems are what words start with.
#[derive(Debug)]
pub(super) struct DateWords {
    /// Stems of words before the day of something else: on which somebody became a member, or an offer ends.
    pub(super) other: Vec<&'static str>,
    /// Words that are followed by such a day, or by a number that is no date.
    pub(super) other_words: WordMap<()>,
    /// Pairs of words before such a day, though each means other things as well.
    pub(super) other_pairs: Vec<(&'static str, &'static str)>,
    /// Stems of words before the day of a change.
    pub(super) changed: Vec<&'static str>,
    /// Pairs of words before that day, though each means other things as well.
    pub(super) changed_pairs: Vec<(&'static str, &'static str)>,
    /// Pairs of words before the name of somebody who changed or checked the page.
    pub(super) credit_pairs: Vec<(&'static str, &'static str)>,
    /// Words before a number that is none of a date.
    pub(super) numbered: WordMap<()>,
    /// Stems of words before the day of publication.
    pub(super) published: Vec<&'static str>,
    /// Whole words before that day, of which other words begin with some.
    pub(super) published_words: WordMap<()>,
    /// Pairs of words before that day.
    pub(super) published_pairs: Vec<(&'static str, &'static str)>,
    /// Words between the parts of a date.
    pub(super) between: WordMap<()>,
    /// Words for "year" before its number.
    pub(super) year: WordMap<()>,
    /// Words for "month" before its number.
    pub(super) month: WordMap<()>,
    /// Days of the week, in short.
    pub(super) weekdays: Vec<&'static str>,
    /// Words after a time of day that name its zone.
    pub(super) zones: WordMap<()>,
}

pub(super) static DATE_WORDS: LazyLock<DateWords> = LazyLock::new(|| {
    let items = |key| words::items_under(DATES, key).map(|(_, item)| item);
    let set = |key| items(key).map(|word| (word, ())).collect();
    let pairs = |key| items(key).filter_map(|pair| pair.split_once(' ')).collect();
    DateWords {
        other: items("other").collect(),
        other_words: set("other-word"),
        other_pairs: pairs("other-pair"),
        changed: items("changed").collect(),
        changed_pairs: pairs("changed-pair"),
        credit_pairs: pairs("credit-pair"),
        numbered: set("numbered"),
        published: items("published").collect(),
        published_words: set("published-word"),
        published_pairs: pairs("published-pair"),
        between: set("between"),
        year: set("year"),
        month: set("month"),
        weekdays: items("weekday").collect(),
        zones: set("zone"),
    }
});
