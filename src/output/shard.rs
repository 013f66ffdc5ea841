//! One output file, which appears under its name only when it is whole and on disk.
//!
//! It is written as `.NAME.partial` beside its place. Committing syncs it, gives it its name and syncs the directory,
//! so that a crash at any moment leaves either the whole shard or none. No symbolic link is ever followed: neither at
//! the partial file, which must be new, nor at the final name, which is replaced and not written through.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An output file in the making. Dropped without [`Shard::commit`] it is removed.
#[derive(Debug)]
pub struct Shard {
    file: File,
    partial: PathBuf,
    path: PathBuf,
    overwrite: bool,
    bytes: u64,
    /// A write failed: what stands in the file is not a shard and must never become one.
    broken: bool,
    committed: bool,
}

/// Why an output file could not be made: what was tried, on which path, and what the system said.
#[derive(Debug)]
pub struct ShardError {
    /// What was tried, such as `create`.
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl std::fmt::Display for ShardError {
    /// The path is quoted and escaped: names of archives come from anywhere, and terminals obey escape sequences.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot {} {:?}: {}", self.action, self.path, self.source)
    }
}

impl std::error::Error for ShardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Makes a [`ShardError`] of a system's error.
fn at<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> ShardError + 'p {
    move |source| ShardError {
        action,
        path: path.to_path_buf(),
        source,
    }
}

impl Shard {
    /// Begins the shard that will be `path`, in a directory that exists.
    ///
    /// With `overwrite`, a shard of that name is replaced when this one is committed, and a partial file that a killed
    /// run left is removed now.
    ///
    /// # Errors
    ///
    /// Without `overwrite`, where either file exists already; else what the system says.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, ShardError> {
        let partial = partial_path(path)?;
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(at("create", path)(io::ErrorKind::AlreadyExists.into()));
        }
        if overwrite {
            match fs::remove_file(&partial) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(at("remove", &partial)(e)),
                _ => {}
            }
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&partial)
            .map_err(at("create", &partial))?;
        Ok(Shard {
            file,
            partial,
            path: path.to_path_buf(),
            overwrite,
            bytes: 0,
            broken: false,
            committed: false,
        })
    }

    /// Appends bytes. There is no buffer in between: chunks are large.
    ///
    /// # Errors
    ///
    /// What the system says, such as a full disk. The shard cannot be committed then.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), ShardError> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.bytes += bytes.len() as u64;
                Ok(())
            }
            Err(e) => {
                self.broken = true;
                Err(at("write", &self.partial)(e))
            }
        }
    }

    /// Bytes appended so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The name that the shard will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file, gives it its name and syncs the directory. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// What the system says; after a failed [`Shard::append`]; and, unless it may overwrite, where a file of that name
    /// has appeared meanwhile. Nothing stands under the name then that did not before, unless only the last sync
    /// failed.
    pub fn commit(mut self) -> Result<u64, ShardError> {
        if self.broken {
            return Err(at("commit", &self.path)(io::Error::other(
                "a write to it failed before",
            )));
        }
        self.file.flush().map_err(at("write", &self.partial))?;
        self.file.sync_all().map_err(at("sync", &self.partial))?;
        self.rename().map_err(at("commit", &self.path))?;
        self.committed = true;
        let directory = self
            .path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        sync_directory(directory).map_err(at("sync", directory))?;
        Ok(self.bytes)
    }

    /// Gives the partial file its name.
    fn rename(&self) -> io::Result<()> {
        if self.overwrite {
            return fs::rename(&self.partial, &self.path);
        }
        // A link fails where the name is taken, in one step; renaming would replace.
        match fs::hard_link(&self.partial, &self.path) {
            Ok(()) => {
                // The shard is in its place; a second name for it, should it stay, harms nobody.
                let _ = fs::remove_file(&self.partial);
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
            // The file system knows no links. Looking first leaves a moment in which another program could take the
            // name.
            Err(_) if self.path.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.partial, &self.path),
        }
    }

    /// A shard over a file that the caller opened, for tests of failing disks.
    #[doc(hidden)]
    pub fn over(file: File, path: &Path) -> Result<Self, ShardError> {
        let partial = partial_path(path)?;
        Ok(Shard {
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

impl Drop for Shard {
    fn drop(&mut self) {
        if !self.committed {
            // Nobody is left to tell; the next run with `overwrite` removes it.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// The hidden name beside a path under which its file is written.
fn partial_path(path: &Path) -> Result<PathBuf, ShardError> {
    let name = path
        .file_name()
        .ok_or_else(|| at("create", path)(io::ErrorKind::InvalidInput.into()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".partial");
    Ok(path.with_file_name(hidden))
}

/// Makes the names in a directory survive a crash.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems have no such call.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
