//! Framing: decoded bytes → records, one after the other, and what to do where they do not fit.
//!
//! One reader serves every kind of archive: a window of a map, a whole map, a pipe. The rules of leniency:
//!
//! - *Line ends between records*: any number, of either kind.
//! - *Length*: a block is as long as its `Content-Length` says if a boundary stands there (two line ends, the next record,
//!   or the end of the member); two line ends alone are none where a digest speaks against them, or another record starts
//!   before them and no digest speaks for them. If not, the record is cut or extended to the next record's start, with the
//!   note `length_mismatch`, where a witness speaks for that (`witness`), and fails otherwise; in a damaged member it
//!   failed, with the member's reason.
//! - *No usable length*, or one that leads past the end of the archive and over other records: the record failed as
//!   `bad_length`, and reading goes on at the next record's start.
//! - *The archive ends inside the record*: it failed as `truncated_input`, whether or not a member ends there too, unless
//!   its digest says that it is whole.
//! - *Damage inside a member*: the record that it cut off failed, with the member's reason.

mod ends;
mod garbage;
mod reach;
mod witness;

use self::reach::Bound;
use super::decoded::{Bytes, Decoded, Grow, Kind, Position, Skipped};
use super::framing::{Framing, START};
use super::header::{Header, Length};
use super::record::Record;
use super::{ReadOptions, digest};
use crate::fault::{Fault, Note, Notes};

/// Longest header block. Real ones are below 4 KiB; an endless line must not fill memory.
pub const HEADER_LIMIT: usize = 64 << 10;

/// What stands next in an archive.
#[derive(Debug)]
pub enum Event<'r> {
    /// A framed record, whole or failed.
    Record(Record<'r>),
    /// A range in which no record was recognised.
    Skipped(Skipped),
}

/// Reads an archive's records in order.
///
/// ```no_run
/// let archive = dehusk_archive::Archive::open("crawl.warc.gz")?;
/// let mut records = archive.records();
/// while let Some(record) = records.next_record() {
///     println!("{} {} {}", record.offset, record.header.record_type, record.header.url());
/// }
/// # Ok::<(), dehusk_archive::ArchiveError>(())
/// ```
pub struct Records<'a> {
    source: Decoded<'a>,
    framing: Framing,
    /// Largest block that is held.
    limit: u64,
    options: ReadOptions,
    /// Bytes of the record that was handed out last; passed when the next is asked for.
    held: usize,
    /// The header of a record whose block is not held.
    head: Vec<u8>,
    /// How many bytes in view the current record may use, and what stands there, once that is known.
    bound: Option<(usize, Bound)>,
    /// Records so far.
    framed: u64,
}

/// What is done with the digests that records state of their own blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigestPolicy {
    /// They are looked at only where a member is damaged, or a record's length leads to no end.
    #[default]
    Ignore,
    /// Every block is checked; a wrong one is a note.
    Note,
    /// Every block is checked; a wrong one fails the record.
    Fail,
}

/// Where a record's parts are, in bytes from its start.
struct Parts {
    header: usize,
    block_end: usize,
    end: usize,
}

/// A record before it is shown.
struct Framed {
    position: Position,
    stored_length: u64,
    /// `None` where the block was not held and the header was copied.
    parts: Option<Parts>,
    notes: Notes,
    failure: Option<Fault>,
}

enum Advance {
    Record(Framed),
    Skipped(Skipped),
}

impl<'a> Records<'a> {
    pub(crate) fn new(source: Decoded<'a>, framing: Framing, options: ReadOptions) -> Self {
        Self {
            source,
            framing,
            limit: options.record_limit,
            options,
            held: 0,
            head: Vec::new(),
            bound: None,
            framed: 0,
        }
    }

    /// The next record, passing over skipped ranges.
    pub fn next_record(&mut self) -> Option<Record<'_>> {
        loop {
            // Two steps, because the borrow of a returned record lasts as long as the reader's.
            match self.advance()? {
                Advance::Skipped(_) => {}
                Advance::Record(framed) => return Some(self.record(framed)),
            }
        }
    }

    /// The next record or skipped range; `None` at the end.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        match self.advance()? {
            Advance::Skipped(skipped) => Some(Event::Skipped(skipped)),
            Advance::Record(framed) => Some(Event::Record(self.record(framed))),
        }
    }

    /// What became of the stored bytes so far; complete once the reader has returned `None`.
    pub fn bytes(&self) -> Bytes {
        self.source.bytes
    }

    /// What was odd about the archive itself, once.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.source.notes)
    }

    /// Whether the archive is one compressed unit that holds several records.
    #[doc(hidden)]
    pub fn is_one_unit(&self) -> bool {
        self.source.is_one_unit() && self.framed > 1
    }

    /// The error that ended the input before its time, once; of a mapped file, why what was read so far cannot be
    /// believed.
    pub fn take_error(&mut self) -> Option<std::io::Error> {
        self.source.take_error()
    }

    /// Offset at which the next window's reader has to start; for use once this one has returned `None`.
    pub fn end_offset(&self) -> u64 {
        self.source.end_offset()
    }

    /// Stored bytes that the reader has gone past, where they are still at hand.
    #[doc(hidden)]
    pub fn stored(&self, offset: u64, length: u64) -> Option<&[u8]> {
        self.source.stored(offset, length)
    }

    /// Gives the decoding buffer back.
    #[doc(hidden)]
    pub fn into_buffer(self) -> Vec<u8> {
        self.source.into_buffer()
    }

    fn advance(&mut self) -> Option<Advance> {
        let held = std::mem::take(&mut self.held);
        self.source.pass(held, Kind::Record);
        loop {
            self.bound = None;
            if let Some(skipped) = self.source.skipped.pop_front() {
                return Some(Advance::Skipped(skipped));
            }
            if self.source.at_stop() {
                return None;
            }
            let data = self.source.data();
            if data.is_empty() {
                if self.source.more() || !self.source.skipped.is_empty() {
                    continue;
                }
                return None;
            }
            let padding = line_ends(data);
            if padding > 0 {
                self.source.pass(padding, Kind::Padding);
                continue;
            }
            if self.framing.starts(data) {
                match self.frame() {
                    Some(next) => return Some(next),
                    None => continue,
                }
            }
            let had = data.len();
            if had < START && self.source.grow() == Grow::Grew {
                continue;
            }
            // Even a record's first line may go on in the next unit.
            if self.framing.may_start(self.source.data()) && self.reach(had + 1) > had {
                continue;
            }
            if let Some(skipped) = self.garbage() {
                return Some(Advance::Skipped(skipped));
            }
        }
    }

    /// Length of the header block at the start of the view, with its blank line.
    fn header_end(&mut self) -> Result<usize, Fault> {
        let mut seen = 0usize;
        loop {
            let have = self.in_view();
            let data = &self.source.data()[..have.min(HEADER_LIMIT + 3)];
            // The last bytes seen may be the first of a blank line.
            let from = seen.saturating_sub(2);
            let end = match self.framing {
                Framing::Arc(_) => memchr::memchr(b'\n', &data[from..]).map(|at| from + at + 1),
                Framing::Warc => {
                    memchr::memchr_iter(b'\n', &data[from..]).find_map(|at| match data.get(from + at + 1..)? {
                        [b'\n', ..] => Some(from + at + 2),
                        [b'\r', b'\n', ..] => Some(from + at + 3),
                        _ => None,
                    })
                }
            };
            match end {
                Some(end) if end <= HEADER_LIMIT => return Ok(end),
                Some(_) => return Err(Fault::HeaderTooLong),
                None if have > HEADER_LIMIT => return Err(Fault::HeaderTooLong),
                None => seen = data.len(),
            }
            if self.reach(have + 1) == have {
                return Err(match self.bound {
                    Some((_, Bound::Damage(fault))) => fault,
                    _ => Fault::TruncatedInput,
                });
            }
        }
    }

    /// Frames the record at the start of the view; `None` where its header is cut off and the unit's end reports it.
    fn frame(&mut self) -> Option<Advance> {
        let position = self.source.position();
        let header = match self.header_end() {
            Ok(header) => match self.framing.second_start(&self.source.data()[..header]) {
                // The rest of this header is lost; what follows is the next one's.
                Some(at) => return self.headless(position, at, Fault::BadHeader),
                None => header,
            },
            Err(Fault::HeaderTooLong) => {
                return Some(Advance::Record(self.abandon(
                    position,
                    START,
                    Notes::default(),
                    Fault::HeaderTooLong,
                )));
            }
            Err(reason) => {
                let length = self.in_view();
                return self.headless(position, length, reason);
            }
        };
        let mut notes = Notes::default();
        let (length, twice) = Header::parse(self.framing, &self.source.data()[..header])
            .0
            .block_length();
        if twice {
            notes.add(Note::DuplicateLength);
        }
        Some(Advance::Record(match length {
            Length::Bytes(length) if length > self.limit => {
                self.discard(position, header, length, notes, Fault::TooLarge)
            }
            Length::Bytes(length) => self.sized(position, header, notes, length as usize),
            Length::Invalid | Length::Missing => self.abandon(position, header, notes, Fault::BadLength),
        }))
    }

    /// Shows a framed record, deciding what damage in its member and its own digest mean for it.
    fn record(&mut self, framed: Framed) -> Record<'_> {
        self.framed += 1;
        let Framed {
            position,
            stored_length,
            parts,
            mut notes,
            mut failure,
        } = framed;
        let data = self.source.data();
        let (head, block, end) = match &parts {
            Some(parts) => (&data[..parts.header], &data[parts.header..parts.block_end], parts.end),
            None => (&self.head[..], &[][..], 0),
        };
        let (header, oddities) = Header::parse(self.framing, head);
        notes.extend(oddities);
        if failure.is_none() {
            match self.source.fault(end) {
                Some((fault, beyond)) => match digest::of_block(&header, block) {
                    Some(true) => notes.add(proven(fault)),
                    None if self.options.unproven && is_checksum(fault) => notes.add(proven(fault)),
                    // Without a witness, data far enough before damage are believed.
                    None if beyond >= believed_before(fault) => {}
                    _ => failure = Some(fault),
                },
                None => match self.options.digests {
                    DigestPolicy::Ignore => {}
                    _ if digest::of_record(&header, block) != Some(false) => {}
                    DigestPolicy::Fail => failure = Some(Fault::Digest),
                    DigestPolicy::Note => notes.add(Note::DigestMismatch),
                },
            }
        }
        Record {
            offset: position.offset,
            stored_length,
            offset_in_member: position.offset_in_member,
            header,
            block: if failure.is_some() { &[] } else { block }.into(),
            notes,
            failure,
        }
    }
}

/// How many decoded bytes before the end of a damaged unit its data are believed.
fn believed_before(fault: Fault) -> u64 {
    match fault {
        // The decoder ran out of data; what it gave is right.
        Fault::TruncatedInput => 1,
        // The damage may be anywhere.
        fault if is_checksum(fault) => u64::MAX,
        // A decoder can go on over garbled data for some blocks before it stumbles.
        _ => 64 << 10,
    }
}

/// Whether the unit decoded to its end, and only its checksum is wrong.
fn is_checksum(fault: Fault) -> bool {
    matches!(fault, Fault::GzipCrc | Fault::ZstdChecksum)
}

/// How many line-end bytes `data` starts with.
fn line_ends(data: &[u8]) -> usize {
    data.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count()
}

/// The note on a record that is taken for good although its unit has this fault.
fn proven(fault: Fault) -> Note {
    match fault {
        Fault::GzipCrc => Note::GzipCrc,
        Fault::ZstdChecksum => Note::ZstdChecksum,
        _ => Note::DigestProven,
    }
}
