//! The pipeline's sink: chunks → shards and the account.

use std::collections::HashMap;
use std::sync::Arc;

use super::directory::{Directory, Failures};
use super::report::{ArchiveReport, ArchiveState, Report};
use super::shard_path;
use crate::config::{Format, Rules};
use crate::output::{Compressor, Shard, xml};
use crate::pipeline::{ArchiveOutcome, Chunk, Sink, Source};

pub(super) struct Output<'o> {
    rules: &'o Arc<Rules>,
    sources: &'o [Source],
    directory: &'o Directory,
    report: &'o mut Report,
    finished: &'o mut dyn FnMut(&ArchiveReport),
    /// The shards of the archives under way that have a document.
    shards: HashMap<usize, Shard>,
    failures: Vec<Failures>,
}

impl<'o> Output<'o> {
    pub(super) fn new(
        rules: &'o Arc<Rules>,
        sources: &'o [Source],
        directory: &'o Directory,
        report: &'o mut Report,
        finished: &'o mut dyn FnMut(&ArchiveReport),
    ) -> Self {
        let failures = sources.iter().map(|_| Failures::default()).collect();
        Self {
            rules,
            sources,
            directory,
            report,
            finished,
            shards: HashMap::new(),
            failures,
        }
    }

    /// The lines for `failed.jsonl`, by archive.
    pub(super) fn into_failures(self) -> Vec<Failures> {
        self.failures
    }

    fn append(&mut self, archive: usize, bytes: &[u8]) -> Result<(), String> {
        if bytes.is_empty() {
            return Ok(());
        }
        if !self.shards.contains_key(&archive) {
            let path = shard_path(self.rules, &self.sources[archive].shard);
            let mut shard = self.directory.create_shard(&path).map_err(|e| e.to_string())?;
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

    fn commit(&mut self, archive: usize) -> Result<(), String> {
        let Some(mut shard) = self.shards.remove(&archive) else {
            return Ok(());
        };
        shard.append(&self.frame(xml::footer())?).map_err(|e| e.to_string())?;
        shard.commit().map_err(|e| e.to_string())?;
        let path = shard_path(self.rules, &self.sources[archive].shard);
        self.report.archives[archive].shards = vec![path.to_string_lossy().into_owned()];
        Ok(())
    }

    /// Books the failure of the output.
    fn heed(&mut self, result: Result<(), String>) -> Result<(), String> {
        if let Err(error) = &result {
            self.report.fail(error.clone());
        }
        result
    }
}

impl Sink for Output<'_> {
    fn chunk(&mut self, archive: usize, chunk: &Chunk) -> Result<(), String> {
        let result = self
            .append(archive, &chunk.bytes)
            .and_then(|()| self.failures[archive].add(self.directory, archive, &chunk.failures));
        self.heed(result)
    }

    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), String> {
        self.report.archives[archive].enter(&outcome);
        let result = match self.report.archives[archive].state {
            // Half a shard is none; it goes away as it is dropped.
            ArchiveState::Interrupted => {
                self.shards.remove(&archive);
                Ok(())
            }
            _ => self.commit(archive),
        };
        if result.is_err() {
            self.report.archives[archive].state = ArchiveState::Failed;
        }
        (self.finished)(&self.report.archives[archive]);
        self.heed(result)
    }
}
