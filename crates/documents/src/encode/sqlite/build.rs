//! Fills a database: tables, documents, index.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use rusqlite::{Connection, params, params_from_iter};

use super::super::encoder::LedgerLine;
use super::super::partial_file::{PartialFile, WriteError};
use super::super::tokenizer::Tokenizer;
use super::columns::{Value, column_type, quoted};
use crate::document::{Document, ExtractedText, Field, FieldSet, FieldValue, SCHEMA_VERSION};

/// Memory for pages, in KiB.
const CACHE: i64 = 8 << 10;

/// The indexes of the documents. They are there before the rows: an index of rows that are there is sorted first, in
/// memory that grows with them.
const INDEXES: &str = "CREATE INDEX documents_id ON documents (id); CREATE INDEX documents_url ON documents (url);";

/// How many bytes of the database are copied at a time.
const PIECE: usize = 1 << 20;

/// A database that is being filled. Its file is removed when it is dropped.
pub struct Builder {
    /// `None` once the database is complete.
    connection: Option<Connection>,
    path: PathBuf,
    /// The extractors of further texts, as the first document has them; `None` before it.
    extractors: Option<Vec<String>>,
    /// The fields that are columns.
    columns: FieldSet,
    insert: String,
    documents: i64,
    tokenizer: Tokenizer,
}

impl Builder {
    /// Begins a database that will be copied to `file`, in a hidden file beside it.
    ///
    /// # Errors
    /// The hidden file cannot be written.
    pub fn begin(file: &PartialFile) -> Result<Self, rusqlite::Error> {
        let path = file.building_path();
        // A killed run may have left one.
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
        let connection = Connection::open(&path)?;
        // No other program sees the file before it is whole, and after a crash it is made anew: no journal is needed.
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA cache_size = -{CACHE}; PRAGMA page_size = 4096;
             PRAGMA user_version = {SCHEMA_VERSION}; BEGIN;"
        ))?;
        Ok(Self {
            connection: Some(connection),
            path,
            extractors: None,
            columns: FieldSet::NONE,
            insert: String::new(),
            documents: 0,
            tokenizer: Tokenizer::default(),
        })
    }

    /// Has the full-text index cut texts in this way. Nothing may have been added yet.
    pub fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Self {
        self.tokenizer = tokenizer;
        self
    }

    /// Adds a document. Returns its number.
    ///
    /// # Errors
    /// The file cannot be written, or the document has texts of other extractors than the first one.
    pub fn add(&mut self, document: &Document) -> Result<i64, rusqlite::Error> {
        let names = || document.more_texts.iter().map(|more| more.extractor.as_str());
        match &self.extractors {
            None => self.create_tables(document.fields(), names().map(str::to_owned).collect())?,
            Some(extractors) if names().eq(extractors.iter().map(String::as_str)) => {}
            Some(_) => {
                let message = "the documents of a database must have texts of the same extractors";
                return Err(failed(io::Error::other(message)));
            }
        }
        if document.fields().union(self.columns) != self.columns {
            self.add_columns(document.fields())?;
        }
        self.documents += 1;
        let connection = self.connection()?;
        let values = self.columns.iter().map(|field| Value::new(field, document));
        let texts = document
            .more_texts
            .iter()
            .map(|more| Value(Some(FieldValue::Text(&more.text))));
        connection
            .prepare_cached(&self.insert)?
            .execute(params_from_iter(values.chain(texts)))?;
        connection
            .prepare_cached("INSERT INTO search (rowid, title, text) VALUES (?1, ?2, ?3)")?
            .execute(params![self.documents, document.metadata.title, document.text])?;
        Ok(self.documents)
    }

    fn create_tables(&mut self, fields: FieldSet, extractors: Vec<String>) -> Result<(), rusqlite::Error> {
        let columns = fields.iter().map(|field| {
            let needed = if is_in_every(field) { " NOT NULL" } else { "" };
            format!("{} {}{needed}", quoted(field.name()), column_type(field))
        });
        let texts = extractors.iter().map(|name| format!("{} TEXT", text_column(name)));
        let columns: Vec<String> = columns.chain(texts).collect();
        let tokenizer = match self.tokenizer {
            Tokenizer::Words => "",
            Tokenizer::Trigram => ", tokenize = 'trigram'",
        };
        self.connection()?.execute_batch(&format!(
            "CREATE TABLE documents (number INTEGER PRIMARY KEY, {});
             {INDEXES} CREATE VIRTUAL TABLE search USING fts5 (title, text, content = 'documents', \
             content_rowid = 'number'{tokenizer});",
            columns.join(", ")
        ))?;
        self.columns = fields;
        self.extractors = Some(extractors);
        self.prepare();
        Ok(())
    }

    /// Adds columns for the fields that have none: the documents of several runs can have different ones.
    fn add_columns(&mut self, fields: FieldSet) -> Result<(), rusqlite::Error> {
        for field in fields.iter().filter(|field| !self.columns.contains(field)) {
            let column = format!("{} {}", quoted(field.name()), column_type(field));
            self.connection()?
                .execute_batch(&format!("ALTER TABLE documents ADD COLUMN {column};"))?;
        }
        self.columns = self.columns.union(fields);
        self.prepare();
        Ok(())
    }

    /// The statement that adds a document.
    fn prepare(&mut self) {
        let texts = self.extractors.iter().flatten().map(|name| text_column(name));
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|field| quoted(field.name()))
            .chain(texts)
            .collect();
        let places = vec!["?"; names.len()].join(", ");
        self.insert = format!("INSERT INTO documents ({}) VALUES ({places})", names.join(", "));
    }

    /// Adds what became of the records of the archive.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add_ledger(&mut self, ledger: &[LedgerLine]) -> Result<(), rusqlite::Error> {
        let connection = self.connection()?;
        connection.execute_batch(
            "CREATE TABLE ledger (class TEXT NOT NULL, reason TEXT NOT NULL, records INTEGER NOT NULL);",
        )?;
        for line in ledger {
            let records = i64::try_from(line.records).unwrap_or(i64::MAX);
            connection.execute(
                "INSERT INTO ledger VALUES (?1, ?2, ?3)",
                params![line.class, line.reason, records],
            )?;
        }
        Ok(())
    }

    /// Completes the database. Only [`Builder::copy_to`] may follow.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(&mut self) -> Result<(), rusqlite::Error> {
        if self.extractors.is_none() {
            self.create_tables(FieldSet::with_groups(&[]), Vec::new())?;
        }
        self.connection()?.execute_batch("COMMIT;")?;
        match self.connection.take() {
            Some(connection) => connection.close().map_err(|(_, error)| error),
            None => Ok(()),
        }
    }

    /// Copies the complete database.
    ///
    /// # Errors
    /// It cannot be read, or the file cannot be written.
    pub fn copy_to(self, file: &mut PartialFile) -> Result<(), WriteError> {
        let unreadable = |source| WriteError {
            action: "be read",
            path: self.path.clone(),
            source,
        };
        let mut database = File::open(&self.path).map_err(unreadable)?;
        let mut piece = vec![0; PIECE];
        loop {
            match database.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(length) => file.append(&piece[..length])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
    }

    /// The database, for tables of the caller's own.
    ///
    /// # Errors
    /// It is complete already.
    pub fn connection(&self) -> Result<&Connection, rusqlite::Error> {
        self.connection
            .as_ref()
            .ok_or_else(|| failed(io::Error::other("the database is complete already")))
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        self.connection = None;
        // If the file stays, the next run replaces it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether each document of every run has a value.
fn is_in_every(field: &Field) -> bool {
    matches!(field.name(), "id" | "text")
}

/// The column of an extractor's text.
fn text_column(extractor: &str) -> String {
    quoted(&format!("{}{extractor}", ExtractedText::PREFIX))
}

fn failed(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}
