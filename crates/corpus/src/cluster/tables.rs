//! The tables of an index of clusters.

use redb::{ReadableTable, TableDefinition};

use super::store::Rank;
use dehusk_documents::store::StoreFailure;

/// By the hash of a shard's bytes: the number of its first document, and how many documents it has.
pub(super) const SHARDS: TableDefinition<u128, (u32, u32)> = TableDefinition::new("shards");

/// By document: rank, number of features, id.
pub(super) const DOCUMENTS: TableDefinition<u32, (Rank, u32, &str)> = TableDefinition::new("documents");

/// By document: an earlier document of the same cluster. The first document of a cluster has no entry.
pub(super) const PARENTS: TableDefinition<u32, u32> = TableDefinition::new("parents");

/// Returns an earlier document of a document's cluster; `None` for the first.
///
/// # Errors
/// The store fails, or the one is not earlier, so that there might be no first one.
pub(super) fn parent(parents: &impl ReadableTable<u32, u32>, document: u32) -> Result<Option<u32>, StoreFailure> {
    let parent = parents.get(document)?.map(|parent| parent.value());
    match parent {
        Some(parent) if parent >= document => Err(StoreFailure::wrong_value()),
        parent => Ok(parent),
    }
}

/// Name, size, the representative, and its rank.
pub(super) type Cluster = (u64, u32, u32, Rank);

/// By the first document of a cluster.
pub(super) const CLUSTERS: TableDefinition<u32, Cluster> = TableDefinition::new("clusters");

/// By each name that is not used any more: the name of the cluster that it became a part of, which may have become one
/// of another since.
pub(super) const ALIASES: TableDefinition<u64, u64> = TableDefinition::new("aliases");

/// By the number of a night: the number of its first document.
pub(super) const NIGHTS: TableDefinition<u32, u32> = TableDefinition::new("nights");

/// By band and last night of a run of heads: the keys that its blocks begin with, sealed.
pub(super) const RUNS: TableDefinition<(u8, u32), &[u8]> = TableDefinition::new("runs");

/// By band, last night of the run, and number of the block: its entries, sealed.
pub(super) const BLOCKS: TableDefinition<(u8, u32, u32), &[u8]> = TableDefinition::new("blocks");

/// By head: its features, in numbers of 32 bits, little-endian, sealed.
pub(super) const HEADS: TableDefinition<u32, &[u8]> = TableDefinition::new("heads");
