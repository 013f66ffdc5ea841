//! Near-duplicate clusters over the documents of runs.
//!
//! Two documents belong together if their features are similar enough by Jaccard; a cluster is a connected component of
//! such pairs. Comparing all pairs would take too long, so only those are compared that agree in a band of their
//! MinHash.
//!
//! - `read`: the documents of the runs, in order, each with its features, computed by several threads
//! - `store`: features and minima in a temporary file, so that memory does not grow with the texts
//! - `bands`: the pairs that agree in a band
//! - `components`: which documents are in one cluster
//! - `name`, `names`: the names of clusters, and those of a night of an index
//! - `copy`: the representative documents of the clusters, as shards
//! - `index`: the same in a store, to which the next night is added; `tables` are its tables, and `view` reads it
//! - `compare`: the documents of a night and those of the nights before; `runs` has the heads of earlier buckets
//! - `convert`: an index of an earlier version
//! - `database`: the runs and their clusters as one database
//! - `write`: the clusters as `clusters.jsonl`, with a summary
//! - `template`: how much of each document is template
//! - `options`, `error`: how documents are clustered, and why they cannot be

mod bands;
mod compare;
mod components;
mod convert;
mod copy;
#[cfg(feature = "sqlite")]
mod database;
mod error;
mod index;
mod name;
mod names;
mod options;
mod read;
mod runs;
mod store;
mod tables;
mod template;
mod view;
mod write;

use std::path::Path;

use crate::readback::Account;
use dehusk_archive::escape;
use dehusk_documents::folder::run_around;

pub use bands::{BANDS, HEADS, ROWS};
#[cfg(feature = "sqlite")]
pub use database::write_database;
pub use error::ClusterError;
pub(crate) use index::Index;
pub(crate) use name::free_name;
pub use options::{DEFAULT_THRESHOLD, FeatureKind, Options};
pub use read::shingle_features;
pub use store::Scratch;
pub use template::{TemplateSummary, TemplateWords, write_template};
pub use write::Summary;

/// Clusters the documents of runs, and writes the clusters to a directory. The representatives of the clusters are
/// copied to another directory, if one is given.
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
    let mut components = bands::join(&store, options.least_jaccard())?;
    let (summary, representatives) = output.write(&store, &mut components, options)?;
    if let Some(copy) = copy {
        copy.write(runs, &representatives)?;
    }
    Ok(summary)
}

/// The hashes of the bytes of the runs' shards, in order.
///
/// # Errors
/// A shard cannot be read.
pub(crate) fn shard_hashes(runs: &[Account]) -> Result<Vec<u128>, ClusterError> {
    let mut shards = read::shards(runs);
    read::hash(&mut shards)?;
    Ok(shards.into_iter().map(|shard| shard.hash).collect())
}

/// Adds the documents of runs to an index of clusters, and writes the clusters of these documents to a directory. The
/// representatives of the clusters are copied to another directory, if one is given.
///
/// # Errors
/// The errors of [`cluster`], or the index cannot be used. The index is unchanged then, unless only the output failed.
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
    let index = Index::open(index, options)?;
    write_indexed(runs, directory, &output, options, (&index, copy))
}

/// The same with an index that is open, and no copy.
///
/// # Errors
/// The errors of [`cluster_with_index`].
pub(crate) fn cluster_with_open_index(
    runs: &[Account],
    directory: &Path,
    options: Options,
    index: &Index,
) -> Result<Summary, ClusterError> {
    let output = write::Output::new(directory, options)?;
    write_indexed(runs, directory, &output, options, (index, None))
}

fn write_indexed(
    runs: &[Account],
    directory: &Path,
    output: &write::Output,
    options: Options,
    (index, copy): (&Index, Option<copy::Copy>),
) -> Result<Summary, ClusterError> {
    output.begin()?;
    let mut shards = read::shards(runs);
    read::hash(&mut shards)?;
    let new = index.new_shards(&shards)?;
    let (store, counts) = read::read(&new, directory, options)?;
    let added = index.add(&new, &counts, &store, options.least_jaccard())?;
    let (summary, representatives) = output.write_indexed(index, &added, &shards, options)?;
    if let Some(copy) = copy {
        copy.write(runs, &representatives)?;
    }
    Ok(summary)
}
