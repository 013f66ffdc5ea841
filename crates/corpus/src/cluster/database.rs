//! Runs and their clusters as one SQLite database.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params, params};
use serde::Deserialize;

use super::error::ClusterError;
use super::write::{CLUSTERS, DATABASE};
use crate::readback::Account;
use crate::results::cannot;
use dehusk_archive::redact::redacted;
use dehusk_documents::bounded;
use dehusk_documents::encode::{DatabaseBuilder, PartialFile, WriteError};

/// Longest line of clusters that is read back, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// The tables of the database besides the documents and their index.
const TABLES: &str = "
    CREATE TABLE clusters (id TEXT NOT NULL, cluster TEXT NOT NULL, size INTEGER NOT NULL, \
    representative INTEGER NOT NULL);
    CREATE INDEX clusters_id ON clusters (id);
    CREATE INDEX clusters_cluster ON clusters (cluster);
    CREATE TABLE shards (run TEXT NOT NULL, archive TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
    CREATE TABLE ledger (run TEXT NOT NULL, archive TEXT NOT NULL, class TEXT NOT NULL, reason TEXT NOT NULL, \
    records INTEGER NOT NULL);
    CREATE TABLE failures (run TEXT NOT NULL, archive TEXT NOT NULL, offset INTEGER, length INTEGER, id TEXT, \
    reason TEXT);";

#[derive(Deserialize)]
struct ClusterRow {
    id: String,
    cluster: String,
    size: u32,
    representative: bool,
}

/// Writes the database of runs and the clusters in a directory to that directory.
///
/// # Errors
/// A run or the clusters cannot be read, or writing fails.
pub fn write_database(runs: &[Account], directory: &Path, overwrite: bool) -> Result<(), ClusterError> {
    let path = directory.join(DATABASE);
    let mut file = PartialFile::create(&path, overwrite)?;
    let builder = DatabaseBuilder::begin(&file).map_err(|error| not_written(&path, error))?;
    let mut database = Database { path, builder };
    database.write(|builder| builder.connection()?.execute_batch(TABLES))?;
    let mut documents = 0;
    for run in runs {
        let place = redacted(&run.directory).to_string_lossy().into_owned();
        database.add_documents(run, &place, &mut documents)?;
        database.write(|builder| add_account(builder.connection()?, run, &place))?;
        database.add_failures(run, &place)?;
    }
    database.add_clusters(&directory.join(CLUSTERS))?;
    database.write(DatabaseBuilder::finish)?;
    database.builder.copy_to(&mut file)?;
    file.commit()?;
    Ok(())
}

/// The database while it is filled.
struct Database {
    path: PathBuf,
    builder: DatabaseBuilder,
}

impl Database {
    /// Adds the documents of a run, and which numbers those of each shard have. `number` is that of the last document.
    fn add_documents(&mut self, run: &Account, place: &str, number: &mut i64) -> Result<(), ClusterError> {
        for archive in &run.archives {
            for shard in run.shards(archive) {
                let before = *number;
                for document in shard.read()? {
                    let document = document?;
                    *number = self.write(|builder| builder.add(&document))?;
                }
                let values = params![place, archive.path, before + 1, *number];
                self.insert("INSERT INTO shards VALUES (?1, ?2, ?3, ?4)", values)?;
            }
        }
        Ok(())
    }

    fn add_failures(&mut self, run: &Account, place: &str) -> Result<(), ClusterError> {
        for line in run.failures()? {
            let line = line.map_err(cannot("be read", &run.directory.join("failed.jsonl")))?;
            let (offset, length) = (signed(line.offset), signed(line.length));
            let values = params![place, line.archive, offset, length, line.id, line.reason];
            self.insert("INSERT INTO failures VALUES (?1, ?2, ?3, ?4, ?5, ?6)", values)?;
        }
        Ok(())
    }

    fn add_clusters(&mut self, path: &Path) -> Result<(), ClusterError> {
        let unreadable = cannot("be read", path);
        let lines = BufReader::new(File::open(path).map_err(&unreadable)?);
        for line in bounded::lines(lines, LINE_LIMIT) {
            let line = line.and_then(|line| Ok(serde_json::from_slice::<ClusterRow>(&line)?));
            let line = line.map_err(&unreadable)?;
            let values = params![line.id, line.cluster, line.size, line.representative];
            self.insert("INSERT INTO clusters VALUES (?1, ?2, ?3, ?4)", values)?;
        }
        Ok(())
    }

    fn insert(&mut self, statement: &str, values: impl Params) -> Result<(), WriteError> {
        self.write(|builder| builder.connection()?.prepare_cached(statement)?.execute(values))
            .map(drop)
    }

    fn write<T>(&mut self, work: impl FnOnce(&mut DatabaseBuilder) -> rusqlite::Result<T>) -> Result<T, WriteError> {
        work(&mut self.builder).map_err(|error| not_written(&self.path, error))
    }
}

fn not_written(path: &Path, error: rusqlite::Error) -> WriteError {
    cannot("be written", path)(io::Error::other(error))
}

/// Adds the ledger of a run, archive by archive.
fn add_account(connection: &Connection, run: &Account, place: &str) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for archive in &run.archives {
        let mut add = |class: &str, reason: &str, records: u64| {
            insert.execute(params![place, archive.path, class, reason, signed(records)])
        };
        add("framed", "", archive.framed)?;
        add("emitted", "", archive.emitted)?;
        for (class, counts) in [
            ("filtered", &archive.filtered),
            ("failed", &archive.failed),
            ("noted", &archive.notes),
        ] {
            for (reason, records) in counts {
                add(class, reason, *records)?;
            }
        }
    }
    Ok(())
}

/// Numbers of SQLite have a sign.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
