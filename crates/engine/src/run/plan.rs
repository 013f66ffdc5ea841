//! The plan of a run: a task for each archive. This file gathers the facts, and `decision` has the rules.

use std::collections::HashSet;
use std::path::PathBuf;

use super::change::CurrentInput;
use super::decision::{self, Action, Change, EarlierOutcome};
use super::directory::{Directory, shard_path};
use super::earlier::{Earlier, EarlierArchive, EarlierProgress};
use super::error::{DirectoryError, DirectoryErrorKind};
use super::journal::OutputFile;
use super::open_archive::OpenArchive;
use super::options::RepeatOptions;
use super::other_run::OtherRun;
use super::planned::{PlannedArchive, Task};
use super::report::{ArchiveReport, ArchiveState, Report, archive_path};
use super::revisits;
use crate::config::Rules;
use crate::input::ArchiveInput;
use dehusk_archive::escape;

/// The tasks of a run.
pub(super) struct Plan {
    /// The archives of the run's list; then those that an earlier run finished and the list does not name.
    pub(super) archives: Vec<PlannedArchive>,
}

/// The facts that a plan depends on, besides the archives.
#[derive(Clone, Copy)]
pub(super) struct Planner<'p> {
    pub(super) rules: &'p Rules,
    pub(super) directory: &'p Directory,
    pub(super) repeat: RepeatOptions<'p>,
}

impl Planner<'_> {
    /// Plans a run in a directory without an earlier one.
    pub(super) fn first_run(self, inputs: &[ArchiveInput]) -> Plan {
        let archives = inputs.iter().map(|input| PlannedArchive::read(self.rules, input));
        Plan {
            archives: archives.collect(),
        }
    }

    /// Plans a run after an earlier one. Archives that the earlier run knows keep the names of their shards.
    /// `differences` are the changes that affect all documents.
    ///
    /// # Errors
    /// There are such differences, and they are not to be redone.
    pub(super) fn repeated_run(
        self,
        inputs: &mut [ArchiveInput],
        earlier: &Earlier,
        differences: Vec<String>,
    ) -> Result<Plan, DirectoryError> {
        let is_same = differences.is_empty();
        if !is_same && !self.repeat.redo {
            let kind = DirectoryErrorKind::Changed { differences };
            return Err(DirectoryError::new(self.directory.path(), kind));
        }
        keep_shard_names(inputs, earlier);
        let mut named = HashSet::new();
        let mut archives = Vec::new();
        for input in inputs.iter() {
            let path = archive_path(input.label());
            let known = earlier.archive(&path).filter(|_| is_same && named.insert(path));
            archives.push(match known {
                Some(known) => self.known_archive(input, known),
                None => PlannedArchive::read(self.rules, input),
            });
        }
        if self.rules.config.select.resolve_revisits {
            revisits::follow_originals(self.rules, self.repeat, inputs, earlier, &mut archives);
        }
        if is_same {
            let listed: HashSet<String> = archives.iter().map(|archive| archive.report.path.clone()).collect();
            let unlisted = earlier.archives.iter().filter(|known| !listed.contains(&known.path));
            archives.extend(unlisted.filter_map(kept_archive));
        }
        Ok(Plan { archives })
    }

    /// Plans an archive that an earlier run knows.
    fn known_archive(self, input: &ArchiveInput, earlier: &EarlierArchive) -> PlannedArchive {
        let mut new = PlannedArchive::read(self.rules, input);
        if matches!(earlier.progress, EarlierProgress::None) {
            return new;
        }
        let current = CurrentInput::ask(input, &self.rules.config, self.repeat.stop);
        new.report.unreachable = current.is_unreachable();
        let decide = |outcome, change: Option<&String>| {
            let change = match change {
                None => Change::None,
                Some(_) if current.is_gone() => Change::ChangedAndGone,
                Some(_) => Change::Changed,
            };
            decision::decide(outcome, change, self.repeat.redo)
        };
        let verify = self.repeat.verify;
        match &earlier.progress {
            EarlierProgress::None => new,
            EarlierProgress::Damaged => {
                let change = "its entries in the journal are damaged".to_owned();
                match decide(EarlierOutcome::Damaged, Some(&change)) {
                    Action::Refuse => new.refuse(earlier.input.as_ref(), change, None),
                    _ => new,
                }
            }
            EarlierProgress::Finished { report, files } => {
                let changed_output = changed_output(report, files, self.directory, verify);
                let unreachable = changed_output.is_none() && current.is_unreachable();
                let change = changed_output.or_else(|| current.change_since(report.input.as_ref(), None, verify));
                match decide(outcome(report), change.as_ref()) {
                    Action::Keep => PlannedArchive {
                        report: ArchiveReport {
                            unreachable,
                            changed: change.unwrap_or_default(),
                            ..(**report).clone()
                        },
                        shard: new.shard,
                        task: Task::Keep(files.clone()),
                    },
                    _ => new,
                }
            }
            EarlierProgress::Unfinished(checkpoint) => {
                let input_change = current.change_since(earlier.input.as_ref(), checkpoint.digest.as_ref(), verify);
                let resumed = match input_change {
                    Some(change) => Err(change),
                    None => {
                        let (output, shard) = (&self.rules.config.output, &new.report.shards[0]);
                        OpenArchive::resume(checkpoint, input, shard, output, self.directory).map_err(|e| e.to_string())
                    }
                };
                let (open, change) = match resumed {
                    Ok(open) => (Some(open), None),
                    Err(change) => (None, Some(change)),
                };
                match (decide(EarlierOutcome::Stopped, change.as_ref()), open) {
                    (Action::Continue, Some(open)) => new.resume(checkpoint, open),
                    (Action::Refuse, _) => {
                        let change = change.unwrap_or_default();
                        new.refuse(earlier.input.as_ref(), change, Some(checkpoint))
                    }
                    _ => new,
                }
            }
        }
    }
}

impl Plan {
    /// Takes archives over from another run instead of reading them.
    pub(super) fn take_over(
        &mut self,
        other: &OtherRun,
        inputs: &[ArchiveInput],
        rules: &Rules,
        repeat: RepeatOptions<'_>,
    ) {
        let finished = inputs.iter().map(|input| other.archive(input, rules, repeat));
        let mut finished: Vec<Option<&ArchiveReport>> = finished.collect();
        if rules.config.select.resolve_revisits {
            revisits::exclude_uncertain(&mut finished, other.paths());
        }
        for (archive, report) in self.archives.iter_mut().zip(finished) {
            let action = decision::take_over(archive.task.action(), report.is_some());
            if let (Action::TakeOver, Some(report)) = (action, report) {
                archive.task = Task::TakeOver(Box::new(report.clone()));
            }
        }
    }

    /// Plans no shards for the archives to read, because their documents go elsewhere.
    pub(super) fn write_no_shards(&mut self) {
        let read = |archive: &&mut PlannedArchive| matches!(archive.task, Task::Read);
        for archive in self.archives.iter_mut().filter(read) {
            archive.report.shards.clear();
        }
    }

    /// The report of an earlier run, if that has finished everything that is planned.
    pub(super) fn finished_report(&self, earlier: &Earlier) -> Option<Report> {
        let is_kept = |archive: &PlannedArchive| matches!(archive.task, Task::Keep(_));
        let mut report = earlier.complete.clone().filter(|_| self.archives.iter().all(is_kept))?;
        for planned in &self.archives {
            let place = earlier.place(&planned.report.path)?;
            report.archives[place].changed.clone_from(&planned.report.changed);
            report.archives[place].unreachable = planned.report.unreachable;
        }
        report.was_finished = true;
        Some(report)
    }

    /// The shards that the run may write.
    pub(super) fn shards(&self, rules: &Rules) -> Vec<PathBuf> {
        let is_written = |archive: &&PlannedArchive| {
            // Documents that go to a sink have no shard.
            !matches!(archive.task, Task::Keep(_) | Task::Refuse(_)) && !archive.report.shards.is_empty()
        };
        let written = self.archives.iter().filter(is_written);
        written
            .map(|archive| shard_path(&rules.config, &archive.shard))
            .collect()
    }
}

/// An archive that an earlier run finished and that the run's list does not name.
pub(super) fn kept_archive(known: &EarlierArchive) -> Option<PlannedArchive> {
    let EarlierProgress::Finished { report, files } = &known.progress else {
        return None;
    };
    Some(PlannedArchive {
        report: (**report).clone(),
        shard: known.shard.clone().unwrap_or_default(),
        task: Task::Keep(files.clone()),
    })
}

fn outcome(report: &ArchiveReport) -> EarlierOutcome {
    match report.state {
        ArchiveState::Failed if report.shards.is_empty() => EarlierOutcome::Failed,
        ArchiveState::Failed => EarlierOutcome::FailedWithOutput,
        _ => EarlierOutcome::Finished,
    }
}

/// A message about an output of a finished archive, if one is gone or has changed: its size, or with `verify` its
/// bytes.
fn changed_output(report: &ArchiveReport, files: &[OutputFile], directory: &Directory, verify: bool) -> Option<String> {
    if let Some(error) = files.iter().find_map(|file| directory.complete_output(file).err()) {
        return Some(error.to_string());
    }
    let changed = report.outputs().find_map(|output| {
        let name = escape::path(output);
        match (directory.size(output), report.output_bytes.get(output)) {
            (None, _) => Some(format!("its output {name} is gone")),
            (Some(now), Some(then)) if now != *then => Some(format!(
                "its output {name} has {now} bytes, and had {then} when it was written"
            )),
            _ => None,
        }
    });
    changed.or_else(|| {
        let mut written = report.output_sha256.iter().filter(|_| verify);
        written.find_map(|(output, then)| {
            let name = escape::path(output);
            match directory.sha256(output) {
                Ok(now) if now == *then => None,
                Ok(_) => Some(format!(
                    "the bytes of its output {name} are not those that were written (their SHA-256 is not that in \
                        run.json)"
                )),
                Err(e) => Some(format!("its output {name} cannot be read: {e}")),
            }
        })
    })
}

/// Gives archives that an earlier run knows the names that their shards have, and all others names that are free.
fn keep_shard_names(inputs: &mut [ArchiveInput], earlier: &Earlier) {
    let mut taken: HashSet<String> = earlier.shard_names().into_iter().map(str::to_owned).collect();
    let mut named = HashSet::new();
    for input in inputs {
        let path = archive_path(input.label());
        let known = earlier.archive(&path).and_then(|archive| archive.shard.clone());
        let known = known.filter(|_| named.insert(path));
        match known {
            Some(shard) => input.set_shard(shard),
            None => {
                let name = input.shard().to_owned();
                let mut number = 1;
                while !taken.insert(input.shard().to_owned()) {
                    number += 1;
                    input.set_shard(format!("{name}-{number}"));
                }
            }
        }
    }
}
