//! The store of payloads, as a run uses it: opened before the run begins, and added to when the run is complete.

use std::collections::HashMap;
use std::path::Path;

use super::directory::Directory;
use super::earlier::Earlier;
use super::journal::{self, Entry, Journal, ReadLine};
use crate::config::Rules;
use crate::store::{Seen, SeenEntry, SeenState, StoreError, StoreFailure};

/// Opens the store, if the configuration names one. A run that goes on must find it as it was when the run began; otherwise that is one
/// more of the `differences`. `known` is what the directory's last run says of the store.
///
/// # Errors
/// The store cannot be used.
pub(super) fn open(
    rules: &Rules,
    earlier: Option<&Earlier>,
    known: Option<SeenState>,
    differences: &mut Vec<String>,
    changed: bool,
) -> Result<Option<(Seen, SeenState)>, StoreError> {
    let name = &rules.config.select.seen;
    let path = Path::new(name);
    if name.is_empty() || !differences.is_empty() && !changed {
        return Ok(None);
    }
    let known = known.unwrap_or_default();
    if earlier.is_some() && differences.is_empty() {
        if let Some(open) = Seen::go_on(path, known.clone())? {
            return Ok(Some(open));
        }
        differences.push(format!(
            "the store “{name}” does not hold what it held when the run began"
        ));
        if !changed {
            return Ok(None);
        }
    }
    let own: Vec<SeenEntry> = known.runs.into_iter().chain(known.replaces).collect();
    Seen::begin(path, own).map(Some)
}

/// Adds the payloads of a run that is complete, as its journal tells them.
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
        let (file, path) = directory.read_journal().map_err(caller)?;
        for line in journal::read(file, &path) {
            if let ReadLine::Entry(entry) = line.map_err(caller)? {
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
        journal.append(&Entry::Seen(entry.clone())).map_err(caller)?;
        journal.sync().map_err(caller)
    };
    seen.add(state, payloads, announce)
}

fn caller(error: impl std::error::Error + Send + Sync + 'static) -> StoreFailure {
    StoreFailure::Caller(Box::new(error))
}
