//! An index of an archive in the format CDXJ: a line for each record, with its key, its time and where it is.
//!
//! The lines are those that cdxj-indexer writes by default, so that pywb finds pages by them, and they can be merged
//! with its own.

mod json;
mod surt;

pub use surt::surt;

use crate::Container;
use crate::framing::Framing;
use crate::http::{self, Head};
use crate::record::Record;
use crate::record_type::RecordType;
use sha1::{Digest, Sha1};

/// Why a record has no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotIndexed {
    /// Records of its type are not looked up: requests, those that describe the archive, and fields about other
    /// records.
    Type,
    /// It failed.
    Failed,
    /// It has no URL, or no date.
    NoKey,
}

/// Appends the line of a record, with its line end: key, 14 digits of the date, and a JSON object. `archive` is the
/// file's name in it, `container` how its records are packed.
///
/// # Errors
/// The record has no line.
pub fn write_line(
    record: &Record<'_>,
    container: Container,
    archive: &str,
    out: &mut Vec<u8>,
) -> Result<(), NotIndexed> {
    write_line_at(record, container, archive, &record.offset.to_string(), out).map(drop)
}

/// The line of a record whose offset is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLine {
    text: Vec<u8>,
    /// Where in the text the offset belongs.
    at: usize,
    /// Where in the text the archive's name begins, which ends it.
    name_at: usize,
}

impl IndexLine {
    /// The line of a record, as [`write_line`] writes it.
    ///
    /// # Errors
    /// The record has no line.
    pub fn new(record: &Record<'_>, container: Container, archive: &str) -> Result<Self, NotIndexed> {
        let mut text = Vec::new();
        let (at, name_at) = write_line_at(record, container, archive, "", &mut text)?;
        Ok(Self { text, at, name_at })
    }

    /// The line of the same record in an archive with another name.
    #[must_use]
    pub fn in_archive(&self, archive: &str) -> Self {
        let mut text = self.text[..self.name_at].to_vec();
        json::write_string(archive, &mut text);
        text.extend_from_slice(b"}\n");
        Self { text, ..*self }
    }

    /// Appends the line of the record at an offset, in bytes, with its line end.
    pub fn write(&self, offset: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text[..self.at]);
        out.extend_from_slice(offset.to_string().as_bytes());
        out.extend_from_slice(&self.text[self.at..]);
    }

    /// Returns about how many bytes the line has.
    pub fn size(&self) -> usize {
        self.text.len()
    }
}

/// Appends a line with this offset. Returns where the offset begins, and where the archive's name does.
fn write_line_at(
    record: &Record<'_>,
    container: Container,
    archive: &str,
    offset: &str,
    out: &mut Vec<u8>,
) -> Result<(usize, usize), NotIndexed> {
    if !is_looked_up(record) {
        return Err(NotIndexed::Type);
    }
    if record.failure.is_some() {
        return Err(NotIndexed::Failed);
    }
    let header = &record.header;
    let url = header.url();
    let date = timestamp(&header.get("WARC-Date").unwrap_or_default()).ok_or(NotIndexed::NoKey)?;
    if url.is_empty() {
        return Err(NotIndexed::NoKey);
    }
    let head = http::parse_head(&record.block).filter(|_| may_have_head(record, &url));
    out.extend_from_slice(surt(&url).as_bytes());
    out.extend_from_slice(format!(" {date} ").as_bytes());
    let mut object = json::Object::begin(out);
    object.field("url", &url);
    if let Some(mime) = mime(record, head.as_ref().map(|(head, _)| head)) {
        object.field("mime", &mime);
    }
    let is_answer = matches!(header.record_type, RecordType::Response | RecordType::Revisit);
    if let Some((head, _)) = head.as_ref().filter(|(head, _)| is_answer && head.status() > 0) {
        object.field("status", &head.status().to_string());
    }
    let stated = header.get("WARC-Payload-Digest").filter(|digest| !digest.is_empty());
    let digest = stated.map_or_else(
        || payload_digest(record, head.as_ref().map(|(_, body)| *body)),
        Into::into,
    );
    object.field("digest", &digest);
    // Of a plain archive, the line ends after a record do not count.
    let length = match container {
        Container::Plain => (header.as_bytes().len() + record.block.len()) as u64,
        _ => record.stored_length,
    };
    object.field("length", &length.to_string());
    object.field("offset", offset);
    let at = object.written() - 1 - offset.len();
    let name_at = object.written() + b", \"filename\": ".len();
    object.field("filename", archive);
    object.end();
    out.push(b'\n');
    Ok((at, name_at))
}

/// Whether records of this type are found by their URLs.
fn is_looked_up(record: &Record<'_>) -> bool {
    let is_of_fields = || record.header.content_type() == "application/warc-fields";
    match record.header.record_type {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource => record.header.framing != Framing::Tar && !is_of_fields(),
        RecordType::Metadata => !is_of_fields(),
        _ => false,
    }
}

/// Whether a block can begin with an HTTP head.
fn may_have_head(record: &Record<'_>, url: &str) -> bool {
    let is_http = url.starts_with("http:") || url.starts_with("https:");
    is_http && matches!(record.header.record_type, RecordType::Response | RecordType::Revisit)
}

fn mime(record: &Record<'_>, head: Option<&Head<'_>>) -> Option<String> {
    let stated = match record.header.record_type {
        RecordType::Revisit => return Some("warc/revisit".to_owned()),
        RecordType::Response => head?.text("Content-Type")?,
        _ => record.header.get("Content-Type")?,
    };
    let end = stated
        .find(|c: char| c == ';' || c.is_whitespace())
        .unwrap_or(stated.len());
    Some(stated[..end].to_owned())
}

/// The digest of a payload that states none.
fn payload_digest(record: &Record<'_>, body: Option<usize>) -> String {
    let digest = Sha1::digest(&record.block[body.unwrap_or(0)..]);
    format!("sha1:{}", crate::digest::in_base32(&digest))
}

/// The digits of a date up to the second. What a short date leaves out is the start of it.
fn timestamp(date: &str) -> Option<String> {
    const FIRST: &str = "00000101000000";
    let mut digits: String = date
        .split('.')
        .next()?
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    if digits.len() < 4 {
        return None;
    }
    digits.push_str(&FIRST[digits.len()..]);
    Some(digits)
}
