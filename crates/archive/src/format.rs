//! Formats of archives, and options of reading.

use crate::digest::DigestPolicy;
use crate::framing::Framing;
use crate::unit::zstd::{self, DICTIONARY_LIMIT, Setting, WINDOW_LIMIT};

/// Largest block that is held in memory by default, in bytes: browsers' pages stay far below.
pub const RECORD_LIMIT: u64 = 64 << 20;

/// How an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Not at all.
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstd frames.
    Zstd,
}

/// The format of an archive, by its bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Its compression.
    pub container: Container,
    /// Its records' framing.
    pub framing: Framing,
    pub(crate) zstd: Setting,
}

impl Format {
    /// The format of an uncompressed archive.
    pub(crate) fn plain(framing: Framing) -> Self {
        Self {
            container: Container::Plain,
            framing,
            zstd: Setting::default(),
        }
    }

    /// The extensions of such an archive's file name, such as `warc.gz`.
    pub fn extension(&self) -> String {
        let framing = match self.framing {
            Framing::Warc => "warc",
            Framing::Arc(_) => "arc",
            Framing::Tar => "tar",
        };
        let container = match self.container {
            Container::Plain => "",
            Container::Gzip => ".gz",
            Container::Zstd => ".zst",
        };
        format!("{framing}{container}")
    }

    /// Whether records of the other format are read as those of this one.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        (self.container, self.framing) == (other.container, other.framing)
            && self.zstd.dictionary == other.zstd.dictionary
    }

    /// The bytes that must come before some of the archive's frames so that they decode apart from it: its zstd
    /// dictionary, or nothing.
    pub fn preamble(&self) -> Vec<u8> {
        let dictionary = self.zstd.dictionary.as_deref();
        dictionary.map(zstd::dictionary_frame).unwrap_or_default()
    }
}

/// Options of reading: [`ReadOptions::new`] has the defaults, and the fields can be set.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Largest block that is held in memory, in bytes; larger records fail as `too_large`.
    pub record_limit: u64,
    /// Largest window of a zstd frame, in bytes, rounded down to a power of two; larger ones fail as `zstd_window`.
    pub window_limit: u64,
    /// Largest zstd dictionary, in bytes; an archive with a larger one is refused.
    pub dictionary_limit: u64,
    /// Whether data under a wrong checksum pass with a note where no digest contradicts them.
    pub unproven: bool,
    /// The treatment of the digests that records state of their own blocks.
    pub digests: DigestPolicy,
    /// Whether a member or frame that decodes to 8 MiB or more is decoded once before its first record is given, if its
    /// bytes can be read again without waiting. Then it is known whether its checksum is right. It is not otherwise,
    /// and each of its records that no digest proves bears the note `gzip_unchecked` or `zstd_unchecked`.
    pub first_pass: bool,
}

impl ReadOptions {
    /// The default options.
    pub const fn new() -> Self {
        Self {
            record_limit: RECORD_LIMIT,
            window_limit: WINDOW_LIMIT,
            dictionary_limit: DICTIONARY_LIMIT,
            unproven: false,
            digests: DigestPolicy::Ignore,
            first_pass: false,
        }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self::new()
    }
}
