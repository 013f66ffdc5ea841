//! Documents to shards, and shards back to documents.
//!
//! An [`OutputFormat`] is an entry of one table and has three parts:
//!
//! - an [`Encoder`], the workers' half: it turns documents into parts;
//! - a [`ShardWriter`], the writer's half: it puts parts into a shard and completes the shard;
//! - a reader, which [`read_shard`] uses.
//!
//! To add a format, write a module like [`jsonl`] and add its definition to the table in `format`.
//!
//! - `format`: the table of formats
//! - `definition`: what a format consists of
//! - `encoder`: the traits of the two halves
//! - `sequence`: both halves for formats that write one document after the other
//! - [`jsonl`], [`xml`], `parquet`, `sqlite`: the formats
//! - `columns`: documents as Arrow columns
//! - `checksum`: the SHA-256 of an output
//! - `compress`: one independent frame or member for each part
//! - `partial_file`: an output file that appears under its name only when it is whole
//! - `spool`: what lets a later run continue a shard whose format does not allow that
//! - `shard_reader`: the documents of a shard
//! - `shard_error`: why a shard cannot be read
//! - `shard_input`: the decompressed bytes of a shard
//! - `tokenizer`: how a full-text index cuts texts
//! - `rows`: reads shards whose documents are rows

mod checksum;
#[cfg(feature = "arrow")]
pub mod columns;
mod compress;
mod definition;
mod encoder;
mod format;
pub mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod partial_file;
#[cfg(any(feature = "parquet", feature = "sqlite"))]
mod rows;
mod sequence;
mod shard_error;
mod shard_input;
mod shard_reader;
mod spool;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tokenizer;
pub mod xml;

pub use checksum::sha256_of;
pub use compress::{Compression, Compressor};
pub use encoder::{EncodeError, Encoder, LedgerLine, ShardWriter};
pub use format::OutputFormat;
pub use partial_file::{FilePosition, PartialFile, SealedFile, WriteError};
pub use partial_file::{hidden_names, partial_name};
pub use shard_error::{ShardError, ShardErrorKind, ShardPlace};
pub use shard_reader::{ShardReader, read_shard, read_shard_of_run};
#[cfg(feature = "sqlite")]
pub use sqlite::{Builder as DatabaseBuilder, TextIndex};
pub use tokenizer::Tokenizer;
