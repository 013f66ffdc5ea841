//! Worker threads: batches → chunks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};

use super::batch::{Batch, Border, Entry, Records, Window, Work};
use super::chunk::{Chunk, Done, Event, From, Guard, State, Stored, survived};
use super::permits::{Permits, Pool};
use super::{CHUNK_HELD, Source};
use crate::archive::Note;
use crate::archive::{self, Archive, Record, Skipped, window};
use crate::config::{Format, Rules};
use crate::encode::{Compressor, jsonl, xml};
use crate::escape;
use crate::http::Scratch;
use crate::ledger::Failure;
use crate::page::{Dropped, Page};
use crate::processor::Processor;
use crate::reason::{Notes, PageFault};

/// Uncompressed documents beyond which they are compressed, whatever the batch's border: bodies may have been coded small
/// and be large.
const WRITTEN: usize = 8 << 20;

/// Output beyond which a part of a window's chunk is sent on, where the writer waits for that window.
const PART: usize = 4 << 20;

pub(super) struct Worker<'w> {
    turns: &'w Permits,
    pool: &'w Pool,
    kiln: Kiln<'w>,
    /// Where members are decoded.
    decoded: Vec<u8>,
}

impl<'w> Worker<'w> {
    pub(super) fn new(rules: &Arc<Rules>, sources: &'w [Source], turns: &'w Permits, pool: &'w Pool) -> Self {
        Self {
            turns,
            pool,
            kiln: Kiln::new(rules, sources),
            decoded: Vec::new(),
        }
    }

    /// Works until no batch is left, or nobody takes the chunks.
    pub(super) fn run(mut self, batches: &Receiver<Batch>, events: &Sender<Event>) {
        let _guard = Guard(events);
        for Batch { archive, index, work } in batches {
            let turn = self.turns.turn();
            self.kiln.begin(archive, self.pool.take());
            // What is to be told of the batch where its reading ends in a panic.
            let lost = match &work {
                Work::Records(records) => From::Records { stored: records.stored },
                Work::Window(window) => From::Window {
                    window: window.clone(),
                    read: window.start.map(|start| (start, start)),
                    state: State::Whole,
                },
            };
            let path = self.kiln.sources.get(archive).map(|source| source.path.as_path());
            let made = survived(path.unwrap_or(Path::new("")), || match work {
                Work::Records(records) => self.records(records),
                Work::Window(window) => self.window(index, window, events),
            });
            let (from, chunk) = match made {
                Ok(from) => (from, self.kiln.finish()),
                Err(message) => (lost, self.broken(message)),
            };
            drop(turn);
            if events
                .send(Event::Chunk(Done {
                    archive,
                    index,
                    chunk,
                    from,
                }))
                .is_err()
            {
                return;
            }
        }
    }

    /// The chunk of a batch whose reading ended in a panic. A window that was only guessed is read again from its true
    /// start, so that a wrong guess costs nothing here either.
    fn broken(&mut self, message: String) -> Chunk {
        self.kiln = Kiln::new(&Arc::clone(&self.kiln.rules), self.kiln.sources);
        Chunk::end(message)
    }

    fn records(&mut self, records: Records) -> From {
        self.kiln.chunk.format = records.format;
        for (entry, kept) in records.entries.iter().zip(records.kept) {
            match entry {
                Entry::Record(raw) => self.kiln.record(&raw.record(&records.bytes), kept),
                Entry::Skipped(skipped) => self.kiln.skipped(skipped, kept),
            }
        }
        let stored = records.stored;
        self.pool.give(records.bytes);
        From::Records { stored }
    }

    fn window(&mut self, index: u64, window: Window, events: &Sender<Event>) -> From {
        let Some(start) = window.start.or_else(|| window::guess(&window.map, window.number)) else {
            return From::Window {
                window,
                read: None,
                state: State::Whole,
            };
        };
        let map = Arc::clone(&window.map);
        let lost = |window: Window| From::Window {
            window,
            read: Some((start, start)),
            state: State::Whole,
        };
        if self.kiln.loses(&map) {
            return lost(window);
        }
        let options = self.kiln.rules.config.read_options();
        let mut records = map.records_between(start, window.range().end, options, std::mem::take(&mut self.decoded));
        let mut state = State::Whole;
        self.kiln.chunk.format = map.format().cloned();
        while let Some(event) = records.next_event() {
            match event {
                archive::Event::Record(record) => self.kiln.record(&record, None),
                archive::Event::Skipped(skipped) => self.kiln.skipped(&skipped, None),
            }
            if window.start.is_none() && self.kiln.chunk.bytes.len() > CHUNK_HELD {
                state = State::Deferred;
                break;
            }
            if window.start.is_some() && self.kiln.chunk.bytes.len() > PART {
                if self.kiln.loses(&map) {
                    return lost(window);
                }
                let archive = self.kiln.archive;
                let next = Chunk {
                    bytes: self.pool.take(),
                    format: map.format().cloned(),
                    ..Chunk::default()
                };
                let chunk = std::mem::replace(&mut self.kiln.chunk, next);
                let from = From::Window {
                    window: window.clone(),
                    read: Some((start, start)),
                    state: State::Part,
                };
                if events
                    .send(Event::Chunk(Done {
                        archive,
                        index,
                        chunk,
                        from,
                    }))
                    .is_err()
                {
                    break;
                }
            }
        }
        self.kiln.chunk.ledger.bytes = records.bytes();
        for note in records.take_notes() {
            self.kiln.chunk.ledger.note(note);
        }
        let end = records.end_offset();
        if start == 0 && end == map.size() && records.is_one_unit() {
            self.kiln.chunk.ledger.note(Note::NoSeek);
        }
        self.decoded = records.into_buffer();
        if self.kiln.loses(&map) {
            return lost(window);
        }
        From::Window {
            window,
            read: Some((start, end)),
            state,
        }
    }
}

/// Where records become output: the processor, and the chunk that is being made.
struct Kiln<'w> {
    rules: Arc<Rules>,
    sources: &'w [Source],
    processor: Processor,
    http: Scratch,
    compressor: Option<Compressor>,
    archive: usize,
    border: Border,
    /// Documents that are not compressed yet.
    written: Vec<u8>,
    chunk: Chunk,
}

impl<'w> Kiln<'w> {
    fn new(rules: &Arc<Rules>, sources: &'w [Source]) -> Self {
        Self {
            processor: Processor::with_rules(Arc::clone(rules)),
            http: Scratch::default(),
            compressor: Compressor::new(rules.config.output.compression()).ok(),
            rules: Arc::clone(rules),
            sources,
            archive: 0,
            border: Border::default(),
            written: Vec::new(),
            chunk: Chunk::default(),
        }
    }

    /// Begins a batch's chunk.
    fn begin(&mut self, archive: usize, buffer: Vec<u8>) {
        self.archive = archive;
        self.border = Border::default();
        self.written.clear();
        self.chunk = Chunk {
            bytes: buffer,
            ..Chunk::default()
        };
    }

    /// Throws away what was made of a map whose bytes cannot be believed; whether that is so. To be asked after the bytes
    /// were read, because they may be lost at any moment.
    fn loses(&mut self, map: &Archive) -> bool {
        let Err(error) = map.check() else { return false };
        self.written.clear();
        self.chunk = Chunk::end(error.to_string());
        true
    }

    /// Ends a batch's chunk.
    fn finish(&mut self) -> Chunk {
        self.compress();
        std::mem::take(&mut self.chunk)
    }

    /// Appends what was written as one frame or member.
    fn compress(&mut self) {
        let result = match &mut self.compressor {
            Some(compressor) => compressor
                .compress(&self.written, &mut self.chunk.bytes)
                .map_err(|e| e.to_string()),
            None => Err("the compressor cannot be started; is memory short?".to_owned()),
        };
        if let Err(message) = result {
            self.chunk.error.get_or_insert(message);
        }
        self.written.clear();
    }

    fn skipped(&mut self, skipped: &Skipped, kept: Option<Vec<u8>>) {
        self.chunk.ledger.skip(skipped);
        self.store(skipped.offset, skipped.stored_length, skipped.inside, kept);
        let line = Failure {
            archive: escape::name(self.source().path.as_os_str()).into_owned(),
            offset: skipped.offset,
            length: skipped.length,
            id: String::new(),
            reason: skipped.reason.into(),
        };
        self.chunk.failures.push(line);
    }

    /// Tells where the stored bytes of the next failure are.
    fn store(&mut self, offset: u64, length: u64, framed: bool, bytes: Option<Vec<u8>>) {
        if self.rules.config.output.quarantine {
            self.chunk.stored.push(Stored {
                offset,
                length,
                framed,
                bytes,
            });
        }
    }

    fn source(&self) -> &'w Source {
        &self.sources[self.archive]
    }

    fn record(&mut self, record: &Record<'_>, kept: Option<Vec<u8>>) {
        if self.border.crosses(record.offset, record.block.len()) {
            self.compress();
        }
        let before = self.written.len();
        let made = catch_unwind(AssertUnwindSafe(|| self.document(record))).unwrap_or_else(|_| {
            // Whatever the panic left half done is thrown away.
            self.written.truncate(before);
            self.processor = Processor::with_rules(Arc::clone(&self.rules));
            self.http = Scratch::default();
            Err((PageFault::Panic.into(), record.notes.into()))
        });
        match made {
            Ok(notes) => {
                self.chunk.ledger.emit(notes);
                if self.written.len() > WRITTEN {
                    self.compress();
                }
            }
            Err((dropped, notes)) => {
                self.chunk.ledger.drop(dropped, notes);
                if let Dropped::Failed(reason) = dropped {
                    self.store(record.offset, record.stored_length, true, kept);
                    let line = Failure {
                        archive: escape::name(self.source().path.as_os_str()).into_owned(),
                        offset: record.offset,
                        length: record.stored_length,
                        id: record.header.id().into_owned(),
                        reason,
                    };
                    self.chunk.failures.push(line);
                }
            }
        }
    }

    /// Makes a record's document and writes it; returns what was odd.
    fn document(&mut self, record: &Record<'_>) -> Result<Notes, (Dropped, Notes)> {
        let drop = |dropped| (dropped, record.notes.into());
        let archive = self.sources[self.archive].archive_name();
        let page = Page::from_record(record, &self.rules, &mut self.http, archive).map_err(drop)?;
        let (document, notes) = self.processor.document_and_notes(&page).map_err(drop)?;
        match self.rules.config.output.format {
            Format::Jsonl => jsonl::write(&document, &mut self.written),
            Format::Xml => {
                // What had to be removed is known, and noted, already.
                let _ = xml::write(&document, &mut self.written);
            }
        }
        Ok(notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Fault;
    use crate::config::Config;
    use crossbeam_channel::unbounded;

    /// No archive has this number, so that booking a skipped range of it panics, outside of any record.
    const NOBODY: usize = 9;

    fn batch(archive: usize, offset: u64) -> Batch {
        let skipped = Skipped {
            offset,
            length: 1,
            stored_length: 1,
            inside: false,
            reason: Fault::Garbage,
        };
        let records = Records {
            entries: vec![Entry::Skipped(skipped)],
            kept: vec![None],
            ..Records::default()
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
        let sources = [Source {
            path: "a".into(),
            name: "a".into(),
            shard: "a".into(),
        }];
        let (turns, pool) = (Permits::new(1), Pool::new(1));
        let (sender, batches) = unbounded();
        let (events, received) = unbounded();
        for (archive, offset) in [(0, 0), (NOBODY, 1), (0, 2)] {
            sender.send(batch(archive, offset)).expect("a batch");
        }
        drop(sender);
        Worker::new(&rules, &sources, &turns, &pool).run(&batches, &events);
        drop(events);
        let ended: Vec<bool> = received
            .iter()
            .map(|event| match event {
                Event::Chunk(done) => done.chunk.ended.is_some() && done.chunk.failures.is_empty(),
                _ => panic!("no chunk"),
            })
            .collect();
        assert_eq!(ended, [false, true, false]);
        // Its turn was given back.
        turns.acquire();
    }
}
