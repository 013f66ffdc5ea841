//! Worker threads: batches → chunks.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use super::batch::{Batch, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::Chunk;
use super::chunk_builder::ChunkBuilder;
use super::error::ReadFailure;
use super::job::Job;
use super::message::{Extent, Message, Origin, PanicNotice, PlacedChunk, catch_panic};
use super::originals::OriginalReader;
use super::progress::Stop;
use super::semaphore::Semaphore;
use crate::input::ArchiveInput;
use dehusk_archive::{ArchiveError, Event, Note, Records, window};

/// A window's output is held until its turn comes only up to this many bytes. Larger output is made again.
pub const CHUNK_HELD: usize = 32 << 20;

/// If the writer waits for a window, send its output on in parts of about this many bytes.
const PART: usize = 4 << 20;

/// A batch's place in the order.
#[derive(Clone, Copy)]
struct BatchPlace {
    archive: usize,
    index: u64,
}

pub(super) struct WorkerThread<'w> {
    inputs: &'w [ArchiveInput],
    cpu_slots: &'w Semaphore,
    buffers: &'w BufferPool,
    stop: &'w Stop,
    builder: ChunkBuilder<'w>,
    /// Where members are decoded.
    decoded: Vec<u8>,
}

impl<'w> WorkerThread<'w> {
    pub(super) fn new(job: &Job<'w>, cpu_slots: &'w Semaphore, buffers: &'w BufferPool) -> Self {
        let originals = job
            .originals
            .map(|originals| OriginalReader::new(originals, job.rules, job.stop, cpu_slots));
        Self {
            inputs: job.inputs,
            cpu_slots,
            buffers,
            stop: job.stop,
            builder: ChunkBuilder::new(job, originals),
            decoded: Vec::new(),
        }
    }

    /// Works until there are no more batches, or the writer is gone.
    pub(super) fn run(mut self, batches: &Receiver<Batch>, messages: &Sender<Message>) {
        let _notice = PanicNotice(messages);
        for batch in batches {
            let Batch {
                archive,
                index,
                work,
                permit,
            } = batch;
            let slot = self.cpu_slots.cpu_slot();
            self.builder.begin(archive, self.buffers.take());
            let on_panic = origin_on_panic(&work);
            let path = self.inputs.get(archive).map_or(Path::new(""), ArchiveInput::label);
            let made = catch_panic(path, || match work {
                Work::Records(records) => self.records(records),
                Work::Window(window) => self.window(BatchPlace { archive, index }, window, messages),
            });
            let (origin, chunk) = match made {
                Ok(_) if self.builder.was_stopped() => {
                    let archive = path.to_owned();
                    (on_panic, Chunk::failed(ReadFailure::Stopped { archive }))
                }
                Ok(origin) => (origin, self.builder.finish()),
                Err(failure) => {
                    self.builder.reset();
                    (on_panic, Chunk::failed(failure))
                }
            };
            drop(slot);
            let chunk = PlacedChunk {
                archive,
                index,
                chunk,
                origin,
                permit: Some(permit),
            };
            if messages.send(Message::Chunk(Box::new(chunk))).is_err() {
                return;
            }
        }
    }

    /// Adds records that a reader has framed.
    fn records(&mut self, records: RecordBatch) -> Origin {
        self.builder.set_archive(records.formats, records.stored_bytes);
        for (entry, kept) in records.entries.iter().zip(records.kept) {
            match entry {
                Entry::Record(raw) => self.builder.add_record(&raw.record(&records.bytes), kept),
                Entry::Skipped(skipped) => self.builder.add_skipped(skipped, kept),
            }
        }
        self.buffers.give(records.bytes);
        Origin::Records { stored: records.stored }
    }

    /// Reads a window and adds its records. If the writer waits for this window, parts of it go to the writer at once.
    fn window(&mut self, place: BatchPlace, window: Window, messages: &Sender<Message>) -> Origin {
        let start = if window.is_over() {
            None
        } else {
            window.start.or_else(|| window::guess(&window.archive, window.number))
        };
        let Some(start) = start else {
            return window.origin(None, Extent::Whole);
        };
        let source = Arc::clone(&window.archive);
        if let Err(error) = source.check() {
            self.fail(error, false);
            return window.origin(Some((start, start)), Extent::Whole);
        }
        let mut records = source.records_between(start..window.range().end, std::mem::take(&mut self.decoded));
        self.builder
            .set_archive(source.formats().clone(), Some(Arc::clone(&window.stored_bytes)));
        let (extent, error) = self.add_window(&mut records, place, &window, start, messages);
        let ledger = &mut self.builder.chunk().ledger;
        ledger.bytes = records.bytes();
        for note in records.take_notes() {
            ledger.note(note);
        }
        let end = records.end_offset();
        if start == 0 && Some(end) == source.size() && records.is_one_unit() {
            ledger.note(Note::NoSeek);
        }
        // Ask after the bytes were read, because a mapped file may lose them at any moment.
        let error = error.or_else(|| records.take_error());
        let read_end = records.read_offset().max(start);
        self.decoded = records.into_buffer();
        if let Some(error) = error {
            // The part that was read before a read failed is whole, unless the source has changed.
            let keeps = source.check().is_ok();
            self.fail(ArchiveError::read_on(source.name(), error), keeps);
            let read = (start, if keeps { read_end } else { start });
            return window.origin(Some(read), Extent::Whole);
        }
        window.origin(Some((start, end)), extent)
    }

    /// Adds the records of a window that starts at `start`. Returns how much of it is in the chunk, and why reading
    /// failed, if that became known on the way.
    fn add_window(
        &mut self,
        records: &mut Records<'_>,
        place: BatchPlace,
        window: &Window,
        start: u64,
        messages: &Sender<Message>,
    ) -> (Extent, Option<io::Error>) {
        let mut error = None;
        while let Some(event) = records.next_event() {
            match event {
                Event::Record(record) => self.builder.add_record(&record, None),
                Event::Skipped(skipped) => self.builder.add_skipped(&skipped, None),
            }
            let held = self.builder.held();
            if window.start.is_none() && held > CHUNK_HELD {
                return (Extent::Deferred, error);
            }
            if window.start.is_some() && held > PART {
                error = error.or_else(|| records.take_error());
                if error.is_some() {
                    // Little can follow: what had been read before.
                    continue;
                }
                let part = PlacedChunk {
                    archive: place.archive,
                    index: place.index,
                    chunk: self.builder.take_part(self.buffers.take()),
                    origin: window.clone().origin(Some((start, start)), Extent::Part),
                    permit: None,
                };
                if messages.send(Message::Chunk(Box::new(part))).is_err() {
                    break;
                }
            }
        }
        (Extent::Whole, error)
    }

    /// Ends the archive here, because its bytes cannot be read or trusted. `keeps` is whether to keep what was made of
    /// the window so far.
    fn fail(&mut self, error: ArchiveError, keeps: bool) {
        let failure = if self.stop.requested() {
            // A cancelled read also reports an error, but the archive is not at fault.
            let archive = error.archive().to_owned();
            ReadFailure::Stopped { archive }
        } else {
            ReadFailure::Archive(error)
        };
        match failure {
            ReadFailure::Archive(_) if keeps => self.builder.chunk().read_failure = Some(failure),
            _ => self.builder.replace(Chunk::failed(failure)),
        }
    }
}

/// The message to the writer if the work panics: nothing was read. A window with a guessed start is then read again
/// from its true start, because the guess may be the reason for the panic.
fn origin_on_panic(work: &Work) -> Origin {
    match work {
        Work::Records(records) => Origin::Records { stored: records.stored },
        Work::Window(window) => {
            let read = window.start.map(|start| (start, start));
            window.clone().origin(read, Extent::Whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Rules};
    use crate::pipeline::job::{Order, Product};
    use crate::pipeline::progress::Progress;
    use crate::pipeline::semaphore::Permit;
    use crossbeam_channel::unbounded;
    use dehusk_archive::{Fault, Skipped};

    /// There is no input of this number, so a skipped range of it makes the worker panic outside of a record.
    const NO_INPUT: usize = 9;

    fn batch(archive: usize, offset: u64, permit: Permit) -> Batch {
        let skipped = Skipped::new(offset, 1, Fault::Garbage);
        let records = RecordBatch {
            entries: vec![Entry::Skipped(skipped)],
            kept: vec![None],
            ..RecordBatch::default()
        };
        Batch {
            archive,
            index: offset,
            work: Work::Records(records),
            permit,
        }
    }

    #[test]
    fn a_panic_outside_of_a_record_costs_its_batch_and_not_the_worker() {
        let rules = Arc::new(Rules::new(&Config::default()).expect("rules"));
        let inputs = [ArchiveInput::from("a")];
        let (permits, cpu_slots, buffers) = (Semaphore::new(3), Semaphore::new(1), BufferPool::new(1));
        let stop = Stop::default();
        let (sender, batches) = unbounded();
        let (messages, received) = unbounded();
        for (archive, offset) in [(0, 0), (NO_INPUT, 1), (0, 2)] {
            let permit = Permit::wait(&[&permits], &stop).expect("a permit");
            sender.send(batch(archive, offset, permit)).expect("a batch");
        }
        drop(sender);
        let job = Job {
            inputs: &inputs,
            starts: &[],
            rules: &rules,
            threads: 1,
            product: Product::Encoded,
            order: Order::AsRead,
            seen: None,
            originals: None,
            progress: &Progress::default(),
            stop: &stop,
        };
        WorkerThread::new(&job, &cpu_slots, &buffers).run(&batches, &messages);
        drop(messages);
        let failed: Vec<bool> = received
            .iter()
            .map(|message| match message {
                Message::Chunk(placed) => placed.chunk.read_failure.is_some() && placed.chunk.failures.is_empty(),
                _ => panic!("no chunk"),
            })
            .collect();
        assert_eq!(failed, [false, true, false]);
        assert_eq!((cpu_slots.available(), permits.available()), (1, 3));
    }
}
