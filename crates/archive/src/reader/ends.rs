//! Where a record ends: by its length, by what stands there instead, or past a block that is not held.

use super::witness::{self, Next, stripped};
use super::{Bound, Framed, Parts, Records, line_ends};
use crate::RECORD_LIMIT;
use crate::decoded::{Kind, Position};
use crate::fault::{Fault, Note, Notes};
use crate::framing::{Framing, START};

/// How going past a block ended.
#[derive(PartialEq, Eq)]
enum Gone {
    /// Where its length says.
    Whole,
    /// Before, at a record's start.
    AtRecord,
    /// Before, at damage or at the archive's end.
    Cut,
}

/// What says that a record ends somewhere.
#[derive(PartialEq, Eq)]
enum Boundary {
    /// The next record starts there, or the unit ends.
    Sure,
    /// Two line ends, and behind them neither: they part records, and paragraphs of pages.
    Doubtful,
    None,
}

/// Where a record's block ends, and all of it.
type Ends = (usize, usize);

impl Records<'_> {
    /// A record with a length that can be held.
    pub(super) fn sized(&mut self, position: Position, header: usize, mut notes: Notes, length: usize) -> Framed {
        let declared = header.saturating_add(length);
        let have = self.reach(declared);
        let mut failure = None;
        let (block_end, end) = if have < declared {
            let inner = || self.framing.find(&self.source.data()[..have], header);
            match self.bound {
                Some((_, Bound::Damage(fault))) => {
                    failure = Some(fault);
                    (have, have)
                }
                Some((_, Bound::Record)) => {
                    let end = inner().unwrap_or(have);
                    let block_end = stripped(self.source.data(), header, end, 2);
                    // The length is wrong for certain; whether the block is good, only a digest can tell.
                    match witness::speaks_for(self.framing, &self.source.data()[..end], header, block_end) {
                        Some(false) => failure = Some(Fault::Digest),
                        _ => notes.add(Note::LengthMismatch),
                    }
                    (block_end, end)
                }
                _ if inner().is_some() => return self.abandon(position, header, notes, Fault::BadLength),
                _ => {
                    let data = &self.source.data()[..have];
                    match witness::end_by_digest(self.framing, data, header) {
                        Some(block_end) => {
                            notes.add(Note::LengthMismatch);
                            (block_end, have)
                        }
                        None => {
                            failure = Some(Fault::TruncatedInput);
                            (have, have)
                        }
                    }
                }
            }
        } else if self.ends_at(header, declared) {
            (declared, declared)
        } else {
            let (ends, reason) = self.mismatch(position, header, declared);
            failure = reason;
            if failure.is_none() && ends.1 != declared {
                notes.add(Note::LengthMismatch);
            }
            ends
        };
        let trailer = two_line_ends(&self.source.data()[end..self.in_view()]);
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

    /// Whether a record's length leads to its end.
    ///
    /// Blank lines stand in pages, too, and behind a hole the length may lead to one in a page far behind. So where nothing
    /// but a blank line says that the record ends, a digest must not speak against that, and where another record starts
    /// before, one must speak for it. What is looked through for such a start ends the record, or is all of it.
    fn ends_at(&mut self, header: usize, declared: usize) -> bool {
        match self.boundary(declared) {
            Boundary::Sure => return true,
            Boundary::None => return false,
            Boundary::Doubtful => {}
        }
        let have = self.reach_in_unit(declared + START).min(declared + START);
        let data = self.source.data();
        match self.framing.find(&data[..have], header).filter(|at| *at < declared) {
            // Who ends a header's lines with two bytes parts records so, too; pages are mostly written with one.
            None => match witness::speaks_for(self.framing, &data[..declared], header, declared) {
                None => !data[..header].ends_with(b"\r\n") || data[declared..].starts_with(b"\r\n\r\n"),
                Some(right) => right,
            },
            Some(inner) => {
                witness::is_worth_hashing(header, inner, declared)
                    && witness::speaks_for(self.framing, &data[..declared], header, declared) == Some(true)
            }
        }
    }

    /// What stands at `at`, where a record may end.
    fn boundary(&mut self, at: usize) -> Boundary {
        let have = self.reach_in_unit(at + START);
        let ends = line_ends(&self.source.data()[at..have.min(at + START)]);
        let have = self.reach_in_unit(at + ends + START);
        let (before, rest) = self.source.data()[..have].split_at(at + ends);
        let near = &before[at..];
        let is_warc = self.framing == Framing::Warc;
        let is_parted = is_warc && near[..two_line_ends(near)].iter().filter(|b| **b == b'\n').count() >= 2;
        let begins_line = is_warc || before.ends_with(b"\n");
        // The archive may end in the first line of a record.
        let starts = begins_line && self.framing.starts(rest) || is_parted && self.framing.may_start(rest);
        match (rest.is_empty() || starts, is_parted) {
            (true, _) => Boundary::Sure,
            (false, true) => Boundary::Doubtful,
            (false, false) => Boundary::None,
        }
    }

    /// Where a record ends whose length leads to no boundary, and why it failed if it did. Its length may be wrong; or
    /// what stood behind its first bytes is gone, and what stands there now is of other records. It is cut or extended
    /// only where there is a witness for that.
    fn mismatch(&mut self, position: Position, header: usize, declared: usize) -> (Ends, Option<Fault>) {
        let next = self.next_start(header, declared, position.offset_in_member == 0);
        let data = self.source.data();
        let found = next.place();
        // Damage may garble data long before it is found.
        if let Some((fault, _)) = self.source.fault(declared.max(found.unwrap_or(declared))) {
            let end = found.unwrap_or(declared);
            return ((end, end), Some(fault));
        }
        match witness::block_end(self.framing, data, header, declared, next) {
            Ok(block_end) if block_end == declared => ((declared, declared), None),
            Ok(block_end) => ((block_end, found.unwrap_or(block_end)), None),
            Err(reason) => {
                let end = found.unwrap_or(declared).min(declared);
                ((end, end), Some(reason))
            }
        }
    }

    /// What a record could end at, other than at the place that its length leads to: the next record's start, or its
    /// unit's end.
    fn next_start(&mut self, header: usize, declared: usize, begins_unit: bool) -> Next {
        const STEP: usize = 256 << 10;
        let most = (declared + START).max(header.saturating_add(self.limit as usize));
        let mut from = header;
        loop {
            let have = self.reach_in_unit(from + STEP).min(most);
            if let Some(at) = self.framing.find(&self.source.data()[..have], from) {
                return Next::Record(at);
            }
            if have < from + STEP {
                return match begins_unit {
                    _ if have == most => Next::Nothing,
                    _ if self.source.is_plain() => Next::ArchiveEnd(have),
                    true => Next::Alone(have),
                    false => Next::UnitEnd(have),
                };
            }
            from = have - START;
        }
    }

    /// A record without a usable length: reading goes on at the next record's start.
    pub(super) fn abandon(&mut self, position: Position, header: usize, notes: Notes, reason: Fault) -> Framed {
        self.discard(position, header, u64::MAX, notes, reason)
    }

    /// Goes past a record's block, at most `length` bytes of it, without holding it.
    pub(super) fn discard(
        &mut self,
        position: Position,
        header: usize,
        length: u64,
        notes: Notes,
        reason: Fault,
    ) -> Framed {
        let header = header.min(self.in_view());
        self.head.clear();
        self.head.extend_from_slice(&self.source.data()[..header]);
        self.go_past(header, Kind::Record);
        let (gone, fault) = self.pass_up_to(length);
        if gone == Gone::Whole {
            let have = self.reach_in_unit(4);
            self.go_past(two_line_ends(&self.source.data()[..have]), Kind::Record);
        }
        let failure = match (fault, gone) {
            (Some(fault), _) => fault,
            (None, Gone::AtRecord) if reason == Fault::TooLarge => Fault::BadLength,
            (None, Gone::Cut) if reason == Fault::TooLarge => Fault::TruncatedInput,
            (None, _) => reason,
        };
        let stored_length = self
            .source
            .passed_end()
            .map_or(0, |end| end.saturating_sub(position.offset));
        Framed {
            position,
            stored_length,
            parts: None,
            notes,
            failure: Some(failure),
        }
    }

    /// Goes past `length` bytes, but only up to a record's start that says that the length is wrong; tells the damage
    /// on the way.
    fn pass_up_to(&mut self, length: u64) -> (Gone, Option<Fault>) {
        const STEP: usize = 1 << 20;
        let mut left = length;
        let mut fault = None;
        let mut from = 0;
        loop {
            let have = self.reach(STEP);
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(have);
            fault = fault.or(self.source.fault(most).map(|(fault, _)| fault));
            if let Some(at) = self.framing.find(&self.source.data()[..most], from) {
                self.go_past(at, Kind::Record);
                left -= at as u64;
                if !self.ends_after(left) {
                    return (Gone::AtRecord, fault);
                }
                self.go_past(left as usize, Kind::Record);
                return (Gone::Whole, fault);
            }
            if most as u64 == left {
                self.go_past(most, Kind::Record);
                return (Gone::Whole, fault);
            }
            if have < STEP {
                let bound = self.bound.map(|(_, bound)| bound);
                self.go_past(have, Kind::Record);
                return match bound {
                    Some(Bound::Record) => (Gone::AtRecord, fault),
                    Some(Bound::Damage(reason)) => (Gone::Cut, fault.or(Some(reason))),
                    _ => (Gone::Cut, fault),
                };
            }
            self.go_past(have - START, Kind::Record);
            left -= (have - START) as u64;
            // What stands at the position was looked at.
            from = 1;
        }
    }

    /// Whether the record surely ends in exactly `left` bytes, as far as can be looked ahead: then a record's start inside it
    /// belongs to its block, which may itself be an archive.
    fn ends_after(&mut self, left: u64) -> bool {
        left <= RECORD_LIMIT
            && self.reach(left as usize) as u64 >= left
            && self.boundary(left as usize) == Boundary::Sure
    }
}

/// Length of the line ends that `data` starts with, two at most: those that part records.
fn two_line_ends(data: &[u8]) -> usize {
    let line_end = |data: &[u8]| match data {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    };
    let first = line_end(data);
    first + line_end(&data[first..])
}
