//! `GET /inspector/measure`: how each extractor does on a page that was marked.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::json;

use super::compare::measures;
use super::marking::no_blocks;
use super::marks::not_marked;
use super::place::Place;
use super::source::Source;
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Permit, truth_of};
use crate::workers::Worker;

pub(crate) async fn measure(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &["id"])?;
    let id = query.get("id")?.unwrap_or_default();
    let page = app.marks()?.file().find(id).cloned();
    let page = page.ok_or_else(not_marked)?;
    let marked = page.marked.as_ref().ok_or_else(|| {
        let message = "the line of this page does not say where its record is; mark the page to measure it";
        Refusal::new(404, "no_place", message)
    })?;
    let input = app.inputs.number_by_name(&marked.archive).ok_or_else(|| {
        let message = "the server was started without the archive of this page";
        Refusal::new(404, "no_input", message)
    })?;
    let source = Source::Record {
        input,
        place: Place::parse(&marked.at)?,
    };
    let line = truth_of(page);
    let rules = app.settings.rules_of_all()?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let measured = source.visit(&shared, worker, &rules, |_, analysis| {
            let analysis = analysis?.ok_or_else(no_blocks)?;
            Ok::<_, Refusal>(measures(analysis, &line))
        })??;
        Ok(answer(
            200,
            "application/json",
            json!({"measures": measured}).to_string(),
        ))
    };
    app.workers.run(permit, work).await?
}
