//! Why topics cannot be found.

use std::io;

use thiserror::Error;

use crate::cluster::ClusterError;
use crate::results::ResultsError;
use dehusk_documents::encode::{ShardError, WriteError};
use dehusk_documents::store::StoreError;

/// The topics of these runs cannot be found.
#[derive(Debug, Error)]
pub enum TopicsError {
    /// The near-duplicates cannot be found.
    #[error("{0}")]
    Cluster(#[source] ClusterError),
    /// A shard cannot be read.
    #[error("{0}")]
    Shard(#[from] ShardError),
    /// A result cannot be written.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// The index cannot be used.
    #[error("{0}")]
    Index(#[from] StoreError),
    /// A temporary file failed.
    #[error("the temporary file of terms failed: {0}")]
    Scratch(#[from] io::Error),
    /// The file of clusters cannot be used.
    #[error("{0}")]
    Clusters(String),
    /// There are more documents than have numbers.
    #[error("there are more than {} documents", u32::MAX)]
    TooMany,
    /// The output directory holds something else.
    #[error("{0}")]
    Occupied(String),
}

impl From<ClusterError> for TopicsError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Occupied(message) => TopicsError::Occupied(message),
            error => TopicsError::Cluster(error),
        }
    }
}

impl From<ResultsError> for TopicsError {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Occupied(message) => TopicsError::Occupied(message),
            ResultsError::Write(error) => TopicsError::Write(error),
        }
    }
}
