//! An archive, and what the run has to do with it.

use std::path::PathBuf;

use super::decision::Action;
use super::directory::shard_path;
use super::journal::{Checkpoint, OutputFile};
use super::open_archive::OpenArchive;
use super::report::{ArchiveReport, ArchiveState, archive_path};
use super::{quarantine, records};
use crate::config::Rules;
use crate::input::{ArchiveInput, InputState};

/// An archive, and what the run has to do with it.
pub(super) struct PlannedArchive {
    /// Its account so far.
    pub(super) report: ArchiveReport,
    /// The name of its shard, without endings.
    pub(super) shard: String,
    pub(super) task: Task,
}

/// An [`Action`] with what it needs.
pub(super) enum Task {
    Read,
    Continue {
        checkpoint: Box<Checkpoint>,
        open: Box<OpenArchive>,
    },
    /// Its entry in the account of the other run.
    TakeOver(Box<ArchiveReport>),
    /// Its outputs are these. None, if all of them have their names.
    Keep(Vec<OutputFile>),
    /// The outputs that it has a part of stay, up to this checkpoint.
    Refuse(Option<Box<Checkpoint>>),
}

impl Task {
    pub(super) fn action(&self) -> Action {
        match self {
            Self::Read => Action::Read,
            Self::Continue { .. } => Action::Continue,
            Self::TakeOver(_) => Action::TakeOver,
            Self::Keep(_) => Action::Keep,
            Self::Refuse(_) => Action::Refuse,
        }
    }
}

impl PlannedArchive {
    /// An archive that is read from its start.
    pub(super) fn read(rules: &Rules, input: &ArchiveInput) -> Self {
        let shard = shard_path(&rules.config, input.shard());
        let mut report = ArchiveReport::pending(archive_path(input.label()), &shard);
        report.input = input.state();
        if rules.config.output.quarantine {
            report.quarantine = quarantine::candidate_paths(input.shard());
        }
        report.records = records::candidate_paths(input.shard(), rules);
        Self {
            report,
            shard: input.shard().to_owned(),
            task: Task::Read,
        }
    }

    /// An archive that is continued after a checkpoint.
    pub(super) fn resume(mut self, checkpoint: &Checkpoint, open: OpenArchive) -> Self {
        self.report.partial = partial(checkpoint);
        self.task = Task::Continue {
            checkpoint: Box::new(checkpoint.clone()),
            open: Box::new(open),
        };
        self
    }

    /// An archive that an earlier run began, and that is left as it is because of a change.
    pub(super) fn refuse(
        mut self,
        earlier: Option<&InputState>,
        changed: String,
        checkpoint: Option<&Checkpoint>,
    ) -> Self {
        self.report.input = earlier.cloned();
        self.report.changed = changed;
        self.report.give_up(ArchiveState::Interrupted, String::new());
        self.report.partial = checkpoint.map_or_else(Vec::new, partial);
        self.task = Task::Refuse(checkpoint.cloned().map(Box::new));
        self
    }

    /// Ends work on an archive that is not continued after all. Its outputs stay where they are. Returns how far it
    /// was.
    pub(super) fn abandon(&mut self) -> Option<Box<Checkpoint>> {
        match std::mem::replace(&mut self.task, Task::Read) {
            Task::Continue { checkpoint, open } => {
                open.abandon();
                Some(checkpoint)
            }
            task => {
                self.task = task;
                None
            }
        }
    }
}

/// The outputs that an unfinished archive has a part of.
fn partial(checkpoint: &Checkpoint) -> Vec<PathBuf> {
    checkpoint.files.iter().map(|file| file.path.clone()).collect()
}
