//! The commands of the program, each run as a process of its own.
#![allow(clippy::unwrap_used)]

mod beginner;
mod cat;
mod check;
mod cluster;
mod cluster_copy;
mod cluster_index;
mod config;
mod diff;
mod directory;
mod drift;
mod eval;
#[cfg(unix)]
mod examples;
mod exit_status;
mod explain;
mod extract;
mod fallback;
mod forget;
mod hosts;
mod index;
mod inputs;
mod inspect;
mod languages;
#[cfg(target_os = "linux")]
mod large_inputs;
mod mend;
mod model;
#[cfg(unix)]
mod nightly;
mod offsets;
mod operations;
mod outputs;
mod pages;
#[cfg(target_os = "linux")]
mod parts;
#[cfg(unix)]
mod pictures;
mod plain_text;
mod presets;
mod quarantine;
mod records;
mod records_out;
mod redaction;
mod rerun;
mod resume;
mod revisits;
mod rights;
mod run;
mod search;
mod seen;
mod select;
mod signatures;
mod sites;
mod tar;
mod title;
mod topics_index;
mod unchanged;
mod wacz;
mod watch;

use dehusk_testing::{archives, program};
