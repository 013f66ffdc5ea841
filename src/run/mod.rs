//! One execution over a list of archives: inputs resolved, the pipeline run, the run directory written.
//!
//! [`run`] is the whole of it: a configuration and archives in, a [`Report`] out, which is also what `run.json` holds.

mod directory;
mod failures;
mod globs;
pub(crate) mod inputs;
mod output;
mod overlap;
mod quarantine;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use directory::DirectoryError;
pub use report::{ArchiveReport, ArchiveState, Report, RunState, Timing, Totals};

use crate::config::{Config, ConfigError, Rules};
use crate::pipeline::{self, Progress, Stop};
use directory::Directory;
use output::Output;

/// What a run needs beside its configuration.
pub struct RunOptions<'o> {
    /// Whether the outputs of an earlier run in the same directory are replaced.
    pub overwrite: bool,
    /// Numbers for whoever watches.
    pub progress: &'o Progress,
    /// How the run is ended before its time.
    pub stop: &'o Stop,
    /// Called with each archive's account when it is finished.
    pub finished: &'o mut dyn FnMut(&ArchiveReport),
    /// Called where what was in flight was dropped ([`Stop::drop_in_flight`]), when the account is written: the run
    /// returns only after its threads have ended, for which somebody may not want to wait.
    pub abandoned: &'o mut dyn FnMut(&Report),
}

/// Why a run could not begin.
#[derive(Debug)]
pub enum RunError {
    /// The configuration cannot be resolved, no archive is named, or one is an output that the run would replace.
    Config(ConfigError),
    /// The run directory cannot be used.
    Directory(DirectoryError),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Config(e) => e.fmt(f),
            RunError::Directory(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<ConfigError> for RunError {
    fn from(e: ConfigError) -> Self {
        RunError::Config(e)
    }
}

impl From<DirectoryError> for RunError {
    fn from(e: DirectoryError) -> Self {
        RunError::Directory(e)
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
/// The run could not begin. What goes wrong later stands in the report.
pub fn run(config: &Config, inputs: &[OsString], directory: &Path) -> Result<Report, RunError> {
    let options = RunOptions {
        overwrite: false,
        progress: &Progress::default(),
        stop: &Stop::default(),
        finished: &mut |_| {},
        abandoned: &mut |_| {},
    };
    run_with(&Arc::new(Rules::new(config)?), inputs, directory, options)
}

/// As [`run`], with resolved rules and more say.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    rules: &Arc<Rules>,
    inputs: &[OsString],
    directory: &Path,
    options: RunOptions<'_>,
) -> Result<Report, RunError> {
    let sources = inputs::resolve(inputs)?;
    let shards: Vec<PathBuf> = sources.iter().map(|source| shard_path(rules, &source.shard)).collect();
    let directory = Directory::open(directory, options.overwrite, &shards)?;
    overlap::refuse(&directory, &sources)?;
    let mut report = Report::new(rules, &sources, &shards, directory.earlier());
    if rules.config.output.quarantine {
        for (archive, source) in report.archives.iter_mut().zip(&sources) {
            archive.quarantine = quarantine::possible(&source.shard);
        }
    }
    directory.begin(&report)?;
    let archives = sources.len() as u64;
    options.progress.total_archives.fetch_add(archives, Ordering::Relaxed);
    for source in &sources {
        let size = std::fs::metadata(&source.path).map_or(0, |m| if m.is_file() { m.len() } else { 0 });
        options.progress.total_bytes.fetch_add(size, Ordering::Relaxed);
    }
    let mut output = Output::new(
        rules,
        &sources,
        &shards,
        &directory,
        &mut report,
        options.finished,
        options.abandoned,
    );
    let result = pipeline::run(
        &sources,
        rules,
        threads(&rules.config),
        options.progress,
        options.stop,
        &mut output,
    );
    output.conclude(result);
    Ok(report)
}

/// The number of threads that do heavy work at a time.
pub(crate) fn threads(config: &Config) -> usize {
    match config.run.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Where an archive's shard goes, under the run directory.
fn shard_path(rules: &Rules, shard: &str) -> PathBuf {
    let output = &rules.config.output;
    let file = format!(
        "{shard}.{}{}",
        output.format.extension(),
        output.compression().extension()
    );
    Path::new("documents").join(file)
}
