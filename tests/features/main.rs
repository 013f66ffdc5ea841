//! Tests whose results depend on the features of the build: the formats, the archives on a network, and the words of
//! languages without spaces. A plain build runs those of its own formats.
#![allow(clippy::unwrap_used)]

#[cfg(feature = "sqlite")]
mod cluster_database;
mod consumers;
#[cfg(all(unix, feature = "sqlite"))]
#[path = "../program/examples.rs"]
mod examples;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod record_index;
#[cfg(feature = "remote")]
mod remote;
mod schema;
#[cfg(feature = "sqlite")]
mod search;
#[cfg(feature = "serve")]
mod serve;
mod shard_reader;
#[cfg(any(feature = "parquet", feature = "sqlite"))]
mod shards;
#[cfg(feature = "remote")]
mod sources;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "remote")]
mod tls;
mod topics;

use dehusk_testing::program::make;
#[cfg(feature = "remote")]
use dehusk_testing::server;
use dehusk_testing::{checks, documents, program};
