//! The state that all requests share, and the limits of their work.
//!
//! - `inputs`: the archives and runs that are shown
//! - `run_rules`: the settings by which the records of a run are shown
//! - `settings`: the parameters of a request, and the rules that follow from them
//! - `pasted`: pages that were pasted
//! - `marks`: what was marked, in a truth file
//! - `searches`: searches in the documents of runs that are under way

mod inputs;
mod marks;
mod pasted;
mod run_rules;
mod searches;
mod settings;

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ServeError;
use crate::http::{Guard, ReadLimits, Refusal};
use crate::metrics::Metrics;
use crate::options::ServeOptions;
use crate::workers::Workers;
use dehusk_documents::folder::resolved;
use dehusk_engine::config::{Config, Rules};
use dehusk_engine::pipeline;
use dehusk_eval::Truth;

pub(crate) use inputs::{Inputs, Run, RunArchive};
pub(crate) use marks::{Marks, truth_of};
pub(crate) use pasted::Pasted;
pub(crate) use searches::{Running, Searches, day};
pub(crate) use settings::{MOST_OF_URL, PARAMETERS, Settings, SettingsCache};

/// The state that all connections share.
pub(crate) struct App {
    pub(crate) metrics: Metrics,
    pub(crate) settings: SettingsCache,
    pub(crate) workers: Workers,
    pub(crate) bodies: ReadLimits,
    pub(crate) inputs: Inputs,
    pub(crate) pasted: Pasted,
    pub(crate) searches: Searches,
    /// The main content of pages, where it is known.
    pub(crate) truth: Option<Truth>,
    /// The marks of people, if there is a file for them.
    pub(crate) marks: Option<Marks>,
    pub(crate) guard: Guard,
    requests: Arc<Semaphore>,
}

/// The right to work. It ends when the last copy is gone.
pub(crate) type Permit = Arc<OwnedSemaphorePermit>;

impl App {
    pub(crate) fn new(config: &Config, mut options: ServeOptions) -> Result<Self, ServeError> {
        if let Some(marks) = options.truth_out.as_deref().map(resolved) {
            // Its lines are truth as they are marked, not as they were at the start.
            options.truth.retain(|path| resolved(path) != marks);
        }
        let rules = Arc::new(Rules::new(config)?);
        let page_bytes = dehusk_engine::processor::Processor::with_rules(Arc::clone(&rules)).page_limit();
        Ok(Self {
            metrics: Metrics::default(),
            workers: Workers::start(pipeline::threads(&rules.config), options.timeout)?,
            bodies: ReadLimits::new(page_bytes, options.timeout),
            guard: Guard::new(&options.hosts),
            requests: Arc::new(Semaphore::new(options.requests.min(Semaphore::MAX_PERMITS))),
            inputs: Inputs::new(&rules.config, &options.inputs)?,
            pasted: Pasted::default(),
            searches: Searches::default(),
            truth: (!options.truth.is_empty())
                .then(|| Truth::read(&options.truth))
                .transpose()?,
            marks: options
                .truth_out
                .map(|path| Marks::open(&path, options.measure_from))
                .transpose()?,
            settings: SettingsCache::new(rules),
        })
    }

    /// The right to work, unless as many requests have it as may.
    pub(crate) fn permit(&self) -> Result<Permit, Refusal> {
        let permit = Arc::clone(&self.requests).try_acquire_owned();
        let permit = permit.map_err(|_| Refusal::busy("the server has as many requests as it may have"))?;
        Ok(Arc::new(permit))
    }
}
