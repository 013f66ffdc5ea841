//! The arguments of `dehusk eval` and `dehusk features`, which read pages with known main content.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::shared::{ExtractorArgs, FileArgs, PageArgs, local_path};

const EVAL_EXAMPLES: &str = "\
Examples:
  dehusk eval --truth truth.jsonl.gz crawl.warc.gz --extractor all
  dehusk eval --truth t.jsonl crawl/ -e coreex,nce --by site -f csv -o sites.csv
  dehusk eval --truth t.jsonl crawl.warc.gz -e coreex-modern --worst 10
  dehusk eval --truth t.jsonl a.warc.gz --sweep coreex.threshold=0.5..0.9:0.1

Exit status:
  0    every line of truth has a page
  1    an archive or the truth could not be read, or no line of truth has a page
  2    wrong usage or configuration
  3    some lines of truth have no page, or records failed";

#[derive(Debug, Parser)]
#[command(after_help = EVAL_EXAMPLES)]
pub(in crate::cli) struct EvalArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// The known main content: JSONL with record_id and text, plain, gzip or zstd; repeat it for more files
    #[arg(long, required = true, value_name = "FILE")]
    pub(in crate::cli) truth: Vec<PathBuf>,

    /// Group pages by these [default: all,language,page-type; with several truth files also truth]
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    pub(in crate::cli) by: Vec<EvalBy>,

    /// Take these measures [default: all but parts and steps]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(in crate::cli) metrics: Vec<EvalMetric>,

    /// Add a row for every page
    #[arg(long)]
    pub(in crate::cli) per_page: bool,

    /// Add the N worst pages of every extractor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(in crate::cli) worst: usize,

    /// Try a range of values for a parameter, each as an extractor of its own; repeat it for more
    #[arg(long, value_name = "PRESET.PARAM=FROM..TO:STEP")]
    pub(in crate::cli) sweep: Vec<String>,

    /// Draw the curves of the sweeps into an SVG file
    #[arg(long, value_name = "FILE", requires = "sweep", value_parser = local_path())]
    pub(in crate::cli) svg: Option<PathBuf>,

    /// Leave out lines of truth that have no page; otherwise they count as pages without output
    #[arg(long)]
    pub(in crate::cli) joined_only: bool,

    /// How to print the figures
    #[arg(short, long, value_enum, default_value = "text")]
    pub(in crate::cli) format: EvalFormat,

    /// Write the figures to a file [default: standard output]
    #[arg(short, long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) output: Option<PathBuf>,

    /// How many threads work at the same time; use 1 to compare times [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(in crate::cli) threads: Option<usize>,

    /// Measure these presets; `all` is every preset [default: fusion]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(in crate::cli) extractor: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(in crate::cli) pages: PageArgs,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,
}

/// What `eval` groups by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum EvalBy {
    /// All pages
    All,
    /// The truth file
    Truth,
    /// The language that the truth states
    Language,
    /// The type of page that the truth states
    PageType,
    /// The host
    Site,
}

/// What `eval` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum EvalMetric {
    /// Bags of words
    Bag,
    /// Words in order: the longest common subsequence
    Lcs,
    /// Nodes of the page
    Nodes,
    /// Nodes, weighted by their words
    Text,
    /// Correct, wrong or missed
    Verdict,
    /// Time per page
    Time,
    /// Title, author and comments, body lost, relevant share of the whole page
    Parts,
    /// Steps of ECON's backtracking
    Steps,
}

/// How `eval` prints figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum EvalFormat {
    /// Aligned columns
    Text,
    /// Markdown tables
    Markdown,
    /// One table, with a row for each group (or page) and extractor
    Csv,
    /// One object; it also lists the lines of truth that have no page
    Json,
}

const FEATURES_EXAMPLES: &str = "\
Examples:
  dehusk features --truth truth.jsonl.gz crawl.warc.gz -o features/";

#[derive(Debug, Parser)]
#[command(after_help = FEATURES_EXAMPLES)]
pub(in crate::cli) struct FeaturesArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// The known main content: JSONL with record_id and text, plain, gzip or zstd; repeat it for more files
    #[arg(long, required = true, value_name = "FILE")]
    pub(in crate::cli) truth: Vec<PathBuf>,

    /// Directory to write to
    #[arg(short, long, value_name = "DIR", value_parser = local_path())]
    pub(in crate::cli) out: PathBuf,

    /// Replace features that the directory holds already
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,

    #[command(flatten)]
    pub(in crate::cli) config: FileArgs,
}
