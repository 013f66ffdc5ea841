//! Finds out whether only blanks are left of an archive.

use super::Decoded;
use crate::bytes::input::Input;
use crate::unit::Step;
use crate::unit::unpacker::Unpacker;

/// Most blanks of a harmless tail, in stored bytes and in one unit. If there are more, something else is wrong.
pub(crate) const TAIL: usize = 1 << 20;

/// Zeros and white space, as file systems and careless tools leave them.
pub(crate) fn is_blank(data: &[u8]) -> bool {
    data.iter().all(|b| *b == 0 || b.is_ascii_whitespace())
}

impl Decoded<'_> {
    /// How many of the bytes in view are of the unit at the reading position; in a plain archive all are.
    pub(crate) fn in_unit(&self) -> usize {
        match self.units.front() {
            Some(unit) => (unit.length - unit.passed) as usize,
            None => self.data().len(),
        }
    }

    /// Whether nothing but blanks and padding follows the unit at the reading position, up to the archive's end. What
    /// follows is decoded apart, so that the reader's own state does not change.
    pub(crate) fn is_blank_after(&mut self) -> bool {
        let Some(unpacker) = &self.unpacker else { return true };
        let whole = self.units.front().filter(|unit| unit.fault.is_none());
        let Some(end) = whole.and_then(|unit| unit.stored_end) else {
            return false;
        };
        // Each of a flood of blank units asks this, so the answers are kept.
        if end < self.not_blank_before || self.blank_from.is_some_and(|from| from <= end) {
            return end >= self.not_blank_before;
        }
        let unpacker = unpacker.another();
        let position = self.input.offset();
        // An input can go back as far as this, and no further.
        if position > end + TAIL as u64 {
            return false;
        }
        self.input.seek(end);
        let rest = self.input.feed(TAIL + 1);
        let found = (rest.len() <= TAIL).then(|| first_not_blank(unpacker, rest));
        self.input.seek(position);
        match found {
            Some(Some(at)) => self.not_blank_before = end + at + 1,
            Some(None) => self.blank_from = Some(end),
            None => {}
        }
        found == Some(None)
    }
}

/// Offset of the first unit or gap in stored bytes that is not blank.
fn first_not_blank(mut unpacker: Unpacker, rest: &[u8]) -> Option<u64> {
    let mut input = Input::slice(rest, 0);
    let mut decoded = Vec::new();
    let mut unit = 0;
    loop {
        match unpacker.step(&mut input, &mut decoded) {
            Step::Begin { offset, .. } => unit = offset,
            Step::End { fault: None, .. } if decoded.len() <= TAIL && is_blank(&decoded) => decoded.clear(),
            Step::Data | Step::End { .. } => return Some(unit),
            Step::Gap {
                offset,
                reason: Some(_),
                ..
            } => return Some(offset),
            Step::Gap { .. } => {}
            Step::Eof => return None,
        }
    }
}
