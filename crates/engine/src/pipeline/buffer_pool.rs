//! Spent buffers that are used again, so that a long run does not allocate one for every batch.

use crossbeam_channel::{Receiver, Sender, bounded};

/// A bounded pool of empty buffers.
#[derive(Debug)]
pub(super) struct BufferPool {
    give: Sender<Vec<u8>>,
    take: Receiver<Vec<u8>>,
}

impl BufferPool {
    /// The pool drops a buffer whose capacity in bytes is larger than this.
    const LARGEST: usize = 32 << 20;

    /// A pool that keeps at most `count` buffers.
    pub(super) fn new(count: usize) -> Self {
        let (give, take) = bounded(count);
        Self { give, take }
    }

    /// Returns an empty buffer: a used one if there is one.
    pub(super) fn take(&self) -> Vec<u8> {
        self.take.try_recv().unwrap_or_default()
    }

    /// Gives a buffer back.
    pub(super) fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        if buffer.capacity() > 0 && buffer.capacity() <= Self::LARGEST {
            // A full pool drops the buffer.
            let _ = self.give.try_send(buffer);
        }
    }
}
