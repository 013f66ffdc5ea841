//! The gzip members of an archive, and how long libdeflate alone takes for them: the floor under reading it.

use std::ops::Range;
use std::path::Path;

use dehusk::archive::Archive;
use libdeflater::Decompressor;

/// An archive's members, as far as they are whole.
pub struct Members {
    stored: Vec<u8>,
    ranges: Vec<Range<usize>>,
    decompressor: Decompressor,
    room: Vec<u8>,
}

impl Members {
    /// Finds the members of the archive at `path`.
    pub fn of(path: impl AsRef<Path>) -> Self {
        let archive = Archive::open(&path).unwrap();
        let mut starts = Vec::new();
        let mut records = archive.records();
        while let Some(record) = records.next_record() {
            if record.offset_in_member == 0 {
                starts.push(record.offset as usize);
            }
        }
        let stored = std::fs::read(&path).unwrap();
        starts.push(stored.len());
        let mut members = Self {
            stored,
            ranges: starts.windows(2).map(|pair| pair[0]..pair[1]).collect(),
            decompressor: Decompressor::new(),
            room: Vec::new(),
        };
        let ranges = std::mem::take(&mut members.ranges);
        members.ranges = ranges
            .into_iter()
            .filter(|range| members.member(range).is_some())
            .collect();
        members
    }

    /// Inflates all members, one after the other in the same room; how many bytes they hold.
    pub fn inflate(&mut self) -> usize {
        let ranges = std::mem::take(&mut self.ranges);
        let decoded = ranges.iter().filter_map(|range| self.member(range)).sum();
        self.ranges = ranges;
        decoded
    }

    fn member(&mut self, range: &Range<usize>) -> Option<usize> {
        let stored = &self.stored[range.clone()];
        // A member's last four bytes are its decoded length.
        let length = u32::from_le_bytes(*stored.last_chunk()?) as usize;
        // More than deflate can make of so many bytes is no length, but what stands behind a damaged member.
        if length > stored.len().saturating_mul(1032) {
            return None;
        }
        if self.room.len() < length {
            self.room.resize(length, 0);
        }
        self.decompressor.gzip_decompress(stored, &mut self.room[..length]).ok()
    }
}
