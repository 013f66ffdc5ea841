//! The stored bytes of what failed, kept apart and unchanged, so that it can be looked at, mended and read again.
//!
//! Of every archive NAME with failures there are, in the folder `quarantine`:
//!
//! - `NAME.warc.gz` (or what the archive is): the members, frames or records of failed records, one after the other;
//! - `NAME.skipped`: the bytes of skipped ranges, one after the other;
//! - `NAME.jsonl`: for every line of `failed.jsonl`, where its bytes are in these.
//!
//! Bytes are copied piece by piece, from the file where the archive is one, so that nothing large is ever held.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::directory::{Directory, QUARANTINE};
use crate::archive::Format;
use crate::encode::PartialFile;
use crate::input::ArchiveInput;
use crate::ledger::Failure;
use crate::pipeline::{Chunk, Stored};

/// Bytes that are copied at a time.
const PIECE: usize = 256 << 10;

/// What failed of one archive.
pub(super) struct Quarantine {
    name: String,
    path: PathBuf,
    /// The archive, once it was opened again.
    archive: Option<File>,
    records: Option<Kept>,
    ranges: Option<Kept>,
    index: Option<Kept>,
}

/// A file of the quarantine.
struct Kept {
    path: PathBuf,
    shard: PartialFile,
    /// What was copied last, and where it stands: several records may fail in one member.
    last: Option<(u64, u64, u64)>,
}

/// A line of the index.
#[derive(Serialize)]
struct Line<'l> {
    /// The file that holds the bytes, beside the index; `""` where they could not be kept.
    file: &'l str,
    /// Their offset and length in it.
    at: u64,
    stored_length: u64,
    #[serde(flatten)]
    failure: &'l Failure,
}

/// The files that an archive may get.
pub(super) fn possible(name: &str) -> Vec<PathBuf> {
    let records = ["warc", "arc"]
        .iter()
        .flat_map(|f| ["", ".gz", ".zst"].map(|c| format!("{f}{c}")));
    let all = records.chain(["skipped".to_owned(), "jsonl".to_owned()]);
    all.map(|ending| place(name, &ending)).collect()
}

fn place(name: &str, ending: &str) -> PathBuf {
    Path::new(QUARANTINE).join(format!("{name}.{ending}"))
}

impl Quarantine {
    pub(super) fn new(source: &ArchiveInput) -> Self {
        Self {
            name: source.shard.clone(),
            path: source.path.clone(),
            archive: None,
            records: None,
            ranges: None,
            index: None,
        }
    }

    /// Keeps what failed in a chunk.
    ///
    /// # Errors
    /// The quarantine cannot be written. Bytes that cannot be had again are none, and the index says so.
    pub(super) fn take(&mut self, directory: &Directory, chunk: &Chunk) -> Result<(), String> {
        for (failure, stored) in chunk.failures.iter().zip(&chunk.stored) {
            let (file, at, stored_length) = self.keep(directory, stored, chunk.format.as_ref())?;
            let line = Line {
                file: &file,
                at,
                stored_length,
                failure,
            };
            let mut line = serde_json::to_vec(&line).map_err(|e| e.to_string())?;
            line.push(b'\n');
            let index = begun(&mut self.index, directory, || (place(&self.name, "jsonl"), Vec::new()))?;
            index.shard.append(&line).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Copies stored bytes; says to which file, to what place, and how many.
    fn keep(
        &mut self,
        directory: &Directory,
        stored: &Stored,
        format: Option<&Format>,
    ) -> Result<(String, u64, u64), String> {
        let known = (stored.length > 0).then_some(()).and(format);
        let here = stored.bytes.as_ref().is_none_or(|bytes| !bytes.is_empty());
        let Some(format) = known.filter(|_| here && (stored.bytes.is_some() || self.reopen(stored.offset))) else {
            return Ok((String::new(), 0, 0));
        };
        let kept = match stored.framed {
            true => {
                let first = || (place(&self.name, &format.extension()), format.preamble());
                begun(&mut self.records, directory, first)?
            }
            false => begun(&mut self.ranges, directory, || {
                (place(&self.name, "skipped"), Vec::new())
            })?,
        };
        let file = kept.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some((_, _, at)) = kept
            .last
            .filter(|(offset, length, _)| (*offset, *length) == (stored.offset, stored.length))
        {
            return Ok((file, at, stored.length));
        }
        let at = kept.shard.bytes();
        match (&stored.bytes, &mut self.archive) {
            (Some(bytes), _) => kept.shard.append(bytes).map_err(|e| e.to_string())?,
            (None, Some(archive)) => copy(archive.take(stored.length), &mut kept.shard)?,
            (None, None) => {}
        }
        kept.last = Some((stored.offset, stored.length, at));
        Ok((file, at, kept.shard.bytes() - at))
    }

    /// Opens the archive again and goes to an offset; whether that could be done.
    fn reopen(&mut self, offset: u64) -> bool {
        if self.archive.is_none() {
            self.archive = File::open(&self.path).ok();
        }
        self.archive
            .as_mut()
            .is_some_and(|archive| archive.seek(SeekFrom::Start(offset)).is_ok())
    }

    /// Gives the files their names, and tells which there are.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn commit(self) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for kept in [self.records, self.ranges, self.index].into_iter().flatten() {
            kept.shard.commit().map_err(|e| e.to_string())?;
            files.push(kept.path);
        }
        Ok(files)
    }
}

/// The file, which begins with some bytes where it is new.
fn begun<'k>(
    kept: &'k mut Option<Kept>,
    directory: &Directory,
    first: impl FnOnce() -> (PathBuf, Vec<u8>),
) -> Result<&'k mut Kept, String> {
    match kept {
        Some(kept) => Ok(kept),
        None => {
            let (path, bytes) = first();
            let mut shard = directory.create_shard(&path).map_err(|e| e.to_string())?;
            shard.append(&bytes).map_err(|e| e.to_string())?;
            Ok(kept.insert(Kept {
                path,
                shard,
                last: None,
            }))
        }
    }
}

/// Copies what there is to be read; an archive that cannot be read on is not the output's failure.
fn copy(mut from: impl Read, to: &mut PartialFile) -> Result<(), String> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(n) => to.append(&piece[..n]).map_err(|e| e.to_string())?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(()),
        }
    }
}
