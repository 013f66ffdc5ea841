//! Topics among the documents of runs: stories about one event, as they came in.
//!
//! The method is that of topic detection and tracking: TF-IDF vectors, and one pass over the stream of stories, in
//! which each story joins the nearest open topic or begins one (Allan, Papka and Lavrenko, "On-line new event detection
//! and tracking", SIGIR 1998; Yang, Pierce and Carbonell, "A study on retrospective and on-line event detection", the
//! same). Departures:
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
//! - `index`: the pass from night to night
//! - `describe`: what people want to know of a topic
//! - `write`, `summary`, `page`: the results
//! - `options`, `error`: how topics are found, and why they cannot be

mod collect;
mod describe;
mod error;
mod frequencies;
mod index;
mod moment;
mod near;
mod open;
mod options;
mod page;
mod segment;
mod stream;
mod summary;
mod terms;
mod vector;
mod write;

use std::path::Path;

use crate::cluster;
use crate::readback::Account;

pub use error::TopicsError;
pub use options::{DEFAULT_STORIES, DEFAULT_THRESHOLD, DEFAULT_WINDOW, Options};
pub use summary::Summary;

/// Finds the topics among the documents of runs, and writes them to a directory.
///
/// # Errors
/// A run cannot be read to its end, the file of clusters cannot be used, the directory holds something else, or writing
/// fails.
pub fn topics(runs: &[Account], directory: &Path, options: &Options) -> Result<Summary, TopicsError> {
    let output = write::Output::new(directory, options)?;
    output.begin()?;
    let near = match &options.clusters {
        Some(path) => near::Clusters::read(path, false)?,
        None => {
            let directory = output.clusters();
            cluster::cluster(runs, &directory, cluster_options(options), None)?;
            near::Clusters::read(&directory, false)?
        }
    };
    let stories = collect::collect(runs, directory, &near)?;
    let detection = stream::detect(&stories, options)?;
    let topics = describe::describe(&stories, &detection, options)?;
    output.write(runs, &stories, &detection, &topics, options)
}

/// Adds nights to an index of topics, and writes the topics of their documents to a directory. A night is one run, or
/// several that belong together. Nights must be added in their order; they are the same whether one call adds them or
/// several. The index of their near-duplicates is a file beside it, whose name ends in `.clusters`.
///
/// # Errors
/// Those of [`topics`], or the index cannot be used. The nights before the one that failed are in the index.
pub fn topics_with_index(
    nights: &[Vec<Account>],
    directory: &Path,
    options: &Options,
    index: &Path,
) -> Result<Summary, TopicsError> {
    index::topics_with_index(nights, directory, options, index)
}

fn cluster_options(options: &Options) -> cluster::Options {
    cluster::Options {
        by: cluster::FeatureKind::Shingles,
        threshold: cluster::DEFAULT_THRESHOLD,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        overwrite: options.overwrite,
    }
}
