//! An output file that appears under its name only when it is whole and on disk.
//!
//! The file is written as `.NAME.partial` in the same directory. A commit syncs the file, renames it and syncs the
//! directory, so a crash at any moment leaves either the whole file or none. Symbolic links are never followed: the
//! partial file must be new, and a link at the final name is replaced, not written through.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dehusk_archive::escape;

/// An output file that is not complete yet. [`PartialFile::commit`] completes it; dropping it removes it.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    partial: PathBuf,
    path: PathBuf,
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
        let partial = partial_path(path)?;
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(at("be created", path)(io::ErrorKind::AlreadyExists.into()));
        }
        if overwrite {
            match fs::remove_file(&partial) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(at("be removed", &partial)(e)),
                _ => {}
            }
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&partial)
            .map_err(at("be created", &partial))?;
        Ok(PartialFile {
            file,
            partial,
            path: path.to_path_buf(),
            overwrite,
            bytes: 0,
            broken: false,
            committed: false,
        })
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
                Err(at("be written", &self.partial)(e))
            }
        }
    }

    /// Returns the number of bytes that were appended.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the path that the file gets when it is committed.
    pub fn path(&self) -> &Path {
        &self.path
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
            return Err(at("be committed", &self.path)(io::Error::other(
                "an earlier write to it failed",
            )));
        }
        self.file.flush().map_err(at("be written", &self.partial))?;
        self.file.sync_all().map_err(at("be synced", &self.partial))?;
        self.rename().map_err(at("be committed", &self.path))?;
        self.committed = true;
        let directory = self
            .path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        sync_directory(directory).map_err(at("be synced", directory))?;
        Ok(self.bytes)
    }

    /// Gives the partial file its final name.
    fn rename(&self) -> io::Result<()> {
        if self.overwrite {
            return fs::rename(&self.partial, &self.path);
        }
        // A hard link fails atomically if the name is taken; a rename would replace the other file.
        match fs::hard_link(&self.partial, &self.path) {
            Ok(()) => {
                // The file has its name. If its second name cannot be removed, it does no harm.
                let _ = fs::remove_file(&self.partial);
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
            // The file system has no hard links. Between this check and the rename, another program could take the name.
            Err(_) if self.path.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.partial, &self.path),
        }
    }

    /// Wraps a file that the caller opened, so that tests can make writes fail.
    #[doc(hidden)]
    pub fn over(file: File, path: &Path) -> Result<Self, WriteError> {
        let partial = partial_path(path)?;
        Ok(PartialFile {
            file,
            partial,
            path: path.to_path_buf(),
            overwrite: false,
            bytes: 0,
            broken: false,
            committed: false,
        })
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.committed {
            // There is no way to report an error here; the next run with `overwrite` removes the file.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Returns the hidden path that a file is written under.
fn partial_path(path: &Path) -> Result<PathBuf, WriteError> {
    let name = path
        .file_name()
        .ok_or_else(|| at("be created", path)(io::ErrorKind::InvalidInput.into()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".partial");
    Ok(path.with_file_name(hidden))
}

/// Syncs a directory, so that new names in it survive a crash.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems cannot sync a directory.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
