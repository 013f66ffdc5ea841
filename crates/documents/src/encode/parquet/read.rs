//! The documents of a Parquet file, of this program or another.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::super::columns::BatchReader;
use super::super::definition::WholeShard;
use super::super::rows::Rows;
use super::super::shard_error::ShardErrorKind;
use crate::document::Document;

/// How many documents are decoded at a time.
const BATCH: usize = 64;

/// The bytes at the start and at the end of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// The rows of a Parquet file.
pub(super) struct FileRows {
    batches: ParquetRecordBatchReader,
    batch: BatchReader,
}

impl Rows for FileRows {
    fn open(shard: WholeShard, _: u64) -> Result<Self, ShardErrorKind> {
        Ok(Self {
            batches: match shard {
                WholeShard::File(file, _) => batches(file)?,
                WholeShard::Memory(bytes) => batches(Bytes::from(bytes))?,
            },
            batch: BatchReader::default(),
        })
    }

    fn next_row(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        let invalid = |error| ShardErrorKind::Invalid(Box::new(error));
        loop {
            if let Some(document) = self.batch.next_document().map_err(invalid)? {
                return Ok(Some(document));
            }
            match catch_panic(|| self.batches.next().transpose().map_err(ParquetError::from))? {
                Some(batch) => self.batch = BatchReader::new(&batch).map_err(invalid)?,
                None => return Ok(None),
            }
        }
    }
}

fn batches<R: ChunkReader + 'static>(shard: R) -> Result<ParquetRecordBatchReader, ShardErrorKind> {
    if !has_magic(&shard).map_err(sort)? {
        return Err(ShardErrorKind::Truncated);
    }
    catch_panic(|| {
        // The types are those of Parquet, and not those that a writer noted for itself.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        ParquetRecordBatchReaderBuilder::try_new_with_options(shard, options)?
            .with_batch_size(BATCH)
            .build()
    })
}

/// Returns whether a shard that begins like a Parquet file, or is empty, also ends like one. Any other file is not
/// truncated, but wrong.
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

/// Calls a part of the library, which may panic at a damaged file.
fn catch_panic<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ShardErrorKind> {
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
