//! Some records of an archive: those that start in certain ranges of stored bytes.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use dehusk_archive::{Archive, Bytes, Event, Fault, Note, Records, Skipped, window};

/// The records that a reader goes through.
pub(super) enum Reading<'a> {
    All(Box<Records<'a>>),
    Selected(Box<Selected<'a>>),
}

/// The records that start in certain ranges.
pub(super) struct Selected<'a> {
    archive: &'a Archive,
    size: u64,
    ranges: VecDeque<Range<u64>>,
    current: Option<Records<'a>>,
    /// The account of the ranges before the current one, and the bytes between them.
    bytes: Bytes,
    not_selected: u64,
    /// Where the ranges so far end.
    position: u64,
    /// Where records of the current range start, and of those before that it overlaps with.
    starts: HashSet<u64>,
    /// The first range that begins after the archive's end.
    beyond: Option<u64>,
}

impl<'a> Reading<'a> {
    /// The records of an archive, or those that start in certain ranges of it.
    pub(super) fn new(archive: &'a Archive, ranges: Option<&[Range<u64>]>) -> Self {
        match ranges {
            None => Self::All(Box::new(archive.records())),
            Some(ranges) => Self::Selected(Box::new(Selected::new(archive, ranges))),
        }
    }

    pub(super) fn next_event(&mut self) -> Option<Event<'_>> {
        match self {
            Self::All(records) => records.next_event(),
            Self::Selected(selected) => selected.next_event(),
        }
    }

    /// The account of the stored bytes so far, without those that were not selected.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::All(records) => records.bytes(),
            Self::Selected(selected) => selected.bytes(),
        }
    }

    /// How many stored bytes were not selected so far.
    pub(super) fn not_selected(&self) -> u64 {
        match self {
            Self::All(_) => 0,
            Self::Selected(selected) => selected.not_selected,
        }
    }

    /// The first range that begins after the archive's end.
    pub(super) fn beyond(&self) -> Option<u64> {
        match self {
            Self::All(_) => None,
            Self::Selected(selected) => selected.beyond,
        }
    }

    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        match self {
            Self::All(records) => records.take_notes(),
            Self::Selected(selected) => selected.current.as_mut().map_or_else(Vec::new, Records::take_notes),
        }
    }

    pub(super) fn take_error(&mut self) -> Option<std::io::Error> {
        match self {
            Self::All(records) => records.take_error(),
            Self::Selected(selected) => selected.current.as_mut().and_then(Records::take_error),
        }
    }

    pub(super) fn is_one_unit(&self) -> bool {
        matches!(self, Self::All(records) if records.is_one_unit())
    }

    pub(super) fn read_offset(&self) -> u64 {
        match self {
            Self::All(records) => records.read_offset(),
            Self::Selected(selected) => selected
                .current
                .as_ref()
                .map_or(selected.position, Records::read_offset),
        }
    }

    /// Stored bytes that were read already; `None` if they are no longer in memory.
    pub(super) fn stored(&self, offset: u64, length: u64) -> Option<&[u8]> {
        match self {
            Self::All(records) => records.stored(offset, length),
            Self::Selected(selected) => selected.current.as_ref()?.stored(offset, length),
        }
    }
}

/// The range after another one.
pub(super) enum NextRange {
    /// The next one, which begins with a record.
    Records,
    /// The next one does not begin with a record.
    NoRecord(Skipped),
    /// Nothing.
    End,
}

impl Reading<'_> {
    /// Moves on after the last record of a range.
    pub(super) fn next_range(&mut self) -> NextRange {
        match self {
            Self::All(_) => NextRange::End,
            Self::Selected(selected) => selected.next_range(),
        }
    }
}

impl<'a> Selected<'a> {
    fn new(archive: &'a Archive, ranges: &[Range<u64>]) -> Self {
        Self {
            archive,
            size: archive.size().unwrap_or(0),
            ranges: ranges.iter().cloned().collect(),
            current: None,
            bytes: Bytes::default(),
            not_selected: 0,
            position: 0,
            starts: HashSet::new(),
            beyond: None,
        }
    }

    fn bytes(&self) -> Bytes {
        let mut bytes = self.bytes;
        if let Some(records) = &self.current {
            bytes.add(records.bytes());
        }
        bytes
    }

    fn next_event(&mut self) -> Option<Event<'_>> {
        let event = self.current.as_mut()?.next_event()?;
        if let Event::Record(record) = &event {
            self.starts.insert(record.offset);
        }
        Some(event)
    }

    fn next_range(&mut self) -> NextRange {
        if let Some(records) = self.current.take() {
            self.bytes.add(records.bytes());
            self.position = records.end_offset().max(self.position);
        }
        let next = self.ranges.pop_front().filter(|range| {
            let is_inside = range.start < self.size;
            if !is_inside {
                self.beyond = Some(range.start);
            }
            is_inside
        });
        let Some(range) = next else {
            self.not_selected += self.size.saturating_sub(self.position);
            self.position = self.position.max(self.size);
            return NextRange::End;
        };
        let end = range.end.min(self.size);
        if range.start < self.position {
            // It overlaps with the ranges before. Those bytes are not read twice.
            if !self.starts.contains(&range.start) {
                let mut inside = Skipped::new(range.start, end - range.start, Fault::NoRecord);
                inside.decoded_length = Some(end - range.start);
                return NextRange::NoRecord(inside);
            }
            return self.open(self.position..end);
        }
        self.starts.clear();
        self.not_selected += range.start - self.position;
        self.position = range.start;
        if window::guess_within(self.archive, range.start..range.start + 1) != Some(range.start) {
            // As far as the next range begins.
            let next = self.ranges.front().map_or(end, |next| next.start.max(range.start + 1));
            let length = end.min(next) - range.start;
            self.bytes.skipped += length;
            self.position += length;
            return NextRange::NoRecord(Skipped::new(range.start, length, Fault::NoRecord));
        }
        self.open(range.start..end)
    }

    fn open(&mut self, range: Range<u64>) -> NextRange {
        if range.start < range.end {
            self.current = Some(self.archive.records_between(range, Vec::new()));
        }
        NextRange::Records
    }
}
