//! A document as one line of JSON (RFC 8259), in the field order of [`Document`].
//!
//! A line stays one line for readers of every kind: beyond what JSON asks for, the characters are escaped that
//! Unicode counts as line ends and that `str.splitlines` and its like split at (U+0085, U+2028, U+2029). Floats are
//! always written as floats, and a float that is no number as `0.0`, so that every key keeps its one type.

use crate::document::Document;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Appends the document to `out` as one line, its line end included.
pub fn write(document: &Document, out: &mut Vec<u8>) {
    let start = out.len();
    // Key names, quotes and numbers take about 1 KiB.
    out.reserve(document.text.len() + document.text.len() / 16 + 1024);
    let mut serializer = Serializer::with_formatter(&mut *out, OneLine);
    match document.serialize(&mut serializer) {
        Ok(()) => out.push(b'\n'),
        // Writing to memory cannot fail, and the document's keys are strings; half a line must never stay all the same.
        Err(_) => out.truncate(start),
    }
}

/// Compact JSON without any character that ends a line.
struct OneLine;

impl Formatter for OneLine {
    /// Writes a run of characters that JSON itself does not escape.
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let bytes = fragment.as_bytes();
        let mut done = 0;
        for i in memchr::memchr2_iter(0xC2, 0xE2, bytes) {
            let (escape, length): (&[u8], usize) = match &bytes[i..] {
                [0xC2, 0x85, ..] => (b"\\u0085", 2),
                [0xE2, 0x80, 0xA8, ..] => (b"\\u2028", 3),
                [0xE2, 0x80, 0xA9, ..] => (b"\\u2029", 3),
                _ => continue,
            };
            writer.write_all(&bytes[done..i])?;
            writer.write_all(escape)?;
            done = i + length;
        }
        writer.write_all(&bytes[done..])
    }

    /// A null can only come of a float that is infinite or no number: a document has no optional field.
    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"0.0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(document: &Document) -> String {
        let mut out = Vec::new();
        write(document, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn line_ends_of_unicode_are_escaped() {
        let document = Document {
            text: "a\u{85}b\u{2028}c\u{2029}d\ne\u{1C}\u{B}é™".into(),
            ..Document::default()
        };
        let line = line(&document);
        assert!(line.contains(r#""a\u0085b\u2028c\u2029d\ne\u001c\u000bé™""#), "{line}");
    }

    #[test]
    fn floats_stay_floats() {
        let mut document = Document::default();
        document.metadata.score = f64::NAN;
        document.metadata.language_score = 1.0;
        let line = line(&document);
        assert!(
            line.contains(r#""score":0.0,"#) && line.contains(r#""language_score":1.0,"#),
            "{line}"
        );
    }
}
