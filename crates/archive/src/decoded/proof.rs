//! How far the bytes of a compressed unit are proven, while its records are given.
//!
//! A unit's checksum is at its end. A small unit is decoded whole before its first record is given, so whether it is
//! right is known in time. A large one is decoded piece by piece. If its bytes can be read again, a first pass decodes
//! it once to its end and keeps nothing; else its records must be given before the checksum was seen. There is none for
//! a unit of one large record, because such a record is given when the end was seen.

use std::sync::atomic::Ordering;

use super::{Decoded, Notice, Unit};
use crate::fault::{Fault, Note};
use crate::unit::Step;
use crate::unit::unpacker::Unpacker;

/// How many bytes of a mapped file a first pass may leave in memory.
const RELEASE: u64 = 64 << 20;

/// The result of a first pass over a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstPass {
    /// There was none.
    None,
    /// None is possible.
    Impossible,
    /// The unit is whole and its checksum right.
    Good,
    /// The unit is damaged and gives this many bytes.
    Damaged { length: u64 },
}

/// The damage of a unit that holds a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damage {
    pub(crate) fault: Fault,
    /// How many decoded bytes the unit gives after the record.
    pub(crate) bytes_after: u64,
    /// Whether the unit is decoded piece by piece.
    pub(crate) is_large: bool,
    /// The note on a record of the unit that nothing proves.
    pub(crate) unchecked: Note,
}

/// Whether there is reason to doubt the bytes of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doubt {
    None,
    /// Its unit is damaged.
    Damaged(Damage),
    /// The checksum of its unit was not seen yet. The note is that on a record that nothing proves.
    Unseen(Note),
    /// Its unit is decoded piece by piece, and its checksum is right.
    Settled,
}

impl Decoded<'_> {
    /// Whether there is reason to doubt the first `n` bytes in view, which are a record. If their checksum was not seen
    /// yet, a first pass finds out, where it can.
    pub(crate) fn doubt(&mut self, n: usize) -> Doubt {
        let doubt = self.doubt_so_far(n);
        let passes_first = self.passes_first && self.units.back().is_some_and(|u| u.first_pass == FirstPass::None);
        if !passes_first || !matches!(doubt, Doubt::Unseen(_)) {
            return doubt;
        }
        let found = self.first_pass();
        if let Some(unit) = self.units.back_mut() {
            unit.first_pass = match found {
                None => FirstPass::Impossible,
                Some((None, _)) => FirstPass::Good,
                Some((Some(_), length)) => FirstPass::Damaged { length },
            };
        }
        self.set_fault(found.and_then(|(fault, _)| fault));
        self.doubt_so_far(n)
    }

    fn doubt_so_far(&self, n: usize) -> Doubt {
        if let Some(damage) = self.damage(n) {
            return Doubt::Damaged(damage);
        }
        let is_part_of = |unit: &&Unit| unit.is_large && self.place(n).is_some_and(|end| unit.begin < end);
        let Some(unit) = self.units.back().filter(is_part_of) else {
            return Doubt::None;
        };
        let is_known = matches!(unit.first_pass, FirstPass::Good | FirstPass::Damaged { .. });
        if is_known || unit.stored_end.is_some() {
            Doubt::Settled
        } else {
            Doubt::Unseen(self.unchecked())
        }
    }

    /// The fault of the first damaged unit that the first `n` bytes in view come from.
    pub(crate) fn fault(&self, n: usize) -> Option<Fault> {
        self.damage(n).map(|damage| damage.fault)
    }

    fn damage(&self, n: usize) -> Option<Damage> {
        let unit = self.units.get(self.first_faulty(n)?)?;
        let unit_end = match unit.first_pass {
            FirstPass::Damaged { length } => unit.begin + length,
            _ => unit.end(),
        };
        Some(Damage {
            fault: unit.fault?,
            bytes_after: unit_end.saturating_sub(self.place(n)?),
            is_large: unit.is_large,
            unchecked: self.unchecked(),
        })
    }

    /// The place in the queue of the first damaged unit that the first `n` bytes in view come from.
    fn first_faulty(&self, n: usize) -> Option<usize> {
        let index = (self.faulty.front()? - self.first_number()) as usize;
        let end = self.place(n)?;
        (index == 0 || self.units.get(index)?.begin < end).then_some(index)
    }

    /// Notes what becomes of the record of the first `n` bytes in view, so that the account names each damaged unit.
    pub(crate) fn judge(&mut self, n: usize, checked: Result<Option<Note>, Fault>) {
        let Some(index) = self.first_faulty(n) else { return };
        let unchecked = self.unchecked();
        let Some(unit) = self.units.get_mut(index) else { return };
        let notice = match checked {
            Err(fault) if unit.fault == Some(fault) => Notice::Failure,
            Ok(Some(note)) if note == unchecked => Notice::Doubt,
            _ => Notice::Nothing,
        };
        unit.notice = unit.notice.max(notice);
    }

    /// The note on a record that nothing proves.
    fn unchecked(&self) -> Note {
        match self.unpacker {
            Some(Unpacker::Zstd(_)) => Note::ZstdUnchecked,
            _ => Note::GzipUnchecked,
        }
    }

    /// Sets the fault of the unit that was opened last, unless it is known already.
    pub(super) fn set_fault(&mut self, fault: Option<Fault>) {
        if let Some(unit) = self.units.back_mut().filter(|unit| unit.fault.is_none())
            && fault.is_some()
        {
            unit.fault = fault;
            self.faulty.push_back(self.opened - 1);
        }
    }

    /// Decodes the open unit once to its end. Returns its fault, if it has one, and its length; `None` where its bytes
    /// cannot be read again, or it has no checksum.
    fn first_pass(&mut self) -> Option<(Option<Fault>, u64)> {
        let unit = self.units.back().filter(|unit| !unit.notes.has(super::OF_RECORDS))?;
        let mut input = self.input.again(unit.offset)?;
        let (mut released, mut length) = (unit.offset, 0);
        let mut unpacker = self.unpacker.as_ref()?.another();
        let mut piece = Vec::new();
        loop {
            if self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.error = Some(std::io::ErrorKind::Interrupted.into());
                return None;
            }
            let step = unpacker.step(&mut input, &mut piece);
            length += piece.len() as u64;
            piece.clear();
            if input.offset() > released + RELEASE {
                input.release_from(released);
                released = input.offset();
            }
            match step {
                Step::Begin { .. } | Step::Data => {}
                // Bytes that cannot be read now cannot be read later either.
                Step::End { fault, .. } => return input.take_error().is_none().then_some((fault, length)),
                // The bytes have changed meanwhile.
                Step::Gap { .. } | Step::Eof => return None,
            }
        }
    }
}
