//! The stored bytes of failed records and skipped ranges, copied unchanged, so that they can be inspected, repaired and
//! read again.
//!
//! For every archive NAME with failures the folder `quarantine` gets:
//!
//! - `NAME.warc.gz` (or what the archive is; one for each format in a ZIP file of several): the members, frames or
//!   records of failed records, one after the other;
//! - `NAME.skipped`: the bytes of skipped ranges, one after the other;
//! - `NAME.jsonl`: for every line of `failed.jsonl`, where its bytes are in these files.
//!
//! Bytes are copied piece by piece from the source that the pipeline opened, so nothing large is ever in memory. The
//! bytes of a stream cannot be read again; the pipeline passes on those that are still in memory.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::directory::{Directory, QUARANTINE};
use super::error::DirectoryError;
use super::journal::OutputFile;
use crate::input::ArchiveInput;
use crate::ledger::Failure;
use crate::pipeline::{Chunk, Stored};
use dehusk_archive::ByteSource;
use dehusk_documents::encode::PartialFile;

/// Bytes that are copied at a time.
const PIECE: usize = 256 << 10;

/// The quarantine of one archive.
pub(super) struct Quarantine {
    name: String,
    /// One for each format of the archive's records.
    records: Vec<KeptFile>,
    ranges: Option<KeptFile>,
    index: Option<KeptFile>,
}

/// A file of the quarantine.
struct KeptFile {
    path: PathBuf,
    file: PartialFile,
    /// Offset and length in the archive of what was copied last, and its offset here: several records may fail in one
    /// member, which is copied once.
    last: Option<(u64, u64, u64)>,
}

/// Where bytes were copied to: the file beside the index, and their offset and length in it. The default means that
/// they could not be copied.
#[derive(Default)]
struct CopyPlace {
    file: String,
    at: u64,
    length: u64,
}

/// A line of the index.
#[derive(Serialize)]
struct IndexLine<'l> {
    /// The file that holds the bytes, beside the index; `""` if they could not be kept.
    file: &'l str,
    /// Their offset and length in it.
    at: u64,
    stored_length: u64,
    #[serde(flatten)]
    failure: &'l Failure,
}

/// The files that an archive may get, relative to the run directory.
pub(super) fn candidate_paths(name: &str) -> Vec<PathBuf> {
    let records = ["warc", "arc", "tar"]
        .iter()
        .flat_map(|f| ["", ".gz", ".zst"].map(|c| format!("{f}{c}")));
    let all = records.chain(["skipped".to_owned(), "jsonl".to_owned()]);
    all.map(|ending| file_path(name, &ending)).collect()
}

fn file_path(name: &str, ending: &str) -> PathBuf {
    Path::new(QUARANTINE).join(format!("{name}.{ending}"))
}

impl Quarantine {
    pub(super) fn new(input: &ArchiveInput) -> Self {
        Self {
            name: input.shard().to_owned(),
            records: Vec::new(),
            ranges: None,
            index: None,
        }
    }

    /// Resumes the files that an earlier run began.
    ///
    /// # Errors
    /// They are not as they were written.
    pub(super) fn resume(
        input: &ArchiveInput,
        directory: &Directory,
        files: &[OutputFile],
    ) -> Result<Option<Self>, DirectoryError> {
        let mut quarantine = Self::new(input);
        let ending = |name: &str| file_path(input.shard(), name);
        let mut is_empty = true;
        for file in files.iter().filter(|file| file.path.starts_with(QUARANTINE)) {
            let kept = KeptFile {
                path: file.path.clone(),
                file: directory.resume_output(&file.path, file.position)?,
                last: file.last,
            };
            match &file.path {
                path if *path == ending("jsonl") => quarantine.index = Some(kept),
                path if *path == ending("skipped") => quarantine.ranges = Some(kept),
                _ => quarantine.records.push(kept),
            }
            is_empty = false;
        }
        Ok((!is_empty).then_some(quarantine))
    }

    /// How far its files are written.
    pub(super) fn files(&self) -> impl Iterator<Item = OutputFile> {
        self.kept().map(|kept| OutputFile {
            path: kept.path.clone(),
            position: kept.file.position(),
            sha256: String::new(),
            last: kept.last,
        })
    }

    /// Its files, when they are whole.
    pub(super) fn sealed_files(&self) -> impl Iterator<Item = OutputFile> {
        self.kept()
            .map(|kept| OutputFile::sealed(kept.path.clone(), kept.file.sealed()))
    }

    fn kept(&self) -> impl Iterator<Item = &KeptFile> {
        self.records.iter().chain(&self.ranges).chain(&self.index)
    }

    /// Syncs its files.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn sync(&mut self) -> Result<(), DirectoryError> {
        for kept in self.records.iter_mut().chain(&mut self.ranges).chain(&mut self.index) {
            kept.file.sync()?;
        }
        Ok(())
    }

    /// Ends work on files that are not whole. They stay, or are removed.
    pub(super) fn abandon(self, keep: bool) {
        for kept in self.into_files() {
            if keep {
                kept.file.suspend();
            } else {
                kept.file.discard();
            }
        }
    }

    /// Adds what failed in a chunk. The index shows which bytes could not be read again.
    ///
    /// # Errors
    /// The quarantine cannot be written.
    pub(super) fn add(&mut self, directory: &Directory, chunk: &Chunk) -> Result<(), DirectoryError> {
        for (failure, stored) in chunk.failures.iter().zip(&chunk.stored) {
            let place = self.copy(directory, stored, chunk)?;
            let line = IndexLine {
                file: &place.file,
                at: place.at,
                stored_length: place.length,
                failure,
            };
            let path = file_path(&self.name, "jsonl");
            let mut line = serde_json::to_vec(&line).map_err(|e| DirectoryError::io(&path, "be written")(e.into()))?;
            line.push(b'\n');
            open_or_create(&mut self.index, directory, path)?.file.append(&line)?;
        }
        Ok(())
    }

    /// Copies stored bytes.
    fn copy(&mut self, directory: &Directory, stored: &Stored, chunk: &Chunk) -> Result<CopyPlace, DirectoryError> {
        let Some(format) = chunk.formats.at(stored.offset).filter(|_| stored.length > 0) else {
            return Ok(CopyPlace::default());
        };
        let is_there = match &stored.bytes {
            Some(bytes) => !bytes.is_empty(),
            None => chunk.source.is_some(),
        };
        if !is_there {
            return Ok(CopyPlace::default());
        }
        let kept = if stored.framed {
            let path = file_path(&self.name, &format.extension());
            let at = match self.records.iter().position(|kept| kept.path == path) {
                Some(at) => at,
                None => {
                    self.records
                        .push(KeptFile::create(directory, path, &format.preamble())?);
                    self.records.len() - 1
                }
            };
            &mut self.records[at]
        } else {
            let path = file_path(&self.name, "skipped");
            open_or_create(&mut self.ranges, directory, path)?
        };
        let file = kept.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let range = (stored.offset, stored.length);
        if let Some((_, length, at)) = kept.last.filter(|(offset, length, _)| (*offset, *length) == range) {
            return Ok(CopyPlace { file, at, length });
        }
        let at = kept.file.bytes();
        match (&stored.bytes, &chunk.source) {
            (Some(bytes), _) => kept.file.append(bytes)?,
            (None, Some(source)) => copy(&**source, stored.offset, stored.length, &mut kept.file)?,
            (None, None) => {}
        }
        let length = kept.file.bytes() - at;
        if length == 0 {
            return Ok(CopyPlace::default());
        }
        kept.last = Some((stored.offset, length, at)).filter(|_| length == stored.length);
        Ok(CopyPlace { file, at, length })
    }

    fn into_files(self) -> impl Iterator<Item = KeptFile> {
        self.records.into_iter().chain(self.ranges).chain(self.index)
    }

    /// Completes the files; returns their paths, relative to the run directory.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn commit(self) -> Result<Vec<PathBuf>, DirectoryError> {
        let mut paths = Vec::new();
        for kept in self.into_files() {
            kept.file.commit()?;
            paths.push(kept.path);
        }
        Ok(paths)
    }
}

impl KeptFile {
    fn create(directory: &Directory, path: PathBuf, first: &[u8]) -> Result<Self, DirectoryError> {
        let mut file = directory.create_output(&path)?;
        file.append(first)?;
        Ok(Self { path, file, last: None })
    }
}

/// The file, created if it is not there yet.
fn open_or_create<'k>(
    kept: &'k mut Option<KeptFile>,
    directory: &Directory,
    path: PathBuf,
) -> Result<&'k mut KeptFile, DirectoryError> {
    match kept {
        Some(kept) => Ok(kept),
        None => Ok(kept.insert(KeptFile::create(directory, path, &[])?)),
    }
}

/// Copies as much as can be read and trusted. An archive that fails to read is not the output's failure.
fn copy(from: &dyn ByteSource, offset: u64, length: u64, to: &mut PartialFile) -> Result<(), DirectoryError> {
    let mut piece = vec![0; PIECE];
    let end = offset.saturating_add(length).min(from.size());
    let mut at = offset;
    while at < end {
        let most = usize::try_from(end - at).map_or(PIECE, |left| left.min(PIECE));
        match from.read_at(at, &mut piece[..most]) {
            // Ask after the bytes were copied: a mapped file that was shortened gives zeros.
            Ok(n) if n > 0 && n <= most && from.check().is_ok() => {
                to.append(&piece[..n])?;
                at += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A file that is shortened after some checks: then there are zeros instead of its bytes.
    #[derive(Debug)]
    struct Shortened {
        good_checks: AtomicU64,
    }

    impl ByteSource for Shortened {
        fn size(&self) -> u64 {
            1 << 20
        }

        fn read_at(&self, _: u64, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(u8::from(self.good_checks.load(Ordering::Relaxed) > 0));
            Ok(buffer.len())
        }

        fn check(&self) -> io::Result<()> {
            let left = |checks: u64| checks.checked_sub(1);
            let result = self
                .good_checks
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
            result.map(drop).map_err(|_| io::Error::other("it has changed"))
        }
    }

    #[test]
    fn bytes_that_a_shortened_file_lost_are_not_kept() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        for good in 0..3 {
            let path = folder.path().join(good.to_string());
            let mut file = PartialFile::create(&path, false)?;
            let source: Arc<dyn ByteSource> = Arc::new(Shortened {
                good_checks: AtomicU64::new(good),
            });
            copy(&*source, 0, source.size(), &mut file).map_err(|e| e.to_string())?;
            file.commit()?;
            assert_eq!(std::fs::read(&path)?, vec![1; good as usize * PIECE]);
        }
        Ok(())
    }
}
