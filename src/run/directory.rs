//! The run directory: who may use it, and what appears in it when.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` exists from the run's first moment, with the state `running` and every file that the run may write. So a
//!   killed run is recognised, and what it left can be replaced.
//! - A directory with other files but no `run.json` is not ours. It is refused.
//! - A directory with a `run.json` was used before. It is refused too, unless its outputs may be replaced; then only the
//!   files that its `run.json` lists are replaced.
//! - No symbolic link in the directory is followed.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::{DirectoryError, DirectoryErrorKind};
use super::report::{Report, RunState};
use crate::bounded;
use crate::encode::PartialFile;

/// Name of the report.
const REPORT: &str = "run.json";

/// Largest report that is read, in bytes: some kilobytes for each of a million archives.
const REPORT_LIMIT: u64 = 4 << 30;

/// Name of the list of failures.
const FAILURES: &str = "failed.jsonl";

/// Name of the lock file.
const LOCK: &str = ".dehusk.lock";

/// The folder of the shards.
pub(super) const DOCUMENTS: &str = "documents";

/// The folder of what failed.
pub(super) const QUARANTINE: &str = "quarantine";

impl Report {
    /// Reads the report of the run that used a directory, from its `run.json`.
    ///
    /// # Errors
    /// There is none, it cannot be read, or it is not of this version.
    pub fn read(directory: &Path) -> Result<Self, DirectoryError> {
        let path = directory.join(REPORT);
        let text = bounded::read_text(&path, REPORT_LIMIT).map_err(DirectoryError::io(&path, "be read"))?;
        let invalid = |e: serde_json::Error| DirectoryErrorKind::InvalidReport { source: e.into() };
        serde_json::from_str(&text).map_err(|e| DirectoryError::new(&path, invalid(e)))
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
    /// Creates the directory, or takes over an existing one. `outputs` are the files that the run may write in it,
    /// relative to it.
    ///
    /// # Errors
    /// The directory is not ours, is in use, or was used and `overwrite` is not set; or the system refuses.
    pub(super) fn open(path: &Path, overwrite: bool, outputs: &[PathBuf]) -> Result<Self, DirectoryError> {
        use DirectoryErrorKind::*;
        let error = |kind| DirectoryError::new(path, kind);
        let io = |action| DirectoryError::io(path, action);
        fs::create_dir_all(path).map_err(io("be created"))?;
        let report = path.join(REPORT);
        let is_ours = report.symlink_metadata().is_ok();
        if !is_ours && has_other_files(path).map_err(io("be read"))? {
            return Err(error(NotRunDirectory));
        }
        if let Some(name) = [LOCK, DOCUMENTS, QUARANTINE]
            .into_iter()
            .find(|name| is_link(&path.join(name)))
        {
            return Err(error(SymbolicLink { name }));
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(io("be written to"))?;
        lock.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => error(InUse),
            TryLockError::Error(e) => io("be locked")(e),
        })?;
        // Only now is the answer final: another run may have ended between the first look and the lock.
        let replaceable = match report.symlink_metadata() {
            Err(_) => BTreeSet::new(),
            Ok(_) if !overwrite => return Err(error(Used)),
            Ok(metadata) if !metadata.is_file() => return Err(error(ReportNotFile)),
            Ok(_) => {
                let text = bounded::read_text(&report, REPORT_LIMIT).map_err(DirectoryError::io(&report, "be read"))?;
                listed_outputs(&text).ok_or_else(|| error(ForeignReport))?
            }
        };
        let is_foreign = |output: &&PathBuf| !replaceable.contains(*output) && exists(&path.join(output));
        if let Some(output) = outputs.iter().find(is_foreign) {
            return Err(error(ForeignOutput { output: output.clone() }));
        }
        Ok(Self {
            path: path.to_owned(),
            replaceable,
            _lock: lock,
        })
    }

    /// The outputs of an earlier run, relative to the directory.
    pub(super) fn earlier_outputs(&self) -> Vec<PathBuf> {
        self.replaceable.iter().cloned().collect()
    }

    /// All files that the run may remove or replace.
    pub(super) fn paths_to_replace(&self) -> Vec<PathBuf> {
        let accounts = [REPORT, FAILURES].map(PathBuf::from);
        let files = self.replaceable.iter().cloned().chain(accounts);
        files
            .flat_map(|file| [partial(&file), file])
            .map(|file| self.path.join(file))
            .collect()
    }

    /// Begins the run. From now on the directory belongs to this program.
    pub(super) fn begin(&self, report: &Report) -> Result<(), DirectoryError> {
        self.write_report(report)?;
        // A run that was killed in the moment in which its spill file had a name left it here.
        let spill = self.spill_path();
        if spill.symlink_metadata().is_ok_and(|m| m.is_file()) {
            let _ = fs::remove_file(&spill);
        }
        self.create_folder(DOCUMENTS)
    }

    fn create_folder(&self, name: &str) -> Result<(), DirectoryError> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(DirectoryError::io(&path, "be created"))
    }

    /// Begins an output file: a shard, or a file of the quarantine. `path` is relative to the directory.
    pub(super) fn create_output(&self, path: &Path) -> Result<PartialFile, DirectoryError> {
        if path.starts_with(QUARANTINE) {
            self.create_folder(QUARANTINE)?;
        }
        let replace = self.replaceable.contains(path);
        Ok(PartialFile::create(&self.path.join(path), replace)?)
    }

    /// Begins `failed.jsonl`, which replaces an earlier one.
    pub(super) fn create_failure_list(&self) -> Result<PartialFile, DirectoryError> {
        Ok(PartialFile::create(&self.path.join(FAILURES), true)?)
    }

    /// Where the spill file for failure lines is created.
    pub(super) fn spill_path(&self) -> PathBuf {
        self.path.join(".failed-lines.partial")
    }

    /// Writes `run.json`, which replaces the one before in one step.
    pub(super) fn write_report(&self, report: &Report) -> Result<(), DirectoryError> {
        let path = self.path.join(REPORT);
        let mut json =
            serde_json::to_vec_pretty(report).map_err(|e| DirectoryError::io(&path, "be written")(e.into()))?;
        json.push(b'\n');
        let mut file = PartialFile::create(&path, true)?;
        file.append(&json)?;
        file.commit()?;
        Ok(())
    }

    /// Removes the outputs of earlier runs that this run did not write again, if this run is complete. Returns those that
    /// are still there.
    pub(super) fn remove_earlier(&self, report: &Report) -> Vec<PathBuf> {
        let new: BTreeSet<&PathBuf> = report
            .archives
            .iter()
            .flat_map(|a| a.shards.iter().chain(&a.quarantine))
            .collect();
        let mut left = self.earlier_outputs();
        left.retain(|old| !new.contains(old));
        if report.state == RunState::Complete {
            for old in &left {
                let path = self.path.join(old);
                // A file that cannot be removed stays listed; one that is gone already needs no removing.
                let _ = fs::remove_file(&path);
                // What a killed run began to write.
                let _ = fs::remove_file(partial(&path));
            }
        }
        left.retain(|old| exists(&self.path.join(old)));
        left
    }
}

/// The outputs that a `run.json` of any version lists; `None` if it is not of this program. Only plain names in the
/// folders of outputs count, since the file may have been changed by anybody.
fn listed_outputs(text: &str) -> Option<BTreeSet<PathBuf>> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json.get("program")?
        .as_str()?
        .strip_prefix(concat!(env!("CARGO_PKG_NAME"), " "))?;
    let archives = json.get("archives")?.as_array()?;
    let lists = archives.iter().flat_map(|a| [a.get("shards"), a.get("quarantine")]);
    let lists = lists.chain([json.get("earlier")]);
    let outputs = lists.flatten().filter_map(|list| list.as_array()).flatten();
    let is_plain = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']) && *name != "." && *name != "..";
    let output = |value: &serde_json::Value| {
        let (folder, name) = value.as_str()?.split_once('/')?;
        let folder = [DOCUMENTS, QUARANTINE].into_iter().find(|known| *known == folder)?;
        Some(name).filter(is_plain).map(|name| Path::new(folder).join(name))
    };
    Some(outputs.filter_map(output).collect())
}

/// Whether a directory holds files that a run without `run.json` cannot have left there.
fn has_other_files(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name != LOCK && name != ".run.json.partial" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The name of an output until it is whole.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink())
}
