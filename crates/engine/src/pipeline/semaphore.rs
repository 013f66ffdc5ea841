//! A counting semaphore. The pipeline bounds the batches in flight and the threads at work with it.

use crossbeam_channel::{Receiver, Sender, bounded};

use super::progress::Stop;
use super::wait::receive;

/// A number of permits that threads take and give back. Clones share the permits.
///
/// It is a channel filled with tokens, so that waiting threads need no lock of our own.
#[derive(Clone, Debug)]
pub(super) struct Semaphore {
    give: Sender<()>,
    take: Receiver<()>,
}

/// The right to have a batch in flight: a permit of each of these semaphores. Dropping it gives them back.
#[derive(Debug)]
pub(super) struct Permit(Vec<Semaphore>);

/// The right to do heavy work (inflate, parse, extract, compress). Dropping it gives the slot back.
#[derive(Debug)]
pub(super) struct CpuSlot<'s>(&'s Semaphore);

/// A CPU slot that is released for a while. Dropping this waits for one again.
#[derive(Debug)]
pub(super) struct SuspendedSlot<'s>(&'s Semaphore);

impl Semaphore {
    pub(super) fn new(permits: usize) -> Self {
        let (give, take) = bounded(permits);
        let semaphore = Self { give, take };
        (0..permits).for_each(|_| semaphore.release());
        semaphore
    }

    /// Waits for a permit, and returns whether there is one. There is none if the pipeline is asked to stop.
    fn acquire_unless(&self, stop: &Stop) -> bool {
        !stop.requested() && receive(&self.take, stop).is_ok()
    }

    /// Waits for a CPU slot.
    pub(super) fn cpu_slot(&self) -> CpuSlot<'_> {
        self.acquire();
        CpuSlot(self)
    }

    /// Releases the CPU slot that this thread holds, until the result is dropped.
    pub(super) fn suspend_cpu_slot(&self) -> SuspendedSlot<'_> {
        self.release();
        SuspendedSlot(self)
    }

    /// How many permits are free.
    #[cfg(test)]
    pub(super) fn available(&self) -> usize {
        self.take.len()
    }

    fn acquire(&self) {
        // Both ends of the channel live in this struct, so it never closes.
        let _ = self.take.recv();
    }

    fn release(&self) {
        // No more permits are given back than were taken, so there is room.
        let _ = self.give.try_send(());
    }
}

impl Permit {
    /// Waits for a permit of each semaphore, one after the other. Returns `None` if the pipeline is asked to stop.
    pub(super) fn wait(semaphores: &[&Semaphore], stop: &Stop) -> Option<Self> {
        let mut permit = Self(Vec::with_capacity(semaphores.len()));
        for semaphore in semaphores {
            if !semaphore.acquire_unless(stop) {
                return None;
            }
            permit.0.push((*semaphore).clone());
        }
        Some(permit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.iter().for_each(Semaphore::release);
    }
}

impl Drop for CpuSlot<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Drop for SuspendedSlot<'_> {
    fn drop(&mut self) {
        self.0.acquire();
    }
}
