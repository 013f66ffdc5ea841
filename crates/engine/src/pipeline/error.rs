//! Errors of the whole pipeline, and of one archive.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use crate::ledger::Imbalance;
use dehusk_archive::ArchiveError;
use dehusk_archive::escape;
use dehusk_documents::encode::EncodeError;
use dehusk_documents::store::StoreError;

/// Why a receiver of chunks cannot keep what it was given.
pub type SinkError = Box<dyn Error + Send + Sync>;

/// Why the pipeline ended early, although it was not asked to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The system did not start a thread.
    #[error("cannot start {threads} threads: {source}; set run.threads lower")]
    Spawn {
        /// How many worker threads were asked for.
        threads: usize,
        /// The error of the system.
        source: io::Error,
    },
    /// A thread died. This is a bug in the program.
    #[error("the thread {name} died; this is a bug in dehusk, please report it")]
    ThreadDied {
        /// The thread's name.
        name: String,
    },
    /// An archive's documents could not be encoded.
    #[error("{}: {source}", escape::path(archive))]
    Encode {
        /// The archive.
        archive: PathBuf,
        /// The error of the encoder.
        source: EncodeError,
    },
    /// The store of payloads, or that of the places of originals, could not be used.
    #[error(transparent)]
    Store(StoreError),
    /// The sink could not keep a chunk or finish an archive.
    #[error(transparent)]
    Sink(SinkError),
}

/// Why an archive could not be read, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadFailure {
    /// The archive cannot be opened, is no archive, or its bytes cannot be read or trusted from some offset on.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The code that read the archive panicked. This is a bug in the program.
    #[error(
        "{}: reading it ended in a panic; this is a bug in dehusk, please report it",
        escape::path(archive)
    )]
    Panic {
        /// The archive.
        archive: PathBuf,
    },
    /// There are bytes in the archive, but no record was recognised in them.
    #[error("{}: no record was recognised in it; is it a crawl archive?", escape::path(archive))]
    NoRecord {
        /// The archive.
        archive: PathBuf,
    },
    /// The account of the archive does not close. This is a bug in the program.
    #[error(
        "{}: the account does not close: {source}; this is a bug in dehusk, please report it",
        escape::path(archive)
    )]
    Imbalance {
        /// The archive.
        archive: PathBuf,
        /// Which numbers differ.
        source: Imbalance,
    },
    /// An earlier run had read more of the archive than there is now.
    #[error("{}: is shorter than the part of it that was read before", escape::path(archive))]
    Shortened {
        /// The archive.
        archive: PathBuf,
    },
    /// Only some records of the archive were asked for, but it is a stream.
    #[error(
        "{}: is a stream, and records by offset are read from files only",
        escape::path(archive)
    )]
    Stream {
        /// The archive.
        archive: PathBuf,
    },
    /// A record was asked for that is after the archive's end.
    #[error(
        "{}: ends before the offset {offset}, at which a record was asked for",
        escape::path(archive)
    )]
    Beyond {
        /// The archive.
        archive: PathBuf,
        /// The offset that was asked for.
        offset: u64,
    },
    /// The pipeline was asked to stop while it waited for the archive's bytes.
    #[error("{}: reading it was stopped", escape::path(archive))]
    Stopped {
        /// The archive.
        archive: PathBuf,
    },
}
