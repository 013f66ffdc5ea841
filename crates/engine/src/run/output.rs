//! The pipeline's sink: chunks → shards, failure lines, quarantine, chosen records, journal and report.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::directory::Directory;
use super::directory::RECORDS;
use super::error::DirectoryError;
use super::failures::FailureLines;
use super::journal::{Entry, Journal, Lines, TimeEntry};
use super::open_archive::{OpenArchive, SealedArchive};
use super::options::RunOptions;
use super::quarantine::Quarantine;
use super::records::{RecordFiles, candidate_paths};
use super::report::{ArchiveState, Report, RunState};
use super::report_page::Recorder;
use super::seen;
use super::sink::{Feed, SinkArchive};
use crate::config::Rules;
use crate::input::{ArchiveInput, Opening, StoredBytes};
use crate::ledger::Failure;
use crate::pipeline::{ArchiveOutcome, Border, Chunk, PipelineError, Progress, Sink, SinkError, Start};
use dehusk_documents::store::Seen;

/// The journal is written when this many stored bytes are finished, of all archives together. A killed run has to
/// extract them again, and the batches in flight.
const CHECKPOINT: u64 = 16 << 20;

/// It is also written after this time, so that slow work is not lost.
const CHECKPOINT_TIME: Duration = Duration::from_secs(10);

/// The bytes that a batch counts for if it finishes no stored byte, because its member continues. It holds up to as
/// many decoded bytes.
const UNFINISHED_BATCH: u64 = crate::pipeline::BATCH_DECODED as u64;

/// The archives that a run reads. The lists are parallel, because the pipeline takes the first two.
#[derive(Default)]
pub(super) struct ReadList {
    pub(super) inputs: Vec<ArchiveInput>,
    /// Where reading starts.
    pub(super) starts: Vec<Start>,
    pub(super) targets: Vec<Target>,
}

/// Where the output of an archive goes.
pub(super) struct Target {
    /// Its place in the report, which is its number in the journal.
    pub(super) number: usize,
    /// Its shard, relative to the run directory.
    pub(super) shard: PathBuf,
    /// Whether another run can resume it.
    pub(super) is_resumable: bool,
}

/// The files and archives that a run has open while it reads.
pub(super) struct OpenRun {
    /// The archives that are being read, by their places in the [`ReadList`].
    pub(super) archives: HashMap<usize, OpenArchive>,
    pub(super) failures: FailureLines,
    pub(super) journal: Journal,
}

/// The values that do not change during a run.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'o> {
    pub(super) rules: &'o Arc<Rules>,
    pub(super) directory: &'o Directory,
    /// The payloads that earlier runs have emitted.
    pub(super) seen: Option<&'o Seen>,
    pub(super) progress: &'o Progress,
}

/// Writes what the pipeline makes.
pub(super) struct Output<'o, 'c> {
    context: RunContext<'o>,
    list: &'o ReadList,
    report: &'o mut Report,
    open: OpenRun,
    recorder: Recorder<'o>,
    options: RunOptions<'c>,
    /// Where the documents go, if not to shards.
    feed: Option<Feed<'c>>,
    started: Instant,
    concluded: bool,
    /// Whether something could not be written. Then nothing more is.
    failed: bool,
    /// Stored bytes that were finished since the journal was written.
    since_checkpoint: u64,
    last_checkpoint: Instant,
}

impl<'o, 'c> Output<'o, 'c> {
    pub(super) fn new(
        context: RunContext<'o>,
        list: &'o ReadList,
        report: &'o mut Report,
        open: OpenRun,
        mut options: RunOptions<'c>,
    ) -> Self {
        Self {
            recorder: Recorder::new(context.progress),
            context,
            list,
            report,
            open,
            feed: options.sink.take().map(Feed::new),
            options,
            started: Instant::now(),
            concluded: false,
            failed: false,
            since_checkpoint: 0,
            last_checkpoint: Instant::now(),
        }
    }

    /// Closes and writes the account, once. `result` is why the pipeline ended early, if it did.
    pub(super) fn conclude(&mut self, result: Result<(), PipelineError>) {
        if std::mem::replace(&mut self.concluded, true) {
            return;
        }
        if let Err(error) = result {
            self.report.fail(error.to_string());
        }
        // Archives that the run did not reach.
        self.open.archives.drain().for_each(|(_, open)| open.abandon());
        if let Err(e) = self.write_failures() {
            self.report.fail(e.to_string());
        }
        self.report.close(self.started.elapsed());
        if self.report.state == RunState::Complete
            && let (Some(seen), Some(state)) = (self.context.seen, &mut self.report.seen)
            && let Err(e) = seen::add(seen, state, self.context.directory, &mut self.open.journal)
        {
            self.report.fail(e.to_string());
        }
        self.report.earlier = self.context.directory.remove_earlier(self.report);
        let page = self.recorder.html(self.report);
        if let Err(e) = self.context.directory.write_report_page(&page) {
            self.report.fail(e.to_string());
        }
        if let Err(e) = self.context.directory.write_report(self.report) {
            self.report.fail(e.to_string());
        }
        match self.report.state {
            RunState::Complete => {
                self.context.directory.remove_journal();
                self.context.directory.remove_leftovers(self.report);
            }
            // The run is over. Another one can also resume it without its last seconds.
            RunState::Interrupted => drop(self.sync_journal()),
            // Where one line could not be written, no other may follow it.
            _ => {}
        }
    }

    fn write_failures(&mut self) -> Result<(), DirectoryError> {
        let mut file = self.context.directory.create_failure_list()?;
        self.open.failures.append_to(&mut file)?;
        file.commit()?;
        Ok(())
    }

    /// Hands a chunk's documents to the sink, if they do not go to a shard.
    fn feed(&mut self, archive: usize, chunk: &mut Chunk) -> Result<(), SinkError> {
        let documents = std::mem::take(&mut chunk.documents);
        match &mut self.feed {
            Some(feed) if !documents.is_empty() => {
                let report = &self.report.archives[self.list.targets[archive].number];
                feed.documents(&sink_archive(&self.list.inputs[archive], &report.path), documents)
            }
            _ => Ok(()),
        }
    }

    /// Writes a chunk's documents, failure lines, quarantined bytes and chosen records.
    fn write(&mut self, archive: usize, chunk: &mut Chunk, border: Option<Border<'_>>) -> Result<(), DirectoryError> {
        let target = &self.list.targets[archive];
        let open = self.open.archives.entry(archive).or_default();
        // Where only some records are read, the rest must not be read for a digest.
        if self.list.inputs[archive].ranges().is_none() {
            open.set_source(chunk.source.as_ref());
        }
        if !chunk.bytes.is_empty() {
            let shard = match &mut open.shard {
                Some(shard) => shard,
                none => {
                    let file = self.context.directory.create_output(&target.shard)?;
                    let output = &self.context.rules.config.output;
                    let compression = output.compression();
                    let mut shard = if target.is_resumable {
                        output.format.resumable_writer(file, compression)?
                    } else {
                        output.format.writer(file, compression)?
                    };
                    shard.index_by(output.tokenizer());
                    none.insert(shard)
                }
            };
            shard.write(&chunk.bytes)?;
        }
        for failures in chunk.failures.chunks(FAILURES) {
            let text = failure_lines(failures);
            let lines = Lines::all(&text);
            self.open.failures.add(target.number, lines, self.context.directory)?;
            open.add_failures(lines, target.number, &mut self.open.journal)?;
        }
        open.add_payloads(&chunk.payloads, target.number, &mut self.open.journal)?;
        if !chunk.stored.is_empty() {
            let input = &self.list.inputs[archive];
            let quarantine = open.quarantine.get_or_insert_with(|| Quarantine::new(input));
            quarantine.add(self.context.directory, chunk)?;
        }
        if !chunk.chosen.is_empty() || !chunk.robots.is_empty() {
            let (input, sets) = (&self.list.inputs[archive], &self.context.rules.records);
            let records = open.records.get_or_insert_default();
            records.add(self.context.directory, input, sets, chunk)?;
        }
        let input = &self.list.inputs[archive];
        let is_comparable = open.input.is_some() || input.update_state(&mut open.input);
        // A sink takes archives as wholes.
        let is_resumable = target.is_resumable && self.feed.is_none();
        let Some(border) = border.filter(|_| is_resumable && is_comparable) else {
            return Ok(());
        };
        self.since_checkpoint += match open.end_batch(&border, target.number, &target.shard) {
            0 if chunk.ledger.framed > 0 => UNFINISHED_BATCH,
            stored => stored,
        };
        let is_due = self.since_checkpoint >= CHECKPOINT || self.last_checkpoint.elapsed() >= CHECKPOINT_TIME;
        if is_due { self.checkpoint() } else { Ok(()) }
    }

    /// Writes the positions of all archives into the journal.
    fn checkpoint(&mut self) -> Result<(), DirectoryError> {
        self.since_checkpoint = 0;
        self.last_checkpoint = Instant::now();
        for open in self.open.archives.values_mut() {
            open.save(&mut self.open.journal)?;
        }
        self.sync_journal()
    }

    /// Syncs the journal, with the time that the run has taken so far.
    fn sync_journal(&mut self) -> Result<(), DirectoryError> {
        let seconds = self.report.timing.earlier_seconds + self.started.elapsed().as_secs_f64();
        self.open.journal.append(&Entry::Time(TimeEntry { seconds }))?;
        self.open.journal.sync()
    }

    /// Completes an archive's files and enters its outcome.
    fn finish_archive(
        &mut self,
        archive: usize,
        outcome: ArchiveOutcome,
        open: &mut OpenArchive,
    ) -> Result<(), SinkError> {
        let target = &self.list.targets[archive];
        let size = outcome.error.is_none().then_some(outcome.size);
        let report = &mut self.report.archives[target.number];
        let shard = open.shard.as_ref().map(|_| target.shard.as_path());
        // A file without any record is no archive, so there is nothing to put into the quarantine.
        if outcome.ledger.framed == 0
            && let Some(quarantine) = open.quarantine.take()
        {
            quarantine.abandon(false);
        }
        report.enter(outcome, shard);
        if let Some(shard) = &mut open.shard {
            shard.account(report.ledger.lines());
        }
        let input = &self.list.inputs[archive];
        input.update_state(&mut report.input);
        if open.lacks_source()
            && let Ok(StoredBytes::Ranges(source)) = input.stored_bytes(&Opening::new(&self.context.rules.config))
        {
            open.set_source(Some(&source));
        }
        let SealedArchive { files, digest } = open.seal(target.number, &target.shard, size, &mut self.open.journal)?;
        if let Some(state) = &mut report.input {
            state.digest = match size {
                Some(size) => input.final_digest(size, digest),
                None => digest,
            };
        }
        report.output_bytes = files
            .iter()
            .map(|file| (file.path.clone(), file.position.length))
            .collect();
        report.output_sha256 = files
            .iter()
            .map(|file| (file.path.clone(), file.sha256.clone()))
            .collect();
        // Only a later run can know whether the next line reached the disk.
        open.keep_outputs();
        let others = files.iter().map(|file| file.path.clone());
        let others = others.filter(|path| *path != target.shard);
        (report.records, report.quarantine) = others.partition(|path| path.starts_with(RECORDS));
        // Records come in any order of the sets.
        let candidates = candidate_paths(self.list.inputs[archive].shard(), self.context.rules);
        let place = |path: &PathBuf| candidates.iter().position(|candidate| candidate == path);
        report.records.sort_by_key(place);
        if let Some(feed) = &mut self.feed {
            feed.commit(&sink_archive(&self.list.inputs[archive], &report.path), report)?;
        }
        self.open.journal.append_finish(target.number, report, files)?;
        self.sync_journal()?;
        // From here on a later run completes the files, whatever happens to this one.
        if let Some(shard) = open.shard.take() {
            shard.finish()?;
        }
        open.quarantine.take().map_or(Ok(Vec::new()), Quarantine::commit)?;
        open.records.take().map_or(Ok(()), RecordFiles::commit)?;
        Ok(())
    }

    /// Ends work on an archive that is not whole, and returns its outputs that stay because they are in the journal.
    fn abandon_archive(&mut self, archive: usize, open: OpenArchive) -> Vec<PathBuf> {
        let target = &self.list.targets[archive];
        let files = open.saved_files(&target.shard);
        open.abandon();
        self.open.failures.forget(target.number);
        files
    }

    /// Ends work on an archive because the run is stopped.
    fn interrupt(&mut self, archive: usize, mut open: OpenArchive) {
        let target = &self.list.targets[archive];
        if target.is_resumable && !self.failed {
            let saved = open
                .save(&mut self.open.journal)
                .and_then(|()| self.open.journal.sync());
            if let Err(error) = saved {
                self.failed = true;
                self.report.fail(error.to_string());
            }
        }
        let number = target.number;
        let files = self.abandon_archive(archive, open);
        let report = &mut self.report.archives[number];
        report.partial = files;
        report.give_up(ArchiveState::Interrupted, String::new());
        if self.failed {
            report.lose_output();
        }
    }
}

impl Sink for Output<'_, '_> {
    fn chunk(&mut self, archive: usize, chunk: &mut Chunk, border: Option<Border<'_>>) -> Result<(), SinkError> {
        self.recorder.add(std::mem::take(&mut chunk.observed));
        let fed = self.feed(archive, chunk);
        let result = fed.and_then(|()| Ok(self.write(archive, chunk, border)?));
        self.failed |= result.is_err();
        result
    }

    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        let mut open = self.open.archives.remove(&archive).unwrap_or_default();
        let number = self.list.targets[archive].number;
        let mut result = Ok(());
        if outcome.interrupted {
            self.interrupt(archive, open);
        } else {
            result = self.finish_archive(archive, outcome, &mut open);
            if result.is_err() {
                self.failed = true;
                let files = self.abandon_archive(archive, open);
                let report = &mut self.report.archives[number];
                report.partial = files;
                // The run reports why, once.
                report.lose_output();
            }
        }
        // Whatever was committed has nothing left to discard.
        if let Some(feed) = &mut self.feed {
            feed.discard(&sink_archive(
                &self.list.inputs[archive],
                &self.report.archives[number].path,
            ));
        }
        if let Some(on_archive) = &mut self.options.on_archive {
            on_archive(&self.report.archives[number]);
        }
        result
    }

    fn abandon(&mut self) {
        self.conclude(Ok(()));
        if let Some(on_abandon) = &mut self.options.on_abandon {
            on_abandon(self.report);
        }
    }
}

/// An archive, as a sink knows it.
fn sink_archive<'a>(input: &'a ArchiveInput, path: &'a str) -> SinkArchive<'a> {
    SinkArchive {
        name: input.shard(),
        path,
    }
}

/// How many failure lines are made at a time.
const FAILURES: usize = 1000;

/// Failures as lines of `failed.jsonl`.
fn failure_lines(failures: &[Failure]) -> String {
    let mut text = String::new();
    for failure in failures {
        // A map with string keys, strings and numbers can always be written.
        text.push_str(&serde_json::to_string(failure).unwrap_or_default());
        text.push('\n');
    }
    text
}
