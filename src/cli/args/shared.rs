//! Arguments that several commands have.
//!
//! The first paragraph of an argument's documentation is what `-h` shows, and `--help` shows all of it. What few people
//! need is hidden in `-h`, so that the flags of `run` fit a screen.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PathBufValueParser, TypedValueParser};

use dehusk_documents::local;
use dehusk_documents::quality;
use dehusk_engine::config::{Comments, Wish};

/// The parser of a path that is written to. It refuses an address.
pub(super) fn local_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match local::remedy(&path) {
        Some(remedy) => Err(format!("it {remedy}")),
        None => Ok(path),
    })
}

/// The groups that `--help` lists flags in.
pub(in crate::cli) mod heading {
    pub(in crate::cli) const INPUT: &str = "Input";
    pub(in crate::cli) const EXTRACTION: &str = "Extraction";
    pub(in crate::cli) const SELECTION: &str = "Selection";
    pub(in crate::cli) const OUTPUT: &str = "Output";
    pub(in crate::cli) const EARLIER_RUNS: &str = "Earlier runs";
    pub(in crate::cli) const WORK: &str = "Threads and messages";
    pub(in crate::cli) const CONFIGURATION: &str = "Configuration";
}

/// The long help of `--quality`.
fn quality_help() -> String {
    format!(
        "Keep only documents that meet these rules, such as gopher,\"words >= 50\" [default: none]\n\n\
         A rule is a preset or a bound: NUMBER >= LIMIT or NUMBER <= LIMIT. The presets are {}. The numbers are {}.",
        quality::presets().collect::<Vec<_>>().join(", "),
        quality::numbers().collect::<Vec<_>>().join(", ")
    )
}

/// A configuration file and settings over it.
#[derive(Debug, Default, Parser)]
#[command(next_help_heading = heading::CONFIGURATION)]
pub(in crate::cli) struct FileArgs {
    /// Read a configuration file
    ///
    /// Flags take precedence over it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,

    /// Set a key of the configuration
    ///
    /// Such as limits.page_bytes=1000000. docs/configuration.md lists the keys.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(in crate::cli) settings: Vec<String>,
}

/// How the extractors do their work.
#[derive(Debug, Default, Parser)]
#[command(next_help_heading = heading::EXTRACTION)]
pub(in crate::cli) struct ExtractorArgs {
    /// Use this model file for the learned extractors
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) model: Option<String>,

    /// What to do with comments [default: auto]
    ///
    /// Keep readers' comments in the text, drop them, put them into the field `comments`, or (auto) keep them only
    /// where they are the content, as in forums.
    #[arg(long, value_name = "auto|keep|drop|separate")]
    pub(in crate::cli) comments: Option<Comments>,
}

/// The configuration of `run` and `inspect`.
#[derive(Debug, Default, Parser)]
pub(in crate::cli) struct ConfigArgs {
    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,

    /// Extract with these presets [default: fusion]
    ///
    /// The first fills `text`, each further one adds a field `text_NAME`.
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', help_heading = heading::EXTRACTION)]
    pub(in crate::cli) extractor: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(in crate::cli) pages: PageArgs,

    /// Keep texts with at least N words
    ///
    /// The default is 0.
    #[arg(long, value_name = "N", help_heading = heading::SELECTION)]
    pub(in crate::cli) min_words: Option<u32>,

    /// Keep texts in these languages
    ///
    /// Such as en or zh-Hant. The default is all.
    #[arg(long, value_name = "TAG,...", value_delimiter = ',', help_heading = heading::SELECTION)]
    pub(in crate::cli) languages: Vec<String>,

    /// Drop pages that have one of these wishes
    ///
    /// The wishes are noindex, noarchive, nosnippet, noai, noimageai and tdm. A page states them in `meta` elements,
    /// its server in the HTTP head. The default is none.
    #[arg(long, value_name = "WISH,...", value_delimiter = ',', hide_short_help = true,
        help_heading = heading::SELECTION)]
    pub(in crate::cli) respect: Vec<Wish>,

    /// Keep texts by gopher, c4, fineweb, bounds
    #[arg(long, value_name = "RULE,...", value_delimiter = ',', long_help = quality_help(),
        help_heading = heading::SELECTION)]
    pub(in crate::cli) quality: Vec<String>,
}

/// Which records are pages, and how they are parsed.
#[derive(Debug, Default, Parser)]
#[command(next_help_heading = heading::SELECTION)]
pub(in crate::cli) struct PageArgs {
    /// Parse pages as the HTML specification says (slower)
    #[arg(long, hide_short_help = true, help_heading = heading::EXTRACTION)]
    pub(in crate::cli) normalize: bool,

    /// Keep only records of these types [default: response,resource]
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', hide_short_help = true)]
    pub(in crate::cli) record_type: Vec<String>,

    /// Keep only these HTTP statuses: numbers, or classes such as 2xx [default: 200]
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', hide_short_help = true)]
    pub(in crate::cli) status: Vec<String>,

    /// Keep only these MIME types [default: text/html,application/xhtml+xml]
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', hide_short_help = true)]
    pub(in crate::cli) mime: Vec<String>,

    /// Keep URLs that match this expression
    ///
    /// A regular expression, which can match anywhere in the URL; repeat it for alternatives.
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) url_include: Vec<String>,

    /// Drop URLs that match this expression
    ///
    /// As for --url-include; repeat it for more.
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) url_exclude: Vec<String>,

    /// Keep only pages of the hosts in this file
    ///
    /// One host or domain on each line, with its subdomains; repeat it for more files.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) hosts_from: Vec<String>,

    /// Drop pages of the hosts in this file
    ///
    /// As for --hosts-from.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(in crate::cli) drop_hosts_from: Vec<String>,
}

/// Parses a similarity. The commands check its range.
pub(super) fn similarity(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| "is no number above 0 and at most 1, such as 0.8".to_owned())
}
