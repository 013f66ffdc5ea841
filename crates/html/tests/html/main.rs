//! The package through its public surface.
#![allow(clippy::unwrap_used)]

mod annotated;
mod charset;
mod encodings;
mod footnotes;
mod form;
mod hostile;
mod markdown;
mod posts;
mod properties;
mod tree_rules;

use dehusk_testing::checks;
