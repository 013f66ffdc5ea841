//! Whether the day or the month comes first in dates such as `3/4/2024`.

use dehusk_html::{Dom, NodeFlags, Tag};

/// The order of day and month before a year, if both numbers can be the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayFirst,
    MonthFirst,
    Unknown,
}

/// Top-level domains of countries that are used everywhere, or where both orders are.
const NO_COUNTRY: [&str; 10] = ["io", "co", "ai", "me", "tv", "fm", "ly", "to", "ca", "us"];

/// The order that is usual where a page comes from. Only the United States and a few others write the month first.
/// `None` where that is not known.
pub(super) fn usual(language: &str, region: &str, host: &str) -> Option<DateOrder> {
    let top = host.rsplit('.').next().unwrap_or_default();
    let is_country = top.len() == 2 && !NO_COUNTRY.contains(&top);
    match (language, region) {
        ("en", "us") => Some(DateOrder::MonthFirst),
        ("en" | "", _) if matches!(top, "us" | "gov" | "edu" | "mil") => Some(DateOrder::MonthFirst),
        ("en" | "", "") if is_country => Some(DateOrder::DayFirst),
        ("en", "") | ("", _) => None,
        _ => Some(DateOrder::DayFirst),
    }
}

/// Longest text that is searched for other dates, in bytes.
const LONGEST: usize = 200;

/// The order of the dates on a page that can be read in one order only. `None` if there are fewer than `least`, or of
/// both orders.
pub(super) fn of_page(dom: &Dom<'_>, least: usize) -> Option<DateOrder> {
    let texts = (0..).zip(dom.nodes()).filter_map(|(id, node)| {
        let length = (node.to - node.from) as usize;
        let has_digits = node.tag == Tag::Text && node.flags.has(NodeFlags::DIGITS) && length <= LONGEST;
        has_digits.then(|| dom.raw(id))
    });
    of_pairs(texts.flat_map(|text| pairs(text.as_bytes(), b'/')), least)
}

/// The order of some dates, of which one or more can be read in one order only, and none in the other.
pub(super) fn of_dates<'t>(dates: impl Iterator<Item = &'t str>) -> Option<DateOrder> {
    let numbers = dates.flat_map(|date| pairs(date.as_bytes(), b'/').chain(pairs(date.as_bytes(), b'-')));
    of_pairs(numbers, 1)
}

fn of_pairs(pairs: impl Iterator<Item = (u32, u32)>, least: usize) -> Option<DateOrder> {
    let (mut day_first, mut month_first) = (0, 0);
    for (first, second) in pairs {
        day_first += usize::from((13..=31).contains(&first) && (1..=12).contains(&second));
        month_first += usize::from((1..=12).contains(&first) && (13..=31).contains(&second));
    }
    match (day_first, month_first) {
        (dates, 0) if dates >= least => Some(DateOrder::DayFirst),
        (0, dates) if dates >= least => Some(DateOrder::MonthFirst),
        _ => None,
    }
}

/// The first two numbers of each date in a text that has a mark between its numbers, and a year of four digits.
fn pairs(text: &[u8], mark: u8) -> impl Iterator<Item = (u32, u32)> {
    let number = |part: &[u8]| str::from_utf8(part).ok()?.parse::<u32>().ok();
    memchr::memchr_iter(mark, text).filter_map(move |at| {
        let digits = text[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let first = &text[at - digits..at];
        let mut rest = text[at + 1..]
            .split(|b| !b.is_ascii_digit() && *b != mark)
            .next()?
            .split(|b| *b == mark);
        let (second, year) = (rest.next()?, rest.next()?);
        let is_date = first.len() <= 2 && second.len() <= 2 && year.len() == 4 && rest.next().is_none();
        is_date.then(|| Some((number(first)?, number(second)?))).flatten()
    })
}
