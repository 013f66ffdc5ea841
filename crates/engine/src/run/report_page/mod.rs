//! `report.html`: a page about a run for people, written when the run ends.
//!
//! - `recorder` and `sample`: samples and observations of the active run
//! - `page`: the page
//! - `outcome`: how the run ended, and what failed in it
//! - `settings`: the settings of the run

mod outcome;
mod page;
mod recorder;
mod sample;
mod settings;

pub(in crate::run) use recorder::Recorder;
