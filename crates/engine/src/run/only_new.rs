//! Archives that other runs have finished, so that a run over a folder that grows reads only what is new.
//!
//! An archive is known by its name and, if it is a local file, by its size and time when it was read. A file that has
//! changed since is new. For a remote archive the name decides, so that no server is asked for each archive that was
//! ever read.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::change::CurrentInput;
use super::error::{DirectoryError, DirectoryErrorKind};
use super::report::{ArchiveState, Report, RunState, archive_path};
use crate::input::{ArchiveInput, InputState};
use dehusk_documents::folder::{REPORT, runs_in};

/// The archives that earlier runs have finished.
#[derive(Default)]
pub struct Finished {
    /// By name: the states in which it was read. More than one if its file changed from run to run.
    states: HashMap<String, Vec<Option<InputState>>>,
    /// Archives of runs that did not end: the same command resumes them.
    begun: HashSet<String>,
    /// The directories of these runs.
    pub unfinished: Vec<PathBuf>,
}

/// The keys of a `run.json` that are read, whichever version wrote it.
#[derive(Deserialize)]
struct RunAccount {
    #[serde(default)]
    deduplicated: bool,
    state: RunState,
    archives: Vec<ArchiveAccount>,
}

#[derive(Deserialize)]
struct ArchiveAccount {
    path: String,
    state: ArchiveState,
    input: Option<InputState>,
}

impl Finished {
    /// Reads the accounts of runs. Each folder is a run directory, or holds run directories. `own` is the directory of
    /// the run that asks, which is left out.
    ///
    /// # Errors
    /// A folder, or the account of a run in it, cannot be read.
    pub fn read(folders: &[PathBuf], own: &Path) -> Result<Self, DirectoryError> {
        let mut finished = Self::default();
        for folder in folders {
            if folder.join(REPORT).is_file() {
                finished.add(folder, own)?;
                continue;
            }
            for run in runs_in(folder).map_err(DirectoryError::io(folder, "be read"))? {
                finished.add(&run, own)?;
            }
        }
        Ok(finished)
    }

    fn add(&mut self, run: &Path, own: &Path) -> Result<(), DirectoryError> {
        let resolved = |path: &Path| path.canonicalize().ok();
        if resolved(run).is_some() && resolved(run) == resolved(own) {
            return Ok(());
        }
        let account: RunAccount = serde_json::from_value(Report::read_value(run)?).map_err(|source| {
            let source = source.into();
            DirectoryError::new(&run.join(REPORT), DirectoryErrorKind::InvalidReport { source })
        })?;
        if account.deduplicated {
            return Ok(());
        }
        if account.state != RunState::Complete {
            self.unfinished.push(run.to_owned());
            self.begun
                .extend(account.archives.iter().map(|archive| plain(&archive.path)));
            return Ok(());
        }
        for archive in account.archives {
            if matches!(archive.state, ArchiveState::Complete | ArchiveState::Damaged) {
                self.states.entry(plain(&archive.path)).or_default().push(archive.input);
            }
        }
        Ok(())
    }

    /// Whether a run that reads only what is new has to read this archive.
    pub fn is_new(&self, input: &ArchiveInput) -> bool {
        let path = plain(&archive_path(input.label()));
        if self.begun.contains(&path) {
            return false;
        }
        let Some(states) = self.states.get(&path) else {
            return true;
        };
        // No server is asked.
        let Some(current) = CurrentInput::local(input) else {
            return false;
        };
        // A stream cannot be compared with what it was before, so it counts as changed.
        let mut changes = states
            .iter()
            .map(|then| current.change_since(then.as_ref(), None, false));
        changes.all(|change| change.is_some())
    }
}

/// The name without the `.` and the slashes that do not matter in a path, so that `./in/a.warc` is `in/a.warc`.
fn plain(name: &str) -> String {
    if name.contains("://") {
        return name.to_owned();
    }
    let parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}
