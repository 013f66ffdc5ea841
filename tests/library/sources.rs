//! Archives in sources of bytes: slow ones, ones that return little at a time, and ones that fail.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use dehusk::report::{ArchiveReport, ArchiveState, RunState};
use dehusk::{ArchiveInput, ByteSource, Config, Report, RunOptions, Stop, run_with};

use crate::make;

/// An extractor that keeps any text, however short.
const EXTRACTOR: &str = "extract.extractors=[\"coreex-modern\"]";

fn config() -> dehusk::config::ConfigBuilder {
    Config::builder().extractors(["coreex-modern"])
}

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// The behaviour of a source before it serves a read of so many bytes at an offset: it may wait, shorten the read, or
/// fail.
type Rule = dyn Fn(u64, usize) -> io::Result<usize> + Send + Sync;

/// Bytes in memory with a rule for reads.
struct Ruled {
    bytes: Vec<u8>,
    size: u64,
    may_wait: bool,
    rule: Box<Rule>,
}

impl std::fmt::Debug for Ruled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ruled")
    }
}

impl Ruled {
    fn new(bytes: &[u8], rule: impl Fn(u64, usize) -> io::Result<usize> + Send + Sync + 'static) -> Self {
        Self {
            bytes: bytes.to_vec(),
            size: bytes.len() as u64,
            may_wait: true,
            rule: Box::new(rule),
        }
    }

    fn input(self, label: &str) -> ArchiveInput {
        ArchiveInput::source(label, Arc::new(self))
    }
}

impl ByteSource for Ruled {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let most = (self.rule)(offset, buffer.len())?.min(buffer.len()).min(rest.len());
        buffer[..most].copy_from_slice(&rest[..most]);
        Ok(most)
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }
}

/// Something that is closed until a test opens it.
#[derive(Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let mut open = self.0.lock().unwrap();
        while !*open {
            open = self.1.wait(open).unwrap();
        }
    }
}

/// Pages, and what fills the windows between them.
fn records(pages: u64, filler: usize) -> Vec<Vec<u8>> {
    let record = |i| match i % 2 {
        0 => make::page(&format!("https://a.example/{i}"), &format!("Page {i} has some words.")),
        _ => make::filler(i, filler),
    };
    (0..2 * pages).map(record).collect()
}

/// An archive of several windows in every form that is read in another way.
fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let records = records(12, 200_000);
    vec![
        ("plain.warc", records.concat()),
        ("members.warc.gz", make::each(&records, make::gzip)),
        ("frames.warc.zst", make::each(&records, make::zstd)),
        ("one.warc.gz", make::gzip(&records.concat())),
    ]
}

struct Ran {
    report: Report,
    /// The files that the run wrote, by path, without the report.
    files: BTreeMap<String, Vec<u8>>,
}

impl Ran {
    /// The texts of the documents in a JSONL shard.
    fn texts(&self, shard: &str) -> Vec<String> {
        let lines = self.files.get(shard).map(Vec::as_slice).unwrap_or_default();
        let lines = lines.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        let text = |line| {
            serde_json::from_slice::<serde_json::Value>(line).unwrap()["text"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        lines.map(text).collect()
    }
}

/// Runs archives without compressing the documents.
fn run(inputs: &[ArchiveInput], threads: usize, options: RunOptions<'_>) -> Ran {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let settings = [
        format!("run.threads={threads}"),
        "output.compression=\"none\"".to_owned(),
        "output.quarantine=true".to_owned(),
        EXTRACTOR.to_owned(),
    ];
    let config = Config::default().with_settings(&settings).unwrap();
    let report = run_with(&config, inputs, &out, options).unwrap();
    let mut files = BTreeMap::new();
    collect(&out, &out, &mut files);
    // These files may hold times.
    for name in ["run.json", "report.html", ".dehusk.lock"] {
        files.remove(name);
    }
    Ran { report, files }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files)
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

fn quiet_run(inputs: &[ArchiveInput], threads: usize) -> Ran {
    run(inputs, threads, RunOptions::default())
}

/// A size that differs from read to read.
fn some_size(offset: u64, most: usize) -> usize {
    1 + (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % most.clamp(1, 100_000)
}

#[test]
fn slow_and_short_reads_give_the_same_bytes_at_every_number_of_threads() {
    for (name, bytes) in archives() {
        let expected = quiet_run(&[ArchiveInput::source(name, Arc::new(bytes.clone()))], 1);
        assert_eq!(expected.report.totals.ledger.emitted, 12, "{name}");
        for threads in THREADS {
            let source = Ruled::new(&bytes, |offset, most| {
                (0..offset % 50).for_each(|_| thread::yield_now());
                Ok(some_size(offset, most))
            });
            let ran = quiet_run(&[source.input(name)], threads);
            assert_eq!(ran.report.exit_status(), 0, "{name}");
            assert!(ran.files == expected.files, "{name}, {threads} threads");
        }
    }
}

#[test]
fn one_byte_at_a_time_gives_the_same_bytes() {
    let bytes = make::each(&records(3, 2_000), make::gzip);
    let expected = quiet_run(&[ArchiveInput::source("a.warc.gz", Arc::new(bytes.clone()))], 1);
    for threads in THREADS {
        let mut source = Ruled::new(&bytes, |_, _| Ok(1));
        source.may_wait = false;
        let ran = quiet_run(&[source.input("a.warc.gz")], threads);
        assert_eq!(ran.report.exit_status(), 0);
        assert!(ran.files == expected.files, "{threads} threads");
    }
}

/// With one CPU slot, an archive is read while all reads of another one wait for it.
#[test]
fn a_waiting_source_leaves_its_cpu_slot_to_others() {
    for (name, bytes) in archives() {
        // Reads wait from the first one on, or only those of the workers.
        for free in [0, 1] {
            for waits_first in [true, false] {
                let gate = Arc::new(Gate::default());
                let waits = Arc::clone(&gate);
                let source = Ruled::new(&bytes, move |offset, most| {
                    if offset >= free {
                        waits.wait();
                    }
                    Ok(most)
                });
                let other = records(4, 300_000).concat();
                let mut inputs = [source.input(name), ArchiveInput::source("other.warc", Arc::new(other))];
                if !waits_first {
                    inputs.reverse();
                }
                let mut on_archive = |archive: &ArchiveReport| {
                    if archive.path == "other.warc" {
                        gate.open();
                    }
                };
                let ran = run(&inputs, 1, RunOptions::default().on_archive(&mut on_archive));
                assert_eq!(ran.report.exit_status(), 0, "{name}");
                assert_eq!(ran.report.totals.ledger.emitted, 12 + 4, "{name}");
            }
        }
    }
}

#[test]
fn a_request_to_stop_ends_the_waiting_for_a_source() {
    let (name, bytes) = archives().remove(1);
    // While the format is recognised, and while windows are read.
    for free in [0, 1] {
        let stop = Stop::default();
        let (asked, gate) = (stop.clone(), Arc::new(Gate::default()));
        let closed = Arc::clone(&gate);
        let source = Ruled::new(&bytes, move |offset, most| {
            if offset >= free {
                asked.request();
                closed.wait();
            }
            Ok(most)
        });
        let ran = run(&[source.input(name)], 2, RunOptions::default().stop(&stop));
        assert_eq!(ran.report.state, RunState::Interrupted);
        assert_eq!(ran.report.archives[0].state, ArchiveState::Interrupted);
        assert_eq!(ran.files.keys().filter(|path| path.starts_with("documents")).count(), 0);
        gate.open();
    }
}

/// Runs a faulty source beside a good archive, and checks that the good one is complete, that the faulty one failed for
/// this reason, and that its documents are the first ones of the whole archive.
fn fails(name: &str, bytes: &[u8], source: impl Fn() -> Ruled, reason: &str) {
    let expected = quiet_run(&[ArchiveInput::source(name, Arc::new(bytes.to_vec()))], 1);
    let shard = |ran: &Ran| {
        ran.report.archives[0]
            .shards
            .first()
            .map(|s| s.to_string_lossy().into_owned())
    };
    let whole = expected.texts(&shard(&expected).unwrap());
    for threads in THREADS {
        let other = ArchiveInput::source("other.warc", Arc::new(records(2, 1_000).concat()));
        let ran = quiet_run(&[source().input(name), other], threads);
        let [faulty, other] = &ran.report.archives[..] else {
            panic!("two archives")
        };
        assert_eq!((other.state, other.ledger.emitted), (ArchiveState::Complete, 2));
        assert_eq!(faulty.state, ArchiveState::Failed, "{name}");
        assert!(
            faulty.error.starts_with(name) && faulty.error.contains(reason),
            "{}",
            faulty.error
        );
        let texts = shard(&ran).map_or(Vec::new(), |shard| ran.texts(&shard));
        assert_eq!(texts.len() as u64, faulty.ledger.emitted);
        assert!(
            texts.len() < whole.len() && texts[..] == whole[..texts.len()],
            "{name}: {texts:?}"
        );
    }
}

#[test]
fn a_source_that_fails_for_ever_fails_its_archive_and_keeps_what_came_before() {
    for (name, bytes) in archives() {
        let bad = bytes.len() as u64 * 2 / 3;
        let source = || {
            Ruled::new(&bytes, move |offset, most| match offset + most as u64 > bad {
                true if offset >= bad => Err(io::Error::other("the line is dead")),
                true => Ok((bad - offset) as usize),
                false => Ok(most),
            })
        };
        fails(name, &bytes, source, "the line is dead");
    }
    let (name, bytes) = archives().remove(1);
    let source = || Ruled::new(&bytes, |_, _| Err(io::Error::other("the line is dead")));
    fails(name, &bytes, source, "the line is dead");
}

#[test]
fn an_error_once_fails_the_archive_unless_the_source_tries_again() {
    for (name, bytes) in archives() {
        let once = |interrupted: bool| {
            let failed = AtomicBool::new(false);
            Ruled::new(&bytes, move |offset, most| {
                if offset > 1_000_000 && !failed.swap(true, Ordering::Relaxed) {
                    return if interrupted {
                        Err(io::ErrorKind::Interrupted.into())
                    } else {
                        Err(io::Error::other("a hiccup"))
                    };
                }
                Ok(most.min(400_000))
            })
        };
        let ran = quiet_run(&[once(true).input(name)], 2);
        assert_eq!(
            (ran.report.exit_status(), ran.report.totals.ledger.emitted),
            (0, 12),
            "{name}"
        );
        // A guess that the error spoiled is made good, so the archive may also be read whole.
        let ran = quiet_run(&[once(false).input(name)], 2);
        match ran.report.archives[0].state {
            ArchiveState::Failed => assert!(ran.report.archives[0].error.contains("a hiccup")),
            state => assert_eq!((state, ran.report.totals.ledger.emitted), (ArchiveState::Complete, 12)),
        }
    }
}

#[test]
fn a_source_that_tries_again_by_itself_is_read_whole() {
    for (name, bytes) in archives() {
        let expected = quiet_run(&[ArchiveInput::source(name, Arc::new(bytes.clone()))], 1);
        for threads in THREADS {
            let tries = AtomicU64::new(0);
            let source = Ruled::new(&bytes, move |_, most| {
                // Every third try of the source's own connection fails.
                while tries.fetch_add(1, Ordering::Relaxed).is_multiple_of(3) {}
                Ok(most)
            });
            let ran = quiet_run(&[source.input(name)], threads);
            assert!(ran.files == expected.files, "{name}, {threads} threads");
        }
    }
}

#[test]
fn a_source_that_states_too_large_a_size_fails_its_archive() {
    for (name, bytes) in archives() {
        let source = || {
            let mut source = Ruled::new(&bytes[..bytes.len() * 2 / 3], |_, most| Ok(most));
            source.size = bytes.len() as u64;
            source
        };
        fails(name, &bytes, source, "it ends at byte");
    }
}

#[test]
fn a_source_that_panics_fails_its_archive() {
    let (name, bytes) = archives().remove(1);
    let source = || {
        Ruled::new(&bytes, |offset, most| {
            assert!(offset < 1_500_000, "a panic for a test");
            Ok(most.min(100_000))
        })
    };
    fails(name, &bytes, source, "its source panicked");
}

#[test]
fn quarantine_reads_through_the_source() {
    let mut members: Vec<Vec<u8>> = records(6, 200_000).iter().map(|r| make::gzip(r)).collect();
    // Stored blocks decode whatever is in them; their checksum does not.
    let mut damaged = make::gzip_stored(&make::page("https://b.example/", "This page is damaged."));
    let at = damaged.len() - 20;
    damaged[at] ^= 1;
    members.insert(5, damaged);
    let bytes = members.concat();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.warc.gz");
    std::fs::write(&path, &bytes).unwrap();
    let kept = |ran: Ran| {
        let mut files = ran.files;
        files.retain(|path, _| path.starts_with("quarantine") && !path.ends_with(".jsonl"));
        files
    };
    let expected = kept(quiet_run(&[path.into()], 2));
    assert_eq!(expected.len(), 1, "{:?}", expected.keys());
    let source = Ruled::new(&bytes, |offset, most| Ok(some_size(offset, most)));
    assert!(kept(quiet_run(&[source.input("a.warc.gz")], 2)) == expected);
}

#[test]
fn documents_come_in_the_order_of_the_archives_at_every_number_of_threads() {
    let config = |threads: usize| self::config().threads(threads).build().unwrap();
    let inputs = || {
        let mut inputs: Vec<ArchiveInput> = archives()
            .into_iter()
            .map(|(name, bytes)| ArchiveInput::source(name, Arc::new(bytes)))
            .collect();
        inputs.insert(1, "missing.warc".into());
        inputs
    };
    let pages: Vec<String> = (0..12).map(|i| format!("Page {} has some words.", 2 * i)).collect();
    for threads in THREADS {
        let mut documents = dehusk::documents(&config(threads), inputs()).unwrap();
        let (mut texts, mut errors) = (Vec::new(), Vec::new());
        for document in &mut documents {
            match document {
                Ok(document) => texts.push((document.metadata.file_path, document.text)),
                Err(error) => errors.push((texts.len(), error.to_string())),
            }
        }
        let expected = archives()
            .into_iter()
            .flat_map(|(name, _)| pages.iter().map(move |page| (name.to_owned(), page.clone())));
        assert!(texts == expected.collect::<Vec<_>>(), "{threads} threads: {texts:?}");
        assert_eq!(errors, [(12, "missing.warc: no such file".to_owned())]);
        let emitted: Vec<u64> = documents
            .outcomes()
            .iter()
            .map(|outcome| outcome.ledger.emitted)
            .collect();
        assert_eq!(emitted, [12, 0, 12, 12, 12]);
        assert!(documents.next().is_none());
    }
}

#[test]
fn documents_that_are_dropped_end_the_pipeline_even_while_it_waits() {
    let gate = Arc::new(Gate::default());
    let closed = Arc::clone(&gate);
    let (name, bytes) = archives().remove(1);
    let source = Ruled::new(&bytes, move |offset, most| {
        if offset > 0 {
            closed.wait();
        }
        Ok(most)
    });
    let inputs = [
        ArchiveInput::source("a.warc", Arc::new(records(3, 1_000).concat())),
        source.input(name),
    ];
    let mut documents = dehusk::documents(&config().build().unwrap(), inputs).unwrap();
    assert!(documents.next().is_some_and(|document| document.is_ok()));
    drop(documents);
    gate.open();
}

#[test]
fn an_error_states_how_far_an_archive_in_sequence_was_read() {
    // Batches of 16 MiB are handed out before the error.
    let bytes = make::gzip(&records(60, 500_000).concat());
    let (size, bad) = (bytes.len() as u64, bytes.len() as u64 * 4 / 5);
    for threads in [1, 3] {
        let source = Ruled::new(&bytes, move |offset, most| {
            if offset >= bad {
                Err(io::Error::other("the line is dead"))
            } else {
                Ok(most.min((bad - offset) as usize))
            }
        });
        let ran = quiet_run(&[source.input("one.warc.gz")], threads);
        let archive = &ran.report.archives[0];
        assert_eq!(archive.state, ArchiveState::Failed);
        assert!(archive.ledger.emitted > 0, "some batches came before");
        assert!(
            archive.bytes > size / 2 && archive.bytes <= bad,
            "{} of {size}",
            archive.bytes
        );
        assert_eq!(
            archive.error,
            format!(
                "one.warc.gz at offset {}: cannot be read on: the line is dead",
                archive.bytes
            )
        );
    }
}
