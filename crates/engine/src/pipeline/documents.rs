//! An iterator over the documents of archives: the pipeline without a run directory.

use std::sync::Arc;
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::vec;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::chunk::{ArchiveOutcome, Border, Chunk};
use super::error::{PipelineError, ReadFailure, SinkError};
use super::first_pass::FirstPass;
use super::job::{Job, Order, Product};
use super::originals::Originals;
use super::progress::{Progress, Stop};
use super::threads::{run, threads};
use super::writer::Sink;
use crate::config::{Config, ConfigError, Rules};
use crate::input::{ArchiveInput, name_shards};
use crate::ledger::Failure;
use dehusk_documents::document::Document;
use dehusk_documents::encode::OutputFormat;

/// How many chunks wait for the iterator besides those that hold a permit: enough to work on while one is consumed.
const CHUNKS: usize = 1;

/// How many failures are held until they are taken. They need some ten megabytes.
const FAILURES_HELD: usize = 100_000;

/// How long a call waits for a batch before it waits again.
const WAIT: Duration = Duration::from_secs(3600);

/// The name of the thread that the pipeline's writer runs in.
const THREAD: &str = "documents";

/// Reads the documents of archives with all threads of the configuration.
///
/// The documents come in the order of the archives, and within an archive in the order of its records, for every number
/// of threads. The pipeline runs in the background, a few batches ahead of the iterator. It stops when the iterator is
/// dropped. Settings of the output (format, compression, quarantine, records, robots) have no effect.
///
/// The number of these batches bounds the memory. The documents of a batch are in memory together. For an archive that
/// is divided into windows they take about 32 MiB at most. A stream, or an archive that is one large gzip member or
/// zstd frame, is cut into batches by the records' stored blocks only. If bodies there are coded small and decode
/// large, a batch may hold up to the number of its records times `limits.page_bytes`.
///
/// With `select.resolve_revisits`, the headers of all archives are read first, and what is found is kept in a file
/// without a name in the system's folder for temporary files.
///
/// ```
/// let config = dehusk::Config::default();
/// let archive = "docs/sample/sample.warc.gz";
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
/// let mut documents = dehusk::documents(&config, [archive])?;
/// let mut words = 0;
/// for document in &mut documents {
///     words += document?.metadata.words;
/// }
/// let account = &documents.outcomes()[0];
/// println!("{words} words in {} of {} records", account.ledger.emitted, account.ledger.framed);
/// # assert_eq!(account.ledger.framed, 65);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The configuration is invalid. Later errors come through the iterator.
pub fn documents<I>(config: &Config, inputs: I) -> Result<Documents, ConfigError>
where
    I: IntoIterator,
    I::Item: Into<ArchiveInput>,
{
    let mut config = config.clone();
    config.output.format = OutputFormat::default();
    config.output.quarantine = false;
    config.output.records.clear();
    config.output.robots = false;
    if !config.select.seen.is_empty() {
        let message = "“select.seen” is for runs, which add their payloads when they are complete; an iterator over \
                       documents has none";
        return Err(ConfigError::invalid("select.seen", message));
    }
    let rules = Rules::new(&config)?;
    let mut inputs: Vec<ArchiveInput> = inputs.into_iter().map(Into::into).collect();
    name_shards(&mut inputs);
    Ok(Documents::start(Arc::new(rules), inputs))
}

/// The documents of archives, in order; made by [`documents`].
///
/// An archive that cannot be read, or not to its end, gives an error after its documents; then the next archive
/// follows.
#[derive(Debug)]
pub struct Documents {
    deliveries: Option<Receiver<Delivery>>,
    chunk: vec::IntoIter<Document>,
    failures: Vec<Failure>,
    outcomes: Vec<ArchiveOutcome>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// A message of the pipeline's thread to the iterator.
enum Delivery {
    Documents(Vec<Document>, Vec<Failure>),
    ArchiveEnd(ArchiveOutcome),
    Failed(PipelineError),
}

/// Why documents are missing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentsError {
    /// An archive could not be read, or not to its end. The documents before this error are good.
    #[error(transparent)]
    Archive(Arc<ReadFailure>),
    /// The pipeline ended. No more documents follow.
    #[error(transparent)]
    Pipeline(PipelineError),
}

impl Documents {
    fn start(rules: Arc<Rules>, inputs: Vec<ArchiveInput>) -> Self {
        let stop = Stop::default();
        let (sender, deliveries) = bounded(CHUNKS);
        let stop_of_thread = stop.clone();
        let failed = sender.clone();
        let body = move || {
            let mut sink = Forward(sender);
            if let Err(error) = read_all(&rules, &inputs, &stop_of_thread, &mut sink) {
                // If the iterator was dropped, the error is not needed.
                let _ = sink.0.send(Delivery::Failed(error));
            }
        };
        let spawned = thread::Builder::new().name(THREAD.into()).spawn(body);
        let thread = match spawned {
            Ok(thread) => Some(thread),
            Err(source) => {
                // There is room for one message.
                let _ = failed.send(Delivery::Failed(PipelineError::Spawn { threads: 1, source }));
                None
            }
        };
        Self {
            deliveries: Some(deliveries),
            chunk: Vec::new().into_iter(),
            failures: Vec::new(),
            outcomes: Vec::new(),
            stop,
            thread,
        }
    }

    /// The accounts of the archives that are finished, in their order. When the iterator has ended, that is all of
    /// them.
    pub fn outcomes(&self) -> &[ArchiveOutcome] {
        &self.outcomes
    }

    /// The failed records and skipped ranges since the last call. At most 100,000 are held until they are taken; the
    /// accounts count all of them.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// The documents of the next batch, as many as the pipeline has made together. Never empty.
    pub fn next_batch(&mut self) -> Option<Result<Vec<Document>, DocumentsError>> {
        loop {
            if let Poll::Ready(batch) = self.poll_batch(WAIT) {
                return batch;
            }
        }
    }

    /// Does the same as [`Documents::next_batch`], but waits at most this long.
    pub fn poll_batch(&mut self, wait: Duration) -> Poll<Option<Result<Vec<Document>, DocumentsError>>> {
        if self.chunk.len() > 0 {
            return Poll::Ready(Some(Ok(std::mem::take(&mut self.chunk).collect())));
        }
        loop {
            let Some(deliveries) = &self.deliveries else {
                return Poll::Ready(None);
            };
            match deliveries.recv_timeout(wait) {
                Ok(Delivery::Documents(documents, failures)) => {
                    let room = FAILURES_HELD.saturating_sub(self.failures.len());
                    self.failures.extend(failures.into_iter().take(room));
                    if !documents.is_empty() {
                        return Poll::Ready(Some(Ok(documents)));
                    }
                }
                Ok(Delivery::ArchiveEnd(outcome)) => {
                    let failure = outcome.error.clone();
                    self.outcomes.push(outcome);
                    if let Some(failure) = failure {
                        return Poll::Ready(Some(Err(DocumentsError::Archive(failure))));
                    }
                }
                Ok(Delivery::Failed(error)) => {
                    self.deliveries = None;
                    return Poll::Ready(Some(Err(DocumentsError::Pipeline(error))));
                }
                Err(RecvTimeoutError::Timeout) => return Poll::Pending,
                Err(RecvTimeoutError::Disconnected) => {
                    self.deliveries = None;
                    if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
                        let name = THREAD.to_owned();
                        return Poll::Ready(Some(Err(DocumentsError::Pipeline(PipelineError::ThreadDied { name }))));
                    }
                }
            }
        }
    }
}

impl Iterator for Documents {
    type Item = Result<Document, DocumentsError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(document) = self.chunk.next() {
                return Some(Ok(document));
            }
            match self.next_batch()? {
                Ok(documents) => self.chunk = documents.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Drop for Documents {
    fn drop(&mut self) {
        self.stop.request();
        self.deliveries = None;
        if let Some(thread) = self.thread.take() {
            // The iterator is gone, so a panic cannot be reported.
            let _ = thread.join();
        }
    }
}

/// Runs the pipeline over all archives.
fn read_all(rules: &Arc<Rules>, inputs: &[ArchiveInput], stop: &Stop, sink: &mut Forward) -> Result<(), PipelineError> {
    let (threads, progress) = (threads(&rules.config), &Progress::default());
    let pass = FirstPass {
        inputs,
        rules,
        threads,
        progress,
        stop,
    };
    let originals = if rules.config.select.resolve_revisits {
        Some(Originals::find_in_temporary_folder(&pass)?)
    } else {
        None
    };
    let job = Job {
        inputs,
        starts: &[],
        rules,
        threads,
        product: Product::Documents,
        order: Order::AsListed,
        seen: None,
        originals: originals.as_ref(),
        progress,
        stop,
    };
    run(&job, sink)
}

/// The pipeline's sink: sends everything on. When the iterator is gone, the error stops the pipeline.
struct Forward(Sender<Delivery>);

impl Forward {
    fn send(&self, message: Delivery) -> Result<(), SinkError> {
        self.0.send(message).map_err(|_| "the iterator was dropped".into())
    }
}

impl Sink for Forward {
    fn chunk(&mut self, _: usize, chunk: &mut Chunk, _: Option<Border<'_>>) -> Result<(), SinkError> {
        let documents = std::mem::take(&mut chunk.documents);
        let failures = std::mem::take(&mut chunk.failures);
        if documents.is_empty() && failures.is_empty() {
            return Ok(());
        }
        self.send(Delivery::Documents(documents, failures))
    }

    fn finish(&mut self, _: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        self.send(Delivery::ArchiveEnd(outcome))
    }

    fn abandon(&mut self) {}
}
