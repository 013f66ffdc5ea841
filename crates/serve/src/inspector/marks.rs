//! The pages that people mark, in a truth file: their list, and changes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::marking::{MarkTarget, kept, no_blocks, no_record};
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Marks, Permit};
use crate::workers::Worker;
use dehusk_archive::escape::{self, shell_word, terminal};
use dehusk_engine::provenance::record_id;
use dehusk_eval::marking;
use dehusk_eval::truth_file::{Marked, MarkedPage, TruthFile, TruthFileError};

/// Most archives that a command names. There can be thousands.
const NAMED: usize = 20;

/// Most characters of a page's first line, by which it is listed.
const TITLE: usize = 120;

/// The body of a request that marks a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The number of blocks of the page.
    blocks: usize,
    /// The numbers of those that are content.
    kept: Vec<usize>,
    /// The marks from which they were changed, as `blocks` gave them: null if there were none. Without it, they
    /// replace any.
    #[serde(default, deserialize_with = "given")]
    was: Option<Option<Vec<usize>>>,
}

/// A value that is there, even if it is null.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<Vec<usize>>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// `GET /inspector/marks`: the pages that were marked.
pub(crate) fn marks(app: &App) -> Result<Answer, Refusal> {
    let marks = app.marks()?;
    Ok(listed(app, marks, &marks.file()))
}

/// `POST /inspector/mark`: writes the marks of a page.
pub(crate) async fn mark(app: Arc<App>, permit: Permit, mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let target = MarkTarget::of_query(&app, request.uri().query())?;
    let body = app.bodies.read(&mut request).await?;
    let wanted = wanted(&body.bytes)?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let archive = shared.inputs.archive(target.input);
        let page = target
            .source
            .visit(&shared, worker, &target.rules, |record, analysis| {
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
                let marked = Marked::new(
                    archive.display_name(),
                    target.place.to_string(),
                    kept.len(),
                    wanted.kept.clone(),
                );
                page.marked = Some(marked);
                Ok::<_, Refusal>(page)
            })??;
        change(&shared, |file| {
            let before = page.marked.as_ref().map(|now| kept(file, &page.record_id, now));
            if wanted.was.is_some() && wanted.was != before {
                return Err(other_marks());
            }
            file.mark(page).map(|()| true).map_err(refused)
        })
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

/// The refusal of marks that were begun before others were saved.
fn other_marks() -> Refusal {
    let message = "the page was marked elsewhere meanwhile, as in another tab; load it again to see these marks";
    Refusal::new(409, "marked", message)
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
    let work = move |_: &mut Worker| change(&shared, |file| file.remove(&id).map_err(refused));
    app.workers.run(permit, work).await?
}

/// `POST /inspector/undo`: undoes the last change of the file. It is no error if there is none.
pub(crate) async fn undo(app: Arc<App>, permit: Permit) -> Result<Answer, Refusal> {
    app.marks()?;
    let shared = Arc::clone(&app);
    let work = move |_: &mut Worker| change(&shared, |file| file.undo().map(|_| true).map_err(refused));
    app.workers.run(permit, work).await?
}

/// Changes the file, and answers with the list of what is in it. The change returns whether the page was there.
fn change(app: &App, change: impl FnOnce(&mut TruthFile) -> Result<bool, Refusal>) -> Result<Answer, Refusal> {
    let marks = app.marks()?;
    let mut file = marks.file();
    match change(&mut file)? {
        true => Ok(listed(app, marks, &file)),
        false => Err(not_marked()),
    }
}

/// The refusal of a change that the file cannot take.
fn refused(error: TruthFileError) -> Refusal {
    let (status, name) = match &error {
        TruthFileError::Changed { .. } => (409, "changed"),
        TruthFileError::OtherRecord { .. } => (409, "other_record"),
        TruthFileError::Full { .. } => (409, "full"),
        _ => (500, "write"),
    };
    Refusal::new(status, name, terminal(&error.to_string()))
}

/// The refusal of an id that the file does not have.
pub(super) fn not_marked() -> Refusal {
    Refusal::new(404, "no_page", "no page with this id was marked")
}

/// The pages of the file, and the commands that train a model on them.
fn listed(app: &App, marks: &Marks, file: &TruthFile) -> Answer {
    let inputs = inputs_of(app, file);
    let page = |page: &MarkedPage| {
        let marked = page.marked.as_ref();
        let input = marked.and_then(|marked| inputs.get(&*marked.archive));
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
        "commands": commands(app, file, &inputs),
    });
    answer(200, "application/json", listed.to_string())
}

/// The archives that the file names, with the numbers of those that the server has.
fn inputs_of<'a>(app: &App, file: &'a TruthFile) -> BTreeMap<&'a str, usize> {
    let names = file.pages().filter_map(|page| page.marked.as_ref());
    let names: BTreeSet<&str> = names.map(|marked| &*marked.archive).collect();
    let number = |name| Some((name, app.inputs.number_by_name(name)?));
    names.into_iter().filter_map(number).collect()
}

/// The two commands that make a model of what was marked.
fn commands(app: &App, file: &TruthFile, inputs: &BTreeMap<&str, usize>) -> [String; 2] {
    let inputs: BTreeSet<usize> = inputs.values().copied().collect();
    let names = inputs.into_iter().map(|input| app.inputs.archive(input).display_name());
    let mut named: Vec<String> = names.collect();
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
