//! Dates as people read them, in a short text in any of many languages.

use super::calendar::{from_buddhist, from_persian};
use super::labels::{DateLabel, label_of};
use super::months::{Month, month, month_of_two_words};
use super::tokens::{Token, tokens};
use super::words::DATE_WORDS;
use super::{Date, DateContext, DateOrder};

/// A date in a text, and what the words before it say that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelledDate {
    pub(crate) date: Date,
    pub(crate) label: DateLabel,
}

/// Whether a token may be between the parts of a date.
fn is_filler(token: &Token) -> bool {
    match token {
        Token::Mark(mark) => matches!(mark, '.' | ',' | '\'' | '’' | '-' | '–' | '/' | '،' | 'º' | 'ª' | '°'),
        Token::Word(word) => DATE_WORDS.between.contains(word),
        Token::Number(..) => false,
    }
}

/// The most fillers between two parts of a date.
const FILLERS: usize = 3;

/// Finds the dates of a text.
pub(crate) fn find(text: &str, context: &DateContext) -> Vec<LabelledDate> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // Without a year there is no date. Years of eras have fewer digits.
    let is_year = |token: &Token| match token {
        Token::Number(_, digits) => *digits == 4,
        Token::Word(word) => word == "年",
        Token::Mark(_) => false,
    };
    if !tokens.iter().any(is_year) {
        return found;
    }
    let (mut at, mut before) = (0, 0);
    while at < tokens.len() {
        let Some((date, end)) = date_at(&tokens, at, context) else {
            at += 1;
            continue;
        };
        let label = label_of(&tokens[before.max(at.saturating_sub(8))..at]);
        found.push(LabelledDate { date, label });
        (at, before) = (end, end);
    }
    found
}

/// The date that starts at a token, and the token after it.
fn date_at(tokens: &[Token], at: usize, context: &DateContext) -> Option<(Date, usize)> {
    match &tokens[at] {
        Token::Number(..) => ideographic(tokens, at)
            .or_else(|| numeric(tokens, at, context))
            .or_else(|| number_first(tokens, at, context)),
        Token::Word(word) => {
            let month = month_at(tokens, at, word, context)?;
            month_first(tokens, month, context)
        }
        Token::Mark(_) => None,
    }
}

/// A number at a token.
fn number(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    match tokens.get(at)? {
        Token::Number(value, digits) => Some((*value, *digits)),
        _ => None,
    }
}

/// The value of a number of one or two digits.
fn short(tokens: &[Token], at: usize) -> Option<u32> {
    number(tokens, at)
        .filter(|(_, digits)| *digits <= 2)
        .map(|(value, _)| value)
}

/// The value of a number of four digits.
fn year(tokens: &[Token], at: usize) -> Option<u32> {
    number(tokens, at)
        .filter(|(_, digits)| *digits == 4)
        .map(|(value, _)| value)
}

fn is_word(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    matches!(tokens.get(at), Some(Token::Word(word)) if words.contains(&word.as_str()))
}

fn mark(tokens: &[Token], at: usize) -> Option<char> {
    match tokens.get(at)? {
        Token::Mark(mark) => Some(*mark),
        _ => None,
    }
}

/// `2024年3月11日`, `2024년 3월 11일`, and years of Japanese eras and of the Chinese Republic.
fn ideographic(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let named = is_word(tokens, at + 1, &["年", "년"]) && is_word(tokens, at + 3, &["月", "월"]);
    if !named {
        return None;
    }
    let (value, digits) = number(tokens, at)?;
    let era =
        |first: &str, second: &str| at >= 2 && is_word(tokens, at - 2, &[first]) && is_word(tokens, at - 1, &[second]);
    let year = match digits {
        4 => value,
        _ if era("令", "和") => value + 2018,
        _ if era("平", "成") => value + 1988,
        _ if era("民", "國") || era("民", "国") => value + 1911,
        _ => return None,
    };
    let date = Date::new(year, short(tokens, at + 2)?, short(tokens, at + 4)?)?;
    Some((date, at + 5))
}

/// Three numbers with the same mark between them.
fn numeric(tokens: &[Token], at: usize, context: &DateContext) -> Option<(Date, usize)> {
    let between = mark(tokens, at + 1).filter(|mark| matches!(mark, '.' | '/' | '-' | '‑' | '–' | '．' | '／'))?;
    if mark(tokens, at + 3) != Some(between) || mark(tokens, at + 5) == Some('/') {
        return None;
    }
    // A fourth number makes it a version or an address.
    if mark(tokens, at + 5).is_some_and(|m| m == between && m != '.') && number(tokens, at + 6).is_some() {
        return None;
    }
    if at >= 2 && mark(tokens, at - 1) == Some(between) && number(tokens, at - 2).is_some() {
        return None;
    }
    let date = if let Some(year) = year(tokens, at) {
        day_of(year, short(tokens, at + 2)?, short(tokens, at + 4)?, context)?
    } else {
        let year = year(tokens, at + 4)?;
        let (first, second) = (short(tokens, at)?, short(tokens, at + 2)?);
        let order = match (first > 12, second > 12) {
            (true, _) => DateOrder::DayFirst,
            (_, true) => DateOrder::MonthFirst,
            _ if first == second => DateOrder::DayFirst,
            _ if between == '.' => DateOrder::DayFirst,
            _ => context.order,
        };
        match order {
            DateOrder::DayFirst => day_of(year, second, first, context)?,
            DateOrder::MonthFirst => day_of(year, first, second, context)?,
            DateOrder::Unknown => return None,
        }
    };
    Some((date, at + 5))
}

/// A day of a year that may be counted in the calendar of the page's language.
fn day_of(year: u32, month: u32, day: u32, context: &DateContext) -> Option<Date> {
    match context.language.as_str() {
        "fa" if year < 1500 => {
            let (year, month, day) = from_persian(year, month, day)?;
            Date::new(year, month, day)
        }
        "th" if year > 2400 => Date::new(from_buddhist(year)?, month, day),
        _ => Date::new(year, month, day),
    }
}

/// The next part of a date after fillers.
fn skip_fillers(tokens: &[Token], from: usize) -> usize {
    let fillers = tokens[from.min(tokens.len())..]
        .iter()
        .take(FILLERS)
        .take_while(|token| is_filler(token));
    from + fillers.count()
}

/// A month, and the token after it.
fn month_at(tokens: &[Token], at: usize, word: &str, context: &DateContext) -> Option<(Month, usize)> {
    // Vietnamese numbers its months.
    if DATE_WORDS.month.contains(word) {
        let number = short(tokens, at + 1).filter(|m| (1..=12).contains(m))?;
        return Some((Month::Gregorian(number), at + 2));
    }
    if let Some(Token::Word(second)) = tokens.get(at + 1)
        && let Some(month) = month_of_two_words(word, second)
    {
        return Some((month, at + 2));
    }
    Some((month(word, &context.language)?, at + 1))
}

/// `March 11, 2024`.
fn month_first(tokens: &[Token], (month, after): (Month, usize), context: &DateContext) -> Option<(Date, usize)> {
    let day_at = skip_fillers(tokens, after);
    let day = short(tokens, day_at)?;
    let year_at = skip_fillers(tokens, day_at + 1);
    let date = in_month(year(tokens, year_at)?, month, day, context)?;
    Some((date, year_at + 1))
}

/// `11 March 2024`, `2024. március 11.`, and `2024. gada 11. marts`.
fn number_first(tokens: &[Token], at: usize, context: &DateContext) -> Option<(Date, usize)> {
    let next = skip_fillers(tokens, at + 1);
    if let Some(year) = year(tokens, at) {
        if let Some(day) = short(tokens, next) {
            let month_at = skip_fillers(tokens, next + 1);
            let (month, after) = word_month(tokens, month_at, context)?;
            return Some((in_month(year, month, day, context)?, after));
        }
        let (month, after) = word_month(tokens, next, context)?;
        let day_at = skip_fillers(tokens, after);
        let day = short(tokens, day_at)?;
        // In "Guide 2026 Dec 26, 2025" the first year is not a part of the date.
        if self::year(tokens, skip_fillers(tokens, day_at + 1)).is_some() {
            return None;
        }
        return Some((in_month(year, month, day, context)?, day_at + 1));
    }
    let day = short(tokens, at)?;
    let (month, after) = word_month(tokens, next, context)?;
    let mut year_at = skip_fillers(tokens, after);
    if matches!(tokens.get(year_at), Some(Token::Word(word)) if DATE_WORDS.year.contains(word)) {
        year_at += 1;
    }
    let date = in_month(year(tokens, year_at)?, month, day, context)?;
    Some((date, year_at + 1))
}

fn word_month(tokens: &[Token], at: usize, context: &DateContext) -> Option<(Month, usize)> {
    match tokens.get(at)? {
        Token::Word(word) => month_at(tokens, at, word, context),
        _ => None,
    }
}

fn in_month(year: u32, month: Month, day: u32, context: &DateContext) -> Option<Date> {
    match month {
        Month::Persian(month) => {
            let (year, month, day) = from_persian(year, month, day)?;
            Date::new(year, month, day)
        }
        Month::Gregorian(month) => match from_buddhist(year) {
            Some(gregorian) if context.language == "th" => Date::new(gregorian, month, day),
            _ => Date::new(year, month, day),
        },
    }
}

impl DateContext {
    /// Reads a text that is one date, as machines or people write it.
    pub(crate) fn parse(&self, text: &str) -> Option<Date> {
        let date = super::machine::parse(text).or_else(|| {
            (text.len() <= 200)
                .then(|| find(text, self))
                .and_then(|found| found.first().map(|found| found.date))
        });
        date.and_then(|date| self.believed(date))
    }
}
