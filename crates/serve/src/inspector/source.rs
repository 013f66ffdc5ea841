//! The page that is shown: a record's, or a pasted one.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::json;

use super::place::Place;
use super::records::check_time;
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, MOST_OF_URL};
use crate::workers::Worker;
use dehusk_archive::{Event, OwnedRecord, Record, Records};
use dehusk_engine::analysis::Analysis;
use dehusk_engine::config::Rules;
use dehusk_engine::page::{Dropped, Page};

/// The parameters that select which page is shown, and how.
pub(super) const PARAMETERS: [&str; 8] = ["at", "extractor", "input", "pasted", "run", "set", "url", "with"];

/// A page of the inspector.
pub(super) enum Source {
    /// The record at a place of an archive.
    Record { input: usize, place: Place },
    /// A page that was pasted, with its URL.
    Pasted { page: Arc<Vec<u8>>, url: String },
}

/// `POST /inspector/paste`: keeps a page for a while.
pub(crate) async fn paste(app: &App, mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let body = app.bodies.read(&mut request).await?;
    let number = app.pasted.add(body.bytes);
    Ok(answer(
        200,
        "application/json",
        json!({"pasted": number.to_string()}).to_string(),
    ))
}

impl Source {
    /// The number of its archive and its place there. A pasted page has none.
    pub(super) fn place(&self) -> Option<(usize, Place)> {
        match self {
            Self::Record { input, place } => Some((*input, *place)),
            Self::Pasted { .. } => None,
        }
    }

    /// Where it is stored.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Self::Record { place, .. } => place.offset,
            Self::Pasted { .. } => 0,
        }
    }

    /// The bytes at the record's place as they are stored, if the archive is a file on this machine.
    pub(super) fn stored(&self, app: &App, length: u64) -> Option<Vec<u8>> {
        match self {
            Self::Record { input, place } => app.inputs.stored(*input, place.offset, length),
            Self::Pasted { .. } => None,
        }
    }

    pub(super) fn of_query(app: &App, query: &Query) -> Result<Self, Refusal> {
        if let Some(number) = query.get("pasted")? {
            return Ok(Self::Pasted {
                page: app.pasted.get(number)?,
                url: url_of(query)?,
            });
        }
        let place = query.get("at")?.map(Place::parse).transpose()?;
        Ok(Self::Record {
            input: app.inputs.number(query)?,
            place: place.unwrap_or_default(),
        })
    }

    /// Passes the record, if the page has one, and the analysis of the page to `visit`. There is none if the page is
    /// text already, or if there is no page, and then with the reason.
    pub(super) fn visit<T>(
        &self,
        app: &App,
        worker: &mut Worker,
        rules: &Arc<Rules>,
        visit: impl FnOnce(Option<&Record<'_>>, Result<Option<&Analysis<'_, '_>>, Dropped>) -> T,
    ) -> Result<T, Refusal> {
        let mut visit = Some(visit);
        let mut visit = |record: Option<&Record<'_>>, page: Result<Option<&Analysis<'_, '_>>, Dropped>| {
            visit.take().map(|visit| visit(record, page))
        };
        let ended = || Refusal::new(500, "panic", "the page made a worker panic; this is a bug in dehusk");
        match self {
            Self::Pasted { page, url } => {
                let processor = worker.processor(rules);
                let visited = match Page::from_bytes(page, url) {
                    Err(dropped) => visit(None, Err(dropped)),
                    Ok(page) => match processor.analyze(&page, |analysis| visit(None, Ok(Some(analysis)))) {
                        Ok(visited) => visited,
                        Err(dropped) => visit(None, Err(dropped)),
                    },
                };
                visited.ok_or_else(ended)
            }
            Self::Record { input, place } => {
                let opened = app.inputs.open(*input, &rules.config, place.offset)?;
                let mut records = opened.records();
                let record = find(&mut records, *place, worker)?;
                let processor = worker.processor(rules);
                let analyzed =
                    processor.analyze_record(&record, "", |analysis| visit(Some(&record), Ok(Some(analysis))));
                let visited = match analyzed {
                    Ok(Some(visited)) => visited,
                    Ok(None) => visit(Some(&record), Ok(None)),
                    Err(dropped) => visit(Some(&record), Err(dropped)),
                };
                visited.ok_or_else(ended)
            }
        }
    }
}

/// The record at a place.
fn find(records: &mut Records<'_>, place: Place, worker: &Worker) -> Result<OwnedRecord, Refusal> {
    while let Some(event) = records.next_event() {
        check_time(worker)?;
        let Event::Record(record) = event else { continue };
        let here = Place::of(&record);
        if here == place {
            return Ok(record.into_owned());
        }
        if here > place {
            break;
        }
    }
    let message = match records.take_error() {
        Some(error) => format!("the archive cannot be read on: {error}"),
        None => format!("no record starts at {place}"),
    };
    Err(Refusal::new(
        404,
        "no_record",
        dehusk_archive::escape::terminal(&message),
    ))
}

fn url_of(query: &Query) -> Result<String, Refusal> {
    let url = query.get("url")?.unwrap_or_default();
    if url.chars().count() > MOST_OF_URL {
        let message = format!("the URL has more than {MOST_OF_URL} characters");
        return Err(Refusal::bad_request("url", message));
    }
    Ok(url.to_owned())
}
