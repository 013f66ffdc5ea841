//! The writer: checks guessed windows, puts chunks in order, and passes them on to the sink.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::archive_queue::{Action, ArchiveQueue};
use super::batch::{Batch, Window, Work};
use super::buffer_pool::BufferPool;
use super::chunk::{ArchiveOutcome, Border, Chunk, Start};
use super::error::{PipelineError, ReadFailure, SinkError};
use super::job::{Job, Order};
use super::message::{Extent, Message, Origin, PlacedChunk};
use super::progress::{Progress, Stop};
use super::wait::POLL_INTERVAL;
use crate::input::ArchiveInput;
use crate::ledger::Ledger;

/// Takes what the pipeline makes.
pub trait Sink {
    /// Takes an archive's next chunk, or what it needs of it. `archive` is the archive's place in the list of inputs.
    /// `border` is how far the archive is after the chunk, if a batch ends there.
    ///
    /// # Errors
    /// The sink cannot keep the chunk. The pipeline stops and passes on no more chunks.
    fn chunk(&mut self, archive: usize, chunk: &mut Chunk, border: Option<Border<'_>>) -> Result<(), SinkError>;

    /// Takes an archive's outcome, after its last chunk.
    ///
    /// # Errors
    /// The sink cannot keep the archive. The pipeline stops and passes on no more chunks.
    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError>;

    /// Nothing more will come, because [`Stop::drop_in_flight`] was called. Every archive that was begun was finished
    /// as interrupted. Threads are still working, and the pipeline returns only after they have ended.
    fn abandon(&mut self);
}

pub(super) struct OrderedWriter<'w> {
    inputs: &'w [ArchiveInput],
    starts: &'w [Start],
    /// The way back to the workers, for windows that must be read again.
    batches: Sender<Batch>,
    order: Order,
    buffers: &'w BufferPool,
    progress: &'w Progress,
    stop: &'w Stop,
    sink: &'w mut dyn Sink,
    /// The archive whose turn it is, if they are written one after the other.
    current: usize,
    /// The archives that are being written.
    queues: HashMap<usize, ArchiveQueue>,
    /// Why the pipeline ends early: what the sink reported, or which thread died. The first error counts.
    error: Option<PipelineError>,
}

impl<'w> OrderedWriter<'w> {
    pub(super) fn new(job: &Job<'w>, batches: Sender<Batch>, buffers: &'w BufferPool, sink: &'w mut dyn Sink) -> Self {
        Self {
            inputs: job.inputs,
            starts: job.starts,
            batches,
            order: job.order,
            buffers,
            progress: job.progress,
            stop: job.stop,
            sink,
            current: 0,
            queues: HashMap::new(),
            error: None,
        }
    }

    /// Takes messages until every reader has ended and every archive is written.
    ///
    /// # Errors
    /// Why the pipeline ended early, although it was not asked to stop.
    pub(super) fn run(mut self, messages: Receiver<Message>, mut readers: usize) -> Result<(), PipelineError> {
        let _stop = StopOnPanic(self.stop);
        loop {
            if self.stop.overdue() {
                self.interrupt();
                self.sink.abandon();
                break;
            }
            let message = match messages.recv_timeout(POLL_INTERVAL) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match message {
                Message::Chunk(placed) => self.chunk(*placed),
                Message::ArchiveEnd {
                    archive,
                    batches,
                    outcome,
                } => {
                    self.queue(archive).end = Some((batches, *outcome));
                    self.write_ready(archive);
                }
                Message::ReaderEnd => readers -= 1,
                Message::ThreadDied(name) => {
                    self.fail(PipelineError::ThreadDied { name });
                    self.interrupt();
                    break;
                }
            }
            if readers == 0 && self.queues.is_empty() {
                break;
            }
        }
        // Returning drops the sender of batches, and with it the workers end.
        self.error.map_or(Ok(()), Err)
    }

    /// Queues a chunk and writes what can be written.
    fn chunk(&mut self, placed: PlacedChunk) {
        let archive = placed.archive;
        self.queue(archive).waiting.insert(placed.index, placed);
        self.write_ready(archive);
    }

    /// The queue of an archive, which begins where the archive's reading does.
    fn queue(&mut self, archive: usize) -> &mut ArchiveQueue {
        let start = self.starts.get(archive);
        let queue = self.queues.entry(archive);
        queue.or_insert_with(|| start.map_or_else(ArchiveQueue::default, ArchiveQueue::from))
    }

    /// Writes the chunks of an archive that are in order. If it finishes the archive and the next one waits for that,
    /// continues with the next one.
    fn write_ready(&mut self, mut archive: usize) {
        while self.order == Order::AsRead || archive == self.current {
            while let Some(placed) = self.next_chunk(archive) {
                if !self.write(placed) {
                    return;
                }
            }
            if !self.finish_if_complete(archive) || self.order == Order::AsRead {
                return;
            }
            archive += 1;
            self.current = archive;
        }
    }

    /// The chunk that must be written next, if it has come.
    fn next_chunk(&mut self, archive: usize) -> Option<PlacedChunk> {
        let queue = self.queues.get_mut(&archive)?;
        queue.waiting.remove(&queue.next)
    }

    /// Writes the next chunk of an archive. Returns `false` if the chunk is made again or has more parts.
    fn write(&mut self, placed: PlacedChunk) -> bool {
        let PlacedChunk {
            archive,
            index,
            mut chunk,
            origin,
            permit,
        } = placed;
        let Some(queue) = self.queues.get_mut(&archive) else {
            return false;
        };
        match queue.action(&origin, chunk.read_failure.is_some()) {
            Action::Write => {}
            Action::Drop => chunk = Chunk::default(),
            Action::Fail => {
                queue.failure = chunk.read_failure.take();
                if let Origin::Window { window, .. } = &origin {
                    window.is_over.store(true, Ordering::Relaxed);
                }
            }
            Action::Reread(window) => {
                self.buffers.give(chunk.bytes);
                let start = Some(queue.start);
                let work = Work::Window(Window { start, ..window });
                if let Some(permit) = permit {
                    let batch = Batch {
                        archive,
                        index,
                        work,
                        permit,
                    };
                    // The channel has room for every batch with a permit, and the workers live as long as this sender.
                    let _ = self.batches.send(batch);
                }
                return false;
            }
        }
        queue.ledger.add(&chunk.ledger);
        let done = queue.advance(&origin);
        self.hand_over(archive, &mut chunk, done);
        self.count(archive, &chunk.ledger, &origin);
        self.buffers.give(chunk.bytes);
        // Only now another batch may be made: the permit is dropped here.
        done
    }

    /// Gives a chunk to the sink, unless something has failed already. `done` is whether a batch ends with it.
    fn hand_over(&mut self, archive: usize, chunk: &mut Chunk, done: bool) {
        if self.error.is_some() {
            return;
        }
        // After a failure there is nothing to continue.
        let queue = self.queues.get(&archive);
        let border = queue
            .filter(|queue| done && queue.failure.is_none())
            .map(|queue| Border {
                position: queue.position(),
                ledger: &queue.ledger,
            });
        let result = match (chunk.encode_error.take(), chunk.store_error.take()) {
            (Some(source), _) => Err(PipelineError::Encode {
                archive: self.inputs[archive].label().to_owned(),
                source,
            }),
            (_, Some(error)) => Err(PipelineError::Store(error)),
            _ => self.sink.chunk(archive, chunk, border).map_err(PipelineError::Sink),
        };
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Updates the counters for display, and gives the pages of a window that is done back to the system.
    fn count(&self, archive: usize, ledger: &Ledger, origin: &Origin) {
        let bytes = match origin {
            Origin::Records { stored } => *stored,
            Origin::Window {
                extent: Extent::Part, ..
            } => 0,
            Origin::Window { window, .. } => {
                let range = window.range();
                let bytes = range.end - range.start;
                window.archive.release(range);
                bytes
            }
        };
        if let Some(input) = self.inputs.get(archive) {
            self.progress.written(archive, input, ledger, bytes);
        }
    }

    /// Finishes an archive if its last chunk was written. Returns whether it was.
    fn finish_if_complete(&mut self, archive: usize) -> bool {
        let complete = |queue: &ArchiveQueue| queue.end.as_ref().is_some_and(|(batches, _)| *batches == queue.next);
        if !self.queues.get(&archive).is_some_and(complete) {
            return false;
        }
        let Some(ArchiveQueue {
            mut ledger,
            failure,
            start,
            end: Some((_, mut outcome)),
            ..
        }) = self.queues.remove(&archive)
        else {
            return false;
        };
        ledger.add(&outcome.ledger);
        outcome.ledger = ledger;
        match failure {
            Some(ReadFailure::Stopped { .. }) => outcome.interrupted = true,
            Some(failure) => (outcome.error, outcome.size) = (Some(Arc::new(failure)), start),
            None => {}
        }
        self.progress.finished(archive);
        // After an error nothing more is kept, so this archive's output is not whole.
        outcome.interrupted |= self.error.is_some();
        outcome.check(self.inputs.get(archive).map_or(Path::new(""), ArchiveInput::label));
        if let Err(error) = self.sink.finish(archive, outcome) {
            self.fail(PipelineError::Sink(error));
        }
        true
    }

    /// Stops the pipeline because of an error.
    fn fail(&mut self, error: PipelineError) {
        self.error.get_or_insert(error);
        self.stop.request();
    }

    /// Finishes every open archive as interrupted.
    fn interrupt(&mut self) {
        for archive in std::mem::take(&mut self.queues).into_keys() {
            // The pipeline ends anyway, and its error is known.
            let _ = self.sink.finish(archive, ArchiveOutcome::interrupted());
        }
    }
}

/// Stops the other threads if the writer panics.
struct StopOnPanic<'w>(&'w Stop);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.request();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Rules};
    use crate::pipeline::job::Product;
    use crossbeam_channel::unbounded;

    /// Keeps each archive's bytes, and of each outcome the archive, its size and its error.
    #[derive(Default)]
    struct Collector {
        bytes: HashMap<usize, Vec<u8>>,
        outcomes: Vec<(usize, u64, Option<String>)>,
    }

    impl Sink for Collector {
        fn chunk(&mut self, archive: usize, chunk: &mut Chunk, _: Option<Border<'_>>) -> Result<(), SinkError> {
            self.bytes.entry(archive).or_default().extend(&chunk.bytes);
            Ok(())
        }

        fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
            let error = outcome.error.map(|e| e.to_string());
            self.outcomes.push((archive, outcome.size, error));
            Ok(())
        }

        fn abandon(&mut self) {}
    }

    #[test]
    fn an_archive_that_cannot_be_read_on_fails_and_the_others_do_not() {
        let (batches, _batches) = unbounded();
        let (messages, received) = unbounded();
        let buffers = BufferPool::new(1);
        let failure = || ReadFailure::Panic { archive: "a".into() };
        for archive in 0..2 {
            for index in 0..3 {
                let chunk = Chunk {
                    bytes: vec![index as u8],
                    read_failure: (archive == 0 && index == 1).then(failure),
                    ..Chunk::default()
                };
                let placed = PlacedChunk {
                    archive,
                    index,
                    chunk,
                    origin: Origin::Records { stored: 10 },
                    permit: None,
                };
                messages.send(Message::Chunk(Box::new(placed))).expect("a chunk");
            }
            let outcome = ArchiveOutcome::empty(30);
            let end = Message::ArchiveEnd {
                archive,
                batches: 3,
                outcome: Box::new(outcome),
            };
            messages.send(end).expect("an end");
        }
        messages.send(Message::ReaderEnd).expect("an end");
        let (progress, stop, mut collector) = (Progress::default(), Stop::default(), Collector::default());
        let job = Job {
            inputs: &[],
            starts: &[],
            rules: &Arc::new(Rules::new(&Config::default()).expect("rules")),
            threads: 1,
            product: Product::Encoded,
            order: Order::AsRead,
            seen: None,
            originals: None,
            progress: &progress,
            stop: &stop,
        };
        let writer = OrderedWriter::new(&job, batches, &buffers, &mut collector);
        assert!(writer.run(received, 1).is_ok());
        // It was read as far as the batch before the failure.
        let error = Some(failure().to_string());
        assert_eq!(collector.outcomes, [(0, 10, error), (1, 30, None)]);
        // Nothing after the failure is written.
        assert_eq!(
            (&collector.bytes[&0], &collector.bytes[&1]),
            (&vec![0, 1], &vec![0, 1, 2])
        );
    }
}
