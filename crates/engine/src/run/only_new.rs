//! Archives that other runs have finished, so that a run over a folder that grows reads only what is new.
//!
//! An archive is known by its name and, if it is a local file, by what it was when it was read. A file that has changed since is
//! new. Of a remote archive the name decides, so that no server is asked for each archive that was ever read.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::change::{Now, change};
use super::error::{DirectoryError, DirectoryErrorKind};
use super::plan::path_of;
use super::report::{ArchiveState, Report, RunState};
use crate::config::Config;
use crate::input::{ArchiveInput, CurrentState, InputState};
use dehusk_documents::folder::{REPORT, runs_in};

/// What earlier runs have finished.
#[derive(Default)]
pub struct Finished {
    /// By name: the states in which it was read. More than one if its file changed from run to run.
    states: HashMap<String, Vec<Option<InputState>>>,
    /// Archives of runs that did not come to their end: the same command goes on with them.
    begun: HashSet<String>,
    /// The directories of these runs.
    pub unfinished: Vec<PathBuf>,
}

/// What `run.json` says of it, by whichever version it was written.
#[derive(Deserialize)]
struct Account {
    #[serde(default)]
    deduplicated: bool,
    state: RunState,
    archives: Vec<Archive>,
}

#[derive(Deserialize)]
struct Archive {
    path: String,
    state: ArchiveState,
    input: Option<InputState>,
}

impl Finished {
    /// Reads the accounts of runs. Each folder is a run directory, or holds run directories. `own` is the directory of the run that
    /// asks, which knows itself what it has finished.
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
        let account: Account = serde_json::from_value(Report::read_value(run)?).map_err(|source| {
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
        let path = plain(&path_of(input));
        if self.begun.contains(&path) {
            return false;
        }
        let Some(states) = self.states.get(&path) else {
            return true;
        };
        if input.has_state_by_request() {
            return false;
        }
        let now = match input.current_state(&Config::default(), None) {
            Ok(CurrentState::Known(state)) => Now::State(state),
            // Nothing tells whether a stream brings what it brought before.
            Ok(CurrentState::Incomparable(_)) | Err(_) => return true,
        };
        states
            .iter()
            .all(|then| change(input, &now, then.as_ref(), None, false).is_some())
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
