//! From archives to documents: configuration, inputs, pages, threads, runs, and the account of every record and byte.
//!
//! - [`config`]: defaults, `pipeline.toml` and settings as layers, and the rules that workers see
//! - [`input`]: the archives to read; the one place that opens them
//! - [`host_lists`]: hosts whose pages are kept or left out; [`languages`]: the sources of a document's language
//! - [`page`], [`provenance`], [`revisit`]: a record → a page, or the reason why not; where the page came from
//! - [`processor`], [`analysis`], [`explain`], [`title`], [`signatures`], [`page_format`]: a page → its document
//! - [`sites`]: what the pages of a site share
//! - [`ledger`], [`reason`]: the account, and its closed lists of reasons
//! - [`pipeline`]: the threads
//! - [`run`]: one execution over a list of archives, into a directory

pub mod analysis;
pub mod config;
pub mod explain;
pub mod host_lists;
pub mod input;
pub mod languages;
pub mod ledger;
pub mod memory;
pub mod page;
pub mod page_format;
pub mod pipeline;
mod post_dates;
pub mod processor;
pub mod provenance;
pub mod reason;
pub mod records_out;
pub mod revisit;
mod robots;
pub mod run;
pub mod signatures;
pub mod sites;
pub mod title;
