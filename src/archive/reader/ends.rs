//! Where a record ends: by its length, by what stands there instead, or past a block that is not held.

use super::{Bound, Framed, Parts, RecordReader, line_ends};
use crate::archive::RECORD_LIMIT;
use crate::archive::framing::{Framing, START};
use crate::archive::source::{Kind, Position};
use crate::reason::{Failed, Note, Notes};

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

impl RecordReader<'_> {
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
                    notes.add(Note::LengthMismatch);
                    let end = inner().unwrap_or(have);
                    (stripped(self.source.data(), header, end), end)
                }
                _ if inner().is_some() => return self.abandon(position, header, notes, Failed::BadLength),
                _ => {
                    failure = Some(Failed::TruncatedInput);
                    (have, have)
                }
            }
        } else if self.is_boundary(declared) {
            (declared, declared)
        } else {
            let (block_end, end) = self.mismatch(header, declared);
            match self.source.fault(declared.max(end)) {
                // Damage may garble data long before it is found.
                Some((fault, _)) => failure = Some(fault),
                None if end != declared => notes.add(Note::LengthMismatch),
                None => {}
            }
            (block_end, end)
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

    /// Whether a record may end at `at`: before two line ends, the next record, or the end of the unit.
    fn is_boundary(&mut self, at: usize) -> bool {
        let have = self.reach_in_unit(at + 4);
        let near = &self.source.data()[at..have];
        let lines = near[..two_line_ends(near)].iter().filter(|b| **b == b'\n').count();
        if self.framing == Framing::Warc && lines >= 2 {
            return true;
        }
        let have = self.reach_in_unit(at + START);
        let ends = line_ends(&self.source.data()[at..have.min(at + START)]);
        let have = self.reach_in_unit(at + ends + START);
        let data = &self.source.data()[..have];
        let begins_line = data[at + ends - 1] == b'\n';
        at + ends == have || ((begins_line || self.framing == Framing::Warc) && self.framing.starts(&data[at + ends..]))
    }

    /// Where a record ends (its block, and all of it) whose length leads to no boundary: at the next record's start, or
    /// at its unit's end. In a plain archive without a next record nothing says where it ends instead, so the length
    /// stands and garbage follows.
    fn mismatch(&mut self, header: usize, declared: usize) -> (usize, usize) {
        const STEP: usize = 256 << 10;
        let most = (declared + START).max(header.saturating_add(self.limit as usize));
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
        (stripped(self.source.data(), header, found), found)
    }

    /// A record without a usable length: reading goes on at the next record's start.
    pub(super) fn abandon(&mut self, position: Position, header: usize, notes: Notes, reason: Failed) -> Framed {
        self.discard(position, header, u64::MAX, notes, reason)
    }

    /// Goes past a record's block, at most `length` bytes of it, without holding it.
    pub(super) fn discard(
        &mut self,
        position: Position,
        header: usize,
        length: u64,
        notes: Notes,
        reason: Failed,
    ) -> Framed {
        let header = header.min(self.in_view());
        self.head.clear();
        self.head.extend_from_slice(&self.source.data()[..header]);
        self.pass_block(header);
        let (gone, fault) = self.pass_up_to(length);
        if gone == Gone::Whole {
            let have = self.reach_in_unit(4);
            self.pass_block(two_line_ends(&self.source.data()[..have]));
        }
        let failure = match (fault, gone) {
            (Some(fault), _) => fault,
            (None, Gone::AtRecord) if reason == Failed::TooLarge => Failed::BadLength,
            (None, Gone::Cut) if reason == Failed::TooLarge => Failed::TruncatedInput,
            (None, _) => reason,
        };
        let stored_length = self.source.passed_end().saturating_sub(position.offset);
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
    fn pass_up_to(&mut self, length: u64) -> (Gone, Option<Failed>) {
        const STEP: usize = 1 << 20;
        let mut left = length;
        let mut fault = None;
        let mut from = 0;
        loop {
            let have = self.reach(STEP);
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(have);
            fault = fault.or(self.source.fault(most).map(|(fault, _)| fault));
            if let Some(at) = self.framing.find(&self.source.data()[..most], from) {
                self.pass_block(at);
                left -= at as u64;
                if !self.ends_after(left) {
                    return (Gone::AtRecord, fault);
                }
                self.pass_block(left as usize);
                return (Gone::Whole, fault);
            }
            if most as u64 == left {
                self.pass_block(most);
                return (Gone::Whole, fault);
            }
            if have < STEP {
                let bound = self.bound.map(|(_, bound)| bound);
                self.pass_block(have);
                return match bound {
                    Some(Bound::Record) => (Gone::AtRecord, fault),
                    Some(Bound::Damage(reason)) => (Gone::Cut, fault.or(Some(reason))),
                    _ => (Gone::Cut, fault),
                };
            }
            self.pass_block(have - START);
            left -= (have - START) as u64;
            // What stands at the position was looked at.
            from = 1;
        }
    }

    /// Whether the record ends in exactly `left` bytes, as far as can be looked ahead: then a record's start inside it
    /// belongs to its block, which may itself be an archive.
    fn ends_after(&mut self, left: u64) -> bool {
        left <= RECORD_LIMIT && self.reach(left as usize) as u64 >= left && self.is_boundary(left as usize)
    }

    /// Goes past bytes of the current record at once.
    fn pass_block(&mut self, n: usize) {
        self.source.pass(n, Kind::Record);
        self.bound = self.bound.map(|(have, bound)| (have - n, bound));
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

/// The end of a block that goes up to `end`, without the two line ends that part records.
fn stripped(data: &[u8], start: usize, end: usize) -> usize {
    let mut block = &data[start..end];
    for _ in 0..2 {
        block = block.strip_suffix(b"\n").unwrap_or(block);
        block = block.strip_suffix(b"\r").unwrap_or(block);
    }
    start + block.len()
}
