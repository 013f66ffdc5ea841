//! A folder that stays the same one, whatever becomes of its path.
//!
//! Everything in it is found by its name from the open folder. So if another program moves the folder, or puts a link
//! in its place, nothing is written elsewhere. No link in it is followed. Systems without such calls go by the path.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Name of the report in the directory of a run.
pub const REPORT: &str = "run.json";

/// Name of the page about a run, in the same place.
pub const REPORT_PAGE: &str = "report.html";

/// Name of the lock file there.
pub const LOCK: &str = ".dehusk.lock";

/// Whether a run has written its report and its page to a directory.
pub fn is_run_directory(path: &Path) -> bool {
    [REPORT, REPORT_PAGE].iter().all(|name| path.join(name).is_file())
}

/// The directories with a report in a folder, by their names.
///
/// # Errors
/// The folder cannot be read.
pub fn runs_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut runs = entries.collect::<io::Result<Vec<_>>>()?;
    runs.retain(|run| run.join(REPORT).is_file());
    runs.sort();
    Ok(runs)
}

/// Opens an output of a run by its path, to read it back. Reading from a pipe in its place could wait forever.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_output(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// A path without links and `..`, also where its folders are not there yet.
pub fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.components().fold(PathBuf::new(), |mut resolved, component| {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            component => resolved.push(component),
        }
        resolved.canonicalize().unwrap_or(resolved)
    })
}

/// The run directory that a path leads into: to a file in it, or in a folder of it.
pub fn run_around(file: &Path) -> Option<PathBuf> {
    let file = resolved(file);
    let is_run = |directory: &&Path| {
        let is_there = |name: &str| directory.join(name).is_file();
        // A copy without duplicates has no page and no lock.
        is_there(REPORT) && (is_there(LOCK) || is_there(REPORT_PAGE) || directory.join("documents").is_dir())
    };
    let mut around = file.ancestors().skip(1).take(2);
    around.find(is_run).map(Path::to_path_buf)
}

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: system::Handle,
}

/// The kind of an entry in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A folder, a pipe or the like.
    Other,
}

impl Folder {
    /// Opens a folder by its path, which may be a link.
    ///
    /// # Errors
    /// There is none, or the system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A file's parent is "" if the file is named without a folder.
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        Ok(Self {
            path: path.to_owned(),
            handle: system::open(path)?,
        })
    }

    /// The path that it was opened by, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder in this one, if it is not there.
    pub fn create_subfolder(&self, name: &OsStr) -> io::Result<()> {
        match system::create_folder(&self.handle, name) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    /// Opens a folder in this one.
    pub fn subfolder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self {
            path: self.path.join(name),
            handle: system::open_folder(&self.handle, name)?,
        })
    }

    /// Creates a file that must be new.
    pub fn create_new(&self, name: &OsStr) -> io::Result<File> {
        system::create_new(&self.handle, name)
    }

    /// Creates a file that loses its name at once, so that it vanishes with the process. The name must be free.
    pub fn create_unnamed(&self, name: &OsStr) -> io::Result<File> {
        let file = self.create_new(name)?;
        self.remove(name)?;
        Ok(file)
    }

    /// Opens a file for writing, and creates it if it is not there.
    pub fn open_or_create(&self, name: &OsStr) -> io::Result<File> {
        system::open_or_create(&self.handle, name)
    }

    /// Opens a file that is there for reading and writing.
    pub fn update(&self, name: &OsStr) -> io::Result<File> {
        system::update(&self.handle, name)
    }

    /// Opens a file for reading.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        system::read(&self.handle, name)
    }

    /// The kind of the entry of a name; `None` if there is none.
    pub fn kind(&self, name: &OsStr) -> Option<EntryKind> {
        system::kind(&self.handle, name).ok()
    }

    /// Removes a file.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        system::remove(&self.handle, name)
    }

    /// Gives a file another name, and replaces what had that name.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        system::rename(&self.handle, from, to)
    }

    /// Gives a file a second name, which must be free.
    pub fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        system::link(&self.handle, from, to)
    }

    /// Gives a file of another folder a second name here, which must be free.
    pub fn link_from(&self, from: &Path, name: &OsStr) -> io::Result<()> {
        system::link_from(&self.handle, from, name)
    }

    /// The names in it.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        system::names(&self.handle)
    }

    /// Syncs it, so that new names in it survive a crash.
    pub fn sync(&self) -> io::Result<()> {
        system::sync(&self.handle)
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};

    use super::EntryKind;

    pub(super) type Handle = OwnedFd;

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    /// A pipe is not waited for, so that it can be refused.
    const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

    /// The permissions that new files and folders have, less the process's mask.
    const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
    const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(fs::openat(CWD, path, FOLDER, Mode::empty())?)
    }

    pub(super) fn open_folder(folder: &Handle, name: &OsStr) -> io::Result<Handle> {
        Ok(fs::openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)
    }

    pub(super) fn create_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(folder, name, FOLDER_MODE)?)
    }

    pub(super) fn create_new(folder: &Handle, name: &OsStr) -> io::Result<File> {
        let flags = FILE | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        Ok(fs::openat(folder, name, flags, FILE_MODE)?.into())
    }

    pub(super) fn open_or_create(folder: &Handle, name: &OsStr) -> io::Result<File> {
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE;
        regular(fs::openat(folder, name, flags, FILE_MODE))
    }

    pub(super) fn update(folder: &Handle, name: &OsStr) -> io::Result<File> {
        regular(fs::openat(folder, name, FILE | OFlags::RDWR, Mode::empty()))
    }

    pub(super) fn read(folder: &Handle, name: &OsStr) -> io::Result<File> {
        regular(fs::openat(folder, name, FILE | OFlags::RDONLY, Mode::empty()))
    }

    /// Refuses what is no regular file: a pipe, a device or a socket, which could hold the program up, or a folder.
    fn regular(opened: rustix::io::Result<OwnedFd>) -> io::Result<File> {
        let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file; remove it");
        let opened = match opened {
            // The system returns this for a pipe without a reader, and for a socket.
            Err(rustix::io::Errno::NXIO) => return Err(refused()),
            Err(rustix::io::Errno::ISDIR) => return Err(refused()),
            opened => opened?,
        };
        match FileType::from_raw_mode(fs::fstat(&opened)?.st_mode) {
            FileType::RegularFile => Ok(opened.into()),
            _ => Err(refused()),
        }
    }

    pub(super) fn kind(folder: &Handle, name: &OsStr) -> io::Result<EntryKind> {
        let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        })
    }

    pub(super) fn remove(folder: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    pub(super) fn rename(folder: &Handle, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(folder, from, folder, to)?)
    }

    pub(super) fn link(folder: &Handle, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(folder, from, folder, to, AtFlags::empty())?)
    }

    pub(super) fn link_from(folder: &Handle, from: &Path, name: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(CWD, from, folder, name, AtFlags::empty())?)
    }

    pub(super) fn names(folder: &Handle) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    pub(super) fn sync(folder: &Handle) -> io::Result<()> {
        Ok(fs::fsync(folder)?)
    }
}

/// Other systems go by paths, and cannot sync a folder.
#[cfg(not(unix))]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    use super::EntryKind;

    pub(super) type Handle = PathBuf;

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        fs::read_dir(path)?;
        Ok(path.to_owned())
    }

    pub(super) fn open_folder(folder: &Handle, name: &OsStr) -> io::Result<Handle> {
        open(&folder.join(name))
    }

    pub(super) fn create_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
        fs::create_dir(folder.join(name))
    }

    pub(super) fn create_new(folder: &Handle, name: &OsStr) -> io::Result<File> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true).open(folder.join(name))
    }

    pub(super) fn open_or_create(folder: &Handle, name: &OsStr) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create(true).truncate(false).open(folder.join(name))
    }

    pub(super) fn update(folder: &Handle, name: &OsStr) -> io::Result<File> {
        File::options().read(true).write(true).open(folder.join(name))
    }

    pub(super) fn read(folder: &Handle, name: &OsStr) -> io::Result<File> {
        File::open(folder.join(name))
    }

    pub(super) fn kind(folder: &Handle, name: &OsStr) -> io::Result<EntryKind> {
        let metadata = folder.join(name).symlink_metadata()?;
        Ok(match (metadata.is_file(), metadata.is_symlink()) {
            (true, _) => EntryKind::File,
            (_, true) => EntryKind::Link,
            _ => EntryKind::Other,
        })
    }

    pub(super) fn remove(folder: &Handle, name: &OsStr) -> io::Result<()> {
        fs::remove_file(folder.join(name))
    }

    pub(super) fn rename(folder: &Handle, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(folder.join(from), folder.join(to))
    }

    pub(super) fn link(folder: &Handle, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(folder.join(from), folder.join(to))
    }

    pub(super) fn link_from(folder: &Handle, from: &Path, name: &OsStr) -> io::Result<()> {
        fs::hard_link(from, folder.join(name))
    }

    pub(super) fn names(folder: &Handle) -> io::Result<Vec<OsString>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(super) fn sync(_: &Handle) -> io::Result<()> {
        Ok(())
    }
}
