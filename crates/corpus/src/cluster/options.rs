//! How documents are clustered.

/// The features that two documents are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// Five words in a row, all over the text.
    Shingles,
    /// The words after stop words.
    Spotsigs,
}

impl FeatureKind {
    /// The name in the summary.
    pub(super) fn name(self) -> &'static str {
        match self {
            FeatureKind::Shingles => "shingles",
            FeatureKind::Spotsigs => "spotsigs",
        }
    }
}

/// The default of [`Options::threshold`].
pub const DEFAULT_THRESHOLD: f64 = 0.4;

/// How documents are clustered.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The features that documents are compared by.
    pub by: FeatureKind,
    /// The least Jaccard similarity of two documents that belong together, above 0 and at most 1.
    pub threshold: f64,
    /// How many threads compute features.
    pub threads: usize,
    /// Whether to replace the clusters of an earlier command.
    pub overwrite: bool,
}
