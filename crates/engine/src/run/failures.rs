//! The lines of `failed.jsonl`. They are kept until the run ends, because the file lists them by archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::directory::Directory;
use super::error::DirectoryError;
use super::journal::Lines;
use dehusk_documents::bounded;
use dehusk_documents::encode::PartialFile;

/// Bytes of lines, of all archives together, that are held in memory. More lines go to a file.
const HELD: usize = 1 << 20;

/// Longest line that is read back, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// Bytes of lines that are read back at a time.
const READ: usize = 256 << 10;

/// The failure lines of a run.
#[derive(Debug)]
pub(super) struct FailureLines {
    archives: BTreeMap<usize, ArchiveLines>,
    /// Bytes of lines in memory.
    held: usize,
    /// The name of the spill file in messages.
    spill_path: PathBuf,
    spill: Option<Spill>,
}

/// The file for lines that do not fit in memory. It has no name, so it vanishes with the process.
#[derive(Debug)]
struct Spill {
    file: File,
    length: u64,
}

/// The lines of one archive: first the ones in the spill file, as offset and length, then the ones in memory.
#[derive(Debug, Default)]
struct ArchiveLines {
    spilled: Vec<(u64, u64)>,
    held: Vec<u8>,
}

/// Gives the lines of a `failed.jsonl` to `take`, some at a time, with the path of their archive.
///
/// # Errors
/// The file cannot be read or is no such file, or `take` fails.
pub(super) fn read(
    file: File,
    path: &Path,
    take: &mut dyn FnMut(&str, Lines<'_>) -> Result<(), DirectoryError>,
) -> Result<(), DirectoryError> {
    #[derive(Deserialize)]
    struct FailureLine {
        archive: String,
    }
    let cannot_read = || DirectoryError::io(path, "be read");
    let (mut archive, mut text) = (String::new(), String::new());
    for line in bounded::lines(BufReader::new(file), LINE_LIMIT) {
        let line = line.map_err(cannot_read())?;
        let parsed: FailureLine = serde_json::from_slice(&line).map_err(|e| cannot_read()(e.into()))?;
        if parsed.archive != archive || text.len() > READ {
            take(&archive, Lines::all(&text))?;
            text.clear();
            archive = parsed.archive;
        }
        text.push_str(&String::from_utf8_lossy(&line));
        text.push('\n');
    }
    take(&archive, Lines::all(&text))
}

impl FailureLines {
    /// No lines yet.
    pub(super) fn new(spill_path: PathBuf) -> Self {
        Self {
            archives: BTreeMap::new(),
            held: 0,
            spill_path,
            spill: None,
        }
    }

    /// Adds an archive's next lines.
    ///
    /// # Errors
    /// The spill file cannot be written.
    pub(super) fn add(
        &mut self,
        archive: usize,
        lines: Lines<'_>,
        directory: &Directory,
    ) -> Result<(), DirectoryError> {
        if lines.count == 0 {
            return Ok(());
        }
        let held = &mut self.archives.entry(archive).or_default().held;
        held.extend_from_slice(lines.text.as_bytes());
        self.held += lines.text.len();
        if self.held > HELD {
            self.spill(directory)?;
        }
        Ok(())
    }

    /// Drops an archive's lines.
    pub(super) fn forget(&mut self, archive: usize) {
        if let Some(lines) = self.archives.remove(&archive) {
            self.held -= lines.held.len();
        }
    }

    /// Moves all lines from memory to the spill file.
    fn spill(&mut self, directory: &Directory) -> Result<(), DirectoryError> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => {
                let file = directory.create_spill()?;
                self.spill.insert(Spill { file, length: 0 })
            }
        };
        for lines in self.archives.values_mut().filter(|lines| !lines.held.is_empty()) {
            let written = spill.file.write_all(&lines.held);
            written.map_err(DirectoryError::io(&self.spill_path, "be written"))?;
            let length = lines.held.len() as u64;
            lines.spilled.push((spill.length, length));
            spill.length += length;
            lines.held = Vec::new();
        }
        self.held = 0;
        Ok(())
    }

    /// Appends all lines to a file, by archive.
    ///
    /// # Errors
    /// The spill file cannot be read back, or the file cannot be written.
    pub(super) fn append_to(&mut self, out: &mut PartialFile) -> Result<(), DirectoryError> {
        let mut buffer = vec![0; 64 << 10];
        for lines in self.archives.values() {
            for (offset, length) in &lines.spilled {
                let Some(spill) = &mut self.spill else { continue };
                let cannot_read = || DirectoryError::io(&self.spill_path, "be read");
                spill.file.seek(SeekFrom::Start(*offset)).map_err(cannot_read())?;
                let mut piece = (&spill.file).take(*length);
                loop {
                    match piece.read(&mut buffer).map_err(cannot_read())? {
                        0 => break,
                        n => out.append(&buffer[..n])?,
                    }
                }
            }
            out.append(&lines.held)?;
        }
        Ok(())
    }
}
