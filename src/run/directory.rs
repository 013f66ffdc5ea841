//! The run directory: who may use it, and what appears in it when.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` stands from the run's first moment on, with the state `running` and every shard that the run may write,
//!   so that a killed run is recognised and what it left can be replaced.
//! - A directory that holds anything else, but no `run.json`, is not ours: it is refused. One that holds a `run.json` is
//!   used already: it is refused too, unless its outputs may be replaced, and then only what that `run.json` lists is.
//! - No symbolic link in it is followed.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::failures::Failures;
use super::report::{Report, RunState};
use crate::encode::{PartialFile, WriteError};
use crate::escape;

/// Name of the account.
const REPORT: &str = "run.json";

/// Name of the list of what failed.
const FAILURES: &str = "failed.jsonl";

/// Name of the lock file.
const LOCK: &str = ".dehusk.lock";

/// The folder of the shards.
const DOCUMENTS: &str = "documents";

/// The folder of what failed.
pub(super) const QUARANTINE: &str = "quarantine";

/// Why a run directory cannot be used.
#[derive(Debug)]
pub struct DirectoryError {
    path: PathBuf,
    message: String,
}

impl std::fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", escape::path(&self.path), self.message)
    }
}

impl std::error::Error for DirectoryError {}

impl From<WriteError> for DirectoryError {
    fn from(e: WriteError) -> Self {
        Self {
            message: format!("cannot {}: {}", e.action, e.source),
            path: e.path,
        }
    }
}

/// A run directory in use by this run.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// Outputs of an earlier run, which may be replaced; relative.
    replaceable: BTreeSet<PathBuf>,
    /// Held until the run ends.
    _lock: File,
}

impl Directory {
    /// Creates the directory, or takes it over where that is allowed. `shards` are what the run may write there,
    /// relative to it.
    pub(super) fn open(path: &Path, overwrite: bool, shards: &[PathBuf]) -> Result<Self, DirectoryError> {
        let error = |message: String| DirectoryError {
            path: path.to_owned(),
            message,
        };
        fs::create_dir_all(path).map_err(|e| error(format!("cannot be created: {e}")))?;
        let report = path.join(REPORT);
        let ours = report.symlink_metadata().is_ok();
        if !ours && holds_anything(path).map_err(|e| error(format!("cannot be read: {e}")))? {
            return Err(error(
                "is not empty and no run directory (it has no run.json); choose another directory".into(),
            ));
        }
        if let Some(name) = [LOCK, DOCUMENTS, QUARANTINE]
            .iter()
            .find(|name| is_link(&path.join(name)))
        {
            return Err(error(format!(
                "its {name} is a symbolic link, which is not followed; choose another directory"
            )));
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
        let mut replaceable = BTreeSet::new();
        // Looked at again, because another run may have ended between the first look and the lock.
        if let Ok(metadata) = report.symlink_metadata() {
            if !overwrite {
                return Err(error(
                    "was used by a run already; choose another directory or pass --overwrite".into(),
                ));
            }
            if !metadata.is_file() {
                return Err(error("its run.json is no file; choose another directory".into()));
            }
            let text = fs::read_to_string(&report).map_err(|e| error(format!("its run.json cannot be read: {e}")))?;
            replaceable = listed_shards(&text)
                .ok_or_else(|| error("its run.json is not of this program; choose another directory".into()))?;
        }
        let foreign = |shard: &&PathBuf| !replaceable.contains(*shard) && path.join(shard).symlink_metadata().is_ok();
        if let Some(shard) = shards.iter().find(foreign) {
            return Err(error(format!(
                "holds {}, which its run.json does not list and this run would write; move it away or choose another \
                 directory",
                escape::path(shard)
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            replaceable,
            _lock: lock,
        })
    }

    /// Outputs of an earlier run.
    pub(super) fn earlier(&self) -> Vec<PathBuf> {
        self.replaceable.iter().cloned().collect()
    }

    /// All files that the run may remove or replace.
    pub(super) fn endangered(&self) -> Vec<PathBuf> {
        let accounts = [REPORT, FAILURES].map(PathBuf::from);
        let files = self.replaceable.iter().cloned().chain(accounts);
        files
            .flat_map(|file| [partial(&file), file])
            .map(|file| self.path.join(file))
            .collect()
    }

    /// Begins the run: from now on the directory is this program's.
    pub(super) fn begin(&self, report: &Report) -> Result<(), DirectoryError> {
        self.write_report(report)?;
        // Left by a run that was killed in the moment in which it had a name.
        let spill = self.spill_path();
        if spill.symlink_metadata().is_ok_and(|m| m.is_file()) {
            let _ = fs::remove_file(&spill);
        }
        self.create_folder(DOCUMENTS)
    }

    fn create_folder(&self, name: &str) -> Result<(), DirectoryError> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(|e| DirectoryError {
            path,
            message: format!("cannot be created: {e}"),
        })
    }

    /// Begins a shard, or a file of what failed; `path` is relative to the directory.
    pub(super) fn create_shard(&self, path: &Path) -> Result<PartialFile, DirectoryError> {
        if path.starts_with(QUARANTINE) {
            self.create_folder(QUARANTINE)?;
        }
        let replace = self.replaceable.contains(path);
        Ok(PartialFile::create(&self.path.join(path), replace)?)
    }

    /// Where failure lines go that are too many for memory; nothing stands there for longer than a moment.
    pub(super) fn spill_path(&self) -> PathBuf {
        self.path.join(".failed-lines.partial")
    }

    /// Writes `run.json`, replacing the one before in one step.
    pub(super) fn write_report(&self, report: &Report) -> Result<(), DirectoryError> {
        let path = self.path.join(REPORT);
        let mut json = serde_json::to_vec_pretty(report).map_err(|e| DirectoryError {
            path: path.clone(),
            message: format!("cannot be written: {e}"),
        })?;
        json.push(b'\n');
        let mut file = PartialFile::create(&path, true)?;
        file.append(&json)?;
        file.commit()?;
        Ok(())
    }

    /// Writes `failed.jsonl`, by archive.
    pub(super) fn write_failures(&self, failures: Failures) -> Result<(), DirectoryError> {
        let path = self.path.join(FAILURES);
        let mut file = PartialFile::create(&path, true)?;
        failures
            .write(|lines| file.append(lines).map_err(io::Error::other))
            .map_err(|e| DirectoryError {
                path,
                message: format!("cannot be written: {e}"),
            })?;
        file.commit()?;
        Ok(())
    }

    /// Removes what earlier runs had written, or begun to write, and this one has not, where this one is complete; and
    /// enters what is left of it.
    pub(super) fn remove_replaced(&self, report: &mut Report) {
        let new: BTreeSet<&PathBuf> = report
            .archives
            .iter()
            .flat_map(|a| a.shards.iter().chain(&a.quarantine))
            .collect();
        let mut left: Vec<PathBuf> = Vec::new();
        for old in self.replaceable.iter().filter(|old| !new.contains(old)) {
            let path = self.path.join(old);
            if report.state == RunState::Complete {
                // What cannot be removed stays listed; one that is gone already needs no removing.
                let _ = fs::remove_file(&path);
                // What a killed run had begun to write.
                let _ = fs::remove_file(partial(&path));
            }
            if path.symlink_metadata().is_ok() {
                left.push(old.clone());
            }
        }
        report.earlier = left;
    }
}

/// The outputs that a `run.json` lists: only plain names in the folders of outputs, whatever else it may say.
fn listed_shards(text: &str) -> Option<BTreeSet<PathBuf>> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json.get("program")?
        .as_str()?
        .strip_prefix(concat!(env!("CARGO_PKG_NAME"), " "))?;
    let archives = json.get("archives")?.as_array()?;
    let lists = archives.iter().flat_map(|a| [a.get("shards"), a.get("quarantine")]);
    let lists = lists.chain([json.get("earlier")]);
    let shards = lists.flatten().filter_map(|list| list.as_array()).flatten();
    let plain = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']) && *name != "." && *name != "..";
    let output = |s: &serde_json::Value| {
        let (folder, name) = s.as_str()?.split_once('/')?;
        let folder = [DOCUMENTS, QUARANTINE].into_iter().find(|known| *known == folder)?;
        Some(name).filter(plain).map(|name| Path::new(folder).join(name))
    };
    Some(shards.filter_map(output).collect())
}

/// Whether anything stands in a directory that a run without `run.json` cannot have left there.
fn holds_anything(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name != LOCK && name != ".run.json.partial" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What an output is called until it is whole.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink())
}
