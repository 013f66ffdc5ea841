//! The documents of the runs, in order, each with its features. One thread reads, several compute, and the order stays.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use dehusk_similarity::{MinHash, PERMUTATIONS, Tokens, shingles_into};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::ClusterError;
use super::options::{FeatureKind, Options};
use super::store::{Entry, Store, StoreWriter};
use crate::readback::{Account, RunShard};
use crate::results::cannot;
use dehusk_documents::document::{Document, FIELDS};
use dehusk_documents::folder::open_output;
use dehusk_documents::signatures::spots;

/// The documents that go to a thread together.
const BATCH: usize = 64;

/// The text, in bytes, at which a batch is full before it has so many documents.
const BATCH_TEXT: usize = 1 << 20;

/// Bytes of a shard that are hashed at a time.
const PIECE: usize = 1 << 20;

/// The batches that wait for each thread.
const WAITING: usize = 4;

type Numbered<T> = (u64, Vec<T>);

/// A shard of a run.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    pub(super) shard: RunShard,
    /// A hash of its bytes, if it was asked for.
    pub(super) hash: u128,
}

/// The shards of runs, in order.
pub(super) fn shards(runs: &[Account]) -> Vec<Shard> {
    let of_run = |run| Account::all_shards(run).map(|shard| Shard { shard, hash: 0 });
    runs.iter().flat_map(of_run).collect()
}

/// Hashes the bytes of shards.
///
/// # Errors
/// A shard cannot be read.
pub(super) fn hash(shards: &mut [Shard]) -> Result<(), ClusterError> {
    let mut piece = vec![0; PIECE];
    for shard in shards {
        let cannot_read = cannot("be read", &shard.shard.path);
        let mut file = open_output(&shard.shard.path).map_err(&cannot_read)?;
        let mut hash = Xxh3::new();
        loop {
            match file.read(&mut piece).map_err(&cannot_read)? {
                0 => break,
                n => hash.update(&piece[..n]),
            }
        }
        shard.hash = hash.digest128();
    }
    Ok(())
}

/// Reads the documents of shards. Returns how many each has, too.
///
/// # Errors
/// A shard cannot be read, there are too many documents, or the temporary files fail.
pub(super) fn read(shards: &[Shard], directory: &Path, options: Options) -> Result<(Store, Vec<u32>), ClusterError> {
    let threads = options.threads.max(1);
    let mut store = StoreWriter::create(directory)?;
    let counts = thread::scope(|scope| {
        let (to_workers, batches) = bounded::<Numbered<Document>>(threads * WAITING);
        let (to_store, results) = bounded::<Numbered<Entry>>(threads * WAITING);
        for _ in 0..threads {
            let (batches, to_store) = (batches.clone(), to_store.clone());
            scope.spawn(move || work(&batches, &to_store, options.by));
        }
        drop((batches, to_store));
        let reader = scope.spawn(move || send_documents(shards, &to_workers, options.by));
        let stored = put_in_order(&results, &mut store);
        // Threads that still have something to send end when the receiver is gone.
        drop(results);
        match reader.join() {
            Ok(read) => stored.and(read),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    Ok((store.finish()?, counts))
}

/// Reads all documents and hands them on in batches. Returns how many each shard has.
fn send_documents(
    shards: &[Shard],
    to: &Sender<Numbered<Document>>,
    by: FeatureKind,
) -> Result<Vec<u32>, ClusterError> {
    let mut counts = vec![0; shards.len()];
    let mut number = 0;
    let mut batch = Vec::with_capacity(BATCH);
    let mut bytes = 0;
    for (shard, count) in shards.iter().zip(&mut counts) {
        for document in shard.shard.read()? {
            let document = document?;
            if by == FeatureKind::Minhash && !has_minhash(&document) {
                return Err(ClusterError::NoMinhash {
                    shard: shard.shard.path.clone(),
                    id: document.id,
                });
            }
            *count += 1;
            bytes += document.text.len();
            batch.push(document);
            if batch.len() == BATCH || bytes >= BATCH_TEXT {
                bytes = 0;
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                if to.send((number, full)).is_err() {
                    return Ok(counts);
                }
                number += 1;
            }
        }
    }
    // If the receiver is gone, the store has failed and reports that.
    let _ = to.send((number, batch));
    Ok(counts)
}

/// Computes the features of batches.
fn work(batches: &Receiver<Numbered<Document>>, to: &Sender<Numbered<Entry>>, by: FeatureKind) {
    let mut tokens = Tokens::default();
    let mut hashes = Vec::new();
    for (number, batch) in batches {
        let entries = batch
            .into_iter()
            .map(|document| entry(document, by, &mut tokens, &mut hashes));
        if to.send((number, entries.collect())).is_err() {
            return;
        }
    }
}

/// Whether a document has a MinHash. That of a text without words is `""`.
fn has_minhash(document: &Document) -> bool {
    let field = FIELDS.iter().find(|field| field.name() == "minhash");
    let text = &document.metadata.minhash;
    field.is_some_and(|field| document.fields().contains(field))
        && (text.is_empty() || MinHash::from_base64(text).is_some())
}

fn entry(document: Document, by: FeatureKind, tokens: &mut Tokens, hashes: &mut Vec<u64>) -> Entry {
    let (features, minima) = match by {
        FeatureKind::Shingles => {
            tokens.read(&document.text);
            shingles_into(tokens, hashes);
            (shingle_features(hashes), *MinHash::new(hashes).minima())
        }
        FeatureKind::Spotsigs => {
            tokens.read(&document.text);
            let features = spots(tokens, &document.metadata.language).hashes().to_vec();
            hashes.clear();
            hashes.extend(features.iter().map(|feature| u64::from(*feature)));
            (features, *MinHash::new(hashes).minima())
        }
        FeatureKind::Minhash => match MinHash::from_base64(&document.metadata.minhash) {
            Some(known) => (minhash_features(&known), *known.minima()),
            None => (Vec::new(), [u32::MAX; PERMUTATIONS]),
        },
    };
    let features = bytes(&features);
    Entry {
        hash: xxh3_64(&features),
        id: document.id,
        created: document.created,
        words: document.metadata.words,
        features,
        minima,
    }
}

/// Returns the features of a text with these shingles, sorted.
pub fn shingle_features(shingles: &[u64]) -> Vec<u32> {
    let mut features: Vec<u32> = shingles.iter().map(|hash| *hash as u32).collect();
    features.sort_unstable();
    features
}

/// Numbers as bytes, little-endian.
pub(super) fn bytes(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * numbers.len());
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// The minima as features, sorted: each with the number of its function.
fn minhash_features(minhash: &MinHash) -> Vec<u32> {
    let numbered = minhash.minima().iter().zip(0_u64..);
    let hash = |(least, number): (&u32, u64)| xxh3_64(&(u64::from(*least) << 32 | number).to_le_bytes()) as u32;
    let mut features: Vec<u32> = numbered.map(hash).collect();
    features.sort_unstable();
    features.dedup();
    features
}

/// Adds batches in the order of their numbers.
fn put_in_order(results: &Receiver<Numbered<Entry>>, store: &mut StoreWriter) -> Result<(), ClusterError> {
    let mut early: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
    let mut next = 0;
    for (number, entries) in results {
        early.insert(number, entries);
        while let Some(entries) = early.remove(&next) {
            next += 1;
            if store.len() + entries.len() > u32::MAX as usize {
                return Err(ClusterError::TooMany);
            }
            for entry in &entries {
                store.add(entry)?;
            }
        }
    }
    Ok(())
}
