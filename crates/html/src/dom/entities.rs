//! Decodes character references: `&amp;`, `&eacute`, `&#8217;`, `&#x2019;`.
//!
//! This follows the tokenizer of the HTML specification: the complete table of names (of the crate `entities`), the
//! names that need no semicolon, the rule that keeps `?a=1&copy=2` in attributes as it is, and the replacements for
//! numbers that are no character. Each reference is examined once and the longest name has 32 bytes, so the time is
//! linear.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use encoding_rs::WINDOWS_1252;
use memchr::memchr;

/// The length of the longest name with its semicolon, `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 32;

/// The length of the longest names that need no semicolon, such as `Aacute`.
const LONGEST_LEGACY_NAME: usize = 6;

/// A decoded character reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The character.
    pub first: char,
    /// The second character, for the few names that mean two.
    pub second: Option<char>,
    /// The length of the reference in bytes, including `&`.
    pub len: usize,
}

/// Decodes all references of a text.
pub fn decode(text: &str) -> Cow<'_, str> {
    decode_all(text, false)
}

/// Decodes all references of a raw attribute value.
pub fn decode_attribute(value: &str) -> Cow<'_, str> {
    decode_all(value, true)
}

fn decode_all(text: &str, attribute: bool) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr(b'&', &text.as_bytes()[at..]) {
        at += found;
        match reference(&text[at..], attribute) {
            Some(reference) => {
                out.push_str(&text[copied..at]);
                out.push(reference.first);
                out.extend(reference.second);
                at += reference.len;
                copied = at;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The reference at the start of `text`, which starts with `&`. `None` if it is no reference.
pub fn reference(text: &str, attribute: bool) -> Option<Reference> {
    let bytes = text.as_bytes();
    match bytes.get(1)? {
        b'#' => numeric(bytes),
        b if b.is_ascii_alphanumeric() => named(text, attribute),
        _ => None,
    }
}

fn numeric(bytes: &[u8]) -> Option<Reference> {
    let (radix, start) = if matches!(bytes.get(2), Some(b'x' | b'X')) {
        (16, 3)
    } else {
        (10, 2)
    };
    let mut number = 0u32;
    let mut at = start;
    while let Some(digit) = bytes.get(at).and_then(|&b| (b as char).to_digit(radix)) {
        // Saturation keeps a number that is too large too large.
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return None;
    }
    if bytes.get(at) == Some(&b';') {
        at += 1;
    }
    let first = match number {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9F => windows_1252(number as u8),
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some(Reference {
        first,
        second: None,
        len: at,
    })
}

fn named(text: &str, attribute: bool) -> Option<Reference> {
    let bytes = text.as_bytes();
    let name_end = bytes[1..]
        .iter()
        .take(LONGEST_NAME)
        .position(|b| !b.is_ascii_alphanumeric())
        .map(|n| n + 1);
    if let Some(end) = name_end
        && bytes[end] == b';'
    {
        // Nearly all references on real pages are these.
        let common = match &bytes[1..end] {
            b"amp" => '&',
            b"lt" => '<',
            b"gt" => '>',
            b"quot" => '"',
            b"nbsp" => '\u{A0}',
            _ => '\0',
        };
        if common != '\0' {
            return Some(Reference {
                first: common,
                second: None,
                len: end + 1,
            });
        }
        if let Some(found) = lookup(&text[..=end]) {
            return Some(found);
        }
    }
    // Without a semicolon the longest name wins.
    let limit = name_end.unwrap_or(bytes.len()).min(1 + LONGEST_LEGACY_NAME);
    let best = (2..=limit).rev().find_map(|end| lookup(&text[..end]))?;
    let followed_by = bytes.get(best.len);
    if attribute && followed_by.is_some_and(|&b| b == b'=' || b.is_ascii_alphanumeric()) {
        return None;
    }
    Some(best)
}

/// The meaning of a whole reference, `&` and the semicolon included where its name needs one.
fn lookup(reference: &str) -> Option<Reference> {
    static NAMES: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| entities::ENTITIES.iter().map(|e| (e.entity, e.characters)).collect());
    let mut characters = NAMES.get(reference)?.chars();
    Some(Reference {
        first: characters.next()?,
        second: characters.next(),
        len: reference.len(),
    })
}

/// The character of a byte in windows-1252.
fn windows_1252(byte: u8) -> char {
    let bytes = [byte];
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
    text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_references_is_borrowed() {
        for text in [
            "",
            "plain",
            "AT&T",
            "a & b",
            "&",
            "&;",
            "&#;",
            "&#x;",
            "&unknown;",
            "&#xg",
        ] {
            assert!(matches!(decode(text), Cow::Borrowed(t) if t == text), "{text}");
        }
    }

    #[test]
    fn named_references() {
        assert_eq!(
            decode("&lt;b&gt; &amp;amp; &eacute;t&eacute; &NotEqualTilde;"),
            "<b> &amp; été \u{2242}\u{338}"
        );
        assert_eq!(decode("&CounterClockwiseContourIntegral;"), "\u{2233}");
    }

    #[test]
    fn names_without_semicolon() {
        assert_eq!(
            decode("caf&eacute &copy2024 &notit; &notin; &ampx"),
            "café ©2024 ¬it; ∉ &x"
        );
        assert_eq!(decode("&hellip"), "&hellip");
    }

    #[test]
    fn attributes_keep_query_strings() {
        assert_eq!(decode_attribute("?a=1&copy=2&lt=3&amp;b&reg"), "?a=1&copy=2&lt=3&b®");
        assert_eq!(decode_attribute("&copy;=1 &copyx"), "©=1 &copyx");
    }

    #[test]
    fn numeric_references() {
        assert_eq!(decode("&#65;&#x42;&#X43 &#128;&#x9f;&#129;"), "ABC €Ÿ\u{81}");
        assert_eq!(
            decode("&#0;&#xD800;&#x110000;&#99999999999999;"),
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        );
    }

    /// html5ever has a table of its own.
    #[cfg(feature = "normalize")]
    #[test]
    fn all_names_mean_what_they_mean_to_html5ever() {
        let names = html5ever::data::NAMED_ENTITIES
            .entries()
            .filter(|(_, (first, _))| *first != 0);
        let mut count = 0;
        for (name, (first, second)) in names {
            let expected: String = [*first, *second]
                .into_iter()
                .filter(|c| *c != 0)
                .filter_map(char::from_u32)
                .collect();
            assert_eq!(decode(&format!("&{name}")), expected, "{name}");
            assert!(name.ends_with(';') || name.len() <= LONGEST_LEGACY_NAME, "{name}");
            count += 1;
        }
        assert_eq!(count, entities::ENTITIES.len());
        for number in 0x80..0xA0_u32 {
            let expected = html5ever::data::C1_REPLACEMENTS[number as usize - 0x80];
            let expected = expected.or(char::from_u32(number)).unwrap();
            assert_eq!(decode(&format!("&#{number};")), expected.to_string());
        }
    }

    #[test]
    fn floods_take_linear_time() {
        let flood = "&".repeat(2_000_000);
        assert_eq!(decode(&flood).len(), flood.len());
        let digits = format!("&#{}", "1".repeat(2_000_000));
        assert_eq!(decode(&digits), "\u{FFFD}");
        let nearly = "&CounterClockwiseContourIntegra".repeat(50_000);
        assert_eq!(decode(&nearly).len(), nearly.len());
    }
}
