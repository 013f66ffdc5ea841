//! One execution of a run, in phases: prepare, plan, set up, execute.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::change;
use super::directory::Directory;
use super::earlier::Earlier;
use super::error::{DirectoryError, RunError};
use super::options::RunOptions;
use super::other_run::OtherRun;
use super::output::{Output, ReadList, RunContext};
use super::overlap;
use super::plan::{Plan, Planner};
use super::report::Report;
use super::seen;
use super::setup::RunSetup;
use crate::config::Rules;
use crate::input::{ArchiveInput, InputError, name_shards};
use crate::pipeline::{self, FirstPass, Job, Order, Originals, PipelineError, Product, Progress, Stop};
use dehusk_documents::store::{Seen, SeenState};

/// A run that has its directory, and knows what an earlier run left there.
pub(super) struct Execution<'r, 'o> {
    rules: &'r Arc<Rules>,
    options: RunOptions<'o>,
    /// The name of the caller's sink; `""` if documents go to shards.
    sink: String,
    /// The archives of the run's list.
    inputs: Vec<ArchiveInput>,
    directory: Directory,
    earlier: Option<Earlier>,
    /// The changes since the earlier run that affect all documents.
    differences: Vec<String>,
    other_run: Option<OtherRun>,
    seen: Option<Seen>,
    seen_state: Option<SeenState>,
}

impl<'r, 'o> Execution<'r, 'o> {
    /// Takes the directory, reads what an earlier run left there, and opens the store of payloads.
    ///
    /// # Errors
    /// There is no archive, or the directory, the store or the other run cannot be used.
    pub(super) fn prepare(
        rules: &'r Arc<Rules>,
        inputs: &[ArchiveInput],
        directory: &Path,
        options: RunOptions<'o>,
    ) -> Result<Self, RunError> {
        let inputs = select_inputs(inputs, &options)?;
        seen::refuse_inside(rules, directory)?;
        let sink = options.sink.as_ref().map_or("", |sink| sink.name()).to_owned();
        let other_run = options.since.filter(|_| sink.is_empty());
        let other_run = other_run.map(|other| OtherRun::read(other, rules)).transpose()?;
        let directory = Directory::open(directory)?;
        let (earlier, known_seen) = if options.overwrite {
            (None, seen::known_of_replaced(rules, &directory)?)
        } else {
            let earlier = Earlier::read(&directory)?;
            let known_seen = earlier.as_ref().and_then(|earlier| earlier.seen.clone());
            (earlier, known_seen)
        };
        let mut differences = match &earlier {
            Some(earlier) => change::differences(rules, &sink, earlier),
            None => Vec::new(),
        };
        let seen = seen::open(rules, earlier.as_ref(), known_seen, &mut differences, options.changed)?;
        let (seen, seen_state) = seen.unzip();
        Ok(Self {
            rules,
            options,
            sink,
            inputs,
            directory,
            earlier,
            differences,
            other_run,
            seen,
            seen_state,
        })
    }

    /// Plans what to do with each archive.
    ///
    /// # Errors
    /// The run would make other documents than the earlier one, or replace a file that is not its own or that is an
    /// input.
    pub(super) fn plan(&mut self) -> Result<Plan, RunError> {
        let repeat = self.options.repeat();
        let planner = Planner {
            rules: self.rules,
            directory: &self.directory,
            repeat,
        };
        let mut plan = match &self.earlier {
            Some(earlier) => planner.repeated_run(&mut self.inputs, earlier, self.differences.clone())?,
            None => planner.first_run(&self.inputs),
        };
        if let Some(other) = &self.other_run {
            plan.take_over(other, &self.inputs, self.rules, repeat);
        }
        if self.options.sink.is_some() {
            plan.write_no_shards();
        }
        self.directory.refuse_foreign(&plan.shards(self.rules))?;
        overlap::refuse(&self.directory, &self.inputs)?;
        Ok(plan)
    }

    /// The report of the earlier run, if that has finished everything that is planned.
    pub(super) fn finished_report(&self, plan: &Plan) -> Option<Report> {
        let mut report = plan.finished_report(self.earlier.as_ref()?)?;
        report.at_least = self.options.at_least;
        self.directory.remove_journal();
        self.directory.remove_leftovers(&report);
        Some(report)
    }

    /// Carries over what the earlier run did, and begins the journal and the report. From now on the directory belongs
    /// to this run.
    ///
    /// # Errors
    /// The remains of the earlier run cannot be read, or the system refuses.
    pub(super) fn set_up(&mut self, plan: Plan) -> Result<RunSetup, DirectoryError> {
        let (inputs, seen) = (self.inputs.clone(), self.seen_state.take());
        let (directory, earlier) = (&self.directory, self.earlier.as_ref());
        let mut setup = RunSetup::new((&**self.rules).into(), plan, inputs, directory, earlier, seen)?;
        let report = &mut setup.report;
        report.inputs_skipped = self.options.inputs_skipped;
        report.at_least = self.options.at_least;
        report.sink.clone_from(&self.sink);
        if let Some(earlier) = earlier {
            report.damaged_journal_lines = earlier.damaged_lines;
            // Only documents that are kept took the time of the runs before.
            if self.differences.is_empty() {
                report.timing.earlier_seconds = earlier.seconds;
            }
        }
        if let Some(part) = self.options.part {
            report.part = part.to_string();
        }
        directory.begin(report)?;
        Ok(setup)
    }

    /// Reads the archives and writes the documents and the account.
    ///
    /// # Errors
    /// An archive cannot be taken over from another run, or the system refuses. Later errors are in the report.
    pub(super) fn execute(self, mut setup: RunSetup) -> Result<Report, DirectoryError> {
        let (rules, directory) = (self.rules, &self.directory);
        let places = if rules.config.select.resolve_revisits {
            Some(directory.create_places()?)
        } else {
            None
        };
        let (own_progress, own_stop) = (Progress::default(), Stop::default());
        let progress = self.options.progress.unwrap_or(&own_progress);
        let stop = self.options.stop.unwrap_or(&own_stop);
        if let Some(other) = &self.other_run {
            setup.take_over(other, rules, directory, stop)?;
        }
        let RunSetup {
            mut report, list, open, ..
        } = setup;
        add_totals(progress, &list);
        let context = RunContext {
            rules,
            directory,
            seen: self.seen.as_ref(),
            progress,
        };
        let (product, order) = if self.options.sink.is_some() {
            (Product::Documents, Order::AsListed)
        } else {
            (Product::Encoded, Order::AsRead)
        };
        let mut output = Output::new(context, &list, &mut report, open, self.options);
        let read = || -> Result<(), PipelineError> {
            let threads = pipeline::threads(&rules.config);
            let pass = FirstPass {
                // Archives that an earlier run has finished may also hold originals.
                inputs: &self.inputs,
                rules,
                threads,
                progress,
                stop,
            };
            let places = places.filter(|_| !list.inputs.is_empty());
            let originals = places
                .map(|(file, path)| Originals::find(&pass, file, &path))
                .transpose()?;
            let job = Job {
                inputs: &list.inputs,
                starts: &list.starts,
                rules,
                threads,
                product,
                order,
                seen: context.seen,
                originals: originals.as_ref(),
                progress,
                stop,
            };
            pipeline::run(&job, &mut output)
        };
        let result = read();
        output.conclude(result);
        Ok(report)
    }
}

/// The archives of the run, with names of their own.
///
/// # Errors
/// There are none.
fn select_inputs(inputs: &[ArchiveInput], options: &RunOptions<'_>) -> Result<Vec<ArchiveInput>, InputError> {
    if inputs.is_empty() {
        return Err(InputError::NoArchive);
    }
    let mut others: Vec<_> = inputs.iter().map_while(ArchiveInput::missing).collect();
    if others.len() == inputs.len() {
        let source = others.remove(0);
        return Err(InputError::NotFound { source, others });
    }
    let mut inputs = inputs.to_vec();
    name_shards(&mut inputs);
    if let Some(part) = options.part {
        part.select(&mut inputs);
    }
    Ok(inputs)
}

/// Adds the archives to read to the counters.
fn add_totals(progress: &Progress, list: &ReadList) {
    progress
        .total_archives
        .fetch_add(list.inputs.len() as u64, Ordering::Relaxed);
    for (input, start) in list.inputs.iter().zip(&list.starts) {
        let left = input.size_hint().saturating_sub(start.position.stored);
        progress.total_bytes.fetch_add(left, Ordering::Relaxed);
    }
}
