//! The writer: puts chunks in order, checks guessed windows, and hands both on to the sink.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::batch::{Batch, Window, Work};
use super::chunk::{ArchiveOutcome, Chunk, Done, Event, From, State};
use super::permits::{Permits, Pool};
use super::{Progress, Source, Stop};
use crate::escape;
use crate::ledger::Ledger;

/// How often a wait looks whether what is in flight is still waited for.
const GLANCE: Duration = Duration::from_millis(50);

/// Where chunks go.
pub trait Sink {
    /// Takes an archive's next chunk. `archive` is its place in the run's list.
    ///
    /// # Errors
    /// The chunk cannot be kept; the run is ended, and nothing more is handed over.
    fn chunk(&mut self, archive: usize, chunk: &Chunk) -> Result<(), String>;

    /// Learns what became of an archive, after its last chunk.
    ///
    /// # Errors
    /// As [`Sink::chunk`].
    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), String>;

    /// Learns that nothing more will come, though threads are still at work and the pipeline does not end before they
    /// do: every archive that was begun was finished as interrupted.
    fn abandon(&mut self);
}

pub(super) struct Writer<'w> {
    sources: &'w [Source],
    again: Sender<Batch>,
    permits: &'w Permits,
    pool: &'w Pool,
    progress: &'w Progress,
    stop: &'w Stop,
    sink: &'w mut dyn Sink,
    /// Archives that are being written.
    lanes: HashMap<usize, Lane>,
    /// Why the run cannot go on: what the sink refused, or which thread died.
    failure: Option<String>,
}

/// One archive on its way.
#[derive(Default)]
struct Lane {
    /// The batch that is to be written next.
    next: u64,
    /// Stored bytes that are finished with; where the next window has to start.
    start: u64,
    ledger: Ledger,
    waiting: BTreeMap<u64, Done>,
    /// Why the archive ended before its time; what follows is not taken.
    ended: Option<String>,
    end: Option<(u64, ArchiveOutcome)>,
}

/// What to do with a chunk whose turn it is.
enum Verdict {
    Take,
    /// Nothing starts in this window, whatever was guessed.
    Nothing,
    /// The archive ends here.
    End,
    /// The window has to be read from another start.
    Again(Window),
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        sources: &'w [Source],
        again: Sender<Batch>,
        permits: &'w Permits,
        pool: &'w Pool,
        progress: &'w Progress,
        stop: &'w Stop,
        sink: &'w mut dyn Sink,
    ) -> Self {
        Self {
            sources,
            again,
            permits,
            pool,
            progress,
            stop,
            sink,
            lanes: HashMap::new(),
            failure: None,
        }
    }

    /// Takes events until every reader has ended and every archive is written.
    ///
    /// # Errors
    /// Why the run was ended before its time, where nobody asked for that.
    pub(super) fn run(mut self, events: Receiver<Event>, mut readers: usize) -> Result<(), String> {
        let _wake = Wake {
            permits: self.permits,
            stop: self.stop,
            readers,
        };
        loop {
            if self.stop.overdue() {
                self.interrupt();
                self.sink.abandon();
                break;
            }
            let event = match events.recv_timeout(GLANCE) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match event {
                Event::Chunk(done) => self.chunk(done),
                Event::ArchiveEnd {
                    archive,
                    batches,
                    outcome,
                } => {
                    self.lanes.entry(archive).or_default().end = Some((batches, outcome));
                    self.close(archive);
                }
                Event::ReaderEnd => readers -= 1,
                Event::Died(thread) => {
                    self.die(&thread);
                    break;
                }
            }
            if readers == 0 && self.lanes.is_empty() {
                break;
            }
        }
        // With the way back to the workers, which goes with this, they end.
        self.failure.map_or(Ok(()), Err)
    }

    /// A thread died: whatever is open cannot be finished.
    fn die(&mut self, thread: &str) {
        self.heed(Err(format!(
            "the thread {thread} died; this is a defect of the program, please report it"
        )));
        self.interrupt();
    }

    /// Drops what is open.
    fn interrupt(&mut self) {
        for archive in std::mem::take(&mut self.lanes).into_keys() {
            // Dropping a shard fails in no way that matters: the run ends without it.
            let _ = self.sink.finish(archive, ArchiveOutcome::interrupted());
        }
    }

    fn chunk(&mut self, done: Done) {
        let archive = done.archive;
        let lane = self.lanes.entry(archive).or_default();
        lane.waiting.insert(done.index, done);
        while let Some(done) = self
            .lanes
            .get_mut(&archive)
            .and_then(|lane| lane.waiting.remove(&lane.next))
        {
            if !self.in_turn(done) {
                return;
            }
        }
        self.close(archive);
    }

    /// Takes the chunk whose turn it is; `false` where it is to be made again or has more parts.
    fn in_turn(&mut self, done: Done) -> bool {
        let Done {
            archive,
            index,
            mut chunk,
            from,
        } = done;
        let Some(lane) = self.lanes.get_mut(&archive) else {
            return false;
        };
        match lane.verdict(&from, chunk.ended.is_some()) {
            Verdict::Take => {}
            Verdict::Nothing => chunk = Chunk::default(),
            Verdict::End => lane.ended = chunk.ended.take(),
            Verdict::Again(window) => {
                self.pool.give(chunk.bytes);
                let start = Some(lane.start);
                let work = Work::Window(Window { start, ..window });
                // There is room for every batch that holds a permit, and workers live as long as this sender.
                let _ = self.again.send(Batch { archive, index, work });
                return false;
            }
        }
        lane.ledger.add(&chunk.ledger);
        Progress::add(&self.progress.records, chunk.ledger.framed);
        Progress::add(&self.progress.documents, chunk.ledger.emitted);
        if self.failure.is_none() {
            let kept = match chunk.error.take() {
                Some(error) => Err(format!("{}: {error}", escape::path(&self.sources[archive].path))),
                None => self.sink.chunk(archive, &chunk),
            };
            self.heed(kept);
        }
        self.pool.give(std::mem::take(&mut chunk.bytes));
        let Some(lane) = self.lanes.get_mut(&archive) else {
            return false;
        };
        match &from {
            From::Records { stored } => {
                if lane.ended.is_none() {
                    lane.start += stored;
                }
                Progress::add(&self.progress.bytes, *stored);
            }
            From::Window { state: State::Part, .. } => return false,
            From::Window { window, read, .. } => {
                if let Some((start, end)) = read.filter(|(start, _)| *start == lane.start) {
                    debug_assert!(end >= start);
                    lane.start = end;
                }
                let range = window.range();
                Progress::add(&self.progress.bytes, range.end - range.start);
                window.map.release(range);
            }
        }
        lane.next += 1;
        self.permits.release();
        true
    }

    /// Finishes an archive whose last chunk was taken.
    fn close(&mut self, archive: usize) {
        let complete = |lane: &Lane| lane.end.as_ref().is_some_and(|(batches, _)| *batches == lane.next);
        if !self.lanes.get(&archive).is_some_and(complete) {
            return;
        }
        let Some(Lane {
            mut ledger,
            ended,
            start,
            end: Some((_, mut outcome)),
            ..
        }) = self.lanes.remove(&archive)
        else {
            return;
        };
        ledger.add(&outcome.ledger);
        outcome.ledger = ledger;
        if ended.is_some() {
            (outcome.error, outcome.size) = (ended, start);
        }
        Progress::add(&self.progress.archives, 1);
        // An output that has failed keeps nothing more, but the account goes on.
        outcome.interrupted |= self.failure.is_some();
        let kept = self.sink.finish(archive, outcome);
        self.heed(kept);
    }

    /// Ends the run where something failed; the first failure is the one to tell.
    fn heed(&mut self, kept: Result<(), String>) {
        if let Err(failure) = kept {
            self.failure.get_or_insert(failure);
            self.stop.request();
        }
    }
}

/// Lets readers that wait for a permit see that the run is over, however the writer ends.
struct Wake<'w> {
    permits: &'w Permits,
    stop: &'w Stop,
    readers: usize,
}

impl Drop for Wake<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.request();
        }
        for _ in 0..self.readers {
            self.permits.release();
        }
    }
}

impl Lane {
    /// A window counts only if the one before ended exactly where it started.
    fn verdict(&self, from: &From, ends: bool) -> Verdict {
        if self.ended.is_some() {
            return Verdict::Nothing;
        }
        let From::Window { window, read, state } = from else {
            return if ends { Verdict::End } else { Verdict::Take };
        };
        if self.start >= window.range().end {
            return Verdict::Nothing;
        }
        match read {
            Some((start, _)) if *start == self.start && ends => Verdict::End,
            Some((start, _)) if *start == self.start && *state != State::Deferred => Verdict::Take,
            _ => Verdict::Again(window.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    /// What became of each archive: its number, its bytes, how far it was read, and why it failed.
    #[derive(Default)]
    struct Seen(HashMap<usize, Vec<u8>>, Vec<(usize, u64, Option<String>)>);

    impl Sink for Seen {
        fn chunk(&mut self, archive: usize, chunk: &Chunk) -> Result<(), String> {
            self.0.entry(archive).or_default().extend(&chunk.bytes);
            Ok(())
        }

        fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), String> {
            self.1.push((archive, outcome.size, outcome.error));
            Ok(())
        }

        fn abandon(&mut self) {}
    }

    #[test]
    fn an_archive_that_cannot_be_read_on_fails_and_the_others_do_not() {
        let (again, _batches) = unbounded();
        let (events, received) = unbounded();
        let (permits, pool) = (Permits::new(8), Pool::new(1));
        for archive in 0..2 {
            for index in 0..3 {
                let chunk = Chunk {
                    bytes: vec![index as u8],
                    ended: (archive == 0 && index == 1).then(|| "a defect".to_owned()),
                    ..Chunk::default()
                };
                let done = Done {
                    archive,
                    index,
                    chunk,
                    from: From::Records { stored: 10 },
                };
                events.send(Event::Chunk(done)).expect("a chunk");
            }
            let outcome = ArchiveOutcome {
                size: 30,
                ..ArchiveOutcome::default()
            };
            let end = Event::ArchiveEnd {
                archive,
                batches: 3,
                outcome,
            };
            events.send(end).expect("an end");
        }
        events.send(Event::ReaderEnd).expect("an end");
        let (progress, stop, mut seen) = (Progress::default(), Stop::default(), Seen::default());
        let writer = Writer::new(&[], again, &permits, &pool, &progress, &stop, &mut seen);
        assert_eq!(writer.run(received, 1), Ok(()));
        // It was read as far as the batch before the defect.
        assert_eq!(seen.1, [(0, 10, Some("a defect".to_owned())), (1, 30, None)]);
        // Nothing that follows the defect is taken.
        assert_eq!((&seen.0[&0], &seen.0[&1]), (&vec![0, 1], &vec![0, 1, 2]));
    }
}
