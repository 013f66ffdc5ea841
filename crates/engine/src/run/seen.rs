//! The store of payloads, as a run uses it: opened before the run begins, and added to when the run is complete.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use serde_json::Value;

use super::directory::Directory;
use super::earlier::{Earlier, KnownSeen};
use super::error::{DirectoryError, DirectoryErrorKind, RunError};
use super::journal::{self, Entry, Journal, ReadLine};
use crate::config::Rules;
use dehusk_documents::folder::{resolved, run_around};
use dehusk_documents::store::{Resumed, Seen, SeenEntry, SeenState, StoreError, StoreFailure};

/// The store of payloads as the replaced run knew it; `None` if either run uses none. Payloads that it has added to the
/// store must not count for the run that takes its place.
///
/// # Errors
/// It used one, and its account cannot be read.
pub(super) fn known_of_replaced(rules: &Rules, directory: &Directory) -> Result<Option<KnownSeen>, DirectoryError> {
    if rules.config.select.seen.is_empty() {
        return Ok(None);
    }
    let Some(report) = directory.read_report()? else {
        return Ok(None);
    };
    let report: Value = serde_json::from_slice(&report).unwrap_or_default();
    match Earlier::read(directory) {
        Ok(earlier) => Ok(earlier.and_then(|earlier| earlier.seen)),
        Err(_) if report["seen"].is_null() => Ok(None),
        // Only a run that is complete adds something, and it removes its journal only after its last report.
        Err(e) if matches!(e.kind, DirectoryErrorKind::NoJournal) => Ok(KnownSeen::in_report(&report)),
        Err(source) => {
            let source = Box::new(source);
            let kind = DirectoryErrorKind::UnknownPayloads { source };
            Err(DirectoryError::new(directory.path(), kind))
        }
    }
}

/// Refuses a store whose file would be in the directory of this or another run. A run replaces the files in its
/// directory, and a store would take an empty list of failures for a new store.
///
/// # Errors
/// The configuration names such a store.
pub(super) fn refuse_inside(rules: &Rules, directory: &Path) -> Result<(), RunError> {
    let store = Path::new(&rules.config.select.seen);
    if store.as_os_str().is_empty() {
        return Ok(());
    }
    let run = if resolved(store).starts_with(resolved(directory)) {
        Some(directory.to_owned())
    } else {
        run_around(store)
    };
    run.map_or(Ok(()), |directory| {
        let store = store.to_owned();
        Err(RunError::StoreInDirectory { store, directory })
    })
}

/// Opens the store, if the configuration names one. A repeated run must find it as it was when the run began, with all
/// that the run has added; otherwise that is one more of the `differences`. `known` is the state of the store in
/// the account of the directory's last run.
///
/// # Errors
/// The store cannot be used.
pub(super) fn open(
    rules: &Rules,
    earlier: Option<&Earlier>,
    known: Option<KnownSeen>,
    differences: &mut Vec<String>,
    changed: bool,
) -> Result<Option<(Seen, SeenState)>, StoreError> {
    let name = &rules.config.select.seen;
    let path = Path::new(name);
    if name.is_empty() || !differences.is_empty() && !changed {
        return Ok(None);
    }
    let KnownSeen { state, announced } = known.unwrap_or_default();
    if earlier.is_some() && differences.is_empty() {
        differences.push(match Seen::resume(path, state.clone(), &announced)? {
            Resumed::Open(seen, state) => return Ok(Some((*seen, state))),
            Resumed::Other => format!("the store “{name}” does not hold what it held when the run began"),
            Resumed::Older => format!("the store “{name}” does not hold what the run has added to it"),
        });
        if !changed {
            return Ok(None);
        }
    }
    let own = [state.runs, announced, state.replaces].concat();
    Seen::begin(path, own).map(Some)
}

/// Adds the payloads of a run that is complete, from its journal.
///
/// # Errors
/// The journal cannot be read or written, or the store cannot be written.
pub(super) fn add(
    seen: &Seen,
    state: &mut SeenState,
    directory: &Directory,
    journal: &mut Journal,
) -> Result<(), StoreError> {
    let read = |take: &mut dyn FnMut(Entry) -> Result<(), StoreFailure>| {
        let (file, path) = directory.read_journal().map_err(from_caller)?;
        for line in journal::read(file, &path) {
            if let ReadLine::Entry(entry) = line.map_err(from_caller)? {
                take(entry)?;
            }
        }
        Ok(())
    };
    let payloads = |take: &mut dyn FnMut([u8; 16]) -> Result<(), StoreFailure>| {
        let mut counts: HashMap<usize, u64> = HashMap::new();
        read(&mut |entry| {
            if let Entry::Finish(finish) = entry {
                counts.insert(finish.number, finish.payloads);
            }
            Ok(())
        })?;
        read(&mut |entry| {
            let Entry::Payloads(entry) = entry else { return Ok(()) };
            let count = counts.get(&entry.number).copied().unwrap_or_default();
            let left = usize::try_from(count.saturating_sub(entry.before)).unwrap_or(usize::MAX);
            entry.payloads().take(left).try_for_each(&mut *take)
        })
    };
    let announce = |entry: &SeenEntry| {
        journal.append(&Entry::Seen(entry.clone())).map_err(from_caller)?;
        journal.sync().map_err(from_caller)
    };
    seen.add(state, payloads, announce)
}

fn from_caller(error: impl Error + Send + Sync + 'static) -> StoreFailure {
    StoreFailure::Caller(Box::new(error))
}
