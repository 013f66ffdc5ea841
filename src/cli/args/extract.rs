//! The arguments of `dehusk extract`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::shared::{ExtractorArgs, FileArgs};
use dehusk_engine::config::TextKind;

const EXTRACT_EXAMPLES: &str = "\
Examples:
  dehusk extract page.html
  dehusk extract page.html --format json --url https://example.org/page
  curl -s https://example.org/ | dehusk extract - --format html
  dehusk extract pages/ more.html > documents.jsonl

One page is a file or -; an error in it ends the program. Several pages, or a
directory, are written as they are read: json (the default) has one document on
each line, text ends each with a form feed on a separate line, xml is one file,
and html is for one page only. An error in one of them is reported, and the
others are written. Pages can be compressed (.gz, .zst).

Exit status:
  0    every page was read; pages that a rule leaves out are reported
  1    a page could not be read, or the only page gave no document
  2    wrong usage or configuration
  3    pages were damaged or beyond a limit";

#[derive(Debug, Parser)]
#[command(after_help = EXTRACT_EXAMPLES)]
pub(in crate::cli) struct ExtractArgs {
    /// The pages: files, directories of .html, .htm and .xhtml files, - for standard input
    #[arg(required = true, value_name = "PAGE.html")]
    pub(in crate::cli) pages: Vec<PathBuf>,

    /// What to print [default: text for one page, json for several]
    #[arg(short, long, value_enum)]
    pub(in crate::cli) format: Option<ExtractFormat>,

    /// What the text holds [default: plain]
    #[arg(long, value_name = "plain|markdown")]
    pub(in crate::cli) text: Option<TextKind>,

    /// Instead of the content, show which nodes were kept, their scores and the rules that decided (one page; --format
    /// text or json)
    #[arg(long)]
    pub(in crate::cli) explain: bool,

    /// URL of the page, for the document's metadata (one page only)
    #[arg(long, default_value = "")]
    pub(in crate::cli) url: String,

    /// Extract with this preset [default: fusion]
    #[arg(short, long, value_name = "NAME")]
    pub(in crate::cli) extractor: Option<String>,

    #[command(flatten)]
    pub(in crate::cli) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,

    /// Parse the page as the HTML specification says (slower)
    #[arg(long)]
    pub(in crate::cli) normalize: bool,
}

/// The output formats of `extract`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ExtractFormat {
    /// The text, with a blank line between paragraphs
    Text,
    /// The main content with its structure, as an XHTML document
    Html,
    /// The document as a line of JSON
    Json,
    /// The document as an XML file
    Xml,
}
