//! The pipeline: archives → chunks, through reader threads, worker threads and an ordered writer.
//!
//! ```text
//! readers ──batches──▶ workers ──chunks──▶ writer
//!    ▲                    ▲                  │
//!    │                    └─── read again ───┤   a window whose start was guessed wrong
//!    └──────────── permits ──────────────────┘   one for every chunk that was written
//! ```
//!
//! - A **batch** is the records that start within one window of stored bytes. It is cut further where their blocks would
//!   pass [`BATCH_DECODED`]. Its boundaries depend on the input alone. So chunks, and with them shards, are the same for
//!   every number of threads.
//! - **Permits** bound the batches between reader and writer. A reader takes one before it makes a batch. So a slow page
//!   makes the others wait, and the writer's queue does not grow.
//! - **CPU slots** bound the threads that do heavy work (inflate, parse, extract, compress) at a time. A thread that waits
//!   for bytes (of a pipe, or of a source that [may wait](dehusk_archive::ByteSource::may_wait)) gives its slot to others. So that
//!   there are others, archives that may wait have readers and workers besides the usual ones, and permits of their own.
//! - An archive that is read by ranges and has a member a record is cut into windows, which workers inflate themselves,
//!   starting at a guess. The writer checks each guess against the end of the window before. If a guess was wrong, a
//!   worker reads the window again.
//! - The **originals** of revisits are found before, by a pass that makes no documents but remembers where records stand.
//! - A **sink** takes what the writer has put in order: [`mod@crate::run`] writes shards, [`documents`] is an iterator.

mod archive_queue;
mod batch;
mod buffer_pool;
mod cancellable_reader;
mod cancellable_source;
mod chunk;
mod chunk_builder;
mod documents;
mod error;
mod message;
mod observed;
mod opened;
mod originals;
mod progress;
mod reader;
mod selected;
mod semaphore;
mod worker;
mod writer;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;
use std::{io, thread};

use crossbeam_channel::bounded;

pub use chunk::{ArchiveOutcome, Border, Chunk, Position, Start, Stored};
pub(crate) use chunk_builder::Product;
pub use documents::{Documents, DocumentsError, documents};
pub use error::{PipelineError, ReadFailure, SinkError};
pub(crate) use observed::{Observed, SlowPage};
pub(crate) use originals::Originals;
pub use progress::ActiveArchive;
pub use progress::{Progress, Stop};
pub use writer::Sink;

use crate::config::{Config, Rules};
use crate::input::ArchiveInput;
use buffer_pool::BufferPool;
use dehusk_documents::store::Seen;
use reader::ReaderThread;
use semaphore::Semaphore;
use worker::WorkerThread;
use writer::OrderedWriter;

/// A batch is cut where its blocks would take more bytes than this. 16 MiB keeps a batch of ordinary records whole, and
/// bounds what a stream holds in memory.
pub const BATCH_DECODED: usize = 16 << 20;

/// A window's output is held until its turn comes only up to this many bytes. Larger output is made again.
pub const CHUNK_HELD: usize = 32 << 20;

/// How many batches may be in flight besides two a worker, so that finished ones always wait for the writer.
const SPARE_PERMITS: usize = 4;

/// How many archives may wait for their bytes without keeping others from being read.
const WAITING_ARCHIVES: usize = 4;

/// How many windows of an archive that may wait are in flight besides one a CPU slot.
const SPARE_WINDOWS: usize = 4;

/// How often a wait checks whether the pipeline is asked to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// In which order archives are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Several at a time, as they are read.
    AsRead,
    /// One after the other, in the order of the inputs.
    AsListed,
}

/// What the pipeline is to do.
pub(crate) struct Job<'j> {
    /// The archives, with [shard names of their own](crate::input::name_shards).
    pub inputs: &'j [ArchiveInput],
    /// Where the reading of each archive begins. Those that are not listed begin at their starts.
    pub starts: &'j [Start],
    pub rules: &'j Arc<Rules>,
    /// How many threads do heavy work at a time.
    pub threads: usize,
    pub product: Product,
    pub order: Order,
    /// The payloads that earlier runs have emitted.
    pub seen: Option<&'j Seen>,
    /// Where the originals of revisits are, if these are to become documents.
    pub originals: Option<&'j Originals>,
    pub progress: &'j Progress,
    pub stop: &'j Stop,
}

/// How many threads there are, and how many batches may be in flight.
///
/// An archive that may wait for its bytes has a limited number of windows in flight, and for each of these windows there
/// is a worker more than there are CPU slots. So other archives go on while all of them wait.
struct Sizes {
    readers: usize,
    workers: usize,
    permits: usize,
    /// Permits for windows whose bytes may have to be waited for.
    waiting_permits: usize,
    /// How many of these one archive may have.
    waiting_windows: usize,
}

impl Sizes {
    fn of(job: &Job<'_>) -> Self {
        let threads = job.threads.max(1);
        let count = |waits: fn(&ArchiveInput) -> bool| {
            let waiting = job.inputs.iter().filter(|input| waits(input));
            waiting.count().min(WAITING_ARCHIVES)
        };
        let waiting_inputs = count(ArchiveInput::may_wait);
        let waiting_sources = count(ArchiveInput::ranges_may_wait);
        let readers = match job.order {
            Order::AsRead => (threads + waiting_inputs).min(job.inputs.len()),
            Order::AsListed => 1,
        };
        let waiting_windows = threads + SPARE_WINDOWS;
        let waiting_permits = waiting_sources.min(readers) * waiting_windows;
        Self {
            readers,
            workers: threads + waiting_permits,
            permits: 2 * threads + SPARE_PERMITS,
            // At least one, in case a source only says later that it may wait.
            waiting_permits: waiting_permits.max(1),
            waiting_windows,
        }
    }

    /// How many batches may be in flight in all.
    fn in_flight(&self) -> usize {
        self.permits + self.waiting_permits
    }
}

/// Runs archives through the pipeline. `sink` receives every archive's chunks in order and, in the end, its outcome.
///
/// Returns when all archives are read; after a request to stop, when the batches in flight are done.
///
/// # Errors
/// Why the pipeline ended early: the sink refused something, the system started no thread, or a thread died.
pub(crate) fn run(job: &Job<'_>, sink: &mut dyn Sink) -> Result<(), PipelineError> {
    let Job {
        inputs,
        starts,
        rules,
        stop,
        ..
    } = *job;
    if inputs.is_empty() {
        return Ok(());
    }
    let sizes = Sizes::of(job);
    // There are never more batches than permits, so sending a batch, or sending it again, does not block.
    let (batch_sender, batch_receiver) = bounded(sizes.in_flight());
    // Every chunk holds its batch's permit, so this channel is never full either, unless a window comes in parts.
    let (message_sender, message_receiver) = bounded(sizes.in_flight());
    let permits = Semaphore::new(sizes.permits);
    let waiting_permits = Semaphore::new(sizes.waiting_permits);
    let cpu_slots = Semaphore::new(job.threads.max(1));
    let buffers = BufferPool::new(sizes.in_flight());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let mut handles = Vec::with_capacity(sizes.readers + sizes.workers);
        let mut spawn_error = None;
        let mut keep = |spawned: io::Result<_>| match spawned {
            Ok(handle) => handles.push(handle),
            Err(source) => {
                let threads = job.threads;
                spawn_error = Some(PipelineError::Spawn { threads, source });
            }
        };
        for i in 0..sizes.readers {
            let reader = ReaderThread {
                inputs,
                starts,
                rules,
                product: job.product,
                next: &next,
                batches: batch_sender.clone(),
                messages: message_sender.clone(),
                permits: &permits,
                waiting_permits: &waiting_permits,
                waiting_windows: sizes.waiting_windows,
                cpu_slots: &cpu_slots,
                buffers: &buffers,
                stop,
            };
            keep(spawn(scope, format!("reader-{i}"), move || reader.run()));
        }
        for i in 0..sizes.workers {
            let worker = WorkerThread::new(job, &cpu_slots, &buffers);
            let (batches, messages) = (batch_receiver.clone(), message_sender.clone());
            keep(spawn(scope, format!("worker-{i}"), move || {
                worker.run(&batches, &messages)
            }));
        }
        drop((batch_receiver, message_sender));
        let result = match spawn_error {
            Some(error) => {
                // The readers that have started find that their batches are not taken, and end.
                drop((batch_sender, message_receiver));
                stop.request();
                Err(error)
            }
            None => OrderedWriter::new(job, batch_sender, &buffers, sink).run(message_receiver, sizes.readers),
        };
        for handle in handles {
            // A thread that died has told the writer.
            let _ = handle.join();
        }
        result
    })
}

/// How many of threads do heavy work at a time: as many as configured, or one for each core.
pub fn threads(config: &Config) -> usize {
    match config.run.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Starts a named thread.
fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: String,
    body: impl FnOnce() + Send + 'scope,
) -> io::Result<thread::ScopedJoinHandle<'scope, ()>> {
    thread::Builder::new().name(name).spawn_scoped(scope, body)
}
