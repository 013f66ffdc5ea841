//! Facts from a page's address: its host, and the day in its path.

use std::collections::HashSet;

use super::dates::months::english_month;
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

/// The day in a URL's path: `/2024/03/11/`, `/2024/mar/11/`, `/2024-03/11/`, `/2024/0311/`, `/2024-03-11-`, `/20240311/`.
pub(super) fn date(url: &str, context: &DateContext<'_>) -> Option<Date> {
    let path = path(url);
    if path.len() > LONGEST {
        return None;
    }
    let bytes = path.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (1..bytes.len()).filter(|at| is_digit(*at) && !is_digit(at - 1));
    // Longer ago there was no Web; such a number means something else.
    let is_plausible = |date: &Date| date.year() >= 1994;
    starts
        .filter_map(|at| date_at(path, at).filter(is_plausible))
        .find_map(|date| context.believed(date))
}

/// The day that starts at a digit of a path.
fn date_at(path: &str, at: usize) -> Option<Date> {
    let bytes = path.as_bytes();
    let number = |from: usize, to: usize| path.get(from..to)?.parse::<u32>().ok();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mark = |at: usize| {
        bytes
            .get(at)
            .copied()
            .filter(|mark| matches!(mark, b'/' | b'-' | b'_' | b'.'))
    };
    let is_part = mark(at - 1).is_some();
    // Of letters, only a `t` can be before a day: `t20240311_7.htm`.
    let is_letter = |at: usize| bytes[at].is_ascii_alphanumeric() || !bytes[at].is_ascii();
    let is_free = match bytes[at - 1] {
        b't' | b'T' => at < 2 || !is_letter(at - 2),
        _ => !is_letter(at - 1),
    };
    let is_time = |from: usize| {
        number(from, from + 2)
            .zip(number(from + 2, from + 4))
            .is_some_and(|(h, m)| h < 24 && m < 60)
    };
    let ((month, end), year) = match digits(at) {
        12 | 14 if !is_time(at + 8) => return None,
        8 | 12 | 14 if is_free => {
            return Date::new(number(at, at + 4)?, number(at + 4, at + 6)?, number(at + 6, at + 8)?);
        }
        6 if is_part && mark(at + 6) == Some(b'/') => ((number(at + 4, at + 6)?, at + 6), number(at, at + 4)?),
        4 if is_part => {
            let (year, from) = (number(at, at + 4)?, mark(at + 4).map(|_| at + 5)?);
            match digits(from) {
                4 if bytes[at + 4] == b'/' => {
                    return Date::new(year, number(from, from + 2)?, number(from + 2, from + 4)?);
                }
                count @ 1..=2 => ((number(from, from + count)?, from + count), year),
                _ => {
                    let name = path[from..].split(['/', '-', '_', '.']).next()?;
                    ((english_month(&name.to_ascii_lowercase())?, from + name.len()), year)
                }
            }
        }
        _ => return None,
    };
    let is_same_mark = bytes.get(end) == bytes.get(at + 4);
    let from = mark(end)
        .filter(|mark| is_same_mark || *mark == b'/')
        .map(|_| end + 1)?;
    let count = digits(from);
    // Shorter numbers with dots between them are those of versions.
    if bytes[at + 4] == b'.' && (end, count) != (at + 7, 2) {
        return None;
    }
    (1..=2)
        .contains(&count)
        .then(|| Date::new(year, month, number(from, from + count)?))?
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
