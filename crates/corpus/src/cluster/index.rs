//! Clusters that last from night to night, in a store.
//!
//! The documents of a night are compared exactly as if those of all earlier nights stood before them in one list. That
//! needs, of the earlier nights, the heads of every bucket (the documents with which further ones are compared) and
//! their features. So the clusters are those of all nights at once. A night is added in one commit.
//!
//! The whole file is not checked when it is opened, so that this takes no more time from night to night. What is read of
//! the heads has checks.

use std::cmp::Reverse;
use std::path::Path;

use dehusk_similarity::DEFINITION;
use redb::{ReadableTable, Table, TableError, WriteTransaction};

use super::bands::{BANDS, ROWS};
use super::compare::compare;
use super::convert::convert;
use super::error::ClusterError;
use super::names::name_clusters;
use super::options::Options;
use super::read::Shard;
use super::runs::Runs;
use super::store::{Rank, Store};
use super::tables::{ALIASES, CLUSTERS, Cluster, DOCUMENTS, NIGHTS, PARENTS, SHARDS};
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
            version: "2",
            parameters: format!(
                "--by {} --threshold {}, {BANDS} bands of {ROWS} minima, signatures of definition {DEFINITION}",
                options.by.name(),
                options.threshold
            ),
        };
        let (mut file, is_older) = StoreFile::open_unchecked(path, &kind, "1")?;
        if is_older {
            convert(&mut file, kind.version)?;
        }
        let is_new = file.guarded(|| match file.read()?.open_table(NIGHTS) {
            Ok(_) => Ok(false),
            Err(TableError::TableDoesNotExist(_)) => Ok(true),
            Err(e) => Err(file.failed(e)),
        })?;
        if is_new {
            file.write(create_tables)?;
        }
        Ok(Self { file })
    }

    /// How many of these shards, by the hashes of their bytes, are not in the index.
    pub(crate) fn lacks(&self, hashes: &[u128]) -> Result<usize, StoreError> {
        self.file.guarded(|| {
            let read = self.file.read()?;
            let known = read.open_table(SHARDS).map_err(|e| self.file.failed(e))?;
            let mut lacking = 0;
            for hash in hashes {
                lacking += usize::from(known.get(hash).map_err(|e| self.file.failed(e))?.is_none());
            }
            Ok(lacking)
        })
    }

    /// Those shards that are not in the index, each once.
    pub(super) fn new_shards(&self, shards: &[Shard]) -> Result<Vec<Shard>, StoreError> {
        self.file.guarded(|| {
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
        })
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
            let mut nights = transaction.open_table(NIGHTS)?;
            let night = nights.last()?.map_or(0, |(last, _)| last.value() + 1);
            nights.insert(night, base)?;
            let mut runs = Runs::open(transaction, night)?;
            let mut clusters = Clusters::open(transaction, base)?;
            compare((transaction, &mut runs), store, base, threshold, |a, b| {
                clusters.join(a, b)
            })?;
            clusters.enter(store, &mut runs)?;
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

/// Creates the tables, so that there is something to read.
fn create_tables(transaction: &WriteTransaction) -> Result<(), StoreFailure> {
    transaction.open_table(SHARDS)?;
    transaction.open_table(DOCUMENTS)?;
    transaction.open_table(PARENTS)?;
    transaction.open_table(CLUSTERS)?;
    transaction.open_table(ALIASES)?;
    transaction.open_table(NIGHTS)?;
    Ok(())
}

/// Which documents are in one cluster, while documents are added.
struct Clusters<'t> {
    parents: Table<'t, u32, u32>,
    clusters: Table<'t, u32, Cluster>,
    aliases: Table<'t, u64, u64>,
    /// The number of the first new document.
    base: u32,
    joined: u64,
}

impl<'t> Clusters<'t> {
    fn open(transaction: &'t WriteTransaction, base: u32) -> Result<Self, StoreFailure> {
        Ok(Self {
            parents: transaction.open_table(PARENTS)?,
            clusters: transaction.open_table(CLUSTERS)?,
            aliases: transaction.open_table(ALIASES)?,
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
            self.aliases.insert(was, name)?;
            let (best_rank, best) = better((best_rank, best), (rank, other));
            self.clusters.insert(older, (name, size + more, best, best_rank))?;
            self.joined += 1;
        }
        Ok(())
    }

    /// Enters the new documents into their clusters. All pairs are joined.
    fn enter(&mut self, store: &Store, runs: &mut Runs<'_>) -> Result<(), StoreFailure> {
        let documents = self.base..self.base + store.len() as u32;
        let firsts = documents.clone().map(|document| self.first(document));
        let firsts = firsts.collect::<Result<Vec<u32>, StoreFailure>>()?;
        let begins = firsts
            .iter()
            .zip(documents.clone())
            .map(|(first, document)| *first == document);
        let names = name_clusters(store, runs, self.base, begins.collect())?;
        for (place, (document, first)) in documents.zip(firsts).enumerate() {
            let rank = store.rank(place as u32);
            let known = self.clusters.get(first)?.map(|cluster| cluster.value());
            let cluster = match known {
                Some((name, size, best, best_rank)) => {
                    let (best_rank, best) = better((best_rank, best), (rank, document));
                    (name, size + 1, best, best_rank)
                }
                None => (names[place], 1, document, rank),
            };
            self.clusters.insert(first, cluster)?;
        }
        Ok(())
    }
}

/// Returns the better representative of a cluster.
fn better(one: (Rank, u32), other: (Rank, u32)) -> (Rank, u32) {
    let order = |(rank, document): (Rank, u32)| (rank.0, Reverse(rank.1), document);
    if order(one) < order(other) { one } else { other }
}
