//! The traits of an output format: one for workers, one for the writer.
//!
//! Workers run in parallel and each has an [`Encoder`], which turns documents into parts. The writer has a
//! [`ShardWriter`] for each shard, which takes the parts in the order of the archive. The bytes of a part are private
//! to the format: in JSONL they are compressed lines, in a columnar format they can be a group of rows with its
//! statistics.

use std::fmt;
use std::io;

use thiserror::Error;

use super::partial_file::{FilePosition, SealedFile, WriteError};
use super::tokenizer::Tokenizer;
use crate::document::Document;

/// The workers' half of a format: turns documents into parts.
///
/// The bytes of a part depend on its documents alone, so that a shard is the same for every number of threads.
pub trait Encoder: fmt::Debug + Send {
    /// Adds a document to the current part.
    ///
    /// If this panics, the part still consists of the documents that were added before.
    fn add(&mut self, document: &Document);

    /// Returns the bytes that the current part holds in memory.
    fn pending(&self) -> usize;

    /// Completes the current part, appends it to `out`, and begins the next one. A part without documents appends
    /// nothing.
    ///
    /// # Errors
    ///
    /// The part cannot be compressed. Its documents are dropped, and `out` is unchanged.
    fn finish_part(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Drops the documents of the current part.
    fn discard(&mut self);
}

/// The writer's half of a format: puts parts into a shard. A shard that is dropped without
/// [`ShardWriter::finish`] is removed.
pub trait ShardWriter: fmt::Debug + Send {
    /// Adds one or more consecutive parts.
    ///
    /// # Errors
    ///
    /// The shard cannot be written; it can no longer be finished.
    fn write(&mut self, parts: &[u8]) -> Result<(), WriteError>;

    /// Sets how the full-text index cuts texts, before anything is written. Most formats have no index.
    fn index_by(&mut self, _tokenizer: Tokenizer) {}

    /// Learns what became of the records of the archive, before the shard is sealed. Most formats have no place for it.
    fn account(&mut self, _ledger: Vec<LedgerLine>) {}

    /// Returns how far the shard's file is written, if a later writer can continue it from there; `None` if the format
    /// does not allow that.
    fn position(&self) -> Option<FilePosition>;

    /// Syncs what was written.
    ///
    /// # Errors
    ///
    /// The shard cannot be written; it can no longer be finished.
    fn sync(&mut self) -> Result<(), WriteError>;

    /// Writes the end of the shard and syncs it. Only [`ShardWriter::finish`] may follow. Returns the facts
    /// about the finished file.
    ///
    /// # Errors
    ///
    /// The shard cannot be written; it can no longer be finished.
    fn seal(&mut self) -> Result<SealedFile, WriteError>;

    /// Keeps the unfinished shard, so that a later run can continue it.
    fn suspend(self: Box<Self>);

    /// Completes the shard and gives it its name. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// The shard cannot be written or committed; see [`PartialFile::commit`](super::PartialFile::commit).
    fn finish(self: Box<Self>) -> Result<u64, WriteError>;
}

/// How many records of an archive became the same for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine {
    /// `framed`, `emitted`, `filtered`, `failed` or `noted`.
    pub class: &'static str,
    /// The reason; `""` for `framed` and `emitted`.
    pub reason: &'static str,
    /// The records.
    pub records: u64,
}

/// Documents could not be turned into a part.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The compressor could not be created, because it got no memory.
    #[error("the compressor cannot be started; is memory short? {0}")]
    StartCompressor(#[source] io::Error),
    /// The compressor failed.
    #[error("documents cannot be compressed: {0}")]
    Compress(#[source] io::Error),
    /// The documents do not fit into the format.
    #[error("documents cannot be encoded: {0}")]
    Encode(#[source] Box<dyn std::error::Error + Send + Sync>),
}
