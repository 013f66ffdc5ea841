//! The archives that the command line names. Regular files are mapped.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::path::Path;

use crate::input::{ArchiveInput, InputError, Inputs, from_arguments};

/// Returns what arguments name: files, directories, globs, `@list-file`, `-`.
///
/// # Errors
/// The arguments name no archive, a glob is malformed, or a list cannot be read.
pub(super) fn resolve(arguments: &[OsString]) -> Result<Inputs, InputError> {
    let mut inputs = from_arguments(arguments)?;
    inputs.archives = inputs.archives.into_iter().map(mapped).collect();
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
