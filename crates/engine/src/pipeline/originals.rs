//! The originals of revisits: found by a first pass over the headers of all archives, and read when a revisit asks for one.
//!
//! The first pass is the pipeline itself with another product. So it reads archives as the run does, with all threads, damage and
//! all, and gives the places of the same records for every number of threads. Only archives that can be read again have
//! originals: of a stream, nothing can be read a second time.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dehusk_archive::{Event, Header, OwnedRecord, RecordType};

use super::opened::Opened;
use super::semaphore::Semaphore;
use super::{ArchiveOutcome, Border, Chunk, Job, Order, PipelineError, Product, Progress, Sink, SinkError, Stop, run};
use crate::config::Rules;
use crate::input::{ArchiveInput, Opening};
use crate::revisit;
use dehusk_documents::folder::Folder;
use dehusk_documents::store::{Place, Places, StoreError, StoreErrorKind, StoreFailure, TakePlaces};

/// How many records are read at most to find one original. It ends chains of revisits that refer to each other.
const READS: usize = 8;

/// Where the originals of revisits may stand.
pub(crate) struct Originals {
    /// The archives that can be read again.
    inputs: Vec<ArchiveInput>,
    places: Places,
    /// Whether all of them could be read.
    are_complete: bool,
}

impl Originals {
    /// Reads the headers of archives. `file` is an empty file for what is found in them, and `path` what messages call it.
    /// `progress` is that of the run, which shows this pass as its first one.
    ///
    /// # Errors
    /// The file cannot be written, or the pipeline ended early.
    pub fn find(
        inputs: &[ArchiveInput],
        rules: &Arc<Rules>,
        threads: usize,
        (file, path): (File, &Path),
        (progress, stop): (&Progress, &Stop),
    ) -> Result<Self, PipelineError> {
        let inputs: Vec<ArchiveInput> = inputs.iter().filter(|input| input.is_repeatable()).cloned().collect();
        let pass = progress.begin_first_pass(&inputs);
        let job = Job {
            inputs: &inputs,
            starts: &[],
            rules,
            threads,
            product: Product::Places,
            order: Order::AsRead,
            seen: None,
            originals: None,
            progress: &pass,
            stop,
        };
        let mut ended = Ok(());
        let mut are_complete = true;
        let places = Places::collect(file, path, |take| {
            let mut collector = Collector {
                take,
                failure: None,
                has_failed: false,
            };
            ended = run(&job, &mut collector);
            are_complete = !collector.has_failed;
            match (collector.failure, &ended) {
                (Some(failure), _) => Err(failure),
                (None, Err(e)) => Err(StoreFailure::Caller(e.to_string().into())),
                (None, Ok(())) => Ok(()),
            }
        });
        progress.end_first_pass();
        match (places, ended) {
            (Ok(places), _) => Ok(Self {
                inputs,
                places,
                are_complete,
            }),
            (
                Err(StoreError {
                    kind: StoreErrorKind::Stopped { .. },
                    ..
                }),
                Err(e),
            ) => Err(e),
            (Err(e), _) => Err(PipelineError::Store(e)),
        }
    }
}

impl Originals {
    /// As [`Originals::find`], with a file in the system's folder for temporary files.
    ///
    /// # Errors
    /// As [`Originals::find`].
    pub(super) fn find_in_temporary_folder(
        inputs: &[ArchiveInput],
        rules: &Arc<Rules>,
        threads: usize,
        stop: &Stop,
    ) -> Result<Self, PipelineError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let folder = std::env::temp_dir();
        let name = format!("dehusk-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(&name);
        let file = Folder::open(&folder).and_then(|folder| folder.create_unnamed(OsStr::new(&name)));
        let file = file.map_err(|e| PipelineError::Store(StoreError::of(&path, e.into())))?;
        Self::find(inputs, rules, threads, (file, &path), (&Progress::default(), stop))
    }
}

/// Takes the places of records.
struct Collector<'c, 't> {
    take: &'c mut TakePlaces<'t>,
    /// Why they could not be kept.
    failure: Option<StoreFailure>,
    /// Whether an archive could not be read, or not to its end. What the run makes of it may be something else.
    has_failed: bool,
}

impl Sink for Collector<'_, '_> {
    fn chunk(&mut self, _: usize, chunk: &mut Chunk, _: Option<Border<'_>>) -> Result<(), SinkError> {
        (self.take)(std::mem::take(&mut chunk.places)).map_err(|failure| {
            self.failure = Some(failure);
            SinkError::from("the places of originals cannot be kept")
        })
    }

    fn finish(&mut self, _: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        self.has_failed |= outcome.error.is_some();
        Ok(())
    }

    fn abandon(&mut self) {}
}

/// Reads originals, for one worker.
pub(super) struct OriginalReader<'o> {
    originals: &'o Originals,
    rules: &'o Rules,
    stop: &'o Stop,
    cpu_slots: &'o Semaphore,
    /// The archive that was read last, because the next original is often in it, too.
    last: Option<(u32, Opened)>,
}

/// Why an original cannot be had, although there may be one.
pub(super) enum OriginalError {
    /// Its archive cannot be read, or the first pass could not read one that may have it.
    Unreadable,
    /// The pipeline was asked to stop.
    Stopped,
    /// The places of originals cannot be read.
    Store(StoreError),
}

impl<'o> OriginalReader<'o> {
    pub(super) fn new(originals: &'o Originals, rules: &'o Rules, stop: &'o Stop, cpu_slots: &'o Semaphore) -> Self {
        Self {
            originals,
            rules,
            stop,
            cpu_slots,
            last: None,
        }
    }

    /// The original of a revisit; `None` if it is not among the records of the run. The thread must hold a CPU slot.
    ///
    /// # Errors
    /// It cannot be had.
    pub(super) fn original(&mut self, revisit: &Header) -> Result<Option<OwnedRecord>, OriginalError> {
        let found = self.follow(revisit, &mut Vec::new())?;
        match found.is_none() && !self.originals.are_complete && !revisit::references(revisit).is_empty() {
            true => Err(OriginalError::Unreadable),
            false => Ok(found),
        }
    }

    /// Follows the references of a revisit, and those of revisits that they lead to. `read` are the places of records that were read.
    fn follow(&mut self, revisit: &Header, read: &mut Vec<Place>) -> Result<Option<OwnedRecord>, OriginalError> {
        for reference in revisit::references(revisit) {
            let place = self
                .originals
                .places
                .get(&reference.key())
                .map_err(OriginalError::Store)?;
            let Some(place) = place.filter(|place| read.len() < READS && !read.contains(place)) else {
                continue;
            };
            read.push(place);
            let Some(found) = self.read(place)? else { continue };
            if !reference.leads_to(&found.header) || !revisit::agrees(revisit, &found.header) {
                continue;
            }
            if found.header.record_type != RecordType::Revisit {
                return Ok(Some(found));
            }
            // What the records between do not say may still contradict the revisit itself.
            if let Some(original) = self.follow(&found.header, read)?
                && revisit::agrees(revisit, &original.header)
            {
                return Ok(Some(original));
            }
        }
        Ok(None)
    }

    /// Reads the record at a place.
    fn read(&mut self, place: Place) -> Result<Option<OwnedRecord>, OriginalError> {
        let unreadable = |stop: &Stop| match stop.requested() {
            // A cancelled read reports an error, too, but the archive is not at fault.
            true => OriginalError::Stopped,
            false => OriginalError::Unreadable,
        };
        let known = self.last.take().filter(|(archive, _)| *archive == place.archive);
        let opened = match known {
            Some((_, opened)) => opened,
            None => self.open(place).map_err(|_| unreadable(self.stop))?,
        };
        let mut records = opened.archive.records_between(place.stored(), Vec::new());
        let mut found = None;
        while let Some(event) = records.next_event() {
            let Event::Record(record) = event else { continue };
            let at = (record.offset, record.offset_in_member);
            if at == (place.offset, place.offset_in_member) {
                found = Some(record.into_owned());
            }
            if at >= (place.offset, place.offset_in_member) {
                break;
            }
        }
        let error = records.take_error();
        drop(records);
        // Ask after the record was copied, because a mapped file may lose its bytes at any moment.
        if error.is_some() && found.is_none() || opened.archive.check().is_err() {
            return Err(unreadable(self.stop));
        }
        // Of an archive that is read by requests, only this record was asked for.
        if !self.originals.inputs[place.archive as usize].is_read_by_requests() {
            self.last = Some((place.archive, opened));
        }
        Ok(found)
    }

    fn open(&self, place: Place) -> Result<Opened, dehusk_archive::ArchiveError> {
        let input = self.originals.inputs[place.archive as usize].for_record(place.stored());
        let opening = Opening::parallel(&self.rules.config, 1, self.stop.flag());
        Opened::open(&input, &opening, self.stop, self.cpu_slots)
    }
}
