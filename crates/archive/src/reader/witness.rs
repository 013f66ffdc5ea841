//! Who speaks for a record's end where its length leads to none: its digests, its HTTP length, or mere nearness.
//!
//! A wrong length and a hole in the archive look alike: behind the place that the length leads to there is neither a
//! record nor line ends. To cut or extend the record to the next start mends the first, and in the second makes one page
//! out of two. So a digest has the first word; then the length that the HTTP head states; and where both are silent, only
//! an error is mended that is small, as those of careless writers are.

use crate::digest;
use crate::fault::Fault;
use crate::framing::Framing;
use crate::header::Header;
use crate::http;

/// Bytes by which a length may be wrong without a witness. Line ends that were counted as one byte or as two, or a head
/// that was counted twice, come to less; a hole that leaves the next record so near is rare.
const NEAR: usize = 4 << 10;

/// What a record could end at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The next record starts there.
    Record(usize),
    /// Its unit, which holds other records before it, ends there.
    UnitEnd(usize),
    /// Its unit ends there and holds nothing else: a witness of its own.
    Alone(usize),
    /// The plain archive ends there. Only a digest can tell that the record does, for anything may follow the last one.
    ArchiveEnd(usize),
    /// Nothing was found.
    Nothing,
}

impl Next {
    pub(super) fn place(self) -> Option<usize> {
        match self {
            Next::Record(at) | Next::UnitEnd(at) | Next::Alone(at) => Some(at),
            Next::ArchiveEnd(_) | Next::Nothing => None,
        }
    }
}

/// Where the block ends that starts at `header`: at `declared`, where its length leads to, or before `next`.
///
/// # Errors
/// Why the record fails: nobody speaks for either.
pub(super) fn block_end(
    framing: Framing,
    data: &[u8],
    header: usize,
    declared: usize,
    next: Next,
) -> Result<usize, Fault> {
    let fields = Header::parse(framing, &data[..header]).0;
    let last = match next {
        Next::ArchiveEnd(at) => Some(at),
        _ => next.place(),
    };
    // Line ends before the next record may be the block's own.
    let mut ends: Vec<usize> = last.map_or_else(Vec::new, |at| {
        (0..3).map(|lines| stripped(data, header, at, lines)).collect()
    });
    let found = next.place().and(ends.last().copied());
    if last.is_none_or(|at| is_worth_hashing(header, at, declared)) {
        ends.push(declared);
    }
    // Often there are no line ends to be stripped.
    ends.dedup();
    let mut wrong = false;
    for end in ends.into_iter().rev() {
        match digest::of_record(&fields, &data[header..end]) {
            Some(true) => return Ok(end),
            Some(false) => wrong = true,
            None => {}
        }
    }
    if wrong {
        return Err(Fault::Digest);
    }
    let fits = |end: usize| has_http_length(&data[header..end]) == Some(true);
    match (found, next) {
        (Some(end), Next::Alone(_)) => Ok(end),
        (Some(end), _) if fits(end) => Ok(end),
        // Both lengths agree, so the bytes are what is wrong.
        (Some(end), _) if end.abs_diff(declared) <= NEAR && !fits(declared) => Ok(end),
        // In ARC a single line end parts records, whatever follows it; but none starts inside of another.
        _ if is_arc_end(framing, &data[declared..]) && found.is_none_or(|end| end >= declared) => Ok(declared),
        _ => Err(Fault::BadLength),
    }
}

/// Whether the digest of the block from `header` to `declared` is worth its time where a record starts at `next`.
///
/// Where the digest is wrong, reading goes on at `next`, and whoever hashes far beyond it in every record takes time that
/// grows with the square of the archive's size. So what is hashed stands in proportion to what is gone past.
pub(super) fn is_worth_hashing(header: usize, next: usize, declared: usize) -> bool {
    const FEW: usize = 16 << 10;
    declared - header <= 8 * next.saturating_sub(header) + FEW
}

/// Whether the block from `header` to `end` has the digest that is stated; `None` where that says nothing.
pub(super) fn speaks_for(framing: Framing, data: &[u8], header: usize, end: usize) -> Option<bool> {
    let fields = Header::parse(framing, &data[..header]).0;
    digest::of_record(&fields, &data[header..end])
}

/// Where a block ends that takes all that is left of an archive but for line ends, if its digest says so.
pub(super) fn end_by_digest(framing: Framing, data: &[u8], header: usize) -> Option<usize> {
    (0..3)
        .map(|lines| stripped(data, header, data.len(), 2 - lines))
        .find(|&end| speaks_for(framing, data, header, end) == Some(true))
}

/// Whether a block is as long as its HTTP head says; `None` where that says nothing.
fn has_http_length(block: &[u8]) -> Option<bool> {
    let (head, body) = http::parse_head(block)?;
    let length = head.content_length()?;
    let is_coded = head.transfer_codings().next().is_some();
    (!is_coded).then_some(length == (block.len() - body) as u64)
}

fn is_arc_end(framing: Framing, behind: &[u8]) -> bool {
    framing != Framing::Warc && matches!(behind, [b'\n', ..] | [b'\r', b'\n', ..])
}

/// The end of a block that goes up to `end`, without so many line ends, two of which part records.
pub(super) fn stripped(data: &[u8], start: usize, end: usize, lines: usize) -> usize {
    let mut block = &data[start..end];
    for _ in 0..lines {
        block = block.strip_suffix(b"\n").unwrap_or(block);
        block = block.strip_suffix(b"\r").unwrap_or(block);
    }
    start + block.len()
}
