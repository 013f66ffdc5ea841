//! A local file that is read with `pread`: safe whatever other processes do to it.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::ByteSource;

/// A regular file, read in ranges.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    stamp: Stamp,
}

impl FileSource {
    /// Opens a regular file.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(File::open(path)?)
    }

    /// Reads from an open file.
    ///
    /// # Errors
    /// The operating system does not report the file's size.
    pub fn new(file: File) -> io::Result<Self> {
        let stamp = Stamp::new(&file)?;
        Ok(Self { file, stamp })
    }
}

impl ByteSource for FileSource {
    fn size(&self) -> u64 {
        self.stamp.size
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset)
    }

    fn check(&self) -> io::Result<()> {
        self.stamp.check(&self.file, false)
    }

    fn may_wait(&self) -> bool {
        false
    }
}

/// The metadata of a file when it was opened.
#[derive(Debug)]
pub(super) struct Stamp {
    pub(super) size: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(super) fn new(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    /// Checks that the file is as it was. One that has grown passes: nothing after its old end is read.
    pub(super) fn check(&self, file: &File, has_lost_bytes: bool) -> io::Result<()> {
        let metadata = file.metadata()?;
        let (size, before) = (metadata.len(), self.size);
        Err(io::Error::other(if size < before {
            format!("the file was shortened from {before} to {size} bytes while it was read")
        } else if has_lost_bytes {
            "a part of the file could not be read, or was gone for a while".to_owned()
        } else if size == before && metadata.modified().ok() != self.modified {
            "the file was changed while it was read".to_owned()
        } else {
            return Ok(());
        }))
    }
}

/// Whether a file with these metadata can be read as a stream only: pipes, devices, and files that state no size. A
/// file that states no size may be empty; but those in `/proc`, for one, are made when they are read.
pub fn is_stream(metadata: &Metadata) -> bool {
    !metadata.is_dir() && (!metadata.is_file() || metadata.len() == 0)
}
