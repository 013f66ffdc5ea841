//! The counters of a running pipeline, and the request to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters of a running pipeline. They are for display only; no output depends on them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Stored bytes that are finished, of all archives.
    pub bytes: AtomicU64,
    /// Stored bytes of all archives. A stream of unknown length counts as 0.
    pub total_bytes: AtomicU64,
    /// Records that were processed.
    pub records: AtomicU64,
    /// Documents that were made.
    pub documents: AtomicU64,
    /// Archives that are finished.
    pub archives: AtomicU64,
    /// Archives of the run.
    pub total_archives: AtomicU64,
}

impl Progress {
    pub(super) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }
}

/// A request to stop: the pipeline finishes the batches in flight and begins nothing new.
///
/// Clones are the same request.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    requested: Arc<AtomicBool>,
    overdue: Arc<AtomicBool>,
}

impl Stop {
    /// Asks the pipeline to stop.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Returns the flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.requested)
    }

    /// Returns whether somebody asked the pipeline to stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Asks the pipeline to stop without waiting for the batches in flight: the account is closed while threads may
    /// still be working.
    pub fn drop_in_flight(&self) {
        self.request();
        self.overdue.store(true, Ordering::Release);
    }

    /// Returns whether the pipeline no longer waits for the batches in flight.
    pub(super) fn overdue(&self) -> bool {
        self.overdue.load(Ordering::Acquire)
    }
}
