//! The pipeline: archives → chunks, through reader threads, worker threads and an ordered writer.
//!
//! ```text
//! readers ──batches──▶ workers ──chunks──▶ writer
//!    ▲                    ▲                  │
//!    │                    └─── read again ───┤   a window whose start was guessed wrong
//!    └──────────── permits ──────────────────┘   one for every chunk that was written
//! ```
//!
//! - A **batch** is the records that start within one window of stored bytes. It is cut further where their blocks
//!   would pass [`BATCH_DECODED`]. Its boundaries depend on the input alone. So chunks, and with them shards, are the
//!   same for every number of threads.
//! - **Permits** bound the batches between reader and writer. A reader takes one before it makes a batch. So after a
//!   slow page the others wait, and the writer's queue does not grow.
//! - **CPU slots** bound the threads that do heavy work (inflate, parse, extract, compress) at a time. A thread that
//!   waits for bytes (of a pipe, or of a source that [may wait](dehusk_archive::ByteSource::may_wait)) gives its slot
//!   to others. So that there are others, archives that may wait have readers and workers besides the usual ones, and
//!   permits of their own.
//! - An archive that is read by ranges and has one member for each record is cut into windows, which workers inflate
//!   themselves, starting at a guess. The writer checks each guess against the end of the window before. If a guess was
//!   wrong, a worker reads the window again.
//! - The **originals** of revisits are found before, by a first pass that makes no documents but remembers the places
//!   of records.
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
mod first_pass;
mod job;
mod message;
mod observed;
mod opened;
mod originals;
mod progress;
mod reader;
mod selected;
mod semaphore;
mod threads;
mod wait;
mod worker;
mod writer;

pub use batch::BATCH_DECODED;
pub use chunk::{ArchiveOutcome, Border, ChosenRecords, Chunk, Position, Start, Stored};
pub use documents::{Documents, DocumentsError, documents};
pub use error::{PipelineError, ReadFailure, SinkError};
pub(crate) use first_pass::FirstPass;
pub use job::Order;
pub(crate) use job::{Job, Product};
pub(crate) use observed::{Observed, SlowPage};
pub(crate) use originals::Originals;
pub use progress::{ActiveArchive, Progress, Stop};
pub(crate) use threads::run;
pub use threads::threads;
pub use worker::CHUNK_HELD;
pub use writer::Sink;
