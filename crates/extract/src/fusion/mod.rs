//! A learned extractor: scores blocks of text by many features, and keeps the blocks that maximise the expected F1.
//!
//! A page's features stand in a [`Matrix`](internal::Matrix), a column a feature.

mod matrix;

/// What tests, benchmarks and fuzz targets need besides. It may change at any time.
#[doc(hidden)]
pub mod internal {
    pub use super::matrix::Matrix;
}
