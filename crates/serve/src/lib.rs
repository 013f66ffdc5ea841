//! The server of `dehusk serve`: the extraction service and the inspector.
//!
//! - `server`: takes connections, and ends when it is asked to
//! - `routes`: the paths that are answered
//! - `service`: `/extract`, `/explain`, `/health`, `/metrics`, `/openapi.json`
//! - `inspector`: the pages in which people look at archives, and what these pages ask for
//! - `state`: what all requests share: the inputs, the settings, the marks, what bounds the work
//! - `workers`: the threads that work on pages
//! - `http`: requests and answers, and who may ask
//!
//! Each uses those below it, and none above it.
//!
//! One thread runs all connections. It never works on a page, so the server answers at once how busy the workers are.

#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod error;
mod http;
mod inspector;
mod metrics;
mod options;
mod routes;
mod server;
mod service;
mod state;
mod workers;

pub use error::ServeError;
pub use options::ServeOptions;
pub use server::{Server, Stop};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
