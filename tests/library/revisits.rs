//! Revisits of originals in sources of bytes, and through an iterator over documents.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use dehusk::archive::Fault;
use dehusk::report::{ArchiveReport, ArchiveState, Failed, RunState};
use dehusk::{ArchiveInput, ByteSource, Config, Progress, RunOptions, Stop, run_with};

use crate::make;

/// The answer of a source to a read.
const SERVES: u8 = 0;
const FAILS: u8 = 1;
const WAITS: u8 = 2;

/// A page with a switch. A read that waits asks for a stop first.
struct Switched {
    bytes: Vec<u8>,
    switch: Arc<AtomicU8>,
    stop: Stop,
    gate: Mutex<Receiver<()>>,
}

impl std::fmt::Debug for Switched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Switched")
    }
}

impl ByteSource for Switched {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self.switch.load(Ordering::SeqCst) {
            FAILS => return Err(io::Error::other("the disk is broken")),
            WAITS => {
                self.stop.request();
                // Until the other end of the channel is dropped.
                let _ = self.gate.lock().unwrap().recv();
            }
            _ => {}
        }
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let most = buffer.len().min(rest.len());
        buffer[..most].copy_from_slice(&rest[..most]);
        Ok(most)
    }

    fn may_wait(&self) -> bool {
        true
    }
}

const URL: &str = "https://a.example/";

fn config() -> Config {
    let builder = Config::builder().extractors(["coreex-modern"]);
    builder.set("select.resolve_revisits", true).build().unwrap()
}

fn revisit() -> Vec<u8> {
    let fields = format!(
        "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
         WARC-Refers-To: <urn:test:response:{URL}>\r\n"
    );
    make::record("revisit", "https://b.example/", &fields, b"HTTP/1.1 200 OK\r\n\r\n")
}

/// The source with the original, and its switch, which is at `first`.
fn original(first: u8, stop: &Stop, gate: Receiver<()>) -> (ArchiveInput, Arc<AtomicU8>) {
    let switch = Arc::new(AtomicU8::new(first));
    let source = Switched {
        bytes: make::page(URL, "Some words of the original."),
        switch: Arc::clone(&switch),
        stop: stop.clone(),
        gate: Mutex::new(gate),
    };
    (ArchiveInput::source("originals.warc", Arc::new(source)), switch)
}

/// A stream with a revisit, and the source with its original. The stream is opened after the first pass, and puts the
/// switch from `first` to `then`.
fn inputs(first: u8, then: u8) -> [ArchiveInput; 2] {
    let (source, switch) = original(first, &Stop::default(), channel().1);
    let stream = ArchiveInput::stream("revisits.warc", move || {
        switch.store(then, Ordering::SeqCst);
        Ok(io::Cursor::new(revisit()))
    });
    [stream, source]
}

#[test]
fn an_iterator_over_documents_resolves_revisits() {
    for threads in [1, 4] {
        let mut config = config();
        config.set("run.threads", threads).unwrap();
        let documents = dehusk::documents(&config, inputs(SERVES, SERVES)).unwrap();
        let documents: Vec<_> = documents.collect::<Result<_, _>>().unwrap();
        let found: Vec<_> = documents.iter().map(|d| (&*d.metadata.url, &*d.text)).collect();
        let text = "Some words of the original.";
        assert_eq!(found, [("https://b.example/", text), (URL, text)]);
    }
}

/// A source that is asked for bytes notes what the run's progress shows of the first pass: bytes that are finished, and
/// all.
#[derive(Debug)]
struct Noting {
    bytes: Vec<u8>,
    progress: Arc<Progress>,
    shown: Mutex<Vec<Option<(u64, u64)>>>,
}

impl ByteSource for Noting {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let pass = self.progress.first_pass();
        let shown = pass.map(|pass| {
            (
                pass.bytes.load(Ordering::SeqCst),
                pass.total_bytes.load(Ordering::SeqCst),
            )
        });
        self.shown.lock().unwrap().push(shown);
        self.bytes.read_at(offset, buffer)
    }
}

#[test]
fn progress_shows_how_far_the_search_for_originals_is() {
    let place = tempfile::tempdir().unwrap();
    let progress = Arc::new(Progress::default());
    let source = |bytes: Vec<u8>| {
        let shown = Mutex::default();
        Arc::new(Noting {
            bytes,
            progress: Arc::clone(&progress),
            shown,
        })
    };
    let (first, last) = (
        source(make::page(URL, "Some words of the original.")),
        source(revisit()),
    );
    let inputs = [
        ArchiveInput::source("originals.warc", first.clone()),
        ArchiveInput::source("revisits.warc", last.clone()),
    ];
    let mut config = config();
    config.set("run.threads", 1).unwrap();
    let options = RunOptions::default().progress(&progress);
    let report = run_with(&config, &inputs, &place.path().join("out"), options).unwrap();
    assert_eq!(report.totals.ledger.emitted, 2);
    let all = first.size() + last.size();
    let shown = |source: &Noting| source.shown.lock().unwrap().clone();
    assert_eq!(shown(&first)[0], Some((0, all)));
    // The run itself follows, and reads all of it once more.
    assert!(shown(&last).iter().any(Option::is_none), "{:?}", shown(&last));
    assert!(
        shown(&last)[0].is_some_and(|(_, total)| total == all),
        "{:?}",
        shown(&last)
    );
    assert!(progress.first_pass().is_none());
    assert_eq!(progress.bytes.load(Ordering::SeqCst), all);
}

#[test]
fn a_revisit_fails_if_the_archive_of_its_original_cannot_be_read() {
    // When the revisit asks for it; and in the first pass only, where nothing is found of it.
    for (first, then, pages) in [(SERVES, FAILS, 0), (FAILS, SERVES, 1)] {
        let mut documents = dehusk::documents(&config(), inputs(first, then)).unwrap();
        assert_eq!(documents.by_ref().filter(Result::is_ok).count(), pages);
        let failures = documents.take_failures();
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].reason, Failed::Archive(Fault::Unreadable));
        assert_eq!(failures[0].archive, "revisits.warc");
        assert_eq!(documents.outcomes()[0].ledger.framed, 1);
    }
}

#[test]
fn nothing_is_made_of_a_revisit_that_waits_when_its_run_is_stopped() {
    let place = tempfile::tempdir().unwrap();
    let (stop, (closed, gate)) = (Stop::default(), channel());
    let (source, switch) = original(SERVES, &stop, gate);
    // The archive of the original is finished before the stream is opened, so it is the revisit that waits.
    let (finished, ready) = channel();
    let ready = Mutex::new(ready);
    let stream = ArchiveInput::stream("revisits.warc", move || {
        ready.lock().unwrap().recv().unwrap();
        switch.store(WAITS, Ordering::SeqCst);
        Ok(io::Cursor::new(revisit()))
    });
    let mut on_archive = |report: &ArchiveReport| {
        if report.path == "originals.warc" {
            finished.send(()).unwrap();
        }
    };
    let options = RunOptions::default().stop(&stop).on_archive(&mut on_archive);
    let report = run_with(&config(), &[stream, source], &place.path().join("out"), options).unwrap();
    drop(closed);
    assert_eq!(report.state, RunState::Interrupted);
    let states: Vec<ArchiveState> = report.archives.iter().map(|archive| archive.state).collect();
    assert_eq!(states, [ArchiveState::Interrupted, ArchiveState::Complete]);
    assert_eq!((report.archives[0].ledger.framed, report.totals.ledger.emitted), (0, 1));
}
