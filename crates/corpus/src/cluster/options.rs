//! How documents are clustered.

/// The features that two documents are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// Five words in a row, all over the text.
    Shingles,
    /// The words after stop words.
    Spotsigs,
    /// The minima of the shingles' MinHash, as the run has computed them. The texts are not looked at.
    Minhash,
}

impl FeatureKind {
    /// The name in the summary.
    pub(super) fn name(self) -> &'static str {
        match self {
            FeatureKind::Shingles => "shingles",
            FeatureKind::Spotsigs => "spotsigs",
            FeatureKind::Minhash => "minhash",
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

impl Options {
    /// The least Jaccard similarity of two documents' features. Two sets of `n` minima, each with the number of its
    /// function, of which a share `s` agrees, have `s·n` elements in common and `(2 - s)·n` in all.
    pub(super) fn least_jaccard(self) -> f64 {
        match self.by {
            FeatureKind::Shingles | FeatureKind::Spotsigs => self.threshold,
            FeatureKind::Minhash => self.threshold / (2.0 - self.threshold),
        }
    }
}
