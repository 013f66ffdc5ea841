//! The archives that the command line names. Regular files are mapped.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use super::Failure;
use super::args::RunArgs;
use crate::config::Config;
use crate::input::{ArchiveInput, InputError, Inputs, from_arguments, from_offsets};
use crate::readback::Account;
use crate::run::{DirectoryError, DirectoryErrorKind};
use dehusk_archive::escape;

/// Returns what arguments name: files, directories, globs, `@list-file`, `-`.
///
/// # Errors
/// The arguments name no archive, a glob is malformed, or a list cannot be read.
pub(super) fn resolve(config: &Config, arguments: &[OsString]) -> Result<Inputs, InputError> {
    let mut inputs = from_arguments(config, arguments)?;
    inputs.archives = inputs.archives.into_iter().map(mapped).collect();
    Ok(inputs)
}

/// Returns the archives of a run. They need not be there.
///
/// # Errors
/// As [`resolve`]; or a run or a list of offsets cannot be read.
pub(super) fn of_run(config: &Config, args: &RunArgs) -> Result<Inputs, Failure> {
    let mut inputs = match args.archives.is_empty() {
        true => Inputs::default(),
        false => resolve(config, &args.archives).map_err(Failure::usage)?,
    };
    if let Some(list) = &args.offsets {
        let selected = from_offsets(config, list, &inputs.archives).map_err(Failure::usage)?;
        inputs.archives = selected.into_iter().map(mapped).collect();
    }
    if let Some(run) = &args.only_failed {
        let account = Account::read(run).map_err(Failure::other)?;
        if account.deduplicated {
            return Err(Failure::other(DirectoryError {
                path: run.clone(),
                kind: DirectoryErrorKind::Deduplicated,
            }));
        }
        let failed = account.archives.iter().filter(|archive| archive.state != "complete");
        let failed: Vec<&str> = failed.map(|archive| archive.path.as_str()).collect();
        match args.archives.is_empty() {
            true => inputs.archives = failed.iter().map(|path| file_or_stdin(&escape::named(path))).collect(),
            false => {
                let failed: HashSet<&str> = failed.into_iter().collect();
                let is_failed = |input: &ArchiveInput| failed.contains(&*escape::name(input.label().as_os_str()));
                inputs.archives.retain(is_failed);
            }
        }
    }
    Ok(inputs)
}

/// Returns the one archive that an argument names: a file, or `-`.
pub(super) fn file_or_stdin(path: &Path) -> ArchiveInput {
    match path == Path::new("-") {
        true => ArchiveInput::stdin(),
        false => mapped(path.into()),
    }
}

fn mapped(input: ArchiveInput) -> ArchiveInput {
    // SAFETY: the program installs the handler of SIGBUS before it reads any archive, and reads mapped bytes as plain
    // bytes only. A change that is noticed fails the archive.
    unsafe { input.mapped() }
}
