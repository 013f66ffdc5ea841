//! Archives and truth joined by record id, and every page of theirs judged, several at a time.
//!
//! Threads take records from one reader in turn, so that no more of them work than were asked for and memory holds a
//! record a thread; what they find is put in the order of the truth in the end. So no figure but time depends on threads.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::page::{Evaluator, Measurement, PageCounts};
use super::{Metrics, Truth};
use crate::archive::{Event, OwnedRecord, Records};
use crate::config::Rules;
use crate::http::Scratch;
use crate::input::{ArchiveInput, name_shards};
use crate::page::{Dropped, Page};
use crate::provenance::{ArchiveName, record_id};
use crate::reason::PageFault;

/// What a line of truth came to.
#[derive(Clone, Debug, PartialEq)]
pub enum TruthOutcome {
    /// Its page was measured: once an extractor, in order.
    Page {
        /// What is counted of the page itself.
        counts: PageCounts,
        /// What is counted of each extraction.
        measured: Vec<Measurement>,
        /// Where the page stands, as `ARCHIVE@OFFSET`.
        place: String,
    },
    /// Its record is no page.
    Dropped {
        /// Words of the truth.
        words: u32,
        /// Why there is no page.
        why: Dropped,
        /// Where the record stands.
        place: String,
    },
    /// The archives have no such record.
    Absent {
        /// Words of the truth.
        words: u32,
    },
}

/// A page without truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedPage {
    /// Its record's id.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// Where it stands, as `ARCHIVE@OFFSET`.
    pub place: String,
}

/// How truth and archives fit, apart from what became of the lines of truth.
#[derive(Debug, Default)]
pub struct Join {
    /// Pages for which there is no truth, in the order of the archives.
    pub unmatched: Vec<UnmatchedPage>,
    /// Records whose id an earlier record bore, whose truth it took: not looked at.
    pub repeated: Vec<UnmatchedPage>,
    /// Records that failed and stretches that were skipped.
    pub damaged: u64,
    /// Archives that could not be read, or not to their end, with the reason.
    pub unread: Vec<String>,
}

/// All that was counted.
#[derive(Debug)]
pub struct Evaluation {
    /// The extractors' names, in order.
    pub extractors: Vec<String>,
    /// The measures that were wanted.
    pub metrics: Metrics,
    /// One entry a line of truth, in its order.
    pub lines: Vec<TruthOutcome>,
    /// How truth and archives fit.
    pub join: Join,
}

/// Judges the extractors of `rules` on every page of `inputs` that `truth` knows.
pub fn evaluate(truth: &Truth, inputs: &[ArchiveInput], rules: &Rules, metrics: Metrics, threads: usize) -> Evaluation {
    let mut join = Join::default();
    let mut lines: Vec<Option<TruthOutcome>> = vec![None; truth.lines.len()];
    let mut seen = HashSet::new();
    let mut inputs = inputs.to_vec();
    name_shards(&mut inputs);
    for input in &inputs {
        let failed = read(input, rules, |records| {
            let feed = Mutex::new(Feed {
                records,
                input,
                truth,
                seen: &mut seen,
                join: &mut join,
                taken: 0,
            });
            let worker = || Worker::new(truth, rules, metrics).run(&feed);
            let mut found: Vec<Found> = thread::scope(|scope| {
                // This thread is one of those asked for; without the others it does all of the work.
                let others: Vec<_> = (1..threads.max(1))
                    .filter_map(|i| {
                        let named = thread::Builder::new().name(format!("evaluator-{i}"));
                        named.spawn_scoped(scope, worker).ok()
                    })
                    .collect();
                let own = worker();
                let others = others.into_iter().filter_map(|t| t.join().ok()).flatten();
                own.into_iter().chain(others).collect()
            });
            found.sort_by_key(|f| f.number);
            for found in found {
                match found.what {
                    Outcome::Line(line, judged) => lines[line] = Some(judged),
                    Outcome::Unmatched(page) => join.unmatched.push(page),
                }
            }
        });
        join.unread.extend(failed);
    }
    let mut evaluator = Evaluator::new(rules, metrics);
    let absent = |(line, judged): (usize, Option<TruthOutcome>)| {
        judged.unwrap_or_else(|| TruthOutcome::Absent {
            words: evaluator.words(&truth.lines[line].text),
        })
    };
    Evaluation {
        extractors: rules.presets.iter().map(|p| p.name.clone()).collect(),
        metrics,
        lines: lines.into_iter().enumerate().map(absent).collect(),
        join,
    }
}

/// Opens an archive or stream and lends its records; returns what went wrong, if anything did.
fn read(input: &ArchiveInput, rules: &Rules, work: impl FnOnce(&mut Records<'_>)) -> Option<String> {
    let options = rules.config.read_options();
    let finish = |records: &mut Records<'_>| {
        work(records);
        let error = records.take_error()?;
        Some(format!(
            "{}: cannot be read on: {error}",
            crate::escape::path(input.label())
        ))
    };
    match input.open(options) {
        Ok(archive) => finish(&mut archive.records()),
        Err(e) => Some(e.to_string()),
    }
}

/// Where threads take records from, one at a time.
struct Feed<'f, 'a> {
    records: &'f mut Records<'a>,
    input: &'f ArchiveInput,
    truth: &'f Truth,
    /// Lines of truth whose record has come.
    seen: &'f mut HashSet<usize>,
    join: &'f mut Join,
    taken: u64,
}

/// A record to be judged.
struct Task {
    number: u64,
    line: Option<usize>,
    record_id: String,
    place: String,
    record: OwnedRecord,
}

impl Feed<'_, '_> {
    /// The next record whose page may be judged, or have no truth.
    fn next(&mut self) -> Option<Task> {
        loop {
            let record = match self.records.next_event()? {
                Event::Record(record) => record,
                Event::Skipped(_) => {
                    self.join.damaged += 1;
                    continue;
                }
            };
            self.join.damaged += u64::from(record.failure.is_some());
            let record_id = record_id(&record, self.input.shard()).into_owned();
            let place = match record.offset_in_member {
                0 => format!("{}@{}", self.input.label().display(), record.offset),
                inside => format!("{}@{}+{inside}", self.input.label().display(), record.offset),
            };
            let line = self.truth.find(&record_id);
            if line.is_some_and(|line| !self.seen.insert(line)) {
                self.join.repeated.push(UnmatchedPage {
                    record_id,
                    url: record.header.url().into_owned(),
                    place,
                });
                continue;
            }
            let record = record.into_owned();
            self.taken += 1;
            return Some(Task {
                number: self.taken,
                line,
                record_id,
                place,
                record,
            });
        }
    }
}

/// What came of a record, with its number in the archive.
struct Found {
    number: u64,
    what: Outcome,
}

enum Outcome {
    Line(usize, TruthOutcome),
    Unmatched(UnmatchedPage),
}

/// One thread's share of the work.
struct Worker<'w> {
    truth: &'w Truth,
    rules: &'w Rules,
    evaluator: Evaluator<'w>,
    metrics: Metrics,
    http: Scratch,
}

impl<'w> Worker<'w> {
    fn new(truth: &'w Truth, rules: &'w Rules, metrics: Metrics) -> Self {
        Self {
            truth,
            rules,
            evaluator: Evaluator::new(rules, metrics),
            metrics,
            http: Scratch::default(),
        }
    }

    fn run(mut self, feed: &Mutex<Feed<'_, '_>>) -> Vec<Found> {
        let mut found = Vec::new();
        loop {
            // A thread that panicked while it held the reader has left it between two records.
            let task = feed.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = task else {
                return found;
            };
            let number = task.number;
            if let Some(what) = self.look(task) {
                found.push(Found { number, what });
            }
        }
    }

    /// Judges a record's page; `None` for what is neither in the truth nor a page.
    fn look(&mut self, task: Task) -> Option<Outcome> {
        let page = Page::from_record(&task.record, self.rules, &mut self.http, ArchiveName::default());
        let Some(line) = task.line else {
            let url = page.ok()?.url.into_owned();
            return Some(Outcome::Unmatched(UnmatchedPage {
                record_id: task.record_id,
                url,
                place: task.place,
            }));
        };
        let text = &self.truth.lines[line].text;
        let judged = page.and_then(|page| {
            let evaluator = &mut self.evaluator;
            catch_unwind(AssertUnwindSafe(|| evaluator.page(&page, text)))
                .map_err(|_| PageFault::Panic)?
                .ok_or(PageFault::TooCostly.into())
        });
        let judged = match judged {
            Ok((counts, measured)) => TruthOutcome::Page {
                counts,
                measured,
                place: task.place,
            },
            Err(why) => {
                // Whatever a panic left half done is thrown away.
                self.evaluator = Evaluator::new(self.rules, self.metrics);
                TruthOutcome::Dropped {
                    words: self.evaluator.words(text),
                    why,
                    place: task.place,
                }
            }
        };
        Some(Outcome::Line(line, judged))
    }
}
