//! Copies records into another archive: their stored bytes, or compressed again where those would not do.
//!
//! Stored bytes are copied if they are a member or frame of the kind that is written, hold the one record alone, and the
//! record breaks no rule. Every other record is [mended](crate::mend) and packed, or, if a whole record cannot be mended,
//! packed as it is. Records of ARC, and files of a tar
//! file, become records of WARC.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::escape;
use crate::index::IndexLine;
use crate::mend::{LeftOut, Mender, made_id, pack};
use crate::{Archive, ByteSource, Container, DigestPolicy, Event, Framing, ReadOptions, Record, RecordType};

/// Copies records for one archive.
#[derive(Clone, Debug)]
pub struct Copier {
    container: Container,
    /// The file name of the archive that is written, as it can be in a header.
    name: String,
}

/// A record as it is appended to the archive that is written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CopiedRecord {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether they are the stored bytes of the other archive.
    pub is_stored: bool,
    /// Its line of the index; `None` for a record that is not looked up.
    pub line: Option<IndexLine>,
}

/// Why a record was not copied.
#[derive(Debug)]
#[non_exhaustive]
pub enum CopyError {
    /// It is damaged, or breaks a rule that cannot be mended and is not read back as it is.
    LeftOut(LeftOut),
    /// It cannot be packed.
    Io(io::Error),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(left_out) => write!(f, "{}: {}", left_out.rule, left_out.rule.sentence()),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::LeftOut(_) => None,
            Self::Io(error) => Some(error),
        }
    }
}

impl Copier {
    /// A copier for an archive with this file name whose records are packed like this. What would end a line of a
    /// header is written as `\u{…}`.
    pub fn new(container: Container, name: impl AsRef<str>) -> Self {
        Self {
            container,
            name: escape::terminal(name.as_ref()).into_owned(),
        }
    }

    /// The first record of the archive: it states the origin of the others and how they were chosen. `origin` has names
    /// of fields, and values; `date` is the time in UTC, such as `2026-11-22T20:33:05Z`. Its id is made of all these.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn description(&self, origin: &[(&str, String)], date: &str) -> Result<CopiedRecord, CopyError> {
        let mut block = String::new();
        let mut line = |name: &str, value: &str| {
            let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            block.push_str(&format!("{name}: {value}\r\n"));
        };
        line("software", concat!("dehusk ", env!("CARGO_PKG_VERSION")));
        line("format", "WARC File Format 1.1");
        for (name, value) in origin {
            line(name, value);
        }
        let head = format!(
            "WARC-Type: warcinfo\r\nWARC-Date: {date}\r\nWARC-Filename: {}\r\nContent-Type: application/warc-fields\r\n",
            self.name
        );
        self.packed(&framed(&head, &[], block.as_bytes()))
    }

    /// Copies a record. `source` has the stored bytes of its archive, if they can be read again.
    ///
    /// # Errors
    /// See [`CopyError`].
    pub fn record(&self, source: Option<&dyn ByteSource>, record: &Record<'_>) -> Result<CopiedRecord, CopyError> {
        if record.header.framing != Framing::Warc {
            return self.packed(&as_warc(record));
        }
        let mended = match Mender::default().mend(record) {
            Ok(mended) => mended,
            Err(left_out) => return self.unmended(record).ok_or(CopyError::LeftOut(left_out)),
        };
        if mended.changes.is_empty()
            && let Some(bytes) = self.stored(source, record)
        {
            let line = IndexLine::new(record, self.container, &self.name).ok();
            return Ok(CopiedRecord {
                bytes,
                is_stored: true,
                line,
            });
        }
        self.packed(&mended.bytes)
    }

    /// The line of a record that another copier made, for this one's archive.
    pub fn line(&self, line: &IndexLine) -> IndexLine {
        line.in_archive(&self.name)
    }

    /// A whole record that breaks a rule which cannot be mended, as it is. `None` if it is not whole.
    fn unmended(&self, record: &Record<'_>) -> Option<CopiedRecord> {
        let bytes = [record.header.as_bytes(), &record.block, b"\r\n\r\n"].concat();
        let is_same = |alone: Record<'_>| alone.block == record.block;
        let is_whole = record.failure.is_none() && record.header.framing == Framing::Warc;
        let reads_back = || read_alone(&bytes, Container::Plain, bytes.len() as u64, is_same) == Some(true);
        (is_whole && reads_back()).then(|| self.packed(&bytes).ok()).flatten()
    }

    /// Packs the bytes of a record.
    fn packed(&self, record: &[u8]) -> Result<CopiedRecord, CopyError> {
        let bytes = pack(record, self.container).map_err(CopyError::Io)?;
        let limit = record.len() as u64;
        let line = read_alone(&bytes, self.container, limit, |record| {
            IndexLine::new(&record, self.container, &self.name).ok()
        });
        let unreadable = || CopyError::Io(io::Error::other("a record that was packed cannot be read back"));
        Ok(CopiedRecord {
            bytes,
            is_stored: false,
            line: line.ok_or_else(unreadable)?,
        })
    }

    /// The stored bytes of a record that is alone in a member or frame of the kind that is written. `None` if they are
    /// anything else, or cannot be read any more.
    fn stored(&self, source: Option<&dyn ByteSource>, record: &Record<'_>) -> Option<Vec<u8>> {
        let source = source.filter(|_| record.offset_in_member == 0 && record.stored_length > 0)?;
        if self.container == Container::Plain {
            return None;
        }
        let mut stored = vec![0; usize::try_from(record.stored_length).ok()?];
        let mut read = 0;
        while read < stored.len() {
            match source.read_at(record.offset + read as u64, &mut stored[read..]) {
                Ok(n) if n > 0 => read += n,
                _ => return None,
            }
        }
        let limit = record.block.len() as u64;
        let is_same = read_alone(&stored, self.container, limit, |alone| {
            alone.header.as_bytes() == record.header.as_bytes() && alone.block == record.block
        });
        (is_same == Some(true)).then_some(stored)
    }
}

/// Gives the one record that these bytes are to a function; `None` if they are anything else, or its block is larger
/// than the limit.
fn read_alone<T>(stored: &[u8], container: Container, limit: u64, give: impl FnOnce(Record<'_>) -> T) -> Option<T> {
    let mut options = ReadOptions::new();
    options.record_limit = limit;
    options.digests = DigestPolicy::Ignore;
    let archive = Archive::from_source("record", Arc::new(stored.to_vec()), options).ok()?;
    let format = archive.format().map(|format| (format.container, format.framing));
    if format != Some((container, Framing::Warc)) {
        return None;
    }
    let mut records = archive.records();
    let given = match records.next_event() {
        Some(Event::Record(record)) if record.failure.is_none() => give(record),
        _ => return None,
    };
    records.next_event().is_none().then_some(given)
}

/// A record of ARC, or a file of a tar file, as one of WARC.
fn as_warc(record: &Record<'_>) -> Vec<u8> {
    let header = &record.header;
    let (kind, media_type) = match header.record_type {
        RecordType::Response => ("response", "application/http; msgtype=response".into()),
        _ => ("resource", header.content_type()),
    };
    let mut head = format!("WARC-Type: {kind}\r\nContent-Type: {media_type}\r\n");
    for name in ["WARC-Target-URI", "WARC-Date", "WARC-IP-Address"] {
        if let Some(value) = header.get(name).filter(|value| !value.is_empty()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    let place = [record.offset, record.offset_in_member].map(u64::to_be_bytes).concat();
    let made = framed(&head, &[&place, header.as_bytes()], &record.block);
    // A value that ARC allows and WARC does not, such as a URL with spaces, is corrected.
    let limit = record.block.len() as u64;
    let mended = read_alone(&made, Container::Plain, limit, |record| {
        Mender::default().mend(&record).ok()
    });
    mended.flatten().map_or(made, |mended| mended.bytes)
}

/// A record of WARC. Its id is made of `origin` and the record, so that it is the same every time.
fn framed(fields: &str, origin: &[&[u8]], block: &[u8]) -> Vec<u8> {
    let id = made_id(&[origin, &[fields.as_bytes(), block]].concat());
    let head = format!(
        "WARC/1.1\r\nWARC-Record-ID: {id}\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}
