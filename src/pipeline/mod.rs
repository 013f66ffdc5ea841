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
//! - **CPU slots** bound the threads that do heavy work (inflate, parse, extract, compress) at a time.
//! - An archive that is read by ranges and has a member a record is cut into windows, which workers inflate themselves,
//!   starting at a guess. The writer checks each guess against the end of the window before. If a guess was wrong, a
//!   worker reads the window again.

mod batch;
mod buffer_pool;
mod cancellable;
mod chunk;
mod chunk_builder;
mod error;
mod message;
mod progress;
mod reader;
mod semaphore;
mod worker;
mod writer;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::{io, thread};

use crossbeam_channel::bounded;

pub use chunk::{ArchiveOutcome, Chunk, Stored};
pub use error::{PipelineError, ReadFailure, SinkError};
pub use progress::{Progress, Stop};
pub use writer::Sink;

use crate::config::Rules;
use crate::input::ArchiveInput;
use buffer_pool::BufferPool;
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

/// Runs archives through the pipeline. `sink` receives every archive's chunks in order and, in the end, its outcome.
///
/// At most `threads` threads do heavy work at a time. Returns when all archives are read; after a request to stop, when
/// the batches in flight are done.
///
/// # Errors
/// Why the pipeline ended early: the sink refused something, the system started no thread, or a thread died.
pub fn run(
    inputs: &[ArchiveInput],
    rules: &Arc<Rules>,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<(), PipelineError> {
    if inputs.is_empty() {
        return Ok(());
    }
    let threads = threads.max(1);
    let in_flight = 2 * threads + SPARE_PERMITS;
    // There are never more batches than permits, so sending a batch, or sending it again, does not block.
    let (batch_sender, batch_receiver) = bounded(in_flight);
    // Every chunk holds its batch's permit, so this channel is never full either, unless a window comes in parts.
    let (message_sender, message_receiver) = bounded(in_flight);
    let permits = Semaphore::new(in_flight);
    let cpu_slots = Semaphore::new(threads);
    let buffers = BufferPool::new(in_flight);
    let next = AtomicUsize::new(0);
    let readers = threads.min(inputs.len());
    thread::scope(|scope| {
        let mut handles = Vec::with_capacity(readers + threads);
        let mut spawn_error = None;
        let mut keep = |spawned: io::Result<_>| match spawned {
            Ok(handle) => handles.push(handle),
            Err(source) => spawn_error = Some(PipelineError::Spawn { threads, source }),
        };
        for i in 0..readers {
            let reader = ReaderThread {
                inputs,
                rules,
                next: &next,
                batches: batch_sender.clone(),
                messages: message_sender.clone(),
                permits: &permits,
                cpu_slots: &cpu_slots,
                buffers: &buffers,
                stop,
            };
            keep(spawn(scope, format!("reader-{i}"), move || reader.run()));
        }
        for i in 0..threads {
            let worker = WorkerThread::new(rules, inputs, &cpu_slots, &buffers);
            let (batches, messages) = (batch_receiver.clone(), message_sender.clone());
            keep(spawn(scope, format!("worker-{i}"), move || {
                worker.run(&batches, &messages)
            }));
        }
        drop((batch_receiver, message_sender));
        let result = match spawn_error {
            Some(error) => {
                // The readers that have started find that nobody takes their batches, and end.
                drop((batch_sender, message_receiver));
                stop.request();
                (0..readers).for_each(|_| permits.release());
                Err(error)
            }
            None => OrderedWriter::new(inputs, batch_sender, &permits, &buffers, progress, stop, sink)
                .run(message_receiver, readers),
        };
        for handle in handles {
            // A thread that died has told the writer.
            let _ = handle.join();
        }
        result
    })
}

/// Starts a named thread.
fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: String,
    body: impl FnOnce() + Send + 'scope,
) -> io::Result<thread::ScopedJoinHandle<'scope, ()>> {
    thread::Builder::new().name(name).spawn_scoped(scope, body)
}
