//! An output file that appears under its name only when it is whole and on disk.
//!
//! The file is written as `.NAME.partial` in the same directory. A commit syncs the file, renames it and syncs the
//! directory, so a crash at any moment leaves either the whole file or none. Symbolic links are never followed: the
//! partial file must be new, and a link at the final name is replaced, not written through. All of it happens in the
//! directory that was opened first, even if another one has its path meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::folder::Folder;
use dehusk_archive::escape;

/// An output file that is not complete yet. [`PartialFile::commit`] completes it; dropping it removes it.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    folder: Arc<Folder>,
    /// Its names in the folder, until it is whole and then.
    partial: OsString,
    name: OsString,
    overwrite: bool,
    bytes: u64,
    /// A write failed, so the file must never be committed.
    broken: bool,
    committed: bool,
}

/// An output file could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// What was tried, as it follows “cannot”: `be created`.
    pub action: &'static str,
    /// The file or directory that the action was for.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl std::fmt::Display for WriteError {
    /// Escapes the path: archives can have any name, and terminals obey escape sequences.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: cannot {}: {}",
            escape::path(&self.path),
            self.action,
            self.source
        )
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Turns a system's error into a [`WriteError`].
fn at<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> WriteError + 'p {
    move |source| WriteError {
        action,
        path: path.to_path_buf(),
        source,
    }
}

impl PartialFile {
    /// Begins the file that will be `path`. Its directory must exist.
    ///
    /// With `overwrite`, the commit replaces an existing file of that name, and a partial file that a killed run left
    /// is removed now.
    ///
    /// # Errors
    ///
    /// - Without `overwrite`: the file or its partial file exists.
    /// - The system refuses to create or remove a file.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, WriteError> {
        let name = file_name(path)?;
        let partial = path.with_file_name(partial_name(name));
        let folder = Folder::open(path.parent().unwrap_or(path)).map_err(at("be created", &partial))?;
        Self::create_in(&Arc::new(folder), name, overwrite)
    }

    /// As [`PartialFile::create`], in an open folder.
    ///
    /// # Errors
    /// As [`PartialFile::create`].
    pub(crate) fn create_in(folder: &Arc<Folder>, name: &OsStr, overwrite: bool) -> Result<Self, WriteError> {
        let path = |name: &OsStr| folder.path().join(name);
        let partial = partial_name(name);
        if !overwrite && folder.kind(name).is_some() {
            return Err(at("be created", &path(name))(io::ErrorKind::AlreadyExists.into()));
        }
        if overwrite {
            match folder.remove(&partial) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(at("be removed", &path(&partial))(e)),
                _ => {}
            }
        }
        let file = folder.create_new(&partial).map_err(at("be created", &path(&partial)))?;
        Ok(Self::new(file, folder, name, overwrite))
    }

    fn new(file: File, folder: &Arc<Folder>, name: &OsStr, overwrite: bool) -> Self {
        Self {
            file,
            folder: Arc::clone(folder),
            partial: partial_name(name),
            name: name.to_owned(),
            overwrite,
            bytes: 0,
            broken: false,
            committed: false,
        }
    }

    /// Appends bytes, without a buffer: callers write large chunks.
    ///
    /// # Errors
    ///
    /// The system's error, such as a full disk. The file can no longer be committed.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.bytes += bytes.len() as u64;
                Ok(())
            }
            Err(e) => {
                self.broken = true;
                Err(at("be written", &self.partial_path())(e))
            }
        }
    }

    /// Returns the number of bytes that were appended.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the path that the file gets when it is committed.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn partial_path(&self) -> PathBuf {
        self.folder.path().join(&self.partial)
    }

    /// Syncs the file, gives it its name and syncs the directory. Returns the file's size in bytes.
    ///
    /// # Errors
    ///
    /// - An earlier [`PartialFile::append`] failed.
    /// - Without `overwrite`: a file of that name has appeared.
    /// - The system refuses to sync or rename.
    ///
    /// The final name is unchanged after an error, unless only the sync of the directory failed.
    pub fn commit(mut self) -> Result<u64, WriteError> {
        if self.broken {
            return Err(at("be committed", &self.path())(io::Error::other(
                "an earlier write to it failed",
            )));
        }
        self.file.flush().map_err(at("be written", &self.partial_path()))?;
        self.file.sync_all().map_err(at("be synced", &self.partial_path()))?;
        self.rename().map_err(at("be committed", &self.path()))?;
        self.committed = true;
        self.folder.sync().map_err(at("be synced", self.folder.path()))?;
        Ok(self.bytes)
    }

    /// Gives the partial file its final name.
    fn rename(&self) -> io::Result<()> {
        let Self {
            folder, partial, name, ..
        } = self;
        if self.overwrite {
            return folder.rename(partial, name);
        }
        // A hard link fails atomically if the name is taken; a rename would replace the other file.
        match folder.link(partial, name) {
            Ok(()) => {
                // The file has its name. If its second name cannot be removed, it does no harm.
                let _ = folder.remove(partial);
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
            // The file system has no hard links. Between this check and the rename, another program could take the name.
            Err(_) if folder.kind(name).is_some() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => folder.rename(partial, name),
        }
    }

    /// Wraps a file that the caller opened, so that tests can make writes fail.
    #[doc(hidden)]
    pub fn over(file: File, path: &Path) -> Result<Self, WriteError> {
        let folder = Folder::open(path.parent().unwrap_or(path)).map_err(at("be created", path))?;
        Ok(Self::new(file, &Arc::new(folder), file_name(path)?, false))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.committed {
            // There is no way to report an error here; the next run with `overwrite` removes the file.
            let _ = self.folder.remove(&self.partial);
        }
    }
}

fn file_name(path: &Path) -> Result<&OsStr, WriteError> {
    path.file_name()
        .ok_or_else(|| at("be created", path)(io::ErrorKind::InvalidInput.into()))
}

/// The hidden name that a file is written under.
pub(crate) fn partial_name(name: &OsStr) -> OsString {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".partial");
    hidden
}
