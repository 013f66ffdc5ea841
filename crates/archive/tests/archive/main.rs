//! Archives and HTTP responses through the package's public surface.
#![allow(clippy::unwrap_used)]

#[path = "../../../../tests/support/archives/mod.rs"]
mod archives;
#[path = "../../../../tests/support/codings.rs"]
mod codings;

mod blanks;
mod floods;
mod holes;
mod http_body;
mod http_head;
mod paths;
mod proof;
mod sources;
mod sweeps;
mod zip;
