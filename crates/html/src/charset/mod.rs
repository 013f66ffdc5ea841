//! Bytes to text: finds the encoding of a page and decodes the page to UTF-8.
//!
//! The order is that of the HTML standard ("determining the character encoding"): byte order mark, HTTP label, `meta`
//! prescan, detection. Labels in real crawls are often wrong, so the bytes can overrule them:
//!
//! - Valid UTF-8 with at least one byte outside ASCII beats every label except a byte order mark. Text in another
//!   encoding is valid UTF-8 by chance only if it has very few such bytes.
//! - Escape sequences of ISO-2022-JP and the zero bytes of UTF-16 identify their encoding.
//! - A label is dropped if more than one character in twenty is malformed under it and a detected encoding reads
//!   the page cleanly. The label UTF-8 stays as long as most bytes outside ASCII are in sequences of UTF-8.
//!
//! Malformed bytes become U+FFFD. Valid UTF-8 is borrowed, never copied. UTF-32, UTF-7, EBCDIC, HZ, ISO-2022-KR and
//! ISO-2022-CN are recognised and not decoded; browsers do not decode them either, and their bytes would look like
//! text.

mod binary;
mod detect;
mod label;
mod names;
mod prescan;

pub use binary::looks_binary;
#[doc(hidden)]
pub use prescan::prescan;

use detect::{Flaws, Sequences, SevenBit};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use label::CharsetLabel;
use std::borrow::Cow;

/// The source of a page's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CharsetSource {
    /// The byte order mark.
    Bom,
    /// The charset of the HTTP `Content-Type`.
    Http,
    /// A `meta` element, or the encoding of an XML declaration.
    Meta,
    /// The bytes are valid UTF-8 (or ASCII), regardless of the label.
    Utf8,
    /// The statistics of the bytes, or the pattern of their escape sequences or zeros.
    Detected,
}

impl CharsetSource {
    /// The name in lower case: `bom`, `http`, `meta`, `utf8` or `detected`.
    pub fn name(self) -> &'static str {
        match self {
            CharsetSource::Bom => "bom",
            CharsetSource::Http => "http",
            CharsetSource::Meta => "meta",
            CharsetSource::Utf8 => "utf8",
            CharsetSource::Detected => "detected",
        }
    }
}

/// The text of a page, and how it was decoded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The text without its byte order mark. Borrowed if the body is valid UTF-8.
    pub text: Cow<'a, str>,
    /// The name of the encoding in the Encoding standard, in lower case: `utf-8`, `windows-1252`, `shift_jis`.
    pub encoding: &'static str,
    /// The source of the encoding.
    pub source: CharsetSource,
    /// Oddities of the bytes.
    pub oddities: Oddities,
}

/// Oddities of a page's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Oddities {
    /// The declared charset is wrong or unknown.
    pub label: bool,
    /// Bytes that are not text in the page's charset were replaced by U+FFFD.
    pub invalid: bool,
}

/// The error for a page in UTF-7, UTF-32, EBCDIC, HZ, ISO-2022-KR or ISO-2022-CN. This crate does not decode these
/// encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedCharset;

impl std::fmt::Display for UnsupportedCharset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the page is in UTF-7, UTF-32, EBCDIC, HZ, ISO-2022-KR or ISO-2022-CN, which are not decoded")
    }
}

impl std::error::Error for UnsupportedCharset {}

/// Decodes a page. `http_label` is the charset of its HTTP header, if there is one.
///
/// # Errors
///
/// [`UnsupportedCharset`] if the page is labelled as UTF-7 and uses it, or if its bytes are UTF-32, EBCDIC, HZ,
/// ISO-2022-KR or ISO-2022-CN.
pub fn decode<'a>(body: &'a [u8], http_label: Option<&str>) -> Result<Decoded<'a>, UnsupportedCharset> {
    // Its byte order mark begins like that of UTF-16.
    if detect::is_utf32(body) {
        return Err(UnsupportedCharset);
    }
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return Ok(decode_as(
            &body[length..],
            encoding,
            CharsetSource::Bom,
            Oddities::default(),
        ));
    }
    let mut oddities = Oddities::default();
    let valid = Utf8::check(body);
    let (label, source) = find_label(body, http_label, &mut oddities);

    if let Some(encoding) = detect::utf16_pattern(body) {
        if label != CharsetLabel::Utf16 && label != CharsetLabel::None {
            oddities.label = true;
        }
        return Ok(decode_as(body, encoding, CharsetSource::Detected, oddities));
    }
    if let Some(valid) = valid {
        return decode_utf8(body, valid, label, source, oddities);
    }
    if detect::is_ebcdic(body)
        || label == CharsetLabel::Ebcdic && !detect::has_ascii_tags(body)
        || label == CharsetLabel::Utf7 && detect::has_utf7(body)
    {
        return Err(UnsupportedCharset);
    }
    if let CharsetLabel::Known(encoding) = label {
        return Ok(decode_labelled(body, encoding, source, oddities));
    }
    let is_utf8 = Sequences::count(body).are_mostly_utf8();
    if !is_utf8 && let Some(decoded) = decode_seven_bit(body, label, source, oddities)? {
        return Ok(decoded);
    }
    oddities.label |= label != CharsetLabel::None;
    Ok(if is_utf8 {
        decode_as(body, UTF_8, CharsetSource::Utf8, oddities)
    } else {
        decode_as(body, detect::detect(body), CharsetSource::Detected, oddities)
    })
}

/// A body that is valid UTF-8, except that its last character may be cut off.
struct Utf8<'a> {
    text: &'a str,
    is_cut: bool,
}

impl<'a> Utf8<'a> {
    fn check(body: &'a [u8]) -> Option<Self> {
        match simdutf8::compat::from_utf8(body) {
            Ok(text) => Some(Utf8 { text, is_cut: false }),
            // Without an error length, the input ends inside a character that is right so far. If these are the only
            // bytes outside ASCII, they prove nothing.
            Err(e) if e.error_len().is_none() => {
                let text = std::str::from_utf8(&body[..e.valid_up_to()])
                    .ok()
                    .filter(|t| !t.is_ascii())?;
                Some(Utf8 { text, is_cut: true })
            }
            Err(_) => None,
        }
    }
}

/// The label to use: HTTP's, or else the page's own.
fn find_label(body: &[u8], http_label: Option<&str>, oddities: &mut Oddities) -> (CharsetLabel, CharsetSource) {
    let http = http_label.map_or(CharsetLabel::None, CharsetLabel::from_http);
    match http {
        CharsetLabel::None => {}
        // No standard knows this label, so the page's own label is used.
        CharsetLabel::Unknown => oddities.label = true,
        known => return (known, CharsetSource::Http),
    }
    (prescan::find(body), CharsetSource::Meta)
}

/// Decodes a body that is valid UTF-8. All encodings but three decode ASCII to the same text, so an ASCII body keeps
/// its label.
fn decode_utf8<'a>(
    body: &'a [u8],
    valid: Utf8<'a>,
    label: CharsetLabel,
    source: CharsetSource,
    mut oddities: Oddities,
) -> Result<Decoded<'a>, UnsupportedCharset> {
    let ascii = valid.text.is_ascii();
    if ascii && let Some(decoded) = decode_seven_bit(body, label, source, oddities)? {
        return Ok(decoded);
    }
    if ascii && label == CharsetLabel::Utf7 && detect::has_utf7(body) {
        return Err(UnsupportedCharset);
    }
    let (encoding, source) = match label {
        CharsetLabel::Known(encoding) if ascii || encoding == UTF_8 => (encoding, source),
        CharsetLabel::None => (UTF_8, CharsetSource::Utf8),
        _ => {
            oddities.label = true;
            (UTF_8, CharsetSource::Utf8)
        }
    };
    let mut text = Cow::Borrowed(valid.text);
    if valid.is_cut {
        text.to_mut().push(char::REPLACEMENT_CHARACTER);
        oddities.invalid = true;
    }
    Ok(Decoded {
        text,
        encoding: names::lower_case(encoding),
        source,
        oddities,
    })
}

/// Decodes a body that has the escape sequences of an encoding of seven bits; `None` if it has none, or if they mean
/// something else.
///
/// # Errors
/// It is one of those that are not decoded.
fn decode_seven_bit<'a>(
    body: &'a [u8],
    label: CharsetLabel,
    source: CharsetSource,
    mut oddities: Oddities,
) -> Result<Option<Decoded<'a>>, UnsupportedCharset> {
    match detect::seven_bit(body, label == CharsetLabel::Replacement) {
        SevenBit::None => Ok(None),
        SevenBit::Unsupported => Err(UnsupportedCharset),
        SevenBit::Japanese => {
            let is_labelled = label == CharsetLabel::Known(ISO_2022_JP);
            oddities.label |= !is_labelled && label != CharsetLabel::None;
            let source = if is_labelled { source } else { CharsetSource::Detected };
            let decoded = decode_as(body, ISO_2022_JP, source, oddities);
            let is_right = is_labelled || !Flaws::count(&decoded.text).are_many();
            Ok(is_right.then_some(decoded))
        }
    }
}

/// Decodes with an encoding that is certain.
fn decode_as<'a>(
    body: &'a [u8],
    encoding: &'static Encoding,
    source: CharsetSource,
    mut oddities: Oddities,
) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(body);
    if malformed {
        oddities.invalid = true;
    }
    Decoded {
        text,
        encoding: names::lower_case(encoding),
        source,
        oddities,
    }
}

/// Decodes by a label, unless the bytes contradict it.
fn decode_labelled<'a>(
    body: &'a [u8],
    labelled: &'static Encoding,
    source: CharsetSource,
    mut oddities: Oddities,
) -> Decoded<'a> {
    let decoded = decode_as(body, labelled, source, oddities);
    let flaws = Flaws::count(&decoded.text);
    if !flaws.are_many() {
        return decoded;
    }
    let sequences = Sequences::count(body);
    if labelled == UTF_8 && sequences.agree_with_label() {
        return decoded;
    }
    // Only another encoding that is better replaces the label.
    oddities.label = true;
    if labelled != UTF_8 && sequences.are_mostly_utf8() {
        return decode_as(body, UTF_8, CharsetSource::Utf8, oddities);
    }
    let guess = detect::detect(body);
    if guess != labelled {
        let other = decode_as(body, guess, CharsetSource::Detected, oddities);
        if Flaws::count(&other.text).are_far_fewer_than(&flaws) {
            return other;
        }
    }
    decoded
}
