//! The account of a run in its directory: `run.json` and `report.html`, the journal, the list of failures, and the
//! nameless files that it needs while it is active.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{DOCUMENTS, Directory, FAILURES, JOURNAL, PLACES, QUARANTINE, RECORDS, SPILL};
use crate::run::error::{DirectoryError, DirectoryErrorKind};
use crate::run::journal::Journal;
use crate::run::report::Report;
use dehusk_documents::bounded;
use dehusk_documents::encode::{PartialFile, partial_name};
use dehusk_documents::folder::{EntryKind, REPORT, REPORT_PAGE, open_output};

/// Largest report that is read, in bytes: some kilobytes for each of a million archives.
const REPORT_LIMIT: u64 = 4 << 30;

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
    pub(in crate::run) fn read_value(directory: &Path) -> Result<Value, DirectoryError> {
        let path = directory.join(REPORT);
        let text = open_output(&path).and_then(|file| bounded::text(file, REPORT_LIMIT));
        let text = text.map_err(|e| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                let is_file = directory.is_file();
                DirectoryError::new(directory, DirectoryErrorKind::NoRun { is_file })
            }
            _ => DirectoryError::io(&path, "be read")(e),
        })?;
        serde_json::from_str(&text).map_err(|e| invalid(&path, e))
    }

    /// The report that a `run.json` of this directory holds.
    ///
    /// # Errors
    /// It is not of this version, or of no run.
    pub(in crate::run) fn from_value(value: Value, directory: &Path) -> Result<Self, DirectoryError> {
        if value["deduplicated"] == true {
            return Err(DirectoryError::new(directory, DirectoryErrorKind::Deduplicated));
        }
        serde_json::from_value(value).map_err(|e| invalid(&directory.join(REPORT), e))
    }
}

fn invalid(path: &Path, error: serde_json::Error) -> DirectoryError {
    DirectoryError::new(path, DirectoryErrorKind::InvalidReport { source: error.into() })
}

impl Directory {
    /// The bytes of `run.json`, if there is one.
    pub(in crate::run) fn read_report(&self) -> Result<Option<Vec<u8>>, DirectoryError> {
        match self.root.kind(OsStr::new(REPORT)) {
            None => Ok(None),
            Some(EntryKind::File) => {
                let read = self.root.read(OsStr::new(REPORT));
                let bytes = read.and_then(|file| bounded::read(file, REPORT_LIMIT));
                bytes
                    .map(Some)
                    .map_err(DirectoryError::io(&self.path.join(REPORT), "be read"))
            }
            Some(_) => Err(DirectoryError::new(&self.path, DirectoryErrorKind::ReportNotFile)),
        }
    }

    /// Writes `run.json`, which atomically replaces the previous one.
    pub(in crate::run) fn write_report(&self, report: &Report) -> Result<(), DirectoryError> {
        let mut json = serde_json::to_vec_pretty(report)
            .map_err(|e| DirectoryError::io(&self.path.join(REPORT), "be written")(e.into()))?;
        json.push(b'\n');
        let mut file = PartialFile::create_in(&self.root, OsStr::new(REPORT), true)?;
        file.append(&json)?;
        file.commit()?;
        Ok(())
    }

    /// Writes `report.html`, which atomically replaces the previous one.
    pub(in crate::run) fn write_report_page(&self, page: &str) -> Result<(), DirectoryError> {
        let mut file = PartialFile::create_in(&self.root, OsStr::new(REPORT_PAGE), true)?;
        file.append(page.as_bytes())?;
        file.commit()?;
        Ok(())
    }

    /// Opens the journal of an unfinished run. Also returns its name in messages.
    pub(in crate::run) fn read_journal(&self) -> Result<(File, PathBuf), DirectoryError> {
        let name = OsStr::new(JOURNAL);
        match self.root.read(name) {
            Ok(file) => Ok((file, self.path.join(JOURNAL))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Err(DirectoryError::new(&self.path, DirectoryErrorKind::NoJournal))
            }
            Err(e) => Err(DirectoryError::io(&self.path.join(JOURNAL), "be read")(e)),
        }
    }

    /// Begins a new journal, which replaces an earlier one when it is installed.
    pub(in crate::run) fn create_journal(&self) -> Result<Journal, DirectoryError> {
        let partial = partial_name(OsStr::new(JOURNAL));
        let path = self.path.join(JOURNAL);
        PartialFile::remove_stale(&self.root, OsStr::new(JOURNAL))?;
        let file = self.root.create_new(&partial);
        let file = file.map_err(DirectoryError::io(&path, "be created"))?;
        Ok(Journal::new(file, path))
    }

    /// Atomically replaces an earlier journal with the new one.
    pub(in crate::run) fn install_journal(&self, journal: &Journal) -> Result<(), DirectoryError> {
        journal.sync()?;
        let renamed = self
            .root
            .rename(&partial_name(OsStr::new(JOURNAL)), OsStr::new(JOURNAL));
        let synced = renamed.and_then(|()| self.root.sync());
        synced.map_err(DirectoryError::io(&self.path.join(JOURNAL), "be written"))
    }

    /// Removes the journal of a run that is finished.
    pub(in crate::run) fn remove_journal(&self) {
        // If it stays, `run.json` shows that it does not matter any more.
        let _ = self.root.remove(OsStr::new(JOURNAL));
    }

    /// Opens the last run's `failed.jsonl`. Also returns its name in messages.
    pub(in crate::run) fn read_failures(&self) -> Result<(File, PathBuf), DirectoryError> {
        let path = self.path.join(FAILURES);
        match self.root.read(OsStr::new(FAILURES)) {
            Ok(file) => Ok((file, path)),
            Err(e) => Err(DirectoryError::io(&path, "be read")(e)),
        }
    }

    /// Begins `failed.jsonl`, which replaces an earlier one.
    pub(in crate::run) fn create_failure_list(&self) -> Result<PartialFile, DirectoryError> {
        Ok(PartialFile::create_in(&self.root, OsStr::new(FAILURES), true)?)
    }

    /// Creates the file for failure lines that do not fit in memory. It has no name, so it vanishes with the process.
    pub(in crate::run) fn create_spill(&self) -> Result<File, DirectoryError> {
        let created = self.root.create_unnamed(OsStr::new(SPILL));
        created.map_err(DirectoryError::io(&self.spill_path(), "be written"))
    }

    /// The name of that file in messages.
    pub(in crate::run) fn spill_path(&self) -> PathBuf {
        self.path.join(SPILL)
    }

    /// Creates the file for the places of originals, likewise without a name. Also returns its name in messages.
    pub(in crate::run) fn create_places(&self) -> Result<(File, PathBuf), DirectoryError> {
        let path = self.path.join(PLACES);
        match self.root.create_unnamed(OsStr::new(PLACES)) {
            Ok(file) => Ok((file, path)),
            Err(e) => Err(DirectoryError::io(&path, "be written")(e)),
        }
    }
}

/// The outputs that a `run.json` of any version lists; `None` if it is not of this program. Only plain names in the
/// folders of outputs count, since the file may have been changed by anybody.
pub(super) fn listed_outputs(json: &[u8]) -> Option<BTreeSet<PathBuf>> {
    let json: serde_json::Value = serde_json::from_slice(json).ok()?;
    json.get("program")?.as_str()?.strip_prefix("dehusk ")?;
    let archives = json.get("archives")?.as_array()?;
    let lists = archives
        .iter()
        .flat_map(|a| ["shards", "quarantine", "records", "partial"].map(|key| a.get(key)));
    let lists = lists.chain([json.get("earlier")]);
    let outputs = lists.flatten().filter_map(|list| list.as_array()).flatten();
    let is_plain = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']) && *name != "." && *name != "..";
    let output = |value: &serde_json::Value| {
        let (folder, name) = value.as_str()?.split_once('/')?;
        let folder = [DOCUMENTS, QUARANTINE, RECORDS]
            .into_iter()
            .find(|known| *known == folder)?;
        Some(name).filter(is_plain).map(|name| Path::new(folder).join(name))
    };
    Some(outputs.filter_map(output).collect())
}
