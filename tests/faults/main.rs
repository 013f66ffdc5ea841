//! Damage and hostility, one test a fault: what is read, what is lost, and what the program reports. `README.md` lists
//! the faults, `index.txt` the names of these tests.
#![allow(clippy::unwrap_used)]

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

use dehusk_testing::{archives, checks, codings, program};
