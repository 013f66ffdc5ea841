//! The decoded bytes that the current record may use.
//!
//! The first of them is the record's own first byte. More are read as they are asked for, across the end of a gzip
//! member or zstd frame if the record continues in the next one.

use super::decoded::{Decoded, OpenedUnit, PassedAs, Position, ReadMore, Skipped};
use super::framing::{Framing, START};
use super::header::Header;
use crate::fault::{Fault, Notes};

/// The reason why a record has no more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The next record starts there.
    Record,
    /// Damage begins there.
    Damage(Fault),
    /// The archive ends there.
    End,
}

/// The evidence that a record ends at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// The next record starts there, or the member or frame ends.
    Sure,
    /// Two line ends, and neither of the above after them. They separate records, but paragraphs of pages as well.
    Doubtful,
    /// Nothing.
    None,
}

/// A record whose header has been read.
pub(crate) struct RecordStart {
    pub(crate) position: Position,
    pub(crate) header: Header,
    pub(crate) notes: Notes,
}

impl RecordStart {
    /// Parses the header in the first `length` bytes in view.
    pub(crate) fn parse(view: &RecordView<'_>, length: usize) -> Self {
        let (header, notes) = Header::parse(view.framing, &view.data()[..length]);
        Self {
            position: view.decoded.position(),
            header,
            notes,
        }
    }

    /// Length of the header block, which is where the record's block starts.
    pub(crate) fn header_length(&self) -> usize {
        self.header.as_bytes().len()
    }
}

/// A record whose end has been found.
pub(crate) struct FramedRecord {
    pub(crate) start: RecordStart,
    pub(crate) stored_length: u64,
    /// Where the block starts and ends in view.
    pub(crate) block: (usize, usize),
    /// How many bytes in view the record takes, with the line ends after it; 0 if they have been skipped already.
    pub(crate) length: usize,
    pub(crate) failure: Option<Fault>,
}

/// The next event in an archive. Unlike in [`crate::Event`], a record does not borrow its block yet.
pub(crate) enum Next {
    Record(FramedRecord),
    Skipped(Skipped),
}

/// The decoded bytes from the current record's start on.
pub(crate) struct RecordView<'a> {
    pub(crate) decoded: Decoded<'a>,
    pub(crate) framing: Framing,
    /// How many bytes in view the record may use, and what follows them, once that is known.
    bound: Option<(usize, Bound)>,
}

impl<'a> RecordView<'a> {
    pub(crate) fn new(decoded: Decoded<'a>, framing: Framing) -> Self {
        Self {
            decoded,
            framing,
            bound: None,
        }
    }

    /// The bytes in view.
    pub(crate) fn data(&self) -> &[u8] {
        &self.decoded.data()[..self.len()]
    }

    /// Number of bytes in view.
    pub(crate) fn len(&self) -> usize {
        self.bound.map_or(self.decoded.data().len(), |(length, _)| length)
    }

    /// The bound after the bytes in view, if it is known: then there are no more for this record.
    pub(crate) fn bound(&self) -> Option<Bound> {
        self.bound.map(|(_, bound)| bound)
    }

    /// Brings the first bytes after the last record into view.
    ///
    /// # Errors
    /// There are none: a range was skipped, or, without one, the archive or the reader's part of it has ended.
    #[inline]
    pub(crate) fn begin(&mut self) -> Result<(), Option<Skipped>> {
        loop {
            self.bound = None;
            if let Some(skipped) = self.decoded.skipped.pop_front() {
                return Err(Some(skipped));
            }
            if self.decoded.at_stop() {
                return Err(None);
            }
            if !self.data().is_empty() {
                return Ok(());
            }
            if !self.decoded.read_next() {
                // The archive may end with damage.
                return Err(self.decoded.skipped.pop_front());
            }
        }
    }

    /// Brings `n` bytes of the record into view, or as many as it can have. Returns how many are in view.
    ///
    /// A record may continue in the next member or frame, unless that one starts with a record or follows damage.
    pub(crate) fn ensure(&mut self, n: usize) -> usize {
        loop {
            let have = self.len();
            if have >= n || self.bound.is_some() {
                return have;
            }
            let bound = match self.decoded.read_more() {
                ReadMore::Bytes => continue,
                ReadMore::Eof => Bound::End,
                ReadMore::UnitEnd => match self.decoded.last_fault() {
                    Some(fault) => Bound::Damage(fault),
                    None => match self.open_next_unit(have) {
                        Some(bound) => bound,
                        None => continue,
                    },
                },
            };
            self.bound = Some((have, bound));
        }
    }

    /// Reads as [`RecordView::ensure`] does, but not past the end of the open member or frame.
    pub(crate) fn ensure_in_unit(&mut self, n: usize) -> usize {
        while self.bound.is_none() && self.decoded.data().len() < n && self.decoded.read_more() == ReadMore::Bytes {}
        self.len()
    }

    /// Opens the member or frame after the `have` bytes in view. Returns what keeps the record from continuing in it.
    fn open_next_unit(&mut self, have: usize) -> Option<Bound> {
        match self.decoded.open(true) {
            OpenedUnit::AfterGap(reason) => Some(Bound::Damage(reason)),
            OpenedUnit::None => Some(Bound::End),
            OpenedUnit::Adjoining => {
                while self.decoded.data().len() - have < START && self.decoded.read_more() == ReadMore::Bytes {}
                self.framing
                    .starts(&self.decoded.data()[have..])
                    .then_some(Bound::Record)
            }
        }
    }

    /// Skips `n` bytes in view and accounts for them as `kind`.
    pub(crate) fn skip(&mut self, n: usize, kind: PassedAs) {
        self.decoded.skip(n, kind);
        self.bound = self.bound.map(|(have, bound)| (have - n, bound));
    }

    /// The evidence that a record ends at `at`.
    pub(crate) fn boundary(&mut self, at: usize) -> Boundary {
        let have = self.ensure_in_unit(at + START);
        let ends = line_ends(&self.data()[at..have.min(at + START)]);
        self.ensure_in_unit(at + ends + START);
        let (before, rest) = self.data().split_at(at + ends);
        let near = &before[at..];
        let is_warc = self.framing == Framing::Warc;
        let is_separated = is_warc && near[..two_line_ends(near)].iter().filter(|b| **b == b'\n').count() >= 2;
        let starts = if before.ends_with(b"\n") {
            self.framing.starts(rest)
        } else {
            self.framing.starts_unseparated(rest)
        };
        // The archive may end in the first line of a record.
        let starts = starts || is_separated && self.framing.may_start(rest);
        match (rest.is_empty() || starts, is_separated) {
            (true, _) => Boundary::Sure,
            (false, true) => Boundary::Doubtful,
            (false, false) => Boundary::None,
        }
    }

    /// A record that ends at `end`, and its block at `block_end`. The line ends after it belong to it as well.
    pub(crate) fn frame(
        &self,
        start: RecordStart,
        block_end: usize,
        end: usize,
        failure: Option<Fault>,
    ) -> FramedRecord {
        let length = end + two_line_ends(&self.data()[end..]);
        let offset = start.position.offset;
        FramedRecord {
            stored_length: self.decoded.stored_end(length).map_or(0, |end| end - offset),
            block: (start.header_length(), block_end),
            start,
            length,
            failure,
        }
    }
}

/// How many line-end bytes `data` starts with.
pub(crate) fn line_ends(data: &[u8]) -> usize {
    data.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count()
}

/// Length of the line ends that `data` starts with, two of them at most: those that separate records.
pub(crate) fn two_line_ends(data: &[u8]) -> usize {
    let line_end = |data: &[u8]| match data {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    };
    let first = line_end(data);
    first + line_end(&data[first..])
}
