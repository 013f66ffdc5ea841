//! Arguments that several commands have.

use std::path::PathBuf;

use clap::Parser;

use crate::config::Comments;

/// A configuration file and settings over it.
#[derive(Debug, Default, Parser)]
pub(in crate::cli) struct FileArgs {
    /// Read a configuration file; flags take precedence over it
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,

    /// Set a key of the configuration, such as limits.page_bytes=1000000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(in crate::cli) settings: Vec<String>,
}

/// How the extractors do their work.
#[derive(Debug, Default, Parser)]
pub(in crate::cli) struct ExtractorArgs {
    /// Let the learned extractors use this model file
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) model: Option<String>,

    /// What to do with readers' comments: keep them in the text, drop them, put them into the field `comments`, or keep them
    /// only where they are the content, as in forums [default: auto]
    #[arg(long, value_name = "auto|keep|drop|separate")]
    pub(in crate::cli) comments: Option<Comments>,
}

/// The configuration of `run` and `inspect`.
#[derive(Debug, Default, Parser)]
pub(in crate::cli) struct ConfigArgs {
    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,

    /// Extract with these presets: the first fills `text`, each further one adds `text_NAME` [default: fusion]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(in crate::cli) extractor: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(in crate::cli) pages: PageArgs,

    /// Keep only documents with at least this many words [default: 0]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) min_words: Option<u32>,

    /// Keep only documents in these languages, such as en or zh-Hant [default: all]
    #[arg(long, value_name = "TAG,...", value_delimiter = ',')]
    pub(in crate::cli) languages: Vec<String>,

    /// Keep only documents that keep to these rules: gopher, c4, fineweb, or bounds such as "words >= 50" [default: none]
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    pub(in crate::cli) quality: Vec<String>,
}

/// Which records are pages, and how they are parsed.
#[derive(Debug, Default, Parser)]
pub(in crate::cli) struct PageArgs {
    /// Parse pages as the HTML specification says (slower)
    #[arg(long)]
    pub(in crate::cli) normalize: bool,

    /// Keep only records of these types [default: response,resource]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(in crate::cli) record_type: Vec<String>,

    /// Keep only these HTTP statuses: numbers, or classes such as 2xx [default: 200]
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub(in crate::cli) status: Vec<String>,

    /// Keep only these MIME types [default: text/html,application/xhtml+xml]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(in crate::cli) mime: Vec<String>,

    /// Keep only URLs that match this regular expression; repeat it for alternatives
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) url_include: Vec<String>,

    /// Drop URLs that match this regular expression; repeat it for more
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) url_exclude: Vec<String>,
}
