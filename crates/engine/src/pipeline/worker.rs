//! Worker threads: batches → chunks.

use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use super::batch::{Batch, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::Chunk;
use super::chunk_builder::ChunkBuilder;
use super::message::{Extent, Message, Origin, PanicNotice, PlacedChunk, catch_panic};
use super::originals::OriginalReader;
use super::semaphore::Semaphore;
use super::{CHUNK_HELD, Job, ReadFailure, Stop};
use crate::input::ArchiveInput;
use dehusk_archive::{ArchiveError, Event, Note, window};

/// If the writer waits for a window, send its output on in parts of about this many bytes.
const PART: usize = 4 << 20;

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
            builder: ChunkBuilder::new(job.rules, job.inputs, job.product, job.seen, originals),
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
                Work::Window(window) => self.window(archive, index, window, messages),
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
                Entry::Record(raw) => self.builder.record(&raw.record(&records.bytes), kept),
                Entry::Skipped(skipped) => self.builder.skipped(skipped, kept),
            }
        }
        self.buffers.give(records.bytes);
        Origin::Records { stored: records.stored }
    }

    /// Reads a window and adds its records. If the writer waits for this window, parts of it go to the writer at once.
    fn window(&mut self, archive: usize, index: u64, window: Window, messages: &Sender<Message>) -> Origin {
        let start = match window.is_over() {
            true => None,
            false => window.start.or_else(|| window::guess(&window.archive, window.number)),
        };
        let Some(start) = start else {
            return Origin::Window {
                window,
                read: None,
                extent: Extent::Whole,
            };
        };
        let source = Arc::clone(&window.archive);
        let nothing_read = |window: Window, extent| Origin::Window {
            window,
            read: Some((start, start)),
            extent,
        };
        if let Err(error) = source.check() {
            self.fail(error, false);
            return nothing_read(window, Extent::Whole);
        }
        let mut records = source.records_between(start..window.range().end, std::mem::take(&mut self.decoded));
        let mut extent = Extent::Whole;
        let mut error = None;
        self.builder
            .set_archive(source.formats().clone(), Some(Arc::clone(&window.stored_bytes)));
        while let Some(event) = records.next_event() {
            match event {
                Event::Record(record) => self.builder.record(&record, None),
                Event::Skipped(skipped) => self.builder.skipped(&skipped, None),
            }
            let held = self.builder.held();
            if window.start.is_none() && held > CHUNK_HELD {
                extent = Extent::Deferred;
                break;
            }
            if window.start.is_some() && held > PART {
                error = error.or_else(|| records.take_error());
                if error.is_some() {
                    // Little can follow: what had been read before.
                    continue;
                }
                let part = PlacedChunk {
                    archive,
                    index,
                    chunk: self.builder.take_part(self.buffers.take()),
                    origin: nothing_read(window.clone(), Extent::Part),
                    permit: None,
                };
                if messages.send(Message::Chunk(Box::new(part))).is_err() {
                    break;
                }
            }
        }
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
        let read = records.read_offset();
        self.decoded = records.into_buffer();
        if let Some(error) = error {
            // What was read before a read failed is whole, unless the source has changed.
            let keeps = source.check().is_ok();
            self.fail(ArchiveError::read_on(source.name(), error), keeps);
            return Origin::Window {
                window,
                read: Some((start, if keeps { read.max(start) } else { start })),
                extent: Extent::Whole,
            };
        }
        Origin::Window {
            window,
            read: Some((start, end)),
            extent,
        }
    }

    /// Ends the archive here, because its bytes cannot be read or trusted. `keeps` says whether to keep what was made of the
    /// window so far.
    fn fail(&mut self, error: ArchiveError, keeps: bool) {
        let failure = match self.stop.requested() {
            // A cancelled read reports an error, too, but the archive is not at fault.
            true => ReadFailure::Stopped {
                archive: error.archive().to_owned(),
            },
            false => ReadFailure::Archive(error),
        };
        match failure {
            ReadFailure::Archive(_) if keeps => self.builder.chunk().read_failure = Some(failure),
            _ => self.builder.replace(Chunk::failed(failure)),
        }
    }
}

/// What to tell the writer if the work panics: nothing was read. A window with a guessed start is then read again from
/// its true start, because the guess may be the reason for the panic.
fn origin_on_panic(work: &Work) -> Origin {
    match work {
        Work::Records(records) => Origin::Records { stored: records.stored },
        Work::Window(window) => Origin::Window {
            window: window.clone(),
            read: window.start.map(|start| (start, start)),
            extent: Extent::Whole,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Rules};
    use crate::pipeline::semaphore::Permit;
    use crate::pipeline::{Order, Product, Progress};
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
