//! The full-text index of a shard.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::OptionalExtension;

use super::super::definition::WholeShard;
use super::super::shard_error::{ShardError, ShardErrorKind, ShardPlace};
use super::super::shard_reader::ShardReader;
use super::super::tokenizer::Tokenizer;
use super::read::{Database, sort};
use crate::document::Document;
use crate::folder::open_output;

/// The full-text index of a database.
pub struct TextIndex {
    database: Database,
    tokenizer: Tokenizer,
    path: PathBuf,
}

impl TextIndex {
    /// Whether a shard may have an index, by its name.
    pub fn may_be_in(path: &Path) -> bool {
        path.extension()
            .is_some_and(|extension| extension == super::DEFINITION.name)
    }

    /// Opens the index of a shard; `None` if the shard has none.
    ///
    /// # Errors
    /// The shard is a database, and cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>, ShardError> {
        if !Self::may_be_in(path) {
            return Ok(None);
        }
        let error = |kind| error(path, kind);
        let file: File = open_output(path).map_err(|e| error(ShardErrorKind::Read(e)))?;
        let database = Database::begin(WholeShard::File(file, path.to_owned()), ShardReader::DOCUMENT_LIMIT);
        let database = database.map_err(error)?;
        // Only a virtual table of FTS5 is asked: a view could compute without end.
        let index = "SELECT sql FROM sqlite_schema WHERE name = 'search' COLLATE NOCASE AND type = 'table'
                     AND sql LIKE 'CREATE VIRTUAL TABLE search USING fts5%'";
        let sql: Option<String> = database
            .connection
            .query_row(index, [], |row| row.get(0))
            .optional()
            .map_err(|e| error(sort(e, ShardReader::DOCUMENT_LIMIT)))?;
        Ok(sql.map(|sql| Self {
            tokenizer: match sql.contains("trigram") {
                true => Tokenizer::Trigram,
                false => Tokenizer::Words,
            },
            database,
            path: path.to_owned(),
        }))
    }

    /// How the index divides texts into terms.
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// The numbers of the documents that match a query of FTS5, each with its rank, the best first: BM25, for which the
    /// title counts four times.
    ///
    /// # Errors
    /// The index is damaged, or the query is none.
    pub fn find(&self, query: &str) -> Result<Vec<(i64, f64)>, ShardError> {
        let select = "SELECT rowid, -bm25(search, 4.0, 1.0) AS fits FROM search WHERE search MATCH ?1
                      ORDER BY fits DESC, rowid";
        let find = || -> rusqlite::Result<Vec<(i64, f64)>> {
            let mut statement = self.database.connection.prepare(select)?;
            let found = statement.query_map([query], |row| Ok((row.get(0)?, row.get(1)?)))?;
            found.collect()
        };
        find().map_err(|e| error(&self.path, sort(e, ShardReader::DOCUMENT_LIMIT)))
    }

    /// The document of a number.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn document(&self, number: i64) -> Result<Document, ShardError> {
        self.database.document(number).map_err(|kind| error(&self.path, kind))
    }
}

fn error(path: &Path, kind: ShardErrorKind) -> ShardError {
    ShardError {
        path: path.to_owned(),
        place: ShardPlace::File,
        kind,
    }
}
