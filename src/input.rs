//! The archives that a run, an evaluation or an iterator over documents reads.

use std::path::PathBuf;

use crate::provenance::ArchiveName;

/// One archive to read.
#[derive(Clone, Debug)]
pub struct ArchiveInput {
    /// The name that messages use. `-` is standard input.
    pub path: PathBuf,
    /// The file name that documents carry.
    pub name: String,
    /// The name of the shard. It also makes ids for records that have none.
    pub shard: String,
}

impl ArchiveInput {
    /// The names that documents carry.
    pub fn archive_name(&self) -> ArchiveName<'_> {
        ArchiveName {
            file: &self.name,
            shard: &self.shard,
        }
    }
}
