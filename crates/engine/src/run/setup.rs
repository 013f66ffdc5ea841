//! Sets up a planned run: carries over what an earlier run did, and begins the journal with it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::directory::{Directory, shard_path};
use super::earlier::Earlier;
use super::error::DirectoryError;
use super::failures::FailureLines;
use super::journal::{self, ArchiveEntry, Begin, Entry, Journal, Lines, TimeEntry};
use super::other_run::{OtherRun, TakeOver};
use super::output::{OpenRun, ReadList, Target};
use super::plan::Plan;
use super::planned::Task;
use super::report::{ArchiveReport, PROGRAM, Report, RunConfig};
use crate::config::{Config, Rules};
use crate::input::ArchiveInput;
use crate::pipeline::{Start, Stop};
use dehusk_documents::store::SeenState;

/// A run that is ready to begin.
pub(super) struct RunSetup {
    pub(super) report: Report,
    pub(super) list: ReadList,
    pub(super) open: OpenRun,
    to_take_over: Vec<TakeOverTask>,
}

/// An archive to take over from another run.
struct TakeOverTask {
    /// Its place in the report.
    number: usize,
    shard: String,
    input: ArchiveInput,
    /// Its entry in the account of the other run.
    report: Box<ArchiveReport>,
}

impl RunSetup {
    /// Writes and installs the journal of a planned run. `inputs` are the archives of its list, and `seen` is what the
    /// run sees of the store of payloads.
    ///
    /// # Errors
    /// The remains of the earlier run cannot be read, or the system refuses.
    pub(super) fn new(
        config: RunConfig<'_>,
        plan: Plan,
        inputs: Vec<ArchiveInput>,
        directory: &Directory,
        earlier: Option<&Earlier>,
        seen: Option<SeenState>,
    ) -> Result<Self, DirectoryError> {
        let journal = begin_journal(config, &plan, directory, earlier, seen.as_ref())?;
        let mut setup = Self {
            report: Report::new(config, Vec::new(), Vec::new()),
            list: ReadList::default(),
            open: OpenRun {
                archives: HashMap::new(),
                failures: FailureLines::new(directory.spill_path()),
                journal,
            },
            to_take_over: Vec::new(),
        };
        if let Some(earlier) = earlier {
            setup.carry_entries(&plan, earlier, directory, seen.is_some())?;
        }
        let (reports, documents) = setup.add_archives(config.config, plan, inputs)?;
        directory.install_journal(&setup.open.journal)?;
        let mut left = directory.earlier_outputs();
        if earlier.is_some() {
            let outputs = reports.iter().flat_map(ArchiveReport::outputs);
            let kept: HashSet<&PathBuf> = outputs.collect();
            left.retain(|output| !kept.contains(output) && directory.exists(output));
        }
        setup.report = Report::new(config, reports, left);
        setup.report.seen = seen;
        setup.report.add_earlier_documents(documents);
        Ok(setup)
    }

    /// Carries over the failures and payloads of archives that are not read again.
    fn carry_entries(
        &mut self,
        plan: &Plan,
        earlier: &Earlier,
        directory: &Directory,
        uses_store: bool,
    ) -> Result<(), DirectoryError> {
        let archives = plan.archives.iter().enumerate();
        let carried = archives.filter(|(_, archive)| !matches!(archive.task, Task::Read | Task::TakeOver(_)));
        let numbers: HashMap<&str, usize> = carried.map(|(n, archive)| (archive.report.path.as_str(), n)).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        earlier.failures(directory, &mut |path, lines| match numbers.get(path) {
            Some(number) => self.add_failures(*number, lines, directory),
            None => Ok(()),
        })?;
        earlier.payloads(directory, &mut |path, payloads| match numbers.get(path) {
            Some(number) if uses_store => self.open.journal.append_payloads(*number, payloads),
            _ => Ok(()),
        })
    }

    fn add_failures(&mut self, number: usize, lines: Lines<'_>, directory: &Directory) -> Result<(), DirectoryError> {
        self.open.failures.add(number, lines, directory)?;
        self.open.journal.append_failures(number, lines)
    }

    /// Adds all archives to the journal and to the lists of tasks. Returns their reports, and the number
    /// of documents of unfinished archives.
    fn add_archives(
        &mut self,
        config: &Config,
        plan: Plan,
        inputs: Vec<ArchiveInput>,
    ) -> Result<(Vec<ArchiveReport>, u64), DirectoryError> {
        let mut reports = Vec::new();
        let mut documents = 0;
        let mut inputs = inputs.into_iter();
        for (number, archive) in plan.archives.into_iter().enumerate() {
            // The list's archives come first. Those that follow are only kept.
            let input = inputs.next();
            let journal = &mut self.open.journal;
            match (archive.task, input) {
                (Task::Keep(files), _) => journal.append_finish(number, &archive.report, files)?,
                (Task::Refuse(checkpoint), _) => {
                    self.open.failures.forget(number);
                    if let Some(mut checkpoint) = checkpoint {
                        checkpoint.number = number;
                        journal.append(&Entry::Checkpoint(checkpoint))?;
                    }
                }
                (Task::Read, Some(input)) => {
                    let is_resumable = input.is_resumable(archive.report.input.is_some());
                    self.add_reading(
                        target(config, number, &archive.shard, is_resumable),
                        input,
                        Start::default(),
                    );
                }
                (Task::Continue { mut checkpoint, open }, Some(input)) => {
                    checkpoint.number = number;
                    documents += checkpoint.ledger.emitted;
                    let start = Start {
                        position: checkpoint.position(),
                        ledger: checkpoint.ledger(),
                    };
                    journal.append(&Entry::Checkpoint(checkpoint))?;
                    self.open.archives.insert(self.list.inputs.len(), *open);
                    self.add_reading(target(config, number, &archive.shard, true), input, start);
                }
                (Task::TakeOver(report), Some(input)) => self.to_take_over.push(TakeOverTask {
                    number,
                    shard: archive.shard,
                    input,
                    report,
                }),
                (Task::Read | Task::Continue { .. } | Task::TakeOver(_), None) => {}
            }
            reports.push(archive.report);
        }
        Ok((reports, documents))
    }

    /// Takes over what another run has finished. The run must have begun. Archives that cannot be taken over are added
    /// to the list of archives to read.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn take_over(
        &mut self,
        other: &OtherRun,
        rules: &Rules,
        directory: &Directory,
        stop: &Stop,
    ) -> Result<(), DirectoryError> {
        let mut numbers = HashMap::new();
        let mut finished = Vec::new();
        for task in std::mem::take(&mut self.to_take_over) {
            if stop.requested() {
                break;
            }
            match other.take_over(&task.report, &task.shard, rules, directory)? {
                TakeOver::Done(report) => {
                    numbers.insert(report.path.clone(), task.number);
                    finished.push((task.number, *report));
                    continue;
                }
                TakeOver::Impossible => {}
                TakeOver::ChangedOutput(output) => self.report.changed_outputs.push(output),
            }
            let target = target(&rules.config, task.number, &task.shard, true);
            self.add_reading(target, task.input, Start::default());
        }
        if finished.iter().any(|(_, report)| report.ledger.is_damaged()) {
            other.failures(&mut |path, lines| match numbers.get(path) {
                Some(number) => self.add_failures(*number, lines, directory),
                None => Ok(()),
            })?;
        }
        for (number, report) in finished {
            self.open.journal.append_finish(number, &report, Vec::new())?;
            self.report.add_earlier_documents(report.ledger.emitted);
            self.report.taken_over += 1;
            self.report.archives[number] = report;
        }
        self.open.journal.sync()
    }

    /// Adds an archive that the run reads.
    fn add_reading(&mut self, target: Target, input: ArchiveInput, start: Start) {
        self.list.targets.push(target);
        self.list.inputs.push(input);
        self.list.starts.push(start);
    }
}

fn target(config: &Config, number: usize, shard: &str, is_resumable: bool) -> Target {
    Target {
        number,
        shard: shard_path(config, shard),
        is_resumable,
    }
}

/// Begins the journal: what the documents depend on, and the archives.
fn begin_journal(
    config: RunConfig<'_>,
    plan: &Plan,
    directory: &Directory,
    earlier: Option<&Earlier>,
    seen: Option<&SeenState>,
) -> Result<Journal, DirectoryError> {
    let mut journal = directory.create_journal()?;
    journal.append(&Entry::Begin(Begin {
        journal: journal::VERSION,
        program: PROGRAM.to_owned(),
        config: serde_json::to_value(config.config).unwrap_or_default(),
        config_hash: config.hash.to_owned(),
        seen: seen.cloned(),
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
    Ok(journal)
}
