//! The document: the text and the metadata of one page.
//!
//! [`FIELDS`] lists every field of a [`Document`] with its name, type and meaning. The output formats, the shard readers
//! and the table in `docs/documents.md` all follow this list. The names, the types and the order are a contract with the
//! readers of datatrove, dolma and text-dedup: every key is present in every document and has one type. An unknown value
//! is `""`, `0` or `false`.
//!
//! - `schema`: the table of fields, and the structs that are made from it
//! - `field`: the types of the table's entries
//! - `form`: where in a text its lists, tables and code are
//! - `extracted_text`: the texts of further extractors
//! - `size`: what a document takes in memory

mod extracted_text;
mod field;
mod form;
mod schema;
mod size;

pub use extracted_text::ExtractedText;
pub use field::{Field, FieldError, FieldType, FieldValue};
pub(crate) use form::Form;
pub use schema::{Document, FIELDS, Metadata, SCHEMA_VERSION};
pub(crate) use size::size_in_memory;
