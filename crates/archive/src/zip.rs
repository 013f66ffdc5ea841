//! The places of archives in a ZIP file, such as a WACZ (Web Archive Collection Zipped 1.1.1, which stores its WARCs as
//! they are, in the folder `archive/`).
//!
//! The archives in it are read in place, one after the other, so that offsets are those in the file. All other bytes
//! are structure: headers, indexes, the directory. Only the directory, which is at the end, lists the places of the
//! archives, so this needs a source of ranges.

use std::io;
use std::ops::Range;

use rawzip::{CompressionMethod, Error, ReaderAt, ZipLocator};

use crate::bytes::ByteSource;
use crate::error::{ArchiveErrorKind, Refusal};
use crate::escape;

/// The bytes that a ZIP file starts with.
const MAGIC: &[u8] = b"PK\x03\x04";

/// Endings of the archives that are read.
const ARCHIVES: &[&[u8]] = &[b".warc.gz", b".warc.zst", b".arc.gz", b".arc.zst", b".warc", b".arc"];

/// Room for an entry of the directory: a name, extra fields and a comment of 64 KiB each.
const BUFFER: usize = 256 << 10;

/// Where the archives are in a ZIP file.
#[derive(Debug)]
pub(crate) struct ZipLayout {
    /// Sorted and disjoint; at least one is stored as it is, though that may be empty.
    archives: Vec<Entry>,
    /// The first archive that is not stored as it is.
    packed: Option<Vec<u8>>,
}

/// An archive in a ZIP file.
#[derive(Debug)]
struct Entry {
    range: Range<u64>,
    /// Whether its bytes are in the file as they are, neither compressed nor encrypted.
    is_stored: bool,
}

fn packed(name: &[u8]) -> Refusal {
    let name = String::from_utf8_lossy(name);
    not_an_archive(format!(
        "is a ZIP file that compresses or encrypts its archives ({}); unpack it first",
        escape::terminal(&name)
    ))
}

fn not_an_archive(message: impl Into<String>) -> Refusal {
    Refusal::new(ArchiveErrorKind::NotAnArchive, message)
}

impl ZipLayout {
    /// Finds the archives in a ZIP file. `None` if the source is no ZIP file, or one whose directory cannot be read: it
    /// is cut, and archives may be found in it all the same.
    ///
    /// # Errors
    /// No archive in the file can be read.
    pub(crate) fn read(source: &dyn ByteSource) -> Result<Option<Self>, Refusal> {
        let mut magic = [0; MAGIC.len()];
        let reader = SourceReader(source);
        if reader.read_exact_at(&mut magic, 0).is_err() || magic != MAGIC {
            return Ok(None);
        }
        match Entries::read(reader) {
            Ok(entries) => entries.layout(source.size()).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Where the archives that can be read lie, in order.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Range<u64>> {
        let stored = self.archives.iter().filter(|archive| archive.is_stored);
        stored.map(|archive| archive.range.clone())
    }

    /// Why an archive in the file cannot be read, if there is one that is compressed or encrypted.
    pub(crate) fn packed(&self) -> Option<Refusal> {
        self.packed.as_deref().map(packed)
    }

    /// The parts of a range of the file that lie in archives, in order.
    pub(crate) fn inside(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self
            .archives
            .partition_point(|archive| archive.range.end <= range.start);
        self.archives[first..]
            .iter()
            .map(move |archive| archive.range.start.max(range.start)..archive.range.end.min(range.end))
            .take_while(|part| part.start < part.end)
    }
}

/// The archives among a ZIP file's entries.
#[derive(Default)]
struct Entries {
    archives: Vec<Entry>,
    /// The first archive that is not stored as it is.
    packed: Option<Vec<u8>>,
}

impl Entries {
    fn read(reader: SourceReader<'_>) -> Result<Self, Error> {
        let mut buffer = vec![0; BUFFER];
        let size = reader.0.size();
        let located = ZipLocator::new().locate_in_reader(reader, &mut buffer, size);
        let zip = located.map_err(|(_, error)| error)?;
        let mut archives = Self::default();
        let mut entries = zip.entries(&mut buffer);
        while let Some(entry) = entries.next_entry()? {
            let path = entry.file_path();
            let name = path.as_bytes();
            if !is_archive(name) {
                continue;
            }
            // The data start after a header whose length only the header itself states.
            let (start, end) = zip.get_entry(entry.wayfinder())?.compressed_data_range();
            let is_stored = entry.compression_method() == CompressionMethod::STORE && !entry.flags().is_encrypted();
            if !is_stored {
                archives.packed.get_or_insert_with(|| name.to_vec());
            }
            archives.archives.push(Entry {
                range: start..end,
                is_stored,
            });
        }
        Ok(archives)
    }

    /// The layout of a file of `size` bytes. An archive that is packed counts as one, too: its bytes are skipped as
    /// damage, because they are never read.
    fn layout(mut self, size: u64) -> Result<ZipLayout, Refusal> {
        if !self.archives.iter().any(|archive| archive.is_stored) {
            return Err(match self.packed {
                Some(name) => packed(&name),
                None => not_an_archive(
                    "is a ZIP file without a WARC or ARC archive in it; if it holds pages, unpack it: a folder of pages can be read",
                ),
            });
        }
        self.archives.sort_by_key(|archive| archive.range.start);
        let mut archives: Vec<Entry> = Vec::new();
        for archive in self.archives {
            let before = archives.last().map_or(0, |last| last.range.end);
            let range = archive.range.start.max(before)..archive.range.end.min(size);
            if !range.is_empty() {
                archives.push(Entry { range, ..archive });
            }
        }
        Ok(ZipLayout {
            archives,
            packed: self.packed,
        })
    }
}

fn is_archive(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    ARCHIVES.iter().any(|ending| name.ends_with(ending))
}

/// A source of bytes as `rawzip` reads it.
struct SourceReader<'s>(&'s dyn ByteSource);

impl ReaderAt for SourceReader<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = usize::try_from(self.0.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        match most {
            0 => Ok(0),
            _ => self.0.read_at(offset, &mut buffer[..most]).map(|n| n.min(most)),
        }
    }
}
