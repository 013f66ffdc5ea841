//! What others may see of a run, and how they end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Numbers of a run under way; they serve display only, and nothing that is written depends on them.
#[derive(Debug, Default)]
pub struct Progress {
    /// Stored bytes of archives that were finished with.
    pub bytes: AtomicU64,
    /// Stored bytes of all archives; 0 where a stream's length is not known.
    pub total_bytes: AtomicU64,
    /// Records that were looked at.
    pub records: AtomicU64,
    /// Documents that were made.
    pub documents: AtomicU64,
    /// Archives that were finished.
    pub archives: AtomicU64,
    /// Archives of the run.
    pub total_archives: AtomicU64,
}

impl Progress {
    pub(super) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }
}

/// A request to end the run: batches in flight are finished, nothing new is begun.
///
/// Clones are the same request.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    requested: Arc<AtomicBool>,
    overdue: Arc<AtomicBool>,
}

impl Stop {
    /// Asks for the end.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.requested)
    }

    /// Whether the end was asked for.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Asks for the end without what is in flight: the account is closed while threads may still be at work.
    pub fn drop_in_flight(&self) {
        self.request();
        self.overdue.store(true, Ordering::Release);
    }

    /// Whether batches in flight are not waited for any longer.
    pub(super) fn overdue(&self) -> bool {
        self.overdue.load(Ordering::Acquire)
    }
}
