//! `dehusk eval` and its measures.

mod command;
mod features;
mod nodes;
mod parts;
mod truth;
