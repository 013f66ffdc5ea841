//! The run directory: who may use it, and what appears in it when.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` exists from the run's first moment, with the state `running` and every file that the run may write. So a
//!   killed run is recognised, and what it left can be gone on with or replaced.
//! - A directory with other files but no `run.json` is not ours. It is refused.
//! - A directory with a `run.json` was used before. Of its outputs only those are replaced that its `run.json` lists.
//! - While a run is unfinished, its journal stands beside `run.json`.
//! - No symbolic link in the directory is followed, and the directory is the one that was opened first: if it is moved, or
//!   a link takes its place, the run goes on in it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::error::{DirectoryError, DirectoryErrorKind};
use super::failures::{self, Lines};
use super::journal::{Journal, OutputFile};
use super::report::{Report, RunState};
use crate::bounded;
use crate::config::OutputConfig;
use crate::encode::{FilePosition, PartialFile, ShardWriter, hidden_names, partial_name};
use crate::folder::{Folder, Kind, REPORT, REPORT_PAGE};

/// Largest report that is read, in bytes: some kilobytes for each of a million archives.
const REPORT_LIMIT: u64 = 4 << 30;

/// Name of the list of failures.
pub(super) const FAILURES: &str = "failed.jsonl";

/// Name of the lock file.
const LOCK: &str = ".dehusk.lock";

/// Name of the journal of an unfinished run.
const JOURNAL: &str = ".dehusk.journal";

/// Name of the file for failure lines that do not fit in memory.
const SPILL: &str = ".failed-lines.partial";

/// Name of the file for the places of originals.
const PLACES: &str = ".places.partial";

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
        Self::from_value(Self::read_value(directory)?, directory)
    }

    /// Reads a `run.json`, of whatever version.
    ///
    /// # Errors
    /// There is none, it cannot be read, or it is no JSON.
    pub(super) fn read_value(directory: &Path) -> Result<Value, DirectoryError> {
        let path = directory.join(REPORT);
        let text = bounded::read_text(&path, REPORT_LIMIT).map_err(DirectoryError::io(&path, "be read"))?;
        serde_json::from_str(&text).map_err(|e| invalid(&path, e))
    }

    /// The report that a `run.json` of this directory holds.
    ///
    /// # Errors
    /// It is not of this version, or of no run.
    pub(super) fn from_value(value: Value, directory: &Path) -> Result<Self, DirectoryError> {
        if value["deduplicated"] == true {
            return Err(DirectoryError::new(directory, DirectoryErrorKind::Deduplicated));
        }
        serde_json::from_value(value).map_err(|e| invalid(&directory.join(REPORT), e))
    }
}

fn invalid(path: &Path, error: serde_json::Error) -> DirectoryError {
    DirectoryError::new(path, DirectoryErrorKind::InvalidReport { source: error.into() })
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
    _lock: Lock,
}

/// A file with a lock of ours, which ends with this value.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that was just forked has it open, too, until it runs its own program.
        let _ = self.0.unlock();
    }
}

impl Directory {
    /// Creates the directory, or takes over an existing one.
    ///
    /// # Errors
    /// The directory is not ours or is in use, or the system refuses.
    pub(super) fn open(path: &Path) -> Result<Self, DirectoryError> {
        use DirectoryErrorKind::*;
        let error = |kind| DirectoryError::new(path, kind);
        let io = |action| DirectoryError::io(path, action);
        fs::create_dir_all(path).map_err(io("be created"))?;
        let root = Arc::new(Folder::open(path).map_err(io("be opened"))?);
        let kind = |name: &str| root.kind(OsStr::new(name));
        if kind(REPORT).is_none() && has_other_files(&root).map_err(io("be read"))? {
            return Err(error(NotRunDirectory));
        }
        if let Some(name) = [LOCK, JOURNAL, DOCUMENTS, QUARANTINE]
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
        let mut directory = Self {
            path: path.to_owned(),
            root,
            documents: OnceLock::new(),
            quarantine: OnceLock::new(),
            replaceable: BTreeSet::new(),
            _lock: Lock(lock),
        };
        // Only now the report is final: another run may have ended between the first look and the lock.
        if let Some(json) = directory.read_report()? {
            directory.replaceable = listed_outputs(&json).ok_or_else(|| error(ForeignReport))?;
        }
        Ok(directory)
    }

    /// The path that messages call it by.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of `run.json`, if there is one.
    pub(super) fn read_report(&self) -> Result<Option<Vec<u8>>, DirectoryError> {
        match self.root.kind(OsStr::new(REPORT)) {
            None => Ok(None),
            Some(Kind::File) => {
                let read = self.root.read(OsStr::new(REPORT));
                let bytes = read.and_then(|file| bounded::read(file, REPORT_LIMIT));
                bytes
                    .map(Some)
                    .map_err(DirectoryError::io(&self.path.join(REPORT), "be read"))
            }
            Some(_) => Err(DirectoryError::new(&self.path, DirectoryErrorKind::ReportNotFile)),
        }
    }

    /// Refuses outputs whose names are taken by files that no run of this directory wrote.
    pub(super) fn refuse_foreign(&self, outputs: &[PathBuf]) -> Result<(), DirectoryError> {
        let is_foreign = |output: &&PathBuf| !self.replaceable.contains(*output) && self.exists(output);
        match outputs.iter().find(is_foreign) {
            Some(output) => {
                let output = output.clone();
                Err(DirectoryError::new(
                    &self.path,
                    DirectoryErrorKind::ForeignOutput { output },
                ))
            }
            None => Ok(()),
        }
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

    /// Whether an output has its name.
    pub(super) fn exists(&self, output: &Path) -> bool {
        self.place(output)
            .is_ok_and(|(folder, name)| folder.kind(name).is_some())
    }

    /// The size of an output in bytes; `None` if it has no name.
    pub(super) fn size(&self, output: &Path) -> Option<u64> {
        let (folder, name) = self.place(output).ok()?;
        let file = folder.read(name).ok()?;
        file.metadata().ok().map(|metadata| metadata.len())
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
                let hidden = hidden_names(file.file_name().unwrap_or_default());
                let hidden = hidden.map(|name| file.with_file_name(name));
                hidden.into_iter().chain([file])
            })
            .collect()
    }

    /// Begins the run. From now on the directory belongs to this program.
    pub(super) fn begin(&self, report: &Report) -> Result<(), DirectoryError> {
        self.write_report(report)?;
        // A run that was killed in the moment in which such a file had a name left it here.
        for name in [SPILL, PLACES].map(OsStr::new) {
            if self.root.kind(name) == Some(Kind::File) {
                let _ = self.root.remove(name);
            }
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
        self.create_folder_of(path)?;
        let replace = self.replaceable.contains(path);
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be created"))?;
        // The lock makes every partial file ours, also one that `run.json` no longer lists.
        PartialFile::remove_stale(&folder, name)?;
        Ok(PartialFile::create_in(&folder, name, replace)?)
    }

    /// Goes on with an output that an earlier run began.
    pub(super) fn resume_output(&self, path: &Path, position: FilePosition) -> Result<PartialFile, DirectoryError> {
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be opened"))?;
        Ok(PartialFile::resume_in(&folder, name, position)?)
    }

    /// Goes on with a shard that an earlier run began.
    pub(super) fn resume_shard(
        &self,
        path: &Path,
        position: FilePosition,
        output: &OutputConfig,
    ) -> Result<Box<dyn ShardWriter>, DirectoryError> {
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be opened"))?;
        let writer = output.format.resume((&folder, name), position, output.compression());
        Ok(writer?)
    }

    /// Gives a whole output its name, if it does not have it yet.
    ///
    /// # Errors
    /// It is not as it was written, or the system refuses.
    pub(super) fn complete_output(&self, file: &OutputFile) -> Result<(), DirectoryError> {
        let at = self.path.join(&file.path);
        let (folder, name) = self.place(&file.path).map_err(DirectoryError::io(&at, "be opened"))?;
        if folder.kind(&partial_name(name)).is_some() {
            self.resume_output(&file.path, file.position)?.commit()?;
            PartialFile::remove_stale(&folder, name)?;
            return Ok(());
        }
        PartialFile::remove_stale(&folder, name)?;
        let length = folder.read(name).and_then(|file| file.metadata()).map(|m| m.len());
        match length.map_err(DirectoryError::io(&at, "be read"))? {
            length if length == file.position.length => Ok(()),
            _ => {
                let changed = io::Error::other("its size is not that which was written");
                Err(DirectoryError::io(&at, "be taken over")(changed))
            }
        }
    }

    /// Opens the journal of an unfinished run. Returns what messages call it, too.
    pub(super) fn read_journal(&self) -> Result<(File, PathBuf), DirectoryError> {
        let name = OsStr::new(JOURNAL);
        match self.root.read(name) {
            Ok(file) => Ok((file, self.path.join(JOURNAL))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Err(DirectoryError::new(&self.path, DirectoryErrorKind::NoJournal))
            }
            Err(e) => Err(DirectoryError::io(&self.path.join(JOURNAL), "be read")(e)),
        }
    }

    /// Begins a new journal, which takes the place of an earlier one when it is installed.
    pub(super) fn create_journal(&self) -> Result<Journal, DirectoryError> {
        let partial = partial_name(OsStr::new(JOURNAL));
        let path = self.path.join(JOURNAL);
        PartialFile::remove_stale(&self.root, OsStr::new(JOURNAL))?;
        let file = self.root.create_new(&partial);
        let file = file.map_err(DirectoryError::io(&path, "be created"))?;
        Ok(Journal::new(file, path))
    }

    /// Puts the new journal into the place of an earlier one, in one step.
    pub(super) fn install_journal(&self, journal: &Journal) -> Result<(), DirectoryError> {
        journal.sync()?;
        let renamed = self
            .root
            .rename(&partial_name(OsStr::new(JOURNAL)), OsStr::new(JOURNAL));
        let synced = renamed.and_then(|()| self.root.sync());
        synced.map_err(DirectoryError::io(&self.path.join(JOURNAL), "be written"))
    }

    /// Removes the journal of a run that is finished.
    pub(super) fn remove_journal(&self) {
        // If it stays, `run.json` says that it does not matter any more.
        let _ = self.root.remove(OsStr::new(JOURNAL));
    }

    /// Gives the lines of the last run's `failed.jsonl` to `take`, some at a time, with the path of their archive.
    pub(super) fn read_failures(
        &self,
        take: &mut dyn FnMut(&str, Lines<'_>) -> Result<(), DirectoryError>,
    ) -> Result<(), DirectoryError> {
        let path = self.path.join(FAILURES);
        let file = self.root.read(OsStr::new(FAILURES));
        failures::read(file.map_err(DirectoryError::io(&path, "be read"))?, &path, take)
    }

    /// Gives a file of another directory a second name, as an output. Returns whether the file system can do that.
    pub(super) fn link_output(&self, from: &Path, output: &Path) -> Result<bool, DirectoryError> {
        self.create_folder_of(output)?;
        let at = self.path.join(output);
        let (folder, name) = self.place(output).map_err(DirectoryError::io(&at, "be created"))?;
        let partial = partial_name(name);
        PartialFile::remove_stale(&folder, name)?;
        if folder.link_from(from, &partial).is_err() {
            return Ok(false);
        }
        let renamed = folder.rename(&partial, name).and_then(|()| folder.sync());
        renamed.map(|()| true).map_err(DirectoryError::io(&at, "be created"))
    }

    /// Creates the folder of an output, if it is not always there.
    fn create_folder_of(&self, output: &Path) -> Result<(), DirectoryError> {
        match output.starts_with(QUARANTINE) && self.quarantine.get().is_none() {
            true => self.create_folder(QUARANTINE),
            false => Ok(()),
        }
    }

    /// Begins `failed.jsonl`, which replaces an earlier one.
    pub(super) fn create_failure_list(&self) -> Result<PartialFile, DirectoryError> {
        Ok(PartialFile::create_in(&self.root, OsStr::new(FAILURES), true)?)
    }

    /// Creates the file for failure lines that do not fit in memory. It has no name any more, so it vanishes with the
    /// process.
    pub(super) fn create_spill(&self) -> Result<File, DirectoryError> {
        let created = self.root.create_unnamed(OsStr::new(SPILL));
        created.map_err(DirectoryError::io(&self.spill_path(), "be written"))
    }

    /// Creates the file for the places of originals, likewise. Returns what messages call it, too.
    pub(super) fn create_places(&self) -> Result<(File, PathBuf), DirectoryError> {
        let path = self.path.join(PLACES);
        match self.root.create_unnamed(OsStr::new(PLACES)) {
            Ok(file) => Ok((file, path)),
            Err(e) => Err(DirectoryError::io(&path, "be written")(e)),
        }
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
                let _ = PartialFile::remove_stale(&folder, name);
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
    let lists = archives
        .iter()
        .flat_map(|a| ["shards", "quarantine", "partial"].map(|key| a.get(key)));
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
    let partial = |name: &str| partial_name(OsStr::new(name));
    let own = [LOCK.into(), JOURNAL.into(), partial(JOURNAL), partial(REPORT)];
    Ok(folder.names()?.iter().any(|name| !own.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    #[test]
    fn a_directory_is_free_when_its_run_ends_whoever_has_the_lock_file_open() -> Result<(), Box<dyn Error>> {
        let place = tempfile::tempdir()?;
        let directory = Directory::open(place.path())?;
        let forked = directory._lock.0.try_clone()?;
        assert!(Directory::open(place.path()).is_err());
        drop(directory);
        Directory::open(place.path())?;
        drop(forked);
        Ok(())
    }
}
