//! Reads shards whose documents are rows: Parquet files and databases.

use super::definition::{DocumentReader, WholeShard};
use super::shard_error::{ShardErrorKind, ShardPlace};
use crate::document::{Document, size_in_memory};

/// A format's way to read rows.
pub(super) trait Rows: Send + Sized + 'static {
    /// Opens a shard. `limit` is the size in bytes of the largest document.
    fn open(shard: WholeShard, limit: u64) -> Result<Self, ShardErrorKind>;

    /// Returns the document of the next row, or `None` after the last.
    fn next_row(&mut self) -> Result<Option<Document>, ShardErrorKind>;
}

/// Reads one document after the other. It opens the shard when the first is asked for.
pub(super) struct RowReader<R> {
    /// The shard until it is opened.
    shard: Option<WholeShard>,
    rows: Option<R>,
    /// The row that is read; the first is 1.
    row: u64,
    limit: u64,
}

impl<R: Rows> RowReader<R> {
    /// Begins a reader. `limit` is the size in bytes of the largest document.
    pub(super) fn boxed(shard: WholeShard, limit: u64) -> Box<dyn DocumentReader> {
        Box::new(Self {
            shard: Some(shard),
            rows: None,
            row: 0,
            limit,
        })
    }

    fn next(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        if let Some(shard) = self.shard.take() {
            self.rows = Some(R::open(shard, self.limit)?);
        }
        let Some(rows) = &mut self.rows else {
            return Ok(None);
        };
        match rows.next_row()? {
            Some(document) if size_in_memory(&document) as u64 > self.limit => {
                Err(ShardErrorKind::TooLarge(self.limit))
            }
            document => Ok(document),
        }
    }
}

impl<R: Rows> DocumentReader for RowReader<R> {
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)> {
        let is_first = self.row == 0;
        self.row += 1;
        self.next().map_err(|kind| match kind {
            ShardErrorKind::Truncated if is_first => (ShardPlace::File, kind),
            kind => (ShardPlace::Row(self.row), kind),
        })
    }
}
