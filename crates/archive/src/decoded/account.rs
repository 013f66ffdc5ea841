//! The account of stored bytes, and the ranges that were skipped.

use crate::fault::Fault;

/// Stored bytes by what they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// All bytes of the account.
    pub fn sum(self) -> u64 {
        self.framed + self.padding + self.skipped
    }
}

/// A range of the archive in which no record was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Offset in the file of the range, or of the member or frame whose decoded data hold it.
    pub offset: u64,
    /// Length in stored bytes; in decoded bytes where `inside` is true.
    pub length: u64,
    /// Length in stored bytes of the range, or of the member or frame whose decoded data hold it.
    pub stored_length: u64,
    /// Whether the range lies inside a member or frame that also holds records.
    pub inside: bool,
    /// Why no record was recognised.
    pub reason: Fault,
}
