//! Clusters that last from night to night, in a store.
//!
//! The documents of a night are compared exactly as if those of all earlier nights stood before them in one list. That
//! needs, of the earlier nights, the heads of every bucket (the documents with which further ones are compared) and
//! their features. So the clusters are those of all nights at once. A night is added in one commit.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use dehusk_similarity::DEFINITION;
use redb::{ReadableTable, Table, WriteTransaction};

use super::bands::{BANDS, Comparison, Features, ROWS, buckets};
use super::error::ClusterError;
use super::name::free_name;
use super::options::Options;
use super::read::{Shard, bytes};
use super::store::{Rank, Store};
use super::tables::{BUCKETS, CLUSTERS, Cluster, DOCUMENTS, FEATURES, NAMES, PARENTS, SHARDS};
use super::view::View;
use dehusk_documents::store::{StoreError, StoreFailure, StoreFile, StoreKind};

/// An index of clusters.
pub(crate) struct Index {
    file: StoreFile,
}

/// The changes to the clusters of an index when documents were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Added {
    /// Documents that were not in it before.
    pub(super) documents: u64,
    /// Clusters of earlier nights that became part of an older one.
    pub(super) joined: u64,
}

impl Index {
    /// Opens an index, and creates it if there is none.
    ///
    /// # Errors
    /// The file cannot be used, or holds clusters that were made in another way.
    pub(crate) fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        let kind = StoreKind {
            holds: "clusters",
            version: "1",
            parameters: format!(
                "--by {} --threshold {}, {BANDS} bands of {ROWS} minima, signatures of definition {DEFINITION}",
                options.by.name(),
                options.threshold
            ),
        };
        let file = StoreFile::open(path, &kind, true)?;
        file.write(|transaction| {
            // So that there is something to read.
            transaction.open_table(SHARDS)?;
            transaction.open_table(DOCUMENTS)?;
            transaction.open_table(PARENTS)?;
            transaction.open_table(CLUSTERS)?;
            transaction.open_table(NAMES)?;
            Ok(())
        })?;
        Ok(Self { file })
    }

    /// How many of these shards, by the hashes of their bytes, are not in the index.
    pub(crate) fn lacks(&self, hashes: &[u128]) -> Result<usize, StoreError> {
        let read = self.file.read()?;
        let known = read.open_table(SHARDS).map_err(|e| self.file.failed(e))?;
        let mut lacking = 0;
        for hash in hashes {
            lacking += usize::from(known.get(hash).map_err(|e| self.file.failed(e))?.is_none());
        }
        Ok(lacking)
    }

    /// Those shards that are not in the index, each once.
    pub(super) fn new_shards(&self, shards: &[Shard]) -> Result<Vec<Shard>, StoreError> {
        let read = self.file.read()?;
        let known = read.open_table(SHARDS).map_err(|e| self.file.failed(e))?;
        let mut new: Vec<Shard> = Vec::new();
        for shard in shards {
            let is_known = known.get(shard.hash).map_err(|e| self.file.failed(e))?.is_some();
            if !is_known && new.iter().all(|other| other.hash != shard.hash) {
                new.push(shard.clone());
            }
        }
        Ok(new)
    }

    /// Adds the documents of shards that are new. `counts` says how many each has.
    ///
    /// # Errors
    /// The store or the temporary files fail, or there are too many documents. Nothing is added then.
    pub(super) fn add(
        &self,
        shards: &[Shard],
        counts: &[u32],
        store: &Store,
        threshold: f64,
    ) -> Result<Added, StoreError> {
        if shards.is_empty() {
            return Ok(Added::default());
        }
        self.file.write(|transaction| {
            let mut documents = transaction.open_table(DOCUMENTS)?;
            let base = match documents.last()? {
                Some((last, _)) => last.value() + 1,
                None => 0,
            };
            if base as usize + store.len() > u32::MAX as usize {
                return Err(StoreFailure::Caller(Box::new(ClusterError::TooMany)));
            }
            let mut known = transaction.open_table(SHARDS)?;
            let mut first = base;
            for (shard, count) in shards.iter().zip(counts) {
                known.insert(shard.hash, (first, *count))?;
                first += count;
            }
            store.ids::<StoreFailure>(|document, id| {
                let features = store.feature_count(document) as u32;
                documents.insert(base + document, (store.rank(document), features, id))?;
                Ok(())
            })?;
            let mut clusters = Clusters::open(transaction, base)?;
            compare(transaction, store, base, threshold, &mut clusters)?;
            store.ids::<StoreFailure>(|document, id| clusters.enter(base + document, id, store.rank(document)))?;
            Ok(Added {
                documents: store.len() as u64,
                joined: clusters.joined,
            })
        })
    }

    /// The clusters as they are now.
    pub(super) fn view(&self) -> Result<View<'_>, StoreError> {
        View::new(&self.file)
    }
}

/// Compares new documents with each other and with those of earlier nights. The first of the new ones has the number
/// `base`.
fn compare(
    transaction: &WriteTransaction,
    store: &Store,
    base: u32,
    threshold: f64,
    clusters: &mut Clusters<'_>,
) -> Result<(), StoreFailure> {
    let mut table = transaction.open_table(BUCKETS)?;
    let mut features = transaction.open_table(FEATURES)?;
    let mut new_heads: BTreeSet<u32> = BTreeSet::new();
    let both = BothNights {
        earlier: &features,
        store,
        base,
    };
    let mut comparison = Comparison::new(both, threshold);
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(store.len());
    let left = store.copies(|first, copy| clusters.join(base + first, base + copy))?;
    for band in 0..BANDS {
        buckets(store, band, &left, &mut keys).map_err(caller)?;
        for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
            let key = (band as u8, bucket[0].0);
            let mut heads: Vec<u32> = table.get(key)?.map_or_else(Vec::new, |heads| numbers(heads.value()));
            let before = heads.len();
            let documents = bucket.iter().map(|(_, document)| base + document);
            comparison.join_bucket(&mut heads, documents, |a, b| clusters.join(a, b))?;
            if heads.len() > before {
                new_heads.extend(&heads[before..]);
                table.insert(key, &*bytes(&heads))?;
            }
        }
    }
    drop(comparison);
    let mut own = Vec::new();
    for head in new_heads {
        store.features(head - base, &mut own).map_err(caller)?;
        features.insert(head, &*bytes(&own))?;
    }
    Ok(())
}

/// The features of the heads of earlier nights, and of all documents of this one.
struct BothNights<'t, 'r> {
    earlier: &'r Table<'t, u32, &'static [u8]>,
    store: &'r Store,
    base: u32,
}

impl Features for BothNights<'_, '_> {
    type Error = StoreFailure;

    fn count(&self, document: u32) -> Result<usize, StoreFailure> {
        match document.checked_sub(self.base) {
            Some(new) => Ok(self.store.feature_count(new)),
            None => Ok(self
                .earlier
                .get(document)?
                .map_or(0, |features| features.value().len() / 4)),
        }
    }

    fn read(&self, document: u32, features: &mut Vec<u32>) -> Result<(), StoreFailure> {
        match document.checked_sub(self.base) {
            Some(new) => self.store.features(new, features).map_err(caller),
            None => {
                *features = self
                    .earlier
                    .get(document)?
                    .map_or_else(Vec::new, |known| numbers(known.value()));
                Ok(())
            }
        }
    }
}

/// Which documents are in one cluster, while documents are added.
struct Clusters<'t> {
    parents: Table<'t, u32, u32>,
    clusters: Table<'t, u32, Cluster>,
    names: Table<'t, u64, u64>,
    /// The number of the first new document.
    base: u32,
    joined: u64,
}

impl<'t> Clusters<'t> {
    fn open(transaction: &'t WriteTransaction, base: u32) -> Result<Self, StoreFailure> {
        Ok(Self {
            parents: transaction.open_table(PARENTS)?,
            clusters: transaction.open_table(CLUSTERS)?,
            names: transaction.open_table(NAMES)?,
            base,
            joined: 0,
        })
    }

    /// The first document of the cluster.
    fn first(&mut self, document: u32) -> Result<u32, StoreFailure> {
        let mut at = document;
        loop {
            let Some(parent) = self.parents.get(at)?.map(|p| p.value()) else {
                return Ok(at);
            };
            let Some(above) = self.parents.get(parent)?.map(|p| p.value()) else {
                return Ok(parent);
            };
            self.parents.insert(at, above)?;
            at = above;
        }
    }

    /// Joins the clusters of two documents. The name of the older one stays.
    fn join(&mut self, a: u32, b: u32) -> Result<(), StoreFailure> {
        let (a, b) = (self.first(a)?, self.first(b)?);
        if a == b {
            return Ok(());
        }
        let (older, younger) = (a.min(b), a.max(b));
        self.parents.insert(younger, older)?;
        if younger >= self.base {
            // It has no name yet.
            return Ok(());
        }
        let taken = self.clusters.remove(younger)?.map(|cluster| cluster.value());
        let kept = self.clusters.get(older)?.map(|cluster| cluster.value());
        if let (Some((was, more, other, rank)), Some((name, size, best, best_rank))) = (taken, kept) {
            self.names.insert(was, name)?;
            let (best_rank, best) = better((best_rank, best), (rank, other));
            self.clusters.insert(older, (name, size + more, best, best_rank))?;
            self.joined += 1;
        }
        Ok(())
    }

    /// Enters a new document into its cluster. The documents before it have been entered, and all pairs are joined.
    fn enter(&mut self, document: u32, id: &str, rank: Rank) -> Result<(), StoreFailure> {
        let first = self.first(document)?;
        let known = self.clusters.get(first)?.map(|cluster| cluster.value());
        let cluster = match known {
            Some((name, size, best, best_rank)) => {
                let (best_rank, best) = better((best_rank, best), (rank, document));
                (name, size + 1, best, best_rank)
            }
            None => (self.new_name(id)?, 1, document, rank),
        };
        self.clusters.insert(first, cluster)?;
        Ok(())
    }

    /// The name of a cluster after the id of its first document.
    fn new_name(&mut self, id: &str) -> Result<u64, StoreFailure> {
        let names = &mut self.names;
        free_name(id, |name| {
            let is_free = names.get(name)?.is_none();
            if is_free {
                names.insert(name, name)?;
            }
            Ok(is_free)
        })
    }
}

/// Returns the better representative of a cluster.
fn better(one: (Rank, u32), other: (Rank, u32)) -> (Rank, u32) {
    let order = |(rank, document): (Rank, u32)| (rank.0, Reverse(rank.1), document);
    if order(one) < order(other) { one } else { other }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

fn caller(error: io::Error) -> StoreFailure {
    StoreFailure::Caller(Box::new(error))
}
