//! An output file that appears under its name only when it is whole and on disk.
//!
//! The file is written as `.NAME.partial` in the same directory. A commit syncs the file, renames it and syncs the
//! directory, so a crash at any moment leaves either the whole file or none. Symbolic links are never followed: the
//! partial file must be new, and a link at the final name is replaced, not written through. All of it happens in the
//! directory that was opened first, even if another one has its path meanwhile.
//!
//! A partial file can be kept and continued later, from a [`FilePosition`] up to which it was synced. It can have a
//! spool beside it, `.NAME.parts`, for what it is made of. What must be built as a whole before it can be appended is
//! built in `.NAME.building`.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use super::checksum::Checksum;
use crate::folder::Folder;
use crate::local;
use dehusk_archive::escape;

/// How far a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePosition {
    /// The number of bytes.
    pub length: u64,
    /// The XXH3 hash of these bytes.
    pub hash: u64,
}

/// An output file that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedFile {
    /// How far it is written.
    pub position: FilePosition,
    /// The SHA-256 of its bytes; empty if it was not asked for.
    pub sha256: String,
}

/// The running hash of a file's bytes.
#[derive(Default)]
struct Hash(Xxh3);

/// An output file that is not complete yet. [`PartialFile::commit`] completes it; dropping it removes it.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    folder: Arc<Folder>,
    /// Its name in the folder until it is committed.
    partial: OsString,
    /// Its name in the folder after that.
    name: OsString,
    overwrite: bool,
    bytes: u64,
    hash: Hash,
    /// Their SHA-256, if it is asked for.
    checksum: Option<Checksum>,
    /// Whether all bytes are on disk.
    synced: bool,
    /// A write failed, so the file must never be committed.
    broken: bool,
    /// Whether dropping the value keeps the partial file, because the file was committed or a later run may continue
    /// it.
    stays: bool,
}

/// An output file could not be written.
///
/// The message escapes the path: archives can have any name, and terminals obey escape sequences.
#[derive(Debug, Error)]
#[error("{}: cannot {action}: {source}", escape::path(.path))]
pub struct WriteError {
    /// The action that failed, as it follows “cannot”: `be created`.
    pub action: &'static str,
    /// The file or directory that the action was for.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
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
        local::check(path).map_err(at("be created", path))?;
        let name = file_name(path)?;
        let partial = path.with_file_name(partial_name(name));
        let folder = Folder::open(path.parent().unwrap_or(path)).map_err(at("be created", &partial))?;
        Self::create_in(&Arc::new(folder), name, overwrite)
    }

    /// Begins the file that will have this name in an open folder. `overwrite` means the same as for
    /// [`PartialFile::create`].
    ///
    /// # Errors
    /// The errors of [`PartialFile::create`].
    pub fn create_in(folder: &Arc<Folder>, name: &OsStr, overwrite: bool) -> Result<Self, WriteError> {
        let path = |name: &OsStr| folder.path().join(name);
        let partial = partial_name(name);
        if !overwrite && folder.kind(name).is_some() {
            return Err(at("be created", &path(name))(io::ErrorKind::AlreadyExists.into()));
        }
        if overwrite {
            remove_hidden(folder, &partial)?;
        }
        let file = folder.create_new(&partial).map_err(at("be created", &path(&partial)))?;
        Ok(Self::new(file, folder, partial, name, overwrite))
    }

    /// Begins a spool for this file: a hidden file beside it, which is never committed. A spool that a killed run left
    /// is replaced.
    ///
    /// # Errors
    /// The system refuses to create or remove a file.
    pub(super) fn spool(&self) -> Result<Self, WriteError> {
        let spool = spool_name(&self.name);
        remove_hidden(&self.folder, &spool)?;
        let created = self.folder.create_new(&spool);
        let file = created.map_err(at("be created", &self.folder.path().join(&spool)))?;
        Ok(Self::new(file, &self.folder, spool, &self.name, false))
    }

    /// Removes the hidden files of this name that a killed run left, if there are any.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove_stale(folder: &Folder, name: &OsStr) -> Result<(), WriteError> {
        hidden_names(name)
            .iter()
            .try_for_each(|hidden| remove_hidden(folder, hidden))
    }

    fn new(file: File, folder: &Arc<Folder>, partial: OsString, name: &OsStr, overwrite: bool) -> Self {
        Self {
            file,
            folder: Arc::clone(folder),
            partial,
            name: name.to_owned(),
            overwrite,
            bytes: 0,
            hash: Hash::default(),
            checksum: None,
            synced: false,
            broken: false,
            stays: false,
        }
    }

    /// Has the SHA-256 of its bytes computed while they are written. Nothing may have been written yet.
    pub fn with_checksum(mut self) -> Self {
        self.checksum = Some(Checksum::default());
        self
    }

    /// Continues a partial file that was kept, after its first `position.length` bytes. The bytes after them are cut
    /// off. The SHA-256 of the bytes is computed.
    ///
    /// # Errors
    /// There is no such file, it is shorter, or these bytes are not those that were written.
    pub fn resume_in(folder: &Arc<Folder>, name: &OsStr, position: FilePosition) -> Result<Self, WriteError> {
        Self::resume(folder, partial_name(name), name, (position, Some(Checksum::default())))
    }

    /// Continues the [spool](PartialFile::spool) of a file in the same way, without a SHA-256.
    pub(super) fn resume_spool_in(
        folder: &Arc<Folder>,
        name: &OsStr,
        position: FilePosition,
    ) -> Result<Self, WriteError> {
        Self::resume(folder, spool_name(name), name, (position, None))
    }

    fn resume(
        folder: &Arc<Folder>,
        partial: OsString,
        name: &OsStr,
        (position, mut checksum): (FilePosition, Option<Checksum>),
    ) -> Result<Self, WriteError> {
        let path = folder.path().join(&partial);
        let mut file = folder.update(&partial).map_err(at("be opened", &path))?;
        let hash = hash_start(&mut file, position.length, checksum.as_mut()).map_err(at("be read", &path))?;
        if hash.0.digest() != position.hash {
            let changed = io::Error::other("its bytes are not those that were written");
            return Err(at("be continued", &path)(changed));
        }
        let cut = file.set_len(position.length);
        cut.and_then(|()| file.seek(SeekFrom::Start(position.length)))
            .map_err(at("be cut", &path))?;
        let mut resumed = Self::new(file, folder, partial, name, true);
        // A file that was kept once is not lost because a later run fails.
        resumed.stays = true;
        (resumed.bytes, resumed.hash, resumed.checksum) = (position.length, hash, checksum);
        Ok(resumed)
    }

    /// Appends bytes, without a buffer: callers write large chunks.
    ///
    /// # Errors
    ///
    /// The system's error, such as a full disk. The file can no longer be committed.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.synced = false;
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.hash.0.update(bytes);
                if let Some(checksum) = &mut self.checksum {
                    checksum.update(bytes);
                }
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

    /// Returns how far the file is written.
    pub fn position(&self) -> FilePosition {
        FilePosition {
            length: self.bytes,
            hash: self.hash.0.digest(),
        }
    }

    /// Returns the length and the hashes of the file, once all of it is appended.
    pub fn sealed(&self) -> SealedFile {
        SealedFile {
            position: self.position(),
            sha256: self.checksum.as_ref().map_or_else(String::new, Checksum::text),
        }
    }

    /// Syncs what was appended, so that it survives a crash under the partial name.
    ///
    /// # Errors
    ///
    /// An earlier [`PartialFile::append`] failed, or the system refuses to sync.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        if self.broken {
            return Err(at("be synced", &self.partial_path())(io::Error::other(
                "an earlier write to it failed",
            )));
        }
        if !self.synced {
            let flushed = self.file.flush().and_then(|()| self.file.sync_all());
            flushed.map_err(at("be synced", &self.partial_path()))?;
            self.synced = true;
        }
        Ok(())
    }

    /// Opens what was appended so far, to read it.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn read_back(&self) -> io::Result<impl Read + use<>> {
        Ok(self.folder.read(&self.partial)?.take(self.bytes))
    }

    /// Keeps the partial file, so that a later run can continue it.
    pub fn suspend(mut self) {
        self.stays = true;
    }

    /// Removes the partial file.
    pub fn discard(mut self) {
        self.stays = false;
    }

    /// Returns the path that the file gets when it is committed.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Returns a path beside the file where its content can be built before it is appended.
    #[cfg(feature = "sqlite")]
    pub(crate) fn building_path(&self) -> PathBuf {
        self.folder.path().join(building_name(&self.name))
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
        self.sync()?;
        self.rename().map_err(at("be committed", &self.path()))?;
        self.stays = true;
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
            // The file system has no hard links. Between this check and the rename, another program could take the
            // name.
            Err(_) if folder.kind(name).is_some() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => folder.rename(partial, name),
        }
    }

    /// Wraps a file that the caller opened, so that tests can make writes fail.
    #[doc(hidden)]
    pub fn over(file: File, path: &Path) -> Result<Self, WriteError> {
        let folder = Folder::open(path.parent().unwrap_or(path)).map_err(at("be created", path))?;
        let name = file_name(path)?;
        Ok(Self::new(file, &Arc::new(folder), partial_name(name), name, false))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.stays {
            // There is no way to report an error here; the next run with `overwrite` removes the file.
            let _ = self.folder.remove(&self.partial);
        }
    }
}

/// Hashes the first `length` bytes of a file.
fn hash_start(file: &mut File, length: u64, mut checksum: Option<&mut Checksum>) -> io::Result<Hash> {
    let mut hash = Hash::default();
    let mut buffer = vec![0; 256 << 10];
    let mut start = file.take(length);
    loop {
        match start.read(&mut buffer) {
            Ok(0) if start.limit() > 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => return Ok(hash),
            Ok(n) => {
                hash.0.update(&buffer[..n]);
                if let Some(checksum) = &mut checksum {
                    checksum.update(&buffer[..n]);
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.digest())
    }
}

fn file_name(path: &Path) -> Result<&OsStr, WriteError> {
    path.file_name()
        .ok_or_else(|| at("be created", path)(io::ErrorKind::InvalidInput.into()))
}

/// The hidden name that a file is written under.
pub fn partial_name(name: &OsStr) -> OsString {
    hidden_name(name, ".partial")
}

/// The hidden name that its content is built under.
fn building_name(name: &OsStr) -> OsString {
    hidden_name(name, ".building")
}

fn hidden_name(name: &OsStr, ending: &str) -> OsString {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(ending);
    hidden
}

/// The hidden name of the spool of a file.
fn spool_name(name: &OsStr) -> OsString {
    hidden_name(name, ".parts")
}

/// The hidden names that a file can have beside its own.
pub fn hidden_names(name: &OsStr) -> [OsString; 3] {
    [partial_name(name), spool_name(name), building_name(name)]
}

/// Removes a file if it is there.
fn remove_hidden(folder: &Folder, hidden: &OsStr) -> Result<(), WriteError> {
    match folder.remove(hidden) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at("be removed", &folder.path().join(hidden))(e)),
        _ => Ok(()),
    }
}
