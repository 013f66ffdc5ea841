//! Every extractor on small pages that were worked out by hand.
#![allow(clippy::unwrap_used)]

mod support;

mod cetd;
mod cetd_odd;
mod cetd_presets;
mod comparators;
mod contentex;
mod contentex_filters;
mod coreex;
mod departures;
mod econ;
mod explained;
mod naive;
mod nce;
mod nce_phases;
mod whole;
