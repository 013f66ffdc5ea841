//! The arguments of `dehusk run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use super::shared::{ConfigArgs, heading, local_path};
use crate::cli::log::LogFormat;
use dehusk_engine::config::{CompressionKind, OutputFormat, Signature, TextKind, TitleKind, output_format};

const SHORT_HELP: &str = "\
`dehusk run --help` explains all flags, the output and the exit status.";

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
  dehusk run -o out --forget typo.warc.gz
  dehusk run incoming/ -o nights/2026-11-23 --only-new nights

If a run was stopped, the same command continues it. If it was finished, the
same command does nothing; new archives are added.

Output:
  DIR/documents/NAME.jsonl.zst   the documents, one on each line
  DIR/run.json                   the report: how many records were emitted,
                                 filtered or failed, and for which reasons
  DIR/report.html                the same as a page, with throughput, sizes,
                                 languages, hosts and the slowest pages
  DIR/failed.jsonl               a line for each failed record or skipped range
  DIR/quarantine/                with --quarantine: the stored bytes of these
  DIR/records/                   with --records-out: archives of chosen records

Exit status:
  0    everything was read, and nothing failed
  1    an archive could not be read or has changed since, or the output could
       not be written
  2    wrong usage or configuration
  3    finished, but records failed or bytes were skipped
  4    finished, but with fewer documents than --at-least asks for
  5    a network or a server did not answer, and nothing worse happened; the
       same command tries again
  130  interrupted";

#[derive(Debug, Parser)]
#[command(after_help = SHORT_HELP, after_long_help = RUN_EXAMPLES)]
pub(in crate::cli) struct RunArgs {
    /// Archives: files, directories, globs, @FILE for a list, - for standard input
    ///
    /// With the feature `remote`, each may be an address: https://, s3://, gs:// or az://.
    #[arg(required_unless_present_any = ["only_failed", "offsets", "forget"], value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// Write to this directory; it is created
    #[arg(short, long, value_name = "DIR", value_parser = local_path(), help_heading = heading::OUTPUT)]
    pub(in crate::cli) output: PathBuf,

    #[command(flatten)]
    pub(in crate::cli) config: ConfigArgs,

    /// Format of the documents [default: jsonl]
    #[arg(long, value_name = "jsonl|xml|parquet|sqlite", value_parser = output_format, help_heading = heading::OUTPUT)]
    pub(in crate::cli) format: Option<OutputFormat>,

    /// Form of the text of documents [default: plain]
    #[arg(long, value_name = "plain|markdown", help_heading = heading::OUTPUT)]
    pub(in crate::cli) text: Option<TextKind>,

    /// Where a page's title is, besides the field `title` [default: as found]
    #[arg(long, value_name = "as found|apart|first", help_heading = heading::OUTPUT)]
    pub(in crate::cli) title: Option<TitleKind>,

    /// Compression of the documents [default: zstd]
    #[arg(long, value_name = "zstd|gzip|none", help_heading = heading::OUTPUT)]
    pub(in crate::cli) compression: Option<CompressionKind>,

    /// Compression level [default: 3 for zstd, 4 for gzip]
    #[arg(long, value_name = "N", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub(in crate::cli) level: Option<u32>,

    /// Name of the corpus, for the field `source` of every document
    #[arg(long, value_name = "NAME", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub(in crate::cli) source: Option<String>,

    /// Fill in these signatures of texts, for near-duplicate detection: simhash, minhash, spotsigs [default: none]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = heading::OUTPUT, hide_short_help = true)]
    pub(in crate::cli) signatures: Vec<Signature>,

    /// Leave out pages that earlier runs emitted
    ///
    /// Leave out pages with payloads that earlier runs with this file have emitted, and add the payloads of this run
    /// when it is complete.
    #[arg(long, value_name = "FILE", help_heading = heading::SELECTION)]
    pub(in crate::cli) seen: Option<String>,

    /// Use this store of the texts that the pages of each site share, made by `dehusk sites`
    #[arg(long, value_name = "SITES", help_heading = heading::EXTRACTION, hide_short_help = true)]
    pub(in crate::cli) sites: Option<String>,

    /// Also make documents of revisit records whose original is among the archives; reads the headers of all archives
    /// first
    #[arg(long, help_heading = heading::INPUT, hide_short_help = true)]
    pub(in crate::cli) resolve_revisits: bool,

    /// Keep the stored bytes of failed records in DIR/quarantine
    #[arg(long, help_heading = heading::OUTPUT, hide_short_help = true)]
    pub(in crate::cli) quarantine: bool,

    /// Write the records of a rule to DIR/records
    ///
    /// Write the stored bytes of all records of a rule to DIR/records/ARCHIVE.NAME.warc.gz, and an index beside it. A rule
    /// is a condition on documents as in `dehusk cat --where`, or emitted, filtered, filtered: REASON, failed,
    /// failed: REASON, type: TYPE, url: REGEX; you can repeat it. Without a rule, records of all documents are written.
    #[arg(long, value_name = "NAME[:RULE]", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub(in crate::cli) records_out: Vec<String>,

    /// Work in N threads [default: one per core]
    ///
    /// How many threads do heavy work at the same time.
    #[arg(short, long, value_name = "N", help_heading = heading::WORK)]
    pub(in crate::cli) threads: Option<usize>,

    /// Replace the earlier output in DIR
    ///
    /// Start again from the beginning, and replace the output of an earlier run in DIR.
    #[arg(long, conflicts_with_all = ["changed", "verify"], help_heading = heading::EARLIER_RUNS)]
    pub(in crate::cli) overwrite: bool,

    /// Write metrics of the run to this file, in the text format of Prometheus
    #[arg(long, value_name = "FILE", value_parser = local_path(), help_heading = heading::WORK, hide_short_help = true)]
    pub(in crate::cli) metrics: Option<PathBuf>,

    /// How to write messages to standard error
    #[arg(long, value_enum, default_value = "text", help_heading = heading::WORK, hide_short_help = true)]
    pub(in crate::cli) log_format: LogFormat,

    /// Read part I of N of the list
    ///
    /// Such as 2/8; runs over all parts read each archive once.
    #[arg(long, value_name = "I/N", value_parser = part, help_heading = heading::INPUT)]
    pub(in crate::cli) part: Option<(u64, u64)>,

    /// Read only archives that are not complete there
    ///
    /// Read only the archives that are not complete in this run. Without ARCHIVE, the run's own list of
    /// archives is used.
    #[arg(long, value_name = "RUN_DIR", conflicts_with = "offsets", help_heading = heading::EARLIER_RUNS)]
    pub(in crate::cli) only_failed: Option<PathBuf>,

    /// Remove this archive from the run in DIR
    ///
    /// Remove its documents, failures and account; no archive is read. NAME is as in run.json.
    #[arg(long, value_name = "NAME", help_heading = heading::EARLIER_RUNS, conflicts_with_all = ["archives", "only_failed",
        "offsets", "since", "part", "overwrite", "changed", "verify", "metrics"])]
    pub(in crate::cli) forget: Vec<OsString>,

    /// Read only archives that no run there finished
    ///
    /// Read only the archives that no run in this folder has finished, or that have changed since; the folder may also
    /// be a run directory.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["only_failed", "offsets"],
        help_heading = heading::EARLIER_RUNS)]
    pub(in crate::cli) only_new: Vec<PathBuf>,

    /// Take over archives that have not changed
    ///
    /// Take over from this run the archives that have not changed since, instead of reading them again.
    #[arg(long, value_name = "RUN_DIR", help_heading = heading::EARLIER_RUNS)]
    pub(in crate::cli) since: Option<PathBuf>,

    /// Read only the records that a file names: path, offset and length, separated by tabs; or CDX, CDXJ, JSONL; or, with the
    /// feature `parquet`, Common Crawl's columnar index
    #[arg(long, value_name = "FILE", help_heading = heading::INPUT, hide_short_help = true)]
    pub(in crate::cli) offsets: Option<PathBuf>,

    /// With --offsets, read only records that meet this condition on a column of Parquet or a key of CDXJ or JSONL,
    /// such as 'content_languages ~ isl'; if you repeat it, all must hold
    #[arg(long, value_name = "CONDITION", requires = "offsets", help_heading = heading::INPUT, hide_short_help = true)]
    pub(in crate::cli) offsets_where: Vec<String>,

    /// Look for the archives that --offsets names by relative paths below this folder or address
    #[arg(long, value_name = "DIR|URL", requires = "offsets", help_heading = heading::INPUT, hide_short_help = true)]
    pub(in crate::cli) offsets_base: Option<String>,

    /// Redo the work that a change affects
    ///
    /// Redo the work that is affected by a change of an archive, the configuration or the program since the earlier run
    /// in DIR.
    #[arg(long, help_heading = heading::EARLIER_RUNS)]
    pub(in crate::cli) changed: bool,

    /// Compare archives and outputs with those of the earlier run by their bytes, not by size and time
    #[arg(long, help_heading = heading::EARLIER_RUNS, hide_short_help = true)]
    pub(in crate::cli) verify: bool,

    /// End with status 4 if there are fewer documents than this at the end
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = heading::WORK,
        hide_short_help = true)]
    pub(in crate::cli) at_least: u64,

    /// Print only errors
    ///
    /// Print only errors, and a warning if there is no document.
    #[arg(short, long, conflicts_with = "verbose", help_heading = heading::WORK)]
    pub(in crate::cli) quiet: bool,

    /// Print a line for every archive
    #[arg(short, long, help_heading = heading::WORK)]
    pub(in crate::cli) verbose: bool,
}

/// Parses one part of a number of parts, such as `2/8`.
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
