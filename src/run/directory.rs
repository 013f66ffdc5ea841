//! The run directory: who may use it, and what appears in it when.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` stands from the run's first moment on, with the state `running`, so that a killed run is recognised.
//! - A directory that holds anything else, but no `run.json`, is not ours: it is refused. One that holds a `run.json` is
//!   used already: it is refused too, unless its outputs may be replaced, and then only what that `run.json` lists is.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::report::Report;
use crate::ledger::Failure;
use crate::output::{Shard, ShardError};

/// Name of the lock file.
const LOCK: &str = ".dehusk.lock";

/// Bytes of an archive's failure lines that are kept in memory; more go to a file.
const FAILURES_HELD: usize = 256 << 10;

/// Why a run directory cannot be used.
#[derive(Debug)]
pub struct DirectoryError {
    path: PathBuf,
    message: String,
}

impl std::fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for DirectoryError {}

impl From<ShardError> for DirectoryError {
    fn from(e: ShardError) -> Self {
        Self {
            path: e.path.clone(),
            message: e.to_string(),
        }
    }
}

/// A run directory in use by this run.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// Outputs of an earlier run, which may be replaced.
    replaceable: HashSet<PathBuf>,
    /// Held until the run ends.
    _lock: File,
}

impl Directory {
    /// Creates the directory, or takes it over where that is allowed.
    pub(super) fn open(path: &Path, overwrite: bool) -> Result<Self, DirectoryError> {
        let error = |message: String| DirectoryError {
            path: path.to_owned(),
            message,
        };
        fs::create_dir_all(path).map_err(|e| error(format!("cannot be created: {e}")))?;
        let report = path.join("run.json");
        let ours = report.symlink_metadata().is_ok();
        if !ours && holds_anything(path).map_err(|e| error(format!("cannot be read: {e}")))? {
            return Err(error(
                "is not empty and no run directory (it has no run.json); choose another directory".into(),
            ));
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(|e| error(format!("cannot be written to: {e}")))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(error("is in use by another run".into())),
            Err(TryLockError::Error(e)) => return Err(error(format!("cannot be locked: {e}"))),
        }
        let mut replaceable = HashSet::new();
        // Looked at again, because another run may have ended between the first look and the lock.
        if report.symlink_metadata().is_ok() {
            if !overwrite {
                return Err(error(
                    "was used by a run already; choose another directory or pass --overwrite".into(),
                ));
            }
            let text = fs::read_to_string(&report).map_err(|e| error(format!("its run.json cannot be read: {e}")))?;
            let listed = listed_shards(&text)
                .ok_or_else(|| error("its run.json is not of this program; choose another directory".into()))?;
            replaceable.extend(listed.into_iter().map(|shard| path.join(shard)));
        }
        let documents = path.join("documents");
        fs::create_dir_all(&documents).map_err(|e| error(format!("cannot be written to: {e}")))?;
        if overwrite {
            remove_partials(&documents);
            remove_partials(path);
        }
        Ok(Self {
            path: path.to_owned(),
            replaceable,
            _lock: lock,
        })
    }

    /// Begins a shard; `path` is relative to the directory.
    pub(super) fn create_shard(&self, path: &Path) -> Result<Shard, DirectoryError> {
        let path = self.path.join(path);
        let replace = self.replaceable.contains(&path);
        Ok(Shard::create(&path, replace)?)
    }

    /// Writes `run.json`, replacing the one before in one step.
    pub(super) fn write_report(&self, report: &Report) -> Result<(), DirectoryError> {
        let path = self.path.join("run.json");
        let mut json = serde_json::to_vec_pretty(report).map_err(|e| DirectoryError {
            path: path.clone(),
            message: format!("cannot be written: {e}"),
        })?;
        json.push(b'\n');
        let mut file = Shard::create(&path, true)?;
        file.append(&json)?;
        file.commit()?;
        Ok(())
    }

    /// Writes `failed.jsonl`, by archive.
    pub(super) fn write_failures(&self, failures: &[Failures]) -> Result<(), DirectoryError> {
        let path = self.path.join("failed.jsonl");
        let error = |e: io::Error| DirectoryError {
            path: path.clone(),
            message: format!("cannot be written: {e}"),
        };
        let mut file = Shard::create(&path, true)?;
        for archive in failures {
            if let Some(mut spilled) = archive.spilled.as_ref() {
                spilled.seek(SeekFrom::Start(0)).map_err(error)?;
                let mut buffer = vec![0; 64 << 10];
                loop {
                    match spilled.read(&mut buffer).map_err(error)? {
                        0 => break,
                        n => file.append(&buffer[..n])?,
                    }
                }
            }
            file.append(&archive.held)?;
        }
        file.commit()?;
        Ok(())
    }

    /// Removes what the replaced run had written and this one has not.
    pub(super) fn remove_replaced(&self, report: &Report) {
        let new: HashSet<PathBuf> = report
            .archives
            .iter()
            .flat_map(|a| &a.shards)
            .map(|shard| self.path.join(shard))
            .collect();
        for old in self.replaceable.difference(&new) {
            // One that is gone already needs no removing.
            let _ = fs::remove_file(old);
        }
    }
}

/// The shards that a `run.json` lists: only plain names under `documents`, whatever else it may say.
fn listed_shards(text: &str) -> Option<Vec<PathBuf>> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json.get("program")?.as_str()?.strip_prefix(env!("CARGO_PKG_NAME"))?;
    let archives = json.get("archives")?.as_array()?;
    let shards = archives
        .iter()
        .filter_map(|a| a.get("shards")?.as_array())
        .flatten()
        .filter_map(|s| s.as_str());
    let plain = |name: &&str| !name.is_empty() && !name.contains('/') && *name != "." && *name != "..";
    Some(
        shards
            .filter_map(|s| s.strip_prefix("documents/").filter(plain))
            .map(|n| Path::new("documents").join(n))
            .collect(),
    )
}

fn holds_anything(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        if entry?.file_name() != LOCK {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes what a killed run left unfinished.
fn remove_partials(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(".partial") {
            // If it cannot be removed, writing that shard will say so.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The failure lines of one archive: in memory, and beyond a size in a file.
#[derive(Debug, Default)]
pub(super) struct Failures {
    held: Vec<u8>,
    spilled: Option<File>,
}

impl Failures {
    /// Adds lines.
    pub(super) fn add(&mut self, directory: &Directory, archive: usize, failures: &[Failure]) -> Result<(), String> {
        for failure in failures {
            serde_json::to_writer(&mut self.held, failure).map_err(|e| e.to_string())?;
            self.held.push(b'\n');
        }
        if self.held.len() > FAILURES_HELD {
            let path = directory.path.join(format!(".failed-{archive}.partial"));
            self.spill(&path)
                .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
        Ok(())
    }

    fn spill(&mut self, path: &Path) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            None => {
                let file = File::options().create_new(true).read(true).write(true).open(path)?;
                // Without a name it goes away by itself, whatever becomes of the run.
                fs::remove_file(path)?;
                self.spilled.insert(file)
            }
        };
        file.write_all(&self.held)?;
        self.held.clear();
        Ok(())
    }
}
