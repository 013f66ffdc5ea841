//! The common part of requests about the marks of a page.

use std::sync::Arc;

use super::place::Place;
use super::source::{PARAMETERS, Source};
use crate::http::{Query, Refusal};
use crate::state::App;
use dehusk_engine::config::Rules;
use dehusk_eval::truth_file::{Marked, TruthFile};

/// The page that a request names: a record, because no truth can name a pasted page.
pub(super) struct MarkTarget {
    pub(super) source: Source,
    pub(super) rules: Arc<Rules>,
    /// The number of its archive, and its place there.
    pub(super) input: usize,
    pub(super) place: Place,
}

impl MarkTarget {
    pub(super) fn of_query(app: &App, query: Option<&str>) -> Result<Self, Refusal> {
        let query = Query::parse(query, &PARAMETERS)?;
        app.marks()?;
        let rules = app.rules_of(&query)?;
        let source = Source::of_query(app, &query)?;
        let (input, place) = source.place().ok_or_else(no_record)?;
        Ok(Self {
            source,
            rules,
            input,
            place,
        })
    }
}

/// The blocks of a page that were marked as content, if they were marks of this record and it has as many blocks.
pub(super) fn kept(file: &TruthFile, record_id: &str, now: &Marked) -> Option<Vec<usize>> {
    let marked = file.find(record_id)?.marked.as_ref()?;
    (marked.blocks == now.blocks && marked.is_same_record(now)).then(|| marked.kept.clone())
}

/// A record that no extractor reads.
pub(super) fn no_blocks() -> Refusal {
    Refusal::new(422, "text", "the record is text already, so it has no blocks to mark")
}

pub(super) fn no_record() -> Refusal {
    let message = "a pasted page is no record of an archive, so no truth can name it; open a record to mark it";
    Refusal::new(422, "no_record", message)
}
