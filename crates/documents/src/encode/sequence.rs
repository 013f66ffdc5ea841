//! Both halves of the formats that write one document after the other: each part is compressed on its own, and a shard
//! is a header, the parts and a footer.

use super::compress::{Compression, Compressor};
use super::encoder::{EncodeError, Encoder, ShardWriter};
use super::partial_file::{FilePosition, PartialFile, SealedFile, WriteError};
use crate::document::Document;

/// A format that writes one document after the other.
#[derive(Debug)]
pub(super) struct Sequence {
    /// Appends a document.
    pub(super) write: fn(&Document, &mut Vec<u8>),
    /// The bytes at the start of a shard.
    pub(super) header: &'static [u8],
    /// The bytes at the end of a shard.
    pub(super) footer: &'static [u8],
}

impl Sequence {
    /// Returns the workers' half.
    pub(super) fn encoder(&'static self, compression: Compression) -> Box<dyn Encoder> {
        Box::new(SequenceEncoder {
            sequence: self,
            compression,
            compressor: None,
            written: Vec::new(),
            complete: 0,
        })
    }

    /// Returns the writer's half, with the header written.
    pub(super) fn writer(
        &'static self,
        file: PartialFile,
        compression: Compression,
    ) -> Result<Box<dyn ShardWriter>, WriteError> {
        let mut writer = SequenceWriter {
            sequence: self,
            compression,
            file,
            sealed: false,
        };
        writer.write_frame(self.header)?;
        Ok(Box::new(writer))
    }

    /// Returns the writer's half for a shard that another writer began.
    pub(super) fn resume(&'static self, file: PartialFile, compression: Compression) -> Box<dyn ShardWriter> {
        Box::new(SequenceWriter {
            sequence: self,
            compression,
            file,
            sealed: false,
        })
    }
}

#[derive(Debug)]
struct SequenceEncoder {
    sequence: &'static Sequence,
    compression: Compression,
    /// Created for the first part, then kept: its tables take some hundred kilobytes.
    compressor: Option<Compressor>,
    /// The part's documents, not compressed.
    written: Vec<u8>,
    /// Where the last complete document ends in `written`. The bytes after it were left by a panic.
    complete: usize,
}

impl Encoder for SequenceEncoder {
    fn add(&mut self, document: &Document) {
        self.written.truncate(self.complete);
        (self.sequence.write)(document, &mut self.written);
        self.complete = self.written.len();
    }

    fn pending(&self) -> usize {
        self.complete
    }

    fn finish_part(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let result = self.compress(out);
        self.discard();
        result
    }

    fn discard(&mut self) {
        self.written.clear();
        self.complete = 0;
    }
}

impl SequenceEncoder {
    fn compress(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(self.compression).map_err(EncodeError::StartCompressor)?),
        };
        compressor
            .compress(&self.written[..self.complete], out)
            .map_err(EncodeError::Compress)
    }
}

#[derive(Debug)]
struct SequenceWriter {
    sequence: &'static Sequence,
    compression: Compression,
    file: PartialFile,
    /// Whether the footer is written.
    sealed: bool,
}

impl SequenceWriter {
    /// Writes a header or footer as a frame or member of its own.
    fn write_frame(&mut self, text: &[u8]) -> Result<(), WriteError> {
        if text.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::new();
        Compressor::new(self.compression)
            .and_then(|mut compressor| compressor.compress(text, &mut frame))
            .map_err(|source| WriteError {
                action: "be compressed",
                path: self.file.path().to_path_buf(),
                source,
            })?;
        self.file.append(&frame)
    }
}

impl ShardWriter for SequenceWriter {
    fn write(&mut self, parts: &[u8]) -> Result<(), WriteError> {
        self.file.append(parts)
    }

    fn position(&self) -> Option<FilePosition> {
        Some(self.file.position())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.file.sync()
    }

    fn seal(&mut self) -> Result<SealedFile, WriteError> {
        if !std::mem::replace(&mut self.sealed, true) {
            self.write_frame(self.sequence.footer)?;
        }
        self.file.sync()?;
        Ok(self.file.sealed())
    }

    fn suspend(self: Box<Self>) {
        self.file.suspend();
    }

    fn finish(mut self: Box<Self>) -> Result<u64, WriteError> {
        self.seal()?;
        self.file.commit()
    }
}
