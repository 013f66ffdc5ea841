//! A local file as memory, and giving its pages back.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Range;

/// A read-only mapping of a whole file; `None` for an empty one, which cannot be mapped.
#[derive(Debug)]
pub struct Map(Option<memmap2::Mmap>);

impl Map {
    /// Maps a regular file, which must not be empty.
    ///
    /// # Errors
    /// Whatever the operating system says; a pipe or a device cannot be mapped.
    pub fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the mapping is private and read-only. Another process that shortens the file while it is read makes
        // the kernel send SIGBUS on the pages that are gone; that this ends the program is documented.
        let map = unsafe { memmap2::MmapOptions::new().map(file)? };
        Ok(Self(Some(map)))
    }

    /// The mapping of an empty file.
    pub fn empty() -> Self {
        Self(None)
    }

    /// Tells the kernel that these bytes will not be read again soon, so that resident memory stays flat.
    pub fn release(&self, range: Range<u64>) {
        let Some(map) = &self.0 else { return };
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
            let _ = map.advise(memmap2::Advice::Sequential);
        }
    }
}

impl std::ops::Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}
