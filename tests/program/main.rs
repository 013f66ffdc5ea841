//! The commands of the program, each run as a process of its own.
#![allow(clippy::unwrap_used)]

#[path = "../support/archives/mod.rs"]
mod archives;
#[path = "../support/program/mod.rs"]
mod program;
#[cfg(feature = "remote")]
#[path = "../support/server/mod.rs"]
mod server;
#[cfg(feature = "remote")]
#[path = "../support/server/tls.rs"]
mod tls;

mod cat;
mod cluster;
mod cluster_copy;
#[cfg(feature = "sqlite")]
mod cluster_database;
mod cluster_index;
mod config;
mod diff;
mod directory;
mod examples;
mod exit_status;
mod explain;
mod extract;
mod forget;
mod inputs;
mod inspect;
#[cfg(target_os = "linux")]
mod large_inputs;
mod model;
#[cfg(unix)]
mod nightly;
mod operations;
mod outputs;
mod pages;
mod presets;
mod quarantine;
mod redaction;
#[cfg(feature = "remote")]
mod remote;
mod rerun;
mod resume;
mod revisits;
mod run;
mod schema;
mod seen;
mod select;
mod signatures;
mod tar;
mod title;
mod topics;
mod unchanged;
mod watch;
