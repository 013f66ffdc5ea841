//! Streams crawl archives and extracts the main content of their pages.
//!
//! The input is archives: WARC or ARC; plain, gzip, zstd or WACZ; damaged ones included. The output is one [`Document`]
//! for each page: the text of its main content, with metadata and provenance. Every record and every stored byte is
//! accounted for. The program `dehusk` is a thin layer over this library.
//!
//! # One page
//!
//! A [`Processor`] turns a page into its document, or returns [why there is none](Dropped):
//!
//! ```
//! # let html = b"<html lang=en><title>A walk</title>\
//! #     <p>We went out early in the morning, up the hill behind the village, and it rained until we were home.\
//! #     <p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.</html>";
//! use dehusk::{Config, Processor};
//!
//! let mut processor = Processor::new(&Config::default())?;
//! let document = processor.page(html, "https://blog.example/walk").expect("a document");
//! assert!(document.text.starts_with("We went out early in the morning"));
//! assert_eq!(document.metadata.title, "A walk");
//! # Ok::<(), dehusk::ConfigError>(())
//! ```
//!
//! # The records of an archive
//!
//! ```
//! use dehusk::Archive;
//!
//! let archive = Archive::open("docs/sample/sample.warc.gz")?;
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
//! # The documents of archives
//!
//! [`documents()`] reads any number of archives with all cores, and iterates over their documents in order:
//!
//! ```
//! use dehusk::Config;
//!
//! for document in dehusk::documents(&Config::default(), ["docs/sample/sample.warc.gz"])? {
//!     let document = document?;
//!     println!("{}\t{}", document.metadata.url, document.metadata.words);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run()`] writes them into a directory instead, as compressed files, with a [`Report`] of what became of every
//! record:
//!
//! ```no_run
//! use dehusk::Config;
//!
//! let config = Config::builder().extractors(["coreex"]).min_words(50).build()?;
//! let report = dehusk::run(&config, ["crawl.warc.gz", "more.warc.zst"], "out")?;
//! let ledger = &report.totals.ledger;
//! println!("{} of {} records became documents", ledger.emitted, ledger.framed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read_shard`] reads the documents of such a file back.
//!
//! # Your own destination for documents
//!
//! A [`DocumentSink`] takes the documents of a run instead of such files: a database, a queue, another format. The run
//! can still be resumed where it was stopped, and accounts for every record. `examples/own_sink.rs` is a whole one.
//!
//! ```
//! use dehusk::{Config, Document, DocumentSink, RunOptions};
//! use dehusk::report::ArchiveReport;
//! use dehusk::shards::{SinkArchive, SinkError};
//! use std::collections::BTreeMap;
//!
//! /// Counts the words of each archive.
//! #[derive(Default)]
//! struct Words {
//!     committed: BTreeMap<String, u64>,
//!     current: u64,
//! }
//!
//! impl DocumentSink for Words {
//!     fn name(&self) -> &str {
//!         "words"
//!     }
//!
//!     fn begin(&mut self, archive: &SinkArchive<'_>) -> Result<(), SinkError> {
//!         self.committed.remove(archive.name);
//!         self.current = 0;
//!         Ok(())
//!     }
//!
//!     fn document(&mut self, document: Document) -> Result<(), SinkError> {
//!         self.current += u64::from(document.metadata.words);
//!         Ok(())
//!     }
//!
//!     fn commit(&mut self, archive: &SinkArchive<'_>, _: &ArchiveReport) -> Result<(), SinkError> {
//!         self.committed.insert(archive.name.to_owned(), self.current);
//!         Ok(())
//!     }
//! }
//!
//! # let directory = tempfile::tempdir()?;
//! # let out = directory.path().join("out");
//! let mut words = Words::default();
//! let options = RunOptions::default().sink(&mut words);
//! let report = dehusk::run_with(&Config::default(), ["docs/sample/sample.warc.gz"], &out, options)?;
//! assert!(words.committed["sample"] > 1000 && report.totals.ledger.framed == 65);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The other packages
//!
//! `dehusk-archive` reads archives, `dehusk-html` decodes and parses pages, `dehusk-extract` holds the extractors, and
//! `dehusk-similarity` computes signatures of texts. Each can be used alone, and has more than is re-exported here.
#![deny(unsafe_code)]
// Printing panics when its reader is gone. The command line has its own functions for it.
#![warn(clippy::print_stderr, clippy::print_stdout)]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

// The records of archives.
pub use dehusk_archive::{Archive, ArchiveError, ByteSource, Record, Records};

// Settings.
pub use dehusk_engine::config::{self, Config, ConfigError};
pub use dehusk_extract::{Parameters, Preset, Value};

// A page to its document.
pub use dehusk_documents::document::{Document, Metadata};
pub use dehusk_engine::page::{Dropped, Page};
pub use dehusk_engine::processor::Processor;

// Extractors of your own, and why one keeps what it keeps.
pub use dehusk_extract::{Explanation, Extractor, PageContext, Selection};

// Many archives: an iterator over their documents, or a run that writes them into a directory.
pub use dehusk_documents::encode::{ShardReader, read_shard};
pub use dehusk_engine::input::ArchiveInput;
pub use dehusk_engine::pipeline::{Documents, Progress, Stop, documents};
pub use dehusk_engine::run::{DocumentSink, Report, RunError, RunOptions, forget, run, run_with};

/// The parts of archives: headers, options of reading, and what can be wrong with the bytes.
pub mod archive {
    pub use dehusk_archive::{
        ArchiveErrorKind, Bytes, DigestPolicy, Event, Fault, Format, Formats, Framing, Header, Note, Notes,
        OwnedRecord, Part, ReadOptions, RecordType, Skipped,
    };
}

/// The parts of extraction: the built-in presets, and what extractors make of one page.
pub mod extract {
    pub use dehusk_engine::analysis::{Analysis, Extraction};
    pub use dehusk_engine::explain;
    pub use dehusk_extract::strip::Strip;
    pub use dehusk_extract::view::View;
    pub use dehusk_extract::{
        COMPARATORS, DEFAULT_PRESET, ExplainedBlock, ExplainedNode, ExplainedPage, ExplainedSelection, NodeState,
        PRESETS, PageNode, ParameterError,
    };
    pub use dehusk_html::{Annotation, Dom, NodeId, TextForm, render_annotated};
}

/// The archives that are read, and the outcome of each.
pub mod input {
    pub use dehusk_engine::input::{
        InputError, InputState, Inputs, OpenedAt, RecordList, from_arguments, from_offsets, open_at,
    };
    pub use dehusk_engine::pipeline::{ArchiveOutcome, DocumentsError, PipelineError, ReadFailure};
}

/// The account of a run: what became of every record, by a closed list of reasons.
pub mod report {
    pub use dehusk_documents::store::{SeenEntry, SeenState, StoreError, StoreErrorKind};
    pub use dehusk_engine::ledger::{Counts, Failure, Imbalance, Ledger};
    pub use dehusk_engine::reason::{Failed, Filtered, Named, Note, Notes, PageFault, PageNote};
    pub use dehusk_engine::run::{
        ArchiveReport, ArchiveState, DirectoryError, DirectoryErrorKind, RunState, Timing, Totals,
    };
}

/// The fields of documents.
pub mod schema {
    pub use dehusk_documents::document::{
        ExtractedText, FIELDS, Field, FieldError, FieldGroup, FieldSet, FieldType, FieldValue, RunField, RunSchema,
        SCHEMA_VERSION,
    };
    pub use dehusk_documents::quality::QualityRule;
    pub use dehusk_engine::provenance::Provenance;
}

/// The files of documents, and places of your own for them.
pub mod shards {
    pub use dehusk_documents::encode::{
        Compression, EncodeError, OutputFormat, ShardError, ShardErrorKind, ShardPlace,
    };
    pub use dehusk_engine::pipeline::SinkError;
    pub use dehusk_engine::run::SinkArchive;

    /// Documents as Arrow record batches.
    #[cfg(feature = "arrow")]
    pub mod arrow {
        pub use dehusk_documents::encode::columns::{BatchReader, Columns, ReadError, schema};
    }
}
