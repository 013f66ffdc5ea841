//! The arguments of `dehusk eval` and `dehusk features`, which read pages with known main content.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::shared::{ExtractorArgs, FileArgs, PageArgs, local_path};
use dehusk_eval::Metric;
use dehusk_eval::papers::PAPERS;
use dehusk_eval::report::GroupBy;
use dehusk_eval::table::TableFormat;

const EVAL_EXAMPLES: &str = "\
Examples:
  dehusk eval --truth truth.jsonl.gz crawl.warc.gz --extractor all
  dehusk eval --truth t.jsonl crawl/ -e coreex,nce --by site -f csv -o sites.csv
  dehusk eval --truth t.jsonl crawl.warc.gz -e coreex-modern --worst 10
  dehusk eval --truth t.jsonl a.warc.gz --sweep coreex.threshold=0.5..0.9:0.1
  dehusk eval --truth t.jsonl a.warc.gz --tables cetd -e fusion
  dehusk eval --clusters truth.tsv near/clusters.jsonl others.tsv
  dehusk eval --topics truth.jsonl news/assignments.jsonl

Exit status:
  0    every line of truth has a page; with --clusters and --topics, all files
       have the same documents
  1    an archive, the truth or a file could not be read, or nothing of it joins
  2    wrong usage or configuration
  3    some lines of truth have no page, or records failed; or some documents are
       in one file only, or no known topic has two documents in one language";

/// The options for how pages are read and measured. None goes with a grouping.
const OF_PAGES: [&str; 22] = [
    "by",
    "metrics",
    "per_page",
    "worst",
    "sweep",
    "tables",
    "svg",
    "figures",
    "extractor",
    "model",
    "comments",
    "normalize",
    "record_type",
    "status",
    "mime",
    "url_include",
    "url_exclude",
    "hosts_from",
    "drop_hosts_from",
    "config",
    "settings",
    "threads",
];

/// The choices of an option: name, value, help.
type Choices<T> = &'static [(&'static str, T, &'static str)];

const GROUPS: Choices<GroupBy> = &[
    ("all", GroupBy::All, "All pages"),
    ("truth", GroupBy::Truth, "The truth file"),
    ("language", GroupBy::Language, "The language in the truth"),
    ("page-type", GroupBy::PageType, "The type of page in the truth"),
    ("site", GroupBy::Site, "The host"),
];

const METRICS: Choices<Metric> = &[
    ("bag", Metric::Bag, "Bags of words"),
    ("lcs", Metric::Lcs, "Words in order: the longest common subsequence"),
    ("nodes", Metric::Nodes, "Nodes of the page"),
    ("text", Metric::Text, "Nodes, weighted by their words"),
    ("verdict", Metric::Verdict, "Correct, wrong or missed"),
    ("time", Metric::Time, "Time per page"),
    (
        "parts",
        Metric::Parts,
        "Title, author and comments, body lost, relevant share of the whole page",
    ),
    ("steps", Metric::Steps, "Steps of ECON's backtracking"),
    (
        "rouge",
        Metric::Rouge,
        "ROUGE-5 of Markdown; edit similarity of code, tables and formulas; TEDS",
    ),
    (
        "structure",
        Metric::Structure,
        "Headings, paragraphs, list items, code, table cells and quotes",
    ),
];

const FORMATS: Choices<TableFormat> = &[
    ("text", TableFormat::Text, "Aligned columns"),
    ("markdown", TableFormat::Markdown, "Markdown tables"),
    (
        "csv",
        TableFormat::Csv,
        "One table, with a row for each group (or page) and extractor",
    ),
    (
        "json",
        TableFormat::Json,
        "One object, also with the lines of truth that have no page",
    ),
];

/// Parses the name of a choice. The help lists all of them.
fn choice<T: Clone + Send + Sync>(choices: Choices<T>) -> impl TypedValueParser<Value = T> {
    let names = choices
        .iter()
        .map(|(name, _, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(|given| {
        let choice = choices.iter().find(|(name, ..)| given == *name);
        choice.map(|(_, value, _)| value.clone()).ok_or("no such choice")
    })
}

#[derive(Debug, Parser)]
#[command(after_help = EVAL_EXAMPLES)]
pub(in crate::cli) struct EvalArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input; or files of groups
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// The known main content: JSONL with record_id and text, plain, gzip or zstd; repeat it for more files
    #[arg(long, required_unless_present_any = ["clusters", "topics"], value_name = "FILE")]
    pub(in crate::cli) truth: Vec<PathBuf>,

    /// Score files of clusters against these known ones: lines of id and cluster, or clusters.jsonl
    #[arg(long, value_name = "TRUTH", conflicts_with_all = OF_PAGES, conflicts_with_all = ["truth", "topics"])]
    pub(in crate::cli) clusters: Option<PathBuf>,

    /// Score files of topics against these known ones: lines of id and topic, or assignments.jsonl
    #[arg(long, value_name = "TRUTH", conflicts_with_all = OF_PAGES, conflicts_with_all = ["truth"])]
    pub(in crate::cli) topics: Option<PathBuf>,

    /// Group pages by these [default: all,language,page-type; with several truth files also truth]
    #[arg(long, value_parser = choice(GROUPS), value_name = "KIND", value_delimiter = ',')]
    pub(in crate::cli) by: Vec<GroupBy>,

    /// Compute these measures [default: all except parts, steps, rouge and structure]
    #[arg(long, value_parser = choice(METRICS), value_name = "NAME", value_delimiter = ',')]
    pub(in crate::cli) metrics: Vec<Metric>,

    /// Add a row for every page
    #[arg(long)]
    pub(in crate::cli) per_page: bool,

    /// Add the N worst pages of every extractor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(in crate::cli) worst: usize,

    /// Try a range of values for a parameter, each as an extractor of its own; repeat it for more
    #[arg(long, value_name = "PRESET.PARAM=FROM..TO:STEP")]
    pub(in crate::cli) sweep: Vec<String>,

    /// Print the tables of these papers, with the figures of these pages beside theirs
    #[arg(
        long, value_parser = PossibleValuesParser::new(PAPERS), value_name = "PAPER", value_delimiter = ',',
        conflicts_with_all = ["by", "metrics", "per_page", "worst", "sweep"]
    )]
    pub(in crate::cli) tables: Vec<String>,

    /// Draw the curves of the sweeps into an SVG file
    #[arg(long, value_name = "FILE", requires = "sweep", value_parser = local_path())]
    pub(in crate::cli) svg: Option<PathBuf>,

    /// Draw the densities of a page's tags, as CETD's Figures 3 and 4, into an SVG file in this directory
    #[arg(long, value_name = "DIR", value_parser = local_path())]
    pub(in crate::cli) figures: Option<PathBuf>,

    /// The page to draw; repeat it for more [default: an article of median length from each truth file]
    #[arg(long, value_name = "RECORD_ID", requires = "figures")]
    pub(in crate::cli) figure_of: Vec<String>,

    /// Leave out pages that only the truth has; otherwise they count as pages without output, or documents in no group
    #[arg(long)]
    pub(in crate::cli) joined_only: bool,

    /// How to print the figures
    #[arg(short, long, value_parser = choice(FORMATS), default_value = "text")]
    pub(in crate::cli) format: TableFormat,

    /// Write the figures to a file [default: standard output]
    #[arg(short, long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Replace existing files of `-o` and `--svg`; input files are never replaced
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,

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

    /// Replace features that are already in the directory
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,

    #[command(flatten)]
    pub(in crate::cli) config: FileArgs,
}
