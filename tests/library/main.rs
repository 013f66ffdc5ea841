//! The library's own surface, without the program.
#![allow(clippy::unwrap_used)]

#[path = "../support/checks/mod.rs"]
mod checks;
#[allow(dead_code)]
#[path = "../support/program/make.rs"]
mod make;
#[cfg(feature = "remote")]
#[path = "../support/server/mod.rs"]
mod server;
#[cfg(feature = "remote")]
#[path = "../support/server/tls.rs"]
mod tls;

mod comments;
mod consumers;
mod damage;
mod documents;
mod encode;
mod metadata;
#[cfg(feature = "parquet")]
mod parquet;
mod partial_file;
mod presets;
#[cfg(feature = "remote")]
mod remote;
mod revisits;
mod run;
mod shard_reader;
mod sink;
mod sources;
#[cfg(feature = "sqlite")]
mod sqlite;
