//! `dehusk eval` and its measures.

mod command;
mod features;
mod figures;
mod form;
mod groups;
mod nodes;
mod papers;
mod parts;
mod truth;
