//! The journal of an unfinished run: what was written so far, so that the same command can resume it.
//!
//! It is a text file in the run directory. Every line is a checksum (the XXH3 hash of the rest, in 16 hexadecimal
//! digits), a blank and a JSON object with one [`Entry`]. Lines are only appended. A line counts if its checksum is
//! right. A crash may leave the last one half written.
//!
//! The order of writes makes a line true whenever it is on disk: outputs are synced first; then the line with their
//! length is written and synced; only then does a finished output get its name. So an archive is always in one of these
//! states, whatever happens:
//!
//! - no line is about it: it is read from its start;
//! - its last line is a [`Checkpoint`]: its outputs are cut to the lengths in it and continued;
//! - it has a [`Finish`]: its outputs are whole, and get their names if they do not have them yet.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::error::DirectoryError;
use super::report::ArchiveReport;
use crate::input::InputState;
use crate::ledger::Ledger;
use crate::pipeline::Position;
use dehusk_archive::Bytes;
use dehusk_documents::encode::{FilePosition, SealedFile};
use dehusk_documents::store::{PayloadKey, SeenEntry, SeenState};

/// The version of the journal's form.
pub(super) const VERSION: u32 = 1;

/// Longest line that is read, in bytes.
const LINE_LIMIT: u64 = 64 << 20;

/// A line of the journal. Archives are referred to by their numbers in the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Entry {
    Begin(Begin),
    Time(TimeEntry),
    Archive(ArchiveEntry),
    Failures(FailureEntry),
    Payloads(PayloadEntry),
    Seen(SeenEntry),
    Checkpoint(Box<Checkpoint>),
    Finish(Box<Finish>),
}

/// The first line: what the run's documents depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Begin {
    pub(super) journal: u32,
    pub(super) program: String,
    pub(super) config: serde_json::Value,
    pub(super) config_hash: String,
    /// The part of the store of payloads that the run sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<SeenState>,
}

/// How many seconds the run has taken so far, with the executions that it resumed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct TimeEntry {
    pub(super) seconds: f64,
}

/// An archive of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ArchiveEntry {
    pub(super) number: usize,
    /// As `run.json` names it.
    pub(super) path: String,
    /// The name of its shard, without endings.
    pub(super) shard: String,
    #[serde(default)]
    pub(super) input: Option<InputState>,
}

/// Lines of `failed.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FailureEntry {
    pub(super) number: usize,
    /// How many lines of the archive are in earlier entries.
    pub(super) before: u64,
    pub(super) lines: String,
}

/// Some lines of `failed.jsonl`, each with its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<'l> {
    pub(super) text: &'l str,
    pub(super) count: u64,
}

impl<'l> Lines<'l> {
    /// All lines of a text.
    pub(super) fn all(text: &'l str) -> Self {
        Self::first(text, u64::MAX)
    }

    /// At most the first `most` lines of a text.
    pub(super) fn first(text: &'l str, most: u64) -> Self {
        let ends = text
            .match_indices('\n')
            .take(usize::try_from(most).unwrap_or(usize::MAX));
        let (count, end) = ends.fold((0, 0), |(count, _), (at, _)| (count + 1, at + 1));
        Self {
            text: &text[..end],
            count,
        }
    }
}

/// Payloads of documents, each in 32 hexadecimal digits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PayloadEntry {
    pub(super) number: usize,
    /// How many payloads of the archive are in earlier entries.
    pub(super) before: u64,
    pub(super) payloads: String,
}

/// How far an archive is, between two batches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) number: usize,
    pub(super) batches: u64,
    pub(super) stored: u64,
    pub(super) ledger: Ledger,
    /// The ledger's count of stored bytes, which is not part of `run.json`: framed, padding, skipped.
    pub(super) bytes: (u64, u64, u64),
    /// Lines of `failed.jsonl` up to here.
    pub(super) failures: u64,
    /// Payloads up to here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) payloads: u64,
    /// The state of its file, if that was not known when the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<InputState>,
    /// How many stored bytes the digest covers, and the digest. Nothing if the archive's bytes are not hashed.
    pub(super) digest: Option<(u64, String)>,
    pub(super) files: Vec<OutputFile>,
}

/// An output of an archive, as far as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct OutputFile {
    /// Its final path, relative to the run directory.
    pub(super) path: PathBuf,
    #[serde(flatten)]
    pub(super) position: FilePosition,
    /// The SHA-256 of its bytes, once it is whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) sha256: String,
    /// Of a file of the quarantine: offset and length in the archive of what was copied last, and its offset in the
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last: Option<(u64, u64, u64)>,
}

impl OutputFile {
    /// An output that is whole.
    pub(super) fn sealed(path: PathBuf, file: SealedFile) -> Self {
        Self {
            path,
            position: file.position,
            sha256: file.sha256,
            last: None,
        }
    }
}

/// An archive is finished.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Finish {
    pub(super) number: usize,
    pub(super) report: ArchiveReport,
    pub(super) failures: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) payloads: u64,
    /// Its outputs. All are whole.
    pub(super) files: Vec<OutputFile>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl PayloadEntry {
    fn new(number: usize, before: u64, payloads: &[PayloadKey]) -> Self {
        let mut text = String::with_capacity(payloads.len() * DIGITS);
        for payload in payloads {
            text.push_str(&format!("{:032x}", u128::from_be_bytes(*payload)));
        }
        Self {
            number,
            before,
            payloads: text,
        }
    }

    /// How many payloads it has.
    pub(super) fn count(&self) -> u64 {
        (self.payloads.len() / DIGITS) as u64
    }

    /// Its payloads; fewer if they are not as they were written.
    pub(super) fn payloads(&self) -> impl Iterator<Item = PayloadKey> {
        let texts = self.payloads.as_bytes().chunks(DIGITS);
        let numbers = texts.map_while(|text| u128::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok());
        numbers.map(u128::to_be_bytes)
    }
}

/// The hexadecimal digits of a payload.
const DIGITS: usize = 32;

impl Checkpoint {
    pub(super) fn position(&self) -> Position {
        Position {
            batches: self.batches,
            stored: self.stored,
        }
    }

    /// The account up to here.
    pub(super) fn ledger(&self) -> Ledger {
        let mut ledger = self.ledger.clone();
        ledger.bytes = Bytes::default();
        (ledger.bytes.framed, ledger.bytes.padding, ledger.bytes.skipped) = self.bytes;
        ledger
    }
}

/// The journal of this run.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    line: Vec<u8>,
    /// How many entries of each archive it has.
    counts: HashMap<usize, EntryCounts>,
}

/// How many failures and payloads of an archive are in a journal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryCounts {
    /// Lines of `failed.jsonl`.
    pub(super) failures: u64,
    pub(super) payloads: u64,
}

impl Journal {
    /// A journal in a file that is open at its end. `path` is its name in messages.
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            line: Vec::new(),
            counts: HashMap::new(),
        }
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn append(&mut self, entry: &Entry) -> Result<(), DirectoryError> {
        self.line.clear();
        let written = write_line(entry, &mut self.line).and_then(|()| self.file.write_all(&self.line));
        written.map_err(DirectoryError::io(&self.path, "be written"))
    }

    /// Appends lines of `failed.jsonl`. They count with the next checkpoint.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn append_failures(&mut self, number: usize, lines: Lines<'_>) -> Result<(), DirectoryError> {
        let before = self.counts(number).failures;
        self.append(&Entry::Failures(FailureEntry {
            number,
            before,
            lines: lines.text.to_owned(),
        }))?;
        self.counts.entry(number).or_default().failures += lines.count;
        Ok(())
    }

    /// Appends payloads. They count with the next checkpoint.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn append_payloads(&mut self, number: usize, payloads: &[PayloadKey]) -> Result<(), DirectoryError> {
        let before = self.counts(number).payloads;
        self.append(&Entry::Payloads(PayloadEntry::new(number, before, payloads)))?;
        self.counts.entry(number).or_default().payloads += payloads.len() as u64;
        Ok(())
    }

    /// Appends that an archive is finished, with all failures and payloads of it that are in the journal.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn append_finish(
        &mut self,
        number: usize,
        report: &ArchiveReport,
        files: Vec<OutputFile>,
    ) -> Result<(), DirectoryError> {
        let counts = self.counts(number);
        self.append(&Entry::Finish(Box::new(Finish {
            number,
            report: report.clone(),
            failures: counts.failures,
            payloads: counts.payloads,
            files,
        })))
    }

    fn counts(&self, number: usize) -> EntryCounts {
        self.counts.get(&number).copied().unwrap_or_default()
    }

    /// Syncs what was appended.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn sync(&self) -> Result<(), DirectoryError> {
        let synced = self.file.sync_data();
        synced.map_err(DirectoryError::io(&self.path, "be synced"))
    }
}

/// Appends an entry's line to `out`.
fn write_line(entry: &Entry, out: &mut Vec<u8>) -> std::io::Result<()> {
    let json = serde_json::to_vec(entry)?;
    writeln!(out, "{:016x} {}", xxh3_64(&json), String::from_utf8_lossy(&json))
}

/// A line that was read.
pub(super) enum ReadLine {
    Entry(Entry),
    /// It is not as it was written.
    Damaged,
}

/// Reads the lines of a journal. A last line that was not written to its end is left out.
pub(super) fn read(file: File, path: &Path) -> impl Iterator<Item = Result<ReadLine, DirectoryError>> {
    let mut reader = BufReader::new(file);
    let mut next = move || -> std::io::Result<Option<ReadLine>> {
        let mut line = Vec::new();
        reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line)?;
        let is_whole = line.pop() == Some(b'\n');
        if !is_whole && (line.len() as u64) < LINE_LIMIT - 1 {
            return Ok(None);
        }
        Ok(Some(parse(&line).map_or(ReadLine::Damaged, ReadLine::Entry)))
    };
    let path = path.to_owned();
    let mut has_failed = false;
    std::iter::from_fn(move || {
        if has_failed {
            return None;
        }
        let line = next().map_err(DirectoryError::io(&path, "be read")).transpose();
        has_failed = matches!(line, Some(Err(_)));
        line
    })
}

fn parse(line: &[u8]) -> Option<Entry> {
    let (checksum, rest) = line.split_at_checked(16)?;
    let json = rest.strip_prefix(b" ")?;
    let checksum = u64::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
    (checksum == xxh3_64(json)).then(|| serde_json::from_slice(json).ok())?
}
