//! The schema of a run, as `run.json` names it.

use serde::{Deserialize, Serialize};

use super::extracted_text::ExtractedText;
use super::field_set::FieldSet;
use super::schema::SCHEMA_VERSION;

/// The keys of a run's documents, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSchema {
    /// Number of the schema; see [`SCHEMA_VERSION`].
    pub number: u32,
    /// The keys with their types.
    pub fields: Vec<RunField>,
}

/// A key of a run's documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunField {
    /// The path of the key, such as `metadata.url`.
    pub key: String,
    /// The name of its type: `string`, `instant`, `whole number`, `number` or `boolean`.
    #[serde(rename = "type")]
    pub field_type: String,
}

impl RunSchema {
    /// The schema of documents that have these fields, and the texts of these further extractors.
    #[doc(hidden)]
    pub fn new(fields: FieldSet, extractors: &[String]) -> Self {
        let fields = fields.iter().map(|field| RunField {
            key: field.key(),
            field_type: field.field_type().name().to_owned(),
        });
        let mut extractors: Vec<&String> = extractors.iter().collect();
        extractors.sort();
        let texts = extractors.into_iter().map(|name| RunField {
            key: format!("{}{name}", ExtractedText::PREFIX),
            field_type: "string".to_owned(),
        });
        Self {
            number: SCHEMA_VERSION,
            fields: fields.chain(texts).collect(),
        }
    }
}
