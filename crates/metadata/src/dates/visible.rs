//! Dates as people read them, in a short text in any of many languages.

use super::calendar::{from_buddhist, from_persian};
use super::labels::{DateLabel, label_of};
use super::months::{Month, month, month_of_two_words};
use super::tokens::{Token, digit, tokens};
use super::words::DATE_WORDS;
use super::{Date, DateContext, DateOrder, is_calendar_word, is_weekday};

/// A date in a text, and its label by the words before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelledDate {
    pub(crate) date: Date,
    pub(crate) label: DateLabel,
    /// Whether a time of day is beside it.
    pub(crate) is_timed: bool,
    /// Whether it begins the text and a mark sets it off, perhaps with a place before it, as newspapers do.
    pub(crate) is_dateline: bool,
    /// Whether it is no number of a section or a version: it has a year of four digits, or begins with a day after the 12th.
    pub(crate) is_clear: bool,
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
pub(crate) fn find(text: &str, context: &DateContext<'_>) -> Vec<LabelledDate> {
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
        found.push(LabelledDate {
            date,
            label: label_of(&tokens[before.max(at.saturating_sub(8))..at]),
            is_timed: is_beside_time(&tokens[..at], &tokens[end..]),
            is_dateline: is_dateline(&tokens[..at], &tokens[end..]),
            is_clear: true,
        });
        (at, before) = (end, end);
    }
    found
}

/// Whether a time of day is before or after a date: `10:18, 11 March 2024`, `11/03/24-10:18`.
fn is_beside_time(before: &[Token], after: &[Token]) -> bool {
    let is_time = |tokens: &[Token], at: usize| {
        short(tokens, at).is_some_and(|hour| hour < 24)
            && mark(tokens, at + 1) == Some(':')
            && number(tokens, at + 2).is_some_and(|(minute, digits)| minute < 60 && digits == 2)
    };
    (0..=TIME_WITHIN).any(|at| is_time(after, at))
        || (3..=3 + TIME_WITHIN).any(|back| before.len() >= back && is_time(before, before.len() - back))
}

/// How many tokens may be between a date and its time of day: `at`, a mark, the day of the week.
const TIME_WITHIN: usize = 2;

/// Whether a date begins a text, perhaps after a place, and a mark sets it off: `Selwick, March 11, 2024 (AP) —`.
fn is_dateline(before: &[Token], after: &[Token]) -> bool {
    let is_place = |token: &Token| {
        matches!(
            token,
            Token::Word(_) | Token::Mark(',' | '.' | '(' | '/' | '-' | '–' | '—')
        )
    };
    let is_set_off = matches!(
        after.first(),
        Some(Token::Mark('–' | '—' | '-' | '(' | ')' | ':' | '|' | '/'))
    );
    before.len() <= MOST_PLACE && before.iter().all(is_place) && is_set_off
}

/// The most tokens of a place before a date.
const MOST_PLACE: usize = 6;

/// The only date of a short text, if its year has two digits: `11.03.24`, `11/03/24 08:00`. Other texts have such
/// numbers that are no dates, so this is for texts that are little but a date.
pub(crate) fn find_short(text: &str, context: &DateContext<'_>) -> Option<LabelledDate> {
    if YEAR_FIRST.contains(&context.language.as_str()) {
        return None;
    }
    let tokens = tokens(text);
    let is_two = |at: usize| number(&tokens, at).is_some_and(|(_, digits)| digits == 2);
    let joins = |at: usize| matches!(mark(&tokens, at), Some('.' | '/' | '-'));
    let starts = |at: &usize| {
        let between = mark(&tokens, at + 1);
        // Numbers of one digit with dots between them are mostly versions.
        let is_part = |at: usize| is_two(at) || between == Some('/') && short(&tokens, at).is_some();
        is_part(*at)
            && is_part(at + 2)
            && is_two(at + 4)
            && matches!(between, Some('.' | '/'))
            && between == mark(&tokens, at + 3)
    };
    let mut places = (0..tokens.len()).filter(starts);
    let at = places.next().filter(|_| places.next().is_none())?;
    let is_after_number = at >= 2 && joins(at - 1) && number(&tokens, at - 2).is_some();
    let is_before_number = matches!(mark(&tokens, at + 5), Some('.' | '/')) && number(&tokens, at + 6).is_some();
    // A section of a book has its heading after its number.
    let is_section = at == 0 && matches!(tokens.get(at + 5), Some(Token::Word(_)));
    let is_before_time = is_beside_time(&[], &tokens[at + 5..]);
    let is_after_thing = || !is_before_time && is_after_name(&tokens[..at]) && !is_after_person(text, &tokens[..at]);
    if is_after_number || is_before_number || is_section || is_after_thing() {
        return None;
    }
    let (first, second, year) = (short(&tokens, at)?, short(&tokens, at + 2)?, short(&tokens, at + 4)?);
    let year = if year < 90 { 2000 + year } else { 1900 + year };
    if context.crawl.is_some_and(|crawl| year > crawl.year()) {
        return None;
    }
    let date = in_order(year, (first, second), mark(&tokens, at + 1)?, &tokens[..at], context)?;
    Some(LabelledDate {
        date,
        label: label_of(&tokens[at.saturating_sub(8)..at]),
        is_timed: is_before_time,
        is_dateline: false,
        is_clear: first > 12,
    })
}

/// Whether the word before a number can be that of a thing, as in `Version 10.12.14`. It is none if it announces a
/// date, or if it is a day of the week or as short as one.
fn is_after_name(before: &[Token]) -> bool {
    let Some(Token::Word(word)) = before.last() else {
        return false;
    };
    let is_labelled = label_of(&before[before.len() - 1..]) != DateLabel::None;
    !is_labelled && word.chars().count() > 2 && !DATE_WORDS.between.contains(word) && !is_calendar_word(word)
}

/// Whether the words of a text before its first digit end with the name of a person: two words with a capital letter
/// each.
fn is_after_person(text: &str, before: &[Token]) -> bool {
    let is_number = |word: &str| DATE_WORDS.numbered.contains(word);
    if before
        .iter()
        .any(|token| matches!(token, Token::Word(word) if is_number(word)))
    {
        return false;
    }
    let end = text.find(|c| digit(c).is_some()).unwrap_or(text.len());
    let is_name = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
    };
    let mut words = text[..end].split_whitespace().rev();
    words.next().is_some_and(is_name) && words.next().is_some_and(is_name)
}

/// Languages in which a date may start with a year of two digits.
const YEAR_FIRST: [&str; 8] = ["zh", "ja", "ko", "hu", "lt", "sv", "fa", "mn"];

/// The date that starts at a token, and the token after it.
fn date_at(tokens: &[Token], at: usize, context: &DateContext<'_>) -> Option<(Date, usize)> {
    match &tokens[at] {
        Token::Number(..) => ideographic(tokens, at)
            .or_else(|| numeric(tokens, at, context))
            .or_else(|| number_first(tokens, at, context)),
        Token::Word(word) => {
            // To look a word up costs more than to look for the day, which is a number close by.
            let mut close = tokens[at + 1..].iter().take(FILLERS + 2);
            if !close.any(|token| matches!(token, Token::Number(..))) {
                return None;
            }
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
fn numeric(tokens: &[Token], at: usize, context: &DateContext<'_>) -> Option<(Date, usize)> {
    let between = mark(tokens, at + 1).filter(|mark| matches!(mark, '.' | '/' | '-' | '‑' | '–' | '．' | '／'))?;
    // In the path of an address, a mark follows.
    if mark(tokens, at + 3) != Some(between) || between == '/' && mark(tokens, at + 5) == Some('/') {
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
        let numbers = (short(tokens, at)?, short(tokens, at + 2)?);
        in_order(year, numbers, between, &tokens[..at], context)?
    };
    Some((date, at + 5))
}

/// The day of a year that two numbers with a mark between them name, after some tokens.
fn in_order(
    year: u32,
    (first, second): (u32, u32),
    mark: char,
    before: &[Token],
    context: &DateContext<'_>,
) -> Option<Date> {
    let day_first = || day_of(year, second, first, context);
    let month_first = || day_of(year, first, second, context);
    let is_clear = first > 12 || second > 12 || first == second || mark == '.';
    if is_clear {
        return if second > 12 { month_first() } else { day_first() };
    }
    if let Some(weekday) = weekday_at_end(before)
        && let (Some(a), Some(b)) = (day_first(), month_first())
        && (a.weekday() == weekday) != (b.weekday() == weekday)
    {
        return Some(if a.weekday() == weekday { a } else { b });
    }
    let (date, other) = match context.order() {
        DateOrder::DayFirst => (day_first()?, month_first()),
        DateOrder::MonthFirst => (month_first()?, day_first()),
        DateOrder::Unknown => return None,
    };
    // In the wrong order, a day can be after the crawl.
    let is_past = |date: &Date| !context.is_late(*date);
    Some(other.filter(|other| !is_past(&date) && is_past(other)).unwrap_or(date))
}

/// The day of the week that some tokens end with, perhaps before a mark; 0 is Monday.
fn weekday_at_end(tokens: &[Token]) -> Option<usize> {
    let mut last = tokens
        .iter()
        .rev()
        .filter(|token| !matches!(token, Token::Mark(',' | '.')));
    let Token::Word(word) = last.next()? else {
        return None;
    };
    DATE_WORDS.weekdays.iter().position(|day| is_weekday(word, day))
}

/// A day of a year that may be counted in the calendar of the page's language.
fn day_of(year: u32, month: u32, day: u32, context: &DateContext<'_>) -> Option<Date> {
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
fn month_at(tokens: &[Token], at: usize, word: &str, context: &DateContext<'_>) -> Option<(Month, usize)> {
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
fn month_first(tokens: &[Token], (month, after): (Month, usize), context: &DateContext<'_>) -> Option<(Date, usize)> {
    let day_at = skip_fillers(tokens, after);
    let day = short(tokens, day_at)?;
    let mut year_at = skip_fillers(tokens, day_at + 1);
    if year(tokens, year_at).is_none() {
        year_at = skip_time(tokens, day_at + 1)?;
    }
    let date = in_month(year(tokens, year_at)?, month, day, context)?;
    Some((date, year_at + 1))
}

/// The token after a time of day and its zone: `Mar 11 08:00:00 GMT 2024`.
fn skip_time(tokens: &[Token], at: usize) -> Option<usize> {
    short(tokens, at)?;
    let mut end = at + 1;
    while mark(tokens, end) == Some(':') {
        short(tokens, end + 1)?;
        end += 2;
    }
    let has_zone = matches!(tokens.get(end), Some(Token::Word(word)) if word.len() <= LONGEST_ZONE);
    (end > at + 1).then(|| end + usize::from(has_zone))
}

/// Longest name of a time zone, in bytes.
const LONGEST_ZONE: usize = 5;

/// `11 March 2024`, `2024. március 11.`, and `2024. gada 11. marts`.
fn number_first(tokens: &[Token], at: usize, context: &DateContext<'_>) -> Option<(Date, usize)> {
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

fn word_month(tokens: &[Token], at: usize, context: &DateContext<'_>) -> Option<(Month, usize)> {
    match tokens.get(at)? {
        Token::Word(word) => month_at(tokens, at, word, context),
        _ => None,
    }
}

fn in_month(year: u32, month: Month, day: u32, context: &DateContext<'_>) -> Option<Date> {
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

impl DateContext<'_> {
    /// Reads a text that is one date, as machines or people write it. `None` if the date is not believed.
    pub(crate) fn parse(&self, text: &str) -> Option<Date> {
        self.read(text).and_then(|date| self.believed(date))
    }

    /// Reads a text that is one date, as machines or people write it.
    pub(crate) fn read(&self, text: &str) -> Option<Date> {
        super::machine::parse(text).or_else(|| {
            (text.len() <= 200)
                .then(|| find(text, self))
                .and_then(|found| found.first().map(|found| found.date))
        })
    }
}
