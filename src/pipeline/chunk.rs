//! What goes from readers and workers to the writer.

use super::batch::Window;
use crate::archive::Format;
use crate::archive::Note;
use crate::ledger::{Failure, Ledger};

/// A batch's finished output.
#[derive(Debug, Default)]
pub struct Chunk {
    /// Compressed documents; empty for a batch without any.
    pub bytes: Vec<u8>,
    /// What became of the batch's records.
    pub ledger: Ledger,
    /// The lines for `failed.jsonl`.
    pub failures: Vec<Failure>,
    /// Where the stored bytes of each of them are, if they are to be kept.
    pub stored: Vec<Stored>,
    /// What the archive is.
    pub format: Option<Format>,
    /// Why the output cannot be used, where it cannot.
    pub error: Option<String>,
    /// Why the archive ends here before its time: its bytes cannot be believed from here on, or reading them ended in a
    /// panic. Nothing was made of them then.
    pub ended: Option<String>,
}

impl Chunk {
    /// A chunk at which its archive ends.
    pub(super) fn end(why: String) -> Self {
        Self {
            ended: Some(why),
            ..Self::default()
        }
    }
}

/// The stored bytes of a failed record or a skipped range.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Offset in the archive of the record's member, frame or record, or of the range.
    pub offset: u64,
    /// Length in bytes; 0 where it is not known.
    pub length: u64,
    /// Whether a record was framed in them.
    pub framed: bool,
    /// The bytes, of a stream, as far as they were at hand; `None` where the archive is a file that can be read again.
    pub bytes: Option<Vec<u8>>,
}

/// What became of an archive.
#[derive(Debug, Default)]
pub struct ArchiveOutcome {
    /// Its account.
    pub ledger: Ledger,
    /// Its stored size in bytes, as far as it was read.
    pub size: u64,
    /// Why it could not be read, or not to its end.
    pub error: Option<String>,
    /// Whether the run was ended before the archive was.
    pub interrupted: bool,
}

impl ArchiveOutcome {
    /// Of an archive without a record: an empty one, or a compressed one of nothing, which is all padding.
    pub(super) fn nothing(size: u64) -> Self {
        let mut outcome = Self {
            size,
            ..Self::default()
        };
        outcome.ledger.note(Note::EmptyInput);
        outcome.ledger.bytes.padding = size;
        outcome
    }

    /// Of an archive that was not begun, or is given up.
    pub(super) fn interrupted() -> Self {
        Self {
            interrupted: true,
            ..Self::default()
        }
    }
}

/// A message to the writer.
pub(super) enum Event {
    /// A chunk, or a part of one.
    Chunk(Done),
    /// No more batches of this archive will come; there were so many.
    ArchiveEnd {
        archive: usize,
        batches: u64,
        outcome: ArchiveOutcome,
    },
    /// A reader has nothing left to read.
    ReaderEnd,
    /// A thread died: a defect of the program.
    Died(String),
}

/// A chunk with its place in the order.
pub(super) struct Done {
    pub(super) archive: usize,
    pub(super) index: u64,
    pub(super) chunk: Chunk,
    pub(super) from: From,
}

/// What a chunk was made of.
pub(super) enum From {
    /// A window; `start..end` are the stored bytes that were read, unless no record seemed to start in it.
    Window {
        window: Window,
        read: Option<(u64, u64)>,
        state: State,
    },
    /// Records that a reader framed; so many stored bytes are finished with.
    Records { stored: u64 },
}

/// How far a window's chunk is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// This is all of it.
    Whole,
    /// This is a part; more follows.
    Part,
    /// It would be too large to hold, and is made again when its turn comes.
    Deferred,
}

/// Does a part of an archive's reading. A panic, which is a defect of the program, costs that archive and not the run.
pub(super) fn survived<T>(path: &std::path::Path, work: impl FnOnce() -> T) -> Result<T, String> {
    // Whatever the panic left half done, the caller throws away.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|_| {
        format!(
            "{}: its reading ended in a panic; this is a defect of the program, please report it",
            crate::escape::path(path)
        )
    })
}

/// Tells the writer when the thread that holds it dies.
pub(super) struct Guard<'e>(pub(super) &'e crossbeam_channel::Sender<Event>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("a thread").to_owned();
            // Without a writer there is nobody left to tell.
            let _ = self.0.send(Event::Died(name));
        }
    }
}
