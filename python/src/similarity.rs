//! Work on documents in the workers of Spark, many at a time, for `package/dehusk/_clusters.py`.
//!
//! Spark takes much longer for a row than a worker takes for an entry of a band. So workers exchange entries by *pieces*:
//! a piece is the bytes of those entries whose hashes begin with the same [`PART_BITS`], and one row for Spark. Numbers
//! in pieces and features are little-endian.

use std::collections::HashSet;

use dehusk_corpus::cluster::{DEFAULT_THRESHOLD, HEADS, ROWS, shingle_features};
use dehusk_similarity::{MinHash, SpotSigs, Tokens, jaccard, shingles_into};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const PART_BITS: u32 = 12;

/// Entries of a worker at which it should hand its pieces on: 50 MB.
const FULL: usize = 1 << 22;

/// An entry in a piece: its key, and how far its row is from the first row of the piece.
const ENTRY: usize = size_of::<u64>() + size_of::<u32>();

/// Adds the constants of the method to the module, so that they are written once.
pub fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("_THRESHOLD", DEFAULT_THRESHOLD)
}

/// The bytes of pieces, by their parts.
struct Pieces(Vec<Vec<u8>>);

type PythonPieces<'py> = Vec<(usize, Bound<'py, PyBytes>)>;

impl Pieces {
    fn new() -> Self {
        Self(vec![Vec::new(); 1 << PART_BITS])
    }

    fn of_hash(&mut self, hash: u64) -> &mut Vec<u8> {
        &mut self.0[(hash >> (u64::BITS - PART_BITS)) as usize]
    }

    /// Takes the pieces that have anything.
    fn take<'py>(&mut self, py: Python<'py>) -> PythonPieces<'py> {
        let pieces = self.0.iter_mut().enumerate().filter(|(_, piece)| !piece.is_empty());
        let taken = pieces.map(|(part, piece)| (part, PyBytes::new(py, &std::mem::take(piece))));
        taken.collect()
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number))
}

fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * numbers.len());
    numbers
        .iter()
        .for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    bytes
}

/// Computes the features of documents, from their texts or from their signatures.
struct Features {
    are_spotsigs: bool,
    tokens: Tokens,
    /// The elements of the set whose minima are taken.
    hashes: Vec<u64>,
}

impl Features {
    fn new(by: &str) -> Self {
        Self {
            are_spotsigs: by == "spotsigs",
            tokens: Tokens::default(),
            hashes: Vec::new(),
        }
    }

    fn of(&mut self, value: &str) -> PyResult<Vec<u32>> {
        if self.are_spotsigs {
            let spots =
                SpotSigs::from_base64(value).ok_or_else(|| PyValueError::new_err("“spotsigs” is no signature"))?;
            self.hashes.clear();
            self.hashes.extend(spots.hashes().iter().map(|hash| u64::from(*hash)));
            return Ok(spots.hashes().to_vec());
        }
        self.tokens.read(value);
        shingles_into(&self.tokens, &mut self.hashes);
        Ok(shingle_features(&self.hashes))
    }
}

/// The features of documents, in the order of these: those of texts, or of signatures if `by` is `"spotsigs"`.
#[pyfunction]
#[pyo3(name = "_features")]
pub fn features<'py>(py: Python<'py>, by: &str, values: Vec<PyBackedStr>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let mut features = Features::new(by);
    let mut of = |value: &PyBackedStr| Ok(PyBytes::new(py, &bytes_of(&features.of(value)?)));
    values.iter().map(&mut of).collect()
}

/// The bands of documents: entries of a key and a row each. A document has an entry for each band, and one whose key is
/// made of all its features. The lowest bit of the latter's key is set, that of others is not.
///
/// If the keys of two bands are equal by chance, that adds a comparison. If the keys of all features are, two documents are
/// joined that need not be similar: with thirty million documents, that happens in one of 20,000 runs.
#[pyclass(name = "_Bands", module = "dehusk._dehusk")]
pub struct Bands {
    features: Features,
    pieces: Pieces,
    count: usize,
    /// The row that those in the pieces are counted from.
    first: u64,
}

#[pymethods]
impl Bands {
    #[new]
    fn new(by: &str) -> Self {
        Self {
            features: Features::new(by),
            pieces: Pieces::new(),
            count: 0,
            first: 0,
        }
    }

    /// Adds documents, whose rows rise. Returns whether there are so many entries that they should be taken.
    fn add(&mut self, rows: Vec<u64>, values: Vec<PyBackedStr>) -> PyResult<bool> {
        for (row, value) in rows.into_iter().zip(values) {
            let features = self.features.of(&value)?;
            if features.is_empty() {
                continue;
            }
            if self.count == 0 {
                self.first = row;
            }
            let distance = u32::try_from(row.wrapping_sub(self.first));
            let distance = distance.map_err(|_| PyValueError::new_err("the rows of a partition do not rise"))?;
            self.add_entry(xxh3_64(&bytes_of(&features)) | 1, distance);
            let minima = MinHash::new(&self.features.hashes);
            for (band, minima) in minima.minima().as_chunks::<ROWS>().0.iter().enumerate() {
                let mut bytes = [0; 4 * ROWS];
                for (bytes, least) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(minima) {
                    *bytes = least.to_le_bytes();
                }
                self.add_entry(xxh3_64_with_seed(&bytes, band as u64) & !1, distance);
            }
        }
        Ok(self.count >= FULL)
    }

    /// Takes the entries that were added, as pieces.
    fn take<'py>(&mut self, py: Python<'py>) -> PythonPieces<'py> {
        self.count = 0;
        self.pieces.take(py)
    }
}

impl Bands {
    fn add_entry(&mut self, key: u64, distance: u32) {
        self.count += 1;
        let piece = self.pieces.of_hash(key);
        if piece.is_empty() {
            piece.extend_from_slice(&self.first.to_le_bytes());
        }
        piece.extend_from_slice(&key.to_le_bytes());
        piece.extend_from_slice(&distance.to_le_bytes());
    }
}

/// The sets of rows that share a key, from the pieces of entries of some parts, as pieces. A set is a head of 32 bits, then
/// its rows in order, of 64 bits each. The head is twice the number of rows, plus one if their documents have the same features.
#[pyfunction]
#[pyo3(name = "_buckets")]
pub fn buckets<'py>(py: Python<'py>, entries: Vec<PyBackedBytes>) -> PythonPieces<'py> {
    let count = entries.iter().map(|piece| piece.len() / ENTRY).sum();
    let mut known: Vec<(u64, u64)> = Vec::with_capacity(count);
    for piece in entries {
        let Some((first, rest)) = piece.split_first_chunk() else {
            continue;
        };
        let first = u64::from_le_bytes(*first);
        known.extend(rest.as_chunks::<ENTRY>().0.iter().map(|entry| {
            let [k0, k1, k2, k3, k4, k5, k6, k7, distance @ ..] = *entry;
            let key = u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]);
            (key, first + u64::from(u32::from_le_bytes(distance)))
        }));
    }
    known.sort_unstable();
    let mut sets = Pieces::new();
    let mut rows = Vec::new();
    for bucket in known.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
        rows.clear();
        bucket
            .iter()
            .for_each(|(_, row)| rows.extend_from_slice(&row.to_le_bytes()));
        let head = (bucket.len() as u32) << 1 | (bucket[0].0 & 1) as u32;
        let set = sets.of_hash(xxh3_64(&rows));
        set.extend_from_slice(&head.to_le_bytes());
        set.extend_from_slice(&rows);
    }
    sets.take(py)
}

/// The columns of [`sets`]: the hash of each row's set, whether it is one of copies, and the row.
type SetColumns<'py> = (Bound<'py, PyBytes>, Vec<bool>, Bound<'py, PyBytes>);

/// The sets in pieces of some parts, each once. The same documents often share many keys, and need to be compared once.
#[pyfunction]
#[pyo3(name = "_sets")]
pub fn sets<'py>(py: Python<'py>, pieces: Vec<PyBackedBytes>) -> SetColumns<'py> {
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let (mut hashes, mut are_copies, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for piece in &pieces {
        let mut rest: &[u8] = piece;
        while let Some(head) = rest.first_chunk() {
            let head = u32::from_le_bytes(*head);
            let count = (head >> 1) as usize;
            let (set, after) = rest.split_at((4 + 8 * count).min(rest.len()));
            rest = after;
            if seen.insert(set) {
                let hash = xxh3_64(set).to_le_bytes();
                (0..count).for_each(|_| hashes.extend_from_slice(&hash));
                are_copies.extend(std::iter::repeat_n(head & 1 == 1, count));
                rows.extend_from_slice(&set[4..]);
            }
        }
    }
    (PyBytes::new(py, &hashes), are_copies, PyBytes::new(py, &rows))
}

/// Compares each document of a bucket with those before it that are like none before them.
#[pyclass(name = "_Comparison", module = "dehusk._dehusk")]
pub struct Comparison {
    threshold: f64,
    bucket: i64,
    /// Those documents of the bucket, with their features.
    heads: Vec<(i64, Vec<u32>)>,
}

#[pymethods]
impl Comparison {
    #[new]
    fn new(threshold: f64) -> Self {
        Self {
            threshold,
            bucket: 0,
            heads: Vec::new(),
        }
    }

    /// Compares further documents, by the number of their bucket and then in their order. Returns the similar pairs.
    fn add(&mut self, buckets: Vec<i64>, documents: Vec<i64>, features: Vec<PyBackedBytes>) -> (Vec<i64>, Vec<i64>) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for ((bucket, document), features) in buckets.into_iter().zip(documents).zip(features) {
            if bucket != self.bucket {
                self.bucket = bucket;
                self.heads.clear();
            }
            let features: Vec<u32> = numbers(&features).collect();
            let before = first.len();
            let like = self.heads.iter().filter(|(_, head)| self.are_similar(head, &features));
            first.extend(like.map(|(head, _)| *head));
            second.resize(first.len(), document);
            if first.len() == before && self.heads.len() < HEADS {
                self.heads.push((document, features));
            }
        }
        (first, second)
    }
}

impl Comparison {
    fn are_similar(&self, a: &[u32], b: &[u32]) -> bool {
        let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
        few as f64 >= self.threshold * many as f64 && jaccard(a, b) >= self.threshold
    }
}

/// The XXH3 hash of each text, in hexadecimal.
#[pyfunction]
#[pyo3(name = "_hashes")]
pub fn hashes(texts: Vec<PyBackedStr>) -> Vec<String> {
    let hash = |text: &PyBackedStr| format!("{:016x}", xxh3_64(text.as_bytes()));
    texts.iter().map(hash).collect()
}
