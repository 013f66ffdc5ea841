//! The share of template in each document, as `template.jsonl` beside the clusters.

use std::path::Path;

use serde::Serialize;

use super::error::ClusterError;
use super::write::TEMPLATE;
use crate::readback::Account;
use crate::results::Results;
use dehusk_documents::document::Document;
use dehusk_documents::store::StoreError;

/// How many words of a document other pages of its host hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TemplateWords {
    /// Other pages that are known of the host.
    pub known: u32,
    /// Words of the document.
    pub words: u32,
    /// Those of lines that at least two of the other pages hold.
    pub repeated: u32,
}

/// The sums of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateSummary {
    /// Documents of a host of which other pages are known.
    pub known: u64,
    /// Those of which at least half is template.
    pub mostly: u64,
}

#[derive(Serialize)]
struct TemplateLine<'d> {
    id: &'d str,
    #[serde(flatten)]
    words: TemplateWords,
}

/// Writes how much of the documents of runs is template, a line for each document of whose host other pages are known,
/// to the directory of their clusters. `count` returns it for a document.
///
/// # Errors
/// A run cannot be read to its end, `count` fails, or writing fails.
pub fn write_template(
    runs: &[Account],
    directory: &Path,
    overwrite: bool,
    mut count: impl FnMut(&Document) -> Result<Option<TemplateWords>, StoreError>,
) -> Result<TemplateSummary, ClusterError> {
    let results = Results::within(directory, overwrite);
    let mut lines = results.json_lines(TEMPLATE)?;
    let mut summary = TemplateSummary::default();
    for shard in runs.iter().flat_map(Account::all_shards) {
        for document in shard.read()? {
            let document = document?;
            let Some(words) = count(&document)? else {
                continue;
            };
            summary.known += 1;
            summary.mostly += u64::from(words.repeated > 0 && 2 * words.repeated >= words.words);
            lines.add(&TemplateLine {
                id: &document.id,
                words,
            })?;
        }
    }
    lines.commit()?;
    Ok(summary)
}
