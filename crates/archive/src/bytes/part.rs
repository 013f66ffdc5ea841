//! A part of a source that lies in memory.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a [`ByteSource`](super::ByteSource) that lie in memory and stay as they are. Clones share them, and they
/// are freed with the last clone.
#[derive(Clone)]
pub struct Part {
    start: u64,
    bytes: Arc<Vec<u8>>,
}

impl Part {
    /// The bytes at `start`.
    pub fn new(start: u64, bytes: Arc<Vec<u8>>) -> Self {
        Self { start, bytes }
    }

    /// Where the bytes are in the source.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len() as u64
    }

    /// The bytes from an offset in the source on; none if the part does not reach there.
    pub fn at(&self, offset: u64) -> &[u8] {
        let skipped = offset.checked_sub(self.start).and_then(|n| usize::try_from(n).ok());
        skipped.and_then(|n| self.bytes.get(n..)).unwrap_or_default()
    }
}

/// It does not show the bytes.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Part").field(&self.range()).finish()
    }
}
