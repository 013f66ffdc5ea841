//! What follows from changes where documents were made of revisits: these depend on other archives than their own.
//!
//! Which archive an original stands in is not remembered. So a change of any archive of the run may concern every archive with
//! resolved revisits. Archives that are only added concern none: a finished archive keeps what was found when it was read.

use std::collections::HashSet;

use super::RunOptions;
use super::earlier::{Earlier, EarlierProgress};
use super::plan::{PlannedArchive, Todo, new_archive, refused_archive};
use super::report::{ArchiveReport, ArchiveState};
use crate::config::Rules;
use crate::input::{ArchiveInput, InputState};
use crate::ledger::Ledger;
use crate::reason::{Filtered, PageNote};

/// Leaves out what another run says of archives with revisits, unless that run had the same archives: otherwise their originals may
/// be others now. `archives` is how many it had.
pub(super) fn leave_uncertain(known: &mut [Option<&ArchiveReport>], archives: usize) {
    if known.len() == archives && known.iter().all(Option::is_some) {
        return;
    }
    let has_revisits =
        |report: &ArchiveReport| resolved(&report.ledger) + report.ledger.filtered.get(Filtered::Revisit) > 0;
    for report in known {
        *report = report.filter(|report| !has_revisits(report));
    }
}

/// How many revisits were resolved.
fn resolved(ledger: &Ledger) -> u64 {
    ledger.notes.get(PageNote::RevisitResolved)
}

/// If an archive has changed since the earlier run, those with resolved revisits count as changed, too.
pub(super) fn follow_originals(
    rules: &Rules,
    inputs: &[ArchiveInput],
    earlier: &Earlier,
    archives: &mut [PlannedArchive],
    options: &RunOptions<'_>,
) {
    let dependent: Vec<usize> = (0..inputs.len()).filter(|at| depends(&archives[*at])).collect();
    let mut named = HashSet::new();
    let changed: Vec<usize> = (0..inputs.len())
        // One that is listed twice is known once.
        .filter(|at| named.insert(archives[*at].report.path.clone()))
        .filter(|at| has_changed(&archives[*at], &inputs[*at], earlier))
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
        // Once it is read, nobody could say any more what those revisits were made of.
        if matches!(archives[at].todo, Todo::Read) {
            let new = new_archive(rules, &inputs[at]);
            let why = "it has changed since revisits were resolved that may have their originals in it";
            replace(&mut archives[at], new, earlier, why, false);
        }
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
fn has_changed(archive: &PlannedArchive, input: &ArchiveInput, earlier: &Earlier) -> bool {
    let (Some(known), Some(now)) = (earlier.archive(&archive.report.path), input.state()) else {
        return false;
    };
    match (&archive.todo, &known.progress) {
        (Todo::Keep(_) | Todo::Refuse(_), _) => !archive.report.changed.is_empty(),
        // Nothing of it was kept, so it is read, whatever it is now.
        (Todo::Read, EarlierProgress::None) => differs(known.input.as_ref(), &now),
        (Todo::Read, EarlierProgress::Finished { report, .. }) if report.state == ArchiveState::Failed => {
            differs(known.input.as_ref(), &now)
        }
        (Todo::Read, _) => true,
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
    let (todo, checkpoint) = match std::mem::replace(&mut archive.todo, Todo::Read) {
        Todo::Continue(checkpoint, open) => {
            open.leave();
            (Todo::Read, Some(checkpoint))
        }
        todo => (todo, None),
    };
    match todo {
        _ if again => *archive = new,
        Todo::Keep(files) => {
            archive.report.changed = why.to_owned();
            archive.todo = Todo::Keep(files);
        }
        _ => *archive = refused_archive(new, input.as_ref(), why.to_owned(), checkpoint.as_deref()),
    }
}
