//! `dehusk eval` and its measures.

mod command;
mod features;
mod form;
mod nodes;
mod parts;
mod truth;
