//! Streams crawl archives and takes the main content out of their pages.
//!
//! An archive (WARC or ARC; plain, gzip or zstd) comes in; every page in it goes out as one document: the text of its
//! main content with metadata and provenance. Every record and every stored byte is accounted for. The program
//! `dehusk` is a thin layer over this library, which has three uses.
//!
//! One page to its document, or to the [reason](page::Dropped) why there is none:
//!
//! ```
//! # let html = b"<html lang=en><title>A walk</title><nav><a href=/>Home</a></nav><p>We went out, and it rained.</p></html>";
//! let mut processor = dehusk::Processor::new(&dehusk::Config::default())?;
//! let document = processor.page(html, "https://blog.example/walk").expect("a document");
//! assert_eq!(document.text, "We went out, and it rained.");
//! # Ok::<(), dehusk::config::ConfigError>(())
//! ```
//!
//! The records of an archive, damaged ones included:
//!
//! ```no_run
//! let archive = dehusk::archive::Archive::open("crawl.warc.gz")?;
//! let mut records = archive.records();
//! while let Some(record) = records.next_record() { println!("{} {}", record.offset, record.header.url()); }
//! # Ok::<(), dehusk::archive::ArchiveError>(())
//! ```
//!
//! A run over archives into a directory, with all threads, and its account:
//!
//! ```no_run
//! let config = dehusk::Config::from_file("pipeline.toml".as_ref())?;
//! let report = dehusk::run(&config, &["crawl/".into(), "more.warc.zst".into()], "out".as_ref())?;
//! let ledger = &report.totals.ledger;
//! println!("{} of {} records became documents", ledger.emitted, ledger.framed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map of the house
//!
//! In the order in which data go through it; `docs/architecture.md` tells more.
//!
//! - [`archive`]: stored bytes to records, and what to do where they do not fit
//! - [`http`]: an HTTP response's head, and its body with the codings undone
//! - [`charset`]: bytes to text
//! - [`page`]: a record to a page, or the reason why not
//! - [`provenance`]: where a page comes from
//! - [`dom`]: the page's tree as flat arrays; its counts; rendering to text and XHTML
//! - [`strip`]: which parts of a tree are left out of a view
//! - [`extract`]: a view to the selection of its main content
//! - [`metadata`]: what a page says of itself
//! - [`document`]: the output of one page
//! - [`processor`]: a page to its document, by way of the rooms above
//! - [`encode`]: documents to JSONL or XML and back, compressed, in shards that appear when they are whole
//! - [`reason`]: the closed lists of reasons and notes
//! - [`ledger`]: what became of every record and byte
//! - [`config`]: what can be configured, and the rules that workers see
//! - [`pipeline`]: readers, workers and the writer; batches, permits, order
//! - [`mod@run`]: one execution over a list of archives, and its directory
//! - [`eval`]: how good extractors are on pages with known truth
//! - [`escape`]: making text from archives safe to print
//! - [`cli`]: the command line
#![deny(unsafe_code)]
// Both panic where nobody can read them; the command line has its own ways.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod document;
pub mod encode;
pub mod eval;
pub mod input;
pub mod ledger;
pub mod metadata;
pub mod page;
pub mod pipeline;
pub mod processor;
pub mod provenance;
pub mod reason;
pub mod run;

pub use dehusk_archive as archive;
pub use dehusk_archive::{escape, http};
pub use dehusk_extract as extract;
pub use dehusk_extract::strip;
pub use dehusk_html::{charset, dom};

pub use config::Config;
pub use pipeline::{Documents, DocumentsError, documents};
pub use processor::Processor;
pub use run::run;
