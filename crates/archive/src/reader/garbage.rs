//! What stands where a record should start and is none.

use super::{Advance, Records};
use crate::decoded::{Grow, Kind, Position, Skipped, TAIL, is_blank};
use crate::fault::{Fault, Note};
use crate::framing::START;

impl Records<'_> {
    /// Goes past bytes that are no record, to the next record start or the end of the unit.
    pub(super) fn garbage(&mut self) -> Option<Skipped> {
        if let Some(n) = self.blank_tail() {
            self.source.pass(n, Kind::Padding);
            self.source.notes.push(Note::TailPadding);
            return None;
        }
        let offset = self.source.position().offset;
        let mut length = 0;
        loop {
            // What stands at the position is no record, or was looked at before. Where the next unit was opened and starts
            // with one, that is behind the bound, and need not begin a line.
            let have = self.in_view();
            let found = self.framing.find(&self.source.data()[..have], 1);
            let n = found.unwrap_or(have.saturating_sub(START));
            self.go_past(n, Kind::Garbage);
            length += n as u64;
            if found.is_some() {
                break;
            }
            if self.bound.is_some() || self.source.grow() != Grow::Grew {
                let rest = self.in_view();
                self.go_past(rest, Kind::Garbage);
                length += rest as u64;
                break;
            }
        }
        self.skipped(offset, length, Fault::Garbage)
    }

    /// Length of the zeros or white space in view that reach to the unit's end, where nothing else follows them up to
    /// the archive's.
    fn blank_tail(&mut self) -> Option<usize> {
        if !is_blank(&self.source.data()[..1]) {
            return None;
        }
        self.reach_in_unit(TAIL + 1);
        let have = self.source.in_unit();
        (have <= TAIL && is_blank(&self.source.data()[..have]) && self.source.is_blank_behind()).then_some(have)
    }

    /// Goes past a header that is cut off: a record is framed only when its header was recognised to the end.
    pub(super) fn headless(&mut self, position: Position, length: usize, reason: Fault) -> Option<Advance> {
        self.source.pass(length, Kind::Garbage);
        self.skipped(position.offset, length as u64, reason)
            .map(Advance::Skipped)
    }

    /// A range of a plain archive. In a compressed one the unit is reported when it closes, with its stored length.
    fn skipped(&self, offset: u64, length: u64, reason: Fault) -> Option<Skipped> {
        self.source.is_plain().then_some(Skipped {
            offset,
            length,
            stored_length: length,
            inside: false,
            reason,
        })
    }
}
