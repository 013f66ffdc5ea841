//! Errors of arguments that lead to no archives.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use super::location::lacking_network;
use dehusk_archive::{ArchiveError, escape};

/// Why arguments do not lead to archives.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The arguments name no archive.
    #[error("no archive is named")]
    NoArchive,
    /// None of the archives exists: paths lead nowhere, or to directories without archives.
    #[error("{source}{}", joined(others))]
    NotFound {
        /// The error of opening the first of them.
        source: ArchiveError,
        /// The errors of opening the others.
        others: Vec<ArchiveError>,
    },
    /// A glob is malformed.
    #[error("the glob “{}”: {source}", escape::path(Path::new(pattern)))]
    Glob {
        /// The glob.
        pattern: String,
        /// The mistake and its place in the glob.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The names below a prefix of a bucket are unavailable.
    #[error("{}: {source}", escape::path(name))]
    Prefix {
        /// The prefix.
        name: PathBuf,
        /// The error of the server or the network.
        source: io::Error,
    },
    /// A list file cannot be read.
    #[error("@{}: cannot be read: {source}{}", escape::path(path), lacking_network(path))]
    List {
        /// The list file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line of a list of offsets is of no known form.
    #[error(
        "{}:{line}: is not a path, an offset and a length, separated by tabs, and no line of a CDX, CDXJ or JSONL file",
        escape::path(path)
    )]
    Offsets {
        /// The list.
        path: PathBuf,
        /// The number of the line, from 1 on.
        line: u64,
    },
    /// An index of records, or a condition on it, is not as it must be.
    #[error("{}: {problem}", escape::path(path))]
    Index {
        /// The index.
        path: PathBuf,
        /// The fault and its place.
        problem: String,
    },
    /// List files name each other too deeply, or in a circle.
    #[error("@{}: lists name each other more than {limit} deep", escape::path(path))]
    ListDepth {
        /// The list file that was not read any more.
        path: PathBuf,
        /// How deep list files may name each other.
        limit: usize,
    },
}

/// The messages of further errors, each on a line of its own.
fn joined(others: &[ArchiveError]) -> String {
    others.iter().map(|error| format!("\n{error}")).collect()
}
