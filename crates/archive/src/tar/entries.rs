//! Decoded bytes of a tar file → records.
//!
//! - An entry that the archive's end or damage cuts off fails.
//! - Bytes that are no header are skipped up to the next header block with a magic, wherever it is: lost bytes may have
//!   moved it.
//! - Extended headers that no entry follows, or that take more than the limit, are skipped.

use super::header::{self, BLOCK, Entry, Scan, rounded};
use crate::decoded::PassedAs;
use crate::fault::Fault;
use crate::view::{Bound, FramedRecord, Next, RecordStart, RecordView};

/// Longest header, in bytes: the header block and extended headers. Real ones are below 4 KiB.
const HEADER_LIMIT: usize = 64 << 10;

/// Bytes that are looked at or skipped at a time.
const STEP: usize = 1 << 20;

/// Reads the next record or skipped range. `None` at the end.
pub(crate) fn next(view: &mut RecordView<'_>, record_limit: u64) -> Option<Next> {
    loop {
        if let Err(skipped) = view.begin() {
            return skipped.map(Next::Skipped);
        }
        let have = view.ensure(BLOCK);
        let first = &view.data()[..have.min(BLOCK)];
        if first.iter().all(|byte| *byte == 0) {
            view.skip(have.min(BLOCK), PassedAs::Padding);
        } else if !header::starts(first) {
            skip_garbage(view);
        } else if let Some(framed) = read_entry(view, record_limit) {
            return Some(Next::Record(framed));
        }
    }
}

/// Reads the entry that starts here; `None` if it is no file, or its header is not complete. Then it has been skipped.
fn read_entry(view: &mut RecordView<'_>, record_limit: u64) -> Option<FramedRecord> {
    let header_length = loop {
        let have = view.len();
        // The meaning of a header must not depend on how many bytes are in view by chance.
        let seen = have.min(HEADER_LIMIT);
        let (length, reason) = match header::scan(&view.data()[..seen]) {
            Scan::Whole(end) => break end,
            Scan::Broken(at) => (at, Fault::BadHeader),
            Scan::Unfinished if have >= HEADER_LIMIT => (seen, Fault::HeaderTooLong),
            Scan::Unfinished if view.ensure(have + 1) > have => continue,
            Scan::Unfinished => match view.bound() {
                Some(Bound::Damage(fault)) => (seen, fault),
                _ => (seen, Fault::TruncatedInput),
            },
        };
        skip_range(view, length, reason);
        return None;
    };
    let start = RecordStart::parse(view, header_length);
    let Entry {
        is_file, size, fault, ..
    } = Entry::parse(start.header.as_bytes());
    if !is_file {
        view.skip(header_length, PassedAs::Padding);
        // An entry that is no file has no bytes, regardless of its header, but for kinds that only some programs know.
        let _ = skip_bytes(view, rounded(size), PassedAs::Padding);
        return None;
    }
    if size > record_limit {
        let cut = skip_large(view, &start, rounded(size));
        let end = view.decoded.passed_end();
        let offset = start.position.offset;
        return Some(FramedRecord {
            stored_length: end.map_or(0, |end| end.saturating_sub(offset)),
            start,
            block: (0, 0),
            length: 0,
            failure: Some(cut.unwrap_or(Fault::TooLarge)),
        });
    }
    let block_end = header_length + size as usize;
    let whole = header_length + rounded(size) as usize;
    let have = view.ensure(whole);
    // Zeros after the last entry may be missing.
    let cut = (have < block_end).then(|| match view.bound() {
        Some(Bound::Damage(fault)) => fault,
        Some(Bound::Record) => Fault::BadLength,
        _ => Fault::TruncatedInput,
    });
    let length = have.min(whole);
    let offset = start.position.offset;
    Some(FramedRecord {
        stored_length: view.decoded.stored_end(length).map_or(0, |end| end - offset),
        start,
        block: (header_length, block_end.min(have)),
        length,
        failure: cut.or(fault),
    })
}

/// Skips an entry that is too large to hold. Returns what is wrong with it besides.
fn skip_large(view: &mut RecordView<'_>, start: &RecordStart, size: u64) -> Option<Fault> {
    view.skip(start.header_length(), PassedAs::Record);
    match skip_bytes(view, size, PassedAs::Record)? {
        Bound::Damage(fault) => Some(fault),
        Bound::Record => Some(Fault::BadLength),
        Bound::End => Some(Fault::TruncatedInput),
    }
}

/// Skips this many bytes without holding them. Returns what ended them early.
fn skip_bytes(view: &mut RecordView<'_>, length: u64, kind: PassedAs) -> Option<Bound> {
    let mut left = length;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(STEP);
        let have = view.ensure(wanted);
        let taken = have.min(wanted);
        let bound = view.bound();
        view.skip(taken, kind);
        left -= taken as u64;
        if taken < wanted {
            return bound.or(Some(Bound::End));
        }
    }
    None
}

/// Skips bytes that are no header, up to the next one, a block of zeros in line, or the end of the member or frame.
fn skip_garbage(view: &mut RecordView<'_>) {
    let offset = view.decoded.position().offset;
    let mut length = 0u64;
    loop {
        let have = view.ensure(STEP);
        if let Some(at) = header::find(view.data(), 1) {
            view.skip(at, PassedAs::Garbage);
            length += at as u64;
            break;
        }
        let is_end = have < STEP;
        // A header may start in the last bytes.
        let taken = if is_end { have } else { have - BLOCK };
        view.skip(taken, PassedAs::Garbage);
        length += taken as u64;
        if is_end {
            break;
        }
    }
    report(view, offset, length, Fault::Garbage);
}

fn skip_range(view: &mut RecordView<'_>, length: usize, reason: Fault) {
    let offset = view.decoded.position().offset;
    let length = length.min(view.len());
    view.skip(length, PassedAs::Garbage);
    report(view, offset, length as u64, reason);
}

/// Reports a range of a plain archive. A compressed member or frame is reported when it ends, with its stored length.
fn report(view: &mut RecordView<'_>, offset: u64, length: u64, reason: Fault) {
    if view.decoded.is_plain() && length > 0 {
        view.decoded.report_garbage(offset, length, reason);
    }
}
