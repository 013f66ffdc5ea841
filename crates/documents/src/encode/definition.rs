//! Definitions of output formats: their modules fill in these types, and the table in `format` lists them.

use std::fs::File;
use std::path::PathBuf;

use super::compress::Compression;
use super::encoder::{Encoder, ShardWriter};
use super::partial_file::{PartialFile, WriteError};
use super::shard_error::{ShardErrorKind, ShardPlace};
use super::shard_input::ShardInput;
use crate::document::Document;

/// Makes the writer of a shard that another writer began.
pub(super) type Resume = fn(PartialFile, Compression) -> Box<dyn ShardWriter>;

/// The parts of an output format.
pub(super) struct Definition {
    /// Name in the configuration and on the command line, and extension of file names.
    pub(super) name: &'static str,
    /// Whether the format compresses its shards inside, so that their names do not show how.
    pub(super) compresses_inside: bool,
    /// Whether the format changes this document, because it cannot hold a part of it. `None` if it never does.
    pub(super) changes: Option<fn(&Document) -> bool>,
    /// Whether the format writes lists, tables and code as elements.
    pub(super) has_elements: bool,
    pub(super) encoder: fn(Compression) -> Box<dyn Encoder>,
    pub(super) writer: fn(PartialFile, Compression) -> Result<Box<dyn ShardWriter>, WriteError>,
    /// `None` if the format does not allow that; its shards are continued by their spools.
    pub(super) resume: Option<Resume>,
    pub(super) open: OpenShard,
}

/// Opens a shard of a format.
#[derive(Clone, Copy)]
pub(super) enum OpenShard {
    /// The shard is read from the first byte to the last, decompressed.
    Sequential(fn(ShardInput) -> Box<dyn DocumentReader>),
    /// The shard is read in any order. The number is the largest size of a document in bytes.
    #[cfg_attr(not(any(feature = "parquet", feature = "sqlite")), expect(dead_code))]
    RandomAccess(fn(WholeShard, u64) -> Box<dyn DocumentReader>),
}

/// A shard that is not read from its first byte to its last.
#[cfg_attr(not(feature = "sqlite"), expect(dead_code))]
pub(super) enum WholeShard {
    /// With its path, for a library that opens files itself.
    File(File, PathBuf),
    Memory(Vec<u8>),
}

/// Reads the documents of a shard.
pub(super) trait DocumentReader: Send {
    /// Returns the next document, or `None` at the regular end of the shard.
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)>;
}
