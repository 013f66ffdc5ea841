//! Damage and hostility, one test a fault: what is read, what is lost, and what the program says about it.
//! `docs/faults.md` lists the faults with the names of these tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/archives/mod.rs"]
mod archives;
#[path = "../support/checks/mod.rs"]
mod checks;
#[path = "../support/codings.rs"]
mod codings;
#[path = "../support/program/mod.rs"]
mod program;

mod arc;
mod charset;
mod gzip;
mod html;
mod http;
mod large;
mod process;
mod resources;
mod security;
mod tar;
mod warc;
mod zstd;
