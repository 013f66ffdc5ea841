//! Documents as a Parquet file, with the columns of [`columns`](super::columns).
//!
//! A worker writes each part as a small Parquet file of its own, with one row group and without dictionaries. So a
//! column of it is pages that depend on nothing else, and the writer makes a larger row group of many parts by joining
//! their pages. Workers compress and encode, except for the few columns whose values repeat: those get a dictionary for
//! each row group. A row group ends where the documents of its parts take more than 64 MiB before compression, so
//! shards are the same for every number of threads.
//!
//! - `part`: the workers' half
//! - `properties`: how parts and shards are encoded and compressed
//! - `write`: the writer's half
//! - `repeated`: the columns with dictionaries
//! - `statistics`: the statistics of a column of several parts
//! - `read`: the documents of a shard

mod part;
mod properties;
mod read;
mod repeated;
mod statistics;
mod write;

use super::definition::{Definition, OpenShard};
use super::rows::RowReader;

pub(super) static DEFINITION: Definition = Definition {
    name: "parquet",
    changes: None,
    compresses_inside: true,
    has_elements: false,
    encoder: |compression| Box::new(part::PartEncoder::new(compression)),
    writer: |file, compression| Ok(Box::new(write::FileWriter::new(file, compression))),
    resume: None,
    open: OpenShard::RandomAccess(RowReader::<read::FileRows>::boxed),
};
