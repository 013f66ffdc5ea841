//! Documents to files: the formats, their compression, and shards that appear only when they are whole.
//!
//! - [`jsonl`]: one document a line
//! - [`xml`]: `<documents>` of `<document>`
//! - [`compress`]: one independent frame or member for each chunk
//! - [`partial_file`]: an output file that appears under its name only when it is whole

pub mod compress;
pub mod jsonl;
pub mod partial_file;
pub mod xml;

pub use compress::{Compression, Compressor};
pub use partial_file::{PartialFile, WriteError};
