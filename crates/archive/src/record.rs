//! One framed entry of an archive: its header fields, its block, and where it stood.

use std::borrow::Cow;

pub use warc::RecordType;

use super::arc::{self, ArcFields};
use super::framing::Framing;
use crate::fault::{Fault, Note, Notes};

/// One record.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Offset in the file, in bytes, of the record's member or frame (of the record itself in a plain archive).
    pub offset: u64,
    /// Stored length in bytes of that member, frame or record, and of those that the record goes on in; 0 where their end
    /// was not yet read, in one that decodes to 8 MiB or more.
    pub stored_length: u64,
    /// Offset of the record in its decoded member or frame, in bytes.
    pub offset_in_member: u64,
    /// The record's header.
    pub header: Header<'a>,
    /// The header's bytes, with the blank line behind it.
    pub raw_header: &'a [u8],
    /// The record's block, of `Content-Length` bytes; empty where the record failed.
    pub block: &'a [u8],
    /// What was odd about the record.
    pub notes: Notes,
    /// Why the record cannot be used, where it cannot.
    pub failure: Option<Fault>,
}

/// A record without its bytes, which stand in a buffer together with those of others.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct RawRecord {
    framing: Framing,
    offset: u64,
    stored_length: u64,
    offset_in_member: u64,
    header: std::ops::Range<usize>,
    block: std::ops::Range<usize>,
    notes: Notes,
    failure: Option<Fault>,
}

impl RawRecord {
    /// Copies a record's bytes to the end of a buffer.
    pub fn copy(record: &Record<'_>, bytes: &mut Vec<u8>) -> Self {
        let start = bytes.len();
        bytes.extend_from_slice(record.raw_header);
        let middle = bytes.len();
        bytes.extend_from_slice(record.block);
        Self {
            framing: record.header.framing,
            offset: record.offset,
            stored_length: record.stored_length,
            offset_in_member: record.offset_in_member,
            header: start..middle,
            block: middle..bytes.len(),
            notes: record.notes,
            failure: record.failure,
        }
    }

    /// The record again, from the buffer that it was copied to.
    pub fn record<'a>(&self, bytes: &'a [u8]) -> Record<'a> {
        let raw_header = &bytes[self.header.clone()];
        let mut notes = self.notes;
        Record {
            offset: self.offset,
            stored_length: self.stored_length,
            offset_in_member: self.offset_in_member,
            header: parse_header(self.framing, raw_header, &mut notes),
            raw_header,
            block: &bytes[self.block.clone()],
            notes,
            failure: self.failure,
        }
    }
}

/// A record's header: the fields of WARC (ISO 28500, section 5), or those of an ARC line under the same names.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// `1.0`, `1.1`, `0.17` …; `ARC` for an ARC record.
    pub version: &'a str,
    /// What the record holds.
    pub record_type: RecordType,
    /// All fields, in the record's order.
    pub fields: Vec<(Cow<'a, str>, Cow<'a, [u8]>)>,
    /// How the record is framed. In ARC, `Content-Type` is that of the payload.
    pub framing: Framing,
}

impl<'a> Header<'a> {
    /// The first value of a field, trimmed; bytes that are not UTF-8 are replaced.
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        self.bytes(name).map(String::from_utf8_lossy)
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.fields
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.trim_ascii())
    }

    /// `WARC-Record-ID` without its brackets; `""` where there is none.
    pub fn id(&self) -> Cow<'_, str> {
        self.get("WARC-Record-ID").map(unbracketed).unwrap_or_default()
    }

    /// `WARC-Target-URI`, without the brackets that some writers put around it; `""` where there is none.
    pub fn url(&self) -> Cow<'_, str> {
        self.get("WARC-Target-URI").map(unbracketed).unwrap_or_default()
    }

    /// `WARC-Date` as `YYYY-MM-DDThh:mm:ssZ` (fractions of seconds dropped); `""` where it is missing or no such date.
    pub fn date(&self) -> String {
        let date = self.get("WARC-Date").unwrap_or_default();
        let shape = b"dddd-dd-ddTdd:dd:dd";
        let fits = |text: &[u8]| {
            text.len() == shape.len()
                && text
                    .iter()
                    .zip(shape)
                    .all(|(&b, &s)| if s == b'd' { b.is_ascii_digit() } else { b == s })
        };
        match date.as_bytes().split_at_checked(shape.len()) {
            Some((seconds, rest))
                if fits(seconds)
                    && rest.ends_with(b"Z")
                    && (rest.len() == 1
                        || (rest[0] == b'.' && rest[1..rest.len() - 1].iter().all(u8::is_ascii_digit))) =>
            {
                format!("{}Z", &date[..shape.len()])
            }
            _ => String::new(),
        }
    }

    /// `Content-Type`; of the block in WARC, of the payload in ARC.
    pub fn content_type(&self) -> Cow<'_, str> {
        self.get("Content-Type").unwrap_or_default()
    }
}

fn unbracketed(value: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = value.trim().trim_start_matches('<').trim_end_matches('>').trim();
    if trimmed.len() == value.len() {
        value
    } else {
        Cow::Owned(trimmed.to_owned())
    }
}

/// What `Content-Length` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Bytes(u64),
    Invalid,
    Missing,
}

/// Reads the length of a record's block from its header, and whether it stands there more than once.
pub(crate) fn block_length(framing: Framing, header: &[u8]) -> (Length, bool) {
    let number = |value: &[u8]| {
        std::str::from_utf8(value.trim_ascii())
            .ok()
            .filter(|v| v.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|v| v.parse().ok())
            .map_or(Length::Invalid, Length::Bytes)
    };
    if let Framing::Arc(fields) = framing {
        return (
            arc::parse(header.trim_ascii_end(), fields).map_or(Length::Missing, |line| number(line.length)),
            false,
        );
    }
    let name = b"content-length";
    let mut values = header.split(|&b| b == b'\n').skip(1).filter_map(|line| {
        let (field, value) = line.split_at_checked(name.len())?;
        let value = value.trim_ascii_start().strip_prefix(b":")?;
        field.eq_ignore_ascii_case(name).then_some(value)
    });
    (values.next().map_or(Length::Missing, number), values.next().is_some())
}

/// Parses a complete header block, with the `warc` crate's parser and, where that one gives up, leniently.
pub(crate) fn parse_header<'a>(framing: Framing, block: &'a [u8], notes: &mut Notes) -> Header<'a> {
    if let Framing::Arc(fields) = framing {
        return arc_header(block, fields);
    }
    let strict = warc::parser::headers(block)
        .ok()
        .filter(|(rest, _)| matches!(*rest, b"\r\n" | b"\n"))
        .map(|(_, (version, fields, _))| (version, fields.into_iter().map(|(n, v)| (n.into(), v.into())).collect()));
    let (version, fields) = strict.unwrap_or_else(|| {
        notes.add(Note::LenientHeader);
        lenient_fields(block)
    });
    let mut header = Header {
        version: version.trim_end(),
        record_type: RecordType::from(""),
        fields,
        framing,
    };
    header.record_type = RecordType::from(header.get("WARC-Type").unwrap_or_default());
    if matches!(header.record_type, RecordType::Unknown(_)) {
        notes.add(Note::UnknownType);
    }
    if !matches!(header.version, "0.17" | "0.18" | "1.0" | "1.1") {
        notes.add(Note::UnknownVersion);
    }
    header
}

/// The version and the fields of a WARC header.
type Fields<'a> = (&'a str, Vec<(Cow<'a, str>, Cow<'a, [u8]>)>);

/// Line ends of any kind, folded lines joined, lines without a colon left out, names of any characters.
fn lenient_fields(block: &[u8]) -> Fields<'_> {
    let mut lines = block.split(|&b| b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    let version = lines
        .next()
        .and_then(|l| std::str::from_utf8(l).ok())
        .and_then(|l| l.get(5..))
        .unwrap_or("");
    let mut fields: Vec<(Cow<'_, str>, Cow<'_, [u8]>)> = Vec::new();
    for line in lines {
        let folded = line.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
        if let (true, Some((_, value))) = (folded, fields.last_mut()) {
            let value = value.to_mut();
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        } else if let Some(colon) = memchr::memchr(b':', line) {
            let name = String::from_utf8_lossy(line[..colon].trim_ascii());
            fields.push((name, line[colon + 1..].trim_ascii().into()));
        }
    }
    (version, fields)
}

/// An ARC line under WARC's names.
fn arc_header(block: &[u8], declared: ArcFields) -> Header<'_> {
    let mut fields: Vec<(Cow<'_, str>, Cow<'_, [u8]>)> = Vec::new();
    let mut record_type = RecordType::Unknown(String::new());
    if let Some(line) = arc::parse(block.trim_ascii_end(), declared) {
        record_type = if line.url.starts_with(b"filedesc:") {
            RecordType::WarcInfo
        } else {
            RecordType::Response
        };
        fields.push(("WARC-Target-URI".into(), line.url.into()));
        fields.push(("WARC-Date".into(), arc::iso_date(line.date).into_bytes().into()));
        fields.push(("WARC-IP-Address".into(), line.ip.into()));
        fields.push(("Content-Type".into(), line.mime.into()));
        fields.push(("Content-Length".into(), line.length.into()));
    }
    Header {
        version: "ARC",
        record_type,
        fields,
        framing: Framing::Arc(declared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_doubles_noticed() {
        let length = |text: &str| block_length(Framing::Warc, text.as_bytes());
        assert_eq!(
            length("WARC/1.0\r\nContent-Length: 12\r\n\r\n"),
            (Length::Bytes(12), false)
        );
        assert_eq!(
            length("WARC/1.0\ncontent-length : 12\nContent-Length: 13\n\n"),
            (Length::Bytes(12), true)
        );
        assert_eq!(
            length("WARC/1.0\r\nContent-Length: -1\r\n\r\n"),
            (Length::Invalid, false)
        );
        assert_eq!(
            length("WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n"),
            (Length::Invalid, false)
        );
        assert_eq!(
            length("WARC/1.0\r\nX-Content-Length: 1\r\n\r\n"),
            (Length::Missing, false)
        );
    }

    #[test]
    fn a_lenient_header_is_read_and_noted() {
        let mut notes = Notes::default();
        let text = b"WARC/1.0\nWARC-Type: response\nno colon here\nWARC-Target-URI: <http://a.example/\n x>\nWARC-Date: 2008-10-294T00:00:00Z\n\n";
        let header = parse_header(Framing::Warc, text, &mut notes);
        assert!(notes.has(Note::LenientHeader));
        assert_eq!(header.record_type, RecordType::Response);
        assert_eq!(header.url(), "http://a.example/ x");
        assert_eq!(header.date(), "");
    }

    #[test]
    fn a_clean_header_bears_no_note() {
        let mut notes = Notes::default();
        let text =
            b"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Date: 2016-09-19T17:20:24.123456Z\r\nContent-Length: 0\r\n\r\n";
        let header = parse_header(Framing::Warc, text, &mut notes);
        assert!(notes.is_empty(), "{notes}");
        assert_eq!(
            (header.version, header.date().as_str()),
            ("1.1", "2016-09-19T17:20:24Z")
        );
    }
}
