//! What the tests of extractors share. Each uses its part.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

pub mod documented;
pub mod outcome;
