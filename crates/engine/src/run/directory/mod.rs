//! The run directory: its lock, its files, and when each of them appears.
//!
//! - One run at a time holds a lock on `.dehusk.lock`.
//! - `run.json` exists from the run's first moment, with the state `running` and every file that the run may write. So
//!   a killed run is recognised, and what it left can be resumed or replaced.
//! - A directory with other files but no `run.json` is not ours, and is refused.
//! - A directory with a `run.json` was used before. A run replaces only the outputs that this `run.json` lists.
//! - While a run is unfinished, its journal is beside `run.json`.
//! - No symbolic link in the directory is followed. The directory is the one that was opened first: if it is moved, or
//!   a link replaces it, the run continues in it.
//!
//! This file decides who may use the directory. `outputs` has the files that a run makes in it, and `accounts` the
//! run's account of itself.

mod accounts;
mod outputs;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::error::{DirectoryError, DirectoryErrorKind};
use super::report::Report;
use crate::config::Config;
use accounts::listed_outputs;
use dehusk_documents::encode::{hidden_names, partial_name};
use dehusk_documents::folder::{EntryKind, Folder, LOCK, REPORT, REPORT_PAGE};
use dehusk_documents::{in_use, local};

/// Name of the list of failures.
pub(super) const FAILURES: &str = "failed.jsonl";

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

/// The folder of chosen records.
pub(super) const RECORDS: &str = "records";

/// The path of an archive's shard, relative to the run directory. `shard` is its name without endings.
pub(super) fn shard_path(config: &Config, shard: &str) -> PathBuf {
    let output = &config.output;
    let file = format!("{shard}.{}", output.format.file_extension(output.compression()));
    Path::new(DOCUMENTS).join(file)
}

/// A run directory in use by this run.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    root: Arc<Folder>,
    /// The folders in it, opened when they are first needed.
    documents: OnceLock<Arc<Folder>>,
    quarantine: OnceLock<Arc<Folder>>,
    records: OnceLock<Arc<Folder>>,
    /// Outputs of an earlier run, which may be replaced; relative.
    replaceable: BTreeSet<PathBuf>,
    /// Held until the run ends.
    _lock: Lock,
}

/// A locked file, which is unlocked when this value is dropped.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that was just forked also has it open, until it runs its own
        // program.
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
        local::check(path).map_err(io("be created"))?;
        fs::create_dir_all(path).map_err(io("be created"))?;
        let root = Arc::new(Folder::open(path).map_err(io("be opened"))?);
        let kind = |name: &str| root.kind(OsStr::new(name));
        if kind(REPORT).is_none() && has_other_files(&root).map_err(io("be read"))? {
            return Err(error(NotRunDirectory));
        }
        if let Some(name) = [LOCK, JOURNAL, DOCUMENTS, QUARANTINE, RECORDS]
            .into_iter()
            .find(|name| kind(name) == Some(EntryKind::Link))
        {
            return Err(error(SymbolicLink { name }));
        }
        let lock = root.open_or_create(OsStr::new(LOCK)).map_err(io("be written to"))?;
        in_use::lock(&lock).map_err(|e| match e {
            TryLockError::WouldBlock => error(InUse),
            TryLockError::Error(e) => io("be locked")(e),
        })?;
        let mut directory = Self {
            path: path.to_owned(),
            root,
            documents: OnceLock::new(),
            quarantine: OnceLock::new(),
            records: OnceLock::new(),
            replaceable: BTreeSet::new(),
            _lock: Lock(lock),
        };
        // Only now the report is final: another run may have ended between the first look and the lock.
        if let Some(json) = directory.read_report()? {
            directory.replaceable = listed_outputs(&json).ok_or_else(|| error(ForeignReport))?;
        }
        Ok(directory)
    }

    /// Its path in messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses outputs whose names belong to files that no run of this directory wrote.
    pub(super) fn refuse_foreign(&self, outputs: &[PathBuf]) -> Result<(), DirectoryError> {
        let is_foreign = |output: &&PathBuf| !self.replaceable.contains(*output) && self.exists(output);
        let foreign = outputs.iter().find(is_foreign).cloned();
        foreign.map_or(Ok(()), |output| {
            let kind = DirectoryErrorKind::ForeignOutput { output };
            Err(DirectoryError::new(&self.path, kind))
        })
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
            if self.root.kind(name) == Some(EntryKind::File) {
                let _ = self.root.remove(name);
            }
        }
        self.create_folder(DOCUMENTS)?;
        let opened = self.subfolder(&self.documents, DOCUMENTS).map(drop);
        opened.map_err(DirectoryError::io(&self.path.join(DOCUMENTS), "be opened"))
    }
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
    fn a_directory_is_free_when_its_run_ends_even_if_another_process_has_the_lock_file_open()
    -> Result<(), Box<dyn Error>> {
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
