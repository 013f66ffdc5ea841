//! One run over a list of archives: take the directory, run the pipeline, write documents and account.
//!
//! [`run`] does all of it: a configuration and archives go in, and a [`Report`] comes out, which `run.json` also holds.
//!
//! Imports go one way: a file imports only from files in its own row and in those below it.
//!
//! | file | what it does |
//! |---|---|
//! | `execution`, `forget` | the phases of a run; removes archives from a finished run |
//! | `setup` | carries over what an earlier run did, and begins the journal |
//! | `output` | the pipeline's sink: writes shards, failures, quarantine, journal and report |
//! | `plan`, `revisits` | what to do with each archive, after an earlier run |
//! | `planned`, `decision` | an archive with its task; the rules, as tables |
//! | `other_run`, `only_new` | takes archives over from another run; what other runs have finished |
//! | `seen`, `overlap` | the store of payloads; inputs that are outputs |
//! | `change`, `earlier` | what has changed since an earlier run; what that run left |
//! | `open_archive`, `quarantine`, `records` | an archive that is being read; the bytes of what failed, and of chosen records |
//! | `failures` | the list of what failed |
//! | `directory` | the run directory: who may use it, and the files in it |
//! | `journal` | what an unfinished run has written so far |
//! | `report_page`, `options`, `sink` | the account as a page; options; the caller's own destination |
//! | `report`, `error` | the account, as `run.json` holds it; why a run cannot begin or write |

mod change;
mod decision;
mod directory;
mod earlier;
mod error;
mod execution;
mod failures;
mod forget;
mod journal;
mod only_new;
mod open_archive;
mod options;
mod other_run;
mod output;
mod overlap;
mod plan;
mod planned;
mod quarantine;
mod records;
mod report;
mod report_page;
mod revisits;
mod seen;
mod setup;
mod sink;

use std::path::Path;
use std::sync::Arc;

pub use error::{DirectoryError, DirectoryErrorKind, RunError};
pub use forget::forget;
pub use only_new::Finished;
pub use options::RunOptions;
pub use report::{ArchiveReport, ArchiveState, Report, RunState, Timing, Totals};
pub use sink::{DocumentSink, SinkArchive};

use crate::config::{Config, Rules};
use crate::input::ArchiveInput;
use dehusk_documents::encode::OutputFormat;
use execution::Execution;

/// Runs archives through a configuration into a directory, which is created.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let out = directory.path().join("out");
/// let config = dehusk::Config::default();
/// let archive = "docs/sample/sample.warc.gz";
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
/// let report = dehusk::run(&config, [archive], &out)?;
/// assert_eq!(report.totals.ledger.framed, 65);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The run could not begin. Later errors are in the report.
pub fn run<I>(config: &Config, inputs: I, directory: impl AsRef<Path>) -> Result<Report, RunError>
where
    I: IntoIterator,
    I::Item: Into<ArchiveInput>,
{
    run_with(config, inputs, directory, RunOptions::default())
}

/// Does the same as [`run`], with options.
///
/// # Errors
/// The run could not begin. Later errors are in the report.
pub fn run_with<I>(
    config: &Config,
    inputs: I,
    directory: impl AsRef<Path>,
    options: RunOptions<'_>,
) -> Result<Report, RunError>
where
    I: IntoIterator,
    I::Item: Into<ArchiveInput>,
{
    let inputs: Vec<ArchiveInput> = inputs.into_iter().map(Into::into).collect();
    let mut config = config.clone();
    if options.sink.is_some() {
        // Other formats change documents that they cannot hold.
        config.output.format = OutputFormat::default();
    }
    run_with_rules(&Arc::new(Rules::new(&config)?), &inputs, directory.as_ref(), options)
}

/// Does the same as [`run_with`], with a configuration that is resolved already.
///
/// # Errors
/// The run could not begin. Later errors are in the report.
pub fn run_with_rules(
    rules: &Arc<Rules>,
    inputs: &[ArchiveInput],
    directory: &Path,
    options: RunOptions<'_>,
) -> Result<Report, RunError> {
    let mut run = Execution::prepare(rules, inputs, directory, options)?;
    let plan = run.plan()?;
    if let Some(report) = run.finished_report(&plan) {
        return Ok(report);
    }
    let setup = run.set_up(plan)?;
    Ok(run.execute(setup)?)
}
