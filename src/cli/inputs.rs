//! The archives that the command line names. Regular files are mapped.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use super::args::RunArgs;
use super::output::say;
use super::{Failure, UNREACHABLE, output};
use dehusk_archive::escape;
use dehusk_corpus::readback::Account;
use dehusk_documents::unreachable::is_unreachable;
use dehusk_engine::config::Config;
use dehusk_engine::input::{ArchiveInput, InputError, Inputs, RecordList, from_arguments, from_offsets};
use dehusk_engine::run::{DirectoryError, DirectoryErrorKind, Finished};

/// Returns what arguments name: files, directories, globs, `@list-file`, `-`.
///
/// # Errors
/// The arguments name no archive, a glob is malformed, or a list cannot be read.
pub(super) fn resolve(config: &Config, arguments: &[OsString]) -> Result<Inputs, InputError> {
    if arguments.iter().any(|argument| argument == "-") {
        output::note_terminal();
    }
    let mut inputs = from_arguments(config, arguments)?;
    inputs.archives = inputs.archives.into_iter().map(mapped).collect();
    Ok(inputs)
}

/// Returns the archives of a run. They need not be there.
///
/// # Errors
/// An input cannot be resolved, or a run or a list of offsets cannot be read.
pub(super) fn of_run(config: &Config, args: &RunArgs) -> Result<Inputs, Failure> {
    refuse_runs(&args.archives)?;
    let mut inputs = if args.archives.is_empty() {
        Inputs::default()
    } else {
        match resolve(config, &args.archives) {
            // A folder in which nothing is new need not hold anything.
            Err(InputError::NoArchive) if !args.only_new.is_empty() => Inputs::default(),
            resolved => resolved.map_err(cannot_resolve)?,
        }
    };
    if !args.only_new.is_empty() {
        leave_out_finished(&mut inputs, args)?;
    }
    if let Some(list) = &args.offsets {
        let list = RecordList::new(list, &args.offsets_where, args.offsets_base.as_deref()).map_err(Failure::usage)?;
        let selected = from_offsets(config, &list, &inputs.archives).map_err(Failure::usage)?;
        inputs.archives = selected.into_iter().map(mapped).collect();
    }
    if let Some(run) = &args.only_failed {
        let account = Account::read(run).map_err(Failure::other)?;
        if account.deduplicated {
            return Err(Failure::other(DirectoryError::new(
                run,
                DirectoryErrorKind::Deduplicated,
            )));
        }
        let failed = account.archives.iter().filter(|archive| archive.state != "complete");
        let failed: Vec<&str> = failed.map(|archive| archive.path.as_str()).collect();
        if args.archives.is_empty() {
            inputs.archives = failed.iter().map(|path| recorded(&escape::named(path))).collect()
        } else {
            let failed: HashSet<&str> = failed.into_iter().collect();
            let is_failed = |input: &ArchiveInput| failed.contains(&*escape::name(input.label().as_os_str()));
            inputs.archives.retain(is_failed);
        }
    }
    Ok(inputs)
}

/// Refuses directories of runs: they hold documents. Archives are only in a quarantine, and of chosen records.
fn refuse_runs(archives: &[OsString]) -> Result<(), Failure> {
    let is_run = |path: &&OsString| {
        let path = Path::new(path);
        let has = |name: &str| path.join(name).exists();
        path.join("run.json").is_file() && !has("quarantine") && !has("records")
    };
    let Some(run) = archives.iter().find(is_run) else {
        return Ok(());
    };
    let run = escape::path(Path::new(run));
    Err(Failure::usage(format!(
        "{run}: is the directory of a run; `dehusk cat {run}` reads its documents, `dehusk run --only-failed {run}` \
         repeats what failed"
    )))
}

/// Leaves out what other runs have finished, and folders without archives.
fn leave_out_finished(inputs: &mut Inputs, args: &RunArgs) -> Result<(), Failure> {
    let finished = Finished::read(&args.only_new, &args.output).map_err(Failure::other)?;
    for run in &finished.unfinished {
        let run = escape::path(run);
        say(format!(
            "dehusk: warning: the run in {run} is not finished, and its archives are left to it: the same command with \
                -o {run} continues"
        ));
    }
    let is_empty_folder = |input: &ArchiveInput| input.path().is_some_and(|path| std::fs::read_dir(path).is_ok());
    inputs
        .archives
        .retain(|input| !is_empty_folder(input) && finished.is_new(input));
    Ok(())
}

/// A network that is down is no mistake of the command.
fn cannot_resolve(error: InputError) -> Failure {
    if is_unreachable(&error) {
        Failure {
            status: UNREACHABLE,
            message: error.to_string(),
        }
    } else {
        Failure::usage(error)
    }
}

/// Returns the one archive that an argument names: a file, or `-`.
pub(super) fn file_or_stdin(path: &Path) -> ArchiveInput {
    if path == Path::new("-") {
        ArchiveInput::stdin()
    } else {
        mapped(path.into())
    }
}

/// The archive of a name in the account of a run.
pub(super) fn recorded(path: &Path) -> ArchiveInput {
    if path == Path::new("-") {
        ArchiveInput::stdin()
    } else {
        mapped(ArchiveInput::recorded(path))
    }
}

fn mapped(input: ArchiveInput) -> ArchiveInput {
    // SAFETY: the program installs the handler of SIGBUS before it reads any archive, and reads mapped bytes as plain
    // bytes only. A change that is noticed fails the archive.
    unsafe { input.mapped() }
}
