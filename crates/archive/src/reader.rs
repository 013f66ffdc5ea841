//! The reader of records: decoded bytes → records, one after the other.
//!
//! This file is the ordinary way, and it serves every kind of archive. A record is a header block, a block of
//! `Content-Length` bytes, and line ends that separate it from the next record. What happens where the bytes do not fit
//! this is in `recover`.

use std::ops::Range;

use super::decoded::{Bytes, Decoded, Doubt, PassedAs, Skipped};
use super::digest;
use super::framing::{Framing, START};
use super::header::Length;
use super::record::Record;
use super::recover::{self, HeaderFault};
use super::tar;
use super::view::{Boundary, FramedRecord, Next, RecordStart, RecordView, line_ends};
use super::{Archive, ReadOptions};
use crate::fault::{Fault, Note};

/// Longest header block, in bytes. Real ones are below 4 KiB; an endless line must not fill memory.
const HEADER_LIMIT: usize = 64 << 10;

/// A record or a skipped range, in the order of the archive.
#[derive(Debug)]
pub enum Event<'r> {
    /// A framed record, whole or failed.
    Record(Record<'r>),
    /// A range in which no record was recognised.
    Skipped(Skipped),
}

/// The records of an archive, in order.
///
/// A record borrows from the reader until the next one is asked for, so that its block is not copied;
/// [`Record::into_owned`] keeps it longer. An [`Iterator`] cannot lend its items in this way. [`Records::owned`] is an
/// iterator over records that own their blocks.
///
/// ```no_run
/// let archive = dehusk_archive::Archive::open("crawl.warc.gz")?;
/// let mut records = archive.records();
/// while let Some(record) = records.next_record() {
///     println!("{} {} {}", record.offset, record.header.record_type, record.header.url());
/// }
/// // The records also end where reading fails.
/// if let Some(error) = records.take_error() {
///     return Err(error.into());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Records<'a> {
    view: RecordView<'a>,
    options: ReadOptions,
    /// Length of the record that was returned last. It is skipped when the next one is asked for.
    returned: usize,
    /// Where its block ends, in the same bytes.
    block_end: usize,
    /// Records so far.
    framed: u64,
    /// The section after this one, which has another format.
    rest: Option<(&'a Archive, Range<u64>)>,
    /// Why reading ended before that.
    error: Option<std::io::Error>,
}

impl<'a> Records<'a> {
    pub(crate) fn new(decoded: Decoded<'a>, framing: Framing, options: ReadOptions) -> Self {
        Self {
            view: RecordView::new(decoded, framing),
            options,
            returned: 0,
            block_end: 0,
            framed: 0,
            rest: None,
            error: None,
        }
    }

    /// The same records, and after them those of these bytes of the archive.
    pub(crate) fn followed_by(mut self, archive: &'a Archive, rest: Range<u64>) -> Self {
        self.rest = Some((archive, rest));
        self
    }

    /// Returns the next record, whole or failed, or `None` at the end. Skipped ranges are left out.
    ///
    /// The records also end where reading fails. Ask [`Records::take_error`] after `None`.
    pub fn next_record(&mut self) -> Option<Record<'_>> {
        loop {
            // In two steps, because the borrow of a returned record lasts as long as the caller keeps it.
            match self.advance()? {
                Next::Skipped(_) => {}
                Next::Record(framed) => return Some(self.record(framed)),
            }
        }
    }

    /// Returns an iterator over the next records, whole or failed, as [`Records::next_record`] returns them. Each owns
    /// its block, which is copied.
    ///
    /// ```no_run
    /// let archive = dehusk_archive::Archive::open("crawl.warc.gz")?;
    /// let largest = archive.records().owned().max_by_key(|record| record.block.len());
    /// # Ok::<(), dehusk_archive::ArchiveError>(())
    /// ```
    pub fn owned(&mut self) -> impl Iterator<Item = Record<'static>> + use<'_, 'a> {
        std::iter::from_fn(|| self.next_record().map(Record::into_owned))
    }

    /// Returns the next record or skipped range, or `None` at the end.
    ///
    /// The events also end where reading fails. Ask [`Records::take_error`] after `None`.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        match self.advance()? {
            Next::Skipped(skipped) => Some(Event::Skipped(skipped)),
            Next::Record(framed) => Some(Event::Record(self.record(framed))),
        }
    }

    /// The account of the stored bytes so far. It is complete once the reader has returned `None`.
    pub fn bytes(&self) -> Bytes {
        self.view.decoded.bytes
    }

    /// Returns the notes about the archive itself, each once.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.view.decoded.notes)
    }

    /// The bytes between the record that was returned last and the next one: those after its block, up to two line
    /// ends. `None` if the record's bytes have been skipped already.
    pub(crate) fn separator(&self) -> Option<&[u8]> {
        self.view.data().get(self.block_end..self.returned)
    }

    /// Whether the archive is a single gzip member or zstd frame that holds several records.
    #[doc(hidden)]
    pub fn is_one_unit(&self) -> bool {
        self.view.decoded.is_one_unit() && self.framed > 1
    }

    /// The error that ended the input early; it is returned once. For a mapped file: why the bytes read so far cannot
    /// be trusted.
    pub fn take_error(&mut self) -> Option<std::io::Error> {
        self.error.take().or_else(|| self.view.decoded.take_error())
    }

    /// The offset at which the next window's reader has to start. Valid once this reader has returned `None`.
    pub fn end_offset(&self) -> u64 {
        self.view.decoded.end_offset()
    }

    /// Up to which offset the reader has used the stored bytes.
    #[doc(hidden)]
    pub fn read_offset(&self) -> u64 {
        self.view.decoded.read_offset()
    }

    /// Stored bytes that the reader has read already; `None` if they are no longer in memory.
    #[doc(hidden)]
    pub fn stored(&self, offset: u64, length: u64) -> Option<&[u8]> {
        self.view.decoded.stored(offset, length)
    }

    /// Returns the decoding buffer, so that another reader can use it.
    #[doc(hidden)]
    pub fn into_buffer(self) -> Vec<u8> {
        self.view.decoded.into_buffer()
    }

    /// Reads the next record or skipped range.
    fn advance(&mut self) -> Option<Next> {
        loop {
            let next = self.advance_in_section();
            if next.is_some() || !self.next_section() {
                return next;
            }
        }
    }

    /// Continues with the next bytes of one format; `false` if there are none, or if reading failed.
    fn next_section(&mut self) -> bool {
        let Some((archive, range)) = self.rest.take() else {
            return false;
        };
        self.error = self.view.decoded.take_error();
        if self.error.is_some() {
            return false;
        }
        let mut next = archive.records_between(range, Vec::new());
        next.view.decoded.follow(&mut self.view.decoded);
        next.framed = self.framed;
        *self = next;
        true
    }

    /// Moves on among bytes of one format.
    fn advance_in_section(&mut self) -> Option<Next> {
        let returned = std::mem::take(&mut self.returned);
        self.view.skip(returned, PassedAs::Record);
        let next = if self.view.framing == Framing::Tar {
            tar::next(&mut self.view, self.options.record_limit)
        } else {
            self.next_in_lines()
        };
        if let Some(Next::Record(framed)) = &next {
            self.returned = framed.length;
            self.block_end = framed.block.1;
        }
        next
    }

    /// Reads the next record or skipped range of a WARC or ARC archive.
    fn next_in_lines(&mut self) -> Option<Next> {
        loop {
            if let Err(skipped) = self.view.begin() {
                return skipped.map(Next::Skipped);
            }
            let padding = line_ends(self.view.data());
            if padding > 0 {
                self.view.skip(padding, PassedAs::Padding);
            } else if !self.is_at_record() {
                recover::skip_garbage(&mut self.view);
            } else if let Some(framed) = self.read_record() {
                return Some(Next::Record(framed));
            }
        }
    }

    /// Whether a record starts here.
    fn is_at_record(&mut self) -> bool {
        loop {
            let framing = self.view.framing;
            if framing.starts(self.view.data()) {
                return true;
            }
            let had = self.view.len();
            if had < START && self.view.ensure_in_unit(had + 1) > had {
                continue;
            }
            // Even a record's first line may continue in the next member or frame.
            if framing.may_start(self.view.data()) && self.view.ensure(had + 1) > had {
                continue;
            }
            return false;
        }
    }

    /// Reads the record that starts here; `None` if its header is cut off inside a member or frame, which is reported
    /// as a whole when it ends.
    fn read_record(&mut self) -> Option<FramedRecord> {
        let mut start = match self.header_end() {
            Ok(end) => RecordStart::parse(&self.view, end),
            Err(fault) => return recover::unreadable_header(&mut self.view, fault),
        };
        let (length, is_repeated) = start.header.block_length();
        if is_repeated {
            start.notes.add(Note::DuplicateLength);
        }
        Some(match length {
            Length::Bytes(length) if length > self.options.record_limit => {
                recover::skip_block(&mut self.view, start, length, Fault::TooLarge)
            }
            Length::Bytes(length) => self.read_block(start, length as usize),
            Length::Invalid | Length::Missing => recover::fail_and_resync(&mut self.view, start, Fault::BadLength),
        })
    }

    /// Finds the end of the header block that starts here, with its blank line.
    fn header_end(&mut self) -> Result<usize, HeaderFault> {
        let mut seen = 0usize;
        let end = loop {
            let have = self.view.len();
            let data = &self.view.data()[..have.min(HEADER_LIMIT + 3)];
            // The last bytes seen may be the first of a blank line.
            match self.view.framing.header_end(data, seen.saturating_sub(2)) {
                Some(end) if end <= HEADER_LIMIT => break end,
                Some(_) => return Err(HeaderFault::TooLong),
                None if have > HEADER_LIMIT => return Err(HeaderFault::TooLong),
                None => seen = data.len(),
            }
            if self.view.ensure(have + 1) == have {
                return Err(HeaderFault::ended(&self.view));
            }
        };
        match self.view.framing.second_start(&self.view.data()[..end]) {
            // The rest of this header is lost. The bytes after it belong to the next record.
            Some(at) => Err(HeaderFault::Truncated {
                length: at,
                reason: Fault::BadHeader,
            }),
            None => Ok(end),
        }
    }

    /// Reads a block of `length` bytes, which is within the limit.
    fn read_block(&mut self, start: RecordStart, length: usize) -> FramedRecord {
        let end = start.header_length().saturating_add(length);
        if self.view.ensure(end) >= end && self.view.boundary(end) == Boundary::Sure {
            return self.view.frame(start, end, end, None);
        }
        recover::find_end(&mut self.view, start, end, self.options.record_limit)
    }

    /// Checks a framed record and returns it.
    fn record(&mut self, framed: FramedRecord) -> Record<'_> {
        self.framed += 1;
        let RecordStart {
            position,
            header,
            mut notes,
        } = framed.start;
        let checked = match framed.failure {
            Some(fault) => Err(fault),
            None => {
                let doubt = self.view.decoded.doubt(framed.length);
                let block = &self.view.data()[framed.block.0..framed.block.1];
                let digests = self.options.digests;
                match doubt {
                    Doubt::Damaged(damage) => recover::accept(&header, block, damage, self.options.unproven),
                    Doubt::Unseen(note) => digest::prove(&header, block, digests, note),
                    Doubt::Settled => digest::check(&header, block, digests.at_least_noted()),
                    Doubt::None => digest::check(&header, block, digests),
                }
            }
        };
        self.view.decoded.judge(framed.length, checked);
        let block = &self.view.data()[framed.block.0..framed.block.1];
        if let Ok(note) = checked {
            notes.extend(self.view.decoded.unit_notes(framed.length));
            note.into_iter().for_each(|note| notes.add(note));
        }
        let failure = checked.err();
        Record {
            offset: position.offset,
            stored_length: framed.stored_length,
            offset_in_member: position.offset_in_member,
            header,
            block: if failure.is_some() { &[] } else { block }.into(),
            notes,
            failure,
        }
    }
}
