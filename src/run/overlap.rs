//! Whether a run would destroy its own input: an archive that is one of the outputs that it replaces.
//!
//! Files are compared by what they are, not by their names, since the same file may be reached by another spelling of its
//! path, a link or standard input.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::directory::Directory;
use crate::config::ConfigError;
use crate::escape;
use crate::input::ArchiveInput;

/// Refuses inputs that the run would remove or replace.
///
/// # Errors
/// Which input that is, and what it is of the run directory.
pub(super) fn refuse(directory: &Directory, sources: &[ArchiveInput]) -> Result<(), ConfigError> {
    let outputs: HashMap<Identity, PathBuf> = directory
        .endangered()
        .into_iter()
        .filter_map(|path| Some((identity(&path, path.symlink_metadata().ok()?)?, path)))
        .collect();
    for source in sources {
        let path = opened(&source.path);
        // A link that is itself an output would go, too.
        let found = [path.metadata(), path.symlink_metadata()].into_iter().flatten();
        let output = found.filter_map(|m| identity(path, m)).find_map(|id| outputs.get(&id));
        if let Some(output) = output {
            return Err(ConfigError(format!(
                "{}: is {}, an output of an earlier run that this one would remove or replace before it is done with it; \
                 choose another directory (-o), or move the file out of this one",
                escape::path(&source.path),
                escape::path(output)
            )));
        }
    }
    Ok(())
}

/// What is opened for a path.
fn opened(path: &Path) -> &Path {
    match path == Path::new("-") && cfg!(unix) {
        true => Path::new("/dev/stdin"),
        false => path,
    }
}

/// What tells two files apart, whatever they are called.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(_: &Path, metadata: Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere only the path can be made out; links to the same file are not.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path, _: Metadata) -> Option<Identity> {
    path.canonicalize().ok()
}
