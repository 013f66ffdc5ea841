//! The pipeline's sink: chunks → shards, failure lines, quarantine and report.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::RunOptions;
use super::directory::Directory;
use super::error::DirectoryError;
use super::failures::FailureLines;
use super::quarantine::Quarantine;
use super::report::{ArchiveState, Report};
use super::report_page::Recorder;
use crate::config::Rules;
use crate::encode::ShardWriter;
use crate::input::ArchiveInput;
use crate::pipeline::{ArchiveOutcome, Chunk, PipelineError, Sink, SinkError};

pub(super) struct Output<'o, 'c> {
    rules: &'o Arc<Rules>,
    inputs: &'o [ArchiveInput],
    /// Every archive's shard, relative to the run directory.
    shard_paths: &'o [PathBuf],
    directory: &'o Directory,
    report: &'o mut Report,
    recorder: Recorder<'o>,
    options: RunOptions<'c>,
    started: Instant,
    concluded: bool,
    /// Whether something could not be written. Then nothing more is.
    failed: bool,
    /// The shards of the archives that are being read and have a document.
    shards: HashMap<usize, Box<dyn ShardWriter>>,
    failures: FailureLines,
    /// What failed of the archives that are being read, if it is to be kept.
    quarantine: HashMap<usize, Quarantine>,
}

impl<'o, 'c> Output<'o, 'c> {
    pub(super) fn new(
        rules: &'o Arc<Rules>,
        inputs: &'o [ArchiveInput],
        shard_paths: &'o [PathBuf],
        directory: &'o Directory,
        report: &'o mut Report,
        recorder: Recorder<'o>,
        options: RunOptions<'c>,
    ) -> Self {
        Self {
            rules,
            inputs,
            shard_paths,
            directory,
            report,
            recorder,
            options,
            started: Instant::now(),
            concluded: false,
            failed: false,
            shards: HashMap::new(),
            failures: FailureLines::new(directory.spill_path()),
            quarantine: HashMap::new(),
        }
    }

    /// Closes and writes the account, once. `result` is what ended the run early, if anything did.
    pub(super) fn conclude(&mut self, result: Result<(), PipelineError>) {
        if std::mem::replace(&mut self.concluded, true) {
            return;
        }
        if let Err(error) = result {
            self.report.fail(error.to_string());
        }
        if let Err(e) = self.write_failures() {
            self.report.fail(e.to_string());
        }
        self.report.close(self.started.elapsed());
        self.report.earlier = self.directory.remove_earlier(self.report);
        let page = self.recorder.html(self.report);
        if let Err(e) = self.directory.write_report_page(&page) {
            self.report.fail(e.to_string());
        }
        if let Err(e) = self.directory.write_report(self.report) {
            self.report.fail(e.to_string());
        }
    }

    fn write_failures(&mut self) -> Result<(), DirectoryError> {
        let mut file = self.directory.create_failure_list()?;
        self.failures.append_to(&mut file)?;
        file.commit()?;
        Ok(())
    }

    /// Appends to an archive's shard, which begins with the archive's first document.
    fn append(&mut self, archive: usize, bytes: &[u8]) -> Result<(), DirectoryError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if !self.shards.contains_key(&archive) {
            let file = self.directory.create_output(&self.shard_paths[archive])?;
            let output = &self.rules.config.output;
            let shard = output.format.writer(file, output.compression())?;
            self.shards.insert(archive, shard);
        }
        if let Some(shard) = self.shards.get_mut(&archive) {
            shard.write(bytes)?;
        }
        Ok(())
    }

    /// Writes a chunk's documents, failure lines and quarantined bytes.
    fn write(&mut self, archive: usize, chunk: &mut Chunk) -> Result<(), DirectoryError> {
        self.append(archive, &chunk.bytes)?;
        self.failures.add(archive, &chunk.failures, self.directory)?;
        if !chunk.stored.is_empty() {
            let input = &self.inputs[archive];
            let quarantine = self.quarantine.entry(archive);
            quarantine
                .or_insert_with(|| Quarantine::new(input))
                .add(self.directory, chunk)?;
        }
        Ok(())
    }

    /// Completes an archive's shard; returns whether there is one.
    fn commit(&mut self, archive: usize) -> Result<bool, DirectoryError> {
        let Some(shard) = self.shards.remove(&archive) else {
            return Ok(false);
        };
        shard.finish()?;
        Ok(true)
    }

    /// Completes an archive's files and enters its outcome.
    fn finish_archive(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), DirectoryError> {
        let is_written = self.commit(archive)?;
        let shard = is_written.then_some(self.shard_paths[archive].as_path());
        let report = &mut self.report.archives[archive];
        report.enter(outcome, shard);
        // A file without any record is not an archive; there is nothing to keep apart.
        let quarantine = self.quarantine.remove(&archive).filter(|_| report.ledger.framed > 0);
        report.quarantine = quarantine.map_or(Ok(Vec::new()), Quarantine::commit)?;
        Ok(())
    }

    /// Drops an archive's files and counts: half a shard is none.
    fn give_up(&mut self, archive: usize, state: ArchiveState, error: String) {
        self.shards.remove(&archive);
        self.quarantine.remove(&archive);
        self.failures.forget(archive);
        self.report.archives[archive].give_up(state, error);
    }
}

impl Sink for Output<'_, '_> {
    fn chunk(&mut self, archive: usize, chunk: &mut Chunk) -> Result<(), SinkError> {
        self.recorder.add(std::mem::take(&mut chunk.observed));
        let result = self.write(archive, chunk);
        self.failed |= result.is_err();
        Ok(result?)
    }

    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        let result = match outcome.interrupted {
            true => {
                self.give_up(archive, ArchiveState::Interrupted, String::new());
                if self.failed {
                    self.report.archives[archive].lose_output();
                }
                Ok(())
            }
            false => self.finish_archive(archive, outcome),
        };
        if let Err(error) = &result {
            self.failed = true;
            self.give_up(archive, ArchiveState::Failed, error.to_string());
        }
        if let Some(on_archive) = &mut self.options.on_archive {
            on_archive(&self.report.archives[archive]);
        }
        Ok(result?)
    }

    fn abandon(&mut self) {
        self.conclude(Ok(()));
        if let Some(on_abandon) = &mut self.options.on_abandon {
            on_abandon(self.report);
        }
    }
}
