//! `GET /inspector/blocks`: the blocks of a page, to mark them as content or not.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::marks::kept;
use super::source::{PARAMETERS, Source};
use crate::app::{App, Permit};
use crate::http::{Answer, Query, Refusal, answer};
use crate::workers::Worker;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::page::Dropped;
use dehusk_engine::provenance::record_id;
use dehusk_eval::marking::{self, Block};
use dehusk_eval::truth_file::Marked;

pub(crate) async fn blocks(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    app.marks()?;
    let rules = app.rules_of(&query)?;
    let source = Source::of_query(&app, &query)?;
    let Some((input, place)) = source.place() else {
        return Err(no_record());
    };
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let shown = source.visit(&shared, worker, &rules, |record, analysis| {
            let record = record.ok_or_else(no_record)?;
            let blocks = of_page(analysis)?;
            let archive = shared.inputs.archive(input);
            let id = record_id(record, archive.shard());
            let now = Marked::new(archive.display_name(), place.to_string(), blocks.len(), Vec::new());
            let kept = kept(&shared.marks()?.file(), &id, &now);
            Ok::<_, Refusal>(json!({
                "id": id,
                "blocks": blocks.iter().map(described).collect::<Value>(),
                "marked": kept,
            }))
        })??;
        Ok(answer(200, "application/json", shown.to_string()))
    };
    app.workers.run(permit, work).await?
}

/// The blocks of a page, with what the extractor that makes the text keeps of them.
fn of_page(analysis: Result<Option<&Analysis<'_, '_>>, Dropped>) -> Result<Vec<Block>, Refusal> {
    let analysis = analysis?.ok_or_else(no_blocks)?;
    let preset = analysis.extractions().next().ok_or_else(no_blocks)?.preset;
    Ok(marking::blocks(analysis.context(), preset))
}

/// A list takes less than an object: node, tag, level of the heading, words, whether it is kept, text.
fn described(block: &Block) -> Value {
    let kept = u8::from(block.is_kept);
    json!([block.node, block.tag, block.heading, block.words, kept, block.text])
}

/// A record that no extractor reads.
pub(super) fn no_blocks() -> Refusal {
    Refusal::new(422, "text", "the record is text already, so it has no blocks to mark")
}

pub(super) fn no_record() -> Refusal {
    let message = "a pasted page is no record of an archive, so no truth can name it; open a record to mark it";
    Refusal::new(422, "no_record", message)
}
