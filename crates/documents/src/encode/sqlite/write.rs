//! The writer's half: lines of JSON → a database → a shard.

use std::fmt;
use std::io;

use super::super::encoder::{LedgerLine, ShardWriter};
use super::super::partial_file::{FilePosition, PartialFile, SealedFile, WriteError};
use super::super::tokenizer::Tokenizer;
use super::build::Builder;
use crate::document::Document;

/// Writes one shard.
pub(super) struct DatabaseWriter {
    file: PartialFile,
    /// The database, from the first document until it is copied.
    builder: Option<Builder>,
    ledger: Vec<LedgerLine>,
    tokenizer: Tokenizer,
    is_sealed: bool,
}

impl DatabaseWriter {
    pub(super) fn new(file: PartialFile) -> Self {
        Self {
            file,
            builder: None,
            ledger: Vec::new(),
            tokenizer: Tokenizer::default(),
            is_sealed: false,
        }
    }

    /// The database, which is begun if need be.
    fn builder(&mut self) -> Result<&mut Builder, WriteError> {
        let builder = match self.builder.take() {
            Some(builder) => builder,
            None => {
                let begun = Builder::begin(&self.file).map_err(|error| self.error(error))?;
                begun.with_tokenizer(self.tokenizer)
            }
        };
        Ok(self.builder.insert(builder))
    }

    fn error(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> WriteError {
        WriteError {
            action: "be written",
            path: self.file.path(),
            source: io::Error::other(error),
        }
    }

    /// Completes the database and copies it into the shard.
    fn complete(&mut self) -> Result<(), WriteError> {
        if self.is_sealed {
            return Ok(());
        }
        let ledger = std::mem::take(&mut self.ledger);
        let builder = self.builder()?;
        let result = builder.add_ledger(&ledger).and_then(|()| builder.finish());
        result.map_err(|error| self.error(error))?;
        if let Some(builder) = self.builder.take() {
            builder.copy_to(&mut self.file)?;
        }
        self.is_sealed = true;
        Ok(())
    }
}

impl ShardWriter for DatabaseWriter {
    fn write(&mut self, parts: &[u8]) -> Result<(), WriteError> {
        for line in parts.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let document: Document = serde_json::from_slice(line).map_err(|error| self.error(error))?;
            let result = self.builder()?.add(&document);
            result.map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn index_by(&mut self, tokenizer: Tokenizer) {
        self.tokenizer = tokenizer;
    }

    fn account(&mut self, ledger: Vec<LedgerLine>) {
        self.ledger = ledger;
    }

    /// Pages that SQLite has not written yet are in memory, so the file cannot be continued.
    fn position(&self) -> Option<FilePosition> {
        None
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        Ok(())
    }

    fn seal(&mut self) -> Result<SealedFile, WriteError> {
        self.complete()?;
        self.file.sync()?;
        Ok(self.file.sealed())
    }

    fn suspend(self: Box<Self>) {
        if self.is_sealed {
            self.file.suspend();
        }
    }

    fn finish(mut self: Box<Self>) -> Result<u64, WriteError> {
        self.complete()?;
        self.file.commit()
    }
}

impl fmt::Debug for DatabaseWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseWriter").finish_non_exhaustive()
    }
}
