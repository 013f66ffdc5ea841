//! The account of a run, read from its directory.
//!
//! It is more lenient than the engine: reasons and settings of other versions of the program are
//! plain text here, so that runs of two versions can be compared.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use dehusk_archive::escape;
use dehusk_documents::bounded;
use dehusk_documents::encode::{ShardError, ShardReader, read_shard, read_shard_of_run};
use dehusk_documents::folder::{REPORT, open_output, runs_in};

/// Largest `run.json` that is read, in bytes: some kilobytes for each of a million archives.
const ACCOUNT_LIMIT: u64 = 4 << 30;

/// Longest line of `failed.jsonl` that is read, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// The account of a run, as `run.json` holds it.
#[derive(Clone, Debug, Deserialize)]
pub struct Account {
    /// The run directory.
    #[serde(skip)]
    pub directory: PathBuf,
    /// Name and version of the program.
    pub program: String,
    /// The hash of the run's configuration.
    #[serde(default)]
    pub config_hash: String,
    /// The configuration of the run, as its program wrote it.
    #[serde(default)]
    pub config: serde_json::Value,
    /// `complete`, or why documents may be missing.
    pub state: String,
    /// Where the documents went, if not to shards.
    #[serde(default)]
    pub sink: String,
    /// Whether it is no run but a copy without duplicates, which `dehusk cluster` made of runs.
    #[serde(default)]
    pub deduplicated: bool,
    /// The account of each archive.
    pub archives: Vec<ArchiveAccount>,
}

/// The account of one archive, or the sum of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ArchiveAccount {
    /// The archive, as it was named to the run.
    pub path: String,
    pub state: String,
    pub shards: Vec<PathBuf>,
    /// The SHA-256 of the bytes of its outputs, by their paths. Runs of earlier versions have none.
    pub output_sha256: BTreeMap<PathBuf, String>,
    pub framed: u64,
    pub emitted: u64,
    pub filtered: BTreeMap<String, u64>,
    pub failed: BTreeMap<String, u64>,
    pub notes: BTreeMap<String, u64>,
    pub skipped_bytes: u64,
}

/// A line of `failed.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub struct FailureLine {
    pub archive: String,
    pub offset: u64,
    pub length: u64,
    pub id: String,
    pub reason: String,
}

impl Account {
    /// Reads the account of the run in a directory.
    ///
    /// # Errors
    /// There is none, it cannot be read, or another program wrote it.
    pub fn read(directory: &Path) -> Result<Self, AccountError> {
        let path = directory.join(REPORT);
        let error = |kind| AccountError {
            path: path.clone(),
            kind,
        };
        let text = open_output(&path).and_then(|file| bounded::text(file, ACCOUNT_LIMIT));
        let text = text.map_err(|e| match e.kind() {
            io::ErrorKind::NotADirectory if directory.is_file() => AccountError {
                path: directory.to_owned(),
                kind: AccountErrorKind::File,
            },
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => error(AccountErrorKind::NotRunDirectory),
            _ => error(AccountErrorKind::Read(e)),
        })?;
        let mut account: Self =
            serde_json::from_str(&text).map_err(|e| error(AccountErrorKind::Invalid(e.to_string())))?;
        if !account.program.starts_with("dehusk ") {
            return Err(error(AccountErrorKind::Foreign(account.program)));
        }
        if let Some(shard) = account.archives.iter().flat_map(|a| &a.shards).find(|s| !is_inside(s)) {
            let message = format!("it names a shard outside of its directory: {}", escape::path(shard));
            return Err(error(AccountErrorKind::Invalid(message)));
        }
        directory.clone_into(&mut account.directory);
        Ok(account)
    }

    /// Reads the accounts that a path names: that of the run in this directory, or those of the runs in a folder, by
    /// their names. Copies that `dehusk cluster` made are left out beside runs, because they repeat documents of these
    /// runs.
    pub fn read_all(path: &Path) -> Vec<Result<Self, AccountError>> {
        let error = |kind| AccountError {
            path: path.to_path_buf(),
            kind,
        };
        if path.join(REPORT).exists() || !path.is_dir() {
            return vec![Self::read(path)];
        }
        let runs = match runs_in(path) {
            Ok(runs) if runs.is_empty() => {
                let run = path.parent().filter(|parent| parent.join(REPORT).is_file());
                return vec![Err(error(run.map_or(AccountErrorKind::NoRun, |run| {
                    AccountErrorKind::InsideRun(run.to_owned())
                })))];
            }
            Ok(runs) => runs,
            Err(e) => return vec![Err(error(AccountErrorKind::Read(e)))],
        };
        let mut accounts: Vec<_> = runs.iter().map(|run| Self::read(run)).collect();
        let is_copy = |account: &Result<Self, _>| account.as_ref().is_ok_and(|account| account.deduplicated);
        if !accounts.iter().all(is_copy) {
            accounts.retain(|account| !is_copy(account));
        }
        accounts
    }

    /// Reads the accounts that several paths name, as [`Account::read_all`] does.
    ///
    /// # Errors
    /// A path is neither a run nor a folder with runs, or one of the accounts cannot be read.
    pub fn read_each<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<Vec<Self>, AccountError> {
        paths.into_iter().flat_map(|path| Self::read_all(path)).collect()
    }

    /// Whether the run went through all of its archives.
    pub fn is_complete(&self) -> bool {
        self.state == "complete"
    }

    /// Returns a warning about a run that is not complete, or has its documents elsewhere.
    pub fn warning(&self) -> Option<String> {
        let place = escape::path(&self.directory);
        if !self.sink.is_empty() {
            let sink = escape::terminal(&self.sink);
            return Some(format!(
                "{place}: the documents of this run went to the sink “{sink}” and are not in it"
            ));
        }
        (!self.is_complete()).then(|| format!("{place}: the run is {}, so documents may be missing", self.state))
    }

    /// An archive's shards. Those that a run lists for a pending archive and has not written are left out.
    pub fn shards<'a>(&'a self, archive: &'a ArchiveAccount) -> impl Iterator<Item = RunShard> + use<'a> {
        let is_pending = archive.state == "pending";
        let shards = archive.shards.iter().map(|shard| RunShard {
            path: self.directory.join(shard),
            sha256: archive.output_sha256.get(shard).cloned(),
            run: self.directory.clone(),
        });
        shards.filter(move |shard| !is_pending || shard.path.exists())
    }

    /// Returns the shards of all archives in order.
    pub fn all_shards(&self) -> impl Iterator<Item = RunShard> {
        self.archives.iter().flat_map(|archive| self.shards(archive))
    }

    /// The sums over all archives.
    pub fn totals(&self) -> ArchiveAccount {
        let mut totals = ArchiveAccount::default();
        for archive in &self.archives {
            totals.add(archive);
        }
        totals
    }

    /// The lines of the run's list of failures; none while the run is not finished.
    ///
    /// # Errors
    /// The list cannot be read. Lines that are no failures are left out.
    pub fn failures(&self) -> Result<impl Iterator<Item = io::Result<FailureLine>> + use<>, AccountError> {
        let path = self.directory.join("failed.jsonl");
        let file = match open_output(&path) {
            Ok(file) => Some(file),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => {
                return Err(AccountError {
                    path,
                    kind: AccountErrorKind::Read(e),
                });
            }
        };
        let lines = file.map(|file| bounded::lines(BufReader::new(file), LINE_LIMIT));
        let parse = |line: io::Result<Vec<u8>>| match line {
            Ok(line) => serde_json::from_slice(&line).ok().map(Ok),
            Err(e) => Some(Err(e)),
        };
        Ok(lines.into_iter().flatten().filter_map(parse))
    }
}

/// A shard, with the facts that its run states.
#[derive(Clone, Debug)]
pub struct RunShard {
    /// Its path.
    pub path: PathBuf,
    /// The SHA-256 of its bytes; runs of earlier versions do not state it.
    sha256: Option<String>,
    run: PathBuf,
}

impl RunShard {
    /// A shard of no run.
    #[cfg(test)]
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            sha256: None,
            run: PathBuf::new(),
        }
    }

    /// Reads its documents, if its bytes are those that the run wrote.
    ///
    /// # Errors
    /// They are not, or it cannot be opened. Errors of the content come from the iterator.
    pub fn read(&self) -> Result<ShardReader, ShardError> {
        match &self.sha256 {
            Some(sha256) => read_shard_of_run(&self.path, sha256, &self.run),
            None => read_shard(&self.path),
        }
    }
}

impl ArchiveAccount {
    pub fn add(&mut self, other: &Self) {
        self.framed += other.framed;
        self.emitted += other.emitted;
        self.skipped_bytes += other.skipped_bytes;
        for (sums, counts) in [
            (&mut self.filtered, &other.filtered),
            (&mut self.failed, &other.failed),
            (&mut self.notes, &other.notes),
        ] {
            for (reason, n) in counts {
                *sums.entry(reason.clone()).or_default() += n;
            }
        }
    }
}

/// Whether a path stays below the directory that it is relative to.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The account of a run cannot be read.
#[derive(Debug)]
pub struct AccountError {
    path: PathBuf,
    kind: AccountErrorKind,
}

impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", escape::path(&self.path), self.kind)
    }
}

impl std::error::Error for AccountError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}

#[derive(Debug, Error)]
enum AccountErrorKind {
    #[error("no such file, so this is not the directory of a run; name what `dehusk run -o` wrote")]
    NotRunDirectory,
    #[error(
        "is a file, not the directory of a run; if it is an archive, `dehusk run` writes such a directory, and \
         `dehusk inspect` shows its records"
    )]
    File,
    #[error("is a folder in the directory of a run; did you mean “{}”?", escape::path(.0))]
    InsideRun(PathBuf),
    /// A folder is no run, and holds none.
    #[error(
        "holds no run: there is no run.json in it, and none in the folders right in it; name what `dehusk run -o` wrote"
    )]
    NoRun,
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("is not the report of a run: {0}")]
    Invalid(String),
    /// Another program wrote it, which calls itself so.
    #[error("is the report of another program, “{}”", escape::terminal(.0))]
    Foreign(String),
}
