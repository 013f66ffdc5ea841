//! One framed entry of an archive: its header, its block, and where it was.

use std::borrow::Cow;
use std::ops::Range;

use super::framing::Framing;
use super::header::Header;
use crate::fault::{Fault, Notes};

/// One record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record<'a> {
    /// Offset in the file, in bytes, of the record's member or frame; in a plain archive, of the record itself.
    pub offset: u64,
    /// Stored length, in bytes, of that member, frame or record, and of the further ones that the record continues in;
    /// 0 if their end has not been read yet, which happens in a member or frame that decodes to 8 MiB or more.
    pub stored_length: u64,
    /// Offset of the record in its decoded member or frame, in bytes.
    pub offset_in_member: u64,
    /// The record's header.
    pub header: Header,
    /// The record's block, of `Content-Length` bytes; empty if the record failed.
    pub block: Cow<'a, [u8]>,
    /// Oddities of the record.
    pub notes: Notes,
    /// Why the record cannot be used, if it cannot.
    pub failure: Option<Fault>,
}

/// A record that owns its block; see [`Record::into_owned`].
pub type OwnedRecord = Record<'static>;

impl Record<'_> {
    /// The record with its own copy of the block, so that it can outlive the reader's next step.
    pub fn into_owned(self) -> OwnedRecord {
        Record {
            offset: self.offset,
            stored_length: self.stored_length,
            offset_in_member: self.offset_in_member,
            header: self.header,
            block: Cow::Owned(self.block.into_owned()),
            notes: self.notes,
            failure: self.failure,
        }
    }
}

/// A record whose bytes are in a buffer of yours, together with those of other records.
///
/// This keeps many records with one allocation, where [`OwnedRecord`] makes some for each.
#[derive(Clone, Debug)]
pub struct BufferedRecord {
    framing: Framing,
    offset: u64,
    stored_length: u64,
    offset_in_member: u64,
    header: Range<usize>,
    block: Range<usize>,
    notes: Notes,
    failure: Option<Fault>,
}

impl BufferedRecord {
    /// Copies a record's bytes to the end of a buffer.
    pub fn new(record: &Record<'_>, buffer: &mut Vec<u8>) -> Self {
        let start = buffer.len();
        buffer.extend_from_slice(record.header.as_bytes());
        let middle = buffer.len();
        buffer.extend_from_slice(&record.block);
        Self {
            framing: record.header.framing,
            offset: record.offset,
            stored_length: record.stored_length,
            offset_in_member: record.offset_in_member,
            header: start..middle,
            block: middle..buffer.len(),
            notes: record.notes,
            failure: record.failure,
        }
    }

    /// The record again, from the buffer that it was copied to.
    pub fn record<'a>(&self, buffer: &'a [u8]) -> Record<'a> {
        // Parsing the header again takes less than keeping every record's list of fields in memory.
        let (header, _) = Header::parse(self.framing, &buffer[self.header.clone()]);
        Record {
            offset: self.offset,
            stored_length: self.stored_length,
            offset_in_member: self.offset_in_member,
            header,
            block: Cow::Borrowed(&buffer[self.block.clone()]),
            notes: self.notes,
            failure: self.failure,
        }
    }
}
