//! SQLite shards: what their tables hold, and what a damaged or foreign file gives.

use std::fs;
use std::path::{Path, PathBuf};

use dehusk::schema::FIELDS;
use dehusk::{Config, Document, Report, RunOptions};
use dehusk_documents::encode::{OutputFormat, ShardErrorKind, ShardPlace, ShardReader, read_shard};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

use crate::documents::with_text;
use crate::shards;

fn write(path: &Path, documents: &[Document]) {
    shards::write(OutputFormat::SQLITE, path, documents, 2);
}

/// Runs the sample into a directory and returns the path of its shard.
fn run(directory: &Path, threads: usize, extractors: &[&str]) -> (PathBuf, Report) {
    let (shard, report) = shards::run(OutputFormat::SQLITE, directory, threads, extractors);
    let names = fs::read_dir(shard.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1, "nothing is left beside the shard");
    (shard, report)
}

fn documents(path: &Path) -> Vec<Document> {
    read_shard(path).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_run_s_documents_are_those_of_the_iterator_for_every_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let extractors = ["fusion", "coreex"];
    let shards: Vec<_> = [1, 2, 5]
        .map(|threads| run(directory.path(), threads, &extractors).0)
        .into();
    let bytes = |path| fs::read(path).unwrap();
    assert!(shards.iter().all(|shard| bytes(shard) == bytes(&shards[0])));
    let config = Config::builder().extractors(extractors).build().unwrap();
    let expected = dehusk::documents(&config, ["docs/sample/sample.warc.gz"]).unwrap();
    let expected: Vec<Document> = expected.map(Result::unwrap).collect();
    assert!(documents(&shards[0]) == expected);
    let memory = fs::File::open(&shards[0]).unwrap();
    let memory = ShardReader::new(memory, OutputFormat::SQLITE, "memory").unwrap();
    assert!(memory.map(Result::unwrap).collect::<Vec<_>>() == expected);
}

#[test]
fn words_are_found_and_records_are_accounted_for() {
    let directory = tempfile::tempdir().unwrap();
    let (shard, report) = run(directory.path(), 2, &["fusion"]);
    let database = Connection::open(&shard).unwrap();
    let all = documents(&shard);
    let with_word = all.iter().filter(|d| {
        d.text
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .any(|w| w == "harbour")
    });
    let expected: Vec<&str> = with_word.map(|d| d.metadata.url.as_str()).collect();
    let query = "SELECT url FROM search JOIN documents ON number = search.rowid WHERE search MATCH 'text:harbour' \
        ORDER BY number";
    let mut statement = database.prepare(query).unwrap();
    let found: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(!found.is_empty());
    assert_eq!(found, expected);
    let records = |class: &str, reason: &str| -> u64 {
        let query = "SELECT records FROM ledger WHERE class = ?1 AND reason = ?2";
        let records: Option<i64> = database
            .query_row(query, [class, reason], |row| row.get(0))
            .optional()
            .unwrap();
        records.unwrap_or(0) as u64
    };
    let ledger = &report.archives[0].ledger;
    assert_eq!(
        (records("framed", ""), records("emitted", "")),
        (ledger.framed, all.len() as u64)
    );
    for (reason, n) in ledger.filtered.iter() {
        assert_eq!(records("filtered", reason.name()), n);
    }
    for (reason, n) in ledger.failed.iter() {
        assert_eq!(records("failed", reason.name()), n);
    }
    // The index agrees with the table.
    database
        .execute_batch("INSERT INTO search(search, rank) VALUES('integrity-check', 1)")
        .unwrap();
}

#[test]
fn an_unknown_value_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sqlite");
    let mut document = with_text("some words");
    document.metadata.title = "A title".into();
    document.metadata.score = f64::NAN;
    write(&path, &[document.clone(), with_text("more"), with_text("and more")]);
    let database = Connection::open(&path).unwrap();
    for field in FIELDS {
        let query = format!("SELECT \"{}\" FROM documents WHERE number = 1", field.name());
        let value: Value = database.query_row(&query, [], |row| row.get(0)).unwrap();
        assert_eq!(value == Value::Null, field.is_unknown(&document), "{}", field.key());
    }
    document.metadata.score = 0.0;
    assert_eq!(documents(&path)[0], document);
}

#[test]
fn damage_is_an_error_or_another_document_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sqlite");
    write(&path, &["one", "two", "three"].map(with_text));
    shards::check_damage(&path, 199);
    // The name of a column is no text.
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    let name = whole.windows(6).position(|bytes| bytes == b"\"text\"").unwrap();
    damaged[name + 1] = 0xFF;
    fs::write(&path, &damaged).unwrap();
    let error = read_shard(&path).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("a.sqlite: row 1: is not a document: the database is damaged"),
        "{error}"
    );
    assert!(error.contains("run its archive again"), "{error}");
    for length in [0, 10, 99, 100, 4096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = read_shard(&path).unwrap().next().unwrap().unwrap_err();
        let kind = (error.place, &error.kind);
        assert!(
            matches!(kind, (ShardPlace::File, ShardErrorKind::Truncated)),
            "{length}: {error}"
        );
    }
}

/// Documents are found by their numbers. A wrong key in the middle of the tree would let some come again, or not at
/// all.
#[test]
fn a_damaged_key_in_the_middle_of_the_tree_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sqlite");
    let written: Vec<Document> = (0..60).map(|n| with_text(&format!("{n} ").repeat(400))).collect();
    write(&path, &written);
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'documents'";
    let root: u32 = Connection::open(&path)
        .unwrap()
        .query_row(query, [], |row| row.get(0))
        .unwrap();
    let whole = fs::read(&path).unwrap();
    let page = 4096 * (root as usize - 1);
    assert_eq!(whole[page], 5, "an interior page of a table");
    // The second cell: four bytes of a page's number, and a key of one byte.
    let cell = page + usize::from(u16::from_be_bytes([whole[page + 14], whole[page + 15]]));
    for change in [2, -2_i8] {
        let mut damaged = whole.clone();
        damaged[cell + 4] = damaged[cell + 4].wrapping_add_signed(change);
        fs::write(&path, &damaged).unwrap();
        let results: Vec<_> = read_shard(&path).unwrap().take(100).collect();
        let error = results.last().unwrap().as_ref().unwrap_err().to_string();
        assert!(
            results.len() <= 61 && error.contains("the database is damaged"),
            "{error}"
        );
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sqlite");
    fs::write(&path, "{\"id\": 1}\n".repeat(100)).unwrap();
    let error = read_shard(&path).unwrap().next().unwrap().unwrap_err();
    assert!(matches!(error.kind, ShardErrorKind::Invalid(_)), "{error}");
    for (number, tables) in [
        "CREATE TABLE other (number INTEGER)",
        // It would never end.
        "CREATE VIEW documents AS WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n) SELECT * \
            FROM n",
        "CREATE VIRTUAL TABLE documents USING fts5 (number)",
        "CREATE TABLE documents (number INTEGER PRIMARY KEY, words TEXT); INSERT INTO documents VALUES (1, 'many')",
        // Such numbers may repeat.
        "CREATE TABLE documents (number INTEGER, text TEXT); INSERT INTO documents VALUES (1, 'one'), (1, 'two')",
    ]
    .into_iter()
    .enumerate()
    {
        let path = directory.path().join(format!("{number}.sqlite"));
        Connection::open(&path).unwrap().execute_batch(tables).unwrap();
        let error = read_shard(&path).unwrap().next().unwrap().unwrap_err();
        assert!(matches!(error.kind, ShardErrorKind::Invalid(_)), "{error}");
    }
}

#[test]
fn what_a_killed_run_left_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sqlite");
    fs::write(directory.path().join(".a.sqlite.building"), "half a database").unwrap();
    write(&path, &[with_text("words")]);
    assert_eq!(documents(&path), [with_text("words")]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_later_run_in_another_format_removes_what_a_killed_one_left() {
    let directory = tempfile::tempdir().unwrap();
    let (shard, _) = run(directory.path(), 1, &["coreex"]);
    let folder = shard.parent().unwrap();
    fs::write(folder.join(".sample.sqlite.building"), "half a database").unwrap();
    let config = Config::builder().extractors(["coreex"]).build().unwrap();
    let options = RunOptions::default().overwrite(true);
    let out = directory.path().join("1");
    dehusk::run_with(&config, ["docs/sample/sample.warc.gz"], &out, options).unwrap();
    let names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["sample.jsonl.zst"]);
}

/// The search that the guide shows.
#[test]
fn the_search_of_the_documentation_finds_pages_of_the_sample() {
    let directory = tempfile::tempdir().unwrap();
    let (shard, _) = run(directory.path(), 1, &["fusion"]);
    let page = include_str!("../../docs/documents.md");
    let (_, query) = page
        .split_once("sqlite3 out/documents/crawl.sqlite \\\n      \"")
        .unwrap();
    let query = query.split('"').next().unwrap();
    let shard = Connection::open(shard).unwrap();
    let mut query = shard.prepare(query).unwrap();
    let found: Vec<(String, String)> = query
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(
        !found.is_empty() && found.iter().all(|(_, words)| words.contains('[')),
        "{found:?}"
    );
}
