//! Code that the studies share.

pub mod cpu_time;
pub mod pages;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of a study: the exit status, or the error that stopped it.
pub type Outcome = Result<ExitCode, Box<dyn Error>>;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
