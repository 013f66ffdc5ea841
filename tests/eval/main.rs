//! `dehusk eval` and the measures behind it.
#![allow(clippy::unwrap_used)]

#[path = "../support/corpus.rs"]
mod corpus;
#[path = "../support/program/mod.rs"]
mod program;

mod command;
mod nodes;
mod truth;
