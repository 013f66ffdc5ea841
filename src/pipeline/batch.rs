//! The unit of work that goes from readers to workers.

use std::ops::Range;
use std::sync::Arc;

use super::BATCH_DECODED;
use crate::archive::record::RawRecord;
use crate::archive::{Archive, Format, Skipped, window};

/// Some consecutive records of one archive.
pub(super) struct Batch {
    /// Which archive, by its place in the run's list.
    pub(super) archive: usize,
    /// Which batch of that archive.
    pub(super) index: u64,
    pub(super) work: Work,
}

/// What a worker is given.
pub(super) enum Work {
    /// A window of a map, to be inflated and framed by the worker.
    Window(Window),
    /// Records that the reader has framed.
    Records(Records),
}

/// A window of a mapped archive.
#[derive(Clone)]
pub(super) struct Window {
    pub(super) map: Arc<Archive>,
    pub(super) number: u64,
    /// Where its first record starts, where that is known; then it is the writer's turn to take this window's chunk.
    pub(super) start: Option<u64>,
}

impl Window {
    /// The stored bytes of the window.
    pub(super) fn range(&self) -> Range<u64> {
        self.number * window::WINDOW..((self.number + 1) * window::WINDOW).min(self.map.size())
    }
}

/// Records with their bytes.
#[derive(Default)]
pub(super) struct Records {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    /// The entries' stored bytes, where the archive is a stream and they are to be kept.
    pub(super) kept: Vec<Option<Vec<u8>>>,
    /// What the archive is.
    pub(super) format: Option<Format>,
    /// Stored bytes that this batch finishes with, for display.
    pub(super) stored: u64,
}

/// What stands in an archive.
pub(super) enum Entry {
    Record(RawRecord),
    Skipped(Skipped),
}

/// Where one batch ends and the next begins: the same rule for readers of streams, which cut batches, and for workers,
/// which cut a window's output.
#[derive(Default)]
pub(super) struct Border {
    window: Option<u64>,
    /// What the batch's records take, in bytes.
    held: usize,
}

/// What a record takes in memory beside its block, in bytes: millions of empty ones must not make a batch endless.
const RECORD: usize = 512;

impl Border {
    /// Takes the next record into account; whether it begins a new batch.
    pub(super) fn crosses(&mut self, offset: u64, block: usize) -> bool {
        let window = Some(window::window_of(offset));
        let taken = block + RECORD;
        let crosses = self.window.is_some() && (self.window != window || self.held + taken > BATCH_DECODED);
        if crosses {
            self.held = 0;
        }
        self.window = window;
        self.held += taken;
        crosses
    }
}
