//! The run's account, as `run.json` holds it. Its keys are a contract.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::archive::Bytes;
use crate::config::{Config, Rules};
use crate::escape;
use crate::input::ArchiveInput;
use crate::ledger::Ledger;
use crate::pipeline::ArchiveOutcome;

/// A run's account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Name and version of the program.
    pub program: String,
    /// Hash of all of the configuration that can change a document.
    pub config_hash: String,
    /// The whole configuration, defaults included.
    pub config: Config,
    /// How far the run is.
    pub state: RunState,
    /// Why the output failed, where it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Every archive's account, in the order of the run's list.
    pub archives: Vec<ArchiveReport>,
    /// All archives together.
    pub totals: Totals,
    /// How long it took.
    pub timing: Timing,
    /// Outputs of an earlier run in the same directory that this one has not replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<PathBuf>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunState {
    /// It is under way, or was killed.
    Running,
    /// All archives were gone through, whatever became of each.
    Complete,
    /// It was ended before its time.
    Interrupted,
    /// The output failed.
    Failed,
}

/// How an archive was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ArchiveState {
    /// Not yet.
    Pending,
    /// To its end; nothing failed and no byte was skipped.
    Complete,
    /// To its end; something failed or was skipped.
    Damaged,
    /// Not at all, or not to its end.
    Failed,
    /// The run was ended before.
    Interrupted,
}

/// One archive's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArchiveReport {
    /// The archive, as it was named to the run; a byte that is not UTF-8 is `\xNN`.
    pub path: String,
    /// Stored size in bytes, as far as it was read.
    pub bytes: u64,
    /// How it was read.
    pub state: ArchiveState,
    /// Why it failed, where it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Its output files, relative to the run directory; none where it has no document. While it is pending, those that
    /// it may get.
    pub shards: Vec<PathBuf>,
    /// Files with the stored bytes of what failed, relative to the run directory, where they were to be kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quarantine: Vec<PathBuf>,
    /// What became of its records and bytes.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// The sums over all archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// Number of archives.
    pub archives: u64,
    /// Stored bytes.
    pub bytes: u64,
    /// What became of all records and bytes.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// How long a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timing {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Documents per second.
    pub pages_per_second: f64,
}

impl Report {
    /// The account of a run that begins; `shards` are the archives' output files.
    pub(super) fn new(rules: &Rules, inputs: &[ArchiveInput], shards: &[PathBuf], earlier: Vec<PathBuf>) -> Self {
        let archive = |(source, shard): (&ArchiveInput, &PathBuf)| ArchiveReport {
            path: escape::name(source.path.as_os_str()).into_owned(),
            bytes: 0,
            state: ArchiveState::Pending,
            error: String::new(),
            shards: vec![shard.clone()],
            quarantine: Vec::new(),
            ledger: Ledger::default(),
        };
        Self {
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
            config_hash: rules.config.hash(),
            config: rules.config.clone(),
            state: RunState::Running,
            error: String::new(),
            archives: inputs.iter().zip(shards).map(archive).collect(),
            totals: Totals::default(),
            timing: Timing::default(),
            earlier,
        }
    }

    /// Ends the account.
    pub(super) fn close(&mut self, elapsed: Duration) {
        for archive in &mut self.archives {
            if archive.state == ArchiveState::Pending {
                archive.give_up(ArchiveState::Interrupted, String::new());
            }
            self.totals.archives += 1;
            self.totals.bytes += archive.bytes;
            self.totals.ledger.add(&archive.ledger);
        }
        let seconds = elapsed.as_secs_f64();
        self.timing = Timing {
            seconds,
            pages_per_second: self.totals.ledger.emitted as f64 / seconds.max(1e-9),
        };
        if self.state == RunState::Running {
            let given_up = |a: &ArchiveReport| a.state == ArchiveState::Interrupted;
            self.state = match self.archives.iter().any(given_up) {
                true => RunState::Interrupted,
                false => RunState::Complete,
            };
        }
    }

    /// Books that the output failed; the first reason stands.
    pub(super) fn fail(&mut self, error: String) {
        self.state = RunState::Failed;
        if self.error.is_empty() {
            self.error = error;
        }
    }

    /// The exit status of a program that ran this: see the command line's contract.
    pub fn exit_status(&self) -> u8 {
        let any = |state| self.archives.iter().any(|a| a.state == state);
        match self.state {
            RunState::Failed => 1,
            RunState::Interrupted => 130,
            _ if any(ArchiveState::Failed) => 1,
            _ if any(ArchiveState::Damaged) => 3,
            _ => 0,
        }
    }
}

impl ArchiveReport {
    /// Enters that the archive has no output: nothing that was read of it counts, and another run has to read it again.
    pub(super) fn give_up(&mut self, state: ArchiveState, error: String) {
        *self = Self {
            path: std::mem::take(&mut self.path),
            bytes: 0,
            state,
            error,
            shards: Vec::new(),
            quarantine: Vec::new(),
            ledger: Ledger::default(),
        };
    }

    /// Enters the outcome of an archive that was read, and checks the law of accounts where that was to its end.
    pub(super) fn enter(&mut self, outcome: ArchiveOutcome, shard: Option<&Path>) {
        (self.bytes, self.ledger) = (outcome.size, outcome.ledger);
        let broken = || {
            let e = self.ledger.check(self.bytes).err()?;
            Some(format!(
                "{}: the account does not close: {e}; this is a defect",
                self.path
            ))
        };
        // Bytes without any record are no success of any kind.
        let nothing = || {
            (self.ledger.framed == 0 && self.ledger.has_skipped())
                .then(|| format!("{}: no record was recognised in it; is it a crawl archive?", self.path))
        };
        let error = outcome.error.map(|e| e.to_string()).or_else(broken).or_else(nothing);
        // Only needed for the check, and not in `run.json`, from which the same account reads back.
        self.ledger.bytes = Bytes::default();
        self.state = match error {
            Some(_) => ArchiveState::Failed,
            None if self.ledger.is_damaged() => ArchiveState::Damaged,
            None => ArchiveState::Complete,
        };
        self.error = error.unwrap_or_default();
        self.shards = shard.map(Path::to_owned).into_iter().collect();
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
        let source = ArchiveInput {
            path: "a.warc".into(),
            name: "a.warc".into(),
            shard: "a".into(),
        };
        for (size, status) in [(10, 0), (11, 1)] {
            let mut report = Report::new(
                &rules,
                std::slice::from_ref(&source),
                &["documents/a".into()],
                Vec::new(),
            );
            let mut outcome = ArchiveOutcome {
                size,
                ..ArchiveOutcome::default()
            };
            outcome.ledger.emit(Notes::default());
            outcome.ledger.bytes.framed = 10;
            report.archives[0].enter(outcome, None);
            report.close(Duration::from_secs(1));
            assert_eq!(report.exit_status(), status, "{report:?}");
            assert_eq!(report.archives[0].error.contains("does not close"), status == 1);
        }
        Ok(())
    }
}
