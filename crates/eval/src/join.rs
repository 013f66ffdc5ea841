//! Joins archives and truth by record id, and measures every joined page, several at a time.
//!
//! The threads take records from one reader, one at a time, so memory holds one record for each thread. The results are
//! put into the order of the truth at the end. So no figure except time depends on the number of threads.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::densities::Densities;
use super::page::{Evaluator, MeasuredPage, Measurement, PageCounts};
use super::{Metrics, Truth};
use dehusk_archive::{Event, OwnedRecord, Records};
use dehusk_engine::config::Rules;
use dehusk_engine::input::{ArchiveInput, Opening, name_shards};
use dehusk_engine::page::{Dropped, Page};
use dehusk_engine::processor::Processor;
use dehusk_engine::provenance::record_id;
use dehusk_engine::reason::PageFault;

/// The outcome of a line of truth.
#[derive(Clone, Debug, PartialEq)]
pub enum TruthOutcome {
    /// Its page was measured, once for each extractor.
    Page {
        /// Counts of the page itself.
        counts: PageCounts,
        /// The measurement of each extraction, in the order of the extractors.
        measured: Vec<Measurement>,
        /// The place of the page, as `ARCHIVE@OFFSET`.
        place: String,
        /// The densities of its tags, if they are to be drawn.
        densities: Option<Densities>,
    },
    /// Its record is no page.
    Dropped {
        /// Counts of the truth.
        counts: PageCounts,
        /// The reason why there is no page.
        why: Dropped,
        /// The place of the record.
        place: String,
    },
    /// The archives have no such record.
    Absent {
        /// Counts of the truth.
        counts: PageCounts,
    },
}

/// A page without truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedPage {
    /// Its record's id.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// Its place, as `ARCHIVE@OFFSET`.
    pub place: String,
}

/// How truth and archives match, apart from the outcomes of the lines of truth.
#[derive(Debug, Default)]
pub struct Join {
    /// Pages without truth, in the order of the archives.
    pub unmatched: Vec<UnmatchedPage>,
    /// Records with the id of an earlier record. They are not measured.
    pub repeated: Vec<UnmatchedPage>,
    /// Number of failed records and skipped ranges.
    pub damaged: u64,
    /// Archives that could not be read to their end, with the reason.
    pub unread: Vec<String>,
}

/// All results of an evaluation.
#[derive(Debug)]
pub struct Evaluation {
    /// The extractors' names, in order.
    pub extractors: Vec<String>,
    /// The measures.
    pub metrics: Metrics,
    /// The outcome of each line of truth, in order.
    pub lines: Vec<TruthOutcome>,
    /// How truth and archives match.
    pub join: Join,
}

/// Measures the extractors of `rules` on every page of `inputs` that `truth` knows, and the densities of the tags of
/// those pages whose line of truth is among `drawn`.
pub fn evaluate(
    truth: &Truth,
    inputs: &[ArchiveInput],
    rules: &Arc<Rules>,
    metrics: Metrics,
    drawn: &[usize],
    threads: usize,
) -> Evaluation {
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
            let worker = || Worker::new(truth, rules, metrics, drawn).run(&feed);
            let mut results: Vec<RecordResult> = thread::scope(|scope| {
                // This thread is one of them. If the others cannot be started, it does all of the work.
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
            results.sort_by_key(|result| result.number);
            for result in results {
                match result.outcome {
                    Outcome::Line(line, outcome) => lines[line] = Some(*outcome),
                    Outcome::Unmatched(page) => join.unmatched.push(page),
                }
            }
        });
        join.unread.extend(failed);
    }
    let mut evaluator = Evaluator::new(rules, metrics);
    let absent = |(line, outcome): (usize, Option<TruthOutcome>)| {
        outcome.unwrap_or_else(|| TruthOutcome::Absent {
            counts: evaluator.missing(&truth.lines[line]),
        })
    };
    Evaluation {
        extractors: rules.presets.iter().map(|p| p.name.clone()).collect(),
        metrics,
        lines: lines.into_iter().enumerate().map(absent).collect(),
        join,
    }
}

/// Opens an archive and passes its records to `work`; returns an error message, if there is one.
fn read(input: &ArchiveInput, rules: &Rules, work: impl FnOnce(&mut Records<'_>)) -> Option<String> {
    let finish = |records: &mut Records<'_>| {
        work(records);
        let error = records.take_error()?;
        Some(format!("{}: cannot be read on: {error}", input.display_name()))
    };
    match input.open(&Opening::new(&rules.config)) {
        Ok(archive) => finish(&mut archive.records()),
        Err(e) => Some(e.to_string()),
    }
}

/// The source of records for all threads.
struct Feed<'f, 'a> {
    records: &'f mut Records<'a>,
    input: &'f ArchiveInput,
    truth: &'f Truth,
    /// Lines of truth whose record was found.
    seen: &'f mut HashSet<usize>,
    join: &'f mut Join,
    taken: u64,
}

/// A record to measure.
struct Task {
    number: u64,
    line: Option<usize>,
    record_id: String,
    place: String,
    record: OwnedRecord,
}

impl Feed<'_, '_> {
    /// The next record that has a line of truth of its own, or none at all.
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

/// The outcome of a record, with the record's number in the archive.
struct RecordResult {
    number: u64,
    outcome: Outcome,
}

enum Outcome {
    Line(usize, Box<TruthOutcome>),
    Unmatched(UnmatchedPage),
}

/// One thread's share of the work.
struct Worker<'w> {
    truth: &'w Truth,
    processor: Processor,
    evaluator: Evaluator<'w>,
    drawn: &'w [usize],
}

impl<'w> Worker<'w> {
    fn new(truth: &'w Truth, rules: &'w Arc<Rules>, metrics: Metrics, drawn: &'w [usize]) -> Self {
        Self {
            truth,
            processor: Processor::with_rules(Arc::clone(rules)),
            evaluator: Evaluator::new(rules, metrics),
            drawn,
        }
    }

    fn run(mut self, feed: &Mutex<Feed<'_, '_>>) -> Vec<RecordResult> {
        let mut results = Vec::new();
        loop {
            // A thread that panicked with the reader left it between two records.
            let task = feed.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = task else {
                return results;
            };
            let number = task.number;
            if let Some(outcome) = self.measure(task) {
                results.push(RecordResult { number, outcome });
            }
        }
    }

    /// Measures a record's page; `None` for a record without truth that is no page.
    fn measure(&mut self, task: Task) -> Option<Outcome> {
        let Some(line) = task.line else {
            let url = |_: &mut Processor, page: &Page<'_>| Ok(page.url.to_string());
            let url = self.processor.record_page(&task.record, "", url).ok()?;
            return Some(Outcome::Unmatched(UnmatchedPage {
                record_id: task.record_id,
                url,
                place: task.place,
            }));
        };
        let truth = &self.truth.lines[line];
        let drawn = self.drawn.contains(&line);
        let evaluator = &mut self.evaluator;
        let measured = self.processor.record_page(&task.record, "", |_, page| {
            let measured = evaluator.page(page, truth, drawn);
            measured.ok_or(PageFault::TooCostly.into())
        });
        let outcome = match measured {
            Ok(MeasuredPage {
                counts,
                extractions,
                densities,
            }) => TruthOutcome::Page {
                counts,
                measured: extractions,
                place: task.place,
                densities,
            },
            Err(why) => TruthOutcome::Dropped {
                counts: self.evaluator.missing(truth),
                why,
                place: task.place,
            },
        };
        Some(Outcome::Line(line, Box::new(outcome)))
    }
}
