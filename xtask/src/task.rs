//! Code that the tasks share.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The result of a task: the exit status, or the error that stopped it.
pub type Outcome = Result<ExitCode>;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a command and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{command:?}: {message}").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
