//! Why a shard cannot be read, and where in the shard the error is.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::shard_input::TooLarge;
use dehusk_archive::escape;

/// A shard could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct ShardError {
    /// The shard.
    pub path: PathBuf,
    /// Where in the shard the error is.
    pub place: ShardPlace,
    /// The kind of the error.
    pub kind: ShardErrorKind,
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", escape::path(&self.path))?;
        match self.place {
            ShardPlace::File => {}
            ShardPlace::Line(line) => write!(f, "line {line}: ")?,
            ShardPlace::Byte(offset) => write!(f, "byte {offset}: ")?,
            ShardPlace::Row(row) => write!(f, "row {row}: ")?,
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for ShardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}

/// A place in a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardPlace {
    /// The file as a whole.
    File,
    /// A line; the first is 1.
    Line(u64),
    /// An offset in the decompressed bytes.
    Byte(u64),
    /// A row of a Parquet file or a database; the first is 1.
    Row(u64),
}

/// The kinds of errors of a shard.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardErrorKind {
    /// The file name does not end in the extension of a known format. Has the names of the formats, which are the
    /// extensions.
    #[error("is not a shard; the names of shards end in .{}; `dehusk run` makes them of archives", .0.join(" or ."))]
    UnknownFormat(&'static [&'static str]),
    /// The file cannot be read or decompressed.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The shard ends too early.
    #[error("the shard ends too early")]
    Truncated,
    /// A document takes more than this number of bytes.
    #[error("{}", TooLarge { limit: *.0 })]
    TooLarge(u64),
    /// Its bytes are not those that the run in this directory wrote.
    #[error(
        "its bytes are not those that were written: their SHA-256 is not the one in {}; restore the file, or make it \
         again by the command that made it (`dehusk run` takes --verify --changed for that)",
        escape::path(&.0.join("run.json"))
    )]
    Changed(PathBuf),
    /// The content is not a document of the shard's format.
    #[error("is not a document: {0}")]
    Invalid(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ShardErrorKind {
    /// Sorts the errors of a [`ShardInput`](super::shard_input::ShardInput).
    pub(super) fn from_input(error: io::Error) -> Self {
        let too_large = error.get_ref().and_then(|e| e.downcast_ref::<TooLarge>());
        match too_large {
            Some(TooLarge { limit }) => ShardErrorKind::TooLarge(*limit),
            None if error.kind() == io::ErrorKind::UnexpectedEof => ShardErrorKind::Truncated,
            None => ShardErrorKind::Read(error),
        }
    }
}
