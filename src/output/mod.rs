//! Documents to files: the formats, their compression, and shards that appear only when they are whole.
//!
//! - [`jsonl`]: one document a line
//! - [`xml`]: `<documents>` of `<document>`
//! - [`compress`]: one independent frame or member for each chunk
//! - [`shard`]: an output file and its atomic commit

pub mod compress;
pub mod jsonl;
pub mod shard;
pub mod xml;

pub use compress::{Compression, Compressor};
pub use shard::{Shard, ShardError};
