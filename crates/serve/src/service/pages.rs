//! The pages of a request: its body is one, or a JSON list of several.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use serde::Deserialize;

use crate::http::{Body, Refusal};
use crate::state::{App, MOST_OF_URL};
use crate::workers::Worker;
use dehusk_archive::escape::terminal;
use dehusk_engine::config::Rules;
use dehusk_engine::page::{Dropped, Page};
use dehusk_engine::processor::{Processor, caught};

/// The content of a request's body.
pub(crate) enum Content {
    /// A page, with the charset that the request states.
    Page(Option<String>),
    /// A JSON list of pages.
    List,
}

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListedPage {
    html: String,
    #[serde(default)]
    url: String,
}

impl Content {
    /// Reads the kind of the body from the headers.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let Some(value) = headers.get(CONTENT_TYPE) else {
            return Ok(Self::Page(None));
        };
        let value = String::from_utf8_lossy(value.as_bytes());
        let mut parts = value.split(';');
        let kind = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut charset = parts.filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches('"').to_owned())
        });
        match kind.as_str() {
            "application/json" => Ok(Self::List),
            "" | "text/html" | "application/xhtml+xml" | "application/octet-stream" | "text/plain" => {
                Ok(Self::Page(charset.next()))
            }
            kind => {
                let message = format!(
                    "the body is “{}”, but a page (text/html) or a list of pages (application/json) is wanted",
                    terminal(kind)
                );
                Err(Refusal::new(415, "content_type", message))
            }
        }
    }
}

/// Reads a list of pages.
pub(crate) fn listed(body: &Body) -> Result<Vec<ListedPage>, Refusal> {
    let pages: Vec<ListedPage> = serde_json::from_slice(&body.bytes).map_err(|e| {
        let message = format!("the body is no list of pages, such as [{{\"html\": \"<p>…\", \"url\": \"\"}}]: {e}");
        Refusal::bad_request("json", terminal(&message))
    })?;
    match pages.iter().position(|page| page.url.chars().count() > MOST_OF_URL) {
        Some(at) => {
            let message = format!("the URL of page {} has more than {MOST_OF_URL} characters", at + 1);
            Err(Refusal::bad_request("url", message))
        }
        None => Ok(pages),
    }
}

/// Reads the content type and the body of a request.
pub(crate) async fn read(app: &App, request: &mut Request<Incoming>) -> Result<(Content, Body), Refusal> {
    let content = Content::of(request.headers())?;
    let is_labelled = request.headers().contains_key(CONTENT_TYPE);
    let body = app.bodies.read(request).await?;
    if body.bytes.is_empty() && !is_labelled {
        let message = "there is no body; send a page (text/html) or a list of pages (application/json)";
        return Err(Refusal::bad_request("no_body", message));
    }
    Ok((content, body))
}

/// The work on each page.
pub(crate) type Visit<'v, T> = &'v mut dyn FnMut(&mut Processor, &Page<'_>) -> Result<T, Dropped>;

/// Passes the page of a request to `visit`, and counts what became of it.
pub(crate) fn one<T>(
    app: &App,
    worker: &mut Worker,
    rules: &Arc<Rules>,
    (body, charset, url): (&[u8], Option<&str>, &str),
    visit: Visit<'_, T>,
) -> Result<T, Dropped> {
    let processor = worker.processor(rules);
    let done = caught(|| visit(processor, &Page::from_labelled_bytes(body, charset, url)?));
    count(app, &done, body.len());
    done
}

/// Passes a page of a list to `visit`, and counts what became of it.
pub(crate) fn of_list<T>(
    app: &App,
    worker: &mut Worker,
    rules: &Arc<Rules>,
    listed: &ListedPage,
    visit: Visit<'_, T>,
) -> Result<T, Dropped> {
    let processor = worker.processor(rules);
    let done = caught(|| visit(processor, &Page::from_text(&*listed.html, &*listed.url)));
    count(app, &done, listed.html.len());
    done
}

fn count<T>(app: &App, done: &Result<T, Dropped>, bytes: usize) {
    let (outcome, reason) = match done {
        Ok(_) => ("emitted", ""),
        Err(dropped) => (dropped.outcome(), dropped.reason()),
    };
    app.metrics.page(outcome, reason, bytes);
}
