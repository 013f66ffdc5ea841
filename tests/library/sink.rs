//! A place of the caller's own for the documents of a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dehusk::report::{ArchiveReport, RunState};
use dehusk::shards::{SinkArchive, SinkError};
use dehusk::{Config, Document, DocumentSink, Report, RunError, RunOptions};
use dehusk_corpus::readback::Account;

use crate::make;

#[allow(dead_code)]
#[path = "../../examples/own_sink.rs"]
mod own_sink;

const SAMPLE: &str = "docs/sample/sample.warc.gz";

/// When a sink fails.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Fails {
    #[default]
    Never,
    /// When the archive of this number begins.
    Begin(usize),
    /// At the document of this number.
    Document(usize),
    /// At the commit of this number.
    Commit(usize),
    /// The same, but when all is committed already.
    AfterCommit(usize),
}

/// Documents, in memory.
#[derive(Default)]
struct Memory {
    committed: BTreeMap<String, Vec<String>>,
    current: Vec<String>,
    begun: Vec<String>,
    documents: usize,
    commits: usize,
    discarded: Vec<String>,
    fails: Fails,
}

impl Memory {
    fn check(&self, now: Fails) -> Result<(), SinkError> {
        if self.fails == now {
            Err("the sink is full".into())
        } else {
            Ok(())
        }
    }
}

impl DocumentSink for Memory {
    fn name(&self) -> &str {
        "memory"
    }

    fn begin(&mut self, archive: &SinkArchive<'_>) -> Result<(), SinkError> {
        self.check(Fails::Begin(self.begun.len()))?;
        self.begun.push(archive.name.to_owned());
        self.committed.remove(archive.name);
        self.current.clear();
        Ok(())
    }

    fn document(&mut self, document: Document) -> Result<(), SinkError> {
        self.check(Fails::Document(self.documents))?;
        self.documents += 1;
        self.current.push(document.text);
        Ok(())
    }

    fn commit(&mut self, archive: &SinkArchive<'_>, account: &ArchiveReport) -> Result<(), SinkError> {
        assert_eq!(account.ledger.emitted, self.current.len() as u64);
        assert_eq!(account.path, archive.path);
        self.check(Fails::Commit(self.commits))?;
        let texts = std::mem::take(&mut self.current);
        self.committed.insert(archive.name.to_owned(), texts);
        self.check(Fails::AfterCommit(self.commits))?;
        self.commits += 1;
        Ok(())
    }

    fn discard(&mut self, archive: &SinkArchive<'_>) {
        self.discarded.push(archive.name.to_owned());
    }
}

/// Four archives: one has no document, and two have one name.
fn archives(place: &Path) -> Vec<PathBuf> {
    let page = |name: &str| {
        make::page(
            &format!("https://{name}.example/"),
            &format!("The page {name} has some words."),
        )
    };
    let broken = make::response(
        "https://b.example/",
        "200 OK",
        "text/html; charset=utf-7",
        b"<p>+AGEAYgBj-",
    );
    let all: [(&str, Vec<u8>); 4] = [
        ("a.warc", [page("a"), page("b"), broken].concat()),
        ("1/c.warc", page("c")),
        ("2/c.warc", [page("d"), page("e")].concat()),
        (
            "none.warc",
            make::response("https://f.example/", "404 Not Found", "text/html", b"<p>No"),
        ),
    ];
    all.map(|(name, bytes)| {
        let path = place.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    })
    .to_vec()
}

fn config() -> Config {
    Config::builder().extractors(["coreex-modern"]).build().unwrap()
}

fn run(place: &Path, options: RunOptions<'_>) -> Result<Report, RunError> {
    dehusk::run_with(&config(), archives(place), place.join("out"), options)
}

fn run_into(place: &Path, sink: &mut Memory) -> Report {
    run(place, RunOptions::default().sink(sink)).unwrap()
}

/// The documents of a run that writes shards.
fn whole() -> (BTreeMap<String, Vec<String>>, Report) {
    let place = tempfile::tempdir().unwrap();
    let report = run(place.path(), RunOptions::default()).unwrap();
    let mut documents = BTreeMap::from([("none".to_owned(), Vec::new())]);
    for shard in report.archives.iter().flat_map(|archive| &archive.shards) {
        let name = shard.file_name().unwrap().to_string_lossy();
        let texts = dehusk::read_shard(place.path().join("out").join(shard)).unwrap();
        let texts = texts.map(|document| document.unwrap().text).collect();
        documents.insert(name.trim_end_matches(".jsonl.zst").to_owned(), texts);
    }
    (documents, report)
}

#[test]
fn a_sink_gets_the_documents_that_shards_would_have_and_the_account_is_the_same() {
    let (documents, shards) = whole();
    let place = tempfile::tempdir().unwrap();
    let mut sink = Memory::default();
    let report = run_into(place.path(), &mut sink);
    assert_eq!(sink.committed, documents);
    assert_eq!((report.exit_status(), &report.totals), (3, &shards.totals));
    let states = |report: &Report| {
        report
            .archives
            .iter()
            .map(|a| (a.path.len(), a.state))
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&report), states(&shards));
    assert!(report.archives.iter().all(|archive| archive.shards.is_empty()));
    let out = place.path().join("out");
    assert_eq!(fs::read_dir(out.join("documents")).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(out.join("failed.jsonl")).unwrap().lines().count(), 1);
    let warning = Account::read(&out).unwrap().warning().unwrap();
    assert!(warning.contains("went to the sink “memory”"), "{warning}");
    // The same call has nothing to do.
    let begun = sink.begun.len();
    assert!(run_into(place.path(), &mut sink).was_finished);
    assert_eq!((sink.begun.len(), &sink.committed), (begun, &documents));
}

#[test]
fn a_sink_that_fails_anywhere_has_every_document_once_in_the_end() {
    let (documents, shards) = whole();
    let fails = (0..4).flat_map(|n| [Fails::Begin(n), Fails::Commit(n), Fails::AfterCommit(n)]);
    for fails in fails.chain((0..5).map(Fails::Document)) {
        let place = tempfile::tempdir().unwrap();
        let mut sink = Memory {
            fails,
            ..Memory::default()
        };
        let failed = run_into(place.path(), &mut sink);
        assert_eq!((failed.state, failed.exit_status()), (RunState::Failed, 1), "{fails:?}");
        assert!(failed.error.contains("memory: cannot "), "{}", failed.error);
        assert!(failed.error.ends_with(": the sink is full"), "{}", failed.error);
        let is_begun = !matches!(fails, Fails::Begin(_));
        assert_eq!(sink.discarded.len(), usize::from(is_begun), "{fails:?}");
        let (commits, before) = (sink.commits, sink.begun.len());
        sink.fails = Fails::Never;
        let report = run_into(place.path(), &mut sink);
        assert_eq!(
            (&sink.committed, &report.totals),
            (&documents, &shards.totals),
            "{fails:?}"
        );
        assert_eq!(
            sink.begun.len() - before,
            4 - commits,
            "{fails:?}: what was committed begins again"
        );
    }
}

#[test]
fn a_run_continues_with_its_own_sink_only() {
    let place = tempfile::tempdir().unwrap();
    let mut sink = Memory::default();
    run_into(place.path(), &mut sink);
    let refused = run(place.path(), RunOptions::default()).unwrap_err().to_string();
    let message = "its documents went to the sink “memory”, and go to shards in it now";
    assert!(refused.contains(message), "{refused}");
    let forgotten = dehusk::forget(place.path().join("out"), ["a.warc"])
        .unwrap_err()
        .to_string();
    assert!(
        forgotten.contains("its documents are in the sink “memory”"),
        "{forgotten}"
    );
    // Nothing can be taken over from a run whose documents are elsewhere.
    let out = place.path().join("out");
    let inputs = archives(place.path());
    let next = place.path().join("next");
    let report = dehusk::run_with(&config(), inputs, &next, RunOptions::default().since(&out)).unwrap();
    assert_eq!((report.taken_over, report.totals.ledger.emitted), (0, 5));
    let changed = run(place.path(), RunOptions::default().changed(true)).unwrap();
    assert_eq!(changed.archives[0].shards.len(), 1);
}

#[test]
fn the_example_writes_a_table_for_each_archive() {
    let place = tempfile::tempdir().unwrap();
    for is_again in [false, true] {
        let report = own_sink::write_tables(place.path(), &[SAMPLE.into()]).unwrap();
        assert_eq!(report.was_finished, is_again);
        let table = fs::read_to_string(place.path().join("tables/sample.tsv")).unwrap();
        assert_eq!(table.lines().count() as u64, report.totals.ledger.emitted);
        assert!(
            table
                .lines()
                .all(|line| line.starts_with("http") && line.split('\t').count() == 3)
        );
        assert_eq!(fs::read_dir(place.path().join("tables")).unwrap().count(), 1);
    }
}
