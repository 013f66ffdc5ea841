//! Reader threads: archives → batches.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossbeam_channel::Sender;

use super::batch::{Batch, BatchBoundary, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::{ArchiveOutcome, Position, Start};
use super::error::ReadFailure;
use super::job::Product;
use super::message::{Message, PanicNotice, catch_panic};
use super::opened::{Opened, OpenedBytes};
use super::progress::Stop;
use super::selected::{NextRange, Reading};
use super::semaphore::{Permit, Semaphore};
use crate::config::Rules;
use crate::input::{ArchiveInput, Opening};
use dehusk_archive::{Archive, ArchiveError, BufferedRecord, ByteSource, Bytes, Event, Note, window};

pub(super) struct ReaderThread<'r> {
    pub(super) inputs: &'r [ArchiveInput],
    pub(super) starts: &'r [Start],
    pub(super) rules: &'r Arc<Rules>,
    pub(super) product: Product,
    /// The next archive that no reader has taken.
    pub(super) next: &'r AtomicUsize,
    pub(super) batches: Sender<Batch>,
    pub(super) messages: Sender<Message>,
    pub(super) permits: &'r Semaphore,
    /// The permits for windows whose bytes may have to be waited for.
    pub(super) waiting_permits: &'r Semaphore,
    /// How many of these one archive may have.
    pub(super) waiting_windows: usize,
    pub(super) cpu_slots: &'r Semaphore,
    pub(super) buffers: &'r BufferPool,
    pub(super) stop: &'r Stop,
}

/// The writer or all workers are gone, so there is nothing left to do.
struct Disconnected;

/// An archive that was read.
#[derive(Default)]
struct ReadArchive {
    /// How many batches it has.
    batches: u64,
    /// The outcome, as far as the reader knows it.
    outcome: ArchiveOutcome,
}

impl From<ArchiveOutcome> for ReadArchive {
    /// An archive without batches.
    fn from(outcome: ArchiveOutcome) -> Self {
        Self { batches: 0, outcome }
    }
}

impl ReaderThread<'_> {
    /// Takes archives until none is left.
    pub(super) fn run(self) {
        let _notice = PanicNotice(&self.messages);
        while !self.stop.requested() {
            let archive = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = self.inputs.get(archive) else { break };
            if self.read(archive, input).is_err() {
                return;
            }
        }
        // If the writer is gone, the message is not needed.
        let _ = self.messages.send(Message::ReaderEnd);
    }

    /// Reads one archive.
    fn read(&self, archive: usize, input: &ArchiveInput) -> Result<(), Disconnected> {
        let opened = catch_panic(input.label(), || {
            // Recognising the format inflates the archive's start.
            let _slot = self.cpu_slots.cpu_slot();
            let config = &self.rules.config;
            let mut opening = Opening::parallel(config, self.waiting_windows, self.stop.flag());
            // Documents are made only from bytes that are known to be good. For places that does not matter.
            opening.options.first_pass = self.product != Product::Places;
            Opened::open(input, &opening, self.stop, self.cpu_slots)
        });
        let begin = self.start(archive);
        let ReadArchive { batches, mut outcome } = match opened.and_then(|opened| opened.map_err(ReadFailure::from)) {
            Ok(opened) if opened.archive.format().is_none() => ArchiveOutcome::empty(opened.size()).into(),
            Ok(Opened {
                archive: source,
                bytes: OpenedBytes::Again(stored_bytes),
                is_divisible: true,
            }) if input.ranges().is_none() => self.windows(archive, &Arc::new(source), &stored_bytes)?,
            Ok(opened) if input.ranges().is_some() && opened.bytes_again().is_none() => {
                let archive = input.label().to_owned();
                ArchiveOutcome::failed(ReadFailure::Stream { archive }).into()
            }
            Ok(opened) => self.sequence(archive, &opened, input.ranges())?,
            // A cancelled read also reports an error, but the archive is not at fault.
            Err(_) if self.stop.requested() => ArchiveOutcome::interrupted().into(),
            Err(failure) => ArchiveOutcome::failed(failure).into(),
        };
        if batches < begin.batches {
            // Its reading was to continue after its end, or did not get that far.
            outcome.size = outcome.size.max(begin.stored);
            if outcome.error.is_none() && !outcome.interrupted {
                let label = input.label().to_owned();
                outcome.error = Some(Arc::new(ReadFailure::Shortened { archive: label }));
            }
        }
        let end = Message::ArchiveEnd {
            archive,
            batches: batches.max(begin.batches),
            outcome: Box::new(outcome),
        };
        self.messages.send(end).map_err(|_| Disconnected)
    }

    /// Where the reading of an archive begins.
    fn start(&self, archive: usize) -> Position {
        self.starts
            .get(archive)
            .map_or_else(Position::default, |start| start.position)
    }

    /// Hands out the windows of an archive.
    fn windows(
        &self,
        archive: usize,
        source: &Arc<Archive>,
        stored_bytes: &Arc<dyn ByteSource>,
    ) -> Result<ReadArchive, Disconnected> {
        let mut outcome = ArchiveOutcome {
            size: stored_bytes.size(),
            ..ArchiveOutcome::default()
        };
        let of_archive = Semaphore::new(self.waiting_windows);
        let permits = if stored_bytes.may_wait() {
            &[&of_archive, self.waiting_permits][..]
        } else {
            &[self.permits]
        };
        let count = window::count(source);
        let begin = self.start(archive);
        let is_over = Arc::new(AtomicBool::new(false));
        for number in begin.batches..count {
            let Some(permit) = Permit::wait(permits, self.stop) else {
                outcome.interrupted = true;
                return Ok(ReadArchive {
                    batches: number,
                    outcome,
                });
            };
            // A server may claim any size, and each window after a failure would be dropped.
            if is_over.load(Ordering::Relaxed) {
                return Ok(ReadArchive {
                    batches: number,
                    outcome,
                });
            }
            let mut window = Window {
                archive: Arc::clone(source),
                stored_bytes: Arc::clone(stored_bytes),
                number,
                start: None,
                is_over: Arc::clone(&is_over),
            };
            if number == begin.batches && window.range().contains(&begin.stored) {
                window.start = Some(begin.stored);
            }
            let work = Work::Window(window);
            let batch = Batch {
                archive,
                index: number,
                work,
                permit,
            };
            self.batches.send(batch).map_err(|_| Disconnected)?;
        }
        Ok(ReadArchive {
            batches: count,
            outcome,
        })
    }

    /// Frames an archive's records and hands them out in batches.
    fn sequence(
        &self,
        archive: usize,
        opened: &Opened,
        ranges: Option<&[Range<u64>]>,
    ) -> Result<ReadArchive, Disconnected> {
        let mut sequence = Sequence {
            opened,
            records: Reading::new(&opened.archive, ranges),
            read: ReadArchive::default(),
            handed_out: Bytes::default(),
            panic: None,
            untrusted: None,
            cut_off: None,
        };
        self.hand_out(archive, &mut sequence)?;
        Ok(sequence.end(self.stop))
    }

    /// Hands out the batches of a sequence, as far as it can be read.
    fn hand_out(&self, archive: usize, sequence: &mut Sequence<'_>) -> Result<(), Disconnected> {
        let opened = sequence.opened;
        let source = opened.bytes_again();
        let new_batch = || RecordBatch {
            bytes: self.buffers.take(),
            formats: opened.archive.formats().clone(),
            stored_bytes: source.cloned(),
            ..RecordBatch::default()
        };
        let mut cutter = BatchCutter {
            boundary: BatchBoundary::default(),
            next: new_batch(),
            finished: Bytes::default(),
            keep_stored: source.is_none() && self.rules.config.output.quarantine,
        };
        let begin = self.start(archive).batches;
        loop {
            let Some(permit) = Permit::wait(&[self.permits], self.stop) else {
                sequence.read.outcome.interrupted = true;
                return Ok(());
            };
            let cut = {
                // Inflating is heavy work.
                let _slot = self.cpu_slots.cpu_slot();
                catch_panic(opened.archive.name(), || cutter.cut(&mut sequence.records, new_batch))
            };
            let (batch, more) = match cut {
                Ok(cut) => cut,
                Err(panic) => {
                    sequence.panic = Some(panic);
                    return Ok(());
                }
            };
            if source.is_some() {
                if !sequence.can_be_trusted(self.stop) {
                    self.buffers.give(batch.bytes);
                    return Ok(());
                }
                opened.archive.release(0..cutter.finished.sum());
            }
            let index = sequence.read.batches;
            if index < begin {
                // An earlier run has processed it. It was only read to reach what follows.
                self.buffers.give(batch.bytes);
            } else {
                let batch = Batch {
                    archive,
                    index,
                    work: Work::Records(batch),
                    permit,
                };
                self.batches.send(batch).map_err(|_| Disconnected)?;
            }
            sequence.add(cutter.finished);
            if !more {
                return Ok(());
            }
        }
    }
}

/// An archive that is read as one sequence of records.
struct Sequence<'s> {
    opened: &'s Opened,
    records: Reading<'s>,
    read: ReadArchive,
    /// The account of the stored bytes of the batches that were handed out.
    handed_out: Bytes,
    /// The code that reads it panicked.
    panic: Option<ReadFailure>,
    /// Why the last batch cannot be trusted.
    untrusted: Option<io::Error>,
    /// Why reading ended early, although what was read before is whole.
    cut_off: Option<io::Error>,
}

impl Sequence<'_> {
    /// Whether the records of a batch that was just copied can be trusted: a mapped file may lose its bytes at any
    /// moment. The bytes that a source gave before a read failed are whole, unless the source has changed. If the read
    /// was cancelled, the batch ends too early.
    fn can_be_trusted(&mut self, stop: &Stop) -> bool {
        let error = self.records.take_error();
        if error.is_some() && (self.opened.archive.check().is_err() || stop.requested()) {
            self.untrusted = error;
            return false;
        }
        self.cut_off = self.cut_off.take().or(error);
        true
    }

    /// Counts a batch that was handed out.
    fn add(&mut self, finished: Bytes) {
        self.read.batches += 1;
        self.handed_out = finished;
        for note in self.records.take_notes() {
            self.read.outcome.ledger.note(note);
        }
    }

    /// The outcome of an archive that was read as far as it can be.
    fn end(mut self, stop: &Stop) -> ReadArchive {
        let (opened, records) = (self.opened, &mut self.records);
        let outcome = &mut self.read.outcome;
        if let Some(panic) = self.panic {
            outcome.error = Some(Arc::new(panic));
            outcome.ledger.bytes = self.handed_out;
            outcome.size = opened.bytes_read(records);
            return self.read;
        }
        // If its bytes cannot be trusted, the account ends with the batches that were handed out.
        outcome.ledger.bytes = if self.untrusted.is_some() {
            self.handed_out
        } else {
            records.bytes()
        };
        outcome.size = if self.untrusted.is_some() || self.cut_off.is_some() {
            opened.bytes_read(records)
        } else {
            opened.size()
        };
        outcome.ledger.not_selected_bytes = records.not_selected();
        if records.is_one_unit() {
            outcome.ledger.note(Note::NoSeek);
        }
        let error = self.untrusted.or(self.cut_off).or_else(|| records.take_error());
        // A cancelled read also reports an error, but the archive is not at fault.
        outcome.interrupted |= error.is_some() && stop.requested();
        if let Some(error) = error.filter(|_| !outcome.interrupted) {
            let error = ArchiveError::read_on(opened.archive.name(), error).at(outcome.size);
            outcome.error = Some(Arc::new(error.into()));
        } else if let Some(offset) = records.beyond().filter(|_| !outcome.interrupted) {
            let archive = opened.archive.name().to_owned();
            outcome.error = Some(Arc::new(ReadFailure::Beyond { archive, offset }));
        }
        self.read
    }
}

/// Cuts a stream of records into batches.
struct BatchCutter {
    boundary: BatchBoundary,
    /// The batch that is being filled. Between two cuts it holds the record that begins the next batch.
    next: RecordBatch,
    /// The stored bytes that the batches so far finish.
    finished: Bytes,
    /// Whether to copy the entries' stored bytes, because they cannot be read again.
    keep_stored: bool,
}

impl BatchCutter {
    /// Returns the next batch, and whether another follows.
    fn cut(&mut self, records: &mut Reading<'_>, new_batch: impl Fn() -> RecordBatch) -> (RecordBatch, bool) {
        loop {
            let finished = records.bytes();
            let (entry, place, full) = match records.next_event() {
                None => match records.next_range() {
                    NextRange::Records => continue,
                    NextRange::NoRecord(skipped) => {
                        let place = (skipped.offset, skipped.stored_length);
                        (Entry::Skipped(skipped), place, None)
                    }
                    NextRange::End => {
                        let mut last = std::mem::take(&mut self.next);
                        last.stored = records.bytes().sum() - self.finished.sum();
                        self.finished = records.bytes();
                        return (last, false);
                    }
                },
                Some(Event::Skipped(skipped)) => {
                    let place = (skipped.offset, skipped.stored_length);
                    (Entry::Skipped(skipped), place, None)
                }
                Some(Event::Record(record)) => {
                    let full = self.boundary.crosses(record.offset, record.block.len()).then(|| {
                        let mut full = std::mem::replace(&mut self.next, new_batch());
                        full.stored = finished.sum() - self.finished.sum();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crossbeam_channel::unbounded;
    use std::io::Read;

    /// A stream that panics after its last byte.
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
        let inputs = [ArchiveInput::from("broken")];
        let (batches, received) = unbounded();
        let (messages, _messages) = unbounded();
        let (permits, cpu_slots) = (Semaphore::new(64), Semaphore::new(1));
        let reader = ReaderThread {
            inputs: &inputs,
            starts: &[],
            rules: &rules,
            product: Product::Encoded,
            next: &AtomicUsize::new(0),
            batches,
            messages,
            permits: &permits,
            waiting_permits: &Semaphore::new(0),
            waiting_windows: 0,
            cpu_slots: &cpu_slots,
            buffers: &BufferPool::new(1),
            stop: &Stop::default(),
        };
        let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
        let stream = Panics(std::io::Cursor::new(record.repeat(100_000)));
        let archive = Archive::from_reader("broken", stream, rules.config.read_options()).expect("an archive");
        let opened = Opened {
            archive,
            bytes: OpenedBytes::Once(Arc::default()),
            is_divisible: false,
        };
        let Ok(ReadArchive { batches: sent, outcome }) = reader.sequence(0, &opened, None) else {
            panic!("the channels are open")
        };
        assert!(sent > 2 && received.len() as u64 == sent, "{sent} batches before it");
        let error = outcome.error.expect("a failure").to_string();
        assert!(error.starts_with("broken: reading it ended in a panic"), "{error}");
        // The reader gave its CPU slot back, and the last permit. The other permits went with the batches.
        assert_eq!((cpu_slots.available(), permits.available() as u64), (1, 64 - sent));
    }
}
