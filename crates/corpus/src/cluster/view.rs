//! The clusters of an index, read at one moment.

use redb::{AccessGuard, ReadOnlyTable, ReadableTable, ReadableTableMetadata};

use super::error::ClusterError;
use super::read::Shard;
use super::store::Rank;
use super::tables::{ALIASES, CLUSTERS, Cluster, DOCUMENTS, PARENTS, SHARDS, parent};
use dehusk_documents::store::{StoreError, StoreFailure, StoreFile};

/// A document and its cluster.
pub(super) struct Member {
    pub(super) id: String,
    pub(super) cluster: u64,
    pub(super) size: u32,
    pub(super) is_representative: bool,
    pub(super) has_features: bool,
}

type AliasRow<'a> = Result<(AccessGuard<'a, u64>, AccessGuard<'a, u64>), redb::StorageError>;

/// The clusters of an index at one moment.
pub(super) struct View<'i> {
    file: &'i StoreFile,
    shards: ReadOnlyTable<u128, (u32, u32)>,
    documents: ReadOnlyTable<u32, (Rank, u32, &'static str)>,
    parents: ReadOnlyTable<u32, u32>,
    clusters: ReadOnlyTable<u32, Cluster>,
    aliases: ReadOnlyTable<u64, u64>,
}

impl<'i> View<'i> {
    pub(super) fn new(file: &'i StoreFile) -> Result<Self, StoreError> {
        let failed = |e| file.failed(e);
        file.guarded(|| {
            let read = file.read()?;
            Ok(Self {
                file,
                shards: read.open_table(SHARDS).map_err(failed)?,
                documents: read.open_table(DOCUMENTS).map_err(failed)?,
                parents: read.open_table(PARENTS).map_err(failed)?,
                clusters: read.open_table(CLUSTERS).map_err(failed)?,
                aliases: read.open_table(ALIASES).map_err(failed)?,
            })
        })
    }

    /// Reads from the index.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, StoreFailure>) -> Result<T, StoreError> {
        self.file.guarded(|| work().map_err(|e| self.file.failed_by(e)))
    }

    /// Visits the documents of a shard that is in the index.
    pub(super) fn members(
        &self,
        shard: &Shard,
        mut visit: impl FnMut(Member) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        let documents = self.guarded(|| {
            let range = self.shards.get(shard.hash)?.ok_or_else(StoreFailure::wrong_value)?;
            let (first, count) = range.value();
            let end = first.checked_add(count).ok_or_else(StoreFailure::wrong_value)?;
            Ok(first..end)
        })?;
        for document in documents {
            visit(self.guarded(|| self.member(document))?)?;
        }
        Ok(())
    }

    fn member(&self, document: u32) -> Result<Member, StoreFailure> {
        let mut first = document;
        while let Some(parent) = parent(&self.parents, first)? {
            first = parent;
        }
        let (known, cluster) = (self.documents.get(document)?, self.clusters.get(first)?);
        let (Some(known), Some(cluster)) = (known, cluster) else {
            return Err(StoreFailure::wrong_value());
        };
        let ((_, features, id), (name, size, best, _)) = (known.value(), cluster.value());
        Ok(Member {
            id: id.to_owned(),
            cluster: name,
            size,
            is_representative: best == document,
            has_features: features > 0,
        })
    }

    /// How many documents and clusters there are.
    pub(super) fn sizes(&self) -> Result<(u64, u64), StoreError> {
        self.guarded(|| Ok((self.documents.len()?, self.clusters.len()?)))
    }

    /// Visits the names of clusters that are part of an older one now, each with that one's name.
    pub(super) fn aliases(
        &self,
        mut visit: impl FnMut(u64, u64) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        let mut aliases = self.guarded(|| Ok(self.aliases.iter()?))?;
        while let Some((was, name)) = self.guarded(|| self.alias(aliases.next()))? {
            visit(was, name)?;
        }
        Ok(())
    }

    /// A name that is not used any more, and the name of its cluster.
    fn alias(&self, row: Option<AliasRow<'_>>) -> Result<Option<(u64, u64)>, StoreFailure> {
        let Some((was, name)) = row.transpose()? else {
            return Ok(None);
        };
        let (was, mut name) = (was.value(), name.value());
        // More steps than there are such names would lead in a circle.
        let mut steps = self.aliases.len()?;
        while let Some(next) = self.aliases.get(name)? {
            steps = steps.checked_sub(1).ok_or_else(StoreFailure::wrong_value)?;
            name = next.value();
        }
        Ok(Some((was, name)))
    }
}
