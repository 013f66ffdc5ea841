//! The arguments of the command line, one field for each flag.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::log::LogFormat;
use super::readback_args::{CatArgs, ClusterArgs, DiffArgs};
use super::topics_args::TopicsArgs;
use crate::config::{Comments, CompressionKind, OutputFormat, Signature, TextKind};

/// Extracts the main content of the pages in crawl archives
#[derive(Debug, Parser)]
#[command(name = "dehusk", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dehusk run crawl.warc.gz -o out       writes out/documents/crawl.jsonl.zst
  dehusk run 'crawl/*.warc.gz' -o out --format xml --compression gzip
  curl -s https://example.org/ | dehusk extract - --format json
  dehusk eval --truth truth.jsonl crawl.warc.gz --extractor all
  dehusk inspect crawl.warc.gz          lists the records
  dehusk inspect crawl.warc.gz@48211    shows one record and its verdict
  dehusk cat out --where 'words >= 50' | head -n 3
  dehusk diff before after              what changed between two runs
  dehusk cluster monday tuesday -o near which documents are near-duplicates
  dehusk topics monday tuesday -o news  which stories are about the same event

`dehusk COMMAND --help` explains a command.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Turn archives into documents: compressed JSONL or XML, and a report that counts every record
    Run(RunArgs),
    /// Print the main content of HTML pages
    Extract(ExtractArgs),
    /// Measure extractors on pages with known main content
    Eval(EvalArgs),
    /// Write the features of pages with known main content, to train a model
    Features(FeaturesArgs),
    /// List the records of an archive, or show what becomes of one record and why
    Inspect(InspectArgs),
    /// Print the documents of runs as JSONL, or one field of each
    Cat(CatArgs),
    /// Compare the documents of two runs
    Diff(DiffArgs),
    /// Find the near-duplicates among the documents of runs
    Cluster(ClusterArgs),
    /// Find the topics among the documents of runs, and show them on a timeline
    Topics(TopicsArgs),
    /// Print a completion script for a shell
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
  dehusk run crawl.warc.gz -o out --config pipeline.toml --min-words 50
  dehusk run crawl.warc.gz -o out --extractor coreex-modern,coreex
  dehusk run @all.txt -o part-2 --part 2/8
  dehusk run @all.txt -o tonight --since last-night
  dehusk run --only-failed out -o again

If a run was stopped, the same command goes on where it was. If it was
finished, the same command does nothing; new archives are added.

Output:
  DIR/documents/NAME.jsonl.zst   the documents, one on each line
  DIR/run.json                   the report: how many records were emitted,
                                 filtered or failed, and for which reasons
  DIR/report.html                the same as a page, with throughput, sizes,
                                 languages, hosts and the slowest pages
  DIR/failed.jsonl               a line for each failed record or skipped range
  DIR/quarantine/                with --quarantine: the stored bytes of these

Exit status:
  0    everything was read, and nothing failed
  1    an archive could not be read or has changed since, or the output could
       not be written
  2    wrong usage or configuration
  3    finished, but records failed or bytes were skipped
  130  interrupted";

#[derive(Debug, Parser)]
#[command(after_help = RUN_EXAMPLES)]
pub(super) struct RunArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input
    #[arg(required_unless_present_any = ["only_failed", "offsets"], value_name = "ARCHIVE")]
    pub(super) archives: Vec<OsString>,

    /// Write to this directory; it is created
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,

    #[command(flatten)]
    pub(super) config: ConfigArgs,

    /// Format of the documents [default: jsonl]
    #[arg(long, value_name = "jsonl|xml|parquet|sqlite")]
    pub(super) format: Option<OutputFormat>,

    /// What the text of a document holds [default: plain]
    #[arg(long, value_name = "plain|markdown")]
    pub(super) text: Option<TextKind>,

    /// Compression of the documents [default: zstd]
    #[arg(long, value_name = "zstd|gzip|none")]
    pub(super) compression: Option<CompressionKind>,

    /// Compression level [default: 3 for zstd, 4 for gzip]
    #[arg(long, value_name = "N")]
    pub(super) level: Option<u32>,

    /// Name of the corpus, for the field `source` of every document
    #[arg(long, value_name = "NAME")]
    pub(super) source: Option<String>,

    /// Fill in these signatures of texts, for near-duplicate detection: simhash, minhash, spotsigs [default: none]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(super) signatures: Vec<Signature>,

    /// Leave out payloads that earlier runs with this file have emitted, and add those of this run when it is complete
    #[arg(long, value_name = "FILE")]
    pub(super) seen: Option<String>,

    /// Make documents of revisit records whose original is among the archives, too; reads the headers of all archives first
    #[arg(long)]
    pub(super) resolve_revisits: bool,

    /// Keep the stored bytes of failed records in DIR/quarantine
    #[arg(long)]
    pub(super) quarantine: bool,

    /// How many threads do heavy work at the same time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(super) threads: Option<usize>,

    /// Start anew and replace the output of an earlier run in DIR
    #[arg(long, conflicts_with_all = ["changed", "verify"])]
    pub(super) overwrite: bool,

    /// Keep metrics of the run in a file, in the text format of Prometheus
    #[arg(long, value_name = "FILE")]
    pub(super) metrics: Option<PathBuf>,

    /// How to write messages to standard error
    #[arg(long, value_enum, default_value = "text")]
    pub(super) log_format: LogFormat,

    /// Read only part I of N of the list, such as 2/8; runs over all parts read each archive once
    #[arg(long, value_name = "I/N", value_parser = part)]
    pub(super) part: Option<(u64, u64)>,

    /// Read only the archives that are not complete in this run; without ARCHIVE, of all that it names
    #[arg(long, value_name = "RUN_DIR", conflicts_with = "offsets")]
    pub(super) only_failed: Option<PathBuf>,

    /// Take over from this run what has not changed since, instead of reading it again
    #[arg(long, value_name = "RUN_DIR")]
    pub(super) since: Option<PathBuf>,

    /// Read only the records that a file names: path, offset and length, parted by tabs; or CDX or CDXJ
    #[arg(long, value_name = "FILE")]
    pub(super) offsets: Option<PathBuf>,

    /// Do again what a change since the earlier run in DIR affects: of an archive, the configuration or the program
    #[arg(long)]
    pub(super) changed: bool,

    /// Compare archives with those that the earlier run read by digest, not by size and time
    #[arg(long)]
    pub(super) verify: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Print a line for every archive
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// Which part of how many.
fn part(text: &str) -> Result<(u64, u64), String> {
    let parse = || {
        let (number, count) = text.split_once('/')?;
        Some((number.parse().ok()?, count.parse().ok()?))
    };
    match parse() {
        Some((number, count)) if (1..=count).contains(&number) => Ok((number, count)),
        _ => Err("it takes a number and how many parts there are, from 1/1 on, such as 2/8".to_owned()),
    }
}

/// A configuration file and settings over it.
#[derive(Debug, Default, Parser)]
pub(super) struct FileArgs {
    /// Read a configuration file; flags take precedence over it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Set a key of the configuration, such as limits.page_bytes=1000000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) settings: Vec<String>,
}

/// How the extractors do their work.
#[derive(Debug, Default, Parser)]
pub(super) struct ExtractorArgs {
    /// Let the learned extractors use this model file
    #[arg(long, value_name = "FILE")]
    pub(super) model: Option<String>,

    /// What to do with readers' comments: keep them in the text, drop them, put them into the field `comments`, or keep them
    /// only where they are the content, as in forums [default: auto]
    #[arg(long, value_name = "auto|keep|drop|separate")]
    pub(super) comments: Option<Comments>,
}

/// The configuration of `run` and `inspect`.
#[derive(Debug, Default, Parser)]
pub(super) struct ConfigArgs {
    #[command(flatten)]
    pub(super) file: FileArgs,

    /// Extract with these presets: the first fills `text`, each further one adds `text_NAME` [default: fusion]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(super) extractor: Vec<String>,

    #[command(flatten)]
    pub(super) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(super) pages: PageArgs,

    /// Keep only documents with at least this many words [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) min_words: Option<u32>,

    /// Keep only documents in these languages, such as en or zh-Hant [default: all]
    #[arg(long, value_name = "TAG,...", value_delimiter = ',')]
    pub(super) languages: Vec<String>,

    /// Keep only documents that keep to these rules: gopher, c4, fineweb, or bounds such as "words >= 50" [default: none]
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    pub(super) quality: Vec<String>,
}

/// Which records are pages, and how they are parsed.
#[derive(Debug, Default, Parser)]
pub(super) struct PageArgs {
    /// Parse pages as the HTML specification says (slower)
    #[arg(long)]
    pub(super) normalize: bool,

    /// Keep only records of these types [default: response,resource]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(super) record_type: Vec<String>,

    /// Keep only these HTTP statuses: numbers, or classes such as 2xx [default: 200]
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub(super) status: Vec<String>,

    /// Keep only these MIME types [default: text/html,application/xhtml+xml]
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(super) mime: Vec<String>,

    /// Keep only URLs that match this regular expression; repeat it for alternatives
    #[arg(long, value_name = "REGEX")]
    pub(super) url_include: Vec<String>,

    /// Drop URLs that match this regular expression; repeat it for more
    #[arg(long, value_name = "REGEX")]
    pub(super) url_exclude: Vec<String>,
}

const EXTRACT_EXAMPLES: &str = "\
Examples:
  dehusk extract page.html
  dehusk extract page.html --format json --url https://example.org/page
  curl -s https://example.org/ | dehusk extract - --format html
  dehusk extract pages/ more.html > documents.jsonl

One page is a file or -, and what is wrong with it ends the program. Several
pages, or a directory, are written as they are read: json (the default) has a
document a line, text ends each with a form feed on a line of its own, xml is
one file, and html is for one page only. What is wrong with one of them is
reported, and the others go on. Pages can be compressed (.gz, .zst).

Exit status:
  0    every page was read; those that a rule leaves out are reported
  1    a page could not be read, or there is nothing of the only page
  2    wrong usage or configuration
  3    pages were damaged or beyond a limit";

#[derive(Debug, Parser)]
#[command(after_help = EXTRACT_EXAMPLES)]
pub(super) struct ExtractArgs {
    /// The pages: files, directories of .html, .htm and .xhtml files, - for standard input
    #[arg(required = true, value_name = "PAGE.html")]
    pub(super) pages: Vec<PathBuf>,

    /// What to print [default: text for one page, json for several]
    #[arg(short, long, value_enum)]
    pub(super) format: Option<ExtractFormat>,

    /// What the text holds [default: plain]
    #[arg(long, value_name = "plain|markdown")]
    pub(super) text: Option<TextKind>,

    /// Instead of the content, show which nodes were kept, their scores and the rules that decided (one page; --format text or json)
    #[arg(long)]
    pub(super) explain: bool,

    /// URL of the page, for the document's metadata (one page only)
    #[arg(long, default_value = "")]
    pub(super) url: String,

    /// Extract with this preset [default: fusion]
    #[arg(short, long, value_name = "NAME")]
    pub(super) extractor: Option<String>,

    #[command(flatten)]
    pub(super) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(super) file: FileArgs,

    /// Parse the page as the HTML specification says (slower)
    #[arg(long)]
    pub(super) normalize: bool,
}

const FEATURES_EXAMPLES: &str = "\
Examples:
  dehusk features --truth truth.jsonl.gz crawl.warc.gz -o features/";

#[derive(Debug, Parser)]
#[command(after_help = FEATURES_EXAMPLES)]
pub(super) struct FeaturesArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(super) archives: Vec<OsString>,

    /// The known main content: JSONL with record_id and text, plain, gzip or zstd; repeat it for more files
    #[arg(long, required = true, value_name = "FILE")]
    pub(super) truth: Vec<PathBuf>,

    /// Directory to write to
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: PathBuf,

    /// Replace features that the directory holds already
    #[arg(long)]
    pub(super) overwrite: bool,

    #[command(flatten)]
    pub(super) config: FileArgs,
}

/// What `extract` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExtractFormat {
    /// The text, with a blank line between paragraphs
    Text,
    /// The main content with its structure, as an XHTML document
    Html,
    /// The document as a line of JSON
    Json,
    /// The document as an XML file
    Xml,
}

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
pub(super) struct EvalArgs {
    /// Archives: files, directories, globs, @FILE for a list of them, - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(super) archives: Vec<OsString>,

    /// The known main content: JSONL with record_id and text, plain, gzip or zstd; repeat it for more files
    #[arg(long, required = true, value_name = "FILE")]
    pub(super) truth: Vec<PathBuf>,

    /// Group pages by these [default: all,language,page-type; with several truth files also truth]
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    pub(super) by: Vec<EvalBy>,

    /// Take these measures [default: all but parts and steps]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(super) metrics: Vec<EvalMetric>,

    /// Add a row for every page
    #[arg(long)]
    pub(super) per_page: bool,

    /// Add the N worst pages of every extractor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) worst: usize,

    /// Try a range of values for a parameter, each as an extractor of its own; repeat it for more
    #[arg(long, value_name = "PRESET.PARAM=FROM..TO:STEP")]
    pub(super) sweep: Vec<String>,

    /// Draw the curves of the sweeps into an SVG file
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub(super) svg: Option<PathBuf>,

    /// Leave out lines of truth that have no page; otherwise they count as pages without output
    #[arg(long)]
    pub(super) joined_only: bool,

    /// How to print the figures
    #[arg(short, long, value_enum, default_value = "text")]
    pub(super) format: EvalFormat,

    /// Write the figures to a file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// How many threads work at the same time; use 1 to compare times [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(super) threads: Option<usize>,

    /// Measure these presets; `all` is every preset [default: fusion]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(super) extractor: Vec<String>,

    #[command(flatten)]
    pub(super) extractors: ExtractorArgs,

    #[command(flatten)]
    pub(super) pages: PageArgs,

    #[command(flatten)]
    pub(super) file: FileArgs,
}

/// What `eval` groups by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalBy {
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
    /// Time per page
    Time,
    /// Title, author and comments, body lost, relevant share of the whole page
    Parts,
    /// Steps of ECON's backtracking
    Steps,
}

/// How `eval` prints figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalFormat {
    /// Aligned columns
    Text,
    /// Markdown tables
    Markdown,
    /// One table, with a row for each group (or page) and extractor
    Csv,
    /// One object; it also lists the lines of truth that have no page
    Json,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  dehusk inspect crawl.warc.gz
  dehusk inspect crawl.warc.gz --verdicts --min-words 50
  dehusk inspect crawl.warc.gz@48211
  dehusk inspect crawl.warc.gz@48211+1780   in a member of several records
  dehusk inspect --find https://example.org/ out   where a document came from";

#[derive(Debug, Parser)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(super) struct InspectArgs {
    /// The archive; with @OFFSET only the record there; with @OFFSET+N the record N bytes into the decoded member there; with
    /// --find the directory of a run
    #[arg(value_name = "ARCHIVE[@OFFSET]")]
    pub(super) archive: OsString,

    /// Add a column: what `run` would do with each record
    #[arg(long)]
    pub(super) verdicts: bool,

    /// Find the document with this id or URL in a run: print its archive and offset, to be inspected there
    #[arg(long, value_name = "ID|URL", conflicts_with = "verdicts")]
    pub(super) find: Option<String>,

    #[command(flatten)]
    pub(super) config: ConfigArgs,
}
