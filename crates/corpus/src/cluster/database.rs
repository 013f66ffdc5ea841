//! Runs and their clusters as one SQLite database.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use rusqlite::{Connection, params};
use serde::Deserialize;

use super::ClusterError;
use super::write::{CLUSTERS, DATABASE};
use crate::readback::Account;
use dehusk_archive::redact::redacted;
use dehusk_documents::bounded;
use dehusk_documents::encode::{DatabaseBuilder, PartialFile, WriteError};

/// Longest line of clusters that is read back, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// What the database has besides the documents and their index.
const TABLES: &str = "
    CREATE TABLE clusters (id TEXT NOT NULL, cluster TEXT NOT NULL, size INTEGER NOT NULL, representative INTEGER NOT NULL);
    CREATE INDEX clusters_id ON clusters (id);
    CREATE INDEX clusters_cluster ON clusters (cluster);
    CREATE TABLE shards (run TEXT NOT NULL, archive TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
    CREATE TABLE ledger (run TEXT NOT NULL, archive TEXT NOT NULL, class TEXT NOT NULL, reason TEXT NOT NULL, records INTEGER NOT NULL);
    CREATE TABLE failures (run TEXT NOT NULL, archive TEXT NOT NULL, offset INTEGER, length INTEGER, id TEXT, reason TEXT);";

#[derive(Deserialize)]
struct Line {
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
    let failed = |error: rusqlite::Error| WriteError {
        action: "be written",
        path: path.clone(),
        source: io::Error::other(error),
    };
    let mut file = PartialFile::create(&path, overwrite)?;
    let mut builder = DatabaseBuilder::begin(&file).map_err(failed)?;
    builder
        .connection()
        .and_then(|c| c.execute_batch(TABLES))
        .map_err(failed)?;
    let mut number = 0;
    for run in runs {
        let place = redacted(&run.directory).to_string_lossy().into_owned();
        for archive in &run.archives {
            for shard in run.shards(archive) {
                let before = number;
                for document in shard.read()? {
                    number = builder.add(&document?).map_err(failed)?;
                }
                let shard = params![place, archive.path, before + 1, number];
                let insert = "INSERT INTO shards VALUES (?1, ?2, ?3, ?4)";
                builder
                    .connection()
                    .and_then(|c| c.execute(insert, shard))
                    .map_err(failed)?;
            }
        }
        builder
            .connection()
            .and_then(|c| add_account(c, run, &place))
            .map_err(failed)?;
        let insert = "INSERT INTO failures VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        for line in run.failures()? {
            let line = line.map_err(|source| WriteError {
                action: "be read",
                path: run.directory.join("failed.jsonl"),
                source,
            })?;
            let values = params![
                place,
                line.archive,
                signed(line.offset),
                signed(line.length),
                line.id,
                line.reason
            ];
            builder
                .connection()
                .and_then(|c| c.prepare_cached(insert)?.execute(values))
                .map_err(failed)?;
        }
    }
    let insert = "INSERT INTO clusters VALUES (?1, ?2, ?3, ?4)";
    let clusters = directory.join(CLUSTERS);
    let unreadable = |source| WriteError {
        action: "be read",
        path: clusters.clone(),
        source,
    };
    let lines = BufReader::new(File::open(&clusters).map_err(unreadable)?);
    for line in bounded::lines(lines, LINE_LIMIT) {
        let line = line.and_then(|line| Ok(serde_json::from_slice::<Line>(&line)?));
        let line = line.map_err(unreadable)?;
        let values = params![line.id, line.cluster, line.size, line.representative];
        builder
            .connection()
            .and_then(|c| c.prepare_cached(insert)?.execute(values))
            .map_err(failed)?;
    }
    builder.finish().map_err(failed)?;
    builder.copy_to(&mut file)?;
    file.commit()?;
    Ok(())
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
