//! The rules of leniency, where a record does not fit.
//!
//! - *A length that leads to a boundary* is right. A boundary is two line ends, the next record, or the end of the
//!   member or frame. Two line ends alone are no boundary if a digest does not match, or if another record starts
//!   before them and no digest matches.
//! - *A length that leads to no boundary:* the record is cut or extended to the next record's start, with the note
//!   `length_mismatch`, if there is [`evidence`] for that. Otherwise it fails. If its member or frame is damaged, it
//!   fails with that one's reason.
//! - *No usable length*, or one that leads past the end of the archive and over other records: the record fails as
//!   `bad_length`, and reading continues at the next record's start ([`resync`]).
//! - *The archive ends inside the record:* it fails as `truncated_input`, unless its digest shows that it is whole, or,
//!   if it has none, its HTTP length. Then it bears the note `length_mismatch`.
//! - *Damage inside a member or frame:* the record that it cuts off fails with the member's reason. Records before it
//!   are accepted as far as [`damage`] allows.
//! - *Bytes that are no record* are skipped up to the next record's start ([`garbage`]).
//!
//! A record that is cut off inside its header is not framed: its bytes are skipped.

mod damage;
mod evidence;
mod garbage;
mod resync;

pub(crate) use damage::accept;
pub(crate) use garbage::skip_garbage;
pub(crate) use resync::{fail_and_resync, skip_block};

use self::evidence::{Candidate, Evidence, without_line_ends};
use self::garbage::truncated_header;
use super::framing::START;
use super::view::{Bound, Boundary, FramedRecord, RecordStart, RecordView};
use crate::fault::{Fault, Note};

/// Why a header cannot be read.
pub(crate) enum HeaderFault {
    /// It does not end within its limit.
    TooLong,
    /// It stops after `length` bytes.
    Truncated { length: usize, reason: Fault },
}

impl HeaderFault {
    /// The fault of a header that does not end in the bytes that the record can have.
    pub(crate) fn ended(view: &RecordView<'_>) -> Self {
        let reason = match view.bound() {
            Some(Bound::Damage(fault)) => fault,
            _ => Fault::TruncatedInput,
        };
        let length = view.len();
        Self::Truncated { length, reason }
    }
}

/// Goes past a record whose header cannot be read. If the header is too long, the record fails, and its first bytes
/// serve as the header. If it is truncated, the record is not framed, and its bytes are skipped.
pub(crate) fn unreadable_header(view: &mut RecordView<'_>, fault: HeaderFault) -> Option<FramedRecord> {
    match fault {
        HeaderFault::TooLong => {
            let start = RecordStart::parse(view, START.min(view.len()));
            Some(fail_and_resync(view, start, Fault::HeaderTooLong))
        }
        HeaderFault::Truncated { length, reason } => {
            truncated_header(view, length, reason);
            None
        }
    }
}

/// Finds the end of a record if its length does not surely lead to one. `declared` is where it leads to, in bytes from
/// the record's start; `limit` is the largest block that is held, in bytes.
pub(crate) fn find_end(view: &mut RecordView<'_>, mut start: RecordStart, declared: usize, limit: u64) -> FramedRecord {
    if view.ensure(declared) < declared {
        return end_too_early(view, start);
    }
    if view.boundary(declared) == Boundary::Doubtful && is_end(view, &start, declared) {
        return view.frame(start, declared, declared, None);
    }
    let candidate = next_start(view, &start, declared, limit);
    let found = candidate.place();
    // Damage may garble data long before it is noticed.
    if let Some(fault) = view.decoded.fault(declared.max(found.unwrap_or(declared))) {
        let end = found.unwrap_or(declared);
        return view.frame(start, end, end, Some(fault));
    }
    match Evidence::new(&start.header, view.data()).block_end(declared, candidate) {
        Ok(block_end) if block_end == declared => view.frame(start, declared, declared, None),
        Ok(block_end) => {
            let end = found.unwrap_or(block_end);
            if end != declared {
                start.notes.add(Note::LengthMismatch);
            }
            view.frame(start, block_end, end, None)
        }
        Err(fault) => {
            let end = found.unwrap_or(declared).min(declared);
            view.frame(start, end, end, Some(fault))
        }
    }
}

/// Frames a record whose bytes end before its length does.
fn end_too_early(view: &mut RecordView<'_>, mut start: RecordStart) -> FramedRecord {
    let have = view.len();
    let header = start.header_length();
    let next = view.framing.find(view.data(), header);
    match view.bound() {
        Some(Bound::Damage(fault)) => view.frame(start, have, have, Some(fault)),
        Some(Bound::Record) => {
            let end = next.unwrap_or(have);
            let block_end = without_line_ends(view.data(), header, end, 2);
            // The length is certainly wrong. Only a digest can show whether the block is good.
            let failure = match Evidence::new(&start.header, view.data()).digest_matches(block_end) {
                Some(false) => Some(Fault::Digest),
                _ => {
                    start.notes.add(Note::LengthMismatch);
                    None
                }
            };
            view.frame(start, block_end, end, failure)
        }
        _ if next.is_some() => fail_and_resync(view, start, Fault::BadLength),
        _ => match Evidence::new(&start.header, view.data()).end_of_last() {
            Some(block_end) => {
                start.notes.add(Note::LengthMismatch);
                view.frame(start, block_end, have, None)
            }
            None => view.frame(start, have, have, Some(Fault::TruncatedInput)),
        },
    }
}

/// Whether a record ends where its length leads to, if only a blank line is there.
///
/// Pages have blank lines, too, and if bytes are missing from the archive, the length may lead to one in a later page.
/// So the digest must not disagree, and it must agree if another record starts before the blank line.
fn is_end(view: &mut RecordView<'_>, start: &RecordStart, declared: usize) -> bool {
    let header = start.header_length();
    let have = view.ensure_in_unit(declared + START).min(declared + START);
    let data = view.data();
    let evidence = Evidence::new(&start.header, data);
    match view.framing.find(&data[..have], header).filter(|at| *at < declared) {
        // A writer that ends its header's lines with two bytes separates records in the same way. Most pages are
        // written with one byte.
        None => evidence
            .digest_matches(declared)
            .unwrap_or_else(|| !data[..header].ends_with(b"\r\n") || data[declared..].starts_with(b"\r\n\r\n")),
        Some(inner) => evidence.is_worth_hashing(inner, declared) && evidence.digest_matches(declared) == Some(true),
    }
}

/// The place where a record could end, other than the place that its length leads to: the next record's start, or the
/// end of its member or frame.
fn next_start(view: &mut RecordView<'_>, start: &RecordStart, declared: usize, limit: u64) -> Candidate {
    const STEP: usize = 256 << 10;
    let header = start.header_length();
    let begins_unit = start.position.offset_in_member == 0;
    let most = (declared + START).max(header.saturating_add(limit as usize));
    let mut from = header;
    loop {
        let have = view.ensure_in_unit(from + STEP).min(most);
        if let Some(at) = view.framing.find(&view.data()[..have], from) {
            return Candidate::Record(at);
        }
        if have < from + STEP {
            return if have == most {
                Candidate::Nothing
            } else if view.decoded.is_plain() {
                Candidate::ArchiveEnd(have)
            } else if begins_unit {
                Candidate::OwnUnitEnd(have)
            } else {
                Candidate::UnitEnd(have)
            };
        }
        from = have - START;
    }
}
