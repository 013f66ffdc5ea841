//! The documents of a database, of this program or another.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row};

use super::super::definition::WholeShard;
use super::super::rows::Rows;
use super::super::shard_error::ShardErrorKind;
use super::columns::quoted;
use crate::document::{Document, ExtractedText, FIELDS, FieldType, FieldValue};

/// The bytes at the start of a database, and the length of its header.
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// The column by which the documents are ordered.
const NUMBER: &str = "number";

/// A database with a table of documents.
pub(super) struct Database {
    pub(super) connection: Connection,
    /// The names of the table's columns.
    columns: Vec<String>,
    /// The statement that gives the next document's number, and then its columns.
    select: String,
    /// The smallest number that the next document can have; `None` after the largest of all numbers.
    next: Option<i64>,
    /// How many documents the database has, and how many of them were read.
    count: u64,
    read: u64,
    limit: u64,
}

impl Rows for Database {
    fn open(shard: WholeShard, limit: u64) -> Result<Self, ShardErrorKind> {
        Self::begin(shard, limit)
    }

    fn next_row(&mut self) -> Result<Option<Document>, ShardErrorKind> {
        let Some(least) = self.next else {
            return self.end();
        };
        let Some((number, document)) = self.first_from(least)? else {
            return self.end();
        };
        if number < least {
            return Err(damaged(&"the numbers of its documents do not rise"));
        }
        self.next = number.checked_add(1);
        self.read += 1;
        Ok(Some(document))
    }
}

impl Database {
    /// Opens a database to read its documents.
    pub(super) fn begin(shard: WholeShard, limit: u64) -> Result<Self, ShardErrorKind> {
        Self::with_connection(connect(shard, limit)?, limit)
    }

    /// The first document whose number is not smaller. There is a statement for each document, because one for all would
    /// borrow the connection beside it.
    fn first_from(&self, least: i64) -> Result<Option<(i64, Document)>, ShardErrorKind> {
        let statement = self.connection.prepare_cached(&self.select);
        let mut statement = statement.map_err(|error| sort(error, self.limit))?;
        let first = statement.query_row([least], |row| {
            let number = row.get_ref(0)?.as_i64()?;
            Ok((number, document(row, &self.columns)?))
        });
        first.optional().map_err(|error| sort(error, self.limit))
    }

    /// The document of a number.
    pub(super) fn document(&self, number: i64) -> Result<Document, ShardErrorKind> {
        match self.first_from(number)? {
            Some((found, document)) if found == number => Ok(document),
            _ => Err(damaged(&"its index names a document that is not there")),
        }
    }

    fn with_connection(connection: Connection, limit: u64) -> Result<Self, ShardErrorKind> {
        // In a damaged file, the names of columns may be no text. At those, rusqlite panics when it is asked for them.
        let names = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let mut columns = connection.prepare("PRAGMA table_info(documents)")?;
            let names = columns.query_map([], |row| Ok(row.get_ref(1)?.as_bytes()?.to_vec()))?;
            names.collect()
        };
        // Only the key of the rows itself is unique and sorted.
        let is_key = "SELECT count(*) FROM pragma_table_info('documents')
                      WHERE name = ?1 AND pk = 1 AND type = 'INTEGER' COLLATE NOCASE";
        let is_key = connection.query_row(is_key, [NUMBER], |row| row.get::<_, u32>(0));
        let is_key = is_key.map_err(|error| sort(error, limit))? == 1;
        let names = names().map_err(|error| sort(error, limit))?;
        let columns: Result<Vec<String>, _> = names.into_iter().map(String::from_utf8).collect();
        let columns = columns.map_err(|error| damaged(&error))?;
        if !is_key {
            let message = "the documents have no column “number” that is an integer primary key";
            return Err(ShardErrorKind::Invalid(message.into()));
        }
        let count = connection.query_row("SELECT count(*) FROM documents NOT INDEXED", [], |row| {
            row.get::<_, i64>(0)
        });
        let count = count.map_err(|error| sort(error, limit))?;
        let selected: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let selected = selected.join(", ");
        Ok(Self {
            select: format!(
                "SELECT {NUMBER}, {selected} FROM documents WHERE {NUMBER} >= ?1 ORDER BY {NUMBER} LIMIT 1"
            ),
            count: u64::try_from(count).unwrap_or_default(),
            connection,
            columns,
            next: Some(i64::MIN),
            read: 0,
            limit,
        })
    }

    /// Returns the end of the shard if all documents were read. Where a key in the middle of the tree is damaged, some
    /// are missing.
    fn end(&self) -> Result<Option<Document>, ShardErrorKind> {
        if self.read == self.count {
            return Ok(None);
        }
        Err(damaged(&"some of its documents are not found by their numbers"))
    }
}

fn connect(shard: WholeShard, limit: u64) -> Result<Connection, ShardErrorKind> {
    let connection = match shard {
        WholeShard::File(file, path) => connect_file(file, path),
        WholeShard::Memory(bytes) => {
            check_header(&bytes[..bytes.len().min(HEADER)], bytes.len() as u64)?;
            Connection::open_in_memory().and_then(|mut connection| {
                connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), true)?;
                Ok(connection)
            })
        }
        .map_err(|error| sort(error, limit)),
    }?;
    let most = i32::try_from(limit).unwrap_or(i32::MAX);
    let prepare = || -> rusqlite::Result<Option<String>> {
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most)?;
        // The file may be hostile. So only a table is read: a view could compute without end.
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
        let kind =
            "SELECT type FROM sqlite_schema WHERE name = 'documents' COLLATE NOCASE AND sql LIKE 'CREATE TABLE%'";
        connection.query_row(kind, [], |row| row.get(0)).optional()
    };
    match prepare().map_err(|error| sort(error, limit))?.as_deref() {
        Some("table") => Ok(connection),
        _ => Err(ShardErrorKind::Invalid("the database has no table of documents".into())),
    }
}

fn connect_file(mut file: File, path: PathBuf) -> Result<Connection, ShardErrorKind> {
    let mut header = Vec::new();
    let length = file.metadata().map_err(ShardErrorKind::Read)?.len();
    file.by_ref()
        .take(HEADER as u64)
        .read_to_end(&mut header)
        .map_err(ShardErrorKind::Read)?;
    check_header(&header, length)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| sort(error, u64::MAX))
}

/// Checks that a database has the length that its header states. Any other file is not truncated, but wrong.
fn check_header(header: &[u8], length: u64) -> Result<(), ShardErrorKind> {
    if header.len() < HEADER {
        if MAGIC.starts_with(header) || header.starts_with(MAGIC) {
            return Err(ShardErrorKind::Truncated);
        }
        return Err(ShardErrorKind::Invalid("the file is no database of SQLite".into()));
    }
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let pages = u32::from_be_bytes([header[28], header[29], header[30], header[31]]);
    if header.starts_with(MAGIC) && length < page * u64::from(pages) {
        return Err(ShardErrorKind::Truncated);
    }
    Ok(())
}

/// Returns the document of a row whose columns after the number have these names. Columns of other names are left out.
fn document(row: &Row<'_>, columns: &[String]) -> rusqlite::Result<Document> {
    let mut document = Document::without_fields();
    for (name, at) in columns.iter().zip(1..) {
        let value = row.get_ref(at)?;
        let invalid = |message: String| {
            rusqlite::Error::FromSqlConversionFailure(at, value.data_type(), Box::new(io::Error::other(message)))
        };
        let text = |bytes| std::str::from_utf8(bytes).map_err(|e| invalid(format!("{name}: {e}")));
        let Some(field) = FIELDS.iter().find(|field| field.name() == name) else {
            if let (Some(extractor), ValueRef::Text(bytes)) = (name.strip_prefix(ExtractedText::PREFIX), value) {
                document.more_texts.push(ExtractedText::new(extractor, text(bytes)?));
            }
            continue;
        };
        let value = match (value, field.field_type()) {
            (ValueRef::Null, _) => None,
            (ValueRef::Text(bytes), _) => Some(FieldValue::Text(text(bytes)?)),
            (ValueRef::Integer(n), FieldType::Boolean) => Some(FieldValue::Boolean(n != 0)),
            (ValueRef::Integer(n), _) => {
                let n = u64::try_from(n).map_err(|e| invalid(format!("{name}: {e}")))?;
                Some(FieldValue::Integer(n))
            }
            (ValueRef::Real(n), _) if n.is_finite() => Some(FieldValue::Float(n)),
            _ => return Err(invalid(format!("{name}: is no value of a document"))),
        };
        field
            .set_column(&mut document, value)
            .map_err(|e| invalid(e.to_string()))?;
    }
    Ok(document)
}

/// Sorts the errors of SQLite.
pub(super) fn sort(error: rusqlite::Error, limit: u64) -> ShardErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::TooBig) => ShardErrorKind::TooLarge(limit),
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            ShardErrorKind::Read(io::Error::other(error))
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(&error),
        _ => ShardErrorKind::Invalid(Box::new(error)),
    }
}

fn damaged(error: &dyn std::fmt::Display) -> ShardErrorKind {
    let message = format!("the database is damaged ({error}); run its archive again with --overwrite");
    ShardErrorKind::Invalid(message.into())
}
