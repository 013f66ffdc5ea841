//! Why a run cannot begin, or cannot write to its directory.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::ConfigError;
use crate::input::InputError;
use dehusk_archive::escape;
use dehusk_documents::encode::WriteError;
use dehusk_documents::store::StoreError;

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The arguments do not lead to archives.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An input is an output of an earlier run, which this run would remove or replace.
    #[error(
        "{}: is {}, an output of an earlier run that this one would remove or replace before it is done with it; \
         choose another directory (-o), or move the file out of this one",
        escape::path(input),
        escape::path(output)
    )]
    InputIsOutput {
        /// The input, as it was named.
        input: PathBuf,
        /// The output, in the run directory.
        output: PathBuf,
    },
    /// The store of payloads is named in the directory of this or another run, where its file could be one of the run.
    #[error(
        "{}: is in the directory of a run, {}; name a store outside of it, which lasts from run to run",
        escape::path(store),
        escape::path(directory)
    )]
    StoreInDirectory {
        /// The store, as it was named.
        store: PathBuf,
        /// The directory of the run.
        directory: PathBuf,
    },
    /// The run directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The store of payloads cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a run directory cannot be used, or a file in it cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub struct DirectoryError {
    /// The directory, or the file in it.
    pub path: PathBuf,
    /// The kind of the error.
    pub kind: DirectoryErrorKind,
}

/// The kinds of [`DirectoryError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum DirectoryErrorKind {
    /// The directory holds files but no `run.json`, so it is no run directory.
    NotRunDirectory,
    /// An earlier run was asked for, and there is no `run.json` here.
    NoRun {
        /// Whether the path is that of a file.
        is_file: bool,
    },
    /// An entry of the directory is a symbolic link.
    SymbolicLink {
        /// The entry's name.
        name: &'static str,
    },
    /// Another run holds the lock.
    InUse,
    /// An earlier run used the directory, and what its documents depend on has changed since.
    Changed {
        /// The changes, each as a sentence.
        differences: Vec<String>,
    },
    /// An earlier run did not end and left no journal, so it cannot be resumed.
    NoJournal,
    /// `run.json` is not a regular file.
    ReportNotFile,
    /// `run.json` was not written by this program.
    ForeignReport,
    /// `run.json` is not a report of this version.
    InvalidReport {
        /// The mistake and its place.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The additions of the replaced run to the store of payloads are unknown.
    UnknownPayloads {
        /// Why its account cannot be read.
        source: Box<DirectoryError>,
    },
    /// It is no run but a copy without duplicates, which `dehusk cluster` made.
    Deduplicated,
    /// A file that `run.json` does not list has a name that this run would write to.
    ForeignOutput {
        /// The file, relative to the directory.
        output: PathBuf,
    },
    /// It is no archive of the run.
    NotInRun {
        /// The archive, as it was named.
        archive: String,
        /// The nearest name of an archive in the run, if any is near.
        nearest: Option<String>,
    },
    /// No archive can be taken out of the run.
    CannotForget {
        /// Why.
        why: String,
    },
    /// The system refused an operation.
    Io {
        /// The action that failed, as it follows “cannot”: `be created`.
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
}

impl DirectoryError {
    /// An error of a directory, or of a file in it.
    #[doc(hidden)]
    pub fn new(path: &Path, kind: DirectoryErrorKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
        }
    }

    /// Makes an error from what the system reported; `action` follows “cannot”.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::new(path, DirectoryErrorKind::Io { action, source })
    }
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DirectoryErrorKind::*;
        write!(f, "{}: ", escape::path(&self.path))?;
        match &self.kind {
            NotRunDirectory => {
                f.write_str("is not empty and no run directory (it has no run.json); choose another directory")
            }
            NoRun { is_file: true } => f.write_str(
                "is a file, not the directory of a run; if it is an archive, `dehusk run` writes such a directory",
            ),
            NoRun { is_file: false } => {
                f.write_str("holds no run.json, so it is not the directory of a run; name what `dehusk run -o` wrote")
            }
            SymbolicLink { name } => write!(
                f,
                "its {name} is a symbolic link, which is not followed; choose another directory"
            ),
            InUse => f.write_str("is in use by another run; wait for its end, or name another directory"),
            Changed { differences } => write!(
                f,
                "was made by a run that differs from this one: {}; pass --changed to redo what this affects, \
                 --overwrite to start again, or choose another directory",
                differences.join("; ")
            ),
            NoJournal => f.write_str(
                "its run did not come to its end and left no journal to continue from; pass --overwrite to start again, \
                 or choose another directory",
            ),
            ReportNotFile => f.write_str("its run.json is no file; choose another directory"),
            ForeignReport => f.write_str("its run.json is not of this program; choose another directory"),
            InvalidReport { source } => write!(f, "is not a report of this version: {source}"),
            UnknownPayloads { source } => write!(
                f,
                "what its run has added to the store of payloads would count as seen, and cannot be told: {source}; \
                 choose another directory, or start again without a store"
            ),
            Deduplicated => f.write_str(
                "is a copy without duplicates that dehusk cluster made, and no run; name the directory of a run",
            ),
            ForeignOutput { output } => write!(
                f,
                "holds {}, which its run.json does not list and this run would write; move it away or choose another \
                 directory",
                escape::path(output)
            ),
            NotInRun { archive, nearest } => {
                let archive = escape::terminal(archive);
                write!(
                    f,
                    "has no archive “{archive}”; its run.json has their names in archives[].path"
                )?;
                match nearest {
                    Some(near) => write!(f, "; did you mean “{}”?", escape::terminal(near)),
                    None => Ok(()),
                }
            }
            CannotForget { why } => write!(f, "no archive can be taken out of its run: {why}"),
            Io { action, source } => write!(f, "cannot {action}: {source}{}", remedy(&self.path, source)),
        }
    }
}

/// The advice where the system refused to write.
fn remedy(path: &Path, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a directory that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; free some space and repeat the command",
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory if path.is_file() => {
            "; it is a file: name a directory, which need not exist"
        }
        _ => "",
    }
}

impl Error for DirectoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            DirectoryErrorKind::Io { source, .. } => Some(source),
            DirectoryErrorKind::InvalidReport { source } => Some(source.as_ref()),
            DirectoryErrorKind::UnknownPayloads { source } => source.source(),
            _ => None,
        }
    }
}

impl From<WriteError> for DirectoryError {
    fn from(e: WriteError) -> Self {
        Self {
            kind: DirectoryErrorKind::Io {
                action: e.action,
                source: e.source,
            },
            path: e.path,
        }
    }
}
