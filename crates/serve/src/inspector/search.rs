//! `GET /inspector/search`: words in the documents of the runs.
//!
//! An answer reads on for a short time only, as for records. Between two answers the search is kept, with what it has
//! found: no format of documents can be read on from the middle.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::place::Place;
use crate::app::{App, Permit};
use crate::http::{Answer, Query, Refusal, answer};
use crate::workers::Worker;
use dehusk_archive::escape::{self, terminal};
use dehusk_corpus::readback::Account;
use dehusk_corpus::search::{self, Filter, Hit, Search, Step};

const PARAMETERS: [&str; 6] = ["day", "host", "language", "run", "search", "words"];

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
struct Running {
    search: Search,
    /// The numbers of its runs among those of the server.
    runs: Vec<usize>,
    /// At most [`LISTED`], and the ranks by which they are in order.
    hits: Vec<(f64, Value)>,
    found: u64,
    facets: [Facet; 3],
    messages: Vec<String>,
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
    fn number(&self) -> u64 {
        let mut kept = self.kept();
        kept.count += 1;
        kept.count
    }

    /// Takes a search out, to work on it.
    fn take(&self, number: &str) -> Option<(u64, Running)> {
        let mut kept = self.kept();
        let at = kept.kept.iter().position(|(known, _)| known.to_string() == number)?;
        kept.kept.remove(at)
    }

    fn keep(&self, number: u64, running: Running) {
        let mut kept = self.kept();
        kept.kept.push_front((number, running));
        kept.kept.truncate(KEPT);
    }
}

pub(crate) async fn search(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let kept = query.get("search")?.map(|number| {
        let message = "this search is forgotten, or another request works on it; search again";
        let kept = app.searches.take(number);
        kept.ok_or_else(|| Refusal::new(404, "no_search", message))
    });
    let begun = match kept {
        Some(kept) => Ok(kept?),
        None => Err(Wanted::of(&app, &query)?),
    };
    let shared = Arc::clone(&app);
    let work = move |_: &mut Worker| {
        let (number, mut running) = begun.unwrap_or_else(|wanted| (shared.searches.number(), wanted.begin(&shared)));
        let is_done = running.go_on(&shared);
        let told = running.told(number, is_done);
        if !is_done {
            shared.searches.keep(number, running);
        }
        answer(200, "application/json", told.to_string())
    };
    app.workers.run(permit, work).await
}

/// What is searched for.
struct Wanted {
    words: search::Query,
    filter: Filter,
    /// The numbers of the runs that are searched.
    runs: Vec<usize>,
}

impl Wanted {
    fn of(app: &App, query: &Query) -> Result<Self, Refusal> {
        let words = query.get("words")?.unwrap_or_default();
        let words = search::Query::parse(words).map_err(|message| Refusal::bad_request("words", terminal(&message)))?;
        let mut filter = Filter::default();
        for (name, values) in [
            ("host", &mut filter.hosts),
            ("language", &mut filter.languages),
            ("day", &mut filter.days),
        ] {
            values.extend(query.all(name).map(str::to_owned));
        }
        let runs: Vec<usize> = match query.get("run")? {
            Some(number) => vec![app.inputs.run_number(number)?],
            None => (0..app.inputs.accounts().len()).collect(),
        };
        if runs.is_empty() {
            let message = "the server was started without a run; name some: dehusk serve RUN_DIR";
            return Err(Refusal::new(404, "no_run", message));
        }
        Ok(Self { words, filter, runs })
    }

    /// Begins the search. The accounts are read anew: a run may have gone on.
    fn begin(self, app: &App) -> Running {
        let (mut accounts, mut runs, mut messages) = (Vec::new(), Vec::new(), Vec::new());
        for run in self.runs {
            match Account::read(&app.inputs.accounts()[run].directory) {
                Ok(account) => {
                    messages.extend(account.warning());
                    accounts.push(account);
                    runs.push(run);
                }
                Err(error) => messages.push(error.to_string()),
            }
        }
        messages.truncate(MESSAGES);
        Running {
            search: Search::new(&accounts, self.words, self.filter, usize::MAX),
            runs,
            hits: Vec::new(),
            found: 0,
            facets: Default::default(),
            messages,
        }
    }
}

impl Running {
    /// Searches for a while. Returns whether everything is searched.
    fn go_on(&mut self, app: &App) -> bool {
        let started = Instant::now();
        while started.elapsed() < TIME {
            match self.search.step() {
                None => return true,
                Some(Step::Hit(hit)) => self.add(app, &hit),
                Some(Step::Failed(message)) if self.messages.len() < MESSAGES => self.messages.push(message),
                Some(_) => {}
            }
        }
        false
    }

    fn add(&mut self, app: &App, hit: &Hit) {
        self.found += 1;
        let metadata = &hit.document.metadata;
        let day = hit.document.created.get(..10).unwrap_or_default();
        for (facet, value) in self
            .facets
            .iter_mut()
            .zip([&*metadata.hostname, &*metadata.language, day])
        {
            facet.add(value);
        }
        // Hits without a rank come after those that have one, in the order of the runs.
        let rank = hit.rank.unwrap_or(f64::NEG_INFINITY);
        let at = self.hits.partition_point(|(known, _)| *known >= rank);
        if at < LISTED {
            self.hits
                .insert(at, (rank, described(app, self.runs[hit.run], hit, day)));
            self.hits.truncate(LISTED);
        }
    }

    fn told(&self, number: u64, is_done: bool) -> Value {
        let progress = self.search.progress();
        let [hosts, languages, days] = self.facets.each_ref().map(Facet::told);
        json!({
            "search": (!is_done).then(|| number.to_string()),
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

/// A hit, with its record if the server can reach it.
fn described(app: &App, run: usize, hit: &Hit, day: &str) -> Value {
    let metadata = &hit.document.metadata;
    let place = Place {
        offset: metadata.warc_offset,
        inside: metadata.offset_in_member,
    };
    let pieces = hit.snippet.iter();
    let pieces = pieces.map(|piece| json!([u8::from(piece.is_match), piece.text]));
    json!({
        "run": run,
        "run_name": (app.inputs.accounts().len() > 1).then(|| escape::path(&app.inputs.accounts()[run].directory)),
        "input": app.inputs.number_in_run(run, &hit.archive).filter(|input| {
            // Archives on a network are not asked.
            app.inputs.archive(*input).path().is_none_or(Path::exists)
        }),
        "archive": hit.archive,
        "at": place.to_string(),
        "url": metadata.url,
        "title": metadata.title,
        "host": metadata.hostname,
        "language": metadata.language,
        "day": day,
        "words": metadata.words,
        "snippet": pieces.collect::<Value>(),
    })
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
