//! Archives and HTTP responses through the package's public surface.
#![allow(clippy::unwrap_used)]

mod blanks;
mod check;
mod floods;
mod holes;
mod http_body;
mod http_head;
mod mend;
mod paths;
mod proof;
mod sources;
mod sweeps;
mod zip;

use dehusk_testing::{archives, codings};
