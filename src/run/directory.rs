//! The run directory: who may use it, and what appears in it when.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` exists from the run's first moment, with the state `running` and every file that the run may write. So a
//!   killed run is recognised, and what it left can be replaced.
//! - A directory with other files but no `run.json` is not ours. It is refused.
//! - A directory with a `run.json` was used before. It is refused too, unless its outputs may be replaced; then only the
//!   files that its `run.json` lists are replaced.
//! - No symbolic link in the directory is followed, and the directory is the one that was opened first: if it is moved, or
//!   a link takes its place, the run goes on in it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::error::{DirectoryError, DirectoryErrorKind};
use super::report::{Report, RunState};
use crate::bounded;
use crate::encode::{PartialFile, partial_name};
use crate::folder::{Folder, Kind};

/// Name of the report.
const REPORT: &str = "run.json";

/// Largest report that is read, in bytes: some kilobytes for each of a million archives.
const REPORT_LIMIT: u64 = 4 << 30;

/// Name of the page about the run.
const REPORT_PAGE: &str = "report.html";

/// Name of the list of failures.
const FAILURES: &str = "failed.jsonl";

/// Name of the lock file.
const LOCK: &str = ".dehusk.lock";

/// Name of the file for failure lines that do not fit in memory.
const SPILL: &str = ".failed-lines.partial";

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
    root: Arc<Folder>,
    /// The folders in it, from when they are first needed.
    documents: OnceLock<Arc<Folder>>,
    quarantine: OnceLock<Arc<Folder>>,
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
        let root = Arc::new(Folder::open(path).map_err(io("be opened"))?);
        let kind = |name: &str| root.kind(OsStr::new(name));
        if kind(REPORT).is_none() && has_other_files(&root).map_err(io("be read"))? {
            return Err(error(NotRunDirectory));
        }
        if let Some(name) = [LOCK, DOCUMENTS, QUARANTINE]
            .into_iter()
            .find(|name| kind(name) == Some(Kind::Link))
        {
            return Err(error(SymbolicLink { name }));
        }
        let lock = root.open_or_create(OsStr::new(LOCK)).map_err(io("be written to"))?;
        lock.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => error(InUse),
            TryLockError::Error(e) => io("be locked")(e),
        })?;
        // Only now is the answer final: another run may have ended between the first look and the lock.
        let replaceable = match kind(REPORT) {
            None => BTreeSet::new(),
            Some(_) if !overwrite => return Err(error(Used)),
            Some(Kind::File) => {
                let read = root.read(OsStr::new(REPORT));
                let bytes = read.and_then(|file| bounded::read(file, REPORT_LIMIT));
                let bytes = bytes.map_err(DirectoryError::io(&path.join(REPORT), "be read"))?;
                listed_outputs(&bytes).ok_or_else(|| error(ForeignReport))?
            }
            Some(_) => return Err(error(ReportNotFile)),
        };
        let directory = Self {
            path: path.to_owned(),
            root,
            documents: OnceLock::new(),
            quarantine: OnceLock::new(),
            replaceable,
            _lock: lock,
        };
        let is_foreign = |output: &&PathBuf| !directory.replaceable.contains(*output) && directory.exists(output);
        if let Some(output) = outputs.iter().find(is_foreign) {
            return Err(error(ForeignOutput { output: output.clone() }));
        }
        Ok(directory)
    }

    /// The folder and the name of an output, which is given relative to the directory.
    fn place<'o>(&self, output: &'o Path) -> io::Result<(Arc<Folder>, &'o OsStr)> {
        let folder = match output.starts_with(QUARANTINE) {
            true => self.subfolder(&self.quarantine, QUARANTINE)?,
            false => self.subfolder(&self.documents, DOCUMENTS)?,
        };
        Ok((folder, output.file_name().unwrap_or_default()))
    }

    /// Opens a folder, once.
    fn subfolder(&self, opened: &OnceLock<Arc<Folder>>, name: &str) -> io::Result<Arc<Folder>> {
        if let Some(folder) = opened.get() {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(self.root.subfolder(OsStr::new(name))?);
        Ok(Arc::clone(opened.get_or_init(|| folder)))
    }

    fn exists(&self, output: &Path) -> bool {
        self.place(output)
            .is_ok_and(|(folder, name)| folder.kind(name).is_some())
    }

    /// The outputs of an earlier run, relative to the directory.
    pub(super) fn earlier_outputs(&self) -> Vec<PathBuf> {
        self.replaceable.iter().cloned().collect()
    }

    /// All files that the run may remove or replace.
    pub(super) fn paths_to_replace(&self) -> Vec<PathBuf> {
        let accounts = [REPORT, REPORT_PAGE, FAILURES].map(PathBuf::from);
        let files = self.replaceable.iter().cloned().chain(accounts);
        files
            .map(|file| self.path.join(file))
            .flat_map(|file| {
                [
                    file.with_file_name(partial_name(file.file_name().unwrap_or_default())),
                    file,
                ]
            })
            .collect()
    }

    /// Begins the run. From now on the directory belongs to this program.
    pub(super) fn begin(&self, report: &Report) -> Result<(), DirectoryError> {
        self.write_report(report)?;
        // A run that was killed in the moment in which its spill file had a name left it here.
        let spill = OsStr::new(SPILL);
        if self.root.kind(spill) == Some(Kind::File) {
            let _ = self.root.remove(spill);
        }
        self.create_folder(DOCUMENTS)?;
        let opened = self.subfolder(&self.documents, DOCUMENTS).map(drop);
        opened.map_err(DirectoryError::io(&self.path.join(DOCUMENTS), "be opened"))
    }

    fn create_folder(&self, name: &str) -> Result<(), DirectoryError> {
        let created = self.root.create_subfolder(OsStr::new(name));
        created.map_err(DirectoryError::io(&self.path.join(name), "be created"))
    }

    /// Begins an output file: a shard, or a file of the quarantine. `path` is relative to the directory.
    pub(super) fn create_output(&self, path: &Path) -> Result<PartialFile, DirectoryError> {
        if path.starts_with(QUARANTINE) && self.quarantine.get().is_none() {
            self.create_folder(QUARANTINE)?;
        }
        let replace = self.replaceable.contains(path);
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be created"))?;
        Ok(PartialFile::create_in(&folder, name, replace)?)
    }

    /// Begins `failed.jsonl`, which replaces an earlier one.
    pub(super) fn create_failure_list(&self) -> Result<PartialFile, DirectoryError> {
        Ok(PartialFile::create_in(&self.root, OsStr::new(FAILURES), true)?)
    }

    /// Creates the file for failure lines that do not fit in memory. It has no name any more, so it vanishes with the
    /// process.
    pub(super) fn create_spill(&self) -> Result<File, DirectoryError> {
        let name = OsStr::new(SPILL);
        let created = self.root.create_new(name);
        let created = created.and_then(|file| self.root.remove(name).map(|()| file));
        created.map_err(DirectoryError::io(&self.spill_path(), "be written"))
    }

    /// What messages call that file.
    pub(super) fn spill_path(&self) -> PathBuf {
        self.path.join(SPILL)
    }

    /// Writes `run.json`, which replaces the one before in one step.
    pub(super) fn write_report(&self, report: &Report) -> Result<(), DirectoryError> {
        let mut json = serde_json::to_vec_pretty(report)
            .map_err(|e| DirectoryError::io(&self.path.join(REPORT), "be written")(e.into()))?;
        json.push(b'\n');
        let mut file = PartialFile::create_in(&self.root, OsStr::new(REPORT), true)?;
        file.append(&json)?;
        file.commit()?;
        Ok(())
    }

    /// Writes `report.html`, which replaces the one before in one step.
    pub(super) fn write_report_page(&self, page: &str) -> Result<(), DirectoryError> {
        let mut file = PartialFile::create_in(&self.root, OsStr::new(REPORT_PAGE), true)?;
        file.append(page.as_bytes())?;
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
            for (folder, name) in left.iter().filter_map(|old| self.place(old).ok()) {
                // A file that cannot be removed stays listed; one that is gone already needs no removing.
                let _ = folder.remove(name);
                // What a killed run began to write.
                let _ = folder.remove(&partial_name(name));
            }
        }
        left.retain(|old| self.exists(old));
        left
    }
}

/// The outputs that a `run.json` of any version lists; `None` if it is not of this program. Only plain names in the
/// folders of outputs count, since the file may have been changed by anybody.
fn listed_outputs(json: &[u8]) -> Option<BTreeSet<PathBuf>> {
    let json: serde_json::Value = serde_json::from_slice(json).ok()?;
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
fn has_other_files(folder: &Folder) -> io::Result<bool> {
    let is_other = |name: &std::ffi::OsString| name != LOCK && name != ".run.json.partial";
    Ok(folder.names()?.iter().any(is_other))
}
