//! Reader threads: archives → batches.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossbeam_channel::Sender;

use super::batch::{Batch, BatchBoundary, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::{ArchiveOutcome, Position, Start};
use super::message::{Message, PanicNotice, catch_panic};
use super::opened::{Opened, OpenedBytes};
use super::selected::{NextRange, Reading};
use super::semaphore::{Permit, Semaphore};
use super::{Product, ReadFailure, Stop};
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
            // What documents are made of must be known to be good. Places are not.
            opening.options.first_pass = self.product != Product::Places;
            Opened::open(input, &opening, self.stop, self.cpu_slots)
        });
        let begin = self.start(archive);
        let (batches, mut outcome) = match opened.and_then(|opened| opened.map_err(ReadFailure::from)) {
            Ok(opened) if opened.archive.format().is_none() => (0, ArchiveOutcome::empty(opened.size())),
            Ok(Opened {
                archive: source,
                bytes: OpenedBytes::Again(stored_bytes),
                is_divisible: true,
            }) if input.ranges().is_none() => self.windows(archive, &Arc::new(source), &stored_bytes)?,
            Ok(opened) if input.ranges().is_some() && opened.bytes_again().is_none() => {
                let archive = input.label().to_owned();
                (0, ArchiveOutcome::failed(ReadFailure::Stream { archive }))
            }
            Ok(opened) => self.sequence(archive, &opened, input.ranges())?,
            // A cancelled read reports an error, too, but the archive is not at fault.
            Err(_) if self.stop.requested() => (0, ArchiveOutcome::interrupted()),
            Err(failure) => (0, ArchiveOutcome::failed(failure)),
        };
        if batches < begin.batches {
            // Its reading was to go on behind its end, or did not get so far.
            outcome.size = outcome.size.max(begin.stored);
            if outcome.error.is_none() && !outcome.interrupted {
                let label = input.label().to_owned();
                outcome.error = Some(Arc::new(ReadFailure::Shortened { archive: label }));
            }
        }
        let end = Message::ArchiveEnd {
            archive,
            batches: batches.max(begin.batches),
            outcome,
        };
        self.messages.send(end).map_err(|_| Disconnected)
    }

    /// Where the reading of an archive begins.
    fn start(&self, archive: usize) -> Position {
        self.starts
            .get(archive)
            .map_or_else(Position::default, |start| start.position)
    }

    /// Hands out the windows of an archive. Returns their number and the archive's outcome so far.
    fn windows(
        &self,
        archive: usize,
        source: &Arc<Archive>,
        stored_bytes: &Arc<dyn ByteSource>,
    ) -> Result<(u64, ArchiveOutcome), Disconnected> {
        let mut outcome = ArchiveOutcome {
            size: stored_bytes.size(),
            ..ArchiveOutcome::default()
        };
        let of_archive = Semaphore::new(self.waiting_windows);
        let permits = match stored_bytes.may_wait() {
            true => &[&of_archive, self.waiting_permits][..],
            false => &[self.permits],
        };
        let count = window::count(source);
        let begin = self.start(archive);
        let is_over = Arc::new(AtomicBool::new(false));
        for number in begin.batches..count {
            let Some(permit) = Permit::wait(permits, self.stop) else {
                outcome.interrupted = true;
                return Ok((number, outcome));
            };
            // A server may claim any size, and each window behind a failure would be dropped.
            if is_over.load(Ordering::Relaxed) {
                return Ok((number, outcome));
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
        Ok((count, outcome))
    }

    /// Frames an archive's records and hands them out in batches. Returns the number of batches and the archive's outcome
    /// so far.
    fn sequence(
        &self,
        archive: usize,
        opened: &Opened,
        ranges: Option<&[Range<u64>]>,
    ) -> Result<(u64, ArchiveOutcome), Disconnected> {
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
        let mut records = Reading::new(&opened.archive, ranges);
        let mut outcome = ArchiveOutcome::default();
        let mut index = 0;
        let begin = self.start(archive).batches;
        let mut error = None;
        let mut cut_off = None;
        // If its bytes cannot be trusted, the account ends with the batches that were handed out.
        let mut handed_out = Bytes::default();
        loop {
            let Some(permit) = Permit::wait(&[self.permits], self.stop) else {
                outcome.interrupted = true;
                break;
            };
            let cut = {
                // Inflating is heavy work.
                let _slot = self.cpu_slots.cpu_slot();
                catch_panic(opened.archive.name(), || cutter.cut(&mut records, new_batch))
            };
            let (batch, more) = match cut {
                Ok(cut) => cut,
                Err(failure) => {
                    outcome.error = Some(Arc::new(failure));
                    outcome.ledger.bytes = handed_out;
                    outcome.size = opened.bytes_read(&records);
                    return Ok((index, outcome));
                }
            };
            if source.is_some() {
                // Ask after the batch was copied, because a mapped file may lose its bytes at any moment. What a stream
                // gave before its error is whole; that error is handled at its end. So is what a source gave before a
                // read failed, unless it has changed. If the read was cancelled, the batch ends too early.
                let found = records.take_error();
                if found.is_some() && (opened.archive.check().is_err() || self.stop.requested()) {
                    error = found;
                    self.buffers.give(batch.bytes);
                    break;
                }
                cut_off = cut_off.or(found);
                opened.archive.release(0..cutter.finished.sum());
            }
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
            index += 1;
            handed_out = cutter.finished;
            for note in records.take_notes() {
                outcome.ledger.note(note);
            }
            if !more {
                break;
            }
        }
        (outcome.ledger.bytes, outcome.size) = match (&error, &cut_off) {
            (None, None) => (records.bytes(), opened.size()),
            (None, Some(_)) => (records.bytes(), opened.bytes_read(&records)),
            (Some(_), _) => (handed_out, opened.bytes_read(&records)),
        };
        outcome.ledger.not_selected_bytes = records.not_selected();
        if records.is_one_unit() {
            outcome.ledger.note(Note::NoSeek);
        }
        let error = error.or(cut_off).or_else(|| records.take_error());
        // A cancelled read reports an error, too, but the archive is not at fault.
        outcome.interrupted |= error.is_some() && self.stop.requested();
        if let Some(error) = error.filter(|_| !outcome.interrupted) {
            let error = ArchiveError::read_on(opened.archive.name(), error).at(outcome.size);
            outcome.error = Some(Arc::new(error.into()));
        } else if let Some(offset) = records.beyond().filter(|_| !outcome.interrupted) {
            let archive = opened.archive.name().to_owned();
            outcome.error = Some(Arc::new(ReadFailure::Beyond { archive, offset }));
        }
        Ok((index, outcome))
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
        let Ok((sent, outcome)) = reader.sequence(0, &opened, None) else {
            panic!("the channels are open")
        };
        assert!(sent > 2 && received.len() as u64 == sent, "{sent} batches before it");
        let error = outcome.error.expect("a failure").to_string();
        assert!(error.starts_with("broken: reading it ended in a panic"), "{error}");
        // The reader gave its CPU slot back, and the last permit. The other permits went with the batches.
        assert_eq!((cpu_slots.available(), permits.available() as u64), (1, 64 - sent));
    }
}
