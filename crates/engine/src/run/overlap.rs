//! Protects a run's inputs: it must not replace an output that is one of them.
//!
//! Files are compared by identity, not by name: a path may have many spellings, and a link or standard input may lead
//! to the same file.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::directory::Directory;
use super::error::RunError;
use crate::input::ArchiveInput;

/// Refuses inputs that the run would remove or replace.
///
/// # Errors
/// The first such input, and the output that it is.
pub(super) fn refuse(directory: &Directory, inputs: &[ArchiveInput]) -> Result<(), RunError> {
    let outputs: HashMap<Identity, PathBuf> = directory
        .paths_to_replace()
        .into_iter()
        .filter_map(|path| Some((identity(&path, path.symlink_metadata().ok()?)?, path)))
        .collect();
    for input in inputs {
        let Some(path) = input.path() else { continue };
        // A link that is itself an output would also be removed.
        let found = [path.metadata(), path.symlink_metadata()].into_iter().flatten();
        let output = found.filter_map(|m| identity(path, m)).find_map(|id| outputs.get(&id));
        if let Some(output) = output {
            return Err(RunError::InputIsOutput {
                input: input.label().to_owned(),
                output: output.clone(),
            });
        }
    }
    Ok(())
}

/// The identity of a file, whatever its path.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(_: &Path, metadata: Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Other systems compare paths; a hard link to the same file is not noticed there.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path, _: Metadata) -> Option<Identity> {
    path.canonicalize().ok()
}
