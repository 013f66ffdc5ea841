//! Makes the store of texts that sites share: archives → a store.
//!
//! The pass is the pipeline itself with another product. So it reads archives as a run does, with all threads and all
//! damage, and the store is the same for every number of threads and every order of archives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dehusk_archive::escape;
use dehusk_documents::folder::Folder;
use dehusk_documents::store::{NewSiteStore, SiteStore, StoreError, StoreFailure};
use thiserror::Error;

use super::gather::{Gatherer, Hosts};
use super::host::{HostPages, no_entry, parameters};
use crate::config::{Config, ConfigError, Rules};
use crate::input::ArchiveInput;
use crate::ledger::Ledger;
use crate::pipeline::{
    ArchiveOutcome, Border, Chunk, Job, Order, PipelineError, Product, Progress, Sink, SinkError, Stop,
};
use crate::pipeline::{run, threads};

/// The account of a store that was made.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct MadeSites {
    /// The account of the archives' records.
    pub ledger: Ledger,
    /// Pages that were read and have a host.
    pub pages: u64,
    /// Pages without a host.
    pub without_host: u64,
    /// Hosts in the store.
    pub hosts: u64,
    /// Pages in the store.
    pub remembered: u64,
    /// The archives that could not be read, or not to their ends, and why.
    pub failed: Vec<(PathBuf, String)>,
}

/// Why no store was made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SitesError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Pages that do not fit into memory cannot be written.
    #[error("{}: what does not fit into memory cannot be written beside it: {source}", escape::path(.path))]
    Spill {
        /// The store.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The archives cannot be read on.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// It was asked to stop.
    #[error("stopped; {} is as it was", escape::path(.path))]
    Stopped {
        /// The store.
        path: PathBuf,
    },
}

/// Makes a store of what the pages of sites share, or adds the pages of these archives to one. The pages of an archive
/// that cannot be read to its end count as far as they were read.
///
/// # Errors
/// The store cannot be read or written, and is as it was; or the configuration is invalid.
pub fn make_sites(
    config: &Config,
    inputs: &[ArchiveInput],
    path: &Path,
    progress: &Progress,
    stop: &Stop,
) -> Result<MadeSites, SitesError> {
    let mut rules = Rules::new(&without_sites(config)?)?;
    if !config.dom.normalize {
        // No sketch needs the counts of all texts.
        rules.parse = dehusk_html::parse_uncounted;
    }
    let rules = Arc::new(rules);
    // A link stays, and what it leads to is written.
    let resolved = path.canonicalize();
    let path = resolved.as_deref().unwrap_or(path);
    let new = NewSiteStore::begin(path, &parameters())?;
    let made = gather(&rules, inputs, path, progress, stop);
    let (mut made, gathered, earlier) = match made {
        Ok(made) => made,
        Err(e) => {
            new.discard();
            return Err(e);
        }
    };
    new.finish(|take| {
        for host in gathered.into_hosts(earlier) {
            let (host, mut pages) = host.map_err(|e| StoreFailure::Caller(Box::new(e)))?;
            made.hosts += 1;
            made.remembered += pages.len() as u64;
            take(&host, &pages.encode())?;
        }
        Ok(())
    })?;
    Ok(made)
}

/// The pages must not be seen by what is known of them already.
fn without_sites(config: &Config) -> Result<Config, ConfigError> {
    let mut config = config.clone();
    config.set("extract.sites", "")?;
    Ok(config)
}

type Gathered = (MadeSites, Gatherer, Option<Hosts<'static>>);

fn gather(
    rules: &Arc<Rules>,
    inputs: &[ArchiveInput],
    path: &Path,
    progress: &Progress,
    stop: &Stop,
) -> Result<Gathered, SitesError> {
    let spill = |source: io::Error| SitesError::Spill {
        path: path.to_owned(),
        source,
    };
    let earlier = if path.symlink_metadata().is_ok() {
        Some(earlier(path)?)
    } else {
        None
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = Folder::open(folder.unwrap_or(Path::new("."))).map_err(spill)?;
    let mut collector = Collector {
        inputs,
        gatherer: Gatherer::new(folder),
        made: MadeSites::default(),
        failure: None,
    };
    let job = Job {
        inputs,
        starts: &[],
        rules,
        threads: threads(&rules.config),
        product: Product::Sketches,
        order: Order::AsRead,
        seen: None,
        originals: None,
        progress,
        stop,
    };
    let ended = run(&job, &mut collector);
    let Collector {
        gatherer,
        made,
        failure,
        ..
    } = collector;
    if let Some(e) = failure {
        return Err(spill(e));
    }
    ended?;
    if stop.requested() {
        let path = path.to_owned();
        return Err(SitesError::Stopped { path });
    }
    Ok((made, gatherer, earlier))
}

/// The hosts of the store that is there.
fn earlier(path: &Path) -> Result<Hosts<'static>, StoreError> {
    let store = SiteStore::open(path, &parameters())?;
    let path = path.to_owned();
    let hosts = store.entries()?.map(move |entry| {
        let (host, entry) = entry.map_err(io::Error::other)?;
        let pages = HostPages::decode(&entry).ok_or_else(|| io::Error::other(no_entry(&path)))?;
        Ok((host, pages))
    });
    Ok(Box::new(hosts))
}

/// Takes the sketches of pages.
struct Collector<'c> {
    inputs: &'c [ArchiveInput],
    gatherer: Gatherer,
    made: MadeSites,
    /// Why sketches could not be kept.
    failure: Option<io::Error>,
}

impl Sink for Collector<'_> {
    fn chunk(&mut self, _: usize, chunk: &mut Chunk, _: Option<Border<'_>>) -> Result<(), SinkError> {
        for (host, sketch) in std::mem::take(&mut chunk.sketches) {
            if host.is_empty() {
                self.made.without_host += 1;
                continue;
            }
            self.made.pages += 1;
            // None is a page that would not be remembered.
            let Some(sketch) = sketch else {
                continue;
            };
            if let Err(e) = self.gatherer.add(&host, sketch) {
                self.failure = Some(e);
                return Err("the sketches of pages cannot be kept".into());
            }
        }
        Ok(())
    }

    fn finish(&mut self, archive: usize, outcome: ArchiveOutcome) -> Result<(), SinkError> {
        self.made.ledger.add(&outcome.ledger);
        if let Some(error) = &outcome.error {
            let name = self.inputs[archive].label().to_path_buf();
            self.made.failed.push((name, error.to_string()));
        }
        Ok(())
    }

    fn abandon(&mut self) {}
}
