//! The products of the pipeline for its sink: an archive's chunks and, in the end, its outcome.

use std::path::Path;
use std::sync::Arc;

use super::error::ReadFailure;
use super::observed::Observed;
use crate::ledger::{Failure, Ledger};
use crate::sites::PageSketch;
use dehusk_archive::index::IndexLine;
use dehusk_archive::{ByteSource, Formats, Note};
use dehusk_documents::document::Document;
use dehusk_documents::encode::EncodeError;
use dehusk_documents::store::{PayloadKey, Place, PlaceKey, StoreError};

/// A batch's finished output.
#[derive(Debug, Default)]
pub struct Chunk {
    /// The documents, as parts of the output format's [`Encoder`](dehusk_documents::encode::Encoder). Empty if the
    /// batch has none, or if they are not encoded.
    pub bytes: Vec<u8>,
    /// The documents themselves, if they are not encoded.
    pub documents: Vec<Document>,
    /// The account of the batch's records.
    pub ledger: Ledger,
    /// The batch's lines for `failed.jsonl`.
    pub failures: Vec<Failure>,
    /// The payloads of the documents, if the rules ask for them.
    pub payloads: Vec<PayloadKey>,
    /// The places of its records, if these were asked for.
    pub places: Vec<(PlaceKey, Place)>,
    /// The sketches of its pages with their hosts, if these were asked for. There is none of a page that would not be
    /// remembered.
    pub(crate) sketches: Vec<(String, Option<PageSketch>)>,
    /// Why a store could not be read. The output cannot be used then.
    pub(crate) store_error: Option<StoreError>,
    /// Observations about the pages, if they are encoded.
    pub(crate) observed: Observed,
    /// Where the stored bytes of each failure are, if the quarantine needs them.
    pub stored: Vec<Stored>,
    /// The records that `output.records` chose, by set.
    pub chosen: Vec<ChosenRecords>,
    /// Lines of the table of robots.txt records, if it is asked for.
    pub robots: Vec<u8>,
    /// The formats of the archive.
    pub formats: Formats,
    /// The archive's stored bytes, if they can be read again.
    pub source: Option<Arc<dyn ByteSource>>,
    /// Why the documents could not be encoded. The output cannot be used then.
    pub encode_error: Option<EncodeError>,
    /// Why the archive ends here. If a read failed, the chunk holds what was read before. If the bytes cannot be
    /// trusted, or reading them panicked, it holds nothing else.
    pub read_failure: Option<ReadFailure>,
}

impl Chunk {
    /// A chunk that ends its archive.
    pub(super) fn failed(why: ReadFailure) -> Self {
        Self {
            read_failure: Some(why),
            ..Self::default()
        }
    }
}

/// A place between two batches of an archive, from which its reading can continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// How many batches are finished.
    pub batches: u64,
    /// How many stored bytes are finished. If the archive is cut into windows, the next record starts here.
    pub stored: u64,
}

/// The part of an archive that a sink has received, between two batches.
#[derive(Clone, Copy, Debug)]
pub struct Border<'b> {
    /// How far the archive is.
    pub position: Position,
    /// The account of all chunks up to here. The rest of the archive's account comes with its outcome.
    pub ledger: &'b Ledger,
}

/// Where the reading of an archive begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The place, which is at the archive's start by default.
    pub position: Position,
    /// The account of all chunks before it.
    pub ledger: Ledger,
}

/// Chosen records of a batch that belong to one set.
#[derive(Clone, Debug, Default)]
pub struct ChosenRecords {
    /// The number of the set.
    pub set: usize,
    /// The records as they are written, one after the other.
    pub bytes: Vec<u8>,
    /// The lines of the index, each with the offset of its record in these bytes.
    pub lines: Vec<(u64, IndexLine)>,
    /// The date of the first that has one, as `YYYY-MM-DDThh:mm:ssZ`.
    pub date: String,
}

/// The stored bytes of a failed record or a skipped range.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Offset in the archive, in bytes, of the record's member, frame or record, or of the range.
    pub offset: u64,
    /// Length in bytes; 0 if it is not known.
    pub length: u64,
    /// Whether the bytes hold a framed record.
    pub framed: bool,
    /// The bytes of a stream, as far as they were still in memory. `None` if the archive can be read again.
    pub bytes: Option<Vec<u8>>,
}

/// How an archive's reading ended.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ArchiveOutcome {
    /// The archive's account.
    pub ledger: Ledger,
    /// Its stored size in bytes, as far as it was read.
    pub size: u64,
    /// Why it could not be read, or not to its end.
    pub error: Option<Arc<ReadFailure>>,
    /// Whether the pipeline stopped before the archive's end.
    pub interrupted: bool,
}

impl ArchiveOutcome {
    /// An archive without a record: an empty one, or a compressed one whose members are all empty.
    pub(super) fn empty(size: u64) -> Self {
        let mut outcome = Self {
            size,
            ..Self::default()
        };
        outcome.ledger.note(Note::EmptyInput);
        outcome.ledger.bytes.padding = size;
        outcome
    }

    /// Checks the account of an archive that was read to its end. If it does not close, or no record was recognised,
    /// the archive fails.
    #[doc(hidden)]
    pub fn check(&mut self, archive: &Path) {
        if self.error.is_some() || self.interrupted {
            return;
        }
        let archive = archive.to_owned();
        if let Err(source) = self.ledger.check(self.size) {
            self.error = Some(Arc::new(ReadFailure::Imbalance { archive, source }));
        } else if self.ledger.not_selected_bytes > 0 {
            // Whether the rest is an archive was not asked.
        } else if self.ledger.framed == 0 && self.ledger.has_skipped() {
            self.error = Some(Arc::new(ReadFailure::NoRecord { archive }));
        } else if self.ledger.framed == 0 && self.ledger.notes.get(Note::EmptyInput) == 0 {
            // More empty members than its format was recognised by.
            self.ledger.note(Note::EmptyInput);
        }
    }

    /// An archive that was not begun, or not finished.
    pub(super) fn interrupted() -> Self {
        Self {
            interrupted: true,
            ..Self::default()
        }
    }

    /// An archive that could not be opened.
    pub(super) fn failed(error: ReadFailure) -> Self {
        Self {
            error: Some(Arc::new(error)),
            ..Self::default()
        }
    }
}
