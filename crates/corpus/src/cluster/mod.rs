//! Near-duplicate clusters over the documents of runs.
//!
//! Two documents belong together if their features are similar enough by Jaccard; a cluster is a connected component of such
//! pairs. Comparing all pairs would take too long, so only those are compared that agree in a band of their MinHash.
//!
//! - `read`: the documents of the runs, in order, each with its features, computed by several threads
//! - `store`: features and minima in a temporary file, so that memory does not grow with the texts
//! - `bands`: the pairs that agree in a band
//! - `components`: which documents are in one cluster
//! - `name`: the names of clusters
//! - `copy`: the documents that stand for their clusters, as shards
//! - `index`: the same in a store, to which the next night is added; `view` reads it
//! - `database`: the runs and their clusters as one database
//! - `write`: the clusters as `clusters.jsonl`, with a summary

mod bands;
mod components;
mod copy;
#[cfg(feature = "sqlite")]
mod database;
mod index;
mod name;
mod read;
mod store;
mod view;
mod write;

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use crate::readback::{Account, AccountError};
use crate::results::ResultsError;
use dehusk_archive::escape;
use dehusk_documents::encode::{ShardError, WriteError};
use dehusk_documents::folder::run_around;
use dehusk_documents::store::StoreError;

#[cfg(feature = "sqlite")]
pub use database::write_database;
pub(crate) use name::free_name;
pub use store::Scratch;
pub use write::Summary;

/// What two documents are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Five words in a row, all over the text.
    Shingles,
    /// The words behind stop words.
    Spotsigs,
}

impl By {
    /// The name in the summary.
    fn name(self) -> &'static str {
        match self {
            By::Shingles => "shingles",
            By::Spotsigs => "spotsigs",
        }
    }
}

/// The least similarity that joins two documents, unless another is given.
pub const DEFAULT_THRESHOLD: f64 = 0.4;

/// How documents are clustered.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What documents are compared by.
    pub by: By,
    /// The least Jaccard similarity of two documents that belong together, above 0 and at most 1.
    pub threshold: f64,
    /// How many threads compute features.
    pub threads: usize,
    /// Whether to replace the clusters of an earlier command.
    pub overwrite: bool,
}

/// The documents of these runs cannot be clustered.
#[derive(Debug)]
pub enum ClusterError {
    /// The account of a run cannot be read.
    Account(AccountError),
    /// A shard cannot be read.
    Shard(ShardError),
    /// A result cannot be written.
    Write(WriteError),
    /// The temporary file failed.
    Store(io::Error),
    /// The index cannot be used.
    Index(StoreError),
    /// There are more documents than have numbers.
    TooMany,
    /// The output directory holds something else.
    Occupied(String),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClusterError::Account(e) => e.fmt(f),
            ClusterError::Shard(e) => e.fmt(f),
            ClusterError::Write(e) => e.fmt(f),
            ClusterError::Store(e) => write!(f, "the temporary file of features failed: {e}"),
            ClusterError::Index(e) => e.fmt(f),
            ClusterError::TooMany => write!(f, "there are more than {} documents", u32::MAX),
            ClusterError::Occupied(message) => f.write_str(message),
        }
    }
}

impl Error for ClusterError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ClusterError::Account(e) => Some(e),
            ClusterError::Shard(e) => Some(e),
            ClusterError::Write(e) => Some(e),
            ClusterError::Store(e) => Some(e),
            ClusterError::Index(e) => e.source(),
            ClusterError::TooMany | ClusterError::Occupied(_) => None,
        }
    }
}

impl From<AccountError> for ClusterError {
    fn from(error: AccountError) -> Self {
        ClusterError::Account(error)
    }
}

impl From<ShardError> for ClusterError {
    fn from(error: ShardError) -> Self {
        ClusterError::Shard(error)
    }
}

impl From<WriteError> for ClusterError {
    fn from(error: WriteError) -> Self {
        ClusterError::Write(error)
    }
}

impl From<ResultsError> for ClusterError {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Occupied(message) => ClusterError::Occupied(message),
            ResultsError::Write(error) => ClusterError::Write(error),
        }
    }
}

impl From<StoreError> for ClusterError {
    fn from(error: StoreError) -> Self {
        ClusterError::Index(error)
    }
}

impl From<io::Error> for ClusterError {
    fn from(error: io::Error) -> Self {
        ClusterError::Store(error)
    }
}

/// Clusters the documents of runs, and writes the clusters to a directory. The documents that stand for their clusters are copied to
/// another directory, if one is given.
///
/// # Errors
/// A run cannot be read to its end, a directory holds something else, or writing fails.
pub fn cluster(
    runs: &[Account],
    directory: &Path,
    options: Options,
    copy: Option<&Path>,
) -> Result<Summary, ClusterError> {
    let copy = copy.map(|copy| copy::Copy::new(copy, directory)).transpose()?;
    let output = write::Output::new(directory, options)?;
    output.begin()?;
    let shards = read::shards(runs);
    let (store, _) = read::read(&shards, directory, options)?;
    let mut components = bands::join(&store, options.threshold)?;
    let (summary, representatives) = output.write(&store, &mut components, options)?;
    if let Some(copy) = copy {
        copy.write(runs, &representatives)?;
    }
    Ok(summary)
}

/// Adds the documents of runs to an index of clusters, and writes those clusters to a directory that they are in. As for
/// [`cluster`], documents can be copied.
///
/// # Errors
/// As [`cluster`], or the index cannot be used. It is as it was then, unless only the output failed.
pub fn cluster_with_index(
    runs: &[Account],
    directory: &Path,
    options: Options,
    (index, copy): (&Path, Option<&Path>),
) -> Result<Summary, ClusterError> {
    let copy = copy.map(|copy| copy::Copy::new(copy, directory)).transpose()?;
    let output = write::Output::new(directory, options)?;
    if let Some(run) = run_around(index) {
        let (index, run) = (escape::path(index), escape::path(&run));
        let message = format!("{index}: is in the directory of a run, {run}; name an index outside of it");
        return Err(ClusterError::Occupied(message));
    }
    let index = index::Index::open(index, options)?;
    output.begin()?;
    let mut shards = read::shards(runs);
    read::hash(&mut shards)?;
    let new = index.new_shards(&shards)?;
    let (store, counts) = read::read(&new, directory, options)?;
    let added = index.add(&new, &counts, &store, options.threshold)?;
    let (summary, representatives) = output.write_indexed(&index, &added, &shards, options)?;
    if let Some(copy) = copy {
        copy.write(runs, &representatives)?;
    }
    Ok(summary)
}
