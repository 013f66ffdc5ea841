//! `GET /inspector/records`: lists the records of an archive, and searches them.
//!
//! An answer reads on from a place for a short time only, however large the archive is, and states where to continue.
//! So a search of a whole archive is many requests, and people see meanwhile what was found.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::compare::agreement;
use super::described::{Outcome, describe, describe_skipped, place_of};
use super::place::Place;
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Permit};
use crate::workers::Worker;
use dehusk_archive::{Event, OwnedRecord, Record};
use dehusk_documents::document::Document;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::config::Rules;
use dehusk_engine::page::Dropped;
use dehusk_engine::processor::Processor;

const PARAMETERS: [&str; 12] = [
    "before",
    "extractor",
    "from",
    "id",
    "input",
    "limit",
    "outcome",
    "run",
    "set",
    "url",
    "with",
    "words",
];

/// Most records of an answer.
const MOST: usize = 200;

/// After so long an answer is sent with what was found.
const TIME: Duration = Duration::from_millis(300);

/// Records before a place that are kept at a time, and the bytes of their blocks.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 64 << 20;

/// Which records are listed.
struct Wanted {
    limit: usize,
    /// A part of the URL, in lower case.
    url: String,
    id: String,
    /// All of them must be in the text or in the title, in any case.
    words: Vec<String>,
    /// `pages` for all but records that hold no page by their type, `""` for all, or an outcome such as `emitted`,
    /// `filtered`, `failed:gzip_data`.
    outcome: String,
    /// Whether the texts of two extractors are compared.
    compares: bool,
}

impl Wanted {
    fn of_query(query: &Query) -> Result<Self, Refusal> {
        let text = |name| query.get(name).map(|value| value.unwrap_or_default().to_owned());
        let limit = query.get("limit")?.map_or(Ok(50), str::parse);
        let limit: usize = limit.map_err(|_| Refusal::bad_request("limit", "“limit” must be a number"))?;
        let words = text("words")?.to_lowercase();
        Ok(Self {
            limit: limit.clamp(1, MOST),
            url: text("url")?.to_lowercase(),
            id: text("id")?,
            words: words.split_whitespace().map(str::to_owned).collect(),
            outcome: text("outcome")?,
            compares: query.get("with")?.is_some(),
        })
    }

    fn has_outcome(&self, outcome: &str, reason: &str) -> bool {
        if self.outcome == "pages" {
            return outcome != "skipped" && reason != "record_type";
        }
        let (wanted, wanted_reason) = self.outcome.split_once(':').unwrap_or((&self.outcome, ""));
        (wanted.is_empty() || wanted == outcome) && (wanted_reason.is_empty() || wanted_reason == reason)
    }

    /// Whether the header of a record is as wanted.
    fn has_header(&self, record: &Record<'_>) -> bool {
        let has_url = self.url.is_empty() || record.header.url().to_lowercase().contains(&self.url);
        let id = self.id.trim_start_matches('<').trim_end_matches('>');
        has_url && (id.is_empty() || record.header.id() == id)
    }

    fn has_words(&self, document: Option<&Document>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        document.is_some_and(|document| {
            let text = format!("{}\n{}", document.metadata.title, document.text).to_lowercase();
            self.words.iter().all(|word| text.contains(word))
        })
    }

    /// The description of a skipped range, if it is wanted.
    fn skipped(&self, event: &Event<'_>) -> Option<Value> {
        let Event::Skipped(skipped) = event else { return None };
        let is_wanted = self.url.is_empty() && self.id.is_empty() && self.words.is_empty();
        (is_wanted && self.has_outcome("skipped", skipped.reason.name())).then(|| describe_skipped(skipped))
    }

    /// The description of a record and of its page, if it is wanted.
    fn record(&self, record: &Record<'_>, worker: &mut Worker, rules: &Arc<Rules>) -> Option<Value> {
        if !self.has_header(record) {
            return None;
        }
        let (document, agreement) = self.extracted(record, worker.processor(rules));
        let outcome = Outcome::of(&document);
        let document = document.ok();
        if !self.has_outcome(outcome.name, outcome.reason) || !self.has_words(document.as_ref()) {
            return None;
        }
        let mut described = describe(record);
        outcome.add_to(&mut described, document.as_ref());
        described["agreement"] = json!(agreement);
        Some(described)
    }

    /// The document of a record, and how much two extractors agree on it.
    fn extracted(&self, record: &Record<'_>, processor: &mut Processor) -> (Result<Document, Dropped>, Option<f64>) {
        if !self.compares {
            return (processor.record(record, ""), None);
        }
        let compared = |analysis: &Analysis<'_, '_>| (analysis.document(), Some(agreement(analysis)));
        match processor.analyze_record(record, "", compared) {
            Ok(Some(compared)) => compared,
            Ok(None) => (processor.record(record, ""), None),
            Err(dropped) => (Err(dropped), None),
        }
    }
}

/// A part of the list.
#[derive(Default)]
struct Listed {
    records: VecDeque<Value>,
    /// Where to continue, away from the place that was asked for.
    next: Option<Place>,
    read: usize,
    /// Why the archive cannot be read on.
    error: Option<String>,
}

pub(crate) async fn records(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let rules = app.rules_of(&query)?;
    let number = app.inputs.number(&query)?;
    let note = app.note_of(&query)?;
    let place = |name| query.get(name)?.map(Place::parse).transpose();
    let (from, before) = (place("from")?.unwrap_or_default(), place("before")?);
    let wanted = Wanted::of_query(&query)?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let listed = match before {
            Some(before) => list_before(&shared, worker, number, &rules, before, &wanted)?,
            None => list_from(&shared, worker, number, &rules, from, &wanted)?,
        };
        let listed = json!({
            "records": listed.records,
            "next": listed.next.map(|place| place.to_string()),
            "read": listed.read,
            "error": listed.error,
            "note": note,
        });
        Ok(answer(200, "application/json", listed.to_string()))
    };
    app.workers.run(permit, work).await?
}

/// The records from a place on.
fn list_from(
    app: &App,
    worker: &mut Worker,
    number: usize,
    rules: &Arc<Rules>,
    from: Place,
    wanted: &Wanted,
) -> Result<Listed, Refusal> {
    let started = Instant::now();
    let opened = app.inputs.open(number, &rules.config, from.offset)?;
    let mut records = opened.records();
    let mut listed = Listed::default();
    while let Some(event) = records.next_event() {
        let place = place_of(&event);
        if place < from {
            // An archive in one unit is decoded from its start.
            check_time(worker)?;
            continue;
        }
        if listed.records.len() >= wanted.limit || listed.read > 0 && started.elapsed() > TIME {
            listed.next = Some(place);
            break;
        }
        listed.read += 1;
        listed.records.extend(match &event {
            Event::Skipped(_) => wanted.skipped(&event),
            Event::Record(record) => wanted.record(record, worker, rules),
        });
    }
    listed.error = records.take_error().map(|error| error.to_string());
    Ok(listed)
}

/// The last records before a place, in the order of the archive.
fn list_before(
    app: &App,
    worker: &mut Worker,
    number: usize,
    rules: &Arc<Rules>,
    before: Place,
    wanted: &Wanted,
) -> Result<Listed, Refusal> {
    let started = Instant::now();
    let opened = app
        .inputs
        .open(number, &rules.config, before.offset.saturating_sub(1))?;
    let mut records = opened.records();
    let mut kept: VecDeque<OwnedRecord> = VecDeque::new();
    let mut bytes = 0;
    while let Some(event) = records.next_event() {
        if place_of(&event) >= before {
            break;
        }
        check_time(worker)?;
        let Event::Record(record) = event else { continue };
        bytes += record.block.len();
        kept.push_back(record.into_owned());
        while kept.len() > KEPT || bytes > KEPT_BYTES && kept.len() > 1 {
            bytes -= kept.pop_front().map_or(0, |record| record.block.len());
        }
    }
    let mut listed = Listed::default();
    while let Some(record) = kept.pop_back() {
        listed.read += 1;
        let place = Place::of(&record);
        if let Some(described) = wanted.record(&record, worker, rules) {
            listed.records.push_front(described);
        }
        listed.next = (place > Place::default()).then_some(place);
        if listed.records.len() >= wanted.limit || started.elapsed() > TIME {
            break;
        }
    }
    Ok(listed)
}

/// Refuses to read on when the time of the request is over.
pub(super) fn check_time(worker: &Worker) -> Result<(), Refusal> {
    if !worker.is_late() {
        return Ok(());
    }
    let message = "reading up to this place takes too long: the archive is one compressed unit, so it is decoded from its \
        start; see --timeout";
    Err(Refusal::new(503, "timeout", message))
}
