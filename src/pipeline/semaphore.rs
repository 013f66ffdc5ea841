//! A counting semaphore. The pipeline has two: one bounds the batches in flight, the other hands out CPU slots.

use crossbeam_channel::{Receiver, Sender, bounded};

/// A number of permits that threads take and give back. Clones share the permits.
///
/// It is a channel filled with tokens, so that waiting threads need no lock of our own.
#[derive(Clone, Debug)]
pub(super) struct Semaphore {
    give: Sender<()>,
    take: Receiver<()>,
}

/// The right to do heavy work (inflate, parse, extract, compress). Dropping it gives the slot back.
#[derive(Debug)]
pub(super) struct CpuSlot<'s>(&'s Semaphore);

impl Semaphore {
    pub(super) fn new(permits: usize) -> Self {
        let (give, take) = bounded(permits);
        let semaphore = Self { give, take };
        (0..permits).for_each(|_| semaphore.release());
        semaphore
    }

    /// Waits for a permit and takes it. [`Semaphore::release`] gives it back.
    pub(super) fn acquire(&self) {
        // Both ends of the channel live in this struct, so it never closes.
        let _ = self.take.recv();
    }

    /// Gives one permit back.
    pub(super) fn release(&self) {
        // Nobody gives back more permits than were taken, so there is room.
        let _ = self.give.try_send(());
    }

    /// Waits for a permit and holds it until the slot is dropped.
    pub(super) fn cpu_slot(&self) -> CpuSlot<'_> {
        self.acquire();
        CpuSlot(self)
    }
}

impl Drop for CpuSlot<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}
