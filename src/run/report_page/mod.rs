//! `report.html`: a page about a run for people, written when the run ends.
//!
//! - `recorder`: what is remembered while the run goes on
//! - `page`: the page

mod page;
mod recorder;

pub(in crate::run) use recorder::Recorder;
