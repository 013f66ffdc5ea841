//! The library's own surface, without the program.
#![allow(clippy::unwrap_used)]

#[path = "../support/checks/mod.rs"]
mod checks;
#[allow(dead_code)]
#[path = "../support/program/make.rs"]
mod make;

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
mod run;
mod shard_reader;
mod sources;
#[cfg(feature = "sqlite")]
mod sqlite;
