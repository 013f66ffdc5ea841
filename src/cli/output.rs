//! Standard output and standard error, on which a reader may hang up at any time.

use std::fmt::Display;
use std::io::{self, Write};

use super::Failure;

/// Writes to standard output; that nobody reads it any more is no failure.
pub(super) fn write_stdout(bytes: &[u8]) -> Result<u8, Failure> {
    let mut out = io::stdout().lock();
    quiet(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Ends quietly on a broken pipe.
pub(super) fn quiet(result: io::Result<()>) -> Result<u8, Failure> {
    match result {
        Ok(()) => Ok(0),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(e) => Err(Failure::other(format!("standard output: {e}"))),
    }
}

/// Writes a line to standard error. That nobody can read it changes nothing: the work goes on, and the exit status and
/// `run.json` tell.
pub(super) fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
