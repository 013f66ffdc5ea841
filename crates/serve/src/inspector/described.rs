//! Descriptions of records as JSON.

use serde_json::{Value, json};

use super::place::Place;
use dehusk_archive::{Event, Record, Skipped, escape, http};
use dehusk_documents::document::Document;
use dehusk_engine::page::Dropped;

/// Most bytes of a record that are shown as they are.
const RAW: usize = 16 << 10;

/// A record's own fields as JSON.
pub(super) fn describe(record: &Record<'_>) -> Value {
    let head = http::parse_head(&record.block).map(|(head, _)| head);
    let mime = head.as_ref().and_then(http::Head::mime);
    json!({
        "at": Place::of(record).to_string(),
        "length": record.stored_length,
        "type": record.header.record_type.to_string(),
        "date": record.header.date(),
        "status": head.as_ref().map(http::Head::status),
        "mime": mime.unwrap_or_else(|| record.header.content_type().into_owned()),
        "url": record.header.url(),
        "id": record.header.id(),
    })
}

/// The same with its header, and with what was odd about it.
pub(super) fn describe_with_header(record: &Record<'_>) -> Value {
    let mut described = describe(record);
    described["header"] = json!(escaped(record.header.as_bytes()));
    let note = |note: dehusk_archive::Note| json!({"name": note.name(), "sentence": note.sentence()});
    described["notes"] = record.notes.iter().map(note).collect();
    described
}

/// A range without records.
pub(super) fn describe_skipped(skipped: &Skipped) -> Value {
    let reason = skipped.reason;
    json!({
        "at": place_of(&Event::Skipped(skipped.clone())).to_string(),
        "type": "skipped bytes",
        "length": skipped.length(),
        "outcome": "skipped",
        "reason": reason.name(),
        "sentence": reason.sentence(),
    })
}

pub(super) fn place_of(event: &Event<'_>) -> Place {
    match event {
        Event::Skipped(skipped) => Place {
            offset: skipped.offset,
            inside: 0,
        },
        Event::Record(record) => Place::of(record),
    }
}

/// The outcome of a page.
pub(super) struct Outcome {
    /// `emitted`, `filtered` or `failed`.
    pub(super) name: &'static str,
    /// The reason's name and its sentence. `""` for a document.
    pub(super) reason: &'static str,
    pub(super) sentence: String,
}

impl Outcome {
    pub(super) fn of(document: &Result<Document, Dropped>) -> Self {
        let (name, reason, sentence) = match document {
            Ok(_) => ("emitted", "", String::new()),
            Err(dropped) => (dropped.outcome(), dropped.reason(), dropped.sentence()),
        };
        Self { name, reason, sentence }
    }

    /// Adds it to the description of a record, with title and length of the document.
    pub(super) fn add_to(&self, described: &mut Value, document: Option<&Document>) {
        described["outcome"] = json!(self.name);
        described["reason"] = json!(self.reason);
        described["sentence"] = json!(self.sentence);
        if let Some(document) = document {
            described["title"] = json!(document.metadata.title);
            described["words"] = json!(document.metadata.words);
        }
    }
}

/// The beginning of a record's block.
pub(super) fn raw(record: &Record<'_>) -> String {
    let start = &record.block[..record.block.len().min(RAW)];
    let cut = if start.len() < record.block.len() { "\n…" } else { "" };
    format!("{}{cut}", escaped(start))
}

/// Bytes as a dump: offset, 16 bytes in hexadecimal, and those of them that are ASCII.
pub(super) fn dump(bytes: &[u8], offset: u64) -> String {
    let line = |(number, bytes): (u64, &[u8])| {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| {
            if matches!(byte, b' '..=b'~') {
                char::from(*byte)
            } else {
                '.'
            }
        };
        let text: String = bytes.iter().map(shown).collect();
        format!("{:>12}  {:<47}  {text}", offset + 16 * number, digits.join(" "))
    };
    let lines: Vec<String> = (0..).zip(bytes.chunks(16)).map(line).collect();
    lines.join("\n")
}

/// Bytes as lines in which nothing is left but text.
fn escaped(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<_> = text.lines().map(escape::terminal).collect();
    lines.join("\n")
}
