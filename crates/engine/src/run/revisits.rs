//! What follows from changes where documents were made of revisits: these depend on other archives than their own.
//!
//! Which archive an original stands in is not remembered. So a change of any archive of the run may concern every archive with
//! resolved revisits. Archives that are only added concern
//! unfinished ones alone: a finished archive keeps what was found when it was read.

use std::collections::HashSet;

use super::RunOptions;
use super::change::{Now, change};
use super::earlier::{Earlier, EarlierProgress};
use super::journal::Checkpoint;
use super::plan::{PlannedArchive, Todo, new_archive, refused_archive};
use super::report::{ArchiveReport, ArchiveState};
use crate::config::Rules;
use crate::input::{ArchiveInput, InputState};
use crate::ledger::Ledger;
use crate::reason::{Failed, Filtered, PageNote};
use dehusk_archive::Fault;

/// Leaves out what another run says of archives with revisits, unless that run had the same archives in the same order: otherwise
/// their originals may be others now. Those without originals are always left out, because archives may have been added to that run
/// after it had looked. `paths` are its archives.
pub(super) fn leave_uncertain<'p>(known: &mut [Option<&'p ArchiveReport>], paths: impl Iterator<Item = &'p str>) {
    let is_same = known
        .iter()
        .map(|report| report.map(|report| &*report.path))
        .eq(paths.map(Some));
    let unresolved = |ledger: &Ledger| ledger.filtered.get(Filtered::Revisit) + unreadable(ledger);
    for report in known {
        *report = report.filter(|report| unresolved(&report.ledger) == 0 && (is_same || resolved(&report.ledger) == 0));
    }
}

/// How many revisits failed because the archive of an original could not be read.
fn unreadable(ledger: &Ledger) -> u64 {
    ledger.failed.get(Failed::Archive(Fault::Unreadable))
}

/// Whether there were revisits, whatever became of them.
fn has_revisits(ledger: &Ledger) -> bool {
    resolved(ledger) + unreadable(ledger) + ledger.filtered.get(Filtered::Revisit) > 0
}

/// How many revisits were resolved.
fn resolved(ledger: &Ledger) -> u64 {
    ledger.notes.get(PageNote::RevisitResolved)
}

/// If an archive has changed since the earlier run, those with resolved revisits count as changed, too. If one was away, those whose
/// revisits lacked it are read again.
pub(super) fn follow_originals(
    rules: &Rules,
    inputs: &[ArchiveInput],
    earlier: &Earlier,
    archives: &mut [PlannedArchive],
    options: &RunOptions<'_>,
) {
    read_again(rules, inputs, archives);
    begin_again(rules, inputs, earlier, archives);
    refuse_without_originals(rules, inputs, earlier, archives);
    let dependent: Vec<usize> = (0..inputs.len()).filter(|at| depends(&archives[*at])).collect();
    let mut named = HashSet::new();
    let changed: Vec<usize> = (0..inputs.len())
        // One that is listed twice is known once.
        .filter(|at| named.insert(archives[*at].report.path.clone()))
        .filter(|at| has_changed(&archives[*at], &inputs[*at], earlier, rules, options))
        .collect();
    let (Some(first), false) = (changed.first(), dependent.is_empty()) else {
        return;
    };
    let path = &archives[*first].report.path;
    let why = format!("its revisits may have their originals in {path}, which has changed");
    for at in dependent {
        let new = new_archive(rules, &inputs[at]);
        replace(&mut archives[at], new, earlier, &why, options.changed);
    }
    for at in changed.into_iter().filter(|_| !options.changed) {
        // Once it is read, what those revisits were made of cannot be known any more.
        if matches!(archives[at].todo, Todo::Read) {
            let new = new_archive(rules, &inputs[at]);
            let why = "it has changed since revisits were resolved that may have their originals in it";
            replace(&mut archives[at], new, earlier, why, false);
        }
    }
}

/// Reads archives again whose revisits failed because the archive of an original could not be read, unless that must end the same way.
fn read_again(rules: &Rules, inputs: &[ArchiveInput], archives: &mut [PlannedArchive]) {
    let may_have_originals = |at: &usize| inputs[*at].is_repeatable();
    let is_there = |at: &usize| inputs[*at].is_present();
    // Of a directory of pages, it is a page that could not be read.
    let lacked = |at: &usize| !inputs[*at].may_lack_files() && lacked(&archives[*at]);
    let lacked: Vec<usize> = (0..inputs.len()).filter(lacked).collect();
    let mut listed = (0..inputs.len()).filter(may_have_originals);
    let is_new = |at: usize| matches!(archives[at].todo, Todo::Read) && is_there(&at);
    if lacked.is_empty() || !(listed.clone().all(|at| is_there(&at)) || listed.any(is_new)) {
        return;
    }
    for at in lacked {
        leave(&mut archives[at]);
        archives[at] = new_archive(rules, &inputs[at]);
    }
}

/// Begins unfinished archives with revisits again if an archive is there that the earlier run did not find, because it was away or
/// was not listed. Its originals may come before those that were found, and all revisits of an archive are to have the same ones.
fn begin_again(rules: &Rules, inputs: &[ArchiveInput], earlier: &Earlier, archives: &mut [PlannedArchive]) {
    let is_found = |at: usize| inputs[at].is_repeatable() && inputs[at].state().is_some();
    let was_found = |path: &str| earlier.archive(path).is_some_and(|known| known.input.is_some());
    if !(0..inputs.len()).any(|at| is_found(at) && !was_found(&archives[at].report.path)) {
        return;
    }
    for (archive, input) in archives.iter_mut().zip(inputs) {
        if let Todo::Continue(checkpoint, _) = &archive.todo
            && has_revisits(&checkpoint.ledger)
        {
            leave(archive);
            *archive = new_archive(rules, input);
        }
    }
}

/// Whether revisits of an archive failed because the archive of an original could not be read.
fn lacked(archive: &PlannedArchive) -> bool {
    let ledger = match &archive.todo {
        Todo::Keep(_) if archive.report.changed.is_empty() => &archive.report.ledger,
        Todo::Continue(checkpoint, _) => &checkpoint.ledger,
        _ => return false,
    };
    unreadable(ledger) > 0
}

/// Does not go on with resolved revisits while an archive is away, because the others would have no originals in it.
fn refuse_without_originals(
    rules: &Rules,
    inputs: &[ArchiveInput],
    earlier: &Earlier,
    archives: &mut [PlannedArchive],
) {
    let unfinished = |archive: &PlannedArchive| matches!(archive.todo, Todo::Continue(..)) && depends(archive);
    let unfinished: Vec<usize> = (0..inputs.len()).filter(|at| unfinished(&archives[*at])).collect();
    if unfinished.is_empty() {
        return;
    }
    let mut gone = None;
    for (archive, input) in archives.iter_mut().zip(inputs) {
        let known = earlier.archive(&archive.report.path);
        let then = known.and_then(|known| known.input.clone());
        if then.is_some() && input.state().is_none() {
            // The next run has to know that it was there.
            archive.report.input = then;
            gone.get_or_insert(&archive.report.path);
        }
    }
    let Some(gone) = gone else { return };
    let why = format!("its revisits may have their originals in {gone}, which cannot be found any more");
    for at in unfinished {
        let new = new_archive(rules, &inputs[at]);
        replace(&mut archives[at], new, earlier, &why, false);
    }
}

/// Whether what was made of an archive depends on other archives.
fn depends(archive: &PlannedArchive) -> bool {
    match &archive.todo {
        Todo::Keep(_) => archive.report.changed.is_empty() && resolved(&archive.report.ledger) > 0,
        Todo::Continue(checkpoint, _) => resolved(&checkpoint.ledger) > 0,
        _ => false,
    }
}

/// Whether the earlier run found other bytes in an archive. Of a file that is gone nothing can be made again, so what was made of it
/// stays, and that of its revisits, too.
fn has_changed(
    archive: &PlannedArchive,
    input: &ArchiveInput,
    earlier: &Earlier,
    rules: &Rules,
    options: &RunOptions<'_>,
) -> bool {
    let (Some(known), Some(now)) = (earlier.archive(&archive.report.path), input.state()) else {
        return false;
    };
    let read = match &known.progress {
        EarlierProgress::Unfinished(checkpoint) => checkpoint.digest.as_ref(),
        _ => None,
    };
    // An archive is also done again, or refused, because of what was made of it.
    let is_other = || {
        let now = Now::of(input, &rules.config, options);
        change(input, &now, known.input.as_ref(), read, options.verify).is_some()
    };
    match (&archive.todo, &known.progress) {
        (Todo::Keep(_) | Todo::Refuse(_), _) => !archive.report.changed.is_empty() && is_other(),
        // Nothing of it was kept, so it is read, whatever it is now.
        (Todo::Read, EarlierProgress::None) => differs(known.input.as_ref(), &now),
        (Todo::Read, EarlierProgress::Finished { report, .. }) if report.state == ArchiveState::Failed => {
            differs(known.input.as_ref(), &now)
        }
        (Todo::Read, _) => is_other(),
        _ => false,
    }
}

fn differs(then: Option<&InputState>, now: &InputState) -> bool {
    let file = |state: &InputState| (state.bytes, state.modified.clone(), state.etag.clone());
    then.is_some_and(|then| file(then) != file(now))
}

/// Does an archive again, or leaves it as it is.
fn replace(archive: &mut PlannedArchive, new: PlannedArchive, earlier: &Earlier, why: &str, again: bool) {
    let input = earlier
        .archive(&archive.report.path)
        .and_then(|known| known.input.clone());
    let checkpoint = leave(archive);
    match &archive.todo {
        _ if again => *archive = new,
        Todo::Keep(_) => why.clone_into(&mut archive.report.changed),
        _ => *archive = refused_archive(new, input.as_ref(), why.to_owned(), checkpoint.as_deref()),
    }
}

/// Leaves the outputs of an archive that is not gone on with where they are, and returns how far it was.
fn leave(archive: &mut PlannedArchive) -> Option<Box<Checkpoint>> {
    match std::mem::replace(&mut archive.todo, Todo::Read) {
        Todo::Continue(checkpoint, open) => {
            open.leave();
            Some(checkpoint)
        }
        todo => {
            archive.todo = todo;
            None
        }
    }
}
