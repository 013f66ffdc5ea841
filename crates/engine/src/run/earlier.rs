//! The records of an earlier run in a directory: its report and, if it did not end, its journal.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;

use super::directory::Directory;
use super::error::{DirectoryError, DirectoryErrorKind};
use super::failures;
use super::journal::{self, Checkpoint, Entry, EntryCounts, Lines, OutputFile, ReadLine};
use super::report::{ArchiveReport, PROGRAM, Report, RunState};
use crate::input::InputState;
use dehusk_documents::document::RunSchema;
use dehusk_documents::encode::OutputFormat;
use dehusk_documents::store::{PayloadKey, SeenEntry, SeenState};

/// The report and the journal of an earlier run.
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
    /// Its report, if it is of this version and the run ended.
    pub(super) complete: Option<Report>,
    pub(super) archives: Vec<EarlierArchive>,
    /// The places of the archives, by path.
    by_path: HashMap<String, usize>,
    /// How many lines of the journal are not as they were written.
    pub(super) damaged_lines: u64,
    /// Its state of the store of payloads.
    pub(super) seen: Option<KnownSeen>,
    /// How many seconds it took, with the runs that it resumed, as far as it has recorded them.
    pub(super) seconds: f64,
}

/// An archive of an earlier run.
#[derive(Debug)]
pub(super) struct EarlierArchive {
    /// As `run.json` names it.
    pub(super) path: String,
    /// The name of its shard, if it has one.
    pub(super) shard: Option<String>,
    /// The state of its file.
    pub(super) input: Option<InputState>,
    pub(super) progress: EarlierProgress,
    /// How many of its failures and payloads in the journal count.
    counts: EntryCounts,
}

/// How far an earlier run came with an archive.
#[derive(Debug)]
pub(super) enum EarlierProgress {
    /// It began nothing that can be continued.
    None,
    Unfinished(Box<Checkpoint>),
    Finished {
        report: Box<ArchiveReport>,
        /// Its outputs. Empty if the whole run was finished, because they all have their names then.
        files: Vec<OutputFile>,
    },
    /// Its entries in the journal contradict each other.
    Damaged,
}

/// The last run's state of the store of payloads.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownSeen {
    /// The part of the store that it saw, and its additions.
    pub(super) state: SeenState,
    /// Additions that it had announced when it ended. Only the store knows whether they were made.
    pub(super) announced: Vec<SeenEntry>,
}

impl From<SeenState> for KnownSeen {
    fn from(state: SeenState) -> Self {
        Self {
            state,
            announced: Vec::new(),
        }
    }
}

impl KnownSeen {
    /// The state in a `run.json`; `None` if its run used no store.
    pub(super) fn in_report(report: &Value) -> Option<Self> {
        let state: SeenState = serde_json::from_value(report["seen"].clone()).ok()?;
        Some(state.into())
    }
}

/// Takes lines of `failed.jsonl`, with the path of their archive.
pub(super) type TakeLines<'t> = dyn FnMut(&str, Lines<'_>) -> Result<(), DirectoryError> + 't;

/// Takes payloads, with the path of their archive.
type TakePayloads<'t> = dyn FnMut(&str, &[PayloadKey]) -> Result<(), DirectoryError> + 't;

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
            // The meaning of its keys is unknown.
            return Ok(Some(earlier));
        }
        let report = Report::from_value(value, directory.path())?;
        if report.state == RunState::Complete {
            report.archives.iter().for_each(|archive| earlier.add_finished(archive));
            earlier.seconds = report.timing.all_seconds();
            earlier.complete = Some(report);
        } else {
            earlier.replay_journal(directory)?;
        }
        Ok(Some(earlier))
    }

    /// The archives of a report.
    pub(super) fn from_report(report: &Report) -> Self {
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
        self.place(path).map(|at| &self.archives[at])
    }

    /// The place of an archive in the list.
    pub(super) fn place(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The names of all shards.
    pub(super) fn shard_names(&self) -> HashSet<&str> {
        let names = self.archives.iter().filter_map(|archive| archive.shard.as_deref());
        names.collect()
    }

    fn add(&mut self, archive: EarlierArchive) {
        self.by_path.insert(archive.path.clone(), self.archives.len());
        self.archives.push(archive);
    }

    fn add_finished(&mut self, report: &ArchiveReport) {
        self.add(EarlierArchive {
            path: report.path.clone(),
            shard: report.shards.first().and_then(|shard| shard_name(shard)),
            input: report.input.clone(),
            progress: EarlierProgress::Finished {
                report: Box::new(report.clone()),
                files: Vec::new(),
            },
            counts: EntryCounts {
                failures: u64::MAX,
                payloads: 0,
            },
        });
    }

    /// Reads the journal of a run that did not end.
    fn replay_journal(&mut self, directory: &Directory) -> Result<(), DirectoryError> {
        let (file, path) = directory.read_journal()?;
        let mut replay = Replay {
            earlier: self,
            places: HashMap::new(),
            counts: HashMap::new(),
        };
        for line in journal::read(file, &path) {
            match line? {
                ReadLine::Entry(entry) => replay.add(entry),
                ReadLine::Damaged => replay.earlier.damaged_lines += 1,
            }
        }
        Ok(())
    }

    /// Gives the lines of `failed.jsonl` that count to `take`, some at a time.
    ///
    /// # Errors
    /// They cannot be read, or `take` fails.
    pub(super) fn failures(&self, directory: &Directory, take: &mut TakeLines<'_>) -> Result<(), DirectoryError> {
        if self.complete.is_some() {
            let (file, path) = directory.read_failures()?;
            return failures::read(file, &path, take);
        }
        self.archive_entries(directory, &mut |archive, entry| {
            if let Entry::Failures(failures) = entry {
                let left = archive.counts.failures.saturating_sub(failures.before);
                let lines = Lines::first(&failures.lines, left);
                if lines.count > 0 {
                    return take(&archive.path, lines);
                }
            }
            Ok(())
        })
    }

    /// Gives the payloads that count to `take`, some at a time. A run that was complete has none, because the store has
    /// them.
    ///
    /// # Errors
    /// They cannot be read, or `take` fails.
    pub(super) fn payloads(&self, directory: &Directory, take: &mut TakePayloads<'_>) -> Result<(), DirectoryError> {
        if self.complete.is_some() || self.seen.is_none() {
            return Ok(());
        }
        self.archive_entries(directory, &mut |archive, entry| {
            if let Entry::Payloads(entry) = entry {
                let left = archive.counts.payloads.saturating_sub(entry.before);
                let left = usize::try_from(left).unwrap_or(usize::MAX);
                let payloads: Vec<PayloadKey> = entry.payloads().take(left).collect();
                if !payloads.is_empty() {
                    return take(&archive.path, &payloads);
                }
            }
            Ok(())
        })
    }

    /// Reads the journal's failures and payloads of archives.
    fn archive_entries(
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

/// Goes through the entries of a journal in order.
struct Replay<'e> {
    earlier: &'e mut Earlier,
    /// The places of archives in the list, by their numbers in the journal.
    places: HashMap<usize, usize>,
    /// How many entries of each archive were read so far.
    counts: HashMap<usize, EntryCounts>,
}

impl Replay<'_> {
    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Begin(begin) => {
                self.earlier.config = begin.config;
                self.earlier.config_hash = begin.config_hash;
                self.earlier.seen = begin.seen.map(KnownSeen::from);
                if begin.journal != journal::VERSION {
                    self.earlier.program = format!("{} with journal {}", begin.program, begin.journal);
                }
            }
            Entry::Time(time) => self.earlier.seconds = time.seconds,
            Entry::Archive(archive) => {
                self.places.insert(archive.number, self.earlier.archives.len());
                self.earlier.add(EarlierArchive {
                    path: archive.path,
                    shard: Some(archive.shard),
                    input: archive.input,
                    progress: EarlierProgress::None,
                    counts: EntryCounts::default(),
                });
            }
            Entry::Failures(failures) => {
                let read = &mut self.counts.entry(failures.number).or_default().failures;
                if *read == failures.before {
                    *read += failures.lines.matches('\n').count() as u64;
                } else {
                    self.set(failures.number, EntryCounts::default(), EarlierProgress::Damaged);
                }
            }
            Entry::Payloads(payloads) => {
                let read = &mut self.counts.entry(payloads.number).or_default().payloads;
                if *read == payloads.before {
                    *read += payloads.count();
                } else {
                    self.set(payloads.number, EntryCounts::default(), EarlierProgress::Damaged);
                }
            }
            Entry::Seen(entry) => {
                if let Some(seen) = &mut self.earlier.seen {
                    seen.announced.push(entry);
                }
            }
            Entry::Checkpoint(checkpoint) => {
                let number = checkpoint.number;
                if let (Some(archive), Some(input)) = (self.archive(number), &checkpoint.input) {
                    archive.input = Some(input.clone());
                }
                let counts = EntryCounts {
                    failures: checkpoint.failures,
                    payloads: checkpoint.payloads,
                };
                self.set(number, counts, EarlierProgress::Unfinished(checkpoint));
            }
            Entry::Finish(finish) => {
                let counts = EntryCounts {
                    failures: finish.failures,
                    payloads: finish.payloads,
                };
                let report = Box::new(finish.report);
                let files = finish.files;
                self.set(finish.number, counts, EarlierProgress::Finished { report, files });
            }
        }
    }

    fn archive(&mut self, number: usize) -> Option<&mut EarlierArchive> {
        self.earlier.archives.get_mut(*self.places.get(&number)?)
    }

    /// Enters how far an archive is. It is damaged if the journal lacks some of what it has counted, and stays so.
    fn set(&mut self, number: usize, counts: EntryCounts, progress: EarlierProgress) {
        let read = self.counts.get(&number).copied().unwrap_or_default();
        let is_whole = read.failures >= counts.failures && read.payloads >= counts.payloads;
        let Some(archive) = self.archive(number) else { return };
        if !matches!(archive.progress, EarlierProgress::Damaged) {
            archive.counts = counts;
            archive.progress = if is_whole { progress } else { EarlierProgress::Damaged };
        }
    }
}

/// The name of a shard, without its endings.
fn shard_name(shard: &Path) -> Option<String> {
    let name = shard.file_name().map(OsStr::to_string_lossy)?;
    let mut compressions = [".zst", ".gz"].iter();
    let name = compressions
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    let mut formats = OutputFormat::ALL.iter();
    let name = formats.find_map(|format| name.strip_suffix(format.extension())?.strip_suffix('.'));
    name.map(str::to_owned)
}
