//! A local file mapped into memory.
//!
//! The invariant that the `unsafe` blocks here keep: the mapped bytes are only ever read as plain bytes. Nothing holds
//! a `&str`, or anything else whose validity depends on what the bytes are, over mapped memory: [`super::input`] copies
//! what parsers look at, and only the decoders of gzip and zstd, which take any bytes, read in place.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::file::Stamp;
#[cfg(unix)]
use super::sigbus::Guard;
use super::{ByteSource, copy_at};

/// A read-only mapping of a whole regular file.
#[derive(Debug)]
pub struct MappedFile {
    /// Dropped before the mapping that it guards.
    #[cfg(unix)]
    guard: Guard,
    bytes: memmap2::Mmap,
    file: File,
    stamp: Stamp,
}

impl MappedFile {
    /// Opens and maps a regular file, which must not be empty.
    ///
    /// # Errors
    /// The file cannot be opened or mapped; a pipe, a device or an empty file cannot be mapped.
    ///
    /// # Safety
    /// As for [`MappedFile::new`].
    pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        // SAFETY: the caller keeps the contract.
        unsafe { Self::new(File::open(path)?) }
    }

    /// Maps an open regular file, which must not be empty.
    ///
    /// # Errors
    /// The file cannot be mapped; a pipe, a device or an empty file cannot be mapped.
    ///
    /// # Safety
    /// Another process can change or shorten a mapped file at any moment. The caller accepts that
    ///
    /// - bytes may change while they are read. This package reads them as plain bytes only, so that records may come
    ///   out wrong, but always as valid text. [`ByteSource::check`] reports a change of the file's size or time; a
    ///   change through another shared map shows in neither. [`ByteSource::bytes`] hands out a slice over memory that
    ///   may change: other code must not rely on its bytes either.
    /// - reading after a shortened file's end raises SIGBUS, which ends the process, unless
    ///   `dehusk_archive::sigbus::install` was called before. Then zeros are read, and [`ByteSource::check`]
    ///   reports the loss.
    pub unsafe fn new(file: File) -> io::Result<Self> {
        let stamp = Stamp::new(&file)?;
        // SAFETY: the mapping is private and read-only. The caller accepts what other processes may do to the file;
        // what this package does with the bytes is sound whatever they are (see the module's invariant).
        let bytes = unsafe { memmap2::MmapOptions::new().map(&file)? };
        // Only a hint: a refusal changes nothing.
        let _ = bytes.advise(memmap2::Advice::Sequential);
        Ok(Self {
            #[cfg(unix)]
            guard: Guard::new(&bytes),
            bytes,
            file,
            stamp,
        })
    }

    #[cfg(unix)]
    fn has_lost_bytes(&self) -> bool {
        self.guard.has_lost_bytes()
    }

    /// Other systems do not let a mapped file be shortened.
    #[cfg(not(unix))]
    fn has_lost_bytes(&self) -> bool {
        false
    }
}

impl ByteSource for MappedFile {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(copy_at(&self.bytes, offset, buffer))
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }

    fn check(&self) -> io::Result<()> {
        self.stamp.check(&self.file, self.has_lost_bytes())
    }

    /// Gives the pages back to the kernel, so that resident memory stays flat.
    fn release(&self, range: Range<u64>) {
        let start = range.start as usize;
        let Some(length) = (range.end as usize).min(self.bytes.len()).checked_sub(start) else {
            return;
        };
        // SAFETY: a private, read-only mapping that is never written through: the kernel reads dropped pages from the
        // file again when they are touched again. A refusal only means that memory is given back later.
        let _ = unsafe {
            self.bytes
                .unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, length)
        };
    }

    fn may_wait(&self) -> bool {
        false
    }
}
