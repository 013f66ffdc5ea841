//! Records → a chunk: processes records and encodes their documents.

use std::sync::Arc;
use std::time::Instant;

use super::batch::BatchBoundary;
use super::chunk::{ChosenRecords, Chunk, Stored};
use super::job::{Job, Product};
use super::observed::SlowPage;
use super::originals::{OriginalError, OriginalReader};
use crate::analysis::Analysis;
use crate::config::Rules;
use crate::input::ArchiveInput;
use crate::ledger::Failure;
use crate::page::Dropped;
use crate::processor::{PageRecord, Processor, caught};
use crate::reason::{Filtered, Notes, PageFault, PageNote};
use crate::records_out::{Chosen, container_for, file_name, media_type, office_kind};
use crate::revisit;
use crate::robots;
use crate::sites::{PageSketch, Sketcher, host_of};
use dehusk_archive::copy::{CopiedRecord, Copier};
use dehusk_archive::escape;
use dehusk_archive::http::Scratch;
use dehusk_archive::{ByteSource, Fault, Formats, OwnedRecord, Record, RecordType, Skipped};
use dehusk_documents::document::size_in_memory;
use dehusk_documents::encode::Encoder;
use dehusk_documents::store::Seen;

/// Finish a part when its documents take more bytes than this, even inside a batch: small bodies may decode to large
/// ones.
const PENDING: usize = 8 << 20;

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
    sketcher: Sketcher,
    /// Holds the documents of the part that is not finished yet.
    encoder: Box<dyn Encoder>,
    archive: usize,
    boundary: BatchBoundary,
    chunk: Chunk,
    /// About how much memory the chunk's documents take that are not encoded, in bytes.
    documents_size: usize,
    /// The same of its chosen records.
    chosen_size: usize,
    /// Where bodies of robots.txt records are decoded.
    http: Scratch,
    /// The sets that the last document chose its record for.
    by_document: Chosen,
}

impl<'w> ChunkBuilder<'w> {
    pub(super) fn new(job: &Job<'w>, originals: Option<OriginalReader<'w>>) -> Self {
        Self {
            processor: Processor::with_rules(Arc::clone(job.rules)),
            sketcher: Sketcher::default(),
            encoder: new_encoder(job.rules),
            rules: Arc::clone(job.rules),
            inputs: job.inputs,
            product: job.product,
            seen: job.seen,
            originals,
            was_stopped: false,
            archive: 0,
            boundary: BatchBoundary::default(),
            chunk: Chunk::default(),
            documents_size: 0,
            chosen_size: 0,
            http: Scratch::default(),
            by_document: Chosen::default(),
        }
    }

    /// Drops everything that a panic may have left in the middle of its work.
    pub(super) fn reset(&mut self) {
        self.processor = Processor::with_rules(Arc::clone(&self.rules));
        self.sketcher = Sketcher::default();
        self.encoder = new_encoder(&self.rules);
        self.replace(Chunk::default());
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
        self.chunk.bytes.len() + self.documents_size + self.chosen_size + std::mem::size_of_val(&*self.chunk.places)
    }

    /// Whether the batch is not whole, because the pipeline was asked to stop.
    pub(super) fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// Takes out a part of the chunk and continues with an empty one; its output goes to `buffer`.
    pub(super) fn take_part(&mut self, buffer: Vec<u8>) -> Chunk {
        (self.documents_size, self.chosen_size) = (0, 0);
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
        (self.documents_size, self.chosen_size) = (0, 0);
        self.chunk = chunk;
    }

    /// Ends the chunk.
    pub(super) fn finish(&mut self) -> Chunk {
        self.finish_part();
        if let Some(error) = self.rules.sites.as_ref().and_then(|sites| sites.failure()) {
            self.chunk.store_error = Some(error);
        }
        std::mem::take(&mut self.chunk)
    }

    /// Sets the formats of the archive, and the source from which its bytes can be read again.
    pub(super) fn set_archive(&mut self, formats: Formats, source: Option<Arc<dyn ByteSource>>) {
        self.chunk.formats = formats;
        self.chunk.source = source;
    }

    /// Adds a record. `kept` are its stored bytes, if it comes from a stream and they may be needed.
    pub(super) fn add_record(&mut self, record: &Record<'_>, kept: Option<Vec<u8>>) {
        if !self.inputs[self.archive].selects(record.offset, record.offset_in_member) {
            return;
        }
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
        let mut notes = record.notes.into();
        let made = caught(|| self.add_document(record, &mut notes));
        if made == Err(PageFault::Panic.into()) {
            // The encoder drops the incomplete document.
            notes = record.notes.into();
        }
        if self.keeps_records() {
            let kept: Result<(), Dropped> = caught(|| {
                self.copy_chosen(record, made);
                self.add_robots(record);
                Ok(())
            });
            if kept.is_err() {
                self.chunk.ledger.note(PageNote::NotCopied);
            }
        }
        match made {
            Ok(()) => {
                self.chunk.ledger.emit(notes);
                if self.encoder.pending() > PENDING {
                    self.finish_part();
                }
            }
            Err(dropped) => {
                self.chunk.ledger.drop(dropped, notes);
                if dropped == Filtered::Mime.into()
                    && let Some(kind) = office_kind(&media_type(record))
                {
                    self.chunk.ledger.count_file(kind);
                }
                if let Dropped::Failed(reason) = dropped {
                    self.note_stored_range(record.offset, record.stored_length, true, kept);
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

    /// Adds the line of a robots.txt record, if the table is asked for.
    fn add_robots(&mut self, record: &Record<'_>) {
        let config = &self.rules.config;
        if !config.output.robots {
            return;
        }
        let limit = config.limits.of_body(record.block.len());
        if let Some(line) = robots::line(record, limit, &mut self.http) {
            self.chosen_size += line.len();
            self.chunk.robots.extend_from_slice(&line);
        }
    }

    /// Whether a run writes records out: it does so where records become documents, and are not only looked at.
    fn keeps_records(&self) -> bool {
        let is_asked = self.rules.config.output.robots || !self.rules.records.is_empty();
        is_asked && matches!(self.product, Product::Encoded | Product::Documents)
    }

    /// Copies a record to the sets that it belongs to.
    fn copy_chosen(&mut self, record: &Record<'_>, made: Result<(), Dropped>) {
        let rules = Arc::clone(&self.rules);
        let by_document = std::mem::take(&mut self.by_document);
        let by_document = if made.is_ok() { by_document } else { Chosen::default() };
        let chosen = by_document.union(rules.records.of_record(record, made.as_ref().map(|_| ())));
        let container = container_for(&self.chunk.formats);
        let mut copied: Option<CopiedRecord> = None;
        for (number, (set, _)) in rules.records.iter().enumerate() {
            if !chosen.iter().any(|chosen| chosen == number) {
                continue;
            }
            let name = file_name(self.inputs[self.archive].shard(), set, container);
            let copier = Copier::new(container, name);
            // A record of several sets is copied once. Only its lines differ, by the names of the archives.
            let (copied, line) = match &copied {
                Some(copied) => (copied, copied.line.as_ref().map(|line| copier.line(line))),
                None => match copier.record(self.chunk.source.as_deref(), record) {
                    Ok(first) => {
                        let line = first.line.clone();
                        (&*copied.insert(first), line)
                    }
                    Err(_) => {
                        self.chunk.ledger.note(PageNote::NotCopied);
                        return;
                    }
                },
            };
            let all = &mut self.chunk.chosen;
            let at = all.iter().position(|records| records.set == number).unwrap_or_else(|| {
                all.push(ChosenRecords {
                    set: number,
                    ..ChosenRecords::default()
                });
                all.len() - 1
            });
            let records = &mut all[at];
            self.chosen_size += copied.bytes.len();
            if records.date.is_empty() {
                records.date = record.header.date();
            }
            if let Some(line) = line {
                self.chosen_size += line.size();
                records.lines.push((records.bytes.len() as u64, line));
            }
            records.bytes.extend_from_slice(&copied.bytes);
        }
    }

    /// Adds a skipped range. `kept` are its stored bytes, if it comes from a stream and they may be needed.
    pub(super) fn add_skipped(&mut self, skipped: &Skipped, kept: Option<Vec<u8>>) {
        self.chunk.ledger.skip(skipped);
        self.note_stored_range(skipped.offset, skipped.stored_length, skipped.is_inside(), kept);
        let failure = Failure {
            archive: self.archive_name(),
            offset: skipped.offset,
            length: skipped.length(),
            id: String::new(),
            reason: skipped.reason.into(),
        };
        self.chunk.failures.push(failure);
    }

    /// Makes a record's document and adds it to the chunk. Enters what was odd about the record and its page in
    /// `notes`.
    fn add_document(&mut self, record: &Record<'_>, notes: &mut Notes) -> Result<(), Dropped> {
        let original = self.original(record)?;
        if original.is_some() {
            notes.add(PageNote::RevisitResolved);
        }
        let input = &self.inputs[self.archive];
        let record = PageRecord {
            record,
            original: original.as_ref(),
            archive: input.archive_name(),
            language: input.language(record.offset, record.offset_in_member),
        };
        if self.product == Product::Sketches {
            return self.add_sketch(&record);
        }
        let (product, seen, chunk, encoder) = (self.product, self.seen, &mut self.chunk, &mut self.encoder);
        let (documents_size, by_document) = (&mut self.documents_size, &mut self.by_document);
        self.processor.with_page(&record, |processor, page| {
            if let (Some(seen), Some(payload)) = (seen, &page.payload) {
                match seen.contains(payload) {
                    Ok(false) => {}
                    Ok(true) => return Err(Filtered::Duplicate.into()),
                    Err(error) => chunk.store_error = Some(error),
                }
            }
            let started = Instant::now();
            let made = processor.document_and_notes(page);
            let time = started.elapsed();
            if product == Product::Encoded && chunk.observed.is_slow(time) {
                let (url, place) = (page.url.to_string(), place_name(input, record.record));
                chunk.observed.slow(SlowPage { time, url, place });
            }
            let document;
            (document, *notes) = made?;
            *by_document = processor.rules().records.of_document(&document);
            match product {
                Product::Encoded => {
                    chunk.observed.document(&document, page.html.len());
                    encoder.add(&document);
                }
                Product::Documents => {
                    *documents_size += size_in_memory(&document);
                    chunk.documents.push(document);
                }
                Product::Places | Product::Sketches => {}
            }
            chunk.payloads.extend(page.payload);
            Ok(())
        })
    }

    /// Adds the sketch of a record's page to the chunk. A page that is text already has none.
    fn add_sketch(&mut self, record: &PageRecord<'_>) -> Result<(), Dropped> {
        let (sketcher, chunk, size) = (&mut self.sketcher, &mut self.chunk, &mut self.documents_size);
        self.processor.with_page(record, |processor, page| {
            if page.is_text {
                return Ok(());
            }
            let host = host_of(&page.url);
            let made = sketcher.sketch(&host, &page.url, &page.provenance.date, |sketch| {
                processor.analyze(page, |analysis: &Analysis<'_, '_>| sketch(analysis.dom()))
            })?;
            *size += made.as_ref().map_or(0, PageSketch::size);
            chunk.sketches.push((host, made));
            Ok(())
        })
    }

    /// The original of a revisit; `None` if the record is none, or its original is not to be found.
    fn original(&mut self, record: &Record<'_>) -> Result<Option<OwnedRecord>, Dropped> {
        let is_revisit = record.header.record_type == RecordType::Revisit && record.failure.is_none();
        let Some(reader) = self.originals.as_mut().filter(|_| is_revisit) else {
            return Ok(None);
        };
        match reader.original(&record.header) {
            Ok(original) => return Ok(original),
            Err(OriginalError::Unreadable) => return Err(Fault::Unreadable.into()),
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
    fn note_stored_range(&mut self, offset: u64, length: u64, framed: bool, bytes: Option<Vec<u8>>) {
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

fn new_encoder(rules: &Rules) -> Box<dyn Encoder> {
    let output = &rules.config.output;
    output.format.encoder(output.compression())
}

/// The place of a record, as `dehusk inspect` takes it.
fn place_name(input: &ArchiveInput, record: &Record<'_>) -> String {
    let archive = input.display_name();
    match record.offset_in_member {
        0 => format!("{archive}@{}", record.offset),
        inside => format!("{archive}@{}+{inside}", record.offset),
    }
}
