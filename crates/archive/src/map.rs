//! A local file as memory, and giving its pages back.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::time::SystemTime;

#[cfg(unix)]
use super::lost::Watch;

/// A read-only mapping of a whole file; `None` for an empty one, which cannot be mapped.
#[derive(Debug)]
pub struct Map(Option<Mapped>);

#[derive(Debug)]
struct Mapped {
    /// Dropped before the mapping that it watches.
    #[cfg(unix)]
    watch: Watch,
    bytes: memmap2::Mmap,
    file: File,
    modified: Option<SystemTime>,
}

impl Map {
    /// Maps a regular file, which must not be empty.
    ///
    /// # Errors
    /// Whatever the operating system says; a pipe or a device cannot be mapped.
    pub fn new(file: File) -> io::Result<Self> {
        let modified = file.metadata()?.modified().ok();
        // SAFETY: the mapping is private and read-only. Another process that shortens the file while it is read makes
        // the kernel send SIGBUS on the pages that are gone, which `lost` survives; one that writes to it changes bytes
        // under a shared slice, which nothing here takes for more than bytes. Both are found by `check`.
        let bytes = unsafe { memmap2::MmapOptions::new().map(&file)? };
        Ok(Self(Some(Mapped {
            #[cfg(unix)]
            watch: Watch::new(&bytes),
            bytes,
            file,
            modified,
        })))
    }

    /// The mapping of an empty file.
    pub fn empty() -> Self {
        Self(None)
    }

    /// Whether what was read so far can be believed. A file that has grown can: nobody looks behind its old end.
    ///
    /// # Errors
    /// The file was shortened, or written to in place; or a part of it could not be read.
    pub fn check(&self) -> io::Result<()> {
        let Some(map) = &self.0 else { return Ok(()) };
        let metadata = map.file.metadata()?;
        let length = map.bytes.len() as u64;
        let problem = if metadata.len() < length {
            format!(
                "the file was shortened from {length} to {} bytes while it was read",
                metadata.len()
            )
        } else if map.is_lost() {
            "a part of the file could not be read, or was gone for a while".to_owned()
        } else if metadata.len() == length && metadata.modified().ok() != map.modified {
            "the file was changed while it was read".to_owned()
        } else {
            return Ok(());
        };
        Err(io::Error::other(problem))
    }

    /// Tells the kernel that these bytes will not be read again soon, so that resident memory stays flat.
    pub fn release(&self, range: Range<u64>) {
        let Some(Mapped { bytes: map, .. }) = &self.0 else {
            return;
        };
        let start = range.start as usize;
        let Some(length) = (range.end as usize).min(map.len()).checked_sub(start) else {
            return;
        };
        // SAFETY: a private, read-only mapping of a file that is never written through: dropped pages are read from
        // the file again when they are touched again.
        // A refusal only means that memory is given back later.
        let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, length) };
    }

    /// Tells the kernel that the file is read front to back.
    pub fn sequential(&self) {
        if let Some(map) = &self.0 {
            // As above: only a hint.
            let _ = map.bytes.advise(memmap2::Advice::Sequential);
        }
    }
}

impl Mapped {
    #[cfg(unix)]
    fn is_lost(&self) -> bool {
        self.watch.is_lost()
    }

    /// Other systems do not let a mapped file be shortened.
    #[cfg(not(unix))]
    fn is_lost(&self) -> bool {
        false
    }
}

impl std::ops::Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |map| &map.bytes)
    }
}
