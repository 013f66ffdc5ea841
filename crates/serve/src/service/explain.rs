//! `POST /explain`: a page → its document, and what became of each of its nodes.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::pages::{self, Content};
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, PARAMETERS, Permit};
use crate::workers::Worker;
use dehusk_engine::page::Page;
use dehusk_engine::processor::Processor;
use dehusk_engine::{analysis::Analysis, explain};

pub(crate) async fn explain(app: Arc<App>, permit: Permit, mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let settings = app.settings.of_query(&query)?;
    let (content, body) = pages::read(&app, &mut request).await?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let mut visit = |processor: &mut Processor, page: &Page<'_>| processor.analyze(page, explained);
        let explained = match content {
            Content::Page(charset) => {
                let page = (&body.bytes[..], charset.as_deref(), settings.url.as_str());
                let explained = pages::one(&shared, worker, &settings.rules, page, &mut visit)?;
                explained.to_string()
            }
            Content::List => {
                let mut items = Vec::new();
                for page in pages::listed(&body)? {
                    if worker.is_late() {
                        return Err(Refusal::new(
                            503,
                            "timeout",
                            "the list took too long; send fewer pages at a time",
                        ));
                    }
                    let explained = pages::of_list(&shared, worker, &settings.rules, &page, &mut visit);
                    items.push(explained.unwrap_or_else(|dropped| json!(Refusal::from(dropped))));
                }
                Value::from(items).to_string()
            }
        };
        Ok(answer(200, "application/json", explained))
    };
    app.workers.run(permit, work).await?
}

/// The document or why there is none, and what the extractor made of the page.
fn explained(analysis: &Analysis<'_, '_>) -> Value {
    let mut explained = json!({"explanation": explain::page(analysis)});
    match analysis.document() {
        Ok(document) => {
            let mut line = Vec::new();
            dehusk_documents::encode::jsonl::write(&document, &mut line);
            explained["document"] = serde_json::from_slice(&line).unwrap_or_default();
        }
        Err(dropped) => explained["dropped"] = json!(Refusal::from(dropped)),
    }
    explained
}
