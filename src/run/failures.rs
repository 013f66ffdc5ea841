//! The lines of `failed.jsonl`, kept until the run ends, because they stand there by archive.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::directory::Directory;
use crate::ledger::Failure;

/// Bytes of lines, of all archives together, that are kept in memory; more go to a file.
const HELD: usize = 1 << 20;

/// The failure lines of a run.
#[derive(Debug, Default)]
pub(super) struct Failures {
    archives: BTreeMap<usize, Lines>,
    /// Bytes of lines in memory.
    held: usize,
    /// Where lines go that are too many for memory, and how many bytes stand there.
    spilled: Option<(File, u64)>,
}

/// Those of one archive: first the ones in the file, as offset and length, then the ones in memory.
#[derive(Debug, Default)]
struct Lines {
    spilled: Vec<(u64, u64)>,
    held: Vec<u8>,
}

impl Failures {
    /// Adds an archive's next lines.
    ///
    /// # Errors
    /// The file for those that are too many for memory cannot be written.
    pub(super) fn add(&mut self, directory: &Directory, archive: usize, failures: &[Failure]) -> Result<(), String> {
        if failures.is_empty() {
            return Ok(());
        }
        let held = &mut self.archives.entry(archive).or_default().held;
        let before = held.len();
        for failure in failures {
            serde_json::to_writer(&mut *held, failure).map_err(|e| e.to_string())?;
            held.push(b'\n');
        }
        self.held += held.len() - before;
        if self.held > HELD {
            let path = directory.spill_path();
            self.spill(&path)
                .map_err(|e| format!("cannot write {}: {e}", crate::escape::path(&path)))?;
        }
        Ok(())
    }

    /// Drops an archive's lines.
    pub(super) fn forget(&mut self, archive: usize) {
        if let Some(lines) = self.archives.remove(&archive) {
            self.held -= lines.held.len();
        }
    }

    fn spill(&mut self, path: &std::path::Path) -> io::Result<()> {
        let (file, end) = match &mut self.spilled {
            Some(spilled) => spilled,
            None => {
                let file = File::options().create_new(true).read(true).write(true).open(path)?;
                // Without a name it goes away by itself, whatever becomes of the run.
                fs::remove_file(path)?;
                self.spilled.insert((file, 0))
            }
        };
        for lines in self.archives.values_mut().filter(|lines| !lines.held.is_empty()) {
            file.write_all(&lines.held)?;
            let length = lines.held.len() as u64;
            lines.spilled.push((*end, length));
            *end += length;
            lines.held = Vec::new();
        }
        self.held = 0;
        Ok(())
    }

    /// Hands all lines over, by archive.
    ///
    /// # Errors
    /// The file cannot be read back, or what `take` says.
    pub(super) fn write<E: From<io::Error>>(mut self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut buffer = vec![0; 64 << 10];
        for lines in self.archives.values() {
            for (offset, length) in &lines.spilled {
                let Some((file, _)) = &mut self.spilled else { continue };
                file.seek(SeekFrom::Start(*offset))?;
                let mut piece = file.take(*length);
                loop {
                    match piece.read(&mut buffer)? {
                        0 => break,
                        n => take(&buffer[..n])?,
                    }
                }
            }
            take(&lines.held)?;
        }
        Ok(())
    }
}
