//! The day of a page that shows none near its title: in its other addresses, in the data of its scripts, in its title.

use dehusk_html::Dom;
use memchr::memmem;

use super::dates::{Date, DateContext, machine, visible};
use super::evidence::{Claims, Field, Source};
use super::near::ELSEWHERE;
use super::title_parts::last_part;
use super::url;

/// Claims such a day.
pub(super) fn collect(dom: &Dom<'_>, context: &DateContext<'_>, claims: &mut Claims) {
    let found = in_addresses(claims, context)
        .map(|date| (Source::Url, date))
        .or_else(|| Some((Source::JsonLd, in_data(dom.source(), context)?)))
        .or_else(|| Some((Source::TitleElement, in_title(claims, context)?)));
    if let Some((source, date)) = found {
        claims.add_near(Field::Published, source, ELSEWHERE, &date.to_string());
    }
}

/// The day in an address that the page gives as its own.
fn in_addresses(claims: &Claims, context: &DateContext<'_>) -> Option<Date> {
    let mut addresses = claims.all(Field::Canonical).iter();
    addresses.find_map(|claim| url::date(&claim.value, context))
}

/// What follows a part of the names of properties that hold the day of publication.
const PUBLISH: &[u8] = b"ublish";

/// The ends of these names in small letters, without lines between their words.
const ENDS: [&str; 8] = ["ed", "edat", "edon", "eddate", "edtime", "date", "time", "at"];

/// The most bytes between the name of a property and its value, and of the value.
const MOST_BETWEEN: usize = 24;
const MOST_VALUE: usize = 40;

/// The most bytes of a page that are searched. What describes it is in its head or soon after.
const MOST_SOURCE: usize = 64 << 10;

/// The day of publication that the scripts of a page hold, if it is the only one: in JSON-LD that describes nothing
/// known, in the data of a program, or escaped in an attribute.
fn in_data(source: &str, context: &DateContext<'_>) -> Option<Date> {
    let mut only: Option<Date> = None;
    let head = &source.as_bytes()[..source.len().min(MOST_SOURCE)];
    for at in memmem::find_iter(head, PUBLISH) {
        let Some(date) = value_at(source, at).and_then(machine::parse) else {
            continue;
        };
        let date = context.believed(date)?;
        if only.is_some_and(|only| !only.is_same_day(date)) {
            return None;
        }
        only = only.or(Some(date));
    }
    only
}

/// The value of the property whose name has `ublish` at a place.
fn value_at(source: &str, at: usize) -> Option<&str> {
    // `publishedAt`, `datePublished`, and not `republished`.
    let before = source.as_bytes().get(at.checked_sub(2)?..at)?;
    let starts_name = before[1].eq_ignore_ascii_case(&b'p') && !before[0].is_ascii_alphanumeric();
    if !starts_name && before != b"eP" {
        return None;
    }
    let rest = source.get(at + PUBLISH.len()..)?;
    let is_name = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-');
    let length = rest.bytes().take(MOST_BETWEEN).take_while(is_name).count();
    let name = rest[..length].replace(['_', '-'], "").to_ascii_lowercase();
    if !ENDS.contains(&name.as_str()) {
        return None;
    }
    let rest = &rest[length..];
    // Nothing but ASCII may be between them, so this ends between two characters.
    let is_between = |b: &u8| b.is_ascii() && !b.is_ascii_digit();
    let between = rest.bytes().take(MOST_BETWEEN).take_while(is_between).count();
    let marks = rest[..between].replace("&quot;", "\"");
    let is_mark = |c: char| matches!(c, '"' | '\'' | '\\' | ':' | ' ');
    if !marks.contains(':') || !marks.chars().all(is_mark) {
        return None;
    }
    let value = &rest[between..];
    let value = &value[..value.floor_char_boundary(MOST_VALUE)];
    value.split(['"', '\'', '\\', '&', ',', '}', '<']).next()
}

/// The day that the `title` element ends with.
fn in_title(claims: &Claims, context: &DateContext<'_>) -> Option<Date> {
    let title = claims.best(Field::Title, &[Source::TitleElement])?;
    let (_, last) = last_part(&title.value)?;
    let is_short = last.split_whitespace().count() <= MOST_WORDS;
    let date = visible::find(last, context).first().map(|found| found.date);
    date.filter(|_| is_short).and_then(|date| context.believed(date))
}

/// The most words of the part of a title that is a date.
const MOST_WORDS: usize = 5;
