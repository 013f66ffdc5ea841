//! The document: the text and the metadata of one page.
//!
//! [`FIELDS`] lists every field of a [`Document`] with its name, type and meaning. The output formats, the shard
//! readers and the table in `docs/documents.md` all follow this list. The names, the types and the order are a contract
//! with the readers of datatrove, dolma and text-dedup: every key of a run's schema is present in each of its documents
//! and has one type. An unknown value is `""`, `0` or `false`; what was not computed is not there
//! ([`Document::fields`]).
//!
//! - `schema`: the table of fields, and the structs that are made from it
//! - `field`: access to the table's entries
//! - `field_set`: which fields a document has
//! - `value`: the types and values of fields
//! - `json`: a document as serde writes and reads it
//! - `run_schema`: the schema of a run, as `run.json` names it
//! - `form`: where in a text its lists, tables and code are
//! - `extracted_text`: the texts of further extractors
//! - `size`: what a document takes in memory

mod extracted_text;
mod field;
mod field_set;
mod form;
mod json;
mod run_schema;
mod schema;
mod size;
mod value;

pub use extracted_text::ExtractedText;
pub use field_set::{FieldGroup, FieldSet};
pub use form::Form;
pub use run_schema::{RunField, RunSchema};
pub use schema::{Document, FIELDS, Field, Metadata, SCHEMA_VERSION};
pub use size::size_in_memory;
pub use value::{FieldError, FieldType, FieldValue};
