//! The library's own surface, without the program.
#![allow(clippy::unwrap_used)]

mod comments;
mod damage;
mod encode;
mod metadata;
mod partial_file;
mod presets;
mod revisits;
mod run;
mod sink;
mod sources;

use dehusk_testing::program::make;
use dehusk_testing::{checks, documents};
