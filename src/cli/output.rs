//! Writes to standard output and standard error. Their reader can close them at any time.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use super::Failure;
use dehusk_archive::{Container, escape};
use dehusk_documents::encode::PartialFile;
use dehusk_documents::folder::run_around;

/// Writes to standard output. It is not an error if its reader is gone.
pub(super) fn write_stdout(bytes: &[u8]) -> Result<u8, Failure> {
    let mut out = io::stdout().lock();
    quiet(out.write_all(bytes).and_then(|()| out.flush()))
}

/// The exit status of a write to standard output: a broken pipe is not an error.
pub(super) fn quiet(result: io::Result<()>) -> Result<u8, Failure> {
    match result {
        Ok(()) => Ok(0),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(e) => Err(Failure::other(format!("standard output: {e}"))),
    }
}

/// Refuses to write a file of a report among the files of a run.
pub(super) fn refuse_in_run(path: &Path) -> Result<(), Failure> {
    let refused = |run: &Path| {
        let (path, run) = (escape::path(path), escape::path(run));
        Failure::usage(format!(
            "{path}: is in the directory of a run, {run}; name a file outside of it"
        ))
    };
    run_around(path).map_or(Ok(()), |run| Err(refused(&run)))
}

/// Begins a file, whose message says how to replace one that exists.
pub(super) fn create(path: &Path, overwrite: bool) -> Result<PartialFile, Failure> {
    PartialFile::create(path, overwrite).map_err(|error| {
        let exists = error.source.kind() == io::ErrorKind::AlreadyExists;
        let remedy = if exists { "; --overwrite replaces it" } else { "" };
        Failure::other(format!("{error}{remedy}"))
    })
}

/// How the records of an archive are packed, by the end of its name.
pub(super) fn container_of(path: &Path) -> Container {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Container::Gzip,
        Some("zst") => Container::Zstd,
        _ => Container::Plain,
    }
}

/// Writes a line to standard error. A failure is ignored: the work continues, and the exit status and `run.json` show
/// how it ended.
pub(super) fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints that the program waits for standard input, if that is a terminal.
pub(super) fn note_terminal() {
    if io::stdin().is_terminal() {
        say("dehusk: reads from the terminal; pipe data in, or end the input with Ctrl-D");
    }
}
