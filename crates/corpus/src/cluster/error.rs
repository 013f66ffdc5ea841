//! Why documents cannot be clustered.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::readback::AccountError;
use crate::results::ResultsError;
use dehusk_archive::escape;
use dehusk_documents::encode::{ShardError, WriteError};
use dehusk_documents::store::StoreError;

/// The documents of these runs cannot be clustered.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The account of a run cannot be read.
    #[error("{0}")]
    Account(#[from] AccountError),
    /// A shard cannot be read.
    #[error("{0}")]
    Shard(#[from] ShardError),
    /// A result cannot be written.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// The temporary file failed.
    #[error("the temporary file of features failed: {0}")]
    Store(#[from] io::Error),
    /// The index cannot be used.
    #[error(transparent)]
    Index(#[from] StoreError),
    /// There are more documents than have numbers.
    #[error("there are more than {} documents", u32::MAX)]
    TooMany,
    /// A document has no MinHash, or something else in its place.
    #[error(
        "{}: the document “{}” has no MinHash; run with --signatures minhash, or leave out --by minhash",
        escape::path(.shard), escape::terminal(.id)
    )]
    NoMinhash {
        /// The shard.
        shard: PathBuf,
        /// The document's id.
        id: String,
    },
    /// The output directory holds something else.
    #[error("{0}")]
    Occupied(String),
}

impl From<ResultsError> for ClusterError {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Occupied(message) => ClusterError::Occupied(message),
            ResultsError::Write(error) => ClusterError::Write(error),
        }
    }
}
