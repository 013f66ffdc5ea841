//! The evidence for where a record ends, if its length does not lead to an end: its digests, its HTTP length, or a
//! small error.
//!
//! A wrong length and bytes that are missing from the archive look alike: where the length leads to, there is neither a
//! record nor line ends. Cutting or extending the record to the next start repairs the first, but in the second case
//! makes one page out of two. So a digest decides; without one, the length in the HTTP head decides; without both, only
//! a small error is repaired, of the size that careless writers make.

use crate::digest;
use crate::fault::Fault;
use crate::framing::Framing;
use crate::header::Header;
use crate::http;

/// Bytes by which a length may be wrong without evidence. If line ends were counted as one byte or as two, or the head
/// was counted twice, the error is smaller. Missing bytes that leave the next record this near are rare.
const SMALL_ERROR: usize = 4 << 10;

/// A place where a record could end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Candidate {
    /// The next record starts there.
    Record(usize),
    /// The member or frame ends there. It holds other records before this one.
    UnitEnd(usize),
    /// The member or frame ends there and holds nothing else, which is evidence of its own.
    OwnUnitEnd(usize),
    /// The plain archive ends there. Only a digest can show whether the record does, for anything may follow the last
    /// one.
    ArchiveEnd(usize),
    /// Nothing was found.
    Nothing,
}

impl Candidate {
    /// Where that is, if the record could end there without a digest.
    pub(super) fn place(self) -> Option<usize> {
        match self {
            Candidate::Record(at) | Candidate::UnitEnd(at) | Candidate::OwnUnitEnd(at) => Some(at),
            Candidate::ArchiveEnd(_) | Candidate::Nothing => None,
        }
    }
}

/// A record's header with the bytes that may be its block.
pub(super) struct Evidence<'r> {
    header: &'r Header,
    /// Bytes from the record's start on.
    data: &'r [u8],
    /// Where the block starts.
    start: usize,
}

impl<'r> Evidence<'r> {
    pub(super) fn new(header: &'r Header, data: &'r [u8]) -> Self {
        let start = header.as_bytes().len();
        Self { header, data, start }
    }

    /// Whether a block that ends at `end` has the digest that the header states; `None` if no digest decides.
    pub(super) fn digest_matches(&self, end: usize) -> Option<bool> {
        digest::record_matches(self.header, &self.data[self.start..end])
    }

    /// Where the block ends: at `declared`, where its length leads to, or before the candidate.
    ///
    /// # Errors
    /// Why the record fails: there is no evidence for either.
    pub(super) fn block_end(&self, declared: usize, candidate: Candidate) -> Result<usize, Fault> {
        let last = match candidate {
            Candidate::ArchiveEnd(at) => Some(at),
            _ => candidate.place(),
        };
        // Line ends before the next record may belong to the block.
        let mut ends: Vec<usize> = last.map_or_else(Vec::new, |at| {
            (0..3)
                .map(|lines| without_line_ends(self.data, self.start, at, lines))
                .collect()
        });
        let found = candidate.place().and(ends.last().copied());
        if last.is_none_or(|at| self.is_worth_hashing(at, declared)) {
            ends.push(declared);
        }
        // Often there are no line ends to remove.
        ends.dedup();
        let mut is_wrong = false;
        for end in ends.into_iter().rev() {
            match self.digest_matches(end) {
                Some(true) => return Ok(end),
                Some(false) => is_wrong = true,
                None => {}
            }
        }
        if is_wrong {
            return Err(Fault::Digest);
        }
        let fits = |end: usize| self.http_length_matches(end) == Some(true);
        match (found, candidate) {
            (Some(end), Candidate::OwnUnitEnd(_)) => Ok(end),
            (Some(end), _) if fits(end) => Ok(end),
            // If both lengths agree, the bytes are wrong.
            (Some(end), _) if end.abs_diff(declared) <= SMALL_ERROR && !fits(declared) => Ok(end),
            // In ARC a single line end separates records, whatever follows it. But no record starts inside another.
            _ if self.is_arc_end(declared) && found.is_none_or(|end| end >= declared) => Ok(declared),
            _ => Err(Fault::BadLength),
        }
    }

    /// Where the last block of an archive ends, if its digest shows it, or else its HTTP length. Only line ends may
    /// follow it.
    pub(super) fn end_of_last(&self) -> Option<usize> {
        let ends = || (0..3).map(|lines| without_line_ends(self.data, self.start, self.data.len(), 2 - lines));
        let is_proven = |end: &usize| self.digest_matches(*end) == Some(true);
        let fits = |end: &usize| self.http_length_matches(*end) == Some(true) && self.digest_matches(*end).is_none();
        ends().find(is_proven).or_else(|| ends().find(fits))
    }

    /// Whether the digest of a block that ends at `declared` is worth its time if a record starts at `next`.
    ///
    /// If the digest is wrong, reading continues at `next`. Hashing far beyond it in every record would take time that
    /// grows with the square of the archive's size, so the hashed bytes are kept in proportion to the skipped ones.
    pub(super) fn is_worth_hashing(&self, next: usize, declared: usize) -> bool {
        const FEW: usize = 16 << 10;
        declared - self.start <= 8 * next.saturating_sub(self.start) + FEW
    }

    /// Whether a block that ends at `end` is as long as its HTTP head states; `None` if that does not decide.
    fn http_length_matches(&self, end: usize) -> Option<bool> {
        let block = &self.data[self.start..end];
        let (head, body) = http::parse_head(block)?;
        let length = head.content_length()?;
        let is_coded = head.transfer_codings().next().is_some();
        (!is_coded).then_some(length == (block.len() - body) as u64)
    }

    fn is_arc_end(&self, at: usize) -> bool {
        self.header.framing != Framing::Warc && matches!(self.data[at..], [b'\n', ..] | [b'\r', b'\n', ..])
    }
}

/// The end of a block that reaches up to `end`, without its last `count` line ends; two separate records.
pub(super) fn without_line_ends(data: &[u8], start: usize, end: usize, count: usize) -> usize {
    let mut block = &data[start..end];
    for _ in 0..count {
        block = block.strip_suffix(b"\n").unwrap_or(block);
        block = block.strip_suffix(b"\r").unwrap_or(block);
    }
    start + block.len()
}
