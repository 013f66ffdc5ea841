//! The most input that a zstd decoder may see at a time, so that damage costs nothing that it decoded before.
//!
//! The decoder gives no bytes in the call in which it finds damage, even if it decoded some in that call. So a call
//! must do one thing only: decode a block, or hand on what did not fit before, or compare the checksum.

/// The amount of input that the next call may show the decoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Careful {
    /// How many bytes the decoder needs next.
    next: usize,
    /// Whether the call before filled its room, so that decoded bytes may wait.
    was_filled: bool,
}

impl Careful {
    /// Bytes by which the decoder knows how many it needs next.
    const HEADER: usize = 5;

    /// The first call of a frame.
    pub(crate) const START: Self = Self {
        next: Self::HEADER,
        was_filled: false,
    };

    /// The call after one that returned how many bytes the decoder needs next.
    pub(crate) fn after(next: usize, was_filled: bool) -> Self {
        Self { next, was_filled }
    }

    /// How many bytes to show: none as long as decoded ones may wait. The last byte of what the decoder needs comes in
    /// a call of its own, because it may be the last byte of the header of the next block, which may be damaged.
    pub(crate) fn shown(self) -> usize {
        if self.was_filled {
            0
        } else {
            self.next.saturating_sub(1).max(1)
        }
    }
}
