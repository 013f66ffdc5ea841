//! Shards of formats that cannot be continued in the middle, written so that a later run can continue them all the
//! same.
//!
//! The parts go to the shard and to a spool: a hidden file beside it, `.NAME.parts`, which holds each group of parts
//! after its length. The run that continues the shard begins it anew with the parts of the spool, so nothing is
//! extracted again. It does so when the next part comes, or at the end, so a run that is stopped before that does
//! nothing. The spool is removed when the shard has its name.

use std::io::{self, BufReader, Read};

use super::encoder::{LedgerLine, ShardWriter};
use super::partial_file::{FilePosition, PartialFile, SealedFile, WriteError};
use super::tokenizer::Tokenizer;

/// Writes one shard and its spool.
#[derive(Debug)]
pub(super) struct SpooledWriter {
    shard: Box<dyn ShardWriter>,
    spool: PartialFile,
    /// Whether the shard lacks the parts of the spool.
    lacks_parts: bool,
    /// Whether the end of the shard is written.
    sealed: bool,
}

impl SpooledWriter {
    pub(super) fn new(shard: Box<dyn ShardWriter>, spool: PartialFile) -> Self {
        Self {
            shard,
            spool,
            lacks_parts: false,
            sealed: false,
        }
    }

    /// Continues a shard that is still empty after the parts of its spool.
    pub(super) fn resume(shard: Box<dyn ShardWriter>, spool: PartialFile) -> Self {
        Self {
            lacks_parts: true,
            ..Self::new(shard, spool)
        }
    }

    /// Gives the shard the parts of the spool, if it lacks them.
    fn catch_up(&mut self) -> Result<(), WriteError> {
        if !std::mem::take(&mut self.lacks_parts) {
            return Ok(());
        }
        let path = self.spool.path();
        let unreadable = |source| WriteError {
            action: "be read",
            path: path.clone(),
            source,
        };
        let mut reader = BufReader::new(self.spool.read_back().map_err(unreadable)?);
        let mut parts = Vec::new();
        while next_group(&mut reader, &mut parts).map_err(unreadable)? {
            self.shard.write(&parts)?;
        }
        Ok(())
    }
}

/// Reads a group of parts. Returns `false` at the end.
fn next_group(reader: &mut impl Read, parts: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = [0; 8];
    match reader.read(&mut length[..1])? {
        0 => return Ok(false),
        _ => reader.read_exact(&mut length[1..])?,
    }
    let length = u64::from_le_bytes(length);
    parts.clear();
    if reader.take(length).read_to_end(parts)? as u64 == length {
        Ok(true)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

impl ShardWriter for SpooledWriter {
    fn write(&mut self, parts: &[u8]) -> Result<(), WriteError> {
        self.catch_up()?;
        self.spool.append(&(parts.len() as u64).to_le_bytes())?;
        self.spool.append(parts)?;
        self.shard.write(parts)
    }

    fn index_by(&mut self, tokenizer: Tokenizer) {
        self.shard.index_by(tokenizer);
    }

    fn account(&mut self, ledger: Vec<LedgerLine>) {
        self.shard.account(ledger);
    }

    /// That of the spool.
    fn position(&self) -> Option<FilePosition> {
        Some(self.spool.position())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.spool.sync()
    }

    /// Returns the facts about the shard itself.
    fn seal(&mut self) -> Result<SealedFile, WriteError> {
        self.catch_up()?;
        self.sealed = true;
        self.shard.seal()
    }

    fn suspend(self: Box<Self>) {
        self.spool.suspend();
        // A shard with an end may be the one that a journal names. Otherwise it is made anew.
        if self.sealed {
            self.shard.suspend();
        }
    }

    fn finish(mut self: Box<Self>) -> Result<u64, WriteError> {
        self.catch_up()?;
        let bytes = self.shard.finish()?;
        self.spool.discard();
        Ok(bytes)
    }
}
