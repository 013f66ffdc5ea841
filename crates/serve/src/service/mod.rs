//! The extraction service.
//!
//! - `pages`: the pages of a request
//! - `extract` and `explain`: the answers
//! - `open_api`: the description of all that

mod explain;
mod extract;
mod open_api;
mod pages;

pub(crate) use explain::explain;
pub(crate) use extract::extract;
pub(crate) use open_api::open_api;
