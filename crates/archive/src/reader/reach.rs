//! How far the current record reaches into the bytes that follow, unit by unit.

use super::Records;
use crate::decoded::{Grow, Kind, Opened};
use crate::fault::Fault;
use crate::framing::START;

/// What keeps a record from having more bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The next record starts there.
    Record,
    /// Damage begins there.
    Damage(Fault),
    /// The archive ends there.
    End,
}

impl Records<'_> {
    /// Brings `n` bytes of the current record into view, if there are so many; says how many there are.
    ///
    /// A record may go on in the next unit, unless that one starts with a record or follows damage.
    pub(super) fn reach(&mut self, n: usize) -> usize {
        loop {
            let have = self.in_view();
            if have >= n || self.bound.is_some() {
                return have;
            }
            let bound = match self.source.grow() {
                Grow::Grew => continue,
                Grow::Eof => Bound::End,
                Grow::UnitEnd => match self.source.last_fault() {
                    Some(fault) => Bound::Damage(fault),
                    None => match self.next_unit(have) {
                        Some(bound) => bound,
                        None => continue,
                    },
                },
            };
            self.bound = Some((have, bound));
        }
    }

    /// Opens the next unit behind the `have` bytes in view; what keeps the current record from going on in it.
    fn next_unit(&mut self, have: usize) -> Option<Bound> {
        match self.source.open(true) {
            Opened::AfterGap(reason) => Some(Bound::Damage(reason)),
            Opened::None => Some(Bound::End),
            Opened::Adjoining => {
                while self.source.data().len() - have < START && self.source.grow() == Grow::Grew {}
                self.framing
                    .starts(&self.source.data()[have..])
                    .then_some(Bound::Record)
            }
        }
    }

    /// As [`Records::reach`], but not past the end of the unit.
    pub(super) fn reach_in_unit(&mut self, n: usize) -> usize {
        while self.bound.is_none() && self.source.data().len() < n && self.source.grow() == Grow::Grew {}
        self.in_view()
    }

    /// Goes past bytes in view, of what stands there, at once.
    pub(super) fn go_past(&mut self, n: usize, kind: Kind) {
        self.source.pass(n, kind);
        self.bound = self.bound.map(|(have, bound)| (have - n, bound));
    }

    /// How many of the bytes in view the current record may use.
    pub(super) fn in_view(&self) -> usize {
        self.bound.map_or(self.source.data().len(), |(have, _)| have)
    }
}
