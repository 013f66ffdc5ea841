//! `dehusk eval` and the measures behind it.
#![allow(clippy::unwrap_used)]

#[path = "../support/program/mod.rs"]
mod program;

mod command;
mod features;
mod nodes;
mod parts;
mod truth;
