//! The outputs in a run directory: shards, the files of the quarantine, and chosen records. Each is given by its path relative to the
//! directory.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::{DOCUMENTS, Directory, QUARANTINE, RECORDS};
use crate::config::OutputConfig;
use crate::run::error::DirectoryError;
use crate::run::journal::OutputFile;
use crate::run::report::{ArchiveReport, Report, RunState};
use dehusk_documents::encode::{FilePosition, PartialFile, ShardWriter, hidden_names, partial_name, sha256_of};
use dehusk_documents::folder::Folder;

impl Directory {
    /// The folder and the name of an output, which is given relative to the directory.
    pub(super) fn place<'o>(&self, output: &'o Path) -> io::Result<(Arc<Folder>, &'o OsStr)> {
        let folder = if output.starts_with(QUARANTINE) {
            self.subfolder(&self.quarantine, QUARANTINE)?
        } else if output.starts_with(RECORDS) {
            self.subfolder(&self.records, RECORDS)?
        } else {
            self.subfolder(&self.documents, DOCUMENTS)?
        };
        Ok((folder, output.file_name().unwrap_or_default()))
    }

    /// Opens a folder, once.
    pub(super) fn subfolder(&self, opened: &OnceLock<Arc<Folder>>, name: &str) -> io::Result<Arc<Folder>> {
        if let Some(folder) = opened.get() {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(self.root.subfolder(OsStr::new(name))?);
        Ok(Arc::clone(opened.get_or_init(|| folder)))
    }

    pub(super) fn create_folder(&self, name: &str) -> Result<(), DirectoryError> {
        let created = self.root.create_subfolder(OsStr::new(name));
        created.map_err(DirectoryError::io(&self.path.join(name), "be created"))
    }

    /// Creates the folder of an output, unless it always exists.
    fn create_folder_of(&self, output: &Path) -> Result<(), DirectoryError> {
        for (opened, name) in [(&self.quarantine, QUARANTINE), (&self.records, RECORDS)] {
            if output.starts_with(name) && opened.get().is_none() {
                self.create_folder(name)?;
            }
        }
        Ok(())
    }

    /// Whether an output has its name.
    pub(in crate::run) fn exists(&self, output: &Path) -> bool {
        self.place(output)
            .is_ok_and(|(folder, name)| folder.kind(name).is_some())
    }

    /// The size of an output in bytes; `None` if it has no name.
    pub(in crate::run) fn size(&self, output: &Path) -> Option<u64> {
        let (folder, name) = self.place(output).ok()?;
        let file = folder.read(name).ok()?;
        file.metadata().ok().map(|metadata| metadata.len())
    }

    /// The SHA-256 of an output.
    ///
    /// # Errors
    /// It cannot be read.
    pub(in crate::run) fn sha256(&self, output: &Path) -> io::Result<String> {
        let (folder, name) = self.place(output)?;
        sha256_of(folder.read(name)?)
    }

    /// Begins an output file: a shard, or a file of another folder. `path` is relative to the directory.
    pub(in crate::run) fn create_output(&self, path: &Path) -> Result<PartialFile, DirectoryError> {
        self.create_folder_of(path)?;
        let replace = self.replaceable.contains(path);
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be created"))?;
        // The lock makes every partial file ours, also one that `run.json` no longer lists.
        PartialFile::remove_stale(&folder, name)?;
        Ok(PartialFile::create_in(&folder, name, replace)?.with_checksum())
    }

    /// Resumes an output that an earlier run began.
    pub(in crate::run) fn resume_output(
        &self,
        path: &Path,
        position: FilePosition,
    ) -> Result<PartialFile, DirectoryError> {
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be opened"))?;
        Ok(PartialFile::resume_in(&folder, name, position)?)
    }

    /// Resumes a shard that an earlier run began.
    pub(in crate::run) fn resume_shard(
        &self,
        path: &Path,
        position: FilePosition,
        output: &OutputConfig,
    ) -> Result<Box<dyn ShardWriter>, DirectoryError> {
        let place = self.place(path);
        let (folder, name) = place.map_err(DirectoryError::io(&self.path.join(path), "be opened"))?;
        let mut writer = output.format.resume((&folder, name), position, output.compression())?;
        writer.index_by(output.tokenizer());
        Ok(writer)
    }

    /// Gives a whole output its name, if it does not have it yet.
    ///
    /// # Errors
    /// It is not as it was written, or the system refuses.
    pub(in crate::run) fn complete_output(&self, file: &OutputFile) -> Result<(), DirectoryError> {
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

    /// Links a file of another directory as an output. Returns whether the file system can do that.
    pub(in crate::run) fn link_output(&self, from: &Path, output: &Path) -> Result<bool, DirectoryError> {
        self.create_folder_of(output)?;
        let at = self.path.join(output);
        let (folder, name) = self.place(output).map_err(DirectoryError::io(&at, "be created"))?;
        let partial = partial_name(name);
        PartialFile::remove_stale(&folder, name)?;
        if folder.link_from(from, &partial).is_err() {
            return Ok(false);
        }
        let renamed = folder.rename(&partial, name).and_then(|()| {
            // If both names already were those of one file, the system renames nothing.
            PartialFile::remove_stale(&folder, name).map_err(io::Error::other)?;
            folder.sync()
        });
        renamed.map(|()| true).map_err(DirectoryError::io(&at, "be created"))
    }

    /// Removes the hidden files that a killed run has left beside the outputs of a complete one.
    pub(in crate::run) fn remove_leftovers(&self, report: &Report) {
        let outputs = || {
            let archives = report.archives.iter();
            archives.flat_map(ArchiveReport::outputs).chain(&self.replaceable)
        };
        let folders = [
            (&self.documents, DOCUMENTS),
            (&self.quarantine, QUARANTINE),
            (&self.records, RECORDS),
        ];
        for (opened, name) in folders {
            let Ok(folder) = self.subfolder(opened, name) else {
                continue;
            };
            let hidden: HashSet<OsString> = folder
                .names()
                .unwrap_or_default()
                .into_iter()
                .filter(is_hidden)
                .collect();
            if hidden.is_empty() {
                continue;
            }
            for output in outputs().filter(|output| output.starts_with(name)) {
                let names = hidden_names(output.file_name().unwrap_or_default());
                for name in names.iter().filter(|name| hidden.contains(*name)) {
                    // A file that cannot be removed does no harm.
                    let _ = folder.remove(name);
                }
            }
        }
    }

    /// Removes the outputs of earlier runs that this run did not write again, if this run is complete. Returns those
    /// that are still there.
    pub(in crate::run) fn remove_earlier(&self, report: &Report) -> Vec<PathBuf> {
        let new: BTreeSet<&PathBuf> = report.archives.iter().flat_map(ArchiveReport::outputs).collect();
        let mut left = self.earlier_outputs();
        left.retain(|old| !new.contains(old));
        if report.state == RunState::Complete {
            for (folder, name) in left.iter().filter_map(|old| self.place(old).ok()) {
                // A file that cannot be removed stays listed. One that is gone need not be removed.
                let _ = folder.remove(name);
                // Remove the file that a killed run began to write.
                let _ = PartialFile::remove_stale(&folder, name);
            }
        }
        left.retain(|old| self.exists(old));
        left
    }
}

fn is_hidden(name: &OsString) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
