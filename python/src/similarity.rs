//! Functions over texts for the clustering of documents by Spark: `package/dehusk/_clusters.py`. Numbers of 32 bits are
//! little-endian.

use dehusk_corpus::cluster::{BANDS, DEFAULT_THRESHOLD, HEADS, ROWS, shingle_features};
use dehusk_similarity::{MinHash, Tokens, jaccard, shingles};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use xxhash_rust::xxh3::xxh3_64;

/// Adds the constants of the method to the module, so that they are written once.
pub fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("_BANDS", BANDS)?;
    module.add("_BAND_BYTES", ROWS * size_of::<u32>())?;
    module.add("_HEADS", HEADS)?;
    module.add("_THRESHOLD", DEFAULT_THRESHOLD)
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}

fn bytes<'py>(py: Python<'py>, numbers: &[u32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// The shingles of a text, as sorted hashes.
#[pyfunction]
#[pyo3(name = "_shingles")]
pub fn shingles_of<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyBytes> {
    let features = py.detach(|| shingle_features(&shingles(&Tokens::new(text))));
    bytes(py, &features)
}

/// The 128 minima of features.
#[pyfunction]
#[pyo3(name = "_minhash")]
pub fn minhash<'py>(py: Python<'py>, features: &[u8]) -> Bound<'py, PyBytes> {
    let hashes: Vec<u64> = numbers(features).into_iter().map(u64::from).collect();
    bytes(py, MinHash::new(&hashes).minima())
}

/// The Jaccard similarity of two sets of features, which are sorted.
#[pyfunction]
#[pyo3(name = "_jaccard")]
pub fn similarity(a: &[u8], b: &[u8]) -> f64 {
    jaccard(&numbers(a), &numbers(b))
}

/// The XXH3 hash of a text, in hexadecimal.
#[pyfunction]
#[pyo3(name = "_hash")]
pub fn hash(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}
