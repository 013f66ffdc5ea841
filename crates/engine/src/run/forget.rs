//! Removes archives from a run: their entries in the account, their outputs, and their lines in `failed.jsonl`.
//!
//! This is a run over the other archives that has nothing to read. So a process that is killed leaves an unfinished run
//! without these archives, which can be resumed.

use std::path::Path;
use std::time::Duration;

use super::directory::Directory;
use super::earlier::{Earlier, EarlierProgress};
use super::error::{DirectoryError, DirectoryErrorKind};
use super::plan::{self, Plan};
use super::report::{PROGRAM, Report, RunConfig};
use super::report_page::Recorder;
use super::setup::RunSetup;
use crate::config::Config;
use crate::pipeline::Progress;
use dehusk_archive::escape;
use dehusk_documents::suggestion::nearest_word;

/// Removes archives from the run in a directory: their documents and everything else that the directory has of them.
/// `archives` are their names in `run.json`. All others stay as they are. A [store of
/// payloads](dehusk_documents::store::SeenState) keeps what it has of them.
///
/// # Errors
/// There is no run of this version, an archive is not one of it, another archive is not finished, or the directory
/// cannot be written. In the first three cases nothing has changed.
pub fn forget<I>(directory: impl AsRef<Path>, archives: I) -> Result<Report, DirectoryError>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let archives: Vec<I::Item> = archives.into_iter().collect();
    let archives: Vec<&str> = archives.iter().map(AsRef::as_ref).collect();
    forget_named(directory.as_ref(), &archives)
}

fn forget_named(directory: &Path, archives: &[&str]) -> Result<Report, DirectoryError> {
    // A directory that is not there must not be created.
    Report::read_value(directory)?;
    let directory = Directory::open(directory)?;
    let cannot = |why: &str| {
        let why = why.to_owned();
        DirectoryError::new(directory.path(), DirectoryErrorKind::CannotForget { why })
    };
    let earlier = Earlier::read(&directory)?.unwrap_or_default();
    if earlier.program != PROGRAM {
        let program = escape::terminal(&earlier.program);
        return Err(cannot(&format!("it was made by {program}, and this is {PROGRAM}")));
    }
    if !earlier.sink.is_empty() {
        let sink = escape::terminal(&earlier.sink);
        return Err(cannot(&format!("its documents are in the sink “{sink}”")));
    }
    let config: Config = serde_json::from_value(earlier.config.clone())
        .map_err(|e| cannot(&format!("its configuration cannot be read: {e}")))?;
    if earlier.complete.is_none() && earlier.seen.is_some() {
        return Err(cannot(
            "it uses a store of payloads and has not come to its end; give its command once more first",
        ));
    }
    // A run that is not complete may be one that was killed while it forgot them.
    if earlier.complete.is_some() {
        for name in archives {
            refuse_unknown(&earlier, name, &directory)?;
        }
    }
    let mut plan = Plan { archives: Vec::new() };
    let kept = earlier.archives.iter();
    for archive in kept.filter(|archive| !archives.contains(&&*archive.path)) {
        let EarlierProgress::Finished { files, .. } = &archive.progress else {
            let why = format!(
                "“{}” is not finished; give the run's command once more first",
                escape::terminal(&archive.path)
            );
            return Err(cannot(&why));
        };
        files.iter().try_for_each(|file| directory.complete_output(file))?;
        plan.archives.extend(plan::kept_archive(archive));
    }
    let run_config = RunConfig {
        config: &config,
        hash: &earlier.config_hash,
        schema: &earlier.schema,
    };
    let seen = earlier.complete.as_ref().and_then(|report| report.seen.clone());
    let setup = RunSetup::new(run_config, plan, Vec::new(), &directory, Some(&earlier), seen)?;
    let RunSetup {
        mut report, mut open, ..
    } = setup;
    report.timing.earlier_seconds = earlier.seconds;
    if let Some(before) = &earlier.complete {
        report.inputs_skipped = before.inputs_skipped;
        report.part.clone_from(&before.part);
        report.at_least = before.at_least;
    }
    directory.begin(&report)?;
    let mut list = directory.create_failure_list()?;
    open.failures.append_to(&mut list)?;
    list.commit()?;
    report.close(Duration::ZERO);
    report.earlier = directory.remove_earlier(&report);
    let page = Recorder::new(&Progress::default()).html(&report);
    directory.write_report_page(&page)?;
    directory.write_report(&report)?;
    directory.remove_journal();
    directory.remove_leftovers(&report);
    Ok(report)
}

/// Refuses a name that no archive of a run has.
fn refuse_unknown(earlier: &Earlier, name: &str, directory: &Directory) -> Result<(), DirectoryError> {
    if earlier.archive(name).is_some() {
        return Ok(());
    }
    let names = || earlier.archives.iter().map(|archive| &*archive.path);
    let file_name = |name: &str| Path::new(name).file_name().map(std::ffi::OsStr::to_owned);
    let near = names().find(|full| file_name(full) == file_name(name));
    let kind = DirectoryErrorKind::NotInRun {
        archive: name.to_owned(),
        nearest: near.or_else(|| nearest_word(name, names())).map(str::to_owned),
    };
    Err(DirectoryError::new(directory.path(), kind))
}
