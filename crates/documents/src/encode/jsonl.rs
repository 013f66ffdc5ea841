//! A document as one line of JSON (RFC 8259), with the fields that it has, in the order of the schema.
//!
//! - A line contains no character that any reader takes for a line end. JSON itself does not require to escape U+0085,
//!   U+2028 and U+2029, but Unicode and `str.splitlines` count them as line ends, so they are escaped, too.
//! - Floats are always written with a decimal point, and a float that is not finite as `0.0`, so that every key keeps
//!   its type.

use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::definition::{Definition, DocumentReader, OpenShard};
use super::sequence::Sequence;
use super::shard_error::{ShardErrorKind, ShardPlace};
use super::shard_input::ShardInput;
use crate::document::{Document, FieldValue};

static SEQUENCE: Sequence = Sequence {
    write,
    header: b"",
    footer: b"",
};

pub(super) static DEFINITION: Definition = Definition {
    name: "jsonl",
    changes: None,
    compresses_inside: false,
    has_elements: false,
    encoder: |compression| SEQUENCE.encoder(compression),
    writer: |file, compression| SEQUENCE.writer(file, compression),
    resume: Some(|file, compression| SEQUENCE.resume(file, compression)),
    open: OpenShard::Sequential(|input| Box::new(LineReader::new(input))),
};

/// Appends the document to `out` as one line with its line end.
pub fn write(document: &Document, out: &mut Vec<u8>) {
    let start = out.len();
    // Key names, quotes and numbers take about 1 KiB.
    let text = document.text.len() + document.comments.len();
    out.reserve(text + text / 16 + 1024);
    let mut serializer = Serializer::with_formatter(&mut *out, OneLine);
    match document.serialize(&mut serializer) {
        Ok(()) => out.push(b'\n'),
        // This cannot happen: the output is memory and all keys are strings. A partial line would spoil the shard.
        Err(_) => out.truncate(start),
    }
}

/// Appends some fields of a document, each with its name, to `out` as one line with its line end.
pub fn write_fields<'f>(fields: impl Iterator<Item = (&'f str, FieldValue<'f>)>, out: &mut Vec<u8>) {
    use serde::Serializer as _;
    use serde::ser::SerializeMap;

    let start = out.len();
    let mut serializer = Serializer::with_formatter(&mut *out, OneLine);
    let written = serializer.serialize_map(None).and_then(|mut map| {
        for (name, value) in fields {
            match value {
                FieldValue::Text(text) => map.serialize_entry(name, text)?,
                FieldValue::Integer(n) => map.serialize_entry(name, &n)?,
                FieldValue::Float(n) => map.serialize_entry(name, &n)?,
                FieldValue::Boolean(b) => map.serialize_entry(name, &b)?,
            }
        }
        SerializeMap::end(map)
    });
    match written {
        Ok(()) => out.push(b'\n'),
        // As above.
        Err(_) => out.truncate(start),
    }
}

/// Reads one document a line.
struct LineReader {
    input: ShardInput,
    line: Vec<u8>,
    /// Number of the line, from 1.
    number: u64,
}

impl LineReader {
    fn new(input: ShardInput) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
        }
    }

    /// Reads the next line; `false` at the end of the shard.
    fn read_line(&mut self) -> Result<bool, ShardErrorKind> {
        self.line.clear();
        self.input.begin_document();
        self.number += 1;
        self.input
            .read_until(b'\n', &mut self.line)
            .map_err(ShardErrorKind::from_input)?;
        match self.line.last() {
            Some(b'\n') => Ok(true),
            // A run writes no shard without a document.
            None if self.input.offset() > 0 => Ok(false),
            _ => Err(ShardErrorKind::Truncated),
        }
    }
}

impl DocumentReader for LineReader {
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)> {
        let parsed = match self.read_line() {
            Ok(true) => serde_json::from_slice(&self.line).map_err(|e| ShardErrorKind::Invalid(e.into())),
            Ok(false) => return Ok(None),
            Err(kind) => Err(kind),
        };
        parsed.map(Some).map_err(|kind| (ShardPlace::Line(self.number), kind))
    }
}

/// Formats compact JSON without any character that ends a line.
struct OneLine;

impl Formatter for OneLine {
    /// Writes characters that JSON itself does not escape.
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

    /// Writes a float that is not finite. Nothing else is null: a document has no optional field.
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
