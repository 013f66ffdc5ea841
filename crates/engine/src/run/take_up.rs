//! Takes up a run: carries over what an earlier one did, and begins the journal with it.

use std::collections::HashMap;
use std::path::PathBuf;

use super::directory::Directory;
use super::earlier::Earlier;
use super::error::DirectoryError;
use super::failures::{FailureLines, Lines};
use super::journal::{self, ArchiveEntry, Begin, Entry, Finish, Journal, TimeEntry};
use super::open_archive::OpenArchive;
use super::output::Target;
use super::plan::{Plan, Todo};
use super::report::{ArchiveReport, Made, PROGRAM, Report};
use super::shard_path;
use super::since::{Since, Taken};
use crate::config::{Config, Rules};
use crate::input::ArchiveInput;
use crate::pipeline::{Position, Start, Stop};
use dehusk_documents::store::SeenState;

/// A run that can begin.
pub(super) struct TakenUp {
    pub(super) report: Report,
    /// The archives to read; where each goes, and where its reading begins.
    pub(super) inputs: Vec<ArchiveInput>,
    pub(super) targets: Vec<Target>,
    pub(super) starts: Vec<Start>,
    pub(super) state: State,
    /// Archives to take over from another run: the place of each in the report, its shard's name, itself, and what the other
    /// run says of it.
    takes: Vec<(usize, String, ArchiveInput, Box<ArchiveReport>)>,
}

/// What is known of archives: those that are being read, the lines of `failed.jsonl`, and the journal.
pub(super) type State = (HashMap<usize, OpenArchive>, FailureLines, Journal);

impl TakenUp {
    /// Writes and installs the journal of a planned run. `inputs` are the archives of its list.
    ///
    /// # Errors
    /// What the earlier run left cannot be read, or the system refuses.
    pub(super) fn new(
        made: Made<'_>,
        plan: Plan,
        inputs: Vec<ArchiveInput>,
        directory: &Directory,
        (earlier, seen): (Option<&Earlier>, Option<SeenState>),
    ) -> Result<Self, DirectoryError> {
        let mut journal = directory.create_journal()?;
        journal.append(&Entry::Begin(Begin {
            journal: journal::VERSION,
            program: PROGRAM.to_owned(),
            config: serde_json::to_value(made.config).unwrap_or_default(),
            config_hash: made.hash.to_owned(),
            seen: seen.clone(),
        }))?;
        let seconds = earlier.map_or(0.0, |earlier| earlier.seconds);
        journal.append(&Entry::Time(TimeEntry { seconds }))?;
        for (number, archive) in plan.archives.iter().enumerate() {
            journal.append(&Entry::Archive(ArchiveEntry {
                number,
                path: archive.report.path.clone(),
                shard: archive.shard.clone(),
                input: archive.report.input.clone(),
            }))?;
        }
        let mut failures = FailureLines::new(directory.spill_path());
        if let Some(earlier) = earlier {
            let carried = plan.archives.iter().enumerate();
            let carried = carried.filter(|(_, archive)| !matches!(archive.todo, Todo::Read | Todo::TakeOver(_)));
            let numbers: HashMap<&str, usize> = carried.map(|(n, archive)| (archive.report.path.as_str(), n)).collect();
            let mut carry = |path: &str, lines: Lines<'_>| {
                let Some(number) = numbers.get(path) else { return Ok(()) };
                failures.add(*number, lines, directory)?;
                journal.append_failures(*number, lines.text, lines.count)
            };
            if !numbers.is_empty() {
                earlier.failures(directory, &mut carry)?;
                earlier.payloads(directory, &mut |path, payloads| {
                    let number = numbers.get(path).filter(|_| seen.is_some());
                    number.map_or(Ok(()), |number| journal.append_payloads(*number, payloads))
                })?;
            }
        }
        let mut taken_up = Self {
            report: Report::new(made, Vec::new(), Vec::new()),
            inputs: Vec::new(),
            targets: Vec::new(),
            starts: Vec::new(),
            state: (HashMap::new(), failures, journal),
            takes: Vec::new(),
        };
        let mut reports = Vec::new();
        let mut documents = 0;
        let mut inputs = inputs.into_iter();
        for (number, archive) in plan.archives.into_iter().enumerate() {
            // Behind the list's archives follow those that are kept only.
            let input = inputs.next();
            let journal = &mut taken_up.state.2;
            match (archive.todo, input) {
                (Todo::Keep(files), _) => journal.append(&Entry::Finish(Box::new(Finish {
                    number,
                    report: archive.report.clone(),
                    failures: journal.failures(number),
                    payloads: journal.payloads(number),
                    files,
                })))?,
                (Todo::Refuse(checkpoint), _) => {
                    taken_up.state.1.forget(number);
                    if let Some(mut checkpoint) = checkpoint {
                        checkpoint.number = number;
                        journal.append(&Entry::Checkpoint(checkpoint))?;
                    }
                }
                (Todo::Read, Some(input)) => {
                    let is_resumable = input.is_resumable(archive.report.input.is_some());
                    taken_up.read(made.config, number, &archive.shard, is_resumable, input);
                }
                (Todo::Continue(mut checkpoint, open), Some(input)) => {
                    checkpoint.number = number;
                    journal.append(&Entry::Checkpoint(checkpoint.clone()))?;
                    taken_up.state.0.insert(taken_up.inputs.len(), *open);
                    taken_up.read(made.config, number, &archive.shard, true, input);
                    if let Some(start) = taken_up.starts.last_mut() {
                        *start = Start {
                            position: Position {
                                batches: checkpoint.batches,
                                stored: checkpoint.stored,
                            },
                            ledger: checkpoint.ledger(),
                        };
                    }
                    documents += checkpoint.ledger.emitted;
                }
                (Todo::TakeOver(report), Some(input)) => {
                    taken_up.takes.push((number, archive.shard.clone(), input, report));
                }
                (Todo::Read | Todo::Continue(..) | Todo::TakeOver(_), None) => {}
            }
            reports.push(archive.report);
        }
        directory.install_journal(&taken_up.state.2)?;
        let kept: Vec<&PathBuf> = reports
            .iter()
            .flat_map(|r| r.shards.iter().chain(&r.quarantine))
            .collect();
        let mut left = directory.earlier_outputs();
        if earlier.is_some() {
            let kept: std::collections::HashSet<&PathBuf> = kept.into_iter().collect();
            left.retain(|output| !kept.contains(output) && directory.exists(output));
        }
        taken_up.report = Report::new(made, reports, left);
        taken_up.report.seen = seen;
        taken_up.report.add_earlier_documents(documents);
        Ok(taken_up)
    }

    /// Takes over what other runs have finished. The run must have begun. What cannot be taken over will be read.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn take_over(
        &mut self,
        since: &Since,
        rules: &Rules,
        directory: &Directory,
        stop: &Stop,
    ) -> Result<(), DirectoryError> {
        let mut numbers = HashMap::new();
        let mut finished = Vec::new();
        for (number, shard, input, report) in std::mem::take(&mut self.takes) {
            if stop.requested() {
                break;
            }
            match since.take_over(&report, &shard, rules, directory)? {
                Taken::Over(report) => {
                    numbers.insert(report.path.clone(), number);
                    finished.push((number, *report));
                }
                Taken::No => self.read(&rules.config, number, &shard, true, input),
                Taken::Changed(output) => {
                    self.report.changed_outputs.push(output);
                    self.read(&rules.config, number, &shard, true, input);
                }
            }
        }
        let (_, failures, journal) = &mut self.state;
        if finished.iter().any(|(_, report)| report.ledger.is_damaged()) {
            since.failures(&mut |path, lines| {
                let Some(number) = numbers.get(path) else { return Ok(()) };
                failures.add(*number, lines, directory)?;
                journal.append_failures(*number, lines.text, lines.count)
            })?;
        }
        let mut documents = 0;
        for (number, report) in finished {
            documents += report.ledger.emitted;
            let failures = journal.failures(number);
            self.report.archives[number] = report.clone();
            journal.append(&Entry::Finish(Box::new(Finish {
                number,
                report,
                failures,
                payloads: 0,
                files: Vec::new(),
            })))?;
            self.report.taken_over += 1;
        }
        self.report.add_earlier_documents(documents);
        journal.sync()
    }

    /// Adds an archive that the run reads.
    fn read(&mut self, config: &Config, number: usize, shard: &str, is_resumable: bool, input: ArchiveInput) {
        self.targets.push(Target {
            number,
            shard: shard_path(config, shard),
            is_resumable,
        });
        self.inputs.push(input);
        self.starts.push(Start::default());
    }
}
