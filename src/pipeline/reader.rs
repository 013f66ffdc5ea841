//! Reader threads: archives → batches.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_channel::Sender;

use super::Stop;
use super::batch::{Batch, BatchBoundary, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::cancellable::CancellableReader;
use super::chunk::ArchiveOutcome;
use super::message::{Message, PanicNotice, catch_panic};
use super::semaphore::Semaphore;
use crate::archive::Note;
use crate::archive::{self, Archive, ArchiveError, ArchiveErrorKind, BufferedRecord, Format, Records, window};
use crate::config::Rules;
use crate::input::ArchiveInput;
use crate::open;

/// The path that stands for standard input.
const STDIN: &str = "-";

pub(super) struct ReaderThread<'r> {
    pub(super) inputs: &'r [ArchiveInput],
    pub(super) rules: &'r Arc<Rules>,
    /// The next archive that no reader has taken.
    pub(super) next: &'r AtomicUsize,
    pub(super) batches: Sender<Batch>,
    pub(super) messages: Sender<Message>,
    pub(super) permits: &'r Semaphore,
    pub(super) cpu_slots: &'r Semaphore,
    pub(super) buffers: &'r BufferPool,
    pub(super) stop: &'r Stop,
}

/// The writer or all workers are gone, so there is nothing left to do.
struct Disconnected;

impl ReaderThread<'_> {
    /// Takes archives until none is left.
    pub(super) fn run(self) {
        let _notice = PanicNotice(&self.messages);
        while !self.stop.requested() {
            let archive = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = self.inputs.get(archive) else { break };
            if self.read(archive, &input.path).is_err() {
                return;
            }
        }
        // If the writer is gone, nobody needs to know.
        let _ = self.messages.send(Message::ReaderEnd);
    }

    /// Reads one archive.
    fn read(&self, archive: usize, path: &Path) -> Result<(), Disconnected> {
        let opened = catch_panic(path, || self.open(path).map(|opened| (opened.is_divisible(), opened)));
        let opened = opened.and_then(|opened| opened.map_err(Into::into));
        let (batches, outcome) = match opened.map(|(divisible, opened)| (opened, divisible)) {
            Ok((Opened::Map(map), true)) => self.windows(archive, &Arc::new(map))?,
            Ok((Opened::Map(map), false)) => {
                let records = map.records();
                self.stream(archive, records, map.format(), Some(&map), || map.size().unwrap_or(0))?
            }
            Ok((Opened::Stream(stream, count), _)) if stream.format().is_none() => {
                (0, ArchiveOutcome::empty(count.load(Ordering::Relaxed)))
            }
            Ok((Opened::Stream(stream, count), _)) => {
                let format = stream.format().cloned();
                let records = stream.records();
                self.stream(archive, records, format.as_ref(), None, || {
                    count.load(Ordering::Relaxed)
                })?
            }
            // A cancelled reader reports an error, too, but the archive is not at fault.
            Err(_) if self.stop.requested() => (0, ArchiveOutcome::interrupted()),
            Err(error) => (0, ArchiveOutcome::failed(error)),
        };
        let end = Message::ArchiveEnd {
            archive,
            batches,
            outcome,
        };
        self.messages.send(end).map_err(|_| Disconnected)
    }

    /// Hands out the windows of an archive. Returns their number and the archive's outcome so far.
    fn windows(&self, archive: usize, map: &Arc<Archive>) -> Result<(u64, ArchiveOutcome), Disconnected> {
        let mut outcome = ArchiveOutcome {
            size: map.size().unwrap_or(0),
            ..ArchiveOutcome::default()
        };
        if map.format().is_none() {
            return Ok((0, ArchiveOutcome::empty(map.size().unwrap_or(0))));
        }
        let count = window::count(map);
        for number in 0..count {
            self.permits.acquire();
            if self.stop.requested() {
                self.permits.release();
                outcome.interrupted = true;
                return Ok((number, outcome));
            }
            let start = (number == 0).then_some(0);
            let work = Work::Window(Window {
                map: Arc::clone(map),
                number,
                start,
            });
            let batch = Batch {
                archive,
                index: number,
                work,
            };
            self.batches.send(batch).map_err(|_| Disconnected)?;
        }
        Ok((count, outcome))
    }

    /// Frames records and hands them out in batches. Returns the number of batches and the archive's outcome so far.
    fn stream(
        &self,
        archive: usize,
        mut records: Records<'_>,
        format: Option<&Format>,
        map: Option<&Archive>,
        size: impl Fn() -> u64,
    ) -> Result<(u64, ArchiveOutcome), Disconnected> {
        let new_batch = || RecordBatch {
            bytes: self.buffers.take(),
            format: format.cloned(),
            ..RecordBatch::default()
        };
        let mut cutter = BatchCutter {
            boundary: BatchBoundary::default(),
            next: new_batch(),
            finished: 0,
            keep_stored: map.is_none() && self.rules.config.output.quarantine,
        };
        let mut outcome = ArchiveOutcome::default();
        let mut index = 0;
        let mut error = None;
        loop {
            self.permits.acquire();
            if self.stop.requested() {
                self.permits.release();
                outcome.interrupted = true;
                break;
            }
            let cut = {
                // Inflating is heavy work.
                let _slot = self.cpu_slots.cpu_slot();
                catch_panic(&self.inputs[archive].path, || cutter.cut(&mut records, new_batch))
            };
            let (batch, more) = match cut {
                Ok(cut) => cut,
                Err(failure) => {
                    self.permits.release();
                    outcome.error = Some(failure);
                    outcome.size = size();
                    return Ok((index, outcome));
                }
            };
            // Ask after the batch was copied out of the map, because its bytes may be lost at any moment.
            error = map.and_then(|_| records.take_error());
            if error.is_some() {
                self.permits.release();
                self.buffers.give(batch.bytes);
                break;
            }
            if let Some(map) = map {
                map.release(0..cutter.finished);
            }
            let work = Work::Records(batch);
            let batch = Batch { archive, index, work };
            self.batches.send(batch).map_err(|_| Disconnected)?;
            index += 1;
            for note in records.take_notes() {
                outcome.ledger.note(note);
            }
            if !more {
                break;
            }
        }
        outcome.ledger.bytes = records.bytes();
        outcome.size = size();
        if records.is_one_unit() {
            outcome.ledger.note(Note::NoSeek);
        }
        let error = error.or_else(|| records.take_error());
        // A cancelled reader reports an error, too, but the archive is not at fault.
        outcome.interrupted |= error.is_some() && self.stop.requested();
        if let Some(error) = error.filter(|_| !outcome.interrupted) {
            let error = ArchiveError::read_on(&self.inputs[archive].path, error).at(outcome.size);
            outcome.error = Some(error.into());
        }
        Ok((index, outcome))
    }

    /// Opens an archive: maps a regular file, and reads everything else as a stream.
    fn open(&self, path: &Path) -> Result<Opened, ArchiveError> {
        let options = self.rules.config.read_options();
        // Detecting the format inflates the archive's start.
        let _slot = self.cpu_slots.cpu_slot();
        let cannot_open = |e| ArchiveError::open(path, e);
        let mut count = None;
        let detected = |stream: CancellableReader, count: &mut Option<Arc<AtomicU64>>| {
            *count = Some(stream.count());
            Archive::from_reader(path, stream, options)
        };
        if path == Path::new(STDIN) {
            let stream = CancellableReader::new(|| Ok(std::io::stdin()), self.stop, self.cpu_slots);
            let archive = detected(stream.map_err(cannot_open)?, &mut count)?;
            return Ok(Opened::Stream(archive, count.unwrap_or_default()));
        }
        if path.is_dir() {
            let error = |message: String| ArchiveError::new(ArchiveErrorKind::Directory, path, message);
            return Err(match std::fs::read_dir(path) {
                Ok(_) => error("is a directory that holds no archive".into()),
                Err(e) => error(format!("cannot be read: {e}")),
            });
        }
        let archive = open::archive(path, options, |path| {
            let file = path.to_owned();
            let stream = CancellableReader::new(move || File::open(file), self.stop, self.cpu_slots);
            detected(stream.map_err(cannot_open)?, &mut count)
        })?;
        Ok(match count {
            Some(count) => Opened::Stream(archive, count),
            None => Opened::Map(archive),
        })
    }
}

/// Cuts a stream of records into batches.
struct BatchCutter {
    boundary: BatchBoundary,
    /// The batch that is being filled. Between two cuts it holds the record that begins the next batch.
    next: RecordBatch,
    /// How many stored bytes the batches so far finish.
    finished: u64,
    /// Whether to copy the entries' stored bytes, because they cannot be read again.
    keep_stored: bool,
}

impl BatchCutter {
    /// Returns the next batch, and whether another follows.
    fn cut(&mut self, records: &mut Records<'_>, new_batch: impl Fn() -> RecordBatch) -> (RecordBatch, bool) {
        loop {
            let finished = records.bytes().sum();
            let (entry, place, full) = match records.next_event() {
                None => {
                    let mut last = std::mem::take(&mut self.next);
                    last.stored = records.bytes().sum() - self.finished;
                    self.finished = records.bytes().sum();
                    return (last, false);
                }
                Some(archive::Event::Skipped(skipped)) => {
                    let place = (skipped.offset, skipped.stored_length);
                    (Entry::Skipped(skipped), place, None)
                }
                Some(archive::Event::Record(record)) => {
                    let full = self.boundary.crosses(record.offset, record.block.len()).then(|| {
                        let mut full = std::mem::replace(&mut self.next, new_batch());
                        full.stored = finished - self.finished;
                        self.finished = finished;
                        full
                    });
                    let place = (record.offset, record.stored_length);
                    let raw = BufferedRecord::new(&record, &mut self.next.bytes);
                    (Entry::Record(raw), place, full)
                }
            };
            self.next.entries.push(entry);
            let kept = self
                .keep_stored
                .then(|| records.stored(place.0, place.1).unwrap_or_default().to_vec());
            self.next.kept.push(kept);
            if let Some(full) = full {
                return (full, true);
            }
        }
    }
}

enum Opened {
    Map(Archive),
    /// A stream, with the number of bytes that were read from it.
    Stream(Archive, Arc<AtomicU64>),
}

impl Opened {
    /// Returns whether workers can read its windows apart from each other.
    fn is_divisible(&self) -> bool {
        matches!(self, Opened::Map(map) if window::is_divisible(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crossbeam_channel::unbounded;
    use std::io::Read;

    /// A stream that panics behind its last byte.
    struct Panics(std::io::Cursor<Vec<u8>>);

    impl Read for Panics {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.read(buffer)?;
            assert!(n > 0, "a panic for a test");
            Ok(n)
        }
    }

    #[test]
    fn a_panic_while_an_archive_is_read_costs_that_archive() {
        let rules = Arc::new(Rules::new(&Config::default()).expect("rules"));
        let inputs = [ArchiveInput {
            path: "broken".into(),
            name: "broken".into(),
            shard: "broken".into(),
        }];
        let (batches, received) = unbounded();
        let (messages, _messages) = unbounded();
        let (permits, cpu_slots) = (Semaphore::new(64), Semaphore::new(1));
        let reader = ReaderThread {
            inputs: &inputs,
            rules: &rules,
            next: &AtomicUsize::new(0),
            batches,
            messages,
            permits: &permits,
            cpu_slots: &cpu_slots,
            buffers: &BufferPool::new(1),
            stop: &Stop::default(),
        };
        let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
        let stream = Panics(std::io::Cursor::new(record.repeat(100_000)));
        let stream = Archive::from_reader("broken", stream, rules.config.read_options()).expect("an archive");
        let records = stream.records();
        let Ok((sent, outcome)) = reader.stream(0, records, None, None, || 0) else {
            panic!("the channels are open")
        };
        assert!(sent > 2 && received.len() as u64 == sent, "{sent} batches before it");
        let error = outcome.error.expect("a failure").to_string();
        assert!(error.starts_with("broken: reading it ended in a panic"), "{error}");
        // The reader gave its CPU slot back, and the last permit; the other permits went with the batches.
        cpu_slots.acquire();
        (0..64 - sent).for_each(|_| permits.acquire());
    }
}
