//! Archives on a server on the loopback.

mod again;
mod bad;
mod offsets;
mod reading;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use dehusk::report::ArchiveState;
use dehusk::{ArchiveInput, Config, Report, RunOptions, run_with};

use crate::make;
use crate::server::{Asked, Reply, Server, file};

/// A configuration with small parts and hardly a wait.
fn config() -> Config {
    let mut config = Config::builder().extractors(["coreex-modern"]).build().unwrap();
    config.set("remote.part_bytes", 300_000).unwrap();
    config.set("remote.requests_per_second", 0).unwrap();
    config.set("remote.retry_ms", 1).unwrap();
    config
}

/// Pages, and what fills the windows between them.
fn records(pages: u64, filler: usize) -> Vec<Vec<u8>> {
    let record = |i| match i % 2 {
        0 => make::page(&format!("https://a.example/{i}"), &format!("Page {i} has some words.")),
        _ => make::filler(i, filler),
    };
    (0..2 * pages).map(record).collect()
}

fn members() -> Vec<u8> {
    make::each(&records(12, 200_000), make::gzip)
}

struct Ran {
    report: Report,
    /// The documents, by their shards.
    shards: BTreeMap<String, Vec<u8>>,
    /// All that the run wrote.
    written: Vec<u8>,
}

fn run(config: &Config, inputs: &[ArchiveInput], options: RunOptions<'_>) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let report = run_with(config, inputs, &out, options).unwrap();
    Ran {
        report,
        shards: shards(&out),
        written: written(&out),
    }
}

fn quiet_run(config: &Config, inputs: &[ArchiveInput]) -> Ran {
    run(config, inputs, RunOptions::default())
}

fn shards(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(out.join("documents"))
        .into_iter()
        .flatten()
        .map(Result::unwrap);
    let shard = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(entry.path()).unwrap())
    };
    entries.map(shard).collect()
}

/// All bytes of all files.
fn written(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(written(&entry.path()))
        } else {
            all.extend(std::fs::read(entry.path()).unwrap())
        }
    }
    all
}

/// The results of a local run on an archive of this name.
fn local(config: &Config, name: &str, bytes: &[u8]) -> Ran {
    let ran = quiet_run(config, &[ArchiveInput::source(name, Arc::new(bytes.to_vec()))]);
    assert_eq!(ran.report.exit_status(), 0, "{name}");
    ran
}

/// Runs a bad archive between good ones, and checks that it alone fails, for this reason, and is named. Returns how
/// many documents were made of it.
fn fails(config: &Config, bad: &str, reason: &str) -> u64 {
    let good = make::each(&records(3, 1_000), make::gzip);
    let server = Server::of(&good);
    let first = server.url("/first.warc.gz");
    let last = ArchiveInput::source("last.warc.gz", Arc::new(good));
    let ran = quiet_run(config, &[first.as_str().into(), bad.into(), last]);
    let [first, bad, last] = &ran.report.archives[..] else {
        panic!("three archives")
    };
    for good in [first, last] {
        assert_eq!(
            (good.state, good.ledger.emitted),
            (ArchiveState::Complete, 3),
            "{}",
            good.error
        );
    }
    assert_eq!(bad.state, ArchiveState::Failed);
    assert!(bad.error.starts_with(&bad.path), "{}", bad.error);
    assert!(bad.error.contains(reason), "{}", bad.error);
    bad.ledger.emitted
}

/// A server with an archive, whose answers to all requests but the first are changed.
fn changed_later(bytes: &[u8], change: impl Fn(Reply, &Asked) -> Reply + Send + Sync + 'static) -> Server {
    let bytes = bytes.to_vec();
    Server::start(move |asked, before| match before {
        0 => file(&bytes, "a", asked),
        _ => change(file(&bytes, "a", asked), asked),
    })
}
