//! Searches in the documents of runs.
//!
//! Between two answers a search is kept, with what it has found: no format of documents can be read on from the middle.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use dehusk_corpus::search::{Hit, Search, Step};

/// Most searches that are kept. The oldest are forgotten.
const KEPT: usize = 8;

/// After so long an answer is sent with what was found.
const TIME: Duration = Duration::from_millis(300);

/// Most hits that are listed: the best, or the first.
const LISTED: usize = 100;

/// Most values of a facet that are counted, and that are listed.
const COUNTED: usize = 20_000;
const VALUES: usize = 12;

/// Most messages about runs that are not whole, and shards that cannot be read.
const MESSAGES: usize = 5;

/// Searches under way.
#[derive(Default)]
pub(crate) struct Searches(Mutex<KeptSearches>);

#[derive(Default)]
struct KeptSearches {
    /// How many there were.
    count: u64,
    /// Those that nobody works on, the newest first.
    kept: VecDeque<(u64, Running)>,
}

/// A search with what it has found.
pub(crate) struct Running {
    search: Search,
    /// The numbers of its runs among those of the server.
    runs: Vec<usize>,
    /// At most [`LISTED`], and the ranks by which they are in order.
    hits: Vec<(f64, Value)>,
    found: u64,
    facets: [Facet; 3],
    messages: Vec<String>,
}

/// The day on which the page of a hit was fetched. `""` if it is not known.
pub(crate) fn day(hit: &Hit) -> &str {
    hit.document.created.get(..10).unwrap_or_default()
}

/// How many hits have each value of a field.
#[derive(Default)]
struct Facet {
    counts: HashMap<String, u64>,
}

impl Searches {
    fn kept(&self) -> MutexGuard<'_, KeptSearches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new search.
    pub(crate) fn number(&self) -> u64 {
        let mut kept = self.kept();
        kept.count += 1;
        kept.count
    }

    /// Takes a search out, to work on it. Only the thread that works on it may call this, so that no search is lost
    /// with a request that never comes to its turn.
    pub(crate) fn take(&self, number: &str) -> Option<(u64, Running)> {
        let mut kept = self.kept();
        let at = kept.kept.iter().position(|(known, _)| known.to_string() == number)?;
        kept.kept.remove(at)
    }

    /// Keeps a search until it is asked for again.
    pub(crate) fn keep(&self, number: u64, running: Running) {
        let mut kept = self.kept();
        kept.kept.push_front((number, running));
        kept.kept.truncate(KEPT);
    }
}

impl Running {
    /// A search in these runs, by their numbers, with messages about those that cannot be searched.
    pub(crate) fn new(search: Search, runs: Vec<usize>, mut messages: Vec<String>) -> Self {
        messages.truncate(MESSAGES);
        Self {
            search,
            runs,
            hits: Vec::new(),
            found: 0,
            facets: Default::default(),
            messages,
        }
    }

    /// Searches for a while. Returns whether everything is searched. `describe` gets the number of a run, and a hit.
    pub(crate) fn go_on(&mut self, describe: impl Fn(usize, &Hit) -> Value) -> bool {
        let started = Instant::now();
        while started.elapsed() < TIME {
            match self.search.step() {
                None => return true,
                Some(Step::Hit(hit)) => self.add(&hit, &describe),
                Some(Step::Failed(message)) if self.messages.len() < MESSAGES => self.messages.push(message),
                Some(_) => {}
            }
        }
        false
    }

    fn add(&mut self, hit: &Hit, describe: impl Fn(usize, &Hit) -> Value) {
        self.found += 1;
        let metadata = &hit.document.metadata;
        let values = [&*metadata.hostname, &*metadata.language, day(hit)];
        for (facet, value) in self.facets.iter_mut().zip(values) {
            facet.add(value);
        }
        // Hits without a rank come after those that have one, in the order of the runs.
        let rank = hit.rank.unwrap_or(f64::NEG_INFINITY);
        let at = self.hits.partition_point(|(known, _)| *known >= rank);
        if at < LISTED {
            self.hits.insert(at, (rank, describe(self.runs[hit.run], hit)));
            self.hits.truncate(LISTED);
        }
    }

    /// The documents that it has found, and how far it is.
    pub(crate) fn told(&self) -> Value {
        let progress = self.search.progress();
        let [hosts, languages, days] = self.facets.each_ref().map(Facet::told);
        json!({
            "found": self.found,
            "hits": self.hits.iter().map(|(_, hit)| hit.clone()).collect::<Value>(),
            "facets": {"host": hosts, "language": languages, "day": days},
            "read": progress.read,
            "shards": progress.shards,
            "all_shards": progress.all_shards,
            "messages": self.messages,
        })
    }
}

impl Facet {
    fn add(&mut self, value: &str) {
        if let Some(count) = self.counts.get_mut(value) {
            *count += 1;
        } else if self.counts.len() < COUNTED {
            self.counts.insert(value.to_owned(), 1);
        }
    }

    /// The values that most hits have, each with its number.
    fn told(&self) -> Value {
        let mut counts: Vec<(&String, &u64)> = self.counts.iter().collect();
        counts.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        counts.truncate(VALUES);
        json!(counts)
    }
}
