//! The pipeline's sink: chunks → shards and the account.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::directory::Directory;
use super::failures::Failures;
use super::quarantine::Quarantine;
use super::report::{ArchiveReport, ArchiveState, Report};
use crate::config::{Format, Rules};
use crate::encode::{Compressor, PartialFile, xml};
use crate::input::ArchiveInput;
use crate::pipeline::{ArchiveOutcome, Chunk, PipelineError, Sink, SinkError};

pub(super) struct Output<'o> {
    rules: &'o Arc<Rules>,
    sources: &'o [ArchiveInput],
    /// Every archive's output file, relative to the run directory.
    paths: &'o [PathBuf],
    directory: &'o Directory,
    report: &'o mut Report,
    finished: &'o mut dyn FnMut(&ArchiveReport),
    abandoned: &'o mut dyn FnMut(&Report),
    started: Instant,
    concluded: bool,
    /// The shards of the archives under way that have a document.
    shards: HashMap<usize, PartialFile>,
    failures: Failures,
    /// What failed of the archives under way, where that is to be kept.
    quarantine: HashMap<usize, Quarantine>,
}

impl<'o> Output<'o> {
    pub(super) fn new(
        rules: &'o Arc<Rules>,
        sources: &'o [ArchiveInput],
        paths: &'o [PathBuf],
        directory: &'o Directory,
        report: &'o mut Report,
        finished: &'o mut dyn FnMut(&ArchiveReport),
        abandoned: &'o mut dyn FnMut(&Report),
    ) -> Self {
        Self {
            rules,
            sources,
            paths,
            directory,
            report,
            finished,
            abandoned,
            started: Instant::now(),
            concluded: false,
            shards: HashMap::new(),
            failures: Failures::default(),
            quarantine: HashMap::new(),
        }
    }

    /// Closes and writes the account, once. `result` says what ended the run before its time.
    pub(super) fn conclude(&mut self, result: Result<(), PipelineError>) {
        if std::mem::replace(&mut self.concluded, true) {
            return;
        }
        if let Err(error) = result {
            self.report.fail(error.to_string());
        }
        if let Err(e) = self.directory.write_failures(std::mem::take(&mut self.failures)) {
            self.report.fail(e.to_string());
        }
        self.report.close(self.started.elapsed());
        self.directory.remove_replaced(self.report);
        if let Err(e) = self.directory.write_report(self.report) {
            self.report.fail(e.to_string());
        }
    }

    fn append(&mut self, archive: usize, bytes: &[u8]) -> Result<(), String> {
        if bytes.is_empty() {
            return Ok(());
        }
        if !self.shards.contains_key(&archive) {
            let path = &self.paths[archive];
            let mut shard = self.directory.create_shard(path).map_err(|e| e.to_string())?;
            shard.append(&self.frame(xml::header())?).map_err(|e| e.to_string())?;
            self.shards.insert(archive, shard);
        }
        match self.shards.get_mut(&archive) {
            Some(shard) => shard.append(bytes).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    /// What stands around the documents of an XML file, compressed by itself; nothing for the other formats.
    fn frame(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        if self.rules.config.output.format == Format::Xml {
            let compression = self.rules.config.output.compression();
            Compressor::new(compression)
                .and_then(|mut c| c.compress(text, &mut out))
                .map_err(|e| e.to_string())?;
        }
        Ok(out)
    }

    /// Gives an archive's shard its name; whether there is one.
    fn commit(&mut self, archive: usize) -> Result<bool, String> {
        let Some(mut shard) = self.shards.remove(&archive) else {
            return Ok(false);
        };
        shard.append(&self.frame(xml::footer())?).map_err(|e| e.to_string())?;
        shard.commit().map_err(|e| e.to_string())?;
        Ok(true)
    }

    /// Half a shard is none, and what was read for it does not count.
    fn give_up(&mut self, archive: usize, state: ArchiveState, error: String) {
        self.shards.remove(&archive);
        self.quarantine.remove(&archive);
        self.failures.forget(archive);
        self.report.archives[archive].give_up(state, error);
    }
}

impl Sink for Output<'_> {
    fn chunk(&mut self, archive: usize, chunk: &Chunk) -> Result<(), SinkError> {
        self.append(archive, &chunk.bytes)?;
        self.failures.add(self.directory, archive, &chunk.failures)?;
        if chunk.stored.is_empty() {
            return Ok(());
        }
        let source = &self.sources[archive];
        let quarantine = self
            .quarantine
            .entry(archive)
            .or_insert_with(|| Quarantine::new(source));
        Ok(quarantine.take(self.directory, chunk)?)
    }

    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        let result: Result<(), String> = match outcome.interrupted {
            true => {
                self.give_up(archive, ArchiveState::Interrupted, String::new());
                Ok(())
            }
            false => self.commit(archive).and_then(|written| {
                let shard = written.then_some(self.paths[archive].as_path());
                let report = &mut self.report.archives[archive];
                report.enter(outcome, shard);
                // A file without any record is not an archive; there is nothing to keep apart.
                let quarantine = self.quarantine.remove(&archive).filter(|_| report.ledger.framed > 0);
                let files = quarantine.map_or(Ok(Vec::new()), Quarantine::commit)?;
                self.report.archives[archive].quarantine = files;
                Ok(())
            }),
        };
        if let Err(error) = &result {
            self.give_up(archive, ArchiveState::Failed, error.clone());
        }
        (self.finished)(&self.report.archives[archive]);
        Ok(result?)
    }

    fn abandon(&mut self) {
        self.conclude(Ok(()));
        (self.abandoned)(self.report);
    }
}
