//! The arguments of the command line, one field for each flag.
//!
//! - `shared`: arguments that several commands have
//! - `run`, `extract`, `eval`, `inspect`, `readback`, `topics`: the commands

mod eval;
mod extract;
mod inspect;
mod readback;
mod run;
mod shared;
mod topics;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(super) use eval::{EvalArgs, EvalBy, EvalFormat, EvalMetric, FeaturesArgs};
pub(super) use extract::{ExtractArgs, ExtractFormat};
pub(super) use inspect::InspectArgs;
pub(super) use readback::{CatArgs, ClusterArgs, ClusterFormat, DiffArgs, DiffFormat, Features};
pub(super) use run::RunArgs;
pub(super) use shared::{ConfigArgs, ExtractorArgs, FileArgs, PageArgs};
pub(super) use topics::TopicsArgs;

/// Extracts the main content of the pages in crawl archives
#[derive(Debug, Parser)]
#[command(name = "dehusk", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    pub(in crate::cli) command: Command,
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
pub(in crate::cli) enum Command {
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
