//! Documents as a SQLite database: one file, which any program with SQLite can query, with an index over all words.
//!
//! | table | what it has |
//! |---|---|
//! | `documents` | a row for each document, in the order of the archive; null where a value is unknown |
//! | `search` | the full-text index (FTS5) over `title` and `text`, of words or trigrams; `rowid` is the `number` |
//! | `ledger` | what became of the archive's records: `class`, `reason`, `records` |
//!
//! The columns of `documents` are `number`, the fields of the run, and `text_NAME` for further extractors.
//!
//! The database is built in a file of its own, hidden beside the shard, and then copied into the shard: SQLite writes
//! pages in an order of its own, and a shard is written from its beginning to its end. All of it is one transaction, so
//! the bytes depend on the documents alone.
//!
//! - `build`: fills a database
//! - `write`: the writer's half; the workers' half is that of JSONL, without compression
//! - `read`: the documents of a shard
//! - `index`: asks the full-text index
//! - `columns`: the columns of the table, and their values

mod build;
mod columns;
mod index;
mod read;
mod write;

use super::compress::Compression;
use super::definition::{Definition, OpenShard};
use super::jsonl;
use super::rows::RowReader;

pub use build::Builder;
pub use index::TextIndex;

pub(super) static DEFINITION: Definition = Definition {
    name: "sqlite",
    changes: None,
    compresses_inside: true,
    has_elements: false,
    encoder: |_| (jsonl::DEFINITION.encoder)(Compression::None),
    writer: |file, _| Ok(Box::new(write::DatabaseWriter::new(file))),
    resume: None,
    open: OpenShard::RandomAccess(RowReader::<read::Database>::boxed),
};
