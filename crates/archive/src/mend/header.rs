//! The header of a record, written again where it breaks a rule.

use sha1::{Digest, Sha1};

use crate::check::{self, Rule, Severity};
use crate::digest;
use crate::http;
use crate::record::Record;
use crate::record_type::RecordType;

/// The field that keeps a line of the header that was.
const WAS: &str = "X-Dehusk-Was";

/// A date for records before the first that has one.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// A URI that identifies nothing.
const NO_URI: &str = "about:blank";

/// A header that is being written.
struct Writer {
    lines: Vec<(String, String)>,
    /// The former fields of the header, and the changes to them.
    was: Vec<String>,
    changes: Vec<String>,
}

impl Writer {
    /// Leaves out a field, and records why.
    fn drop(&mut self, name: &str, value: &str, why: &str) {
        self.was.push(format!("{name}: {value}"));
        self.changes.push(format!("{name}: {value}: {why}"));
    }

    fn has(&self, name: &str) -> bool {
        self.lines.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Adds a field that is missing.
    fn add(&mut self, name: &str, value: String) {
        self.changes.push(format!("{name}: {value}: was missing"));
        self.lines.push((name.to_owned(), value));
    }
}

/// Returns the header of a whole record with its blank line, and what was corrected in it. `date` is that of the record
/// before.
pub(super) fn mended(record: &Record<'_>, date: Option<&str>) -> (Vec<u8>, Vec<String>) {
    let header = &record.header;
    let states_length = header
        .get("Content-Length")
        .is_some_and(|length| length == record.block.len().to_string());
    let is_right = |(rule, _): &(Rule, String)| rule.severity() < Severity::Error;
    if states_length && check::faults_of(record).iter().all(is_right) {
        return (header.as_bytes().to_vec(), Vec::new());
    }
    let mut writer = Writer {
        lines: Vec::new(),
        was: Vec::new(),
        changes: Vec::new(),
    };
    fields(record, &mut writer);
    digests(record, &mut writer);
    mandatory(record, date, &mut writer);
    let version = match header.version() {
        known @ ("0.17" | "0.18" | "1.0" | "1.1") => known,
        other => {
            writer.changes.push(format!("WARC/{other}: no version of the standard"));
            writer.was.push(format!("WARC/{other}"));
            "1.1"
        }
    };
    if writer.changes.is_empty() {
        writer
            .changes
            .push("the lines of the header were written again".to_owned());
    }
    let mut out = format!("WARC/{version}\r\n");
    for (name, value) in &writer.lines {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    for was in &writer.was {
        out.push_str(&format!("{WAS}: {}\r\n", printable(was)));
    }
    out.push_str(&format!("Content-Length: {}\r\n\r\n", record.block.len()));
    (out.into_bytes(), writer.changes)
}

/// Text without control characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Takes over the fields that break no rule.
fn fields(record: &Record<'_>, writer: &mut Writer) {
    let header = &record.header;
    for (name, value) in header.fields() {
        let stated = String::from_utf8_lossy(value);
        let value = printable(stated.trim());
        if name.eq_ignore_ascii_case("Content-Length") {
            let length = record.block.len();
            if value != length.to_string() {
                writer.changes.push(format!("Content-Length: {value} is {length}"));
                writer.was.push(format!("Content-Length: {value}"));
            }
            continue;
        }
        if name.is_empty() || !name.bytes().all(check::is_of_token) {
            writer.drop(&name, &value, "no name of a field");
            continue;
        }
        match check::judged(&name, &value, header, writer.has(&name)) {
            None => writer.lines.push((name.into_owned(), value)),
            // A URI is worth keeping as one.
            Some(Rule::Uri) => {
                writer.drop(&name, &value, Rule::Uri.sentence());
                writer.lines.push((name.into_owned(), as_uri(&value)));
            }
            Some(rule) => writer.drop(&name, &value, rule.sentence()),
        }
    }
    let lines = header
        .as_bytes()
        .split(|b| *b == b'\n')
        .skip(1)
        .map(<[u8]>::trim_ascii_end);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with(b" ") && !line.starts_with(b"\t")) {
        if memchr::memchr(b':', line).is_none() {
            let line = String::from_utf8_lossy(line);
            writer.changes.push(format!("{line}: no field"));
            writer.was.push(line.into_owned());
        }
    }
}

/// A URI that holds all of a text which is none: its spaces escaped, or all of it after a scheme.
fn as_uri(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            let mut utf8 = [0; 4];
            out.extend(c.encode_utf8(&mut utf8).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    if check::is_uri(&out) {
        out
    } else {
        format!("about:{out}")
    }
}

/// Replaces a digest of the block that is wrong, and leaves out one of the payload.
fn digests(record: &Record<'_>, writer: &mut Writer) {
    let wrong = check::wrong_digests(record);
    for name in ["WARC-Block-Digest", "WARC-Payload-Digest"] {
        let Some(at) = writer
            .lines
            .iter()
            .position(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            continue;
        };
        if !wrong.contains(&name) {
            continue;
        }
        let (name, value) = writer.lines.remove(at);
        writer.drop(&name, &value, "does not match");
        if name.eq_ignore_ascii_case("WARC-Block-Digest") {
            let digest = digest::in_base32(&Sha1::digest(&record.block));
            writer.lines.insert(at, (name, format!("sha1:{digest}")));
        }
    }
}

/// Adds the fields that the record must have.
fn mandatory(record: &Record<'_>, date: Option<&str>, writer: &mut Writer) {
    let mut record_type = record.header.record_type.clone();
    if !writer.has("WARC-Type") {
        record_type = type_of(&record.block);
        writer.add("WARC-Type", record_type.name().to_owned());
    }
    if !writer.has("WARC-Record-ID") {
        writer.add("WARC-Record-ID", id_of(record));
    }
    if !writer.has("WARC-Date") {
        writer.add("WARC-Date", date.unwrap_or(NO_DATE).to_owned());
    }
    for name in check::required_uris(&record_type) {
        if !writer.has(name) {
            writer.add(name, NO_URI.to_owned());
        }
    }
}

/// The type that a block looks like.
fn type_of(block: &[u8]) -> RecordType {
    match http::parse_head(block) {
        Some(_) => RecordType::Response,
        None => RecordType::Metadata,
    }
}

/// An id that is made of the record, so that it is the same every time.
fn id_of(record: &Record<'_>) -> String {
    made_id(&[
        &record.offset.to_be_bytes(),
        &record.offset_in_member.to_be_bytes(),
        record.header.as_bytes(),
        &record.block,
    ])
}

/// An id that is made of bytes: a UUID of version 8 (RFC 9562, section 5.8), as in `WARC-Record-ID`.
pub(crate) fn made_id(parts: &[&[u8]]) -> String {
    let mut hash = Sha1::new();
    parts.iter().for_each(|part| hash.update(part));
    let mut bytes: [u8; 16] = std::array::from_fn({
        let digest = hash.finalize();
        move |at| digest[at]
    });
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("<urn:uuid:{}>", parts.join("-"))
}
