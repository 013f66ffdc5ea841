//! The report of a run, as `run.json` holds it. Its keys are a contract: see `docs/ledger.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::{Config, Rules};
use crate::input::InputState;
use crate::ledger::Ledger;
use crate::pipeline::ArchiveOutcome;
use dehusk_archive::{Bytes, escape};
use dehusk_documents::clock::now;
use dehusk_documents::document::RunSchema;
use dehusk_documents::store::SeenState;
use dehusk_documents::unreachable::is_unreachable;

/// Name and version of this program.
pub(super) const PROGRAM: &str = concat!("dehusk ", env!("CARGO_PKG_VERSION"));

/// The configuration of a run, as its account has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunConfig<'m> {
    pub(super) config: &'m Config,
    /// The hash of the settings that can change a document.
    pub(super) hash: &'m str,
    pub(super) schema: &'m RunSchema,
}

/// The name of an archive in `run.json` and `failed.jsonl`: as it was given to the run; a byte that is not UTF-8 is
/// `\xNN`.
pub(super) fn archive_path(label: &Path) -> String {
    escape::name(label.as_os_str()).into_owned()
}

impl<'m> From<&'m Rules> for RunConfig<'m> {
    fn from(rules: &'m Rules) -> Self {
        Self {
            config: &rules.config,
            hash: &rules.hash,
            schema: &rules.schema,
        }
    }
}

/// The report of a run: what became of every archive, record and byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Name and version of the program.
    pub program: String,
    /// Hash of the configuration, as far as it can change a document.
    pub config_hash: String,
    /// The whole configuration, defaults included.
    pub config: Config,
    /// The keys of the run's documents.
    #[serde(default)]
    pub schema: RunSchema,
    /// The run's state.
    pub state: RunState,
    /// The exit status of the execution that wrote the report; `None` while it is active.
    #[serde(default, rename = "exit_status", skip_serializing_if = "Option::is_none")]
    ended_with: Option<u8>,
    /// Why the output failed; empty if it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Files in the directories of the run's list that were skipped because their names mark them as not finished.
    #[serde(default)]
    pub inputs_skipped: u64,
    /// Which part of the list the run is for, such as `2/8`; empty if it is for all of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// With fewer documents, the exit status is 4; 0 if any number is enough.
    #[serde(default, skip_serializing_if = "is_none_asked")]
    pub at_least: u64,
    /// Where the documents went, if not to shards: the name of the caller's sink.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sink: String,
    /// The part of the store of payloads that the run saw, and its additions; only if it uses a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<SeenState>,
    /// The archives, in the order of the run's list.
    pub archives: Vec<ArchiveReport>,
    /// All archives together.
    pub totals: Totals,
    /// How long the run took.
    pub timing: Timing,
    /// Outputs of an earlier run in the same directory that this run did not replace or remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<PathBuf>,
    /// Whether an earlier run of the same command had finished everything already, so that there was nothing to do. Not
    /// part of `run.json`.
    #[serde(skip)]
    pub was_finished: bool,
    /// How many archives were taken over from another run. Not part of `run.json`.
    #[serde(skip)]
    pub taken_over: u64,
    /// Outputs of another run from which an archive was not taken over but read, because their bytes have changed since
    /// they were written. Not part of `run.json`.
    #[serde(skip)]
    pub changed_outputs: Vec<PathBuf>,
    /// How many lines of an unfinished run's journal were damaged, so that this run resumed from the whole ones. Not
    /// part of `run.json`.
    #[serde(skip)]
    pub damaged_journal_lines: u64,
    /// Documents of earlier runs, which do not count for the speed of this one.
    #[serde(skip)]
    earlier_documents: u64,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunState {
    /// The run is active, or was killed.
    Running,
    /// The run went through all archives, whatever became of each.
    Complete,
    /// The run was stopped early.
    Interrupted,
    /// The output failed.
    Failed,
}

/// The state of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ArchiveState {
    /// It is not finished yet.
    Pending,
    /// It was read to its end; nothing failed and no byte was skipped.
    Complete,
    /// It was read to its end; something failed or was skipped.
    Damaged,
    /// It was not read, or not to its end, or its output was not written.
    Failed,
    /// The run was stopped before the archive's end.
    Interrupted,
}

/// The account of one archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArchiveReport {
    /// The archive, as it was named to the run; a byte that is not UTF-8 is `\xNN`.
    pub path: String,
    /// Stored size in bytes, as far as it was read.
    pub bytes: u64,
    /// The archive's state.
    pub state: ArchiveState,
    /// Why it failed; empty if it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Its output files, relative to the run directory; none if it has no document. While it is pending, the files that
    /// it may get.
    pub shards: Vec<PathBuf>,
    /// Its files in the quarantine, relative to the run directory; none if nothing was to be kept, or nothing failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quarantine: Vec<PathBuf>,
    /// The archives of its chosen records and their indexes, relative to the run directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<PathBuf>,
    /// The sizes of its outputs in bytes, once they are written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub output_bytes: BTreeMap<PathBuf, u64>,
    /// The SHA-256 of the bytes of its outputs, once they are written. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub output_sha256: BTreeMap<PathBuf, String>,
    /// The outputs that are written in part, relative to the run directory, if the run stopped
    /// before the archive's end and can be resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<PathBuf>,
    /// The state of its file when it was read; absent for a stream and for a file that was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<InputState>,
    /// Whether it failed, or could not be compared, because a network or a server did not answer. The same command may
    /// succeed later.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unreachable: bool,
    /// How its file has changed since the run of this account; empty if it has not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changed: String,
    /// The account of its records and bytes.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// Ends the error of an archive that only failed because the run did.
const RUN_FAILED: &str = "was not written, because the run failed";

/// The sums over all archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// Number of archives.
    pub archives: u64,
    /// Stored bytes.
    pub bytes: u64,
    /// The account of all records and bytes.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// How long a run took: the execution that wrote the report, and those that it resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timing {
    /// When the execution started, in UTC.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// When it ended, in UTC; empty while it is active.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ended: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Documents per second.
    pub pages_per_second: f64,
    /// Wall-clock seconds of the executions that this one resumed, as far as they are known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier_seconds: f64,
}

impl Timing {
    /// Wall-clock seconds of all executions of the run.
    pub fn all_seconds(&self) -> f64 {
        self.seconds + self.earlier_seconds
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_none_asked(documents: &u64) -> bool {
    *documents == 0
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

impl Report {
    /// The report of a run that begins, with its archives as far as they are known.
    pub(super) fn new(run: RunConfig<'_>, archives: Vec<ArchiveReport>, earlier: Vec<PathBuf>) -> Self {
        Self {
            program: PROGRAM.to_owned(),
            config_hash: run.hash.to_owned(),
            config: run.config.clone(),
            schema: run.schema.clone(),
            state: RunState::Running,
            ended_with: None,
            error: String::new(),
            inputs_skipped: 0,
            part: String::new(),
            at_least: 0,
            sink: String::new(),
            seen: None,
            earlier_documents: archives.iter().map(|archive| archive.ledger.emitted).sum(),
            archives,
            totals: Totals::default(),
            timing: Timing {
                started: now(),
                ..Timing::default()
            },
            earlier,
            was_finished: false,
            taken_over: 0,
            changed_outputs: Vec::new(),
            damaged_journal_lines: 0,
        }
    }

    /// Enters how many documents of unfinished archives an earlier run made.
    pub(super) fn add_earlier_documents(&mut self, count: u64) {
        self.earlier_documents += count;
    }

    /// Completes the report at the end of the run.
    pub(super) fn close(&mut self, elapsed: Duration) {
        for archive in &mut self.archives {
            if archive.state == ArchiveState::Pending {
                match self.state {
                    RunState::Failed => archive.lose_output(),
                    _ => archive.give_up(ArchiveState::Interrupted, String::new()),
                }
            }
            self.totals.archives += 1;
            self.totals.bytes += archive.bytes;
            self.totals.ledger.add(&archive.ledger);
        }
        let seconds = elapsed.as_secs_f64();
        let documents = self.totals.ledger.emitted.saturating_sub(self.earlier_documents);
        self.timing.ended = now();
        self.timing.seconds = seconds;
        self.timing.pages_per_second = documents as f64 / seconds.max(1e-9);
        if self.state == RunState::Running {
            let is_interrupted = |a: &ArchiveReport| a.state == ArchiveState::Interrupted;
            self.state = if self.archives.iter().any(is_interrupted) {
                RunState::Interrupted
            } else {
                RunState::Complete
            };
        }
        self.ended_with = Some(self.exit_status());
    }

    /// Enters that the output failed. The first reason stays.
    pub(super) fn fail(&mut self, error: String) {
        self.state = RunState::Failed;
        if self.error.is_empty() {
            self.error = error;
        }
        // A failure after the end of the run changes its exit status.
        if self.ended_with.is_some() {
            self.ended_with = Some(self.exit_status());
        }
    }

    /// The exit status of the program after this run: 0, 1, 3, 4, 5 or 130. `docs/operate.md` explains each.
    pub fn exit_status(&self) -> u8 {
        let any = |state| self.archives.iter().any(|a| a.state == state);
        match self.state {
            RunState::Failed => 1,
            // One that was refused because it has changed is not finished, but it was not interrupted.
            RunState::Interrupted if self.archives.iter().any(ArchiveReport::was_interrupted) => 130,
            _ if self.archives.iter().any(|a| a.is_lost() && !a.unreachable) => 1,
            _ if self.archives.iter().any(ArchiveReport::is_lost) => 5,
            _ if self.totals.ledger.emitted < self.at_least => 4,
            _ if any(ArchiveState::Damaged) => 3,
            _ => 0,
        }
    }
}

impl ArchiveReport {
    /// The account of an archive that was read without a run directory.
    #[doc(hidden)]
    pub fn of_outcome(archive: &Path, outcome: ArchiveOutcome) -> Self {
        let mut report = Self::pending(archive_path(archive), archive);
        report.enter(outcome, None);
        report
    }

    /// An archive that is not read yet. `shard` is its output file.
    pub(super) fn pending(path: String, shard: &Path) -> Self {
        Self {
            path,
            bytes: 0,
            state: ArchiveState::Pending,
            error: String::new(),
            shards: vec![shard.to_owned()],
            quarantine: Vec::new(),
            records: Vec::new(),
            output_bytes: BTreeMap::new(),
            output_sha256: BTreeMap::new(),
            partial: Vec::new(),
            input: None,
            unreachable: false,
            changed: String::new(),
            ledger: Ledger::default(),
        }
    }

    /// Enters that the archive has no output. Nothing that was read of it counts; another run has to read it again, or
    /// to resume it.
    pub(super) fn give_up(&mut self, state: ArchiveState, error: String) {
        *self = Self {
            path: std::mem::take(&mut self.path),
            bytes: 0,
            state,
            error,
            shards: Vec::new(),
            quarantine: Vec::new(),
            records: Vec::new(),
            output_bytes: BTreeMap::new(),
            output_sha256: BTreeMap::new(),
            partial: std::mem::take(&mut self.partial),
            input: self.input.take(),
            unreachable: self.unreachable,
            changed: std::mem::take(&mut self.changed),
            ledger: Ledger::default(),
        };
    }

    /// Its shards, its files in the quarantine, and its chosen records.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.shards.iter().chain(&self.quarantine).chain(&self.records)
    }

    /// Whether it could not be read, or is no longer what was read.
    fn is_lost(&self) -> bool {
        self.state == ArchiveState::Failed || !self.changed.is_empty()
    }

    /// Whether the run was stopped before the archive's end.
    fn was_interrupted(&self) -> bool {
        self.state == ArchiveState::Interrupted && self.changed.is_empty()
    }

    /// Enters that the archive has no output because the run failed.
    pub(super) fn lose_output(&mut self) {
        let error = format!("{}: {RUN_FAILED}", self.path);
        self.give_up(ArchiveState::Failed, error);
    }

    /// Returns whether the archive only failed because the run did.
    pub fn lost_output(&self) -> bool {
        self.error.ends_with(RUN_FAILED)
    }

    /// Enters the outcome of an archive that was read.
    pub(super) fn enter(&mut self, outcome: ArchiveOutcome, shard: Option<&Path>) {
        (self.bytes, self.ledger) = (outcome.size, outcome.ledger);
        // Only needed for the check, and not in `run.json`, from which the same account reads back.
        self.ledger.bytes = Bytes::default();
        self.state = match &outcome.error {
            Some(_) => ArchiveState::Failed,
            None if self.ledger.is_damaged() => ArchiveState::Damaged,
            None => ArchiveState::Complete,
        };
        self.unreachable = outcome.error.as_ref().is_some_and(|e| is_unreachable(&**e));
        self.error = outcome.error.map(|e| e.to_string()).unwrap_or_default();
        self.shards = shard.map(Path::to_owned).into_iter().collect();
        self.partial = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigError;
    use crate::reason::Notes;

    #[test]
    fn a_run_whose_account_does_not_close_ends_with_status_1() -> Result<(), ConfigError> {
        let rules = Rules::new(&Config::default())?;
        for (size, status) in [(10, 0), (11, 1)] {
            let archive = ArchiveReport::pending("a.warc".to_owned(), Path::new("documents/a"));
            let mut report = Report::new(RunConfig::from(&rules), vec![archive], Vec::new());
            let mut outcome = ArchiveOutcome {
                size,
                ..ArchiveOutcome::default()
            };
            outcome.ledger.emit(Notes::default());
            outcome.ledger.bytes.framed = 10;
            outcome.check(Path::new("a.warc"));
            report.archives[0].enter(outcome, None);
            report.close(Duration::from_secs(1));
            assert_eq!(report.exit_status(), status, "{report:?}");
            assert_eq!(report.archives[0].error.contains("does not close"), status == 1);
        }
        Ok(())
    }
}
