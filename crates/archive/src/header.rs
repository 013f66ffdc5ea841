//! A record's header: the fields of WARC (ISO 28500, section 5), or those of an ARC line under the same names.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::arc::{self, ArcFields};
use super::framing::Framing;
use super::record_type::RecordType;
use super::tar;
use crate::calendar::iso_date;
use crate::fault::{Note, Notes};

/// A record's header.
///
/// It owns a copy of its bytes, so it outlives the reader's next step.
#[derive(Clone)]
#[non_exhaustive]
pub struct Header {
    /// The type of the record.
    pub record_type: RecordType,
    /// How the record is framed.
    pub framing: Framing,
    /// The header block, then whatever of `fields` is not in it in one piece.
    bytes: Vec<u8>,
    /// Length of the header block in bytes.
    length: usize,
    version: Range<usize>,
    fields: Vec<Field>,
}

/// Where a field's name and value are in [`Header::bytes`]. Header blocks are far shorter than 4 GiB.
#[derive(Clone, Copy)]
struct Field {
    name: (u32, u32),
    value: (u32, u32),
}

impl Header {
    /// Parses a complete header block, strictly if it conforms to the format, else leniently. Also returns what was
    /// odd.
    pub(crate) fn parse(framing: Framing, block: &[u8]) -> (Self, Notes) {
        let mut header = Self {
            record_type: RecordType::Unknown(String::new()),
            framing,
            bytes: block.to_vec(),
            length: block.len(),
            version: 0..0,
            fields: Vec::new(),
        };
        let mut notes = Notes::default();
        match framing {
            Framing::Arc(declared) => header.parse_arc(declared),
            Framing::Tar => header.parse_tar(),
            Framing::Warc => {
                if header.parse_strictly().is_none() {
                    notes.add(Note::LenientHeader);
                    header.parse_leniently();
                }
                header.record_type = RecordType::from(&*header.get("WARC-Type").unwrap_or_default());
                if matches!(header.record_type, RecordType::Unknown(_)) {
                    notes.add(Note::UnknownType);
                }
                if !matches!(header.version(), "0.17" | "0.18" | "1.0" | "1.1") {
                    notes.add(Note::UnknownVersion);
                }
            }
        }
        (header, notes)
    }

    /// `1.0`, `1.1`, `0.17` …; `ARC` for an ARC record, and `tar` for a file in a tar file.
    pub fn version(&self) -> &str {
        match self.framing {
            Framing::Arc(_) => "ARC",
            Framing::Tar => "tar",
            Framing::Warc => std::str::from_utf8(&self.bytes[self.version.clone()]).unwrap_or_default(),
        }
    }

    /// The header block as it is in the archive, with the blank line that ends it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// All fields in the record's order, as they are there; folded lines are joined. Bytes of names that are not
    /// UTF-8 are replaced.
    pub fn fields(&self) -> impl Iterator<Item = (Cow<'_, str>, &[u8])> {
        let name = |field: &Field| String::from_utf8_lossy(self.part(field.name));
        self.fields
            .iter()
            .map(move |field| (name(field), self.part(field.value)))
    }

    /// The first value of a field, trimmed. Case does not matter. Bytes that are not UTF-8 are replaced.
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get_bytes(name).map(String::from_utf8_lossy)
    }

    /// The bytes of the value that [`Header::get`] decodes.
    pub fn get_bytes(&self, name: &str) -> Option<&[u8]> {
        self.fields
            .iter()
            .find(|field| self.part(field.name).eq_ignore_ascii_case(name.as_bytes()))
            .map(|field| self.part(field.value).trim_ascii())
    }

    /// `WARC-Record-ID` without its brackets; `""` if there is none.
    pub fn id(&self) -> Cow<'_, str> {
        self.uri("WARC-Record-ID")
    }

    /// `WARC-Target-URI`, without the brackets that some writers put around it; `""` if there is none.
    pub fn url(&self) -> Cow<'_, str> {
        self.uri("WARC-Target-URI")
    }

    /// `WARC-Date` as `YYYY-MM-DDThh:mm:ssZ`, without fractions of seconds; `""` if it is missing or malformed.
    pub fn date(&self) -> String {
        self.date_in("WARC-Date")
    }

    /// A field that holds a URI, without brackets around it; `""` if there is none.
    pub fn uri(&self, name: &str) -> Cow<'_, str> {
        self.get(name).map(unbracketed).unwrap_or_default()
    }

    /// A field that holds a date, in the form of [`Header::date`]; `""` if it is missing or malformed.
    pub fn date_in(&self, name: &str) -> String {
        let date = self.get(name).unwrap_or_default();
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

    /// `Content-Type`: of the block in WARC, of the payload in ARC; `""` if there is none.
    pub fn content_type(&self) -> Cow<'_, str> {
        self.get("Content-Type").unwrap_or_default()
    }

    /// The length of the record's block, and whether the header states it more than once.
    ///
    /// A folded line neither states nor continues a length, unless the line before it has none.
    pub(crate) fn block_length(&self) -> (Length, bool) {
        if self.framing != Framing::Warc {
            let length = self.get_bytes("Content-Length");
            return (length.map_or(Length::Missing, Length::parse), false);
        }
        let name = b"content-length";
        let mut lines = self.as_bytes().split(|&b| b == b'\n').skip(1).peekable();
        let mut values = std::iter::from_fn(|| {
            loop {
                let (field, value) = lines.next()?.split_at_checked(name.len()).unwrap_or_default();
                let Some(mut value) = value.trim_ascii_start().strip_prefix(b":") else {
                    continue;
                };
                if !field.eq_ignore_ascii_case(name) {
                    continue;
                }
                while value.trim_ascii().is_empty()
                    && let Some(folded) = lines.next_if(|line| matches!(line.first(), Some(b' ' | b'\t')))
                {
                    value = folded;
                }
                return Some(value);
            }
        });
        let first = values.next().map_or(Length::Missing, Length::parse);
        (first, values.next().is_some())
    }

    /// Reads version and fields with the `warc` crate's parser; `None` if the block does not conform to the format.
    fn parse_strictly(&mut self) -> Option<()> {
        let block = self.as_bytes();
        let (rest, (version, fields, _)) = warc::parser::headers(block).ok()?;
        if !matches!(rest, b"\r\n" | b"\n") {
            return None;
        }
        let version = range_in(block, version.trim_end().as_bytes());
        let fields = fields
            .into_iter()
            .map(|(name, value)| Field {
                name: span(range_in(block, name.as_bytes())),
                value: span(range_in(block, value)),
            })
            .collect();
        (self.version, self.fields) = (version, fields);
        Some(())
    }

    /// Reads version and fields from lines with ends of any kind and names of any characters. Joins folded lines;
    /// leaves out lines without a colon.
    fn parse_leniently(&mut self) {
        let block = &self.bytes[..self.length];
        let mut joined = Vec::new();
        let mut lines = block
            .split(|&b| b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let version = lines
            .next()
            .and_then(|line| std::str::from_utf8(line).ok())
            .and_then(|line| line.get("WARC/".len()..))
            .map_or(0..0, |version| range_in(block, version.trim_end().as_bytes()));
        let mut fields: Vec<Field> = Vec::new();
        for line in lines {
            let is_folded = line.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
            if let (true, Some(Field { value, .. })) = (is_folded, fields.last_mut()) {
                let mut start = value.0 as usize;
                // The first folded line copies the value; further ones find it at the end of the copies.
                if start < self.length {
                    joined.extend_from_slice(&block[start..value.1 as usize]);
                    start = self.length + joined.len() - (value.1 as usize - start);
                }
                joined.push(b' ');
                joined.extend_from_slice(line.trim_ascii());
                *value = span(start..self.length + joined.len());
            } else if let Some(colon) = memchr::memchr(b':', line) {
                fields.push(Field {
                    name: span(range_in(block, line[..colon].trim_ascii())),
                    value: span(range_in(block, line[colon + 1..].trim_ascii())),
                });
            }
        }
        self.bytes.extend(joined);
        (self.version, self.fields) = (version, fields);
    }

    /// Reads an ARC line and gives its fields the names of WARC.
    fn parse_arc(&mut self, declared: ArcFields) {
        let block = &self.bytes[..self.length];
        let Some(line) = arc::parse(block.trim_ascii_end(), declared) else {
            return;
        };
        let record_type = if line.url.starts_with(b"filedesc:") {
            RecordType::WarcInfo
        } else {
            RecordType::Response
        };
        let date = arc::iso_date(line.date);
        let (text, fields) = fields_after(
            self.length,
            [
                ("WARC-Target-URI", line.url),
                ("WARC-Date", date.as_bytes()),
                ("WARC-IP-Address", line.ip),
                ("Content-Type", line.mime),
                ("Content-Length", line.length),
            ],
        );
        self.bytes.extend(text);
        (self.record_type, self.fields) = (record_type, fields);
    }

    /// Reads the header of a file in a tar file and gives its fields the names of WARC. Unless a pattern gives another,
    /// the path is the URL.
    fn parse_tar(&mut self) {
        let entry = tar::Entry::parse(&self.bytes[..self.length]);
        let size = entry.size.to_string();
        let date = if entry.time > 0 {
            iso_date(entry.time)
        } else {
            String::new()
        };
        let values = [
            ("WARC-Target-URI", &*entry.path),
            ("WARC-Date", date.as_bytes()),
            ("Content-Type", tar::mime_of(&entry.path).as_bytes()),
            ("Content-Length", size.as_bytes()),
        ];
        let (text, fields) = fields_after(self.length, values);
        self.bytes.extend(text);
        (self.record_type, self.fields) = (RecordType::Resource, fields);
    }

    fn part(&self, (start, end): (u32, u32)) -> &[u8] {
        &self.bytes[start as usize..end as usize]
    }
}

/// Fields of a header that does not state them as WARC does: their text, which will be `at` this place, and where they
/// are in it.
fn fields_after<const N: usize>(at: usize, values: [(&str, &[u8]); N]) -> (Vec<u8>, Vec<Field>) {
    let mut text = Vec::new();
    let mut fields = Vec::with_capacity(N);
    for (name, value) in values {
        let start = at + text.len();
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(value);
        let middle = start + name.len();
        fields.push(Field {
            name: span(start..middle),
            value: span(middle..middle + value.len()),
        });
    }
    (text, fields)
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lossy = |(name, value): (_, &[u8])| (name, String::from_utf8_lossy(value).into_owned());
        f.debug_struct("Header")
            .field("version", &self.version())
            .field("record_type", &self.record_type)
            .field("fields", &self.fields().map(lossy).collect::<Vec<_>>())
            .finish()
    }
}

fn span(range: Range<usize>) -> (u32, u32) {
    (range.start as u32, range.end as u32)
}

/// Where `part`, which is a part of `block`, is in it.
fn range_in(block: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - block.as_ptr() as usize;
    start..start + part.len()
}

fn unbracketed(value: Cow<'_, str>) -> Cow<'_, str> {
    let mut trimmed = value.trim();
    // Without its partner, a bracket at the end is a part of the value.
    if trimmed.starts_with('<') {
        trimmed = trimmed.trim_start_matches('<').trim_end_matches('>').trim();
    }
    if trimmed.len() == value.len() {
        value
    } else {
        Cow::Owned(trimmed.to_owned())
    }
}

/// The length that `Content-Length` states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Bytes(u64),
    Invalid,
    Missing,
}

impl Length {
    /// Reads a number of digits alone, with white space around it.
    fn parse(value: &[u8]) -> Self {
        std::str::from_utf8(value.trim_ascii())
            .ok()
            .filter(|v| v.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|v| v.parse().ok())
            .map_or(Length::Invalid, Length::Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warc(text: &str) -> (Header, Notes) {
        Header::parse(Framing::Warc, text.as_bytes())
    }

    #[test]
    fn lengths_are_read_and_doubles_noticed() {
        let length = |text: &str| warc(text).0.block_length();
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
            length("WARC/1.0\r\nContent-Length: \r\n\t 12\r\n 3\r\nContent-Length:\r\n\r\n"),
            (Length::Bytes(12), true)
        );
        assert_eq!(
            length("WARC/1.0\r\nContent-Length:\r\n12\r\n\r\n"),
            (Length::Invalid, false)
        );
        assert_eq!(
            length("WARC/1.0\r\nX-Content-Length: 1\r\n\r\n"),
            (Length::Missing, false)
        );
    }

    #[test]
    fn a_lenient_header_is_read_and_noted() {
        let (header, notes) = warc(
            "WARC/1.0\nWARC-Type: response\nno colon here\nWARC-Target-URI: <http://a.example/\n x>\n\ty\n\
             WARC-Date: 2008-10-294T00:00:00Z\n\n",
        );
        assert!(notes.has(Note::LenientHeader));
        assert_eq!(header.record_type, RecordType::Response);
        assert_eq!(
            header.get("warc-target-uri").as_deref(),
            Some("<http://a.example/ x> y")
        );
        assert_eq!(header.date(), "");
        let fields: Vec<_> = header.fields().collect();
        assert_eq!(fields[0], ("WARC-Type".into(), &b"response"[..]));
        assert_eq!(fields.len(), 3);
    }

    #[test]
    fn a_clean_header_bears_no_note() {
        let text =
            "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Date: 2016-09-19T17:20:24.123456Z\r\nContent-Length: 0\r\n\r\n";
        let (header, notes) = warc(text);
        assert!(notes.is_empty(), "{notes}");
        assert_eq!(
            (header.version(), header.date().as_str()),
            ("1.1", "2016-09-19T17:20:24Z")
        );
        assert_eq!(header.as_bytes(), text.as_bytes());
    }

    #[test]
    fn an_arc_line_has_the_names_of_warc() {
        let line = b"http://a.example/ 1.2.3.4 20080102030405 text/html 345\n";
        let (header, notes) = Header::parse(Framing::Arc(ArcFields::default()), line);
        assert!(notes.is_empty());
        assert_eq!(header.url(), "http://a.example/");
        assert_eq!(header.date(), "2008-01-02T03:04:05Z");
        assert_eq!(header.content_type(), "text/html");
        assert_eq!(header.block_length(), (Length::Bytes(345), false));
        assert_eq!((header.version(), header.as_bytes()), ("ARC", &line[..]));
    }
}
