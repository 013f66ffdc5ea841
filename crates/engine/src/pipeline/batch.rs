//! Batches, the unit of work that goes from readers to workers.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::semaphore::Permit;
use dehusk_archive::{Archive, BufferedRecord, ByteSource, Formats, Skipped, window};

/// A batch is cut where its blocks would take more bytes than this. 16 MiB keeps a batch of ordinary records whole, and
/// bounds what a stream holds in memory.
pub const BATCH_DECODED: usize = 16 << 20;

/// Some consecutive records of one archive.
pub(super) struct Batch {
    /// The archive's place in the list of inputs.
    pub(super) archive: usize,
    /// The batch's number in the archive.
    pub(super) index: u64,
    pub(super) work: Work,
    pub(super) permit: Permit,
}

/// A piece of work for a worker.
pub(super) enum Work {
    /// Inflate, frame and process a window of an archive.
    Window(Window),
    /// Process records that the reader has framed.
    Records(RecordBatch),
}

/// A window of an archive that is read by ranges.
#[derive(Clone)]
pub(super) struct Window {
    pub(super) archive: Arc<Archive>,
    /// The archive's bytes, for a reader that holds no CPU slot.
    pub(super) stored_bytes: Arc<dyn ByteSource>,
    pub(super) number: u64,
    /// Where its first record starts. `None` means that the worker has to guess. A known start also means that the
    /// writer waits for this window.
    pub(super) start: Option<u64>,
    /// Set when the archive has failed in an earlier window, so that this one is of no use. All windows of an archive
    /// share it.
    pub(super) is_over: Arc<AtomicBool>,
}

impl Window {
    /// Whether nothing needs to be read of it.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The stored bytes of the window.
    pub(super) fn range(&self) -> Range<u64> {
        let start = self.number * window::WINDOW;
        start
            ..start
                .saturating_add(window::WINDOW)
                .min(self.archive.size().unwrap_or(0))
    }
}

/// Framed records with their bytes.
#[derive(Default)]
pub(super) struct RecordBatch {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    /// The stored bytes of each entry, if the archive is a stream and the quarantine needs them.
    pub(super) kept: Vec<Option<Vec<u8>>>,
    /// The formats of the archive.
    pub(super) formats: Formats,
    /// The archive's bytes, for a reader that holds no CPU slot; `None` for a stream.
    pub(super) stored_bytes: Option<Arc<dyn ByteSource>>,
    /// How many stored bytes this batch finishes.
    pub(super) stored: u64,
}

/// A record or a skipped range.
pub(super) enum Entry {
    Record(BufferedRecord),
    Skipped(Skipped),
}

/// The rule where one batch ends and the next begins.
///
/// Readers of streams cut batches by it, workers cut a window's output by it. One rule for both makes the output of an
/// archive the same, whichever way it was read.
#[derive(Default)]
pub(super) struct BatchBoundary {
    window: Option<u64>,
    /// The memory that the batch's records take, in bytes.
    held: usize,
}

/// The memory of a record besides its block, in bytes. Without it, millions of empty records would be one batch.
const RECORD_OVERHEAD: usize = 512;

impl BatchBoundary {
    /// Counts the next record and returns whether it begins a new batch.
    pub(super) fn crosses(&mut self, offset: u64, block: usize) -> bool {
        let window = Some(window::window_of(offset));
        let size = block + RECORD_OVERHEAD;
        let crosses = self.window.is_some() && (self.window != window || self.held + size > BATCH_DECODED);
        if crosses {
            self.held = 0;
        }
        self.window = window;
        self.held += size;
        crosses
    }
}
