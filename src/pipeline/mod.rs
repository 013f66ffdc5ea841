//! The pipeline: archives → chunks, by reader threads, bounded channels, workers and an ordered writer.
//!
//! ```text
//! readers ──batches──▶ workers ──chunks──▶ writer
//!    ▲                    ▲                  │
//!    │ permits            └──── again ───────┤   a window that was guessed wrong
//!    └───────────────────────────────────────┘   a permit for every chunk that was written
//! ```
//!
//! - A **batch** is the records that start within one window of stored bytes, cut further where their blocks would
//!   pass [`BATCH_DECODED`]. Its borders depend on the input alone, so chunks, and with them shards, are the same for
//!   every number of threads.
//! - **Permits**, taken in order before a batch is made, bound the batches between reader and writer; a slow page makes
//!   the others wait instead of making the writer's queue grow.
//! - **Turns** bound the threads that do heavy work (inflating, parsing, extracting, compressing) at a time.
//! - A mapped archive with a member a record is cut into windows that workers inflate themselves, starting at a guess.
//!   The writer checks each guess against the end of the window before and has it read again where it was wrong.

mod batch;
mod chunk;
mod patient;
mod permits;
mod progress;
mod reader;
mod worker;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::{io, thread};

use crossbeam_channel::bounded;

pub use chunk::{ArchiveOutcome, Chunk, Stored};
pub use progress::{Progress, Stop};
pub use writer::Sink;

use crate::config::Rules;
use crate::provenance::ArchiveName;
use permits::{Permits, Pool};
use reader::Reader;
use worker::Worker;
use writer::Writer;

/// Blocks' bytes beyond which a batch is cut: 16 MiB keeps a batch of ordinary records whole and bounds what a stream
/// holds in memory.
pub const BATCH_DECODED: usize = 16 << 20;

/// Finished output beyond which a window's chunk is not held until its turn but made again when that comes.
pub const CHUNK_HELD: usize = 32 << 20;

/// Batches in flight beyond two a worker, so that the writer always finds a permit's worth of finished ones.
const SLACK: usize = 4;

/// One archive to read.
#[derive(Clone, Debug)]
pub struct Source {
    /// What messages call it; `-` is standard input.
    pub path: PathBuf,
    /// The file name that documents bear.
    pub name: String,
    /// The shard's name, which stands in for a missing record id.
    pub shard: String,
}

impl Source {
    /// The names that documents bear.
    pub fn archive_name(&self) -> ArchiveName<'_> {
        ArchiveName {
            file: &self.name,
            shard: &self.shard,
        }
    }
}

/// Runs archives through the pipeline. `sink` receives every archive's chunks in order and, in the end, its outcome.
///
/// Returns when all archives were read, or after a stop, when what was in flight is done.
///
/// # Errors
/// What ended the run before its time: the sink refused something, no thread could be started, or one died.
pub fn run(
    sources: &[Source],
    rules: &Arc<Rules>,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
    sink: &mut dyn Sink,
) -> Result<(), String> {
    if sources.is_empty() {
        return Ok(());
    }
    let threads = threads.max(1);
    let in_flight = 2 * threads + SLACK;
    // Never fuller than there are permits, so that sending a batch, or sending it again, does not block.
    let (batch_sender, batch_receiver) = bounded(in_flight);
    // Every chunk holds its batch's permit, so this is never fuller either, unless a window's chunk comes in parts.
    let (event_sender, event_receiver) = bounded(in_flight);
    let permits = Permits::new(in_flight);
    let turns = Permits::new(threads);
    let pool = Pool::new(in_flight);
    let next = AtomicUsize::new(0);
    let readers = threads.min(sources.len());
    thread::scope(|scope| {
        let mut handles = Vec::with_capacity(readers + threads);
        let mut refused = None;
        let mut keep = |spawned: io::Result<_>| match spawned {
            Ok(handle) => handles.push(handle),
            Err(e) => refused = Some(format!("cannot start {threads} threads: {e}; set run.threads lower")),
        };
        for i in 0..readers {
            let reader = Reader {
                sources,
                rules,
                next: &next,
                batches: batch_sender.clone(),
                events: event_sender.clone(),
                permits: &permits,
                turns: &turns,
                pool: &pool,
                stop,
            };
            keep(spawn(scope, format!("reader-{i}"), move || reader.run()));
        }
        for i in 0..threads {
            let worker = Worker::new(rules, sources, &turns, &pool);
            let (batches, events) = (batch_receiver.clone(), event_sender.clone());
            keep(spawn(scope, format!("worker-{i}"), move || {
                worker.run(&batches, &events)
            }));
        }
        drop((batch_receiver, event_sender));
        let result = match refused {
            Some(message) => {
                // Readers that have begun find nobody to take their batches.
                drop((batch_sender, event_receiver));
                stop.request();
                (0..readers).for_each(|_| permits.release());
                Err(message)
            }
            None => {
                Writer::new(sources, batch_sender, &permits, &pool, progress, stop, sink).run(event_receiver, readers)
            }
        };
        for handle in handles {
            // A thread that died has told the writer so.
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
