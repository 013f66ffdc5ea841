//! Bytes where a record should start, but none does.

use crate::decoded::{PassedAs, TAIL, is_blank};
use crate::fault::{Fault, Note};
use crate::framing::START;
use crate::view::RecordView;

/// Skips bytes that are no record, up to the next record's start or the end of the member or frame.
pub(crate) fn skip_garbage(view: &mut RecordView<'_>) {
    if let Some(n) = blank_tail(view) {
        view.skip(n, PassedAs::Padding);
        view.decoded.notes.push(Note::TailPadding);
        return;
    }
    let offset = view.decoded.position().offset;
    let mut length = 0;
    loop {
        // The bytes at the position are no record, or were looked at before. If the next member has been opened and
        // starts with a record, that record lies outside the view.
        let have = view.len();
        let found = view.framing.find(view.data(), 1);
        let n = found.unwrap_or(have.saturating_sub(START));
        view.skip(n, PassedAs::Garbage);
        length += n as u64;
        if found.is_some() {
            break;
        }
        let rest = view.len();
        if view.ensure_in_unit(rest + 1) == rest {
            view.skip(rest, PassedAs::Garbage);
            length += rest as u64;
            break;
        }
    }
    report(view, offset, length, Fault::Garbage);
}

/// Skips the `length` bytes of a header that is cut off: a record is framed only if its header is complete.
pub(super) fn truncated_header(view: &mut RecordView<'_>, length: usize, reason: Fault) {
    let offset = view.decoded.position().offset;
    view.skip(length, PassedAs::Garbage);
    report(view, offset, length as u64, reason);
}

/// Length of the zeros or white space in view, if they reach to the end of the member or frame and nothing else follows
/// up to the end of the archive.
fn blank_tail(view: &mut RecordView<'_>) -> Option<usize> {
    if !is_blank(&view.data()[..1]) {
        return None;
    }
    view.ensure_in_unit(TAIL + 1);
    let have = view.decoded.in_unit();
    (have <= TAIL && is_blank(&view.data()[..have]) && view.decoded.is_blank_after()).then_some(have)
}

/// Reports a range of a plain archive. A compressed member or frame is reported when it ends, with its stored length.
fn report(view: &mut RecordView<'_>, offset: u64, length: u64, reason: Fault) {
    if view.decoded.is_plain() {
        view.decoded.report_garbage(offset, length, reason);
    }
}
