//! The section `input`: how archives are read.

use serde::{Deserialize, Serialize};

use super::choice::choice;

/// How archives are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct InputConfig {
    /// Check every block against the digest in its record's header.
    pub(crate) verify_digests: bool,
    /// The treatment of a record whose digest is wrong.
    pub(crate) digest_mismatch: Mismatch,
    /// What to do when the checksum of a gzip member or zstd frame is wrong and no block digest proves the data good.
    pub(crate) checksum_mismatch: Mismatch,
    /// The URL and the date of a page in a tar file or a directory: a regular expression over its path, with the groups
    /// `url` and `date`. Without it, the path is the URL.
    pub(crate) url_pattern: String,
}

impl Default for InputConfig {
    fn default() -> Self {
        Self {
            verify_digests: false,
            digest_mismatch: Mismatch::Fail,
            checksum_mismatch: Mismatch::Fail,
            url_pattern: String::new(),
        }
    }
}

choice! {
    /// The treatment of a wrong digest or checksum.
    Mismatch {
        /// Fail the record.
        Fail = "fail",
        /// Keep the record, and put a note on its document.
        Note = "note",
    }
}
