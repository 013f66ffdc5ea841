//! `GET /inspector/frame`: the page itself, as dehusk writes it.
//!
//! It is shown in a frame without scripts and without an origin, so the inspector cannot reach into it. What follows
//! the pointer or the focus is done by the frame's own style: the words about a node are an attribute, which a rule
//! shows at the lower edge. What the inspector chooses is done by the fragment of the frame's address: `#n12` is a
//! node, and `#s7` a level of the slider, for which the document has markers without a size.
//!
//! The document is XHTML, so that the browser builds exactly the tree that was written: nothing is moved or closed by
//! the rules of HTML, which hostile pages use.

use std::fmt::Write;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::HeaderValue;

use super::compare::Pair;
use super::levels::{LEVELS, Levels};
use super::page::begins_state;
use super::source::{PARAMETERS, Source};
use crate::http::{Answer, Query, Refusal, answer_with_policy};
use crate::state::{App, Permit};
use crate::workers::Worker;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::explain;
use dehusk_extract::{ExplainedPage, NodeState};
use dehusk_html::{Annotation, NodeId, render_annotated};

/// The style of frames.
pub(super) const STYLE: &str = include_str!("../../assets/frame.css");

/// Its hash, by which the policy allows it and no other.
const POLICY: &str = "default-src 'none'; style-src 'sha256-gXSo51qKs+DuC2cGH1ay/Ozn9Jp0CM3lfgoSKKTl1vY='; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'self'; sandbox";

/// Pages with so many nodes are large: browsers take long to lay them out.
const LARGE: u32 = 5_000;

pub(crate) async fn frame(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    let rules = app.rules_of(&query)?;
    let source = Source::of_query(&app, &query)?;
    let shared = Arc::clone(&app);
    let compares = query.get("with")?.is_some();
    let work = move |worker: &mut Worker| {
        let body = source.visit(&shared, worker, &rules, |_, analysis| match analysis {
            Ok(Some(analysis)) if compares => Pair::of(analysis).map(|pair| compared(analysis, &pair)),
            Ok(Some(analysis)) => explain::page(analysis).map(|explained| annotated(analysis, &explained)),
            _ => None,
        })?;
        let body = body.unwrap_or_else(|| "<p>There is no page to show.</p>".to_owned());
        Ok(document(&body))
    };
    app.workers.run(permit, work).await?
}

/// A frame with this body.
fn document(body: &str) -> Answer {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" \
         lang=\"en\"><head><title>The page</title><meta name=\"color-scheme\" content=\"light dark\"/><style>{STYLE}</style>\
         </head><body>\n{body}\n</body></html>\n"
    );
    answer_with_policy(
        200,
        "application/xhtml+xml; charset=utf-8",
        HeaderValue::from_static(POLICY),
        document,
    )
}

/// The start tag of the page.
fn start(analysis: &Analysis<'_, '_>) -> &'static str {
    match analysis.dom().len() {
        0..LARGE => "<div class=\"page\">",
        _ => "<div class=\"page large\">",
    }
}

/// The page with what two extractors made of its nodes.
fn compared(analysis: &Analysis<'_, '_>, pair: &Pair) -> String {
    let mut out = start(analysis).to_owned();
    let annotation = |id: NodeId| {
        let class = pair.class(id).to_owned();
        let note = if class.is_empty() { String::new() } else { pair.note(id) };
        Annotation { class, note }
    };
    render_annotated(analysis.dom(), annotation, &mut out);
    out.push_str("</div>");
    out
}

/// The page with the state, the score and the words of its nodes.
fn annotated(analysis: &Analysis<'_, '_>, page: &ExplainedPage) -> String {
    let levels = Levels::of(page);
    let mut out = String::new();
    for level in 0..=LEVELS {
        // Writing to a string cannot fail.
        let _ = write!(out, "<i class=\"level\" id=\"s{level}\"></i>");
    }
    out.push_str(start(analysis));
    let annotation = |id: NodeId| {
        let node = &page.nodes[id as usize];
        let is_root = node.state != NodeState::Around && begins_state(page, node);
        let mut class = match node.state {
            NodeState::Kept if is_root => "k",
            NodeState::LeftOut if is_root => "l",
            NodeState::Stripped if is_root => "x",
            _ => "",
        }
        .to_owned();
        if page.winner == Some(id) {
            class.push_str(" w");
        }
        if let Some(level) = levels.level(page, id) {
            let _ = write!(class, " q q{level}");
        }
        // A user who goes through a page by keyboard does not want to stop at every bold word.
        let is_block = is_root || node.block.is_some() || node.score.is_some() || page.winner == Some(id);
        let note = if is_block { page.note(id) } else { String::new() };
        Annotation {
            class: class.trim_start().to_owned(),
            note,
        }
    };
    render_annotated(analysis.dom(), annotation, &mut out);
    out.push_str("</div>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use sha2::Digest as _;

    #[test]
    fn the_policy_allows_the_style() {
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(STYLE));
        assert!(
            POLICY.contains(&format!("'sha256-{hash}'")),
            "POLICY must have sha256-{hash}"
        );
    }

    #[test]
    fn the_style_has_every_level() {
        for level in 0..=LEVELS {
            let rule = format!("#s{level}:target ~ .page {{ --least: {level}; }} .q{level} {{ --q: {level}; }}");
            assert!(STYLE.contains(&rule), "{rule}");
        }
    }
}
