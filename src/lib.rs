//! Streams crawl archives and takes the main content out of their pages.
#![deny(unsafe_code)]

pub mod archive;
pub mod charset;
pub mod cli;
pub mod config;
pub mod document;
pub mod dom;
pub mod escape;
pub mod extract;
pub mod http;
pub mod ledger;
pub mod metadata;
pub mod output;
pub mod page;
pub mod pipeline;
pub mod processor;
pub mod reason;
pub mod run;
pub mod strip;

pub use config::Config;
pub use processor::Processor;
pub use run::run;
