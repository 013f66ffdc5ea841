//! Framing: decoded bytes → records, one after the other, and what to do where they do not fit.
//!
//! One reader serves every kind of archive: a window of a map, a whole map, a pipe. The rules of leniency:
//!
//! - *Line ends between records*: any number, of either kind.
//! - *Length*: a block is as long as its `Content-Length` says if a boundary stands there (two line ends, the next record,
//!   or the end of the member). If not, the record is cut or extended to the next record's start, with the note
//!   `length_mismatch`.
//! - *No usable length*, or one that leads past the end of a plain archive: the record failed as `bad_length`, and reading
//!   goes on at the next record's start.
//! - *Damage inside a member*: the record that it cut off failed, with the member's reason.

use super::digest;
use super::framing::{Framing, START};
use super::record::{Length, Record, block_length, parse_header};
use super::source::{Bytes, Grow, Kind, Opened, Position, Skipped, Source};
use crate::reason::{Failed, Note, Notes};

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
/// let archive = dehusk::archive::Archive::open("crawl.warc.gz")?;
/// let mut records = archive.records();
/// while let Some(record) = records.next_record() {
///     println!("{} {} {}", record.offset, record.header.record_type, record.header.url());
/// }
/// # Ok::<(), dehusk::archive::ArchiveError>(())
/// ```
pub struct RecordReader<'a> {
    source: Source<'a>,
    framing: Framing,
    limit: u64,
    digests: DigestPolicy,
    /// Bytes of the record that was handed out last; passed when the next is asked for.
    held: usize,
    /// The header of a record whose block is not held.
    head: Vec<u8>,
    /// How many bytes in view the current record may use, once that is known.
    bound: Option<usize>,
}

/// What is done with the digests that records state of their own blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigestPolicy {
    /// They are looked at only where a member is damaged.
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
    failure: Option<Failed>,
}

enum Advance {
    Record(Framed),
    Skipped(Skipped),
}

impl<'a> RecordReader<'a> {
    pub(crate) fn new(source: Source<'a>, framing: Framing, limit: u64, digests: DigestPolicy) -> Self {
        Self {
            source,
            framing,
            limit,
            digests,
            held: 0,
            head: Vec::new(),
            bound: None,
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

    /// Whether the archive is one compressed unit that holds several records, or is too large to be decoded at once.
    pub(crate) fn is_one_unit(&self) -> bool {
        self.source.is_one_unit()
    }

    /// The error that ended the input before its time, once.
    pub fn take_error(&mut self) -> Option<std::io::Error> {
        self.source.take_error()
    }

    /// Offset at which the next window's reader has to start; for use once this one has returned `None`.
    pub(crate) fn end_offset(&self) -> u64 {
        self.source.end_offset()
    }

    /// Gives the decoding buffer back.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
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
            if data.len() < START && self.source.grow() == Grow::Grew {
                continue;
            }
            if let Some(skipped) = self.garbage() {
                return Some(Advance::Skipped(skipped));
            }
        }
    }

    /// Goes past bytes that are no record, to the next record start or the end of the unit.
    fn garbage(&mut self) -> Option<Skipped> {
        let offset = self.source.position().offset;
        let mut length = 0;
        let mut blank = true;
        loop {
            let data = self.source.data();
            let found = self.framing.find(data, usize::from(length == 0));
            let may_grow = found.is_none();
            let mut n = found.unwrap_or(data.len().saturating_sub(START));
            let more = may_grow && self.source.grow() == Grow::Grew;
            if may_grow && !more {
                n = self.source.data().len();
            }
            blank &= self.source.data()[..n]
                .iter()
                .all(|b| *b == 0 || b.is_ascii_whitespace());
            length += n as u64;
            let at_end = found.is_none() && !more;
            if blank && at_end && length == n as u64 {
                // Zeros or white space up to the end: what file systems and careless tools leave.
                self.source.pass(n, Kind::Padding);
                self.source.notes.push(Note::TailPadding);
                return None;
            }
            self.source.pass(n, Kind::Garbage);
            if !more {
                break;
            }
        }
        // In a compressed archive the unit is reported when it closes, with its stored length.
        (self.source.is_plain()).then_some(Skipped {
            offset,
            length,
            inside: false,
            reason: Failed::Garbage,
        })
    }

    /// Brings `n` bytes of the current record into view, if there are so many; says how many there are.
    ///
    /// A record may go on in the next unit, unless that one starts with a record or follows damage.
    fn reach(&mut self, n: usize) -> usize {
        loop {
            let have = self.bound.unwrap_or(self.source.data().len());
            if have >= n || self.bound.is_some() {
                return have;
            }
            match self.source.grow() {
                Grow::Grew => {}
                Grow::Eof => self.bound = Some(have),
                Grow::UnitEnd if self.source.fault(have).is_some() => self.bound = Some(have),
                Grow::UnitEnd => match self.source.open(true) {
                    Opened::Adjoining => {
                        while self.source.data().len() - have < START && self.source.grow() == Grow::Grew {}
                        if self.framing.starts(&self.source.data()[have..]) {
                            self.bound = Some(have);
                        }
                    }
                    Opened::AfterGap | Opened::None => self.bound = Some(have),
                },
            }
        }
    }

    /// As [`RecordReader::reach`], but not past the end of the unit.
    fn reach_in_unit(&mut self, n: usize) -> usize {
        while self.bound.is_none() && self.source.data().len() < n && self.source.grow() == Grow::Grew {}
        self.bound.unwrap_or(self.source.data().len())
    }

    /// Length of the header block at the start of the view, with its blank line.
    fn header_end(&mut self) -> Result<usize, Failed> {
        let mut want = 2 << 10;
        loop {
            let have = self.reach(want);
            let data = &self.source.data()[..have];
            let end = match self.framing {
                Framing::Arc => memchr::memchr(b'\n', data).map(|at| at + 1),
                Framing::Warc => memchr::memchr_iter(b'\n', data).find_map(|at| match data.get(at + 1..)? {
                    [b'\n', ..] => Some(at + 2),
                    [b'\r', b'\n', ..] => Some(at + 3),
                    _ => None,
                }),
            };
            match end {
                Some(end) if end <= HEADER_LIMIT => return Ok(end),
                Some(_) => return Err(Failed::HeaderTooLong),
                None if have >= HEADER_LIMIT => return Err(Failed::HeaderTooLong),
                None if have < want => {
                    return Err(self
                        .source
                        .fault(have)
                        .map_or(Failed::TruncatedInput, |(fault, _)| fault));
                }
                None => want *= 2,
            }
        }
    }

    /// Frames the record at the start of the view; `None` where its header is cut off and the unit's end reports it.
    fn frame(&mut self) -> Option<Advance> {
        let position = self.source.position();
        let header = match self.header_end() {
            Ok(header) => header,
            Err(Failed::HeaderTooLong) => {
                return Some(Advance::Record(self.abandon(
                    position,
                    START,
                    Notes::default(),
                    Failed::HeaderTooLong,
                )));
            }
            Err(reason) => {
                // A record is framed only when its header was recognised to the end.
                let length = self.reach(usize::MAX);
                self.source.pass(length, Kind::Garbage);
                let skipped = Skipped {
                    offset: position.offset,
                    length: length as u64,
                    inside: false,
                    reason,
                };
                return self.source.is_plain().then_some(Advance::Skipped(skipped));
            }
        };
        let mut notes = Notes::default();
        let (length, twice) = block_length(self.framing, &self.source.data()[..header]);
        if twice {
            notes.add(Note::DuplicateLength);
        }
        Some(Advance::Record(match length {
            Length::Bytes(length) if length > self.limit => self.oversized(position, header, notes, length),
            Length::Bytes(length) => self.sized(position, header, notes, length as usize),
            Length::Invalid | Length::Missing => self.abandon(position, header, notes, Failed::BadLength),
        }))
    }

    /// A record with a length that can be held.
    fn sized(&mut self, position: Position, header: usize, mut notes: Notes, length: usize) -> Framed {
        let declared = header + length;
        let have = self.reach(declared);
        let mut failure = None;
        let (block_end, end) = if have < declared {
            if let Some((fault, _)) = self.source.fault(have) {
                failure = Some(fault);
                (have, have)
            } else if !self.source.is_plain() {
                // The member is whole, so it is the length that is wrong.
                notes.add(Note::LengthMismatch);
                (stripped(self.source.data(), header, have), have)
            } else if self.framing.find(self.source.data(), header).is_some() {
                return self.abandon(position, header, notes, Failed::BadLength);
            } else {
                failure = Some(Failed::TruncatedInput);
                (have, have)
            }
        } else if self.is_boundary(declared) {
            (declared, declared)
        } else {
            self.mismatch(header, declared, &mut notes)
        };
        let trailer =
            line_ends(&self.source.data()[end..self.bound.unwrap_or(usize::MAX).min(self.source.data().len())]);
        let parts = Parts {
            header,
            block_end,
            end: end + trailer,
        };
        self.held = parts.end;
        let stored_length = self.source.stored_end(parts.end).map_or(0, |end| end - position.offset);
        Framed {
            position,
            stored_length,
            parts: Some(parts),
            notes,
            failure,
        }
    }

    /// Whether a record may end at `at`: before two line ends, the next record, or the end of the unit.
    fn is_boundary(&mut self, at: usize) -> bool {
        let rest = |reader: &mut Self, more: usize| {
            let have = reader.reach_in_unit(at + more);
            at..have
        };
        let range = rest(self, 4);
        let near = &self.source.data()[range];
        let lines = near[..line_ends(near)].iter().filter(|b| **b == b'\n').count();
        if self.framing == Framing::Warc && lines >= 2 {
            return true;
        }
        let range = rest(self, START);
        let far = &self.source.data()[range];
        let ends = line_ends(far);
        ends == far.len() || self.framing.starts(&far[ends..])
    }

    /// No boundary where the length says: the record ends at the next record's start, or at its unit's end. In a plain
    /// archive without a next record nothing says where it ends instead, so the length stands and garbage follows.
    fn mismatch(&mut self, header: usize, declared: usize, notes: &mut Notes) -> (usize, usize) {
        const STEP: usize = 256 << 10;
        let most = (declared + START).max(header + self.limit as usize);
        let mut from = header;
        let found = loop {
            let have = self.reach_in_unit(from + STEP).min(most);
            if let Some(at) = self.framing.find(&self.source.data()[..have], from) {
                break at;
            }
            if have < from + STEP {
                if self.source.is_plain() || have == most {
                    return (declared, declared);
                }
                break have;
            }
            from = have - START;
        };
        notes.add(Note::LengthMismatch);
        (stripped(self.source.data(), header, found), found)
    }

    /// A record whose block is larger than the limit: streamed past, never held.
    fn oversized(&mut self, position: Position, header: usize, notes: Notes, length: u64) -> Framed {
        self.discard(position, header, length, notes, Failed::TooLarge)
    }

    /// A record without a usable length: reading goes on at the next record's start.
    fn abandon(&mut self, position: Position, header: usize, notes: Notes, reason: Failed) -> Framed {
        self.discard(position, header, u64::MAX, notes, reason)
    }

    /// Goes past a record's block, at most `length` bytes of it, without holding it. A record start inside it says that
    /// the length is wrong.
    fn discard(&mut self, position: Position, header: usize, length: u64, notes: Notes, reason: Failed) -> Framed {
        let header = header.min(self.source.data().len());
        self.head.clear();
        self.head.extend_from_slice(&self.source.data()[..header]);
        self.pass_block(header);
        let mut left = length;
        let mut fault = None;
        let complete = loop {
            let have = self.reach(1 << 20).min(usize::try_from(left).unwrap_or(usize::MAX));
            fault = fault.or(self.source.fault(have).map(|(fault, _)| fault));
            if let Some(at) = self.framing.find(&self.source.data()[..have], 0) {
                self.pass_block(at);
                break false;
            }
            if have as u64 == left || have < 1 << 20 {
                self.pass_block(have);
                left -= have as u64;
                break left == 0;
            }
            self.pass_block(have - START);
            left -= (have - START) as u64;
        };
        if complete {
            let ends = line_ends(self.source.data()).min(self.bound.unwrap_or(usize::MAX));
            self.pass_block(ends);
        }
        let failure = fault.unwrap_or(if reason == Failed::TooLarge && !complete {
            Failed::BadLength
        } else {
            reason
        });
        let stored_length = self.source.passed_end().saturating_sub(position.offset);
        Framed {
            position,
            stored_length,
            parts: None,
            notes,
            failure: Some(failure),
        }
    }

    /// Goes past bytes of the current record at once.
    fn pass_block(&mut self, n: usize) {
        self.source.pass(n, Kind::Record);
        self.bound = self.bound.map(|bound| bound - n);
    }

    /// Shows a framed record, deciding what damage in its member and its own digest mean for it.
    fn record(&self, framed: Framed) -> Record<'_> {
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
        let header = parse_header(self.framing, head, &mut notes);
        if failure.is_none() {
            let verdict = || {
                header
                    .get("WARC-Block-Digest")
                    .and_then(|stated| digest::verify(&stated, block))
            };
            match self.source.fault(end) {
                Some((fault, reaches_end)) => match verdict() {
                    Some(true) => notes.add(Note::GzipCrcProven),
                    Some(false) => failure = Some(fault),
                    // Without a witness, data before damage are believed, data under a wrong checksum are not.
                    None if reaches_end || matches!(fault, Failed::GzipCrc | Failed::ZstdChecksum) => {
                        failure = Some(fault);
                    }
                    None => {}
                },
                None if self.digests != DigestPolicy::Ignore && verdict() == Some(false) => match self.digests {
                    DigestPolicy::Fail => failure = Some(Failed::Digest),
                    _ => notes.add(Note::DigestMismatch),
                },
                None => {}
            }
        }
        Record {
            offset: position.offset,
            stored_length,
            offset_in_member: position.offset_in_member,
            header,
            raw_header: head,
            block: if failure.is_some() { &[] } else { block },
            notes,
            failure,
        }
    }
}

/// How many line-end bytes `data` starts with.
fn line_ends(data: &[u8]) -> usize {
    data.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count()
}

/// The end of a block that goes up to `end`, without the two line ends that part records.
fn stripped(data: &[u8], start: usize, end: usize) -> usize {
    let mut block = &data[start..end];
    for _ in 0..2 {
        block = block.strip_suffix(b"\n").unwrap_or(block);
        block = block.strip_suffix(b"\r").unwrap_or(block);
    }
    start + block.len()
}
