//! How topics are found.

use std::path::PathBuf;

/// The default of [`Options::window`].
pub const DEFAULT_WINDOW: u32 = 14;

/// The default of [`Options::threshold`]. At 0.15 and 0.2, the detection cost on
/// the labelled stream of `docs/measurements.md` is the same; the higher one makes the purer topics.
pub const DEFAULT_THRESHOLD: f64 = 0.2;

/// The default of [`Options::stories`].
pub const DEFAULT_STORIES: u32 = 2;

/// How topics are found.
#[derive(Clone, Debug)]
pub struct Options {
    /// Days without a story after which a topic is closed.
    pub window: u32,
    /// The least similarity of a story to the topic that it joins, above 0 and at most 1.
    pub threshold: f64,
    /// The smallest number of stories of a listed topic.
    pub stories: u32,
    /// The near-duplicates: a file of clusters, or its directory. If there is none, they are found first.
    pub clusters: Option<PathBuf>,
    /// Whether to replace the topics of an earlier command.
    pub overwrite: bool,
}
