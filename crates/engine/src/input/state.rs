//! The state of an archive's file when it was read, to check later whether it is still the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{ArchiveInput, Opening, RecordLanguages, StoredBytes};
use crate::config::Config;
use dehusk_archive::ByteSource;

/// The bytes that are hashed at a time.
const BLOCK: u64 = 1 << 20;

/// The state of an archive's file when a run read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputState {
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was modified last, in UTC.
    pub modified: String,
    /// A hash of the ranges that were to be read; empty if the whole archive was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selected: String,
    /// The tag that its server gave it (ETag); empty for a local file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub etag: String,
    /// Of a directory of pages: a hash of their names, sizes and times; otherwise empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub listing: String,
    /// The digest of its bytes; empty if they were not all read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

impl InputState {
    /// The state of a regular file.
    pub(super) fn of_file(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified: modified(metadata),
            ..Self::default()
        }
    }
}

impl ArchiveInput {
    /// The digest of its first bytes. Of what is not read in ranges, but can be read again, it is that of all bytes.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn digest_of(&self, bytes: u64) -> io::Result<Digest> {
        if let Some(digest) = self.location.digest_of_stream() {
            return digest;
        }
        let mut digest = Digest::default();
        let opening = Opening::new(&Config::default());
        if let StoredBytes::Ranges(source) = self.stored_bytes(&opening).map_err(io::Error::other)? {
            digest.read_to(&source, bytes)?;
        }
        Ok(digest)
    }

    /// The digest of all its bytes, after so many were read. `read` is the digest of those that were read in ranges. An
    /// archive that was not read in ranges is read again if that is possible; the digest is empty if it has changed
    /// meanwhile.
    pub(crate) fn final_digest(&self, size: u64, read: String) -> String {
        match self.location.digest_of_stream() {
            None => read,
            Some(Ok(digest)) if digest.bytes() == size => digest.text(),
            Some(_) => String::new(),
        }
    }
}

/// A digest of an archive's stored bytes that grows with the reading. It is the XXH3 hash of each MiB, chained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// How many bytes it covers.
    bytes: u64,
    chain: u128,
}

impl Digest {
    /// The digest of this many bytes, as [`Digest::text`] wrote it.
    pub fn from_text(bytes: u64, text: &str) -> Option<Self> {
        let chain = u128::from_str_radix(text, 16).ok()?;
        Some(Self { bytes, chain })
    }

    /// How many bytes it covers.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// 32 hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:032x}", self.chain)
    }

    /// Adds all whole blocks before an offset.
    ///
    /// # Errors
    /// The bytes cannot be read. The digest can no longer be used.
    pub(crate) fn read_blocks_before(&mut self, source: &Arc<dyn ByteSource>, offset: u64) -> io::Result<()> {
        self.read_to(source, offset / BLOCK * BLOCK)
    }

    /// Adds the bytes up to an offset, which must be at the end of a block or of the archive.
    ///
    /// # Errors
    /// The bytes cannot be read. The digest can no longer be used.
    pub fn read_to(&mut self, source: &Arc<dyn ByteSource>, offset: u64) -> io::Result<()> {
        let mut buffer = Vec::new();
        while self.bytes < offset {
            let end = (self.bytes / BLOCK * BLOCK + BLOCK).min(offset);
            let block = match source.bytes() {
                Some(bytes) => bytes.get(self.bytes as usize..end as usize),
                None => {
                    buffer.resize((end - self.bytes) as usize, 0);
                    read_exact(&**source, self.bytes, &mut buffer)?;
                    Some(&buffer[..])
                }
            };
            let block = block.ok_or(io::ErrorKind::UnexpectedEof)?;
            self.add(block);
        }
        source.check()
    }

    /// The digest of all bytes of a stream.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub(super) fn of_stream(mut stream: impl Read) -> io::Result<Self> {
        let mut digest = Self::default();
        let mut block = Vec::new();
        while stream.by_ref().take(BLOCK).read_to_end(&mut block)? > 0 {
            digest.add(&block);
            block.clear();
        }
        Ok(digest)
    }

    /// Adds a block.
    fn add(&mut self, block: &[u8]) {
        let mut link = [0; 32];
        link[..16].copy_from_slice(&self.chain.to_le_bytes());
        link[16..].copy_from_slice(&xxh3_128(block).to_le_bytes());
        self.chain = xxh3_128(&link);
        self.bytes += block.len() as u64;
    }
}

fn read_exact(source: &dyn ByteSource, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        match source.read_at(offset, buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                let n = n.min(buffer.len());
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// A hash of ranges, of the offsets inside them, and of the languages of their records.
pub(super) fn hash_of(
    ranges: &[Range<u64>],
    inside: &BTreeMap<u64, BTreeSet<u64>>,
    languages: &RecordLanguages,
) -> String {
    let of_ranges = ranges.iter().flat_map(|range| [range.start, range.end]);
    let of_inside = inside
        .iter()
        .flat_map(|(member, offsets)| offsets.iter().flat_map(|at| [*member, *at]));
    let mut bytes: Vec<u8> = of_ranges.chain(of_inside).flat_map(u64::to_le_bytes).collect();
    for ((member, inside), language) in languages {
        bytes.extend(member.to_le_bytes());
        bytes.extend(inside.unwrap_or(u64::MAX).to_le_bytes());
        bytes.extend(language.as_bytes());
        bytes.push(0);
    }
    format!("{:016x}", xxh3_64(&bytes))
}

/// When a file was modified last, as ISO 8601 with nanoseconds; empty if the system does not report it.
fn modified(metadata: &Metadata) -> String {
    let since_epoch = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    since_epoch.map_or_else(String::new, |since| iso_8601(since.as_secs(), since.subsec_nanos()))
}

fn iso_8601(seconds: u64, nanoseconds: u32) -> String {
    let date = dehusk_archive::calendar::iso_date(seconds);
    format!("{}.{nanoseconds:09}Z", date.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let dates = [0, 951_782_399, 951_782_400, 1_772_323_199, 1_772_323_200, 4_102_444_799].map(|s| iso_8601(s, 5));
        assert_eq!(
            dates.map(|date| date.replace(".000000005Z", "")),
            [
                "1970-01-01T00:00:00",
                "2000-02-28T23:59:59",
                "2000-02-29T00:00:00",
                "2026-02-28T23:59:59",
                "2026-03-01T00:00:00",
                "2099-12-31T23:59:59"
            ]
        );
    }

    #[test]
    fn a_digest_is_the_same_in_any_steps() -> io::Result<()> {
        let bytes: Vec<u8> = (0..3_500_000u32).map(|i| (i % 251) as u8).collect();
        let source: Arc<dyn ByteSource> = Arc::new(bytes.clone());
        let mut whole = Digest::default();
        whole.read_to(&source, 3_500_000)?;
        let mut steps = Digest::default();
        for offset in [1, 1 << 20, 2_000_000, 2 << 20, 3_000_000] {
            steps.read_blocks_before(&source, offset)?;
        }
        let mut steps = Digest::from_text(steps.bytes(), &steps.text()).ok_or(io::ErrorKind::InvalidData)?;
        steps.read_to(&source, 3_500_000)?;
        assert_eq!(steps, whole);
        let mut other = bytes;
        other[1_500_000] ^= 1;
        let mut changed = Digest::default();
        changed.read_to(&(Arc::new(other) as Arc<dyn ByteSource>), 3_500_000)?;
        assert_ne!(changed, whole);
        Ok(())
    }
}
