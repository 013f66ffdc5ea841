//! Facts from a page's address: its host, and the day in its path.

use std::collections::HashSet;

use super::dates::{Date, DateContext};
use super::site_name::words;
use crate::percent;

/// The host of a URL, in lower case, without user and port; `""` where there is none.
pub fn hostname(url: &str) -> String {
    let Some((_, rest)) = url.split_once("://") else {
        return String::new();
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.to_lowercase()
}

/// The path of a URL, without the query.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

/// The words of a URL's path in lower case.
pub(super) fn path_words(url: &str) -> HashSet<String> {
    let path = path(url);
    let path = percent::decoded(&path[..path.floor_char_boundary(LONGEST)]);
    let path = String::from_utf8_lossy(&path);
    words(&path).map(str::to_lowercase).collect()
}

/// Whether a URL is that of a site's first page.
pub(super) fn is_home(url: &str) -> bool {
    matches!(path(url), "" | "/") && !url.is_empty()
}

/// Longest path that is searched for a day or words, in bytes.
const LONGEST: usize = 2000;

/// The day in a URL's path: `/2024/03/11/`, `/2024-03-11-`, `/20240311/`.
pub(super) fn date(url: &str, context: &DateContext<'_>) -> Option<Date> {
    let path = path(url);
    let bytes = path.as_bytes();
    if bytes.len() > LONGEST {
        return None;
    }
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let number = |from: usize, to: usize| path.get(from..to)?.parse::<u32>().ok();
    for at in 1..bytes.len() {
        let starts = is_digit(at) && !is_digit(at - 1) && matches!(bytes[at - 1], b'/' | b'-' | b'_' | b'.');
        if !starts {
            continue;
        }
        let digits = (at..).take_while(|at| is_digit(*at)).count();
        let date = match digits {
            8 => number(at, at + 4)
                .zip(number(at + 4, at + 6))
                .zip(number(at + 6, at + 8)),
            4 => separated(bytes, at).and_then(|(month, day)| {
                number(at, at + 4)
                    .zip(number(month.start, month.end))
                    .zip(number(day.start, day.end))
            }),
            _ => None,
        };
        let date = date.and_then(|((year, month), day)| Date::new(year, month, day));
        // Longer ago there was no Web; such a number means something else.
        if let Some(date) = date
            .filter(|date| date.year() >= 1994)
            .and_then(|date| context.believed(date))
        {
            return Some(date);
        }
    }
    None
}

/// The places of the month and of the day after a year of four digits.
fn separated(bytes: &[u8], at: usize) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mark = *bytes.get(at + 4)?;
    if !matches!(mark, b'/' | b'-' | b'_' | b'.') {
        return None;
    }
    let digits = |from: usize| {
        let count = bytes.get(from..)?.iter().take_while(|b| b.is_ascii_digit()).count();
        (1..=2).contains(&count).then_some(from..from + count)
    };
    let month = digits(at + 5)?;
    if bytes.get(month.end) != Some(&mark) {
        return None;
    }
    let day = digits(month.end + 1)?;
    Some((month, day))
}

#[cfg(test)]
mod tests {
    use super::hostname;

    #[test]
    fn hosts_are_found_in_odd_urls() {
        assert_eq!(
            hostname("HTTPS://User:pw@WWW.Example.org:8080/a?b#c"),
            "www.example.org"
        );
        assert_eq!(hostname("http://[2001:db8::1]:80/"), "2001:db8::1");
        assert_eq!(hostname("dns:example.org"), "");
        assert_eq!(hostname("http:///x"), "");
    }
}
