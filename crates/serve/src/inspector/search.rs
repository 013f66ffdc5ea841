//! `GET /inspector/search`: words in the documents of the runs.
//!
//! An answer reads on for a short time only, as for records.

use std::path::Path;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::place::Place;
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Permit, Running, day};
use crate::workers::Worker;
use dehusk_archive::escape::{self, terminal};
use dehusk_corpus::readback::Account;
use dehusk_corpus::search::{self, Filter, Hit, Search};

const PARAMETERS: [&str; 6] = ["day", "host", "language", "run", "search", "words"];

pub(crate) async fn search(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let asked = match query.get("search")? {
        Some(number) => Asked::Kept(number.to_owned()),
        None => Asked::New(Wanted::of(&app, &query)?),
    };
    let shared = Arc::clone(&app);
    let work = move |_: &mut Worker| {
        let (number, mut running) = asked.begin(&shared)?;
        let is_done = running.go_on(|run, hit| described(&shared, run, hit));
        let mut told = running.told();
        told["search"] = json!((!is_done).then(|| number.to_string()));
        if !is_done {
            shared.searches.keep(number, running);
        }
        Ok(answer(200, "application/json", told.to_string()))
    };
    app.workers.run(permit, work).await?
}

/// A search that a request continues or begins.
enum Asked {
    /// To continue a search.
    Kept(String),
    New(Wanted),
}

impl Asked {
    fn begin(self, app: &App) -> Result<(u64, Running), Refusal> {
        match self {
            Self::New(wanted) => Ok((app.searches.number(), wanted.begin(app))),
            Self::Kept(number) => app.searches.take(&number).ok_or_else(|| {
                let message = "this search is forgotten, or another request works on it; search again";
                Refusal::new(404, "no_search", message)
            }),
        }
    }
}

/// The words, the filter and the runs of a search.
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
        let search = Search::new(&accounts, self.words, self.filter, usize::MAX);
        Running::new(search, runs, messages)
    }
}

/// A hit, with its record if the server can reach it.
fn described(app: &App, run: usize, hit: &Hit) -> Value {
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
        "day": day(hit),
        "words": metadata.words,
        "snippet": pieces.collect::<Value>(),
    })
}
