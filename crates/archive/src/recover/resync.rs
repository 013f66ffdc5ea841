//! Skipping a block that is too large to hold, or whose length is not known, up to the next record.

use crate::RECORD_LIMIT;
use crate::decoded::PassedAs;
use crate::fault::Fault;
use crate::framing::START;
use crate::view::{Bound, Boundary, FramedRecord, RecordStart, RecordView, two_line_ends};

/// Where the skipping of a block stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SkipEnd {
    /// Where its length leads to.
    BlockEnd,
    /// Earlier, at a record's start.
    Record,
    /// Earlier, at damage or at the archive's end.
    Cut,
}

/// Fails a record without a usable length. Reading continues at the next record's start.
pub(crate) fn fail_and_resync(view: &mut RecordView<'_>, start: RecordStart, reason: Fault) -> FramedRecord {
    skip_block(view, start, u64::MAX, reason)
}

/// Fails a record and skips its block of at most `length` bytes without holding it.
pub(crate) fn skip_block(view: &mut RecordView<'_>, start: RecordStart, length: u64, reason: Fault) -> FramedRecord {
    view.skip(start.header_length(), PassedAs::Record);
    let (stop, fault) = skip_up_to(view, length);
    if stop == SkipEnd::BlockEnd {
        view.ensure_in_unit(4);
        let trailer = two_line_ends(view.data());
        view.skip(trailer, PassedAs::Record);
    }
    let failure = match (fault, stop) {
        (Some(fault), _) => fault,
        (None, SkipEnd::Record) if reason == Fault::TooLarge => Fault::BadLength,
        (None, SkipEnd::Cut) if reason == Fault::TooLarge => Fault::TruncatedInput,
        (None, _) => reason,
    };
    let end = view.decoded.passed_end();
    let offset = start.position.offset;
    FramedRecord {
        start,
        stored_length: end.map_or(0, |end| end.saturating_sub(offset)),
        block: (0, 0),
        length: 0,
        failure: Some(failure),
    }
}

/// Skips `length` bytes, or fewer if a record's start among them shows that the length is wrong. Returns the damage on
/// the way, too.
fn skip_up_to(view: &mut RecordView<'_>, length: u64) -> (SkipEnd, Option<Fault>) {
    const STEP: usize = 1 << 20;
    let mut left = length;
    let mut fault = None;
    let mut from = 0;
    loop {
        let have = view.ensure(STEP);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(have);
        fault = fault.or(view.decoded.fault(most));
        if let Some(at) = view.framing.find(&view.data()[..most], from) {
            view.skip(at, PassedAs::Record);
            left -= at as u64;
            if !ends_after(view, left) {
                return (SkipEnd::Record, fault);
            }
            view.skip(left as usize, PassedAs::Record);
            return (SkipEnd::BlockEnd, fault);
        }
        if most as u64 == left {
            view.skip(most, PassedAs::Record);
            return (SkipEnd::BlockEnd, fault);
        }
        if have < STEP {
            let bound = view.bound();
            view.skip(have, PassedAs::Record);
            return match bound {
                Some(Bound::Record) => (SkipEnd::Record, fault),
                Some(Bound::Damage(reason)) => (SkipEnd::Cut, fault.or(Some(reason))),
                _ => (SkipEnd::Cut, fault),
            };
        }
        view.skip(have - START, PassedAs::Record);
        left -= (have - START) as u64;
        // The bytes at the position were looked at.
        from = 1;
    }
}

/// Whether the block surely ends in exactly `left` bytes, as far as can be looked ahead. Then a record's start inside
/// it belongs to it; the block may itself be an archive.
fn ends_after(view: &mut RecordView<'_>, left: u64) -> bool {
    left <= RECORD_LIMIT && view.ensure(left as usize) as u64 >= left && view.boundary(left as usize) == Boundary::Sure
}
