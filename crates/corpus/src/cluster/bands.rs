//! The pairs that agree in a band of their MinHash, compared by their features.
//!
//! A band is [`ROWS`] minima. Documents of Jaccard similarity `s` agree in at least one of [`BANDS`] bands with the
//! probability `1 - (1 - s^ROWS)^BANDS`: over .9999 for .6, .996 for .5, .94 for .4, .30 for .2. Those that agree in a
//! band are a bucket.

use std::collections::HashMap;
use std::io;

use dehusk_similarity::{PERMUTATIONS, jaccard};
use xxhash_rust::xxh3::xxh3_64;

use super::components::Components;
use super::store::{Left, Store};

/// Minima in a band.
pub const ROWS: usize = 3;

/// Bands of a MinHash.
pub const BANDS: usize = PERMUTATIONS / ROWS;

/// Documents of a bucket with which each further one is compared. Of a bucket with more kinds of documents than this,
/// most agree by chance; another band joins the documents that are similar.
pub const HEADS: usize = 8;

/// The compared pairs that are remembered. They often agree in several bands.
const REMEMBERED: usize = 1 << 22;

/// Joins all similar pairs.
pub(super) fn join(store: &Store, threshold: f64) -> io::Result<Components> {
    let mut components = Components::new(store.len());
    let left = store.copies(|first, copy| {
        components.join(first, copy);
        Ok::<_, io::Error>(())
    })?;
    let mut comparison = Comparison::new(store, threshold);
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(store.len());
    for band in 0..BANDS {
        buckets(store, band, &left, &mut keys)?;
        for bucket in keys.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
            let documents = bucket.iter().map(|(_, document)| *document);
            comparison.join_bucket(&mut Vec::new(), documents, |a, b| {
                components.join(a, b);
                Ok::<_, io::Error>(())
            })?;
        }
    }
    Ok(components)
}

/// The buckets of a band: each document that has features and is not left out, with the key of its bucket, by key and
/// then in order.
pub(super) fn buckets(store: &Store, band: usize, left: &Left, keys: &mut Vec<(u64, u32)>) -> io::Result<()> {
    keys.clear();
    store.minima::<ROWS>(band * ROWS, |document, minima| {
        if store.feature_count(document) > 0 && !left.has(document) {
            let mut bytes = [0; 4 * ROWS];
            for (bytes, least) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(minima) {
                *bytes = least.to_le_bytes();
            }
            keys.push((xxh3_64(&bytes), document));
        }
    })?;
    keys.sort_unstable();
    Ok(())
}

/// Where the features of documents are.
pub(super) trait Features {
    /// Why they cannot be read.
    type Error;

    /// How many features a document has.
    fn count(&self, document: u32) -> Result<usize, Self::Error>;

    /// Reads the features of a document.
    fn read(&self, document: u32, features: &mut Vec<u32>) -> Result<(), Self::Error>;
}

impl Features for &Store {
    type Error = io::Error;

    fn count(&self, document: u32) -> io::Result<usize> {
        Ok(self.feature_count(document))
    }

    fn read(&self, document: u32, features: &mut Vec<u32>) -> io::Result<()> {
        self.features(document, features)
    }
}

/// Compares documents of one bucket.
pub(super) struct Comparison<F> {
    features: F,
    threshold: f64,
    /// Pairs that were compared, and whether they are similar.
    compared: HashMap<u64, bool>,
    /// The features of two documents.
    a: Vec<u32>,
    b: Vec<u32>,
}

impl<F: Features> Comparison<F> {
    pub(super) fn new(features: F, threshold: f64) -> Self {
        Self {
            features,
            threshold,
            compared: HashMap::new(),
            a: Vec::new(),
            b: Vec::new(),
        }
    }

    /// Compares each document of a bucket with the heads: those before it that are like none before them. `join` gets
    /// the similar pairs that are not known from another bucket, and `heads` the documents that are heads from now on.
    pub(super) fn join_bucket(
        &mut self,
        heads: &mut Vec<u32>,
        documents: impl Iterator<Item = u32>,
        mut join: impl FnMut(u32, u32) -> Result<(), F::Error>,
    ) -> Result<(), F::Error> {
        for document in documents {
            let mut is_joined = false;
            for head in &*heads {
                // Whether both are in one cluster already does not count: it may depend on documents that come later.
                is_joined |= match self.compared.get(&pair(*head, document)) {
                    Some(known) => *known,
                    None => {
                        let are_similar = self.are_similar(*head, document)?;
                        if are_similar {
                            join(*head, document)?;
                        }
                        are_similar
                    }
                };
            }
            if !is_joined && heads.len() < HEADS {
                heads.push(document);
            }
        }
        Ok(())
    }

    /// Compares two documents that were not compared yet, and remembers the result.
    fn are_similar(&mut self, a: u32, b: u32) -> Result<bool, F::Error> {
        let (few, many) = (self.features.count(a)?, self.features.count(b)?);
        let (few, many) = (few.min(many), few.max(many));
        if (few as f64) < self.threshold * many as f64 {
            return Ok(false);
        }
        self.features.read(a, &mut self.a)?;
        self.features.read(b, &mut self.b)?;
        let are_similar = jaccard(&self.a, &self.b) >= self.threshold;
        if self.compared.len() == REMEMBERED {
            self.compared.clear();
        }
        self.compared.insert(pair(a, b), are_similar);
        Ok(are_similar)
    }
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
pub(super) mod tests {
    use dehusk_similarity::MinHash;
    use proptest::prelude::*;

    use super::*;
    use crate::cluster::read::bytes;
    use crate::cluster::store::{Entry, StoreWriter};

    /// Documents of some kinds. Kinds that are next to each other share most of their features.
    pub(in crate::cluster) fn store(kinds: &[u32], folder: &std::path::Path) -> Store {
        let mut writer = StoreWriter::create(folder).unwrap();
        for (number, kind) in kinds.iter().enumerate() {
            let mut features: Vec<u32> = (20 * kind..20 * kind + 60)
                .map(|i| i.wrapping_mul(0x9E37_79B1))
                .collect();
            features.sort_unstable();
            let hashes: Vec<u64> = features.iter().map(|feature| u64::from(*feature)).collect();
            let entry = Entry {
                id: number.to_string(),
                created: String::new(),
                words: 0,
                hash: u64::from(*kind),
                minima: *MinHash::new(&hashes).minima(),
                features: bytes(&features),
            };
            writer.add(&entry).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The first document of each document's cluster, if nothing is left out.
    fn without_leaving_out(store: &Store) -> Vec<u32> {
        let mut components = Components::new(store.len());
        let mut comparison = Comparison::new(store, 0.4);
        let mut keys = Vec::new();
        for band in 0..BANDS {
            buckets(store, band, &Left::none(store.len()), &mut keys).unwrap();
            for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
                let documents = bucket.iter().map(|(_, document)| *document);
                let joined = comparison.join_bucket(&mut Vec::new(), documents, |a, b| {
                    components.join(a, b);
                    Ok::<_, io::Error>(())
                });
                joined.unwrap();
            }
        }
        (0..store.len() as u32)
            .map(|document| components.first(document))
            .collect()
    }

    proptest! {
        #[test]
        fn copies_that_are_left_out_change_no_cluster(kinds in proptest::collection::vec(0..8_u32, 1..60)) {
            let folder = tempfile::tempdir().unwrap();
            let store = store(&kinds, folder.path());
            let mut components = join(&store, 0.4).unwrap();
            let found: Vec<u32> = (0..store.len() as u32).map(|document| components.first(document)).collect();
            prop_assert_eq!(found, without_leaving_out(&store));
        }
    }

    #[test]
    fn all_copies_but_the_first_and_the_last_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&[3, 1, 3, 3, 1, 2, 3], folder.path());
        let mut joined = Vec::new();
        let left = store.copies(|first, copy| {
            joined.push((first, copy));
            Ok::<_, io::Error>(())
        });
        let left = left.unwrap();
        joined.sort_unstable();
        assert_eq!(joined, [(0, 2), (0, 3), (0, 6), (1, 4)]);
        let left: Vec<u32> = (0..7).filter(|document| left.has(*document)).collect();
        assert_eq!(left, [2, 3]);
    }
}
