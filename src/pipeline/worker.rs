//! Worker threads: batches → chunks.

use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use super::batch::{Batch, Entry, RecordBatch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::Chunk;
use super::chunk_builder::ChunkBuilder;
use super::message::{Extent, Message, Origin, PanicNotice, PlacedChunk, catch_panic};
use super::semaphore::Semaphore;
use super::{CHUNK_HELD, ReadFailure};
use crate::archive::{self, Archive, Note, window};
use crate::config::Rules;
use crate::input::ArchiveInput;

/// If the writer waits for a window, send its output on in parts of about this many bytes.
const PART: usize = 4 << 20;

pub(super) struct WorkerThread<'w> {
    inputs: &'w [ArchiveInput],
    cpu_slots: &'w Semaphore,
    buffers: &'w BufferPool,
    builder: ChunkBuilder<'w>,
    /// Where members are decoded.
    decoded: Vec<u8>,
}

impl<'w> WorkerThread<'w> {
    pub(super) fn new(
        rules: &Arc<Rules>,
        inputs: &'w [ArchiveInput],
        cpu_slots: &'w Semaphore,
        buffers: &'w BufferPool,
    ) -> Self {
        Self {
            inputs,
            cpu_slots,
            buffers,
            builder: ChunkBuilder::new(rules, inputs),
            decoded: Vec::new(),
        }
    }

    /// Works until there are no more batches, or the writer is gone.
    pub(super) fn run(mut self, batches: &Receiver<Batch>, messages: &Sender<Message>) {
        let _notice = PanicNotice(messages);
        for Batch { archive, index, work } in batches {
            let slot = self.cpu_slots.cpu_slot();
            self.builder.begin(archive, self.buffers.take());
            let on_panic = origin_on_panic(&work);
            let path = self.inputs.get(archive).map_or(Path::new(""), |input| &input.path);
            let made = catch_panic(path, || match work {
                Work::Records(records) => self.records(records),
                Work::Window(window) => self.window(archive, index, window, messages),
            });
            let (origin, chunk) = match made {
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
            };
            if messages.send(Message::Chunk(chunk)).is_err() {
                return;
            }
        }
    }

    /// Adds records that a reader has framed.
    fn records(&mut self, records: RecordBatch) -> Origin {
        self.builder.format(records.format);
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
        let Some(start) = window.start.or_else(|| window::guess(&window.map, window.number)) else {
            return Origin::Window {
                window,
                read: None,
                extent: Extent::Whole,
            };
        };
        let map = Arc::clone(&window.map);
        let nothing_read = |window: Window, extent| Origin::Window {
            window,
            read: Some((start, start)),
            extent,
        };
        if self.is_untrusted(&map) {
            return nothing_read(window, Extent::Whole);
        }
        let mut records = map.records_between(start..window.range().end, std::mem::take(&mut self.decoded));
        let mut extent = Extent::Whole;
        self.builder.format(map.format().cloned());
        while let Some(event) = records.next_event() {
            match event {
                archive::Event::Record(record) => self.builder.record(&record, None),
                archive::Event::Skipped(skipped) => self.builder.skipped(&skipped, None),
            }
            let held = self.builder.chunk().bytes.len();
            if window.start.is_none() && held > CHUNK_HELD {
                extent = Extent::Deferred;
                break;
            }
            if window.start.is_some() && held > PART {
                if self.is_untrusted(&map) {
                    return nothing_read(window, Extent::Whole);
                }
                let part = PlacedChunk {
                    archive,
                    index,
                    chunk: self.builder.take_part(self.buffers.take()),
                    origin: nothing_read(window.clone(), Extent::Part),
                };
                if messages.send(Message::Chunk(part)).is_err() {
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
        if start == 0 && Some(end) == map.size() && records.is_one_unit() {
            ledger.note(Note::NoSeek);
        }
        self.decoded = records.into_buffer();
        if self.is_untrusted(&map) {
            return nothing_read(window, Extent::Whole);
        }
        Origin::Window {
            window,
            read: Some((start, end)),
            extent,
        }
    }

    /// Returns whether the archive's bytes cannot be trusted, and if so, replaces the chunk by the reason.
    ///
    /// Ask after the bytes were read, because they may be lost at any moment.
    fn is_untrusted(&mut self, map: &Archive) -> bool {
        let Err(error) = map.check() else { return false };
        self.builder.replace(Chunk::failed(ReadFailure::Archive(error)));
        true
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
    use crate::archive::{Fault, Skipped};
    use crate::config::Config;
    use crossbeam_channel::unbounded;

    /// There is no input of this number, so a skipped range of it makes the worker panic outside of a record.
    const NO_INPUT: usize = 9;

    fn batch(archive: usize, offset: u64) -> Batch {
        let skipped = Skipped {
            offset,
            stored_length: 1,
            decoded_length: None,
            reason: Fault::Garbage,
        };
        let records = RecordBatch {
            entries: vec![Entry::Skipped(skipped)],
            kept: vec![None],
            ..RecordBatch::default()
        };
        Batch {
            archive,
            index: offset,
            work: Work::Records(records),
        }
    }

    #[test]
    fn a_panic_outside_of_a_record_costs_its_batch_and_not_the_worker() {
        let rules = Arc::new(Rules::new(&Config::default()).expect("rules"));
        let inputs = [ArchiveInput {
            path: "a".into(),
            name: "a".into(),
            shard: "a".into(),
        }];
        let (cpu_slots, buffers) = (Semaphore::new(1), BufferPool::new(1));
        let (sender, batches) = unbounded();
        let (messages, received) = unbounded();
        for (archive, offset) in [(0, 0), (NO_INPUT, 1), (0, 2)] {
            sender.send(batch(archive, offset)).expect("a batch");
        }
        drop(sender);
        WorkerThread::new(&rules, &inputs, &cpu_slots, &buffers).run(&batches, &messages);
        drop(messages);
        let failed: Vec<bool> = received
            .iter()
            .map(|message| match message {
                Message::Chunk(placed) => placed.chunk.read_failure.is_some() && placed.chunk.failures.is_empty(),
                _ => panic!("no chunk"),
            })
            .collect();
        assert_eq!(failed, [false, true, false]);
        // The worker gave its CPU slot back.
        cpu_slots.acquire();
    }
}
