//! The counters of a running pipeline, and the request to stop it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::input::ArchiveInput;
use crate::ledger::Ledger;

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
    /// The archives that are being read, by their places in the list.
    active: Mutex<BTreeMap<usize, ActiveArchive>>,
    /// The account of what is written so far.
    ledger: Mutex<Ledger>,
    /// The counters of the first pass, while it is active.
    first_pass: Mutex<Option<Arc<Progress>>>,
}

/// An archive that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveArchive {
    /// Its file name.
    pub name: String,
    /// Stored bytes that are finished.
    pub bytes: u64,
    /// Its size in bytes; 0 if it is unknown.
    pub total: u64,
}

/// Locks a value that is only shown, so a panic elsewhere changes nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Counts a chunk that was written.
    pub(super) fn written(&self, archive: usize, input: &ArchiveInput, ledger: &Ledger, bytes: u64) {
        Self::add(&self.records, ledger.framed);
        Self::add(&self.documents, ledger.emitted);
        Self::add(&self.bytes, bytes);
        lock(&self.ledger).add(ledger);
        let begin = || ActiveArchive {
            name: input.archive_name().file.to_owned(),
            bytes: 0,
            total: input.size_hint(),
        };
        lock(&self.active).entry(archive).or_insert_with(begin).bytes += bytes;
    }

    /// Counts an archive that is finished.
    pub(super) fn finished(&self, archive: usize) {
        Self::add(&self.archives, 1);
        lock(&self.active).remove(&archive);
    }

    /// Begins a first pass over archives, with counters of its own.
    pub(super) fn begin_first_pass(&self, inputs: &[ArchiveInput]) -> Arc<Self> {
        let pass = Arc::new(Self::default());
        Self::add(&pass.total_archives, inputs.len() as u64);
        let sizes = inputs.iter().map(ArchiveInput::size_hint);
        Self::add(&pass.total_bytes, sizes.fold(0, u64::saturating_add));
        *lock(&self.first_pass) = Some(Arc::clone(&pass));
        pass
    }

    /// Ends the first pass.
    pub(super) fn end_first_pass(&self) {
        lock(&self.first_pass).take();
    }

    /// The counters of the first pass, which reads the headers of all archives for the originals of revisits; `None`
    /// where none continues. It makes no document, and its counters end with it.
    pub fn first_pass(&self) -> Option<Arc<Self>> {
        lock(&self.first_pass).clone()
    }

    /// The archives that are being read, in the order of the list.
    #[doc(hidden)]
    pub fn active(&self) -> Vec<ActiveArchive> {
        lock(&self.active).values().cloned().collect()
    }

    /// The account of what is written so far.
    #[doc(hidden)]
    pub fn ledger(&self) -> Ledger {
        lock(&self.ledger).clone()
    }

    fn add(counter: &AtomicU64, n: u64) {
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

    /// Returns whether the pipeline was asked to stop.
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
