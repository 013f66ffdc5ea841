//! The decoded bytes of an archive with their provenance: which unit they came from, and what became of every stored
//! byte.
//!
//! In a plain archive the decoded bytes are the stored ones. In a compressed one they lie in a buffer, and a queue of
//! units remembers where each came from. Every stored byte is counted once, as framed, padding or skipped, when the
//! reader passes it: that is the second half of the law of accounts.

mod account;
mod proof;
mod tail;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use account::lost;
pub use account::{Bytes, Skipped};
use proof::FirstPass;
pub(crate) use proof::{Damage, Doubt};
pub(crate) use tail::{TAIL, is_blank};

use crate::bytes::input::Input;
use crate::fault::{Fault, Note, Notes};
use crate::unit::Step;
use crate::unit::unpacker::Unpacker;
use crate::zip::ZipLayout;

/// The buffer is compacted when this many bytes are before the reading position.
const COMPACT: usize = 4 << 20;

/// The note on a unit that its records get, because it shows how far to trust them. The other notes are the archive's.
const OF_RECORDS: Note = Note::ZstdUnchecked;

/// The kind of decoded bytes, as the reader finds when it passes them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassedAs {
    Record,
    Padding,
    Garbage,
}

/// The result of [`Decoded::read_more`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadMore {
    /// More bytes, which are now in view.
    Bytes,
    /// The open unit has ended (or none is open); the next may follow.
    UnitEnd,
    /// The input has ended.
    Eof,
}

/// The gap before a unit that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenedUnit {
    Adjoining,
    /// Damage, which may reach up to the end of the input.
    AfterGap(Fault),
    /// Nothing: the input is at its end, or at the stop.
    None,
}

/// A compressed unit with bytes in the buffer.
struct Unit {
    offset: u64,
    stored_end: Option<u64>,
    fault: Option<Fault>,
    /// Decoded bytes of the units before it, since the queue was last empty.
    begin: u64,
    /// Decoded bytes so far, and how many of them the reader has passed.
    length: u64,
    passed: u64,
    framed: bool,
    garbage: u64,
    /// Oddities in how it was written.
    notes: Notes,
    /// Whether it is decoded piece by piece, so that records are given before its end is seen.
    is_large: bool,
    /// The result of a first pass over it.
    first_pass: FirstPass,
    /// The notice of its fault in the records that were given.
    notice: Notice,
}

/// The notice of a unit's fault in the records that were given. A later variant is stronger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Notice {
    Nothing,
    /// One was given with a note that it may be garbled.
    Doubt,
    /// One failed for that reason.
    Failure,
}

impl Unit {
    fn new(offset: u64, begin: u64, notes: Notes) -> Self {
        Self {
            offset,
            begin,
            notes,
            stored_end: None,
            fault: None,
            length: 0,
            passed: 0,
            framed: false,
            garbage: 0,
            is_large: false,
            first_pass: FirstPass::None,
            notice: Notice::Nothing,
        }
    }

    /// Where its decoded bytes end, counted as `begin` is.
    fn end(&self) -> u64 {
        self.begin + self.length
    }
}

/// Where a record starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) offset: u64,
    pub(crate) offset_in_member: u64,
}

pub(crate) struct Decoded<'a> {
    input: Input<'a>,
    unpacker: Option<Unpacker>,
    buffer: Vec<u8>,
    start: usize,
    /// A record may span very many of them. Where it ends, and whether it is damaged, is found without visiting all.
    units: VecDeque<Unit>,
    /// The numbers of those units that have a fault, counted over all units that were opened.
    faulty: VecDeque<u64>,
    /// Units and records that start at or beyond this offset belong to another reader.
    stop: u64,
    /// Units that were opened.
    opened: u64,
    /// Stored end of the unit that was passed last.
    passed_end: u64,
    /// Stored offset before which something is not blank, as far as is known.
    not_blank_before: u64,
    /// Stored offset after which everything is blank, as far as is known.
    blank_from: Option<u64>,
    pub(crate) bytes: Bytes,
    pub(crate) skipped: VecDeque<Skipped>,
    pub(crate) notes: Vec<Note>,
    /// Whether large units are decoded once before their records are given.
    passes_first: bool,
    /// Set by another thread that wants no more records.
    cancelled: Option<&'a AtomicBool>,
    /// Why a first pass ended early.
    error: Option<std::io::Error>,
    /// Which bytes are those of archives, if all lie in a ZIP file.
    zip: Option<&'a ZipLayout>,
}

impl<'a> Decoded<'a> {
    pub(crate) fn new(input: Input<'a>, unpacker: Option<Unpacker>, stop: u64, buffer: Vec<u8>) -> Self {
        Self {
            input,
            unpacker,
            buffer,
            start: 0,
            units: VecDeque::new(),
            faulty: VecDeque::new(),
            stop,
            opened: 0,
            passed_end: 0,
            not_blank_before: 0,
            blank_from: None,
            bytes: Bytes::default(),
            skipped: VecDeque::new(),
            notes: Vec::new(),
            passes_first: false,
            cancelled: None,
            error: None,
            zip: None,
        }
    }

    /// The same, of a ZIP file: bytes between units count as padding where they are not an archive's.
    pub(crate) fn within(mut self, zip: Option<&'a ZipLayout>) -> Self {
        self.zip = zip;
        self
    }

    /// The same, with a first pass over large units, which a flag may end.
    pub(crate) fn passing_first(mut self, cancelled: Option<&'a AtomicBool>) -> Self {
        self.passes_first = true;
        self.cancelled = cancelled;
        self
    }

    /// Takes over the account and the buffer of the reader of the section before.
    pub(crate) fn follow(&mut self, before: &mut Self) {
        self.bytes.add(std::mem::take(&mut before.bytes));
        self.notes.append(&mut before.notes);
        self.buffer = std::mem::take(&mut before.buffer);
        self.buffer.clear();
        // The section before counts as a unit, so that the whole archive is never one.
        self.opened = before.opened + 1;
    }

    /// The decoded bytes in view, from the reading position on.
    pub(crate) fn data(&self) -> &[u8] {
        match self.unpacker {
            None => self.input.view(),
            Some(_) => &self.buffer[self.start..],
        }
    }

    /// Whether the decoded bytes are the stored ones.
    pub(crate) fn is_plain(&self) -> bool {
        self.unpacker.is_none()
    }

    /// Where the first byte of [`Decoded::data`] comes from.
    pub(crate) fn position(&self) -> Position {
        match self.units.front() {
            Some(unit) => Position {
                offset: unit.offset,
                offset_in_member: unit.passed,
            },
            None => Position {
                offset: self.input.offset(),
                offset_in_member: 0,
            },
        }
    }

    /// Whether what is at the reading position belongs to another reader.
    pub(crate) fn at_stop(&self) -> bool {
        match self.units.front() {
            Some(unit) => unit.passed == 0 && unit.offset >= self.stop,
            None => self.input.offset() >= self.stop,
        }
    }

    /// Offset at which the next reader must start. Valid once this one has reached its end.
    pub(crate) fn end_offset(&self) -> u64 {
        self.position().offset
    }

    /// Offset up to which the stored bytes were decoded, or passed in a plain archive.
    pub(crate) fn read_offset(&self) -> u64 {
        self.input.offset()
    }

    /// Brings more of the open unit (of the input, in a plain archive) into view.
    pub(crate) fn read_more(&mut self) -> ReadMore {
        let Some(unpacker) = &mut self.unpacker else {
            return if self.input.read_more() {
                ReadMore::Bytes
            } else {
                ReadMore::Eof
            };
        };
        let Some(unit) = self.units.back_mut().filter(|u| u.stored_end.is_none()) else {
            return ReadMore::UnitEnd;
        };
        if self.start > COMPACT {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let had = self.buffer.len();
        let step = unpacker.step(&mut self.input, &mut self.buffer);
        let new = self.buffer.len() - had;
        unit.length += new as u64;
        unit.is_large |= step == Step::Data;
        if let Step::End { stored_end, fault } = step {
            unit.stored_end = Some(stored_end);
            self.set_fault(fault);
        }
        if new > 0 { ReadMore::Bytes } else { ReadMore::UnitEnd }
    }

    /// Opens the next unit. Beyond the stop it does so only if a record may continue in it.
    pub(crate) fn open(&mut self, inside_record: bool) -> OpenedUnit {
        let Some(unpacker) = &mut self.unpacker else {
            return OpenedUnit::None;
        };
        let mut gap = None;
        loop {
            if !inside_record && self.input.offset() >= self.stop {
                break;
            }
            match unpacker.step(&mut self.input, &mut self.buffer) {
                Step::Begin { offset, notes } => {
                    self.opened += 1;
                    let begin = self.units.back().map_or(0, Unit::end);
                    self.units.push_back(Unit::new(offset, begin, notes));
                    return gap.map_or(OpenedUnit::Adjoining, OpenedUnit::AfterGap);
                }
                Step::Gap {
                    offset,
                    length,
                    reason,
                    note,
                } => {
                    let lost = reason.map_or_else(Vec::new, |reason| lost(self.zip, offset..offset + length, reason));
                    self.bytes.pass(length, &lost);
                    if !lost.is_empty() {
                        gap = reason;
                    }
                    self.skipped.extend(lost);
                    self.notes.extend(note);
                }
                Step::Data | Step::End { .. } => {}
                Step::Eof => break,
            }
        }
        gap.map_or(OpenedUnit::None, OpenedUnit::AfterGap)
    }

    /// Brings some bytes into view and opens units as needed; `false` at the end or at the stop.
    pub(crate) fn read_next(&mut self) -> bool {
        loop {
            match self.read_more() {
                ReadMore::Bytes => return true,
                ReadMore::Eof => return false,
                ReadMore::UnitEnd => {
                    self.skip(0, PassedAs::Padding);
                    if self.open(false) == OpenedUnit::None {
                        return false;
                    }
                }
            }
        }
    }

    /// Skips `n` bytes in view and counts them as this kind.
    pub(crate) fn skip(&mut self, n: usize, kind: PassedAs) {
        if self.unpacker.is_none() {
            let (offset, length) = (self.input.offset(), n as u64);
            match kind {
                PassedAs::Record => self.bytes.framed += length,
                PassedAs::Padding => self.bytes.padding += length,
                PassedAs::Garbage => self
                    .bytes
                    .pass(length, &lost(self.zip, offset..offset + length, Fault::Garbage)),
            }
            self.input.consume(n);
            return;
        }
        self.start += n;
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
        let mut left = n as u64;
        while let Some(unit) = self.units.front_mut() {
            let take = left.min(unit.length - unit.passed);
            unit.passed += take;
            left -= take;
            match kind {
                PassedAs::Record => unit.framed |= take > 0,
                PassedAs::Garbage => unit.garbage += take,
                PassedAs::Padding => {}
            }
            match unit.stored_end {
                Some(end) if unit.passed == unit.length => self.close_front(end),
                _ => break,
            }
        }
    }

    /// Counts the stored bytes of the front unit, which has been passed.
    fn close_front(&mut self, stored_end: u64) {
        let number = self.first_number();
        let Some(unit) = self.units.pop_front() else { return };
        if unit.fault.is_some() && self.faulty.front() == Some(&number) {
            self.faulty.pop_front();
        }
        self.passed_end = stored_end;
        let length = stored_end - unit.offset;
        let reason = unit.fault.unwrap_or(Fault::Garbage);
        if unit.framed {
            self.notes.extend(unit.notes.iter().filter(|note| *note != OF_RECORDS));
            self.bytes.framed += length;
            // Perhaps no failed record reports the damage to the unit.
            let is_unnoticed = unit.fault.is_some() && (unit.is_large || unit.notice == Notice::Doubt);
            if unit.garbage > 0 || is_unnoticed && unit.notice != Notice::Failure {
                self.skipped.push_back(Skipped {
                    offset: unit.offset,
                    stored_length: length,
                    decoded_length: Some(unit.garbage),
                    reason,
                });
            }
        } else if unit.garbage > 0 || unit.fault.is_some() {
            self.bytes.skipped += length;
            self.skipped.push_back(Skipped {
                offset: unit.offset,
                stored_length: length,
                decoded_length: None,
                reason,
            });
        } else {
            self.bytes.padding += length;
        }
    }

    /// Reports bytes of a plain archive that were skipped as garbage.
    pub(crate) fn report_garbage(&mut self, offset: u64, length: u64, reason: Fault) {
        self.skipped.extend(lost(self.zip, offset..offset + length, reason));
    }

    /// Stored end of what the first `n` bytes in view came from; `None` where their last unit is still open.
    pub(crate) fn stored_end(&self, n: usize) -> Option<u64> {
        if self.unpacker.is_none() {
            return Some(self.input.offset() + n as u64);
        }
        let end = self.place(n)?;
        let last = self.units.partition_point(|unit| unit.end() < end);
        self.units.get(last)?.stored_end
    }

    /// Stored end of the unit of the byte that was passed last; `None` where its unit is still open.
    pub(crate) fn passed_end(&self) -> Option<u64> {
        match (self.units.front(), self.unpacker.is_some()) {
            (Some(unit), true) if unit.passed > 0 => unit.stored_end,
            (_, true) => Some(self.passed_end),
            (_, false) => Some(self.input.offset()),
        }
    }

    /// The notes of a record in the first `n` bytes in view that come from its units.
    pub(crate) fn unit_notes(&self, n: usize) -> Notes {
        let mut notes = Notes::default();
        let end = self.place(n.max(1)).unwrap_or_default();
        let mut units = self.units.iter().take_while(|unit| unit.begin < end);
        if units.any(|unit| unit.notes.has(OF_RECORDS)) {
            notes.add(OF_RECORDS);
        }
        notes
    }

    /// Where the first `n` bytes in view end, counted as [`Unit::begin`] is; `None` where there is no unit.
    fn place(&self, n: usize) -> Option<u64> {
        self.units.front().map(|unit| unit.begin + unit.passed + n as u64)
    }

    /// The number of the first unit in the queue.
    fn first_number(&self) -> u64 {
        self.opened - self.units.len() as u64
    }

    /// The damage in the unit that was opened last.
    pub(crate) fn last_fault(&self) -> Option<Fault> {
        self.units.back().and_then(|unit| unit.fault)
    }

    /// Whether all that was read came out of one unit.
    pub(crate) fn is_one_unit(&self) -> bool {
        self.unpacker.is_some() && self.opened == 1
    }

    /// Stored bytes that the reader has passed, if they are still in memory.
    pub(crate) fn stored(&self, offset: u64, length: u64) -> Option<&[u8]> {
        self.input.past(offset, length)
    }

    /// Why reading ended early, that of a first pass included.
    pub(crate) fn take_error(&mut self) -> Option<std::io::Error> {
        self.error.take().or_else(|| self.input.take_error())
    }

    /// Returns the buffer, emptied, so that it can be used again.
    pub(crate) fn into_buffer(mut self) -> Vec<u8> {
        self.buffer.clear();
        self.buffer
    }
}
