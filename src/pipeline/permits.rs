//! What goes round in the pipeline: permits, and spent buffers. Both over channels.

use crossbeam_channel::{Receiver, Sender, bounded};

/// So many things may be done at a time. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Permits {
    give: Sender<()>,
    take: Receiver<()>,
}

/// The right to do one of them until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'p>(&'p Permits);

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        let (give, take) = bounded(count);
        let permits = Self { give, take };
        (0..count).for_each(|_| permits.release());
        permits
    }

    /// Waits for a permit and takes it; it comes back by [`Permits::release`].
    pub(super) fn acquire(&self) {
        // Both ends live in this struct, so the channel never closes.
        let _ = self.take.recv();
    }

    /// Gives one permit back.
    pub(super) fn release(&self) {
        // Never more than were taken, so there is always room.
        let _ = self.give.try_send(());
    }

    /// Waits for a permit and holds it for a while.
    pub(super) fn turn(&self) -> Turn<'_> {
        self.acquire();
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Spent buffers on their way to somebody who needs one.
#[derive(Debug)]
pub(super) struct Pool {
    give: Sender<Vec<u8>>,
    take: Receiver<Vec<u8>>,
}

impl Pool {
    /// Capacity, in bytes, beyond which a spent buffer is not kept.
    const LARGEST: usize = 32 << 20;

    pub(super) fn new(count: usize) -> Self {
        let (give, take) = bounded(count);
        Self { give, take }
    }

    /// An empty buffer.
    pub(super) fn take(&self) -> Vec<u8> {
        self.take.try_recv().unwrap_or_default()
    }

    /// Gives a spent buffer back.
    pub(super) fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        if buffer.capacity() > 0 && buffer.capacity() <= Self::LARGEST {
            // A full pool needs no more.
            let _ = self.give.try_send(buffer);
        }
    }
}
