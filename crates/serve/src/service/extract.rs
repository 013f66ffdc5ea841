//! `POST /extract`: pages → documents.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::pages::{self, Content, ListedPage};
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, PARAMETERS, Permit, Settings};
use crate::workers::Worker;
use dehusk_engine::page::Page;
use dehusk_engine::page_format::PageFormat;
use dehusk_engine::processor::Processor;

pub(crate) async fn extract(app: Arc<App>, permit: Permit, mut request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let settings = app.settings.of_query(&query)?;
    let (content, body) = pages::read(&app, &mut request).await?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| match content {
        Content::Page(charset) => {
            let format = settings.format.unwrap_or(PageFormat::Text);
            let page = (&body.bytes[..], charset.as_deref(), settings.url.as_str());
            let mut write = |processor: &mut Processor, page: &Page<'_>| {
                let mut out = Vec::new();
                format.write_whole(processor, page, &mut out).map(|()| out)
            };
            let document = pages::one(&shared, worker, &settings.rules, page, &mut write)?;
            Ok(answer(200, content_type(format), document))
        }
        Content::List => {
            let listed = pages::listed(&body)?;
            drop(body);
            let items = list(&shared, worker, &settings, &listed)?;
            let items = serde_json::to_vec(&items).unwrap_or_default();
            Ok(answer(200, "application/json", items))
        }
    };
    app.workers.run(permit, work).await?
}

fn content_type(format: PageFormat) -> &'static str {
    match format {
        PageFormat::Text => "text/plain; charset=utf-8",
        PageFormat::Html => "text/html; charset=utf-8",
        PageFormat::Json => "application/json",
        PageFormat::Xml => "application/xml",
    }
}

/// One object for each page, in their order: its document, or why there is none.
fn list(app: &App, worker: &mut Worker, settings: &Settings, listed: &[ListedPage]) -> Result<Vec<Value>, Refusal> {
    let format = settings.format.unwrap_or(PageFormat::Json);
    let mut items = Vec::with_capacity(listed.len());
    for page in listed {
        if worker.is_late() {
            return Err(Refusal::new(
                503,
                "timeout",
                "the list took too long; send fewer pages at a time",
            ));
        }
        let mut write = |processor: &mut Processor, page: &Page<'_>| {
            let mut out = Vec::new();
            format.write_whole(processor, page, &mut out).map(|()| out)
        };
        items.push(match pages::of_list(app, worker, &settings.rules, page, &mut write) {
            Ok(document) if format == PageFormat::Json => {
                let document: Option<Value> = serde_json::from_slice(&document).ok();
                json!({"document": document})
            }
            Ok(document) => json!({"document": String::from_utf8_lossy(&document)}),
            Err(dropped) => json!(Refusal::from(dropped)),
        });
    }
    Ok(items)
}
