//! Reads the records of crawl archives: WARC and ARC; plain, gzip or zstd, or stored in a ZIP file (WACZ); damaged ones
//! included.
//!
//! An [`Archive`] is opened from a file, from any [`ByteSource`], or from a stream. Its bytes, never its name, decide
//! its [`Format`]. [`Archive::records`] gives its records one after the other; where the archive is damaged, it also
//! gives the ranges that were skipped, so that every stored byte is accounted for. [`window`] cuts an archive into
//! windows that several threads can read at a time.
//!
//! ```no_run
//! let archive = dehusk_archive::Archive::open("crawl.warc.gz")?;
//! let mut records = archive.records();
//! while let Some(record) = records.next_record() {
//!     println!("{} {}", record.offset, record.header.url());
//! }
//! // The records also end where reading fails.
//! if let Some(error) = records.take_error() {
//!     return Err(error.into());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way through this folder: `bytes/` holds stored bytes; `detect` recognises what they are; `unit/` decodes gzip
//! members and zstd frames; `decoded` remembers where decoded bytes came from and books every stored byte; `reader`
//! frames records by the rules of `framing` and `header` (`plausible` doubts values), and `tar/` those of tar files;
//! `recover` takes over where they do not fit; `http` reads the response in a record's block. `check/` finds the rules
//! of the standards that an archive breaks, `mend/` rebuilds its records so that they keep to them, `index/` lists
//! where they are, `copy` writes some of them into another archive.
#![deny(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod arc;
mod archive;
mod bytes;
#[doc(hidden)]
pub mod calendar;
mod careful;
pub mod check;
pub mod copy;
mod decoded;
mod detect;
mod digest;
mod error;
#[doc(hidden)]
pub mod escape;
mod fault;
mod format;
mod formats;
mod framing;
mod header;
pub mod http;
pub mod index;
pub mod mend;
mod plausible;
mod reader;
mod record;
mod record_type;
mod recover;
#[doc(hidden)]
pub mod redact;
mod tar;
mod unit;
mod view;
pub mod window;
mod zip;

pub use arc::ArcFields;
pub use archive::Archive;
#[cfg(unix)]
pub use bytes::sigbus;
pub use bytes::{ByteSource, FileSource, MappedFile, Part, is_stream};
pub use decoded::{Bytes, Skipped};
pub use digest::DigestPolicy;
pub use error::{ArchiveError, ArchiveErrorKind};
#[doc(hidden)]
pub use fault::write_names;
pub use fault::{Fault, Note, Notes};
pub use format::{Container, Format, RECORD_LIMIT, ReadOptions};
pub use formats::Formats;
pub use framing::Framing;
pub use header::Header;
pub use reader::{Event, Records};
pub use record::{BufferedRecord, OwnedRecord, Record};
pub use record_type::RecordType;
#[doc(hidden)]
pub use unit::zstd::is_zstd;
pub use unit::zstd::{DICTIONARY_LIMIT, WINDOW_LIMIT};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
