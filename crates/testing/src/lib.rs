//! Code that the tests of all packages share.
#![allow(clippy::unwrap_used, missing_docs)]

pub mod archives;
pub mod checks;
pub mod codings;
pub mod corpus;
pub mod documents;
mod kept;
pub mod members;
pub mod program;
pub mod server;

/// The root of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
