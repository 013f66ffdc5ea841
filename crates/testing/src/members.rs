//! The gzip members of an archive, inflated by libdeflate alone: the least time in which anything can read it.

use std::ops::Range;
use std::path::Path;

use dehusk_archive::Archive;
use libdeflater::Decompressor;

/// The undamaged gzip members of an archive.
pub struct Members {
    stored: Vec<u8>,
    ranges: Vec<Range<usize>>,
    decompressor: Decompressor,
    buffer: Vec<u8>,
}

impl Members {
    /// Finds the members of an archive.
    pub fn find(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let archive = Archive::open(path)?;
        let mut starts = Vec::new();
        let mut records = archive.records();
        while let Some(record) = records.next_record() {
            if record.offset_in_member == 0 {
                starts.push(record.offset as usize);
            }
        }
        let stored = std::fs::read(path)?;
        starts.push(stored.len());
        let mut members = Self {
            stored,
            ranges: starts.windows(2).map(|pair| pair[0]..pair[1]).collect(),
            decompressor: Decompressor::new(),
            buffer: Vec::new(),
        };
        let mut ranges = std::mem::take(&mut members.ranges);
        ranges.retain(|range| members.inflate_member(range).is_some());
        members.ranges = ranges;
        Ok(members)
    }

    /// Inflates all members into the same buffer. Returns the number of decoded bytes.
    pub fn inflate(&mut self) -> usize {
        let ranges = std::mem::take(&mut self.ranges);
        let decoded = ranges.iter().filter_map(|range| self.inflate_member(range)).sum();
        self.ranges = ranges;
        decoded
    }

    fn inflate_member(&mut self, range: &Range<usize>) -> Option<usize> {
        let stored = &self.stored[range.clone()];
        // The last four bytes of a member are its decoded length.
        let length = u32::from_le_bytes(*stored.last_chunk()?) as usize;
        // Deflate cannot decode to more than this. The bytes are no length, so the member is damaged.
        if length > stored.len().saturating_mul(1032) {
            return None;
        }
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        self.decompressor
            .gzip_decompress(stored, &mut self.buffer[..length])
            .ok()
    }
}
