//! Why a store cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use dehusk_archive::escape;
use thiserror::Error;

/// Why a store cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct StoreError {
    /// The store's file.
    pub path: PathBuf,
    /// The kind of the error.
    pub kind: StoreErrorKind,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", escape::path(&self.path), self.kind)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}

/// The kinds of [`StoreError`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Another process has it open.
    #[error("the store is in use by another process; start this one again when that has ended")]
    InUse,
    /// It is no store of this program.
    #[error("is no store of dehusk, and is left as it is; name another file")]
    Foreign,
    /// It holds something else.
    #[error("is a store of {}, not of {expected}; name another file", escape::terminal(.holds))]
    Other {
        /// The content of the store.
        holds: String,
        /// The content that was expected.
        expected: &'static str,
    },
    /// Its form has another version.
    #[error(
        "is a store of version {}, and this program reads version {expected}; name another file, or use the program \
         that made it",
        escape::terminal(.version)
    )]
    Version {
        /// The version that it has.
        version: String,
        /// The version that this program reads.
        expected: &'static str,
    },
    /// Its entries were made with other parameters.
    #[error(
        "was made with {}, and now it is {expected}; entries of both cannot be compared, so use the same parameters or \
         name another file",
        escape::terminal(.parameters)
    )]
    Parameters {
        /// Those that it has.
        parameters: String,
        /// Those of now.
        expected: String,
    },
    /// It is damaged.
    #[error("the store is damaged ({source}); restore it from a copy, or name another file")]
    Corrupt {
        /// The error of the store.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The entries that were to be written could not be made.
    #[error("nothing was added to the store: {source}")]
    Stopped {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The system refused an operation.
    #[error("the store cannot be used: {source}")]
    Io {
        /// The error of the system.
        source: io::Error,
    },
}

impl StoreError {
    /// The error of a store, by its path.
    pub fn new(path: &Path, kind: StoreErrorKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
        }
    }

    /// Whether there is no file.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(&self.kind, StoreErrorKind::Io { source } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Sorts an error of the database.
    #[doc(hidden)]
    pub fn from_redb(path: &Path, error: redb::Error) -> Self {
        let kind = match error {
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => StoreErrorKind::InUse,
            redb::Error::Io(e) if matches!(e.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
                StoreErrorKind::Foreign
            }
            redb::Error::Io(source) => StoreErrorKind::Io { source },
            redb::Error::UpgradeRequired(_) => StoreErrorKind::Foreign,
            other => StoreErrorKind::Corrupt {
                source: Box::new(other),
            },
        };
        Self::new(path, kind)
    }
}
