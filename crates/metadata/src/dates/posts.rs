//! Dates of the posts of a page, in one form.

use dehusk_html::Dom;

use super::tokens::{Token, tokens};
use super::words::DATE_WORDS;
use super::{DateContext, Time};
use crate::{PageFacts, claimed_language, hostname, html};

/// Writes the dates of a page's posts in ISO 8601, each in its place. A time without a zone stays one:
/// `04-14-2012, 11:00 PM` is `2012-04-14T23:00:00`. The dates decide together whether the day or the month comes first.
///
/// Of a time whose zone is not known, as that of `11:00 PM EST`, only the day is written. A date that cannot be read
/// stays as it is, unless it is only a number. So does one that is later than the crawl.
pub fn normalize_post_dates(dom: &Dom<'_>, facts: PageFacts<'_>, dates: &mut [&mut String]) {
    if dates.is_empty() {
        return;
    }
    let language = claimed_language(dom, &html::collect(dom).claims);
    let mut context = DateContext::new(dom, &language, &hostname(facts.url), facts.created);
    context.take_order_of(dates.iter().map(|date| date.as_str()));
    for date in dates {
        if let Some(normal) = normal(date, &context) {
            **date = normal;
        } else if date.bytes().all(|b| b.is_ascii_digit()) {
            date.clear();
        }
    }
}

fn normal(text: &str, context: &DateContext<'_>) -> Option<String> {
    let date = context.parse(text)?;
    let time = if date.is_instant() { None } else { time_of_day(text) };
    let Some(TimeOfDay {
        hour,
        minute,
        second,
        zone,
    }) = time
    else {
        return Some(date.to_string());
    };
    Some(match zone {
        Zone::None => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
        Zone::Unknown => date.to_string(),
        Zone::Offset(offset) => {
            let time = Time {
                hour,
                minute,
                second,
                offset,
            };
            date.at(Some(time)).to_string()
        }
    })
}

/// A time of day as a page shows it.
struct TimeOfDay {
    hour: u32,
    minute: u32,
    second: u32,
    zone: Zone,
}

/// The zone of a time of day, as the words after it name it.
enum Zone {
    /// There are no such words.
    None,
    /// Minutes east of UTC.
    Offset(i32),
    /// Its distance from UTC depends on the country or on the time of the year.
    Unknown,
}

/// The time of day in a text: `11:00 AM`, `23:15:09`, `11:00 p.m. EST`.
fn time_of_day(text: &str) -> Option<TimeOfDay> {
    let tokens = tokens(text);
    let two = |at: usize| match tokens.get(at) {
        Some(Token::Number(value, 2)) if *value < 60 => Some(*value),
        _ => None,
    };
    let is_colon = |at: usize| tokens.get(at) == Some(&Token::Mark(':'));
    (0..tokens.len()).find_map(|at| {
        let Token::Number(hour, 1 | 2) = tokens[at] else {
            return None;
        };
        let minute = two(at + 2).filter(|_| is_colon(at + 1))?;
        let second = two(at + 4).filter(|_| is_colon(at + 3));
        let end = at + if second.is_some() { 5 } else { 3 };
        let (half, after) = half_after(&tokens[end..]);
        let hour = match (half.or_else(|| half_before(&tokens[..at])), hour) {
            (Some(Half::First), 12) => 0,
            (Some(Half::Second), 1..=11) => hour + 12,
            _ => hour,
        };
        (hour < 24).then(|| TimeOfDay {
            hour,
            minute,
            second: second.unwrap_or(0),
            zone: zone(after),
        })
    })
}

/// A half of the day.
enum Half {
    First,
    Second,
}

/// The half of the day that follows a time, and the tokens after it.
fn half_after(tokens: &[Token]) -> (Option<Half>, &[Token]) {
    let half = |word: &str| match word {
        "am" | "a" => Some(Half::First),
        "pm" | "p" => Some(Half::Second),
        _ => None,
    };
    match tokens {
        [Token::Word(first), Token::Mark('.'), Token::Word(second), rest @ ..] if first.len() == 1 && second == "m" => {
            let dot = usize::from(rest.first() == Some(&Token::Mark('.')));
            (half(first), &rest[dot..])
        }
        [Token::Word(word), rest @ ..] if word.len() == 2 && half(word).is_some() => (half(word), rest),
        _ => (None, tokens),
    }
}

/// The half of the day that Chinese, Japanese and Korean write before a time.
fn half_before(tokens: &[Token]) -> Option<Half> {
    let word = |back: usize| match tokens.get(tokens.len().checked_sub(back)?)? {
        Token::Word(word) => Some(word.as_str()),
        _ => None,
    };
    match (word(2), word(1)?) {
        (Some("上"), "午") | (Some("午"), "前") | (_, "오전") => Some(Half::First),
        (Some("下"), "午") | (Some("午"), "後") | (_, "오후") => Some(Half::Second),
        _ => None,
    }
}

/// The zone that follows a time and its half of the day: `EST`, `(GMT)`, `UTC+2`, `+0200`.
fn zone(tokens: &[Token]) -> Zone {
    let tokens = tokens.strip_prefix(&[Token::Mark('(')]).unwrap_or(tokens);
    let (is_utc, rest) = match tokens {
        [Token::Word(word), rest @ ..] if matches!(word.as_str(), "utc" | "gmt" | "z") => (true, rest),
        [Token::Word(word), ..] if DATE_WORDS.zones.contains(word) => return Zone::Unknown,
        _ => (false, tokens),
    };
    let (sign, rest) = match rest {
        [Token::Mark('+'), rest @ ..] => (1, rest),
        [Token::Mark('-' | '−' | '–'), rest @ ..] => (-1, rest),
        _ => (0, rest),
    };
    let minutes = match rest {
        [
            Token::Number(hours, 1 | 2),
            Token::Mark(':'),
            Token::Number(minutes, 2),
            ..,
        ] if sign != 0 => {
            // `10:00 - 11:30` are two times.
            if !is_utc && sign < 0 {
                return Zone::Unknown;
            }
            hours * 60 + minutes
        }
        [Token::Number(both, 4), ..] if sign != 0 && both % 100 < 60 && *both <= 1400 => both / 100 * 60 + both % 100,
        [Token::Number(hours, 1 | 2), ..] if sign != 0 && is_utc => hours * 60,
        _ if is_utc => 0,
        _ => return Zone::None,
    };
    Zone::Offset(sign * i32::try_from(minutes).unwrap_or(0))
}
