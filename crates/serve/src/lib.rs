//! The server of `dehusk serve`: the extraction service and the inspector.
//!
//! - `server`: takes connections, and ends when it is asked to
//! - `http`: requests and answers, and who may ask
//! - `app`: the routes, and what bounds their work
//! - `workers`: the threads that work on pages
//! - `service`: `/extract`, `/explain`, `/health`, `/metrics`, `/openapi.json`
//! - `inspector`: the pages in which people look at archives, and what these pages ask for
//!
//! One thread runs all connections. It never works on a page, so the server answers at once how busy the workers are.

#![forbid(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod app;
mod http;
mod inspector;
mod metrics;
mod options;
mod server;
mod service;
mod workers;

pub use options::ServeOptions;
pub use server::{ServeError, Server, Stop};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
