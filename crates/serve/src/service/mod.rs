//! The extraction service.
//!
//! - `pages`: the pages of a request
//! - `settings`: its parameters, and the rules that follow from them
//! - `extract` and `explain`: the answers
//! - `open_api`: the description of all that

mod explain;
mod extract;
mod open_api;
mod pages;
mod settings;

pub(crate) use explain::explain;
pub(crate) use extract::extract;
pub(crate) use open_api::open_api;
pub(crate) use settings::{MOST_OF_URL, RunRules, SettingsCache};
