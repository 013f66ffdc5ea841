//! The arguments as they are typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Takes the main content out of the pages of crawl archives.
#[derive(Debug, Parser)]
#[command(name = "dehusk", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dehusk run crawl.warc.gz -o out             one archive → out/documents/crawl.jsonl.zst
  dehusk run 'crawl/*.warc.gz' -o out --format xml --compression gzip
  curl -s https://example.org/ | dehusk extract - --format json
  dehusk eval --truth truth.jsonl crawl.warc.gz --extractor all
  dehusk inspect crawl.warc.gz                what is in it
  dehusk inspect crawl.warc.gz@48211          one record, and why it is or is not emitted

`dehusk COMMAND --help` tells more of a command.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Archives → documents: compressed JSONL or XML, with an account of every record
    Run(RunArgs),
    /// One HTML page → its main content, on standard output
    Extract(ExtractArgs),
    /// Extractors against pages with known truth: the papers' measures, as a table
    Eval(EvalArgs),
    /// What is in an archive, and why a record is or is not emitted
    Inspect(InspectArgs),
    /// A completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  dehusk run crawl.warc.gz -o out
  dehusk run crawl/ more.arc.gz @list.txt -o out --threads 8
  zcat crawl.warc.gz | dehusk run - -o out
  dehusk run crawl.warc.gz -o out --config pipeline.toml --set select.min_words=50
  dehusk run crawl.warc.gz -o out --extractor coreex-modern,coreex

Output:
  DIR/documents/NAME.jsonl.zst   one document a line
  DIR/run.json                   the account: every record emitted, filtered or failed, by reason
  DIR/failed.jsonl               each failed record and skipped range
  DIR/quarantine/                with --quarantine, their stored bytes

Exit status: 0 all was read and nothing failed; 3 finished, but records failed or bytes were skipped;
1 an archive could not be read, or the output failed; 2 wrong usage; 130 interrupted.";

#[derive(Debug, Parser)]
#[command(after_help = RUN_EXAMPLES)]
pub(super) struct RunArgs {
    /// Archives: files, directories, globs, @FILE for a list, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(super) archives: Vec<OsString>,

    /// The run directory, which is created
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,

    #[command(flatten)]
    pub(super) config: ConfigArgs,

    /// The shards' format [default: jsonl]
    #[arg(long, value_name = "jsonl|xml")]
    pub(super) format: Option<String>,

    /// The shards' compression [default: zstd]
    #[arg(long, value_name = "zstd|gzip|none")]
    pub(super) compression: Option<String>,

    /// Compression level [default: 3 for zstd, 4 for gzip]
    #[arg(long, value_name = "N")]
    pub(super) level: Option<u32>,

    /// The corpus' name, which fills every document's `source`
    #[arg(long, value_name = "NAME")]
    pub(super) source: Option<String>,

    /// Keep the stored bytes of what fails, in DIR/quarantine
    #[arg(long)]
    pub(super) quarantine: bool,

    /// Threads that do heavy work at a time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(super) threads: Option<usize>,

    /// Replace the outputs of an earlier run in the same directory
    #[arg(long)]
    pub(super) overwrite: bool,

    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Say more: every archive's account
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// What both `run` and `inspect` select by.
#[derive(Debug, Default, Parser)]
pub(super) struct ConfigArgs {
    /// A configuration file; flags beat it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// A setting of the configuration, such as limits.page_bytes=1000000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) settings: Vec<String>,

    /// Presets that extract; the first fills `text`, each further one `text_NAME` [default: coreex-modern]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(super) extractor: Vec<String>,

    /// Repair pages to a strict tree first
    #[arg(long)]
    pub(super) normalize: bool,

    /// Record types that are looked at [default: response,resource]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(super) record_type: Vec<String>,

    /// HTTP statuses that are, as numbers or classes like 2xx [default: 200]
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub(super) status: Vec<String>,

    /// MIME types that are [default: text/html,application/xhtml+xml]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(super) mime: Vec<String>,

    /// A regular expression that the URL must match
    #[arg(long, value_name = "REGEX")]
    pub(super) url_include: Vec<String>,

    /// A regular expression that the URL must not match
    #[arg(long, value_name = "REGEX")]
    pub(super) url_exclude: Vec<String>,

    /// Fewest words of a document [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) min_words: Option<u32>,
}

const EXTRACT_EXAMPLES: &str = "\
Examples:
  dehusk extract page.html
  dehusk extract page.html --format json --url https://example.org/page
  curl -s https://example.org/ | dehusk extract - --format html";

#[derive(Debug, Parser)]
#[command(after_help = EXTRACT_EXAMPLES)]
pub(super) struct ExtractArgs {
    /// The page; - for standard input
    #[arg(value_name = "PAGE.html")]
    pub(super) page: PathBuf,

    /// What is written
    #[arg(short, long, value_enum, default_value = "text")]
    pub(super) format: ExtractFormat,

    /// Show instead which nodes were kept, their scores and the rule that decided
    #[arg(long, conflicts_with = "format")]
    pub(super) explain: bool,

    /// The page's URL, for the document's metadata
    #[arg(long, default_value = "")]
    pub(super) url: String,

    /// The preset that extracts [default: coreex-modern]
    #[arg(short, long, value_name = "NAME")]
    pub(super) extractor: Option<String>,

    /// A configuration file; flags beat it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// A setting of the configuration
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) settings: Vec<String>,

    /// Repair the page to a strict tree first
    #[arg(long)]
    pub(super) normalize: bool,
}

/// What `extract` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExtractFormat {
    /// The text, paragraphs parted by a blank line
    Text,
    /// The kept structure, as an XHTML document
    Html,
    /// The document, as a line of JSONL
    Json,
    /// The document, as an XML file
    Xml,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  dehusk eval --truth truth.jsonl.gz crawl.warc.gz --extractor all
  dehusk eval --truth t.jsonl crawl/ -e coreex,coreex-modern --by site --format csv -o by-site.csv
  dehusk eval --truth t.jsonl crawl.warc.gz -e coreex-modern --worst 10
  dehusk eval --truth t.jsonl crawl.warc.gz --sweep coreex.weight_ratio=0.8..0.99:0.01 --svg curves.svg

Exit status: 0 every line of truth found its page; 3 some did not, or records failed;
1 an archive or the truth could not be read, or nothing joined; 2 wrong usage.";

#[derive(Debug, Parser)]
#[command(after_help = EVAL_EXAMPLES)]
pub(super) struct EvalArgs {
    /// Archives: files, directories, globs, @FILE for a list, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(super) archives: Vec<OsString>,

    /// A truth file: JSONL with record_id and text, plain, gzip or zstd; may be given several times
    #[arg(long, required = true, value_name = "FILE")]
    pub(super) truth: Vec<PathBuf>,

    /// What pages are grouped by [default: all,language,page-type, and truth where there are several files]
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    pub(super) by: Vec<EvalBy>,

    /// Which measures are taken [default: all of them]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(super) metrics: Vec<EvalMetric>,

    /// Add a row for every page
    #[arg(long)]
    pub(super) per_page: bool,

    /// Show the N worst pages of every extractor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) worst: usize,

    /// Vary a parameter, every value as an extractor of its own; may be given several times
    #[arg(long, value_name = "PRESET.PARAM=FROM..TO:STEP")]
    pub(super) sweep: Vec<String>,

    /// Draw the sweeps' curves
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub(super) svg: Option<PathBuf>,

    /// Leave out truth without a page, instead of counting it as a page without output
    #[arg(long)]
    pub(super) joined_only: bool,

    /// How the figures are written
    #[arg(short, long, value_enum, default_value = "text")]
    pub(super) format: EvalFormat,

    /// Where to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Threads that work at a time [default: the number of cores]; for times worth comparing, 1
    #[arg(short, long, value_name = "N")]
    pub(super) threads: Option<usize>,

    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

/// What `eval` groups by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalBy {
    /// All pages
    All,
    /// The truth file
    Truth,
    /// The truth's language
    Language,
    /// The truth's type of page
    PageType,
    /// The host
    Site,
}

/// What `eval` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalMetric {
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
    /// Time a page
    Time,
}

/// How `eval` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalFormat {
    /// Aligned columns
    Text,
    /// Tables of Markdown
    Markdown,
    /// One table, a row a group (or page) and extractor
    Csv,
    /// One object, with all that did not join
    Json,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  dehusk inspect crawl.warc.gz
  dehusk inspect crawl.warc.gz --verdicts --min-words 50
  dehusk inspect crawl.warc.gz@48211
  dehusk inspect crawl.warc.gz@48211+1780     a record inside a member of several";

#[derive(Debug, Parser)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(super) struct InspectArgs {
    /// The archive; with @OFFSET, the record there (and +N, that far inside its decoded member)
    #[arg(value_name = "ARCHIVE[@OFFSET]")]
    pub(super) archive: OsString,

    /// Add what would become of each record
    #[arg(long)]
    pub(super) verdicts: bool,

    #[command(flatten)]
    pub(super) config: ConfigArgs,
}
