//! The effects of a change on documents of revisits, which also depend on other archives than their own.
//!
//! No run remembers which archive an original is in. So a change of any archive of the run may concern every archive
//! with resolved revisits. Archives that are only added concern unfinished ones alone: a finished archive keeps what
//! was found when it was read.

use std::collections::HashSet;

use super::change::CurrentInput;
use super::decision::{self, Action, OriginalsChange};
use super::earlier::{Earlier, EarlierProgress};
use super::options::RepeatOptions;
use super::planned::{PlannedArchive, Task};
use super::report::{ArchiveReport, ArchiveState};
use crate::config::Rules;
use crate::input::{ArchiveInput, InputState};
use crate::ledger::Ledger;
use crate::reason::{Failed, Filtered, PageNote};
use dehusk_archive::Fault;

/// Removes another run's accounts of archives with revisits, unless that run had the same archives in the same order:
/// otherwise their originals may be others now. Archives with revisits without originals are always removed, because
/// archives may have been added to that run after it had looked. `paths` are its archives.
pub(super) fn exclude_uncertain<'p>(finished: &mut [Option<&'p ArchiveReport>], paths: impl Iterator<Item = &'p str>) {
    let own_paths = finished.iter().map(|report| report.map(|report| &*report.path));
    let is_same = own_paths.eq(paths.map(Some));
    let unresolved = |ledger: &Ledger| ledger.filtered.get(Filtered::Revisit) + unreadable(ledger);
    for report in finished {
        *report = report.filter(|report| unresolved(&report.ledger) == 0 && (is_same || resolved(&report.ledger) == 0));
    }
}

/// How many revisits failed because the archive of an original could not be read.
fn unreadable(ledger: &Ledger) -> u64 {
    ledger.failed.get(Failed::Archive(Fault::Unreadable))
}

/// How many revisits were resolved.
fn resolved(ledger: &Ledger) -> u64 {
    ledger.notes.get(PageNote::RevisitResolved)
}

/// Whether there were revisits, whatever became of them.
fn has_revisits(ledger: &Ledger) -> bool {
    resolved(ledger) + unreadable(ledger) + ledger.filtered.get(Filtered::Revisit) > 0
}

/// Changes the plan of archives with revisits where something has happened to archives that may hold originals.
/// `archives` are planned in the order of `inputs`.
pub(super) fn follow_originals(
    rules: &Rules,
    repeat: RepeatOptions<'_>,
    inputs: &[ArchiveInput],
    earlier: &Earlier,
    archives: &mut [PlannedArchive],
) {
    let mut follower = Follower {
        rules,
        repeat,
        inputs,
        earlier,
        archives,
    };
    follower.retry_unreadable();
    follower.restart_unfinished();
    follower.refuse_without_originals();
    follower.follow_changes();
}

struct Follower<'f> {
    rules: &'f Rules,
    repeat: RepeatOptions<'f>,
    inputs: &'f [ArchiveInput],
    earlier: &'f Earlier,
    archives: &'f mut [PlannedArchive],
}

impl Follower<'_> {
    /// The places of the archives for which something holds.
    fn places(&self, holds: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.inputs.len()).filter(|at| holds(*at)).collect()
    }

    /// Reads archives again whose revisits failed because the archive of an original could not be read, if that can end
    /// differently now.
    fn retry_unreadable(&mut self) {
        // In a directory of pages, it is a page that could not be read.
        let lacked = self.places(|at| !self.inputs[at].may_lack_files() && lacked_original(&self.archives[at]));
        let is_there = |at: &usize| self.inputs[*at].is_present();
        let is_new = |at: usize| matches!(self.archives[at].task, Task::Read) && is_there(&at);
        let mut holders = self.places(|at| self.inputs[at].is_repeatable()).into_iter();
        if !lacked.is_empty() && (holders.clone().all(|at| is_there(&at)) || holders.any(is_new)) {
            for at in lacked {
                self.apply(at, OriginalsChange::Returned, "");
            }
        }
    }

    /// Restarts unfinished archives with revisits if an archive is there that the earlier run did not find, because it
    /// was missing or not listed. Its originals may come before those that were found, and all revisits of an archive
    /// must get the same ones.
    fn restart_unfinished(&mut self) {
        let is_found = |at: usize| self.inputs[at].is_repeatable() && self.inputs[at].state().is_some();
        let was_found = |at: usize| {
            let known = self.earlier.archive(&self.archives[at].report.path);
            known.is_some_and(|known| known.input.is_some())
        };
        if self.places(|at| is_found(at) && !was_found(at)).is_empty() {
            return;
        }
        let has_begun = |at: usize| match &self.archives[at].task {
            Task::Continue { checkpoint, .. } => has_revisits(&checkpoint.ledger),
            _ => false,
        };
        for at in self.places(has_begun) {
            self.apply(at, OriginalsChange::Returned, "");
        }
    }

    /// Does not continue archives with resolved revisits while an archive is missing, because their other revisits
    /// would have no originals in it.
    fn refuse_without_originals(&mut self) {
        let unfinished =
            self.places(|at| matches!(self.archives[at].task, Task::Continue { .. }) && self.is_dependent(at));
        if unfinished.is_empty() {
            return;
        }
        let mut missing = None;
        for (archive, input) in self.archives.iter_mut().zip(self.inputs) {
            let known = self.earlier.archive(&archive.report.path);
            let before = known.and_then(|known| known.input.clone());
            if before.is_some() && input.state().is_none() {
                // The next run has to know that it was there.
                archive.report.input = before;
                missing.get_or_insert(archive.report.path.clone());
            }
        }
        let Some(missing) = missing else { return };
        let why = format!("its revisits may have their originals in {missing}, which cannot be found any more");
        for at in unfinished {
            self.apply(at, OriginalsChange::Missing, &why);
        }
    }

    /// If an archive has changed since the earlier run, those with resolved revisits also count as changed.
    fn follow_changes(&mut self) {
        let dependent = self.places(|at| self.is_dependent(at));
        let mut named = HashSet::new();
        let changed: Vec<usize> = (0..self.inputs.len())
            // An archive that is listed twice counts once.
            .filter(|at| named.insert(&self.archives[*at].report.path))
            .filter(|at| self.has_changed(*at))
            .collect();
        let (Some(first), false) = (changed.first(), dependent.is_empty()) else {
            return;
        };
        let path = &self.archives[*first].report.path;
        let why = format!("its revisits may have their originals in {path}, which has changed");
        for at in dependent {
            self.apply(at, OriginalsChange::Changed, &why);
        }
        let why = "it has changed since revisits were resolved that may have their originals in it";
        for at in changed {
            let action = self.archives[at].task.action();
            if decision::replace_original(action, self.repeat.redo) != action {
                self.refuse(at, why);
            }
        }
    }

    /// Follows the rules for an archive after something has happened to archives that may hold its originals.
    fn apply(&mut self, at: usize, change: OriginalsChange, why: &str) {
        let action = self.archives[at].task.action();
        match decision::follow_originals(action, change, self.repeat.redo) {
            Action::Read => {
                self.archives[at].abandon();
                self.archives[at] = PlannedArchive::read(self.rules, &self.inputs[at]);
            }
            Action::Keep => why.clone_into(&mut self.archives[at].report.changed),
            Action::Refuse => self.refuse(at, why),
            Action::Continue | Action::TakeOver => {}
        }
    }

    fn refuse(&mut self, at: usize, why: &str) {
        let archive = &mut self.archives[at];
        let known = self.earlier.archive(&archive.report.path);
        let input = known.and_then(|known| known.input.as_ref());
        let checkpoint = archive.abandon();
        let new = PlannedArchive::read(self.rules, &self.inputs[at]);
        *archive = new.refuse(input, why.to_owned(), checkpoint.as_deref());
    }

    /// Whether the documents of an archive depend on other archives.
    fn is_dependent(&self, at: usize) -> bool {
        unchanged_ledger(&self.archives[at]).is_some_and(|ledger| resolved(ledger) > 0)
    }

    /// Whether the earlier run found other bytes in an archive. A file that is gone has not changed: nothing can be
    /// made of it again, so its documents and those of its revisits stay.
    fn has_changed(&self, at: usize) -> bool {
        let (archive, input) = (&self.archives[at], &self.inputs[at]);
        let (Some(known), Some(state)) = (self.earlier.archive(&archive.report.path), input.state()) else {
            return false;
        };
        // An archive is also redone or refused because its outputs have changed.
        let is_other = || {
            let digest = match &known.progress {
                EarlierProgress::Unfinished(checkpoint) => checkpoint.digest.as_ref(),
                _ => None,
            };
            let current = CurrentInput::ask(input, &self.rules.config, self.repeat.stop);
            let change = current.change_since(known.input.as_ref(), digest, self.repeat.verify);
            change.is_some()
        };
        match (&archive.task, &known.progress) {
            (Task::Keep(_) | Task::Refuse(_), _) => !archive.report.changed.is_empty() && is_other(),
            // Nothing of it was kept, so it is read, whatever it is now.
            (Task::Read, EarlierProgress::None) => differs(known.input.as_ref(), &state),
            (Task::Read, EarlierProgress::Finished { report, .. }) if report.state == ArchiveState::Failed => {
                differs(known.input.as_ref(), &state)
            }
            (Task::Read, _) => is_other(),
            _ => false,
        }
    }
}

/// Whether revisits of an archive failed because the archive of an original could not be read.
fn lacked_original(archive: &PlannedArchive) -> bool {
    unchanged_ledger(archive).is_some_and(|ledger| unreadable(ledger) > 0)
}

/// The account of an archive so far, if the run keeps or continues it and it has not changed.
fn unchanged_ledger(archive: &PlannedArchive) -> Option<&Ledger> {
    match &archive.task {
        Task::Keep(_) if archive.report.changed.is_empty() => Some(&archive.report.ledger),
        Task::Continue { checkpoint, .. } => Some(&checkpoint.ledger),
        _ => None,
    }
}

fn differs(before: Option<&InputState>, now: &InputState) -> bool {
    let file = |state: &InputState| (state.bytes, state.modified.clone(), state.etag.clone());
    before.is_some_and(|before| file(before) != file(now))
}
