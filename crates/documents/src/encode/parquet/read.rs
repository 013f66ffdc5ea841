//! The documents of a Parquet file, of this program or another.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::super::columns::BatchReader;
use super::super::shard_reader::{DocumentReader, ShardErrorKind, ShardPlace, WholeShard};
use crate::document::{Document, size_in_memory};

/// How many documents are decoded at a time.
const BATCH: usize = 64;

/// What a Parquet file begins and ends with.
const MAGIC: &[u8] = b"PAR1";

/// Opens a shard. `limit` is the size in bytes of the largest document.
pub(super) fn open(shard: WholeShard, limit: u64) -> Box<dyn DocumentReader> {
    Box::new(FileReader {
        shard: Some(shard),
        batches: None,
        batch: BatchReader::default(),
        row: 0,
        limit,
    })
}

struct FileReader {
    /// The shard until it is opened.
    shard: Option<WholeShard>,
    batches: Option<ParquetRecordBatchReader>,
    batch: BatchReader,
    /// The number of the row that is read, from 1.
    row: u64,
    limit: u64,
}

impl FileReader {
    fn next(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        if let Some(shard) = self.shard.take() {
            self.batches = Some(match shard {
                WholeShard::File(file, _) => batches(file)?,
                WholeShard::Memory(bytes) => batches(Bytes::from(bytes))?,
            });
        }
        loop {
            let invalid = |error| ShardErrorKind::Invalid(Box::new(error));
            if let Some(document) = self.batch.next_document().map_err(invalid)? {
                return match size_in_memory(&document) as u64 > self.limit {
                    true => Err(ShardErrorKind::TooLarge(self.limit)),
                    false => Ok(Some(document)),
                };
            }
            let Some(batches) = &mut self.batches else {
                return Ok(None);
            };
            match caught(|| batches.next().transpose().map_err(ParquetError::from))? {
                Some(batch) => self.batch = BatchReader::new(&batch).map_err(invalid)?,
                None => return Ok(None),
            }
        }
    }
}

impl DocumentReader for FileReader {
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)> {
        let is_file = self.row == 0;
        self.row += 1;
        self.next().map_err(|kind| match kind {
            ShardErrorKind::Truncated if is_file => (ShardPlace::File, kind),
            kind => (ShardPlace::Row(self.row), kind),
        })
    }
}

fn batches<R: ChunkReader + 'static>(shard: R) -> Result<ParquetRecordBatchReader, ShardErrorKind> {
    if !has_magic(&shard).map_err(sort)? {
        return Err(ShardErrorKind::Truncated);
    }
    caught(|| {
        // The types are those of Parquet, and not those that a writer noted for itself.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        ParquetRecordBatchReaderBuilder::try_new_with_options(shard, options)?
            .with_batch_size(BATCH)
            .build()
    })
}

/// Whether a shard that begins like a Parquet file, or is empty, also ends like one. Other files are not cut, but wrong.
fn has_magic<R: ChunkReader + Length>(shard: &R) -> Result<bool, ParquetError> {
    let length = shard.len();
    let start = usize::try_from(length)?.min(MAGIC.len());
    if length <= 2 * MAGIC.len() as u64 {
        return Ok(!MAGIC.starts_with(&shard.get_bytes(0, start)?[..start]));
    }
    let begins = shard.get_bytes(0, start)? == MAGIC;
    let ends = shard.get_bytes(length - MAGIC.len() as u64, MAGIC.len())? == MAGIC;
    Ok(!begins || ends)
}

/// Does some of the work. The reader of a damaged file may panic.
fn caught<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ShardErrorKind> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(sort),
        Err(_) => Err(ShardErrorKind::Invalid("the file is damaged".into())),
    }
}

/// Sorts the errors of the parser.
fn sort(error: ParquetError) -> ShardErrorKind {
    match error {
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) => ShardErrorKind::Truncated,
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => ShardErrorKind::Read(*error),
            Err(inner) => ShardErrorKind::Invalid(inner),
        },
        other => ShardErrorKind::Invalid(Box::new(other)),
    }
}
