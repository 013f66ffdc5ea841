//! Dates of the posts of a page, in one form.

use dehusk_html::Dom;

use super::DateContext;
use super::tokens::{Token, tokens};
use crate::{PageFacts, claimed_language, hostname, html};

/// Writes the dates of a page's posts in ISO 8601, each in its place. A time without a zone stays one:
/// `04-14-2012, 11:00 PM` is `2012-04-14T23:00:00`. The dates tell each other whether the day or the month comes first.
///
/// A date that cannot be read stays as it is, unless it is only a number. So does one that is later than the crawl.
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
    Some(match time {
        Some((hour, minute, second)) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
        None => date.to_string(),
    })
}

/// The hour, minute and second in a text, whose zone it does not say: `11:00 AM`, `23:15:09`.
fn time_of_day(text: &str) -> Option<(u32, u32, u32)> {
    // ISO 8601 has a letter before the hour.
    let text = text.replace('T', " ");
    let tokens = tokens(&text);
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
        let after = at + if second.is_some() { 5 } else { 3 };
        let half = match tokens.get(after) {
            Some(Token::Word(word)) => word.as_str(),
            _ => "",
        };
        let hour = match (half, hour) {
            ("am", 12) => 0,
            ("pm", 1..=11) => hour + 12,
            _ => hour,
        };
        (hour < 24).then_some((hour, minute, second.unwrap_or(0)))
    })
}
