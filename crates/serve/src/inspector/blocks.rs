//! `GET /inspector/blocks`: the blocks of a page, to mark them as content or not.

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::marking::{MarkTarget, kept, no_blocks, no_record};
use crate::http::{Answer, Refusal, answer};
use crate::state::{App, Permit};
use crate::workers::Worker;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::page::Dropped;
use dehusk_engine::provenance::record_id;
use dehusk_eval::marking::{self, Block, Layout};
use dehusk_eval::truth_file::Marked;

pub(crate) async fn blocks(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let target = MarkTarget::of_query(&app, request.uri().query())?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let shown = target
            .source
            .visit(&shared, worker, &target.rules, |record, analysis| {
                let record = record.ok_or_else(no_record)?;
                let (blocks, layout) = of_page(analysis)?;
                let archive = shared.inputs.archive(target.input);
                let id = record_id(record, archive.shard());
                let now = Marked::new(
                    archive.display_name(),
                    target.place.to_string(),
                    blocks.len(),
                    Vec::new(),
                );
                let kept = kept(&shared.marks()?.file(), &id, &now);
                let blocks = blocks.iter().map(|block| json!([block.words, u8::from(block.is_kept)]));
                let looks = layout.looks.iter().map(|look| json!([look.around, look.name]));
                let texts = layout
                    .texts
                    .iter()
                    .map(|text| json!([text.block, text.look, text.text]));
                // Lists take less than objects.
                Ok::<_, Refusal>(json!({
                    "id": id,
                    "blocks": blocks.collect::<Value>(),
                    "looks": looks.collect::<Value>(),
                    "texts": texts.collect::<Value>(),
                    "marked": kept,
                }))
            })??;
        Ok(answer(200, "application/json", shown.to_string()))
    };
    app.workers.run(permit, work).await?
}

/// The blocks of a page, with what the extractor that makes the text keeps of them, and how the page shows them.
fn of_page(analysis: Result<Option<&Analysis<'_, '_>>, Dropped>) -> Result<(Vec<Block>, Layout), Refusal> {
    let analysis = analysis?.ok_or_else(no_blocks)?;
    let preset = analysis.extractions().next().ok_or_else(no_blocks)?.preset;
    Ok(marking::blocks(analysis.context(), preset))
}
