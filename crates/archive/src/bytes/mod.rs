//! Sources of an archive's stored bytes.
//!
//! A [`ByteSource`] serves ranges of bytes: a file read with `pread` ([`FileSource`]), a mapped file ([`MappedFile`]),
//! bytes in memory, an HTTP or S3 object. [`input`] shows a source, or a stream, to the decoders.

mod file;
pub(crate) mod input;
mod map;
mod part;
#[cfg(unix)]
pub mod sigbus;

use std::fmt::Debug;
use std::io;
use std::ops::Range;

pub use file::{FileSource, is_stream};
pub use map::MappedFile;
pub use part::Part;

/// Stored bytes that can be read in ranges, from several threads at a time.
///
/// The reader asks again after a short read, and after [`io::ErrorKind::Interrupted`]. It does not repeat a read that
/// failed otherwise: a source that can retry does so itself, by its own rule, before it returns an error. An error, or
/// an end before [`ByteSource::size`], ends the archive with that reason; nothing is made of bytes that were not read.
///
/// ```
/// use std::io;
/// use std::sync::Arc;
/// use dehusk_archive::{Archive, ByteSource, ReadOptions};
///
/// /// Bytes that some other system keeps.
/// #[derive(Debug)]
/// struct Stored(Vec<u8>);
///
/// impl ByteSource for Stored {
///     fn size(&self) -> u64 {
///         self.0.len() as u64
///     }
///
///     fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
///         let rest = self.0.get(offset as usize..).unwrap_or_default();
///         let n = rest.len().min(buffer.len());
///         buffer[..n].copy_from_slice(&rest[..n]);
///         Ok(n)
///     }
/// }
///
/// let bytes = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n".to_vec();
/// let archive = Archive::from_source("mine", Arc::new(Stored(bytes)), ReadOptions::default())?;
/// let mut records = archive.records();
/// assert_eq!(records.next_record().map(|record| record.block), Some(b"hi"[..].into()));
/// # Ok::<(), dehusk_archive::ArchiveError>(())
/// ```
pub trait ByteSource: Send + Sync + Debug {
    /// Number of bytes. It must not change: bytes after it are never asked for.
    fn size(&self) -> u64;

    /// Reads bytes from `offset` on into the start of `buffer` and returns how many, at most `buffer.len()`. 0 means
    /// that the source ends at `offset`.
    ///
    /// # Errors
    /// The bytes cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// All bytes, where they lie in memory: exactly [`ByteSource::size`] of them. The decoders then read compressed
    /// bytes in place instead of copying them.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }

    /// The part around `offset`, if the source holds its bytes in parts in memory, as one on a server does. The
    /// decoders then read it in place instead of copying it. `None` if it does not, or if nothing is at `offset`.
    ///
    /// This may wait as long as [`ByteSource::read_at`].
    ///
    /// # Errors
    /// The bytes cannot be read.
    fn part(&self, _offset: u64) -> io::Result<Option<Part>> {
        Ok(None)
    }

    /// The part of [`ByteSource::part`], if it is there at once; `None` if the source would have to wait.
    fn part_at_hand(&self, _offset: u64) -> Option<Part> {
        None
    }

    /// Whether what was read so far can be trusted. The reader asks after it has read and before anything is made of
    /// the bytes.
    ///
    /// This must return at once, without waiting for the network, even if [`ByteSource::read_at`] may wait. The
    /// caller cannot cancel it, and keeps other threads from work meanwhile.
    ///
    /// # Errors
    /// The stored bytes have changed meanwhile, or some were lost.
    fn check(&self) -> io::Result<()> {
        Ok(())
    }

    /// Learns that these bytes will not be read again soon.
    fn release(&self, _range: Range<u64>) {}

    /// Whether the bytes at this offset are at hand: `false` where a read is a request that costs much, such as a round
    /// trip. A reader that wants to see some bytes more than it needs does without those that are not at hand.
    fn is_ready(&self, _offset: u64) -> bool {
        true
    }

    /// Whether [`ByteSource::read_at`] may wait for longer than a disk does. A thread that reads such a source lets
    /// others use its CPU slot meanwhile.
    fn may_wait(&self) -> bool {
        true
    }
}

/// Bytes in memory.
impl ByteSource for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(copy_at(self, offset, buffer))
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }

    fn may_wait(&self) -> bool {
        false
    }
}

/// Copies what is at `offset` to the start of `buffer`; returns how many bytes.
fn copy_at(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let n = buffer.len().min(bytes.len() - start);
    buffer[..n].copy_from_slice(&bytes[start..start + n]);
    n
}
