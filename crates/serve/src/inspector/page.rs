//! `GET /inspector/page`: what became of a page, and of each of its nodes.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::described::{self, Outcome};
use super::levels::{Levels, score};
use super::source::{PARAMETERS, Source};
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Permit};
use crate::workers::Worker;
use dehusk_archive::Record;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::explain;
use dehusk_engine::page::Dropped;
use dehusk_extract::{ExplainedPage, PageNode};

/// Most bytes of a record that failed that are shown as they are stored.
const STORED: u64 = 2 << 10;

pub(crate) async fn page(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let rules = app.rules_of(&query)?;
    let source = Source::of_query(&app, &query)?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let mut shown = source.visit(&shared, worker, &rules, shown)?;
        // A record that failed has no block, so its stored bytes are all that there is.
        if shown["raw"] == ""
            && let Some(length) = shown["record"]["length"].as_u64()
            && let Some(bytes) = source.stored(&shared, length.min(STORED))
        {
            shown["raw"] = json!(described::dump(&bytes, source.offset()));
        }
        Ok(answer(200, "application/json", shown.to_string()))
    };
    app.workers.run(permit, work).await?
}

fn shown(record: Option<&Record<'_>>, analysis: Result<Option<&Analysis<'_, '_>>, Dropped>) -> Value {
    let mut shown = json!({
        "record": record.map(described::describe_with_header),
        "raw": record.map(described::raw),
        "explanation": null,
        "text": null,
    });
    let document = match analysis {
        Ok(Some(analysis)) => {
            shown["explanation"] = explain::page(analysis).as_ref().map(explained).unwrap_or_default();
            let document = analysis.document();
            shown["text"] = match &document {
                Ok(document) => json!(document.text),
                Err(_) => json!(selected_text(analysis)),
            };
            document
        }
        Ok(None) => {
            shown["outcome"] = json!("text");
            shown["sentence"] = json!("The record is text already, so no extractor reads it.");
            return shown;
        }
        Err(dropped) => Err(dropped),
    };
    Outcome::of(&document).add_to(&mut shown, document.as_ref().ok());
    shown
}

/// The text that the extractor selects, whether or not it becomes a document.
fn selected_text(analysis: &Analysis<'_, '_>) -> String {
    let mut text = String::new();
    if let Some(first) = analysis.extractions().next() {
        first.selection.render_text(&first.view, &mut text);
    }
    text
}

fn explained(page: &ExplainedPage) -> Value {
    let levels = Levels::of(page);
    json!({
        "extractor": page.extractor,
        "rule": page.rule,
        "score": page.score,
        "kept_words": page.kept_words,
        "page_words": page.page_words,
        "winner": page.winner,
        "levels": levels.thresholds(),
        "nodes": nodes(page),
        "all": page.nodes.len(),
    })
}

/// The elements with words, and the texts in which a state begins. Each is a list, which takes less than an object:
/// node, parent, name, state, whether the state begins with it, whether it has text of its own, words, characters,
/// elements, score, and its description.
fn nodes(page: &ExplainedPage) -> Value {
    let is_text = |node: &PageNode| node.name == "text";
    let mut has_text = vec![false; page.nodes.len()];
    for node in page.nodes.iter().filter(|node| is_text(node) && node.words > 0) {
        has_text[node.parent as usize] = true;
    }
    let listed = page.nodes.iter().filter_map(|node| {
        let begins = begins_state(page, node);
        let is_listed = node.words > 0 && (!is_text(node) || begins) || page.winner == Some(node.node);
        is_listed.then(|| {
            json!([
                node.node,
                node.parent,
                node.name,
                node.state.name(),
                u8::from(begins),
                u8::from(has_text[node.node as usize]),
                node.words,
                node.chars,
                node.tags,
                score(page, node.node),
                page.note(node.node),
            ])
        })
    });
    listed.collect()
}

/// Whether a node has another state than its parent.
pub(super) fn begins_state(page: &ExplainedPage, node: &PageNode) -> bool {
    node.parent == node.node || page.nodes[node.parent as usize].state != node.state
}
