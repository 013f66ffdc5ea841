//! The first pass over the headers of all archives, which finds the originals of revisits.
//!
//! It is the pipeline itself with another product. So it reads archives as the run does, with all threads and all
//! damage, and finds the places of the same records for every number of threads. Only archives that can be read again
//! have originals: a stream cannot be read a second time.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk::{ArchiveOutcome, Border, Chunk};
use super::error::{PipelineError, SinkError};
use super::job::{Job, Order, Product};
use super::originals::Originals;
use super::progress::{Progress, Stop};
use super::threads::run;
use super::writer::Sink;
use crate::config::Rules;
use crate::input::ArchiveInput;
use dehusk_documents::folder::Folder;
use dehusk_documents::store::{Places, StoreError, StoreErrorKind, StoreFailure, TakePlaces};

/// The parameters of the first pass.
pub(crate) struct FirstPass<'p> {
    pub inputs: &'p [ArchiveInput],
    pub rules: &'p Arc<Rules>,
    pub threads: usize,
    /// The counters of the run, which shows this pass as its first one.
    pub progress: &'p Progress,
    pub stop: &'p Stop,
}

impl Originals {
    /// Reads the headers of archives. `file` is an empty file for their places, and `path` its name in messages.
    ///
    /// # Errors
    /// The file cannot be written, or the pipeline ended early.
    pub fn find(pass: &FirstPass<'_>, file: File, path: &Path) -> Result<Self, PipelineError> {
        let inputs = pass.inputs.iter().filter(|input| input.is_repeatable());
        let inputs: Vec<ArchiveInput> = inputs.cloned().collect();
        let progress = pass.progress.begin_first_pass(&inputs);
        let job = Job {
            inputs: &inputs,
            starts: &[],
            rules: pass.rules,
            threads: pass.threads,
            product: Product::Places,
            order: Order::AsRead,
            seen: None,
            originals: None,
            progress: &progress,
            stop: pass.stop,
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
        pass.progress.end_first_pass();
        match (places, ended) {
            (Ok(places), _) => Ok(Self {
                inputs,
                places,
                are_complete,
            }),
            (Err(e), Err(ended)) if matches!(e.kind, StoreErrorKind::Stopped { .. }) => Err(ended),
            (Err(e), _) => Err(PipelineError::Store(e)),
        }
    }

    /// Does the same as [`Originals::find`], with a file in the system's folder for temporary files.
    ///
    /// # Errors
    /// The file cannot be created or written, or the pipeline ended early.
    pub(super) fn find_in_temporary_folder(pass: &FirstPass<'_>) -> Result<Self, PipelineError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let folder = std::env::temp_dir();
        let name = format!("dehusk-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(&name);
        let file = Folder::open(&folder).and_then(|folder| folder.create_unnamed(OsStr::new(&name)));
        let file = file.map_err(|e| PipelineError::Store(StoreError::from_redb(&path, e.into())))?;
        Self::find(pass, file, &path)
    }
}

/// Takes the places of records.
struct Collector<'c, 't> {
    take: &'c mut TakePlaces<'t>,
    /// Why they could not be stored.
    failure: Option<StoreFailure>,
    /// Whether an archive could not be read, or not to its end. In the run it may end differently.
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
