//! Reader threads: archives → batches.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_channel::Sender;

use super::batch::{Batch, Border, Entry, Records, Window, Work};
use super::chunk::{ArchiveOutcome, Event, Guard, survived};
use super::patient::Patient;
use super::permits::{Permits, Pool};
use super::{Source, Stop};
use crate::archive::Note;
use crate::archive::record::RawRecord;
use crate::archive::{self, Archive, ArchiveError, Format, RecordReader, StreamArchive, window};
use crate::config::Rules;

/// The path that stands for standard input.
const STDIN: &str = "-";

pub(super) struct Reader<'r> {
    pub(super) sources: &'r [Source],
    pub(super) rules: &'r Arc<Rules>,
    /// The archive that no reader has taken yet.
    pub(super) next: &'r AtomicUsize,
    pub(super) batches: Sender<Batch>,
    pub(super) events: Sender<Event>,
    pub(super) permits: &'r Permits,
    pub(super) turns: &'r Permits,
    pub(super) pool: &'r Pool,
    pub(super) stop: &'r Stop,
}

/// The writer, or all workers, are gone: there is nothing left to do.
struct Gone;

impl Reader<'_> {
    /// Takes archives until none is left.
    pub(super) fn run(self) {
        let _guard = Guard(&self.events);
        while !self.stop.requested() {
            let archive = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = self.sources.get(archive) else { break };
            if self.read(archive, &source.path).is_err() {
                return;
            }
        }
        // A writer that is gone needs no word.
        let _ = self.events.send(Event::ReaderEnd);
    }

    fn read(&self, archive: usize, path: &Path) -> Result<(), Gone> {
        let opened = survived(path, || self.open(path).map(|opened| (opened.is_divisible(), opened)));
        let opened = match opened {
            Ok(opened) => opened.map_err(|e| e.to_string()),
            Err(message) => Err(message),
        };
        let result = match opened.map(|(divisible, opened)| (opened, divisible)) {
            Ok((Opened::Map(map), true)) => self.windows(archive, &Arc::new(map)),
            Ok((Opened::Map(map), false)) => {
                let records = map.records_between(0, u64::MAX, self.rules.config.read_options(), Vec::new());
                self.stream(archive, records, map.format(), Some(&map), || map.size())
            }
            Ok((Opened::Stream(stream, count), _)) if stream.format().is_none() => {
                Ok((0, ArchiveOutcome::nothing(count.load(Ordering::Relaxed))))
            }
            Ok((Opened::Stream(stream, count), _)) => {
                let format = stream.format().cloned();
                let records = stream.into_records(self.rules.config.read_options());
                self.stream(archive, records, format.as_ref(), None, || {
                    count.load(Ordering::Relaxed)
                })
            }
            // A stream that was given up is not at fault.
            Err(_) if self.stop.requested() => Ok((0, ArchiveOutcome::interrupted())),
            Err(e) => Ok((
                0,
                ArchiveOutcome {
                    error: Some(e),
                    ..ArchiveOutcome::default()
                },
            )),
        };
        let (batches, outcome) = result?;
        self.events
            .send(Event::ArchiveEnd {
                archive,
                batches,
                outcome,
            })
            .map_err(|_| Gone)
    }

    /// Hands out a map's windows.
    fn windows(&self, archive: usize, map: &Arc<Archive>) -> Result<(u64, ArchiveOutcome), Gone> {
        let mut outcome = ArchiveOutcome {
            size: map.size(),
            ..ArchiveOutcome::default()
        };
        if map.format().is_none() {
            return Ok((0, ArchiveOutcome::nothing(map.size())));
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
            self.batches
                .send(Batch {
                    archive,
                    index: number,
                    work,
                })
                .map_err(|_| Gone)?;
        }
        Ok((count, outcome))
    }

    /// Frames records and hands them out in batches.
    fn stream(
        &self,
        archive: usize,
        mut records: RecordReader<'_>,
        format: Option<&Format>,
        map: Option<&Archive>,
        size: impl Fn() -> u64,
    ) -> Result<(u64, ArchiveOutcome), Gone> {
        let empty = || Records {
            bytes: self.pool.take(),
            format: format.cloned(),
            ..Records::default()
        };
        let mut cutter = Cutter {
            border: Border::default(),
            next: empty(),
            finished: 0,
            keep: map.is_none() && self.rules.config.output.quarantine,
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
                let _turn = self.turns.turn();
                survived(&self.sources[archive].path, || cutter.cut(&mut records, empty))
            };
            let (batch, more) = match cut {
                Ok(cut) => cut,
                Err(message) => {
                    self.permits.release();
                    outcome.error = Some(message);
                    outcome.size = size();
                    return Ok((index, outcome));
                }
            };
            // Asked after the batch was copied out of the map, whose bytes may be lost at any moment.
            error = map.and_then(|_| records.take_error());
            if error.is_some() {
                self.permits.release();
                self.pool.give(batch.bytes);
                break;
            }
            if let Some(map) = map {
                map.release(0..cutter.finished);
            }
            let work = Work::Records(batch);
            self.batches.send(Batch { archive, index, work }).map_err(|_| Gone)?;
            index += 1;
            records
                .take_notes()
                .into_iter()
                .for_each(|note| outcome.ledger.note(note));
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
        // A stream that was given up is not at fault.
        outcome.interrupted |= error.is_some() && self.stop.requested();
        if let Some(error) = error.filter(|_| !outcome.interrupted) {
            let path = self.sources[archive].path.clone();
            let offset = Some(outcome.size);
            outcome.error = Some(
                ArchiveError {
                    path,
                    offset,
                    message: format!("cannot be read on: {error}"),
                }
                .to_string(),
            );
        }
        Ok((index, outcome))
    }

    /// Opens an archive: what can only be read as a stream is, and all else is mapped.
    fn open(&self, path: &Path) -> Result<Opened, ArchiveError> {
        let error = |message: String| ArchiveError {
            path: path.to_owned(),
            offset: None,
            message,
        };
        let options = self.rules.config.read_options();
        // Recognising an archive inflates its start.
        let _turn = self.turns.turn();
        let cannot_open = |e| error(format!("cannot be opened: {e}"));
        let recognised = |stream: Patient| {
            let count = stream.count();
            StreamArchive::new_with(stream, path, options).map(|stream| Opened::Stream(stream, count))
        };
        if path == Path::new(STDIN) {
            return recognised(Patient::new(|| Ok(std::io::stdin()), self.stop, self.turns).map_err(cannot_open)?);
        }
        if path.is_dir() {
            return Err(match std::fs::read_dir(path) {
                Ok(_) => error("is a directory that holds no archive".into()),
                Err(e) => error(format!("cannot be read: {e}")),
            });
        }
        if std::fs::metadata(path).is_ok_and(|metadata| archive::is_stream(&metadata)) {
            let file = path.to_owned();
            return recognised(Patient::new(move || File::open(file), self.stop, self.turns).map_err(cannot_open)?);
        }
        Archive::open_with(path, options).map(Opened::Map)
    }
}

/// Cuts a stream of records into batches.
struct Cutter {
    border: Border,
    /// The batch that is being filled; between two cuts it holds the record that crossed the border.
    next: Records,
    /// Stored bytes that are finished with.
    finished: u64,
    /// Whether entries' stored bytes are copied, because nobody can go back to them.
    keep: bool,
}

impl Cutter {
    /// The next batch, and whether another follows.
    fn cut(&mut self, records: &mut RecordReader<'_>, empty: impl Fn() -> Records) -> (Records, bool) {
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
                    let full = self.border.crosses(record.offset, record.block.len()).then(|| {
                        let mut full = std::mem::replace(&mut self.next, empty());
                        full.stored = finished - self.finished;
                        self.finished = finished;
                        full
                    });
                    let place = (record.offset, record.stored_length);
                    (
                        Entry::Record(RawRecord::copy(&record, &mut self.next.bytes)),
                        place,
                        full,
                    )
                }
            };
            self.next.entries.push(entry);
            let kept = self
                .keep
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
    /// With the number of bytes that were read of it.
    Stream(StreamArchive, Arc<AtomicU64>),
}

impl Opened {
    /// Whether windows of it can be handed out.
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

    /// A stream with a defect behind its bytes.
    struct Breaks(std::io::Cursor<Vec<u8>>);

    impl Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.read(buffer)?;
            assert!(n > 0, "a defect for a test");
            Ok(n)
        }
    }

    #[test]
    fn a_panic_while_an_archive_is_read_costs_that_archive() {
        let rules = Arc::new(Rules::new(&Config::default()).expect("rules"));
        let sources = [Source {
            path: "broken".into(),
            name: "broken".into(),
            shard: "broken".into(),
        }];
        let (batches, received) = unbounded();
        let (events, _events) = unbounded();
        let (permits, turns) = (Permits::new(64), Permits::new(1));
        let reader = Reader {
            sources: &sources,
            rules: &rules,
            next: &AtomicUsize::new(0),
            batches,
            events,
            permits: &permits,
            turns: &turns,
            pool: &Pool::new(1),
            stop: &Stop::default(),
        };
        let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
        let stream = Breaks(std::io::Cursor::new(record.repeat(100_000)));
        let stream = StreamArchive::new(stream, Path::new("broken")).expect("an archive");
        let records = stream.into_records(rules.config.read_options());
        let Ok((sent, outcome)) = reader.stream(0, records, None, None, || 0) else {
            panic!("the channels are open")
        };
        assert!(sent > 2 && received.len() as u64 == sent, "{sent} batches before it");
        let error = outcome.error.unwrap_or_default();
        assert!(error.starts_with("broken: its reading ended in a panic"), "{error}");
        // Its turn was given back, and its permit; those of the batches that were sent go with these.
        turns.acquire();
        (0..64 - sent).for_each(|_| permits.acquire());
    }
}
