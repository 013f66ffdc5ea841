//! The pairs that agree in a band of their MinHash, compared by their features.
//!
//! A band is [`ROWS`] minima. Documents of Jaccard similarity `s` agree in at least one of [`BANDS`] bands with the probability
//! `1 - (1 - s^ROWS)^BANDS`: over .9999 for .6, .996 for .5, .94 for .4, .30 for .2.

use std::collections::HashMap;
use std::io;

use dehusk_similarity::{PERMUTATIONS, jaccard};
use xxhash_rust::xxh3::xxh3_64;

use super::components::Components;
use super::store::Store;

/// The minima of a band.
const ROWS: usize = 3;

/// The bands.
const BANDS: usize = PERMUTATIONS / ROWS;

/// The documents of a bucket with which each further one is compared. Of a bucket with more kinds of documents than this,
/// most agree by chance; another band brings together what belongs together.
const HEADS: usize = 8;

/// The compared pairs that are remembered. They often agree in several bands.
const REMEMBERED: usize = 1 << 22;

/// Joins all similar pairs.
pub(super) fn join(store: &Store, threshold: f64) -> io::Result<Components> {
    let mut comparison = Comparison {
        store,
        threshold,
        components: Components::new(store.len()),
        compared: HashMap::new(),
        a: Vec::new(),
        b: Vec::new(),
    };
    let mut keys: Vec<(u64, u32)> = Vec::with_capacity(store.len());
    for band in 0..BANDS {
        keys.clear();
        store.minima::<ROWS>(band * ROWS, |document, minima| {
            if store.feature_count(document) > 0 {
                let mut bytes = [0; 4 * ROWS];
                for (bytes, least) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(minima) {
                    *bytes = least.to_le_bytes();
                }
                keys.push((xxh3_64(&bytes), document));
            }
        })?;
        keys.sort_unstable();
        for bucket in keys.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
            comparison.join_bucket(bucket)?;
        }
    }
    Ok(comparison.components)
}

struct Comparison<'s> {
    store: &'s Store,
    threshold: f64,
    components: Components,
    /// Pairs that were compared, and whether they are similar.
    compared: HashMap<u64, bool>,
    /// The features of two documents.
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Comparison<'_> {
    /// Compares each document of a bucket with those before it that are like none before them.
    fn join_bucket(&mut self, bucket: &[(u64, u32)]) -> io::Result<()> {
        let mut heads: Vec<u32> = Vec::new();
        for (_, document) in bucket {
            let mut is_joined = false;
            for head in &heads {
                // Whether both are in one cluster already does not count: it may depend on documents that come later.
                if self.are_similar(*head, *document)? {
                    self.components.join(*head, *document);
                    is_joined = true;
                }
            }
            if !is_joined && heads.len() < HEADS {
                heads.push(*document);
            }
        }
        Ok(())
    }

    fn are_similar(&mut self, a: u32, b: u32) -> io::Result<bool> {
        let (few, many) = (self.store.feature_count(a), self.store.feature_count(b));
        let (few, many) = (few.min(many), few.max(many));
        if (few as f64) < self.threshold * many as f64 {
            return Ok(false);
        }
        let pair = u64::from(a) << 32 | u64::from(b);
        if let Some(known) = self.compared.get(&pair) {
            return Ok(*known);
        }
        self.store.features(a, &mut self.a)?;
        self.store.features(b, &mut self.b)?;
        let are_similar = jaccard(&self.a, &self.b) >= self.threshold;
        if self.compared.len() == REMEMBERED {
            self.compared.clear();
        }
        self.compared.insert(pair, are_similar);
        Ok(are_similar)
    }
}
