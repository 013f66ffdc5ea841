//! Records → a chunk: processes records and encodes their documents.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::batch::BatchBoundary;
use super::chunk::{Chunk, Stored};
use super::observed::SlowPage;
use super::originals::{OriginalError, OriginalReader};
use crate::config::Rules;
use crate::input::ArchiveInput;
use crate::ledger::Failure;
use crate::page::{Dropped, Page};
use crate::processor::Processor;
use crate::reason::{Filtered, Notes, PageFault, PageNote};
use crate::revisit;
use dehusk_archive::escape;
use dehusk_archive::http::Scratch;
use dehusk_archive::{ByteSource, Fault, Formats, OwnedRecord, Record, RecordType, Skipped};
use dehusk_documents::document::size_in_memory;
use dehusk_documents::encode::Encoder;
use dehusk_documents::store::Seen;

/// Finish a part when its documents take more bytes than this, even inside a batch: small bodies may decode to large ones.
const PENDING: usize = 8 << 20;

/// What becomes of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// They are encoded in the configured format, as parts of a shard.
    Encoded,
    /// They stay as they are, for a consumer in this process.
    Documents,
    /// There are none: only the places of records are wanted, by which revisits find their originals.
    Places,
}

/// Builds the chunks of one worker, one after the other.
pub(super) struct ChunkBuilder<'w> {
    rules: Arc<Rules>,
    inputs: &'w [ArchiveInput],
    product: Product,
    seen: Option<&'w Seen>,
    originals: Option<OriginalReader<'w>>,
    /// Whether a revisit waited for its original when the pipeline was asked to stop.
    was_stopped: bool,
    processor: Processor,
    http: Scratch,
    /// Holds the documents of the part that is not finished yet.
    encoder: Box<dyn Encoder>,
    archive: usize,
    boundary: BatchBoundary,
    chunk: Chunk,
    /// What the chunk's documents that are not encoded take in memory, about, in bytes.
    documents_size: usize,
}

impl<'w> ChunkBuilder<'w> {
    pub(super) fn new(
        rules: &Arc<Rules>,
        inputs: &'w [ArchiveInput],
        product: Product,
        seen: Option<&'w Seen>,
        originals: Option<OriginalReader<'w>>,
    ) -> Self {
        Self {
            processor: Processor::with_rules(Arc::clone(rules)),
            http: Scratch::default(),
            encoder: rules.config.output.format.encoder(rules.config.output.compression()),
            rules: Arc::clone(rules),
            inputs,
            product,
            seen,
            originals,
            was_stopped: false,
            archive: 0,
            boundary: BatchBoundary::default(),
            chunk: Chunk::default(),
            documents_size: 0,
        }
    }

    /// Throws everything away after a panic.
    pub(super) fn reset(&mut self) {
        let originals = self.originals.take();
        *self = Self::new(
            &Arc::clone(&self.rules),
            self.inputs,
            self.product,
            self.seen,
            originals,
        );
    }

    /// Begins the chunk of a batch; its output goes to `buffer`.
    pub(super) fn begin(&mut self, archive: usize, buffer: Vec<u8>) {
        self.archive = archive;
        self.was_stopped = false;
        self.boundary = BatchBoundary::default();
        self.replace(Chunk {
            bytes: buffer,
            ..Chunk::default()
        });
    }

    /// The chunk that is being built.
    pub(super) fn chunk(&mut self) -> &mut Chunk {
        &mut self.chunk
    }

    /// How many bytes of finished output the chunk holds.
    pub(super) fn held(&self) -> usize {
        self.chunk.bytes.len() + self.documents_size + std::mem::size_of_val(&*self.chunk.places)
    }

    /// Whether the batch is not whole, because the pipeline was asked to stop.
    pub(super) fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// Takes out a part of the chunk and goes on with an empty one; its output goes to `buffer`.
    pub(super) fn take_part(&mut self, buffer: Vec<u8>) -> Chunk {
        self.documents_size = 0;
        let next = Chunk {
            bytes: buffer,
            formats: self.chunk.formats.clone(),
            source: self.chunk.source.clone(),
            ..Chunk::default()
        };
        std::mem::replace(&mut self.chunk, next)
    }

    /// Replaces the chunk.
    pub(super) fn replace(&mut self, chunk: Chunk) {
        self.encoder.discard();
        self.documents_size = 0;
        self.chunk = chunk;
    }

    /// Ends the chunk.
    pub(super) fn finish(&mut self) -> Chunk {
        self.finish_part();
        std::mem::take(&mut self.chunk)
    }

    /// Says what the archive is, and where its bytes can be read again.
    pub(super) fn set_archive(&mut self, formats: Formats, source: Option<Arc<dyn ByteSource>>) {
        self.chunk.formats = formats;
        self.chunk.source = source;
    }

    /// Adds a record. `kept` are its stored bytes, if it comes from a stream and they may be needed.
    pub(super) fn record(&mut self, record: &Record<'_>, kept: Option<Vec<u8>>) {
        if self.boundary.crosses(record.offset, record.block.len()) {
            self.finish_part();
        }
        if self.product == Product::Places {
            // Nothing of a stream can be read again.
            if self.chunk.source.is_some() {
                self.chunk.places.extend(revisit::places(record, self.archive as u32));
            }
            return;
        }
        let made = catch_unwind(AssertUnwindSafe(|| self.document(record))).unwrap_or_else(|_| {
            // The panic may have left these two in the middle of their work. The encoder drops an incomplete document.
            self.processor = Processor::with_rules(Arc::clone(&self.rules));
            self.http = Scratch::default();
            Err((PageFault::Panic.into(), record.notes.into()))
        });
        match made {
            Ok(notes) => {
                self.chunk.ledger.emit(notes);
                if self.encoder.pending() > PENDING {
                    self.finish_part();
                }
            }
            Err((dropped, notes)) => {
                self.chunk.ledger.drop(dropped, notes);
                if let Dropped::Failed(reason) = dropped {
                    self.store(record.offset, record.stored_length, true, kept);
                    let failure = Failure {
                        archive: self.archive_name(),
                        offset: record.offset,
                        length: record.stored_length,
                        id: record.header.id().into_owned(),
                        reason,
                    };
                    self.chunk.failures.push(failure);
                }
            }
        }
    }

    /// Adds a skipped range. `kept` are its stored bytes, if it comes from a stream and they may be needed.
    pub(super) fn skipped(&mut self, skipped: &Skipped, kept: Option<Vec<u8>>) {
        self.chunk.ledger.skip(skipped);
        self.store(skipped.offset, skipped.stored_length, skipped.is_inside(), kept);
        let failure = Failure {
            archive: self.archive_name(),
            offset: skipped.offset,
            length: skipped.length(),
            id: String::new(),
            reason: skipped.reason.into(),
        };
        self.chunk.failures.push(failure);
    }

    /// Makes a record's document and adds it to the chunk. Returns what was odd about the page.
    fn document(&mut self, record: &Record<'_>) -> Result<Notes, (Dropped, Notes)> {
        let original = match &self.originals {
            Some(_) if record.header.record_type == RecordType::Revisit => self.original(record)?,
            _ => None,
        };
        let mut notes: Notes = record.notes.into();
        if original.is_some() {
            notes.add(PageNote::RevisitResolved);
        }
        let drop = |dropped| (dropped, notes);
        let archive = self.inputs[self.archive].archive_name();
        let page = match &original {
            Some(original) => Page::from_revisit(record, original, &self.rules, &mut self.http, archive),
            None => Page::from_record(record, &self.rules, &mut self.http, archive),
        };
        let page = page.map_err(drop)?;
        let payload = page.payload;
        if let (Some(seen), Some(payload)) = (self.seen, &payload) {
            match seen.contains(payload) {
                Ok(false) => {}
                Ok(true) => return Err(drop(Filtered::Duplicate.into())),
                Err(error) => self.chunk.store_error = Some(error),
            }
        }
        let started = Instant::now();
        let made = self.processor.document_and_notes(&page);
        let time = started.elapsed();
        if self.product == Product::Encoded && self.chunk.observed.is_slow(time) {
            let place = match record.offset_in_member {
                0 => format!("{}@{}", escape::path(self.inputs[self.archive].label()), record.offset),
                inside => format!(
                    "{}@{}+{inside}",
                    escape::path(self.inputs[self.archive].label()),
                    record.offset
                ),
            };
            let url = page.url.to_string();
            self.chunk.observed.slow(SlowPage { time, url, place });
        }
        let (document, notes) = made.map_err(drop)?;
        match self.product {
            Product::Encoded => {
                self.chunk.observed.document(&document, page.html.len());
                self.encoder.add(&document);
            }
            Product::Documents => {
                self.documents_size += size_in_memory(&document);
                self.chunk.documents.push(document);
            }
            Product::Places => {}
        }
        self.chunk.payloads.extend(payload);
        Ok(notes)
    }

    /// The original of a revisit; `None` if there is none.
    fn original(&mut self, revisit: &Record<'_>) -> Result<Option<OwnedRecord>, (Dropped, Notes)> {
        let Some(reader) = self.originals.as_mut().filter(|_| revisit.failure.is_none()) else {
            return Ok(None);
        };
        match reader.original(&revisit.header) {
            Ok(original) => return Ok(original),
            Err(OriginalError::Unreadable) => return Err((Fault::Unreadable.into(), revisit.notes.into())),
            Err(OriginalError::Stopped) => self.was_stopped = true,
            Err(OriginalError::Store(error)) => self.chunk.store_error = Some(error),
        }
        Ok(None)
    }

    /// Appends the documents that are in no part yet to the chunk, as one part.
    fn finish_part(&mut self) {
        if let Err(error) = self.encoder.finish_part(&mut self.chunk.bytes) {
            self.chunk.encode_error.get_or_insert(error);
        }
    }

    /// Remembers where the stored bytes of the next failure are.
    fn store(&mut self, offset: u64, length: u64, framed: bool, bytes: Option<Vec<u8>>) {
        if self.rules.config.output.quarantine {
            self.chunk.stored.push(Stored {
                offset,
                length,
                framed,
                bytes,
            });
        }
    }

    /// The archive's name in `failed.jsonl`.
    fn archive_name(&self) -> String {
        escape::name(self.inputs[self.archive].label().as_os_str()).into_owned()
    }
}
