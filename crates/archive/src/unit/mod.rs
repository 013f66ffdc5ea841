//! Stored bytes → decoded bytes, one compressed unit (gzip member, zstd frame) after the other.
//!
//! [`gzip`] (with [`inflate`], its fast way) and [`zstd`] decode in steps; [`unpacker`] is either of them. Both follow
//! one policy for damage, which is in this file: a unit that does not decode ends where the next unit starts that
//! decodes to a record, and bytes between units are reported as a gap.

pub(crate) mod gzip;
mod inflate;
pub(crate) mod unpacker;
pub(crate) mod zstd;

use crate::bytes::input::{Input, KEEP};
use crate::fault::{Fault, Note, Notes};
use crate::framing::{Framing, START};

/// Decoded bytes up to which a unit is decoded whole before its records are looked at. A page is seldom larger; a
/// larger unit is decoded piece by piece.
pub(crate) const WHOLE: usize = 8 << 20;

/// Decoded bytes of every further piece of a large unit.
pub(crate) const PIECE: usize = 1 << 20;

/// Decoded bytes that may be needed to recognise a record's start.
pub(crate) const PROBE: usize = START;

/// The result of one step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A unit begins at this stored offset; its data follow. The notes are on how it was written.
    Begin { offset: u64, notes: Notes },
    /// Data of the open unit were appended, and there is more.
    Data,
    /// Data may have been appended; the unit has ended before this stored offset.
    End { stored_end: u64, fault: Option<Fault> },
    /// Stored bytes that belong to no unit: padding where there is no reason, damage where there is one.
    Gap {
        offset: u64,
        length: u64,
        reason: Option<Fault>,
        note: Option<Note>,
    },
    /// The input is at its end.
    Eof,
}

/// How a scan for the next good unit recognises one.
pub(crate) trait Probe {
    /// The bytes that every unit starts with.
    const MAGIC: &'static [u8];

    /// Stored bytes that [`Probe::begins_record`] sees: a fixed number, so that every kind of source gives the same
    /// result.
    const LOOKAHEAD: usize;

    /// The fault of bytes between units.
    const GAP: Fault;

    /// Whether the stored bytes are a unit that decodes to the start of a record.
    fn begins_record(&mut self, stored: &[u8], framing: Framing) -> bool;
}

/// Moves the input to the first unit within `from..to` that decodes to a record, and returns its offset. If there is
/// none, moves it to `to` or to the end of the input.
pub(crate) fn seek_record<P: Probe>(
    probe: &mut P,
    input: &mut Input<'_>,
    from: u64,
    to: u64,
    framing: Framing,
) -> Option<u64> {
    let magic = memchr::memmem::Finder::new(P::MAGIC);
    input.seek(from);
    loop {
        // Bytes in memory show all of the rest, and every small unit in them may start such a search.
        let within = usize::try_from(to.saturating_sub(input.offset())).unwrap_or(usize::MAX);
        let view = input.peek_at_hand(P::LOOKAHEAD);
        let view = &view[..view.len().min(within.saturating_add(P::MAGIC.len() - 1))];
        let Some(at) = magic.find(view) else {
            // The last bytes may be the first of a magic.
            let keep = (P::MAGIC.len() - 1).min(view.len());
            let drop = view.len() - keep;
            input.consume(drop);
            if input.offset() < to && input.read_more() {
                continue;
            }
            let end = input.offset() + keep as u64;
            input.seek(end.min(to));
            return None;
        };
        input.consume(at);
        if input.offset() >= to {
            input.seek(to);
            return None;
        }
        let at_hand = input.peek_at_hand(P::LOOKAHEAD);
        let at_hand = &at_hand[..at_hand.len().min(P::LOOKAHEAD)];
        let is_whole = at_hand.len() == P::LOOKAHEAD;
        if probe.begins_record(at_hand, framing) || !is_whole && probe.begins_record(input.feed(P::LOOKAHEAD), framing)
        {
            return Some(input.offset());
        }
        input.consume(1);
    }
}

/// Where the search for the next unit starts after damage in one that began at `offset`: right after its start, or as
/// far back as the input reaches.
pub(crate) fn rescan_from(offset: u64, position: u64) -> u64 {
    (offset + 1).max(position.saturating_sub(KEEP as u64))
}

/// A gap from `offset` to the next record's unit (or the end of the input), with its reason.
///
/// Zeros or text after the last unit are padding: file systems and careless tools leave them.
pub(crate) fn gap<P: Probe>(
    probe: &mut P,
    input: &mut Input<'_>,
    framing: Framing,
    reason: Fault,
    note_tail: bool,
) -> Step {
    let offset = input.offset();
    let harmless = note_tail && harmless_tail(input, framing);
    input.seek(offset);
    if harmless {
        let length = input.view().len() as u64;
        input.consume(length as usize);
        return Step::Gap {
            offset,
            length,
            reason: None,
            note: Some(Note::TailPadding),
        };
    }
    let found = seek_record(probe, input, offset + 1, u64::MAX, framing).is_some();
    let reason = if found && reason == Fault::TruncatedInput {
        P::GAP
    } else {
        reason
    };
    Step::Gap {
        offset,
        length: input.offset() - offset,
        reason: Some(reason),
        note: None,
    }
}

/// Whether everything that is left is zeros, or text without a record, and short enough to be read whole.
fn harmless_tail(input: &mut Input<'_>, framing: Framing) -> bool {
    const MOST: usize = 1 << 20;
    let tail = input.feed(MOST + 1);
    let is_text = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    tail.len() <= MOST && (tail.iter().all(|&b| b == 0) || tail.iter().all(is_text) && framing.find(tail, 0).is_none())
}
