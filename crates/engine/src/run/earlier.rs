//! What an earlier run left in a directory: its report and, if it did not come to its end, its journal.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;

use super::directory::Directory;
use super::error::{DirectoryError, DirectoryErrorKind};
use super::failures::Lines;
use super::journal::{self, Checkpoint, Entry, Finish, OutputFile, ReadLine};
use super::plan::Plan;
use super::report::{ArchiveReport, PROGRAM, Report, RunState};
use super::seen::KnownSeen;
use crate::input::InputState;
use dehusk_documents::document::RunSchema;
use dehusk_documents::store::PayloadKey;

/// What an earlier run left.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// Name and version of the program.
    pub(super) program: String,
    pub(super) config: Value,
    pub(super) config_hash: String,
    /// The keys of its documents.
    pub(super) schema: RunSchema,
    /// Where its documents went, if not to shards.
    pub(super) sink: String,
    /// Its report, if it is of this version and came to its end.
    pub(super) complete: Option<Report>,
    pub(super) archives: Vec<EarlierArchive>,
    /// The places of the archives, by path.
    by_path: HashMap<String, usize>,
    /// How many lines of the journal are not as they were written.
    pub(super) damaged_lines: u64,
    /// What it knew of the store of payloads.
    pub(super) seen: Option<KnownSeen>,
    /// How long it took, with those that it went on from, as far as it has told.
    pub(super) seconds: f64,
}

/// An archive of an earlier run.
#[derive(Debug)]
pub(super) struct EarlierArchive {
    /// As `run.json` names it.
    pub(super) path: String,
    /// The name of its shard, if it has one.
    pub(super) shard: Option<String>,
    /// What its file was.
    pub(super) input: Option<InputState>,
    pub(super) progress: EarlierProgress,
    /// How many of its lines of `failed.jsonl` count.
    failures: u64,
    /// How many of its payloads count.
    payloads: u64,
}

/// Takes payloads of the archive with a path.
type TakePayloads<'t> = dyn FnMut(&str, &[PayloadKey]) -> Result<(), DirectoryError> + 't;

/// How far an earlier run came with an archive.
#[derive(Debug)]
pub(super) enum EarlierProgress {
    /// It began nothing that can be gone on with.
    None,
    Unfinished(Box<Checkpoint>),
    Finished {
        report: Box<ArchiveReport>,
        /// Its outputs. Empty if the whole run was finished, because they all have their names then.
        files: Vec<OutputFile>,
    },
    /// Its entries in the journal do not fit together.
    Damaged,
}

impl Earlier {
    /// Reads what an earlier run left in this directory; `None` if there was none.
    ///
    /// # Errors
    /// The report is not of this program, or it or the journal cannot be read.
    pub(super) fn read(directory: &Directory) -> Result<Option<Self>, DirectoryError> {
        let Some(json) = directory.read_report()? else {
            return Ok(None);
        };
        let foreign = || DirectoryError::new(directory.path(), DirectoryErrorKind::ForeignReport);
        let value: Value = serde_json::from_slice(&json).map_err(|_| foreign())?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let mut earlier = Self {
            program: text("program"),
            config: value["config"].clone(),
            config_hash: text("config_hash"),
            schema: serde_json::from_value(value["schema"].clone()).unwrap_or_default(),
            sink: text("sink"),
            seen: KnownSeen::in_report(&value),
            ..Self::default()
        };
        if earlier.program != PROGRAM {
            // What its keys mean is unknown.
            return Ok(Some(earlier));
        }
        let report = Report::from_value(value, directory.path())?;
        if report.state == RunState::Complete {
            report.archives.iter().for_each(|archive| earlier.add_finished(archive));
            earlier.seconds = report.timing.all_seconds();
            earlier.complete = Some(report);
        } else {
            earlier.read_journal(directory)?;
        }
        Ok(Some(earlier))
    }

    /// What a report tells.
    pub(super) fn from_report(report: Report) -> Self {
        let mut earlier = Self::default();
        report.archives.iter().for_each(|archive| earlier.add_finished(archive));
        earlier
    }

    /// An archive that the run finished, by its path in `run.json`.
    pub(super) fn finished_archive(&self, path: &str) -> Option<(&EarlierArchive, &ArchiveReport)> {
        let archive = self.archive(path)?;
        match &archive.progress {
            EarlierProgress::Finished { report, .. } => Some((archive, report)),
            _ => None,
        }
    }

    /// An archive by its path in `run.json`.
    pub(super) fn archive(&self, path: &str) -> Option<&EarlierArchive> {
        self.by_path.get(path).map(|at| &self.archives[*at])
    }

    /// The names of all shards.
    pub(super) fn shard_names(&self) -> HashSet<&str> {
        self.archives
            .iter()
            .filter_map(|archive| archive.shard.as_deref())
            .collect()
    }

    fn add_finished(&mut self, report: &ArchiveReport) {
        self.by_path.insert(report.path.clone(), self.archives.len());
        self.archives.push(EarlierArchive {
            path: report.path.clone(),
            shard: report.shards.first().and_then(|shard| name_of(shard)),
            input: report.input.clone(),
            progress: EarlierProgress::Finished {
                report: Box::new(report.clone()),
                files: Vec::new(),
            },
            failures: u64::MAX,
            payloads: 0,
        });
    }

    fn read_journal(&mut self, directory: &Directory) -> Result<(), DirectoryError> {
        let (file, path) = directory.read_journal()?;
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        // The lines of `failed.jsonl` that were read so far.
        let mut lines: HashMap<usize, u64> = HashMap::new();
        let mut payloads: HashMap<usize, u64> = HashMap::new();
        for line in journal::read(file, &path) {
            let entry = match line? {
                ReadLine::Entry(entry) => entry,
                ReadLine::Damaged => {
                    self.damaged_lines += 1;
                    continue;
                }
            };
            match entry {
                Entry::Begin(begin) => {
                    self.config = begin.config;
                    self.config_hash = begin.config_hash;
                    self.seen = begin.seen.map(KnownSeen::from);
                    if begin.journal != journal::VERSION {
                        self.program = format!("{} with journal {}", begin.program, begin.journal);
                    }
                }
                Entry::Time(time) => self.seconds = time.seconds,
                Entry::Archive(archive) => {
                    numbers.insert(archive.number, self.archives.len());
                    self.by_path.insert(archive.path.clone(), self.archives.len());
                    self.archives.push(EarlierArchive {
                        path: archive.path,
                        shard: Some(archive.shard),
                        input: archive.input,
                        progress: EarlierProgress::None,
                        failures: 0,
                        payloads: 0,
                    });
                }
                Entry::Failures(failures) => {
                    let before = lines.entry(failures.number).or_default();
                    match *before == failures.before {
                        true => *before += failures.lines.matches('\n').count() as u64,
                        false => self.set(&numbers, failures.number, (0, 0), EarlierProgress::Damaged),
                    }
                }
                Entry::Payloads(entry) => {
                    let before = payloads.entry(entry.number).or_default();
                    match *before == entry.before {
                        true => *before += entry.count(),
                        false => self.set(&numbers, entry.number, (0, 0), EarlierProgress::Damaged),
                    }
                }
                // Whether it was added, only the store knows.
                Entry::Seen(entry) => {
                    if let Some(seen) = &mut self.seen {
                        seen.announced.push(entry);
                    }
                }
                Entry::Checkpoint(checkpoint) => {
                    let known = numbers
                        .get(&checkpoint.number)
                        .and_then(|at| self.archives.get_mut(*at));
                    if let (Some(archive), Some(input)) = (known, &checkpoint.input) {
                        archive.input = Some(input.clone());
                    }
                    let number = checkpoint.number;
                    let counts = (checkpoint.failures, checkpoint.payloads);
                    let progress = match has(&lines, number, counts.0) && has(&payloads, number, counts.1) {
                        true => EarlierProgress::Unfinished(checkpoint),
                        false => EarlierProgress::Damaged,
                    };
                    self.set(&numbers, number, counts, progress);
                }
                Entry::Finish(finish) => {
                    let Finish {
                        number,
                        report,
                        failures,
                        payloads: emitted,
                        files,
                    } = *finish;
                    let report = Box::new(report);
                    let progress = match has(&lines, number, failures) && has(&payloads, number, emitted) {
                        true => EarlierProgress::Finished { report, files },
                        false => EarlierProgress::Damaged,
                    };
                    self.set(&numbers, number, (failures, emitted), progress);
                }
            }
        }
        Ok(())
    }

    /// Enters how far an archive is, unless its entries are damaged.
    fn set(
        &mut self,
        numbers: &HashMap<usize, usize>,
        number: usize,
        (failures, payloads): (u64, u64),
        progress: EarlierProgress,
    ) {
        let Some(archive) = numbers.get(&number).and_then(|at| self.archives.get_mut(*at)) else {
            return;
        };
        if !matches!(archive.progress, EarlierProgress::Damaged) {
            (archive.progress, archive.failures, archive.payloads) = (progress, failures, payloads);
        }
    }

    /// The report of the earlier run, if it had finished all that is planned now.
    pub(super) fn finished(&self, plan: &Plan) -> Option<Report> {
        let mut report = self.complete.clone().filter(|_| plan.is_finished())?;
        for planned in &plan.archives {
            let known = self.by_path.get(&planned.report.path)?;
            report.archives[*known].changed.clone_from(&planned.report.changed);
            report.archives[*known].unreachable = planned.report.unreachable;
        }
        report.was_finished = true;
        Some(report)
    }

    /// Gives each piece of the lines of `failed.jsonl` that count to `take`, with the path of its archive.
    ///
    /// # Errors
    /// They cannot be read, or `take` fails.
    pub(super) fn failures(
        &self,
        directory: &Directory,
        take: &mut dyn FnMut(&str, Lines<'_>) -> Result<(), DirectoryError>,
    ) -> Result<(), DirectoryError> {
        if self.complete.is_some() {
            return directory.read_failures(take);
        }
        self.told(directory, &mut |archive, entry| {
            let Entry::Failures(failures) = entry else {
                return Ok(());
            };
            let left = archive.failures.saturating_sub(failures.before);
            let lines = Lines::first(&failures.lines, left);
            match lines.count {
                0 => Ok(()),
                _ => take(&archive.path, lines),
            }
        })
    }

    /// Gives the payloads that count to `take`, some at a time, with the path of their archive. Of a run that was complete there are
    /// none, because the store has them.
    ///
    /// # Errors
    /// As [`Earlier::failures`].
    pub(super) fn payloads(&self, directory: &Directory, take: &mut TakePayloads<'_>) -> Result<(), DirectoryError> {
        if self.complete.is_some() || self.seen.is_none() {
            return Ok(());
        }
        self.told(directory, &mut |archive, entry| {
            let Entry::Payloads(entry) = entry else { return Ok(()) };
            let left = archive.payloads.saturating_sub(entry.before);
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            let payloads: Vec<PayloadKey> = entry.payloads().take(left).collect();
            match payloads.is_empty() {
                true => Ok(()),
                false => take(&archive.path, &payloads),
            }
        })
    }

    /// Reads the entries of the journal that tell of an archive's failures and payloads.
    fn told(
        &self,
        directory: &Directory,
        take: &mut dyn FnMut(&EarlierArchive, &Entry) -> Result<(), DirectoryError>,
    ) -> Result<(), DirectoryError> {
        let (file, path) = directory.read_journal()?;
        let mut numbers: HashMap<usize, &EarlierArchive> = HashMap::new();
        for line in journal::read(file, &path) {
            let ReadLine::Entry(entry) = line? else { continue };
            let number = match &entry {
                Entry::Archive(archive) => {
                    if let Some(known) = self.archive(&archive.path) {
                        numbers.insert(archive.number, known);
                    }
                    continue;
                }
                Entry::Failures(failures) => failures.number,
                Entry::Payloads(payloads) => payloads.number,
                _ => continue,
            };
            if let Some(archive) = numbers.get(&number) {
                take(archive, &entry)?;
            }
        }
        Ok(())
    }
}

/// Whether the journal has so many of an archive.
fn has(told: &HashMap<usize, u64>, number: usize, count: u64) -> bool {
    told.get(&number).copied().unwrap_or_default() >= count
}

/// The name of a shard, without its endings.
fn name_of(shard: &Path) -> Option<String> {
    let name = shard.file_name().map(OsStr::to_string_lossy)?;
    let name = [".zst", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    let name = dehusk_documents::encode::OutputFormat::ALL
        .iter()
        .find_map(|format| name.strip_suffix(format.extension())?.strip_suffix('.'));
    name.map(str::to_owned)
}
