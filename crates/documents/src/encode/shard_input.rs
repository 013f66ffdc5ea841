//! The decompressed bytes of a shard.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

/// Bytes that are decompressed at a time.
const BUFFER: usize = 64 << 10;

/// Decompresses a shard: every frame of a zstd file, every member of a gzip file. The first bytes identify the
/// compression.
///
/// The input stops with a [`TooLarge`] error if a document takes more bytes than the limit, so that a damaged shard
/// cannot fill the memory.
pub(super) struct ShardInput {
    decompressed: Box<dyn BufRead + Send>,
    /// Decompressed bytes that were consumed.
    offset: u64,
    /// Largest document in bytes.
    limit: u64,
    /// Offset at which the current document is too large.
    stop: u64,
    /// The end was reached.
    ended: bool,
}

impl ShardInput {
    pub(super) fn new(mut stored: impl Read + Send + 'static, limit: u64) -> io::Result<Self> {
        let mut start = Vec::with_capacity(4);
        stored.by_ref().take(4).read_to_end(&mut start)?;
        let is_gzip = start.starts_with(&[0x1F, 0x8B]);
        let is_zstd = dehusk_archive::is_zstd(&start);
        let stored = BufReader::with_capacity(BUFFER, Cursor::new(start).chain(stored));
        let decompressed: Box<dyn BufRead + Send> = match (is_gzip, is_zstd) {
            (true, _) => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(stored))),
            (_, true) => {
                let decoder = zstd::stream::read::Decoder::with_buffer(stored)?;
                Box::new(BufReader::with_capacity(BUFFER, decoder))
            }
            _ => Box::new(stored),
        };
        Ok(Self {
            decompressed,
            offset: 0,
            limit,
            stop: limit,
            ended: false,
        })
    }

    /// Begins the next document, which may take as many bytes as the limit.
    pub(super) fn begin_document(&mut self) {
        self.stop = self.offset.saturating_add(self.limit);
    }

    /// Decompressed bytes that were consumed.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the end was reached.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }
}

impl BufRead for ShardInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.decompressed.fill_buf()?;
        self.ended = bytes.is_empty();
        if !self.ended && self.offset >= self.stop {
            return Err(io::Error::other(TooLarge { limit: self.limit }));
        }
        Ok(bytes)
    }

    fn consume(&mut self, amount: usize) {
        self.decompressed.consume(amount);
        self.offset += amount as u64;
    }
}

impl Read for ShardInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

/// A document is larger than the limit.
#[derive(Clone, Copy, Debug, Error)]
#[error("the document takes more than {limit} bytes")]
pub(super) struct TooLarge {
    /// In bytes.
    pub(super) limit: u64,
}
