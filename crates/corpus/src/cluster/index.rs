//! Clusters that last from night to night, in a store.
//!
//! The documents of a night are compared exactly as if those of all earlier nights were before them in one list. That
//! needs, of the earlier nights, the heads of every bucket (the documents with which further ones are compared) and
//! their features. So the clusters are those of all nights at once. A night is added in one commit.
//!
//! A large file is checked as a whole only now and then, so that opening it takes no more time from night to night. What
//! is read of the heads has checks.

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
use super::tables::{ALIASES, CLUSTERS, Cluster, DOCUMENTS, NIGHTS, PARENTS, SHARDS, parent};
use super::view::View;
use dehusk_documents::store::{StoreError, StoreFailure, StoreFile, StoreKind};

/// All of a file with fewer bytes is checked whenever it is opened, which takes a fraction of a second.
const SMALL: u64 = 64 << 20;

/// All of a larger file is checked when it has this number of nights, or a multiple of it.
const CHECKED_NIGHTS: u32 = 32;

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
        Self::open_with(path, options, SMALL)
    }

    fn open_with(path: &Path, options: Options, small: u64) -> Result<Self, StoreError> {
        let kind = StoreKind {
            holds: "clusters",
            version: "2",
            parameters: format!(
                "--by {} --threshold {}, {BANDS} bands of {ROWS} minima, signatures of definition {DEFINITION}",
                options.by.name(),
                options.threshold
            ),
        };
        let (mut file, is_older) = StoreFile::open_growing(path, &kind, "1", small)?;
        if is_older {
            convert(&mut file, kind.version)?;
        }
        match count_nights(&file)? {
            None => file.write(create_tables)?,
            Some(nights) if nights > 0 && nights.is_multiple_of(CHECKED_NIGHTS) => file = file.check(&kind)?,
            Some(_) => {}
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

    /// Adds the documents of shards that are new. `counts` are their numbers of documents.
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

/// How many nights were added. Returns `None` if there are no tables.
fn count_nights(file: &StoreFile) -> Result<Option<u32>, StoreError> {
    file.guarded(|| match file.read()?.open_table(NIGHTS) {
        Ok(nights) => {
            let last = nights.last().map_err(|e| file.failed(e))?;
            Ok(Some(last.map_or(0, |(last, _)| last.value().saturating_add(1))))
        }
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(e) => Err(file.failed(e)),
    })
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
            let Some(next) = parent(&self.parents, at)? else {
                return Ok(at);
            };
            let Some(above) = parent(&self.parents, next)? else {
                return Ok(next);
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
        let (Some((was, more, other, rank)), Some((name, size, best, best_rank))) = (taken, kept) else {
            return Err(StoreFailure::wrong_value());
        };
        self.aliases.insert(was, name)?;
        let (best_rank, best) = better((best_rank, best), (rank, other));
        self.clusters.insert(older, (name, size + more, best, best_rank))?;
        self.joined += 1;
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
                None if first == document => (names[place], 1, document, rank),
                None => return Err(StoreFailure::wrong_value()),
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

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::cluster::bands::tests::store;
    use crate::cluster::options::{DEFAULT_THRESHOLD, FeatureKind};
    use crate::readback::RunShard;
    use dehusk_documents::store::StoreErrorKind;

    const OPTIONS: Options = Options {
        by: FeatureKind::Shingles,
        threshold: DEFAULT_THRESHOLD,
        threads: 1,
        overwrite: false,
    };

    fn shard(night: u32) -> Shard {
        Shard {
            shard: RunShard::at(Path::new("shard")),
            hash: night.into(),
        }
    }

    /// Adds a night of documents. Those of the same kind, or of kinds that are next to each other, are alike.
    fn add(index: &Index, night: u32, kinds: &[u32]) -> Result<(), ClusterError> {
        let folder = TempDir::new().unwrap();
        let store = store(kinds, folder.path());
        index.add(&[shard(night)], &[kinds.len() as u32], &store, DEFAULT_THRESHOLD)?;
        Ok(())
    }

    /// Reads what there is of some nights.
    fn read(index: &Index, nights: u32) -> Result<Vec<(u64, u64)>, ClusterError> {
        let view = index.view()?;
        let mut found = Vec::new();
        for night in 0..nights {
            view.members(&shard(night), |member| {
                found.push((member.cluster, member.size.into()));
                Ok(())
            })?;
        }
        view.aliases(|was, name| {
            found.push((was, name));
            Ok(())
        })?;
        Ok(found)
    }

    /// Makes a change to an index of two nights. Returns whether it can be read then, and whether a night can be added.
    fn changed(change: impl FnOnce(&WriteTransaction) -> Result<(), StoreFailure>) -> (bool, bool) {
        let folder = TempDir::new().unwrap();
        let index = Index::open(&folder.path().join("index"), OPTIONS).unwrap();
        add(&index, 0, &[1, 3, 9]).unwrap();
        // It is like the first two.
        add(&index, 1, &[2]).unwrap();
        let found = read(&index, 2).unwrap();
        assert!(found.iter().any(|(_, size)| *size == 3), "{found:x?}");
        index.file.write(change).unwrap();
        let is_possible = |done: Result<(), ClusterError>| match done {
            Ok(()) => true,
            Err(e) => {
                let message = e.to_string();
                assert!(message.contains("a value is not as it was written"), "{message}");
                false
            }
        };
        let is_read = is_possible(read(&index, 2).map(drop));
        (is_read, is_possible(add(&index, 2, &[2, 9])))
    }

    #[test]
    fn wrong_values_are_refused_and_cause_no_endless_loop() {
        assert_eq!(changed(|_| Ok(())), (true, true));
        let with_parent = |document, parent| {
            changed(move |transaction| {
                transaction.open_table(PARENTS)?.insert(document, parent)?;
                Ok(())
            })
        };
        assert_eq!(with_parent(0, 3), (false, false), "a circle");
        assert_eq!(with_parent(0, 0), (false, false));
        let circle = changed(|transaction| {
            let mut aliases = transaction.open_table(ALIASES)?;
            let (was, name) = {
                let (was, name) = aliases.first()?.unwrap();
                (was.value(), name.value())
            };
            aliases.insert(name, was)?;
            Ok(())
        });
        assert_eq!(circle, (false, true));
    }

    #[test]
    fn missing_values_are_refused() {
        let without_cluster = changed(|transaction| {
            transaction.open_table(CLUSTERS)?.remove(0)?;
            Ok(())
        });
        assert_eq!(without_cluster, (false, false));
        let without_document = changed(|transaction| {
            transaction.open_table(DOCUMENTS)?.remove(1)?;
            Ok(())
        });
        assert_eq!(without_document, (false, true));
        let without_shard = changed(|transaction| {
            transaction.open_table(SHARDS)?.remove(1)?;
            Ok(())
        });
        assert_eq!(without_shard, (false, true));
        let with_many_documents = changed(|transaction| {
            transaction.open_table(SHARDS)?.insert(1, (u32::MAX, 7))?;
            Ok(())
        });
        assert_eq!(with_many_documents, (false, true));
    }

    /// Where some bytes are in others.
    fn places(of: &[u8], bytes: &[u8]) -> Vec<usize> {
        let windows = bytes.windows(of.len()).enumerate();
        windows.filter(|(_, window)| *window == of).map(|(at, _)| at).collect()
    }

    #[test]
    fn all_of_a_small_file_is_checked_and_of_a_large_one_after_32_nights() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("index");
        let damaged = folder.path().join("damaged");
        let open = |small: u64| {
            let mut bytes = fs::read(&path).unwrap();
            let ids = places(b"the id of a document", &bytes);
            assert!(!ids.is_empty());
            ids.iter().for_each(|at| bytes[*at] ^= 1);
            fs::write(&damaged, bytes).unwrap();
            Index::open_with(&damaged, OPTIONS, small).map(drop).map_err(|e| e.kind)
        };
        let add_nights = |nights: std::ops::Range<u32>| {
            let index = Index::open_with(&path, OPTIONS, 0).unwrap();
            nights.for_each(|night| add(&index, night, &[9 * night + 1]).unwrap());
            let named = |transaction: &WriteTransaction| {
                let mut documents = transaction.open_table(DOCUMENTS)?;
                documents.insert(0, ((0, 0), 60, "the id of a document"))?;
                Ok(())
            };
            index.file.write(named).unwrap();
        };
        add_nights(0..31);
        assert!(open(0).is_ok());
        assert!(matches!(open(SMALL), Err(StoreErrorKind::Corrupt { .. })));
        add_nights(31..32);
        assert!(matches!(open(0), Err(StoreErrorKind::Corrupt { .. })));
        add_nights(32..33);
        assert!(open(0).is_ok());
        assert!(Index::open(&path, OPTIONS).is_ok());
    }

    #[test]
    fn a_page_of_zeros_anywhere_in_a_large_file_is_found_or_changes_nothing() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("index");
        let kinds: Vec<u32> = (0..40).map(|number| 1 + 3 * number / 2).collect();
        let open = || Index::open_with(&path, OPTIONS, 0);
        add(&open().unwrap(), 0, &kinds).unwrap();
        let whole = fs::read(&path).unwrap();
        let add_and_read = || {
            let index = open()?;
            add(&index, 1, &[2, 8, 90])?;
            read(&index, 2)
        };
        let expected = add_and_read().unwrap();
        let mut refused = 0;
        for (number, page) in whole.chunks(4096).enumerate() {
            if page.iter().all(|byte| *byte == 0) {
                continue;
            }
            let mut damaged = whole.clone();
            damaged[number * 4096..][..page.len()].fill(0);
            fs::write(&path, damaged).unwrap();
            match add_and_read() {
                Ok(found) => assert_eq!(found, expected, "page {number}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 20, "{refused} pages refused");
    }
}
