//! Topics among the documents of runs: stories about one event, as they came in.
//!
//! The method is that of topic detection and tracking: TF-IDF vectors, and one pass over the stream of stories, in which each
//! story joins the nearest open topic or begins one (Allan, Papka and Lavrenko, "On-line new event detection and tracking",
//! SIGIR 1998; Yang, Pierce and Carbonell, "A study on retrospective and on-line event detection", the same). Departures:
//!
//! - Near-duplicates count once: of each cluster the first document is a story, and the others go where it goes.
//! - Each language is a stream of its own.
//! - Document frequencies run ahead of the pass by `AHEAD` stories, so that the first stories are weighed by
//!   something. The papers take the frequencies of an older collection for that.
//!
//! Files:
//!
//! - `moment`: the date of a story
//! - `terms`, `segment`: the terms of a text
//! - `collect`: the documents of the runs, each with its terms in a temporary file, in the order of the stream
//! - `near`: which documents are near-duplicates
//! - `frequencies`, `vector`: how terms are weighed
//! - `stream`, `open`: the pass
//! - `describe`: what people want to know of a topic
//! - `write`, `page`: the results

mod collect;
mod describe;
mod frequencies;
mod moment;
mod near;
mod open;
mod page;
mod segment;
mod stream;
mod terms;
mod vector;
mod write;

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::cluster::{self, ClusterError};
use crate::readback::Account;
use crate::results::ResultsError;
use dehusk_documents::encode::{ShardError, WriteError};

pub use write::Summary;

/// Days without a story after which a topic is closed, unless others are given.
pub const DEFAULT_WINDOW: u32 = 14;

/// The least similarity of a story to the topic that it joins, unless another is given. At 0.15 and 0.2, the detection cost on
/// the labelled stream of `docs/feed.md` is the same; the higher one makes the purer topics.
pub const DEFAULT_THRESHOLD: f64 = 0.2;

/// The least stories of a listed topic, unless another number is given.
pub const DEFAULT_STORIES: u32 = 2;

/// How topics are found.
#[derive(Clone, Debug)]
pub struct Options {
    /// Days without a story after which a topic is closed.
    pub window: u32,
    /// The least similarity of a story to the topic that it joins, above 0 and at most 1.
    pub threshold: f64,
    /// The least stories of a listed topic.
    pub stories: u32,
    /// The near-duplicates: a file of clusters, or its directory. They are found anew if there is none.
    pub clusters: Option<PathBuf>,
    /// Whether to replace the topics of an earlier command.
    pub overwrite: bool,
}

/// The topics of these runs cannot be found.
#[derive(Debug)]
pub enum TopicsError {
    /// The near-duplicates cannot be found.
    Cluster(ClusterError),
    /// A shard cannot be read.
    Shard(ShardError),
    /// A result cannot be written.
    Write(WriteError),
    /// A temporary file failed.
    Scratch(io::Error),
    /// The file of clusters cannot be used.
    Clusters(String),
    /// There are more documents than have numbers.
    TooMany,
    /// The output directory holds something else.
    Occupied(String),
}

impl fmt::Display for TopicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopicsError::Cluster(e) => e.fmt(f),
            TopicsError::Shard(e) => e.fmt(f),
            TopicsError::Write(e) => e.fmt(f),
            TopicsError::Scratch(e) => write!(f, "the temporary file of terms failed: {e}"),
            TopicsError::TooMany => write!(f, "there are more than {} documents", u32::MAX),
            TopicsError::Clusters(message) | TopicsError::Occupied(message) => f.write_str(message),
        }
    }
}

impl Error for TopicsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TopicsError::Cluster(e) => Some(e),
            TopicsError::Shard(e) => Some(e),
            TopicsError::Write(e) => Some(e),
            TopicsError::Scratch(e) => Some(e),
            TopicsError::TooMany | TopicsError::Clusters(_) | TopicsError::Occupied(_) => None,
        }
    }
}

impl From<ClusterError> for TopicsError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Occupied(message) => TopicsError::Occupied(message),
            error => TopicsError::Cluster(error),
        }
    }
}

impl From<ShardError> for TopicsError {
    fn from(error: ShardError) -> Self {
        TopicsError::Shard(error)
    }
}

impl From<WriteError> for TopicsError {
    fn from(error: WriteError) -> Self {
        TopicsError::Write(error)
    }
}

impl From<ResultsError> for TopicsError {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Occupied(message) => TopicsError::Occupied(message),
            ResultsError::Write(error) => TopicsError::Write(error),
        }
    }
}

impl From<io::Error> for TopicsError {
    fn from(error: io::Error) -> Self {
        TopicsError::Scratch(error)
    }
}

/// Finds the topics among the documents of runs, and writes them to a directory.
///
/// # Errors
/// A run cannot be read to its end, the file of clusters cannot be used, the directory holds something else, or writing fails.
pub fn topics(runs: &[Account], directory: &Path, options: &Options) -> Result<Summary, TopicsError> {
    let output = write::Output::open(directory, options)?;
    let near = match &options.clusters {
        Some(path) => near::Clusters::read(path)?,
        None => {
            let directory = output.clusters();
            cluster::cluster(runs, &directory, cluster_options(options), None)?;
            near::Clusters::read(&directory)?
        }
    };
    let stories = collect::collect(runs, directory, &near)?;
    let found = stream::detect(&stories, options)?;
    let topics = describe::describe(&stories, &found, options)?;
    output.write(runs, &stories, &found, &topics, options)
}

fn cluster_options(options: &Options) -> cluster::Options {
    cluster::Options {
        by: cluster::By::Shingles,
        threshold: cluster::DEFAULT_THRESHOLD,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        overwrite: options.overwrite,
    }
}
