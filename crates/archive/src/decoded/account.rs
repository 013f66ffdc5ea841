//! The account of stored bytes, and the ranges that were skipped.

use std::ops::Range;

use crate::fault::Fault;
use crate::zip::ZipLayout;

/// Stored bytes by what they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bytes {
    /// Bytes of framed records, or of members and frames that hold one.
    pub framed: u64,
    /// The format's own padding: line ends between records, empty members, dictionaries, skippable frames.
    pub padding: u64,
    /// Bytes in which no record was recognised.
    pub skipped: u64,
}

impl Bytes {
    /// Adds another account.
    pub fn add(&mut self, other: Bytes) {
        self.framed += other.framed;
        self.padding += other.padding;
        self.skipped += other.skipped;
    }

    /// Counts bytes between units: those of the ranges as skipped, the others as padding.
    pub(super) fn pass(&mut self, length: u64, skipped: &[Skipped]) {
        let skipped = skipped.iter().map(|range| range.stored_length).sum::<u64>();
        self.skipped += skipped;
        self.padding += length - skipped;
    }

    /// All bytes of the account.
    pub fn sum(self) -> u64 {
        self.framed + self.padding + self.skipped
    }
}

/// A range of the archive in which no record was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Offset in the file of the range, or of the member or frame whose decoded data hold it.
    pub offset: u64,
    /// Length in stored bytes of the range, or of the member or frame whose decoded data hold it.
    pub stored_length: u64,
    /// Length of the range in decoded bytes, if it lies inside a member or frame that also holds records. Then it has
    /// no stored length of its own. 0 if nothing of it was skipped: the member or frame is damaged, and no record
    /// failed for that reason.
    pub decoded_length: Option<u64>,
    /// Why no record was recognised.
    pub reason: Fault,
}

impl Skipped {
    /// A range that is no part of a member or frame with records.
    pub fn new(offset: u64, stored_length: u64, reason: Fault) -> Self {
        Self {
            offset,
            stored_length,
            decoded_length: None,
            reason,
        }
    }

    /// Whether nothing was skipped, and this only names a member or frame that is damaged.
    pub fn is_notice(&self) -> bool {
        self.decoded_length == Some(0)
    }

    /// Whether the range lies inside a member or frame that also holds records.
    pub fn is_inside(&self) -> bool {
        self.decoded_length.is_some()
    }

    /// The range's own length: in decoded bytes if it lies inside a member or frame, in stored bytes otherwise, as that
    /// of a member or frame that is only named. Made to be shown, not to be added up.
    pub fn length(&self) -> u64 {
        self.decoded_length
            .filter(|length| *length > 0)
            .unwrap_or(self.stored_length)
    }
}

/// The ranges that are lost where no unit was recognised in a range of stored bytes. The structure of a ZIP file is not
/// among them.
pub(super) fn lost(zip: Option<&ZipLayout>, range: Range<u64>, reason: Fault) -> Vec<Skipped> {
    let skipped = |range: Range<u64>| Skipped::new(range.start, range.end - range.start, reason);
    match zip {
        Some(zip) => zip.inside(range).map(skipped).collect(),
        None => vec![skipped(range)],
    }
}
