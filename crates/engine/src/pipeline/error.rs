//! What can go wrong: with the whole pipeline, or with one archive.

use std::error::Error;
use std::fmt;
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
#[derive(Debug)]
#[non_exhaustive]
pub enum PipelineError {
    /// The system did not start a thread.
    Spawn {
        /// How many worker threads were asked for.
        threads: usize,
        /// What the system reported.
        source: io::Error,
    },
    /// A thread died. This is a bug in the program.
    ThreadDied {
        /// The thread's name.
        name: String,
    },
    /// An archive's documents could not be encoded.
    Encode {
        /// The archive.
        archive: PathBuf,
        /// What the encoder reported.
        source: EncodeError,
    },
    /// The store of payloads, or that of the places of originals, could not be used.
    Store(StoreError),
    /// The sink could not keep a chunk or finish an archive.
    Sink(SinkError),
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { threads, source } => {
                write!(f, "cannot start {threads} threads: {source}; set run.threads lower")
            }
            Self::ThreadDied { name } => write!(f, "the thread {name} died; this is a bug in dehusk, please report it"),
            Self::Encode { archive, source } => write!(f, "{}: {source}", escape::path(archive)),
            Self::Store(source) => source.fmt(f),
            Self::Sink(source) => source.fmt(f),
        }
    }
}

impl Error for PipelineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Spawn { source, .. } => Some(source),
            Self::Encode { source, .. } => Some(source),
            Self::ThreadDied { .. } => None,
            // The message is the inner error's own, so the chain goes on behind it.
            Self::Store(source) => source.source(),
            Self::Sink(source) => source.source(),
        }
    }
}

/// Why an archive could not be read, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadFailure {
    /// The archive cannot be opened, is no archive, or its bytes cannot be read or trusted from some offset on.
    Archive(ArchiveError),
    /// The code that read the archive panicked. This is a bug in the program.
    Panic {
        /// The archive.
        archive: PathBuf,
    },
    /// There are bytes in the archive, but no record was recognised in them.
    NoRecord {
        /// The archive.
        archive: PathBuf,
    },
    /// The account of the archive does not close. This is a bug in the program.
    Imbalance {
        /// The archive.
        archive: PathBuf,
        /// Which numbers differ.
        source: Imbalance,
    },
    /// An earlier run had read more of the archive than there is now.
    Shortened {
        /// The archive.
        archive: PathBuf,
    },
    /// Only some records of the archive were asked for, but it is a stream.
    Stream {
        /// The archive.
        archive: PathBuf,
    },
    /// A record was asked for that lies behind the archive's end.
    Beyond {
        /// The archive.
        archive: PathBuf,
        /// The offset that was asked for.
        offset: u64,
    },
    /// The pipeline was asked to stop while it waited for the archive's bytes.
    Stopped {
        /// The archive.
        archive: PathBuf,
    },
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(error) => error.fmt(f),
            Self::Panic { archive } => write!(
                f,
                "{}: reading it ended in a panic; this is a bug in dehusk, please report it",
                escape::path(archive)
            ),
            Self::NoRecord { archive } => write!(
                f,
                "{}: no record was recognised in it; is it a crawl archive?",
                escape::path(archive)
            ),
            Self::Imbalance { archive, source } => write!(
                f,
                "{}: the account does not close: {source}; this is a bug in dehusk, please report it",
                escape::path(archive)
            ),
            Self::Shortened { archive } => write!(
                f,
                "{}: is shorter than the part of it that was read before",
                escape::path(archive)
            ),
            Self::Stream { archive } => write!(
                f,
                "{}: is a stream, and records by offset are read from files only",
                escape::path(archive)
            ),
            Self::Beyond { archive, offset } => write!(
                f,
                "{}: ends before the offset {offset}, at which a record was asked for",
                escape::path(archive)
            ),
            Self::Stopped { archive } => write!(f, "{}: reading it was stopped", escape::path(archive)),
        }
    }
}

impl Error for ReadFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The message is the archive error's own, so the chain goes on behind it.
            Self::Archive(error) => error.source(),
            Self::Imbalance { source, .. } => Some(source),
            Self::Panic { .. }
            | Self::NoRecord { .. }
            | Self::Shortened { .. }
            | Self::Stream { .. }
            | Self::Beyond { .. }
            | Self::Stopped { .. } => None,
        }
    }
}

impl From<ArchiveError> for ReadFailure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}
