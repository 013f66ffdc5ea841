//! The Python package of dehusk: `dehusk._dehusk`, which `package/dehusk/__init__.py` re-exports.
//!
//! - `config`: a dict or a file → a configuration
//! - `input`, `file`: paths, bytes and Python's files → archives
//! - `stream`: the documents of archives as record batches, for any consumer
//! - `reader`: `read()`, its iterators and batches, and the Arrow PyCapsule interface
//! - `extractor`, `document`: one page → its document
//! - `run`: `run()`
//! - `corpus`: `cat()`, `diff()`, `cluster()` and `topics()`, over finished runs
//! - `inspect`: `inspect()`
//! - `rows`: an iterator over rows that another thread reads
//! - `interruptible`: work in a thread, while this thread handles signals
//! - `similarity`: what clustering by Spark does with documents, many at a time
//! - `error`: the exceptions

mod config;
mod corpus;
mod document;
mod error;
mod extractor;
mod file;
mod input;
mod inspect;
mod interruptible;
mod reader;
mod rows;
mod run;
mod similarity;
mod stream;

use pyo3::prelude::*;

/// The part of the package that is written in Rust.
#[pymodule]
mod _dehusk {
    #[pymodule_export]
    use crate::corpus::{cat, cluster, diff, topics};
    #[pymodule_export]
    use crate::document::{Document, config_hash, fields};
    #[pymodule_export]
    use crate::extractor::Extractor;
    #[pymodule_export]
    use crate::inspect::inspect;
    #[pymodule_export]
    use crate::reader::{BatchIterator, Reader, RecordBatch, read};
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::similarity::{Bands, Comparison, buckets, features, hashes, sets};
    #[pymodule_export]
    use crate::stream::close_all;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::stream::note_main_thread();
        crate::similarity::add_constants(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
