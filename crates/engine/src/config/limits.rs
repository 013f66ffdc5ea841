//! The section `limits`: the sizes beyond which a record or page fails.

use dehusk_archive::{DICTIONARY_LIMIT, RECORD_LIMIT, WINDOW_LIMIT};
use dehusk_html::MAX_DEPTH;
use serde::{Deserialize, Serialize};

/// Limits beyond which a record or page fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Limits {
    /// Largest block of a record, in bytes. Larger blocks are skipped without being held in memory.
    pub(crate) record_bytes: u64,
    /// Largest window of a zstd frame, in bytes.
    pub(crate) window_bytes: u64,
    /// Largest zstd dictionary, in bytes, compressed or not.
    pub(crate) dictionary_bytes: u64,
    /// Largest decoded page, in bytes, after each coding.
    pub(crate) page_bytes: u64,
    /// Most decoded bytes for each stored byte of a body. Bodies that decode to less than 1 MiB are not checked.
    pub(crate) page_expansion: u64,
    /// Most nodes in a page's tree.
    pub(crate) page_nodes: u64,
    /// Deepest nesting of elements. Deeper elements become leaves.
    pub(crate) page_depth: u64,
    /// Most steps that parsing a page may take.
    pub(crate) page_work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: RECORD_LIMIT,
            window_bytes: WINDOW_LIMIT,
            dictionary_bytes: DICTIONARY_LIMIT,
            page_bytes: RECORD_LIMIT,
            page_expansion: 1000,
            page_nodes: dehusk_html::Limits::default().nodes as u64,
            page_depth: MAX_DEPTH as u64,
            page_work: dehusk_html::Limits::default().work,
        }
    }
}

impl Limits {
    /// Bodies that decode to less than this many bytes are not checked for expansion: short repetitive pages compress
    /// well.
    const EXPANSION_CHECKED_FROM: u64 = 1 << 20;

    /// The limits of a page's tree.
    pub(crate) fn of_tree(&self) -> dehusk_html::Limits {
        let size = |n| usize::try_from(n).unwrap_or(usize::MAX);
        dehusk_html::Limits::default()
            .with_nodes(size(self.page_nodes))
            .with_depth(size(self.page_depth).clamp(1, MAX_DEPTH))
            .with_work(self.page_work)
    }

    /// The most bytes to which a body may decode that is stored in `stored` bytes.
    pub(crate) fn of_body(&self, stored: usize) -> usize {
        let expanded = (stored as u64).saturating_mul(self.page_expansion);
        let limit = self.page_bytes.min(expanded.max(Self::EXPANSION_CHECKED_FROM));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}
