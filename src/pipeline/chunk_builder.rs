//! Records → a chunk: processes records, writes their documents and compresses them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::batch::BatchBoundary;
use super::chunk::{Chunk, Stored};
use crate::archive::{Format as ArchiveFormat, Record, Skipped};
use crate::config::{Format, Rules};
use crate::encode::{Compressor, jsonl, xml};
use crate::escape;
use crate::http::Scratch;
use crate::input::ArchiveInput;
use crate::ledger::Failure;
use crate::page::{Dropped, Page};
use crate::processor::Processor;
use crate::reason::{Notes, PageFault};

/// Compress the documents when they take more bytes than this, even inside a batch: small bodies may decode to large ones.
const UNCOMPRESSED: usize = 8 << 20;

/// Builds the chunks of one worker, one after the other.
pub(super) struct ChunkBuilder<'w> {
    rules: Arc<Rules>,
    inputs: &'w [ArchiveInput],
    processor: Processor,
    http: Scratch,
    /// `None` if it could not be started.
    compressor: Option<Compressor>,
    archive: usize,
    boundary: BatchBoundary,
    /// Documents that are not compressed yet.
    written: Vec<u8>,
    chunk: Chunk,
}

impl<'w> ChunkBuilder<'w> {
    pub(super) fn new(rules: &Arc<Rules>, inputs: &'w [ArchiveInput]) -> Self {
        Self {
            processor: Processor::with_rules(Arc::clone(rules)),
            http: Scratch::default(),
            compressor: Compressor::new(rules.config.output.compression()).ok(),
            rules: Arc::clone(rules),
            inputs,
            archive: 0,
            boundary: BatchBoundary::default(),
            written: Vec::new(),
            chunk: Chunk::default(),
        }
    }

    /// Throws everything away after a panic.
    pub(super) fn reset(&mut self) {
        *self = Self::new(&Arc::clone(&self.rules), self.inputs);
    }

    /// Begins the chunk of a batch; its output goes to `buffer`.
    pub(super) fn begin(&mut self, archive: usize, buffer: Vec<u8>) {
        self.archive = archive;
        self.boundary = BatchBoundary::default();
        self.written.clear();
        self.chunk = Chunk {
            bytes: buffer,
            ..Chunk::default()
        };
    }

    /// The chunk that is being built.
    pub(super) fn chunk(&mut self) -> &mut Chunk {
        &mut self.chunk
    }

    /// Takes out a part of the chunk and goes on with an empty one; its output goes to `buffer`.
    pub(super) fn take_part(&mut self, buffer: Vec<u8>) -> Chunk {
        let next = Chunk {
            bytes: buffer,
            format: self.chunk.format.clone(),
            ..Chunk::default()
        };
        std::mem::replace(&mut self.chunk, next)
    }

    /// Replaces the chunk.
    pub(super) fn replace(&mut self, chunk: Chunk) {
        self.written.clear();
        self.chunk = chunk;
    }

    /// Ends the chunk.
    pub(super) fn finish(&mut self) -> Chunk {
        self.compress();
        std::mem::take(&mut self.chunk)
    }

    pub(super) fn format(&mut self, format: Option<ArchiveFormat>) {
        self.chunk.format = format;
    }

    /// Adds a record. `kept` are its stored bytes, if it comes from a stream and they may be needed.
    pub(super) fn record(&mut self, record: &Record<'_>, kept: Option<Vec<u8>>) {
        if self.boundary.crosses(record.offset, record.block.len()) {
            self.compress();
        }
        let before = self.written.len();
        let made = catch_unwind(AssertUnwindSafe(|| self.document(record))).unwrap_or_else(|_| {
            // Throw away whatever the panic left half done.
            self.written.truncate(before);
            self.processor = Processor::with_rules(Arc::clone(&self.rules));
            self.http = Scratch::default();
            Err((PageFault::Panic.into(), record.notes.into()))
        });
        match made {
            Ok(notes) => {
                self.chunk.ledger.emit(notes);
                if self.written.len() > UNCOMPRESSED {
                    self.compress();
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
        self.store(skipped.offset, skipped.stored_length, skipped.inside, kept);
        let failure = Failure {
            archive: self.archive_name(),
            offset: skipped.offset,
            length: skipped.length,
            id: String::new(),
            reason: skipped.reason.into(),
        };
        self.chunk.failures.push(failure);
    }

    /// Makes a record's document and writes it. Returns what was odd about the page.
    fn document(&mut self, record: &Record<'_>) -> Result<Notes, (Dropped, Notes)> {
        let drop = |dropped| (dropped, record.notes.into());
        let archive = self.inputs[self.archive].archive_name();
        let page = Page::from_record(record, &self.rules, &mut self.http, archive).map_err(drop)?;
        let (document, notes) = self.processor.document_and_notes(&page).map_err(drop)?;
        match self.rules.config.output.format {
            Format::Jsonl => jsonl::write(&document, &mut self.written),
            Format::Xml => {
                // The notes already say which characters XML does not allow.
                let _ = xml::write(&document, &mut self.written);
            }
        }
        Ok(notes)
    }

    /// Compresses the documents that are not compressed yet, as one frame or member.
    fn compress(&mut self) {
        let result = match &mut self.compressor {
            Some(compressor) => compressor.compress(&self.written, &mut self.chunk.bytes),
            None => Err(io::Error::other("the compressor cannot be started; is memory short?")),
        };
        if let Err(error) = result {
            self.chunk.compress_error.get_or_insert(error);
        }
        self.written.clear();
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
        escape::name(self.inputs[self.archive].path.as_os_str()).into_owned()
    }
}
