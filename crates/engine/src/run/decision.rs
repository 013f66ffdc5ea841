//! Decisions of a run about each archive, given what an earlier run in the same directory left. The rules are here, as
//! tables; `plan` and `revisits` gather the facts and follow them.
//!
//! First, the whole run:
//!
//! | in the directory | program, configuration or store changed | option | the run |
//! |---|---|---|---|
//! | nothing, or no earlier run | | | reads every archive |
//! | an earlier run | any | `overwrite` | reads every archive; the earlier outputs are replaced |
//! | an earlier run | no | | decides archive by archive, below |
//! | an earlier run | yes | | is refused |
//! | an earlier run | yes | `changed` | reads every archive |
//!
//! Then every archive by itself. If the earlier run has nothing of it, it is read. Otherwise [`decide`] has the rules.
//! With `verify` a change is a change of bytes, otherwise of size, time or tag:
//!
//! | the earlier run | since then | action | with `changed` |
//! |---|---|---|---|
//! | failed to read it, without output | anything | read | read |
//! | failed to read it, with output | nothing changed | read | read |
//! | failed to read it, with output | input or output changed | keep | read |
//! | failed to read it, with output | changed, and the input is gone | keep | keep |
//! | finished it | nothing changed | keep | keep |
//! | finished it | input or output changed | keep | read |
//! | finished it | changed, and the input is gone | keep | keep |
//! | was stopped in it | nothing changed | continue | continue |
//! | was stopped in it | input or output changed | refuse | read |
//! | was stopped in it | changed, and the input is gone | refuse | refuse |
//! | left damaged entries in the journal | the input is there | refuse | read |
//! | left damaged entries in the journal | the input is gone | refuse | refuse |
//!
//! With `select.resolve_revisits`, documents also depend on the archives that hold the originals of revisits
//! ([`follow_originals`]). An archive with revisits that the table above lets the run keep or continue:
//!
//! | what happened to archives that may hold originals | keep | continue | keep, `changed` | continue, `changed` |
//! |---|---|---|---|---|
//! | nothing | keep | continue | keep | continue |
//! | one that was missing is back | read | read | read | read |
//! | one is missing now | keep | refuse | keep | refuse |
//! | one has changed | keep | refuse | read | read |
//!
//! The archive that has changed, if other archives depend on it ([`replace_original`]): without `changed`, it is
//! refused where the first table says read. Otherwise the originals of those revisits would be unknown later.
//!
//! Last, an archive that the run would read, and that another run (`since`) finished unchanged, is taken over from it
//! ([`take_over`]).
//!
//! Keep and refuse both report a change as the archive's `changed`. The list of archives itself is chosen before the
//! run: `--only-failed` and `--only-new` of the command line leave archives out of it. What the earlier run finished
//! and the list does not name is kept.

/// The outcome of an archive in an earlier run in the same directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlierOutcome {
    /// It could not read the archive, and wrote no document.
    Failed,
    /// It could not read the archive to its end, and wrote documents.
    FailedWithOutput,
    Finished,
    /// It was stopped in the middle.
    Stopped,
    /// Its entries in the journal contradict each other.
    Damaged,
}

/// The change of an archive or its outputs since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// The input or an output has changed, and the input can be read.
    Changed,
    /// The same, but the input cannot be found, perhaps only for a time, so nothing could replace the documents.
    ChangedAndGone,
}

/// The action of a run on an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Read it from its start.
    Read,
    /// Continue after the last checkpoint.
    Continue,
    /// Take it over from another run.
    TakeOver,
    /// Keep the outputs and the account of an earlier run.
    Keep,
    /// Leave it unfinished.
    Refuse,
}

/// The change of archives that may hold the originals of an archive's revisits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OriginalsChange {
    /// One that was missing is back.
    Returned,
    /// One is missing now.
    Missing,
    Changed,
}

/// Decides about an archive by itself. `redo` is the option `changed`.
pub(super) fn decide(earlier: EarlierOutcome, change: Change, redo: bool) -> Action {
    let redo = redo && change == Change::Changed;
    match (earlier, change) {
        (EarlierOutcome::Failed, _) | (EarlierOutcome::FailedWithOutput, Change::None) => Action::Read,
        (EarlierOutcome::FailedWithOutput | EarlierOutcome::Finished, _) if redo => Action::Read,
        (EarlierOutcome::FailedWithOutput | EarlierOutcome::Finished, _) => Action::Keep,
        (EarlierOutcome::Stopped, Change::None) => Action::Continue,
        (EarlierOutcome::Stopped | EarlierOutcome::Damaged, _) if redo => Action::Read,
        (EarlierOutcome::Stopped | EarlierOutcome::Damaged, _) => Action::Refuse,
    }
}

/// Decides about an archive after a change of archives that its documents depend on.
pub(super) fn follow_originals(action: Action, originals: OriginalsChange, redo: bool) -> Action {
    match (action, originals) {
        (Action::Keep | Action::Continue, OriginalsChange::Returned) => Action::Read,
        (Action::Keep | Action::Continue, OriginalsChange::Changed) if redo => Action::Read,
        (Action::Continue, OriginalsChange::Missing | OriginalsChange::Changed) => Action::Refuse,
        _ => action,
    }
}

/// Decides about an archive that has changed and that other archives depend on.
pub(super) fn replace_original(action: Action, redo: bool) -> Action {
    if action == Action::Read && !redo {
        Action::Refuse
    } else {
        action
    }
}

/// Decides about an archive that another run may have finished.
pub(super) fn take_over(action: Action, is_in_other_run: bool) -> Action {
    if action == Action::Read && is_in_other_run {
        Action::TakeOver
    } else {
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_an_archive_by_itself() {
        use Action::{Continue, Keep, Read, Refuse};
        use Change::{Changed, ChangedAndGone, None};
        use EarlierOutcome::{Damaged, Failed, FailedWithOutput, Finished, Stopped};
        for (earlier, change, action, with_changed) in [
            (Failed, None, Read, Read),
            (Failed, Changed, Read, Read),
            (Failed, ChangedAndGone, Read, Read),
            (FailedWithOutput, None, Read, Read),
            (FailedWithOutput, Changed, Keep, Read),
            (FailedWithOutput, ChangedAndGone, Keep, Keep),
            (Finished, None, Keep, Keep),
            (Finished, Changed, Keep, Read),
            (Finished, ChangedAndGone, Keep, Keep),
            (Stopped, None, Continue, Continue),
            (Stopped, Changed, Refuse, Read),
            (Stopped, ChangedAndGone, Refuse, Refuse),
            (Damaged, Changed, Refuse, Read),
            (Damaged, ChangedAndGone, Refuse, Refuse),
        ] {
            let decided = [false, true].map(|redo| decide(earlier, change, redo));
            assert_eq!(decided, [action, with_changed], "{earlier:?}, {change:?}");
        }
    }

    #[test]
    fn every_row_of_an_archive_with_revisits() {
        use Action::{Continue, Keep, Read, Refuse, TakeOver};
        use OriginalsChange::{Changed, Missing, Returned};
        for (originals, keep, resume, keep_with_changed, resume_with_changed) in [
            (Returned, Read, Read, Read, Read),
            (Missing, Keep, Refuse, Keep, Refuse),
            (Changed, Keep, Refuse, Read, Read),
        ] {
            for (action, expected) in [
                (Keep, [keep, keep_with_changed]),
                (Continue, [resume, resume_with_changed]),
                (Read, [Read; 2]),
                (TakeOver, [TakeOver; 2]),
                (Refuse, [Refuse; 2]),
            ] {
                let decided = [false, true].map(|redo| follow_originals(action, originals, redo));
                assert_eq!(decided, expected, "{action:?}, {originals:?}");
            }
        }
    }

    #[test]
    fn a_changed_archive_that_others_depend_on_is_not_read_unasked() {
        use Action::{Continue, Keep, Read, Refuse};
        for (action, without) in [(Read, Refuse), (Continue, Continue), (Keep, Keep), (Refuse, Refuse)] {
            assert_eq!(
                [false, true].map(|redo| replace_original(action, redo)),
                [without, action]
            );
        }
    }

    #[test]
    fn only_what_would_be_read_is_taken_over_from_another_run() {
        use Action::{Continue, Keep, Read, Refuse, TakeOver};
        for (action, taken) in [(Read, TakeOver), (Continue, Continue), (Keep, Keep), (Refuse, Refuse)] {
            assert_eq!([false, true].map(|there| take_over(action, there)), [action, taken]);
        }
    }
}
