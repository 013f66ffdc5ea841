//! Starts the threads of the pipeline, and ends when they do.

use std::sync::atomic::AtomicUsize;
use std::{io, thread};

use crossbeam_channel::bounded;

use super::buffer_pool::BufferPool;
use super::error::PipelineError;
use super::job::{Job, Order};
use super::reader::ReaderThread;
use super::semaphore::Semaphore;
use super::worker::WorkerThread;
use super::writer::{OrderedWriter, Sink};
use crate::config::Config;
use crate::input::ArchiveInput;

/// How many batches may be in flight besides two a worker, so that finished ones always wait for the writer.
const SPARE_PERMITS: usize = 4;

/// How many archives may wait for their bytes without keeping others from being read.
const WAITING_ARCHIVES: usize = 4;

/// How many windows of an archive that may wait are in flight besides one a CPU slot.
const SPARE_WINDOWS: usize = 4;

/// How many threads there are, and how many batches may be in flight.
///
/// An archive that may wait for its bytes has a limited number of windows in flight, and for each of these windows
/// there is one more worker than there are CPU slots. So work on other archives continues while all of them wait.
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
    fn new(job: &Job<'_>) -> Self {
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
            // At least one, in case a source only reports later that it may wait.
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
    let sizes = Sizes::new(job);
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
            // A thread that died has sent a message to the writer.
            let _ = handle.join();
        }
        result
    })
}

/// How many threads do heavy work at a time: as many as configured, or one for each core.
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
