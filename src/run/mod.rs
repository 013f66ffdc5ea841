//! One run over a list of archives: take the directory, run the pipeline, write documents and account.
//!
//! [`run`] does all of it: a configuration and archives go in, and a [`Report`] comes out, which `run.json` holds too. The
//! files, in the order in which a run goes through them:
//!
//! - `directory`, `overlap`: whether the directory can be used, and what may be replaced in it
//! - `output`: the pipeline's sink, which writes shards, `failures` and `quarantine`
//! - `report`: the account, as `run.json` holds it
//! - `report_page`: the account and what was noticed on the way, as a page for people
//! - `error`: why a run cannot begin or write

mod directory;
mod error;
mod failures;
mod output;
mod overlap;
mod quarantine;
mod report;
mod report_page;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use error::{DirectoryError, DirectoryErrorKind, RunError};
pub use report::{ArchiveReport, ArchiveState, Report, RunState, Timing, Totals};

use crate::config::{Config, Rules};
use crate::input::{ArchiveInput, InputError, name_shards};
use crate::pipeline::{self, Job, Order, Product, Progress, Stop};
use directory::Directory;
use output::Output;
use report_page::Recorder;

/// Options of a run that are not part of its configuration. By default nobody watches or stops the run, and its directory
/// must be new.
#[derive(Default)]
pub struct RunOptions<'o> {
    overwrite: bool,
    inputs_skipped: u64,
    progress: Option<&'o Progress>,
    stop: Option<&'o Stop>,
    on_archive: Option<&'o mut dyn FnMut(&ArchiveReport)>,
    on_abandon: Option<&'o mut dyn FnMut(&Report)>,
}

impl<'o> RunOptions<'o> {
    /// Whether the run replaces the outputs of an earlier run in the same directory.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// How many files of the inputs' directories were skipped before the run ([`Inputs::skipped`](crate::Inputs)). The
    /// report says so.
    pub fn inputs_skipped(mut self, count: u64) -> Self {
        self.inputs_skipped = count;
        self
    }

    /// Numbers that the run keeps up to date, for a display.
    pub fn progress(mut self, progress: &'o Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// A way to stop the run early.
    pub fn stop(mut self, stop: &'o Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Called with each archive's account when the archive is finished.
    pub fn on_archive(mut self, call: &'o mut dyn FnMut(&ArchiveReport)) -> Self {
        self.on_archive = Some(call);
        self
    }

    /// Called after [`Stop::drop_in_flight`], as soon as the account is written. The run itself returns only when its
    /// threads have ended, which can take long.
    pub fn on_abandon(mut self, call: &'o mut dyn FnMut(&Report)) -> Self {
        self.on_abandon = Some(call);
        self
    }
}

/// Runs archives through a configuration into a directory, which is created.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let out = directory.path().join("out");
/// let config = dehusk::Config::default();
/// let report = dehusk::run(&config, &["docs/sample/sample.warc.gz".into()], &out)?;
/// assert_eq!(report.totals.ledger.framed, 65);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The run could not begin. What goes wrong later is in the report.
pub fn run(config: &Config, inputs: &[ArchiveInput], directory: &Path) -> Result<Report, RunError> {
    run_with(config, inputs, directory, RunOptions::default())
}

/// As [`run`], with options.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    config: &Config,
    inputs: &[ArchiveInput],
    directory: &Path,
    options: RunOptions<'_>,
) -> Result<Report, RunError> {
    run_with_rules(&Arc::new(Rules::new(config)?), inputs, directory, options)
}

/// As [`run_with`], with a configuration that is resolved already.
///
/// # Errors
/// As [`run`].
pub fn run_with_rules(
    rules: &Arc<Rules>,
    inputs: &[ArchiveInput],
    directory: &Path,
    options: RunOptions<'_>,
) -> Result<Report, RunError> {
    if inputs.is_empty() {
        return Err(InputError::NoArchive.into());
    }
    let missing: Vec<_> = inputs.iter().map_while(ArchiveInput::missing).collect();
    if missing.len() == inputs.len() {
        return Err(InputError::NotFound { errors: missing }.into());
    }
    let mut inputs = inputs.to_vec();
    name_shards(&mut inputs);
    let shards: Vec<PathBuf> = inputs.iter().map(|input| shard_path(rules, input.shard())).collect();
    let directory = Directory::open(directory, options.overwrite, &shards)?;
    overlap::refuse(&directory, &inputs)?;
    let mut report = Report::new(rules, &inputs, &shards, directory.earlier_outputs());
    report.inputs_skipped = options.inputs_skipped;
    if rules.config.output.quarantine {
        for (archive, input) in report.archives.iter_mut().zip(&inputs) {
            archive.quarantine = quarantine::candidate_paths(input.shard());
        }
    }
    directory.begin(&report)?;
    let (progress, stop) = (Progress::default(), Stop::default());
    let (progress, stop) = (options.progress.unwrap_or(&progress), options.stop.unwrap_or(&stop));
    progress
        .total_archives
        .fetch_add(inputs.len() as u64, Ordering::Relaxed);
    for input in &inputs {
        progress.total_bytes.fetch_add(input.size_hint(), Ordering::Relaxed);
    }
    let recorder = Recorder::new(progress);
    let mut output = Output::new(rules, &inputs, &shards, &directory, &mut report, recorder, options);
    let job = Job {
        inputs: &inputs,
        rules,
        threads: pipeline::threads(&rules.config),
        product: Product::Encoded,
        order: Order::AsRead,
        progress,
        stop,
    };
    let result = pipeline::run(&job, &mut output);
    output.conclude(result);
    Ok(report)
}

/// The path of an archive's shard, relative to the run directory.
fn shard_path(rules: &Rules, shard: &str) -> PathBuf {
    let output = &rules.config.output;
    let file = format!("{shard}.{}", output.format.file_extension(output.compression()));
    Path::new(directory::DOCUMENTS).join(file)
}
