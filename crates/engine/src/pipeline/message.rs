//! Messages of readers and workers to the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crossbeam_channel::Sender;

use super::batch::Window;
use super::chunk::{ArchiveOutcome, Chunk};
use super::error::ReadFailure;
use super::semaphore::Permit;

/// A message to the writer.
pub(super) enum Message {
    /// A chunk, or a part of one.
    Chunk(Box<PlacedChunk>),
    /// The archive has `batches` batches; no more will come.
    ArchiveEnd {
        archive: usize,
        batches: u64,
        outcome: Box<ArchiveOutcome>,
    },
    /// A reader thread has nothing left to read.
    ReaderEnd,
    /// The thread of this name died, which is a bug in the program.
    ThreadDied(String),
}

/// A chunk with its place in the order.
pub(super) struct PlacedChunk {
    pub(super) archive: usize,
    /// The batch's number in the archive.
    pub(super) index: u64,
    pub(super) chunk: Chunk,
    pub(super) origin: Origin,
    /// The permit of the batch; `None` for a part that is not the last one.
    pub(super) permit: Option<Permit>,
}

/// The source of a chunk: a window, or a sequence of records.
pub(super) enum Origin {
    /// A window. `read` is the range `start..end` of stored bytes that were read; `None` if no record seemed to start
    /// in the window.
    Window {
        window: Window,
        read: Option<(u64, u64)>,
        extent: Extent,
    },
    /// Records that a reader framed. The batch finishes `stored` stored bytes.
    Records { stored: u64 },
}

impl Window {
    /// The origin of a chunk that was made from this window.
    pub(super) fn origin(self, read: Option<(u64, u64)>, extent: Extent) -> Origin {
        Origin::Window {
            window: self,
            read,
            extent,
        }
    }
}

/// The part of a window that is in a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The whole window, or the last part of it.
    Whole,
    /// A part; more follows.
    Part,
    /// Too little: the whole would be too large to hold, and is made again when the writer waits for it.
    Deferred,
}

/// Does some work on an archive. If it panics, which is a bug in the program, only this archive fails.
///
/// The caller must throw away whatever state `work` may have left half done.
pub(super) fn catch_panic<T>(archive: &Path, work: impl FnOnce() -> T) -> Result<T, ReadFailure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| ReadFailure::Panic {
        archive: archive.to_owned(),
    })
}

/// Tells the writer if the thread that holds it panics.
pub(super) struct PanicNotice<'m>(pub(super) &'m Sender<Message>);

impl Drop for PanicNotice<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("without a name").to_owned();
            // If the writer is gone, the message is not needed.
            let _ = self.0.send(Message::ThreadDied(name));
        }
    }
}
