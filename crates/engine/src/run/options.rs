//! The options of a run that are not part of its configuration.

use std::fmt;
use std::path::Path;

use super::report::{ArchiveReport, Report};
use super::sink::DocumentSink;
use crate::input::ArchiveInput;
use crate::pipeline::{Progress, Stop};

/// Options of a run that are not part of its configuration. By default nothing watches or stops the run, and it
/// resumes what an earlier run of the same command left in its directory.
#[derive(Default)]
pub struct RunOptions<'o> {
    pub(super) overwrite: bool,
    pub(super) changed: bool,
    pub(super) verify: bool,
    pub(super) part: Option<Part>,
    pub(super) since: Option<&'o Path>,
    pub(super) inputs_skipped: u64,
    pub(super) at_least: u64,
    pub(super) sink: Option<&'o mut dyn DocumentSink>,
    pub(super) progress: Option<&'o Progress>,
    pub(super) stop: Option<&'o Stop>,
    pub(super) on_archive: Option<&'o mut dyn FnMut(&ArchiveReport)>,
    pub(super) on_abandon: Option<&'o mut dyn FnMut(&Report)>,
}

impl<'o> RunOptions<'o> {
    /// Whether the run starts again and replaces the outputs of an earlier run in the same directory.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether the run redoes what a change since the earlier run affects: a change of an archive, of the configuration
    /// or of the program. Otherwise it refuses that.
    pub fn changed(mut self, changed: bool) -> Self {
        self.changed = changed;
        self
    }

    /// Whether the run compares archives by digest with those that the earlier run read, and outputs with what it
    /// wrote. Otherwise it compares their sizes, and the times of archives.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// Makes the run read only a part of its list: of `count` parts the one of this number, from 1. Archives are dealt
    /// in turn, so runs over all parts of one list together read each archive once. Every archive has the name that it
    /// would have in a run over the whole list.
    pub fn part(mut self, number: u64, count: u64) -> Self {
        self.part = Some(Part { number, count });
        self
    }

    /// Another run directory. The run takes over its archives that have not changed since, if the program and the
    /// configuration would make the same documents from them.
    pub fn since(mut self, directory: &'o Path) -> Self {
        self.since = Some(directory);
        self
    }

    /// How many files of the inputs' directories were skipped before the run
    /// ([`Inputs::skipped`](crate::input::Inputs)), for the report.
    pub fn inputs_skipped(mut self, count: u64) -> Self {
        self.inputs_skipped = count;
        self
    }

    /// How many documents the run must have at its end, those of earlier runs in the directory included. With fewer,
    /// its [exit status](Report::exit_status) is 4.
    pub fn at_least(mut self, documents: u64) -> Self {
        self.at_least = documents;
        self
    }

    /// Your own destination for the documents, instead of shards in the run directory. Settings of the output's format
    /// and compression have no effect then, and nothing is taken over from another run.
    pub fn sink(mut self, sink: &'o mut dyn DocumentSink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Counters that the run keeps up to date, for a display.
    pub fn progress(mut self, progress: &'o Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// A way to stop the run early.
    pub fn stop(mut self, stop: &'o Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Called with each archive's account when the archive is finished.
    pub fn on_archive(mut self, call: &'o mut dyn FnMut(&ArchiveReport)) -> Self {
        self.on_archive = Some(call);
        self
    }

    /// Called after [`Stop::drop_in_flight`], as soon as the account is written. The run itself returns only when its
    /// threads have ended, which can take long.
    pub fn on_abandon(mut self, call: &'o mut dyn FnMut(&Report)) -> Self {
        self.on_abandon = Some(call);
        self
    }
}

/// How a run treats what an earlier run in its directory left.
#[derive(Clone, Copy)]
pub(super) struct RepeatOptions<'o> {
    /// Redo what is affected by a change.
    pub(super) redo: bool,
    /// Compare digests instead of sizes and times.
    pub(super) verify: bool,
    pub(super) stop: Option<&'o Stop>,
}

impl<'o> RunOptions<'o> {
    pub(super) fn repeat(&self) -> RepeatOptions<'o> {
        RepeatOptions {
            redo: self.changed,
            verify: self.verify,
            stop: self.stop,
        }
    }
}

/// A part of the run's list, such as 2 of 8.
#[derive(Clone, Copy)]
pub(super) struct Part {
    number: u64,
    count: u64,
}

impl Part {
    /// Keeps the archives of this part.
    pub(super) fn select(self, inputs: &mut Vec<ArchiveInput>) {
        let mut turn = (1..=self.count.max(1)).cycle();
        inputs.retain(|_| turn.next() == Some(self.number));
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}
