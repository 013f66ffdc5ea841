//! An archive that is being read: its outputs, and its last position between two batches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::Directory;
use super::error::DirectoryError;
use super::journal::{Checkpoint, Entry, Journal, Lines, OutputFile};
use super::quarantine::Quarantine;
use super::records::RecordFiles;
use crate::config::OutputConfig;
use crate::input::{ArchiveInput, Digest, InputState};
use crate::pipeline::{Border, Position};
use dehusk_archive::ByteSource;
use dehusk_documents::encode::ShardWriter;
use dehusk_documents::store::PayloadKey;

/// Bytes of failure lines that wait for the next checkpoint. More are written to the journal before.
const FAILURES_HELD: usize = 256 << 10;

/// Payloads that wait for it.
const PAYLOADS_HELD: usize = 8 << 10;

/// An archive that is being read.
#[derive(Default)]
pub(super) struct OpenArchive {
    /// Its shard, which is created for its first document.
    pub(super) shard: Option<Box<dyn ShardWriter>>,
    /// Its quarantine, if something failed.
    pub(super) quarantine: Option<Quarantine>,
    /// The archives of its chosen records, if there are any.
    pub(super) records: Option<RecordFiles>,
    /// The digest of its bytes so far; `None` if they cannot be read again without waiting.
    digest: Option<Digest>,
    source: Option<Arc<dyn ByteSource>>,
    /// The state of its file, if that became known only when it was opened.
    pub(super) input: Option<InputState>,
    /// The last position between two batches.
    border: Option<Checkpoint>,
    /// The last position that is in the journal.
    saved: Option<Position>,
    /// Lines of `failed.jsonl` so far.
    failures: u64,
    /// The lines that the journal does not have yet.
    waiting_failures: String,
    /// Payloads so far.
    payloads: u64,
    /// The payloads that the journal does not have yet.
    waiting_payloads: Vec<PayloadKey>,
}

impl OpenArchive {
    /// Resumes an archive where an earlier run stopped.
    ///
    /// # Errors
    /// Its outputs are not as they were written.
    pub(super) fn resume(
        checkpoint: &Checkpoint,
        input: &ArchiveInput,
        shard: &Path,
        output: &OutputConfig,
        directory: &Directory,
    ) -> Result<Self, DirectoryError> {
        let writer = match checkpoint.files.iter().find(|file| file.path == shard) {
            Some(file) => Some(directory.resume_shard(shard, file.position, output)?),
            None => None,
        };
        let digest = checkpoint.digest.as_ref();
        Ok(Self {
            shard: writer,
            quarantine: Quarantine::resume(input, directory, &checkpoint.files)?,
            records: RecordFiles::resume(directory, &checkpoint.files)?,
            digest: digest.and_then(|(bytes, text)| Digest::from_text(*bytes, text)),
            saved: Some(checkpoint.position()),
            failures: checkpoint.failures,
            payloads: checkpoint.payloads,
            ..Self::default()
        })
    }

    /// The outputs that are in the journal, relative to the run directory.
    pub(super) fn saved_files(&self, shard: &Path) -> Vec<PathBuf> {
        match (self.saved, self.files(shard)) {
            (Some(_), Some(files)) => files.into_iter().map(|file| file.path).collect(),
            _ => Vec::new(),
        }
    }

    /// Makes [`OpenArchive::abandon`] keep its outputs, because the journal may have them.
    pub(super) fn keep_outputs(&mut self) {
        self.saved.get_or_insert_default();
    }

    /// Sets where the archive's bytes can be read again.
    pub(super) fn set_source(&mut self, source: Option<&Arc<dyn ByteSource>>) {
        if let (None, Some(source)) = (&self.source, source.filter(|source| !source.may_wait())) {
            self.source = Some(Arc::clone(source));
            if self.saved.is_none() {
                self.digest = Some(Digest::default());
            }
        }
    }

    /// Whether an earlier run has hashed its bytes, and none has come since, because nothing was left to read.
    pub(super) fn lacks_source(&self) -> bool {
        self.digest.is_some() && self.source.is_none()
    }

    /// Adds lines of `failed.jsonl`.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn add_failures(
        &mut self,
        lines: Lines<'_>,
        number: usize,
        journal: &mut Journal,
    ) -> Result<(), DirectoryError> {
        self.failures += lines.count;
        self.waiting_failures.push_str(lines.text);
        if self.waiting_failures.len() > FAILURES_HELD {
            self.write_failures(number, journal)?;
        }
        Ok(())
    }

    fn write_failures(&mut self, number: usize, journal: &mut Journal) -> Result<(), DirectoryError> {
        if !self.waiting_failures.is_empty() {
            journal.append_failures(number, Lines::all(&self.waiting_failures))?;
            self.waiting_failures.clear();
        }
        Ok(())
    }

    /// Adds payloads of documents.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn add_payloads(
        &mut self,
        payloads: &[PayloadKey],
        number: usize,
        journal: &mut Journal,
    ) -> Result<(), DirectoryError> {
        self.payloads += payloads.len() as u64;
        self.waiting_payloads.extend(payloads);
        if self.waiting_payloads.len() > PAYLOADS_HELD {
            self.write_payloads(number, journal)?;
        }
        Ok(())
    }

    fn write_payloads(&mut self, number: usize, journal: &mut Journal) -> Result<(), DirectoryError> {
        for payloads in self.waiting_payloads.chunks(PAYLOADS_HELD) {
            journal.append_payloads(number, payloads)?;
        }
        self.waiting_payloads.clear();
        Ok(())
    }

    /// Remembers that a batch ends here. Returns how many stored bytes it has finished.
    pub(super) fn end_batch(&mut self, border: &Border<'_>, number: usize, shard: &Path) -> u64 {
        let before = self
            .border
            .as_ref()
            .map(Checkpoint::position)
            .or(self.saved)
            .unwrap_or_default();
        if let (Some(digest), Some(source)) = (&mut self.digest, &self.source)
            && digest.read_blocks_before(source, border.position.stored).is_err()
        {
            // The archive fails for the same reason.
            self.digest = None;
        }
        let Some(files) = self.files(shard) else { return 0 };
        let bytes = border.ledger.bytes;
        self.border = Some(Checkpoint {
            number,
            batches: border.position.batches,
            stored: border.position.stored,
            ledger: border.ledger.clone(),
            bytes: (bytes.framed, bytes.padding, bytes.skipped),
            failures: self.failures,
            payloads: self.payloads,
            input: self.input.clone(),
            digest: self.digest.as_ref().map(|digest| (digest.bytes(), digest.text())),
            files,
        });
        border.position.stored.saturating_sub(before.stored)
    }

    /// How far its outputs are written; `None` if they cannot be continued.
    fn files(&self, shard: &Path) -> Option<Vec<OutputFile>> {
        let mut files = Vec::new();
        if let Some(writer) = &self.shard {
            files.push(OutputFile {
                path: shard.to_owned(),
                position: writer.position()?,
                sha256: String::new(),
                last: None,
            });
        }
        files.extend(self.quarantine.iter().flat_map(Quarantine::files));
        files.extend(self.records.iter().flat_map(RecordFiles::files));
        Some(files)
    }

    /// Syncs its outputs and writes a checkpoint into the journal, if a batch has ended since the last one.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn save(&mut self, journal: &mut Journal) -> Result<(), DirectoryError> {
        let Some(border) = self.border.take() else {
            return Ok(());
        };
        if let Some(shard) = &mut self.shard {
            shard.sync()?;
        }
        if let Some(quarantine) = &mut self.quarantine {
            quarantine.sync()?;
        }
        if let Some(records) = &mut self.records {
            records.sync()?;
        }
        self.write_failures(border.number, journal)?;
        self.write_payloads(border.number, journal)?;
        self.saved = Some(border.position());
        journal.append(&Entry::Checkpoint(Box::new(border)))
    }

    /// Completes its outputs on disk, except for their names, and writes its last failures and payloads into the
    /// journal. `size` is the number of its bytes, if they were all read.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn seal(
        &mut self,
        number: usize,
        shard: &Path,
        size: Option<u64>,
        journal: &mut Journal,
    ) -> Result<SealedArchive, DirectoryError> {
        let mut files = Vec::new();
        if let Some(writer) = &mut self.shard {
            files.push(OutputFile::sealed(shard.to_owned(), writer.seal()?));
        }
        if let Some(quarantine) = &mut self.quarantine {
            quarantine.sync()?;
            files.extend(quarantine.sealed_files());
        }
        if let Some(records) = &mut self.records {
            records.sync()?;
            files.extend(records.sealed_files());
        }
        self.write_failures(number, journal)?;
        self.write_payloads(number, journal)?;
        let digest = match (size, self.digest.take(), &self.source) {
            (Some(size), Some(mut digest), Some(source)) => digest.read_to(source, size).map(|()| digest.text()),
            _ => Ok(String::new()),
        };
        Ok(SealedArchive {
            files,
            // Bytes that cannot be read any more cannot be compared later.
            digest: digest.unwrap_or_default(),
        })
    }

    /// Ends work on an archive that is not whole. Its outputs stay if they are in the journal; otherwise they are
    /// removed.
    pub(super) fn abandon(self) {
        let keep = self.saved.is_some();
        if let Some(quarantine) = self.quarantine {
            quarantine.abandon(keep);
        }
        if let Some(records) = self.records {
            records.abandon(keep);
        }
        if let Some(shard) = self.shard.filter(|_| keep) {
            shard.suspend();
        }
    }
}

/// An archive whose outputs are whole.
pub(super) struct SealedArchive {
    pub(super) files: Vec<OutputFile>,
    /// The digest of all its bytes; `""` if it is unknown.
    pub(super) digest: String,
}
