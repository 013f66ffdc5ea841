//! The package through its public surface.
#![allow(clippy::unwrap_used)]

#[path = "../../../../tests/support/checks/mod.rs"]
mod checks;

mod charset;
mod encodings;
mod form;
mod hostile;
mod markdown;
mod properties;
mod tree_rules;
