//! One run over a list of archives: take the directory, run the pipeline, write documents and account.
//!
//! [`run`] does all of it: a configuration and archives go in, and a [`Report`] comes out, which `run.json` holds too. The
//! files, in the order in which a run goes through them:
//!
//! - `directory`, `overlap`: whether the directory can be used, and what may be replaced in it
//! - `earlier`, `plan`: what an earlier run left there, and what is left to do for each archive
//! - `change`: what has changed since an earlier run
//! - `revisits`: what a change of one archive means for others, whose revisits may have their originals in it
//! - `output`: the pipeline's sink, which writes shards, `failures`, `quarantine` and `journal`
//! - `open_archive`: an archive that is being read
//! - `only_new`: what other runs have finished and this one leaves out
//! - `sink`: a place of the caller's own for the documents
//! - `since`: what is taken over from another run
//! - `take_up`: carries over what an earlier run did, and begins the journal
//! - `forget`: takes archives out of a finished run
//! - `journal`: what an unfinished run has written so far, so that another run can go on
//! - `seen`: the payloads that earlier runs have emitted
//! - `report`: the account, as `run.json` holds it
//! - `report_page`: the account and what was noticed on the way, as a page for people
//! - `error`: why a run cannot begin or write

mod change;
mod directory;
mod earlier;
mod error;
mod failures;
mod forget;
mod journal;
mod only_new;
mod open_archive;
mod output;
mod overlap;
mod plan;
mod quarantine;
mod report;
mod report_page;
mod revisits;
mod seen;
mod since;
mod sink;
mod take_up;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use error::{DirectoryError, DirectoryErrorKind, RunError};
pub use forget::forget;
pub use only_new::Finished;
pub use report::{ArchiveReport, ArchiveState, Report, RunState, Timing, Totals};
pub use sink::{DocumentSink, SinkArchive};

use crate::config::{Config, Rules};
use crate::input::{ArchiveInput, InputError, name_shards};
use crate::pipeline::{self, Job, Order, Originals, Product, Progress, Stop};
use dehusk_documents::encode::OutputFormat;
use directory::Directory;
use earlier::Earlier;
use output::Output;
use plan::Plan;
use report_page::Recorder;
use seen::KnownSeen;
use since::Since;
use take_up::TakenUp;

/// Options of a run that are not part of its configuration. By default the run is not watched or stopped, and it goes on
/// with what an earlier run of the same command left in its directory.
#[derive(Default)]
pub struct RunOptions<'o> {
    overwrite: bool,
    changed: bool,
    verify: bool,
    part: Option<(u64, u64)>,
    since: Option<&'o Path>,
    inputs_skipped: u64,
    at_least: u64,
    sink: Option<&'o mut dyn DocumentSink>,
    progress: Option<&'o Progress>,
    stop: Option<&'o Stop>,
    on_archive: Option<&'o mut dyn FnMut(&ArchiveReport)>,
    on_abandon: Option<&'o mut dyn FnMut(&Report)>,
}

impl<'o> RunOptions<'o> {
    /// Whether the run starts anew and replaces the outputs of an earlier run in the same directory.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether the run does again what is affected by a change since the earlier run: of an archive, of the configuration or
    /// of the program. Otherwise it refuses that.
    pub fn changed(mut self, changed: bool) -> Self {
        self.changed = changed;
        self
    }

    /// Whether archives are compared by digest with those that the earlier run read, and outputs with what it wrote. Otherwise
    /// their sizes are compared, and the times of archives.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// Makes the run read only a part of its list: of `count` parts the one of this number, from 1 on. Archives are dealt in
    /// turn, so that runs over all parts of one list together read each archive once. Every archive has the name that it
    /// would have in a run over the whole list.
    pub fn part(mut self, number: u64, count: u64) -> Self {
        self.part = Some((number, count));
        self
    }

    /// Another run directory, from which archives are taken over that have not changed since, if the program and the
    /// configuration would make the same documents of them.
    pub fn since(mut self, directory: &'o Path) -> Self {
        self.since = Some(directory);
        self
    }

    /// How many files of the inputs' directories were skipped before the run ([`Inputs::skipped`](crate::input::Inputs)). The
    /// report says so.
    pub fn inputs_skipped(mut self, count: u64) -> Self {
        self.inputs_skipped = count;
        self
    }

    /// How many documents the run must have at its end, those of earlier runs in the directory included. With fewer, its
    /// [exit status](Report::exit_status) is 4.
    pub fn at_least(mut self, documents: u64) -> Self {
        self.at_least = documents;
        self
    }

    /// A place of your own for the documents, instead of shards in the run directory. Settings of the output's format and
    /// compression have no effect then, and nothing is taken over from another run.
    pub fn sink(mut self, sink: &'o mut dyn DocumentSink) -> Self {
        self.sink = Some(sink);
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
/// let archive = "docs/sample/sample.warc.gz";
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
/// let report = dehusk::run(&config, &[archive.into()], &out)?;
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
    let mut config = config.clone();
    if options.sink.is_some() {
        // Other formats change documents that they cannot hold.
        config.output.format = OutputFormat::default();
    }
    run_with_rules(&Arc::new(Rules::new(&config)?), inputs, directory, options)
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
    if let Some((number, count)) = options.part {
        let mut turn = (1..=count.max(1)).cycle();
        inputs.retain(|_| turn.next() == Some(number));
    }
    seen::refuse_inside(rules, directory)?;
    let sink = options
        .sink
        .as_ref()
        .map_or(String::new(), |sink| sink.name().to_owned());
    let since = options.since.filter(|_| sink.is_empty());
    let since = since.map(|since| Since::read(since, rules)).transpose()?;
    let directory = Directory::open(directory)?;
    let (earlier, known) = match options.overwrite {
        // What it had added to the store of payloads must not count for the run that takes its place.
        true => (None, KnownSeen::of_replaced(rules, &directory)?),
        false => {
            let earlier = Earlier::read(&directory)?;
            let known = earlier.as_ref().and_then(|earlier| earlier.seen.clone());
            (earlier, known)
        }
    };
    let mut differences = match &earlier {
        Some(earlier) => change::differences(rules, &sink, earlier),
        None => Vec::new(),
    };
    let (seen, seen_state) = seen::open(rules, earlier.as_ref(), known, &mut differences, options.changed)?.unzip();
    // Only documents that are kept took the time of the runs before.
    let goes_on = differences.is_empty();
    let before = (earlier.as_ref(), differences);
    let mut plan = Plan::new(rules, &mut inputs, &directory, before, &options)?;
    if let Some(since) = &since {
        plan.take_over(since, &inputs, rules, &options);
    }
    if options.sink.is_some() {
        plan.write_no_shards();
    }
    directory.refuse_foreign(&plan.outputs(rules))?;
    overlap::refuse(&directory, &inputs)?;
    if let Some(mut report) = earlier.as_ref().and_then(|earlier| earlier.finished(&plan)) {
        report.at_least = options.at_least;
        directory.remove_journal();
        directory.remove_leftovers(&report);
        return Ok(report);
    }
    // Also archives that an earlier run has finished may hold originals.
    let listed = match rules.config.select.resolve_revisits {
        true => inputs.clone(),
        false => Vec::new(),
    };
    let earlier_state = (earlier.as_ref(), seen_state);
    let mut taken_up = TakenUp::new((&**rules).into(), plan, inputs, &directory, earlier_state)?;
    taken_up.report.inputs_skipped = options.inputs_skipped;
    taken_up.report.at_least = options.at_least;
    taken_up.report.sink = sink;
    taken_up.report.timing.earlier_seconds = earlier
        .as_ref()
        .filter(|_| goes_on)
        .map_or(0.0, |earlier| earlier.seconds);
    taken_up.report.damaged_journal_lines = earlier.as_ref().map_or(0, |earlier| earlier.damaged_lines);
    if let Some((number, count)) = options.part {
        taken_up.report.part = format!("{number}/{count}");
    }
    directory.begin(&taken_up.report)?;
    let places = match listed.is_empty() {
        true => None,
        false => Some(directory.create_places()?),
    };
    let (progress, stop) = (Progress::default(), Stop::default());
    let (progress, stop) = (options.progress.unwrap_or(&progress), options.stop.unwrap_or(&stop));
    if let Some(since) = &since {
        taken_up.take_over(since, rules, &directory, stop)?;
    }
    let TakenUp {
        mut report,
        inputs,
        targets,
        starts,
        state,
        ..
    } = taken_up;
    progress
        .total_archives
        .fetch_add(inputs.len() as u64, Ordering::Relaxed);
    for (input, start) in inputs.iter().zip(&starts) {
        let left = input.size_hint().saturating_sub(start.position.stored);
        progress.total_bytes.fetch_add(left, Ordering::Relaxed);
    }
    let how = match options.sink {
        Some(_) => (Product::Documents, Order::AsListed),
        None => (Product::Encoded, Order::AsRead),
    };
    let recorder = Recorder::new(progress);
    let mut output = Output::new(
        rules,
        (&inputs, &targets),
        &directory,
        &mut report,
        (recorder, options),
        (state, seen.as_ref()),
    );
    let (product, order) = how;
    let threads = pipeline::threads(&rules.config);
    let originals = match places.filter(|_| !inputs.is_empty()) {
        Some((file, path)) => Originals::find(&listed, rules, threads, (file, &path), (progress, stop)).map(Some),
        None => Ok(None),
    };
    let result = originals.and_then(|originals| {
        let job = Job {
            inputs: &inputs,
            starts: &starts,
            rules,
            threads,
            product,
            order,
            seen: seen.as_ref(),
            originals: originals.as_ref(),
            progress,
            stop,
        };
        pipeline::run(&job, &mut output)
    });
    output.conclude(result);
    Ok(report)
}

/// The path of an archive's shard, relative to the run directory.
fn shard_path(config: &Config, shard: &str) -> PathBuf {
    let output = &config.output;
    let file = format!("{shard}.{}", output.format.file_extension(output.compression()));
    Path::new(directory::DOCUMENTS).join(file)
}
