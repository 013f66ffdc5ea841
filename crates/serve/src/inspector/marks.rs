//! What people mark, in a truth file: the list of it, and its changes.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::Request;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::{Value, json};

use super::blocks::{no_blocks, no_record};
use super::source::{PARAMETERS, Source};
use crate::app::{App, Permit};
use crate::http::{Answer, Query, Refusal, answer};
use crate::workers::Worker;
use dehusk_archive::escape;
use dehusk_archive::escape::{shell_word, terminal};
use dehusk_engine::provenance::record_id;
use dehusk_eval::marking;
use dehusk_eval::truth_file::{Marked, MarkedPage, TruthFile, TruthFileError};

/// Most archives that a command names. There can be thousands.
const NAMED: usize = 20;

/// Most characters of a page's first line, by which it is listed.
const TITLE: usize = 120;

/// The truth file of a server.
pub(crate) struct Marks {
    file: Mutex<TruthFile>,
    measure_from: usize,
}

/// The body of a request that marks a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The number of blocks of the page.
    blocks: usize,
    /// The numbers of those that are content.
    kept: Vec<usize>,
}

impl Marks {
    pub(crate) fn open(path: &Path, measure_from: usize) -> Result<Self, TruthFileError> {
        Ok(Self {
            file: Mutex::new(TruthFile::open(path)?),
            measure_from,
        })
    }

    pub(super) fn file(&self) -> MutexGuard<'_, TruthFile> {
        // A change is made in memory only when it is on disk, so a panic leaves nothing half done.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The blocks of a page that were marked as content, if the page still has as many blocks.
    pub(super) fn kept(&self, record_id: &str, blocks: usize) -> Option<Vec<usize>> {
        let file = self.file();
        let marked = file.find(record_id)?.marked.as_ref()?;
        (marked.blocks == blocks).then(|| marked.kept.clone())
    }
}

impl App {
    /// The truth file, if the server has one.
    pub(super) fn marks(&self) -> Result<&Marks, Refusal> {
        self.marks.as_ref().ok_or_else(|| {
            let message = "the server has no file for marks; start it with one: dehusk serve ARCHIVE --truth-out FILE";
            Refusal::new(404, "no_truth_out", message)
        })
    }
}

/// `GET /inspector/marks`: the pages that were marked.
pub(crate) fn marks(app: &App) -> Result<Answer, Refusal> {
    let marks = app.marks()?;
    Ok(listed(app, marks, &marks.file()))
}

/// `POST /inspector/mark`: writes the marks of a page.
pub(crate) async fn mark(app: Arc<App>, permit: Permit, mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    app.marks()?;
    let rules = app.rules_of(&query)?;
    let source = Source::of_query(&app, &query)?;
    let Some((input, place)) = source.place() else {
        return Err(no_record());
    };
    let body = app.bodies.read(&mut request).await?;
    let wanted = wanted(&body.bytes)?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let archive = shared.inputs.archive(input);
        let page = source.visit(&shared, worker, &rules, |record, analysis| {
            let record = record.ok_or_else(no_record)?;
            let analysis = analysis?.ok_or_else(no_blocks)?;
            let mut kept = vec![false; wanted.blocks];
            wanted.kept.iter().for_each(|block| kept[*block] = true);
            let text = marking::text(analysis.context(), &kept).ok_or_else(other_blocks)?;
            let mut page = MarkedPage::default();
            page.record_id = record_id(record, archive.shard()).into_owned();
            page.url = record.header.url().into_owned();
            page.lang = analysis
                .document()
                .map_or_else(|_| String::new(), |document| document.metadata.language);
            page.text = text;
            let marked = Marked::new(archive.display_name(), place.to_string(), kept.len(), wanted.kept);
            page.marked = Some(marked);
            Ok::<_, Refusal>(page)
        })??;
        change(&shared, |file| file.mark(page).map(|()| true))
    };
    app.workers.run(permit, work).await?
}

/// Reads the body of a request that marks a page.
fn wanted(body: &[u8]) -> Result<Wanted, Refusal> {
    let refused = |why: &str| {
        let message = format!("the body is no list of marks, such as {{\"blocks\": 3, \"kept\": [0, 2]}}: {why}");
        Refusal::bad_request("json", terminal(&message))
    };
    let mut wanted: Wanted = serde_json::from_slice(body).map_err(|e| refused(&e.to_string()))?;
    wanted.kept.sort_unstable();
    wanted.kept.dedup();
    match wanted.kept.last() {
        Some(last) if *last >= wanted.blocks => Err(refused("it keeps a block after the last")),
        // A page has no more, and the number is not to be believed.
        _ if wanted.blocks > 1 << 17 => Err(refused("no page has so many blocks")),
        _ => Ok(wanted),
    }
}

fn other_blocks() -> Refusal {
    let message = "the page has another number of blocks now; load it again";
    Refusal::new(409, "changed", message)
}

/// `POST /inspector/unmark`: takes a page out of the file, by the id of its record.
pub(crate) async fn unmark(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &["id"])?;
    app.marks()?;
    let id = query.get("id")?.unwrap_or_default().to_owned();
    let shared = Arc::clone(&app);
    let work = move |_: &mut Worker| change(&shared, |file| file.remove(&id));
    app.workers.run(permit, work).await?
}

/// `POST /inspector/undo`: undoes the last change of the file. It is no error if there is none.
pub(crate) async fn undo(app: Arc<App>, permit: Permit) -> Result<Answer, Refusal> {
    app.marks()?;
    let shared = Arc::clone(&app);
    let work = move |_: &mut Worker| change(&shared, |file| file.undo().map(|_| true));
    app.workers.run(permit, work).await?
}

/// Changes the file, and answers with the list of what is in it. The change returns whether the page was there.
fn change(app: &App, change: impl FnOnce(&mut TruthFile) -> Result<bool, TruthFileError>) -> Result<Answer, Refusal> {
    let marks = app.marks()?;
    let mut file = marks.file();
    let was_there = change(&mut file).map_err(|error| {
        let (status, name) = match &error {
            TruthFileError::Changed { .. } => (409, "changed"),
            _ => (500, "write"),
        };
        Refusal::new(status, name, terminal(&error.to_string()))
    })?;
    match was_there {
        true => Ok(listed(app, marks, &file)),
        false => Err(not_marked()),
    }
}

/// The refusal of an id that the file does not have.
pub(super) fn not_marked() -> Refusal {
    Refusal::new(404, "no_page", "no page with this id was marked")
}

/// The pages of the file, and the commands that train a model on them.
fn listed(app: &App, marks: &Marks, file: &TruthFile) -> Answer {
    let page = |page: &MarkedPage| {
        let marked = page.marked.as_ref();
        let input = marked.and_then(|marked| app.inputs.number_by_name(&marked.archive));
        json!({
            "id": page.record_id,
            "url": page.url,
            "title": page.text.lines().next().map(|line| line.chars().take(TITLE).collect::<String>()),
            "input": input,
            "at": marked.map(|marked| &marked.at),
            "blocks": marked.map(|marked| marked.blocks),
            "kept": marked.map(|marked| marked.kept.len()),
        })
    };
    let listed = json!({
        "file": escape::path(file.path()),
        "pages": file.pages().map(page).collect::<Value>(),
        "undo": file.can_undo(),
        "measure_from": marks.measure_from,
        "commands": commands(app, file),
    });
    answer(200, "application/json", listed.to_string())
}

/// The two commands that make a model of what was marked.
fn commands(app: &App, file: &TruthFile) -> [String; 2] {
    let is_marked = |name: &String| {
        let mut marked = file.pages().filter_map(|page| page.marked.as_ref());
        marked.any(|marked| marked.archive == *name)
    };
    let mut named: Vec<String> = app.inputs.names().filter(is_marked).collect();
    let more = if named.len() > NAMED { " ..." } else { "" };
    named.truncate(NAMED);
    let archives: String = named.iter().map(|name| format!(" {}", shell_word(name))).collect();
    let truth = escape::path(file.path());
    [
        format!(
            "dehusk features --truth {}{archives}{more} -o features",
            shell_word(&truth)
        ),
        "python3 -m training features --work parts --models models --tables tables.md".to_owned(),
    ]
}
