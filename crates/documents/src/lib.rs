//! Documents: their fields, the quality of their texts, and the files that hold them.
//!
//! - [`condition`]: conditions on a document's fields, such as `words >= 50`
//! - [`document`]: the text and the metadata of one page, and the schema that every format follows
//! - [`encode`]: documents as JSONL, XML, Parquet and SQLite; shards, which hold them; reading shards back
//! - [`quality`]: signals of a text's quality, and rules over them
//! - [`record_index`]: indexes of records in Parquet
//! - [`store`]: the embedded store: what lasts from run to run
//! - [`folder`]: an open folder, in which files are found by name
//! - [`bounded`], [`clock`], [`hashes`], [`in_use`], [`local`], [`suggestion`], [`mod@unreachable`]: small helpers

pub mod bounded;
pub mod clock;
pub mod condition;
pub mod document;
pub mod encode;
pub mod folder;
pub mod hashes;
pub mod in_use;
pub mod local;
pub mod quality;
pub mod record_index;
pub mod signatures;
pub mod store;
pub mod suggestion;
pub mod unreachable;
