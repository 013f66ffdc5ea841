//! Bytes to text: which encoding a page is in, and its text as UTF-8.
//!
//! The order is that of the HTML standard (“determining the character encoding”): byte order mark, HTTP label, `meta`
//! prescan, detection. Labels in the wild are wrong often enough that the bytes have a say:
//!
//! - Valid UTF-8 with a byte beyond ASCII wins over every label but a byte order mark: text in another encoding is
//!   UTF-8 by chance only where it has a handful of such bytes.
//! - Escape sequences of ISO-2022-JP, and zero bytes in the pattern of UTF-16, say what they are.
//! - A label under which more than one character in twenty is malformed loses to a detected encoding that reads
//!   the page cleanly.
//!
//! Malformed bytes become U+FFFD. Valid UTF-8 is borrowed, never copied.

mod binary;
mod judge;
mod label;
mod prescan;

pub use binary::looks_binary;
pub use prescan::{PRESCAN, prescan};

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use label::Label;
use std::borrow::Cow;

/// What decided the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The byte order mark.
    Bom,
    /// The charset of the HTTP `Content-Type`.
    Http,
    /// A `meta` element, or the encoding of an XML declaration.
    Meta,
    /// The bytes are UTF-8 (or ASCII), whatever label there is.
    Utf8,
    /// The bytes' statistics, or the pattern of their escape sequences or zeros.
    Detected,
}

impl Source {
    /// The name that a document's `charset_source` bears.
    pub fn name(self) -> &'static str {
        match self {
            Source::Bom => "bom",
            Source::Http => "http",
            Source::Meta => "meta",
            Source::Utf8 => "utf8",
            Source::Detected => "detected",
        }
    }
}

/// A page's text and how it was found.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The text without its byte order mark; borrowed where the body is valid UTF-8.
    pub text: Cow<'a, str>,
    /// The encoding that the body was read with. `encoding.name()` is its name in the Encoding standard's spelling.
    pub encoding: &'static Encoding,
    /// What decided it.
    pub source: Source,
    /// What was odd.
    pub oddities: Oddities,
}

/// What was odd about a page's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// The declared charset is wrong or unknown.
    pub label: bool,
    /// Bytes that are not text in the page's charset were replaced by U+FFFD.
    pub invalid: bool,
}

/// The page is in UTF-7 or in EBCDIC, which are not decoded here. The ledger's `charset_unsupported`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the page is in UTF-7 or EBCDIC, which are not decoded")
    }
}

impl std::error::Error for Unsupported {}

/// Decodes a page, given the charset label of its HTTP head, if there was one.
///
/// # Errors
///
/// [`Unsupported`] for a page that is labelled as UTF-7 and uses it, and for one whose bytes are EBCDIC.
pub fn decode<'a>(body: &'a [u8], http_label: Option<&str>) -> Result<Decoded<'a>, Unsupported> {
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return Ok(by_mark(&body[length..], encoding));
    }
    let mut oddities = Oddities::default();
    let valid = Utf8::of(body);
    let (label, source) = find_label(body, http_label, &mut oddities);

    if let Some(encoding) = judge::utf16_pattern(body) {
        if label != Label::Utf16 && label != Label::None {
            oddities.label = true;
        }
        return Ok(by_encoding(body, encoding, Source::Detected, oddities));
    }
    if let Some(valid) = valid {
        return decode_utf8(body, valid, label, source, oddities);
    }
    if judge::is_ebcdic(body) || label == Label::Ebcdic && !judge::holds_ascii_tags(body) {
        return Err(Unsupported);
    }
    Ok(match label {
        Label::Known(encoding) => by_label(body, encoding, source, oddities),
        other => {
            if other != Label::None {
                oddities.label = true;
            }
            match judge::mostly_utf8(body) {
                true => by_encoding(body, UTF_8, Source::Utf8, oddities),
                false => by_encoding(body, judge::detect(body), Source::Detected, oddities),
            }
        }
    })
}

/// A body that is UTF-8, at least up to a last character that was cut off.
struct Utf8<'a> {
    text: &'a str,
    cut: bool,
}

impl<'a> Utf8<'a> {
    fn of(body: &'a [u8]) -> Option<Self> {
        match simdutf8::compat::from_utf8(body) {
            Ok(text) => Some(Utf8 { text, cut: false }),
            // No error length: the input ends in the midst of a character that is right so far. A body of which this
            // is the only byte beyond ASCII proves nothing.
            Err(e) if e.error_len().is_none() => {
                let text = std::str::from_utf8(&body[..e.valid_up_to()])
                    .ok()
                    .filter(|t| !t.is_ascii())?;
                Some(Utf8 { text, cut: true })
            }
            Err(_) => None,
        }
    }
}

/// The label that counts: HTTP's, or else the page's own.
fn find_label(body: &[u8], http_label: Option<&str>, oddities: &mut Oddities) -> (Label, Source) {
    let http = http_label.map_or(Label::None, Label::in_head);
    match http {
        Label::None => {}
        // Nobody knows what it means, so the page is asked.
        Label::Unknown => oddities.label = true,
        known => return (known, Source::Http),
    }
    (prescan::find(body), Source::Meta)
}

/// Decodes what follows a byte order mark (Encoding standard, “BOM sniff”).
fn by_mark<'a>(rest: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    by_encoding(rest, encoding, Source::Bom, Oddities::default())
}

/// Decodes a body that is UTF-8. ASCII is what every encoding but three makes of it, so there a label stands.
fn decode_utf8<'a>(
    body: &'a [u8],
    valid: Utf8<'a>,
    label: Label,
    source: Source,
    mut oddities: Oddities,
) -> Result<Decoded<'a>, Unsupported> {
    let ascii = valid.text.is_ascii();
    if ascii && label != Label::Replacement && judge::has_iso_2022_jp(body) {
        let labelled = label == Label::Known(ISO_2022_JP);
        let (text, malformed) = ISO_2022_JP.decode_without_bom_handling(body);
        if labelled || !malformed {
            if !labelled && label != Label::None {
                oddities.label = true;
            }
            if malformed {
                oddities.invalid = true;
            }
            let source = if labelled { source } else { Source::Detected };
            return Ok(Decoded {
                text,
                encoding: ISO_2022_JP,
                source,
                oddities,
            });
        }
    }
    if ascii && label == Label::Utf7 && judge::has_utf7(body) {
        return Err(Unsupported);
    }
    let (encoding, source) = match label {
        Label::Known(encoding) if ascii || encoding == UTF_8 => (encoding, source),
        Label::None => (UTF_8, Source::Utf8),
        _ => {
            oddities.label = true;
            (UTF_8, Source::Utf8)
        }
    };
    let mut text = Cow::Borrowed(valid.text);
    if valid.cut {
        text.to_mut().push(char::REPLACEMENT_CHARACTER);
        oddities.invalid = true;
    }
    Ok(Decoded {
        text,
        encoding,
        source,
        oddities,
    })
}

/// Decodes with an encoding that is certain.
fn by_encoding<'a>(body: &'a [u8], encoding: &'static Encoding, source: Source, mut oddities: Oddities) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(body);
    if malformed {
        oddities.invalid = true;
    }
    Decoded {
        text,
        encoding,
        source,
        oddities,
    }
}

/// Decodes by a label, unless the bytes belie it.
fn by_label<'a>(body: &'a [u8], labelled: &'static Encoding, source: Source, mut oddities: Oddities) -> Decoded<'a> {
    let decoded = by_encoding(body, labelled, source, oddities);
    let flaws = judge::Flaws::of(&decoded.text);
    if !flaws.are_many() {
        return decoded;
    }
    // Only for another encoding; where none is better, the label stands.
    oddities.label = true;
    if labelled != UTF_8 && judge::mostly_utf8(body) {
        return by_encoding(body, UTF_8, Source::Utf8, oddities);
    }
    let guess = judge::detect(body);
    if guess != labelled {
        let other = by_encoding(body, guess, Source::Detected, oddities);
        if judge::Flaws::of(&other.text).are_far_fewer_than(&flaws) {
            return other;
        }
    }
    decoded
}
