//! Documents as a SQLite database: one file, which any program with SQLite can query, with an index over all words.
//!
//! | table | what it has |
//! |---|---|
//! | `documents` | a row for each document, in the order of the archive: `number`, the fields of the run, `text_NAME` for further extractors; null where a value is unknown |
//! | `search` | the full-text index (FTS5) over `title` and `text`; its `rowid` is the document's `number` |
//! | `ledger` | what became of the archive's records: `class`, `reason`, `records` |
//!
//! The database is built in a file of its own, hidden beside the shard, and then copied into the shard: SQLite writes pages in an
//! order of its own, and a shard is written from its beginning to its end. All of it is one transaction, so the bytes depend on the documents alone.
//!
//! - `build`: fills a database
//! - `write`: the writer's half; the workers' half is that of JSONL, without compression
//! - `read`: the documents of a shard

mod build;
mod read;
mod write;

use rusqlite::types::ToSqlOutput;
use rusqlite::{ToSql, types};

use super::compress::Compression;
use super::format::{Definition, Reader};
use super::jsonl;
use crate::document::{Document, Field, FieldType, FieldValue};

pub use build::Builder;

pub(super) static DEFINITION: Definition = Definition {
    name: "sqlite",
    extension: "sqlite",
    changes: None,
    compresses_inside: true,
    has_elements: false,
    encoder: |_| (jsonl::DEFINITION.encoder)(Compression::None),
    writer: |file, _| Ok(Box::new(write::DatabaseWriter::new(file))),
    resume: None,
    reader: Reader::Whole(read::open),
};

/// The type of a field's column.
fn column_type(field: &Field) -> &'static str {
    match field.field_type() {
        FieldType::Text | FieldType::Instant => "TEXT",
        FieldType::F64 => "REAL",
        FieldType::U16 | FieldType::U32 | FieldType::U64 | FieldType::Boolean => "INTEGER",
    }
}

/// A name as SQL has it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value of a column.
struct Value<'d>(Option<FieldValue<'d>>);

impl<'d> Value<'d> {
    fn of(field: &Field, document: &'d Document) -> Self {
        Self((!field.is_unknown(document)).then(|| field.get(document)))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        use types::Value as Owned;
        use types::ValueRef::Text;
        Ok(match self.0 {
            None => ToSqlOutput::Owned(Owned::Null),
            Some(FieldValue::Text(text)) => ToSqlOutput::Borrowed(Text(text.as_bytes())),
            // Numbers of SQLite have a sign. No offset or count is near the limit.
            Some(FieldValue::Integer(n)) => ToSqlOutput::Owned(Owned::Integer(i64::try_from(n).unwrap_or(i64::MAX))),
            // A number that is not finite is unknown to every format.
            Some(FieldValue::Float(n)) => ToSqlOutput::Owned(Owned::Real(if n.is_finite() { n } else { 0.0 })),
            Some(FieldValue::Boolean(b)) => ToSqlOutput::Owned(Owned::Integer(i64::from(b))),
        })
    }
}
