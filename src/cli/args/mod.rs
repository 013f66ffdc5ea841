//! The arguments of the command line, one field for each flag.
//!
//! - `shared`: arguments that several commands have
//! - `run`, `extract`, `eval`, `inspect`, `check`, `mend`, `readback`, `topics`, `sites`, `serve`: the commands

mod check;
mod eval;
mod extract;
mod inspect;
mod mend;
mod readback;
mod run;
mod serve;
mod shared;
mod sites;
mod topics;

use std::sync::LazyLock;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(super) use check::CheckArgs;
pub(super) use eval::{EvalArgs, FeaturesArgs};
pub(super) use extract::{ExtractArgs, ExtractFormat};
pub(super) use inspect::InspectArgs;
pub(super) use mend::{IndexArgs, MendArgs};
pub(super) use readback::{CatArgs, CatFormat, ClusterArgs, ClusterFormat, DiffArgs, DiffFormat, Features, SearchArgs};
pub(super) use run::RunArgs;
#[cfg(feature = "serve")]
pub(super) use serve::ServeArgs;
pub(super) use shared::{ConfigArgs, ExtractorArgs, FileArgs, PageArgs};
pub(super) use sites::SitesArgs;
pub(super) use topics::TopicsArgs;

/// Extracts the main content of the pages in crawl archives
#[derive(Debug, Parser)]
#[command(name = "dehusk", version, long_version = LONG_VERSION.as_str(), about, after_help = EXAMPLES)]
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
  dehusk check crawl.warc.gz            its faults, by offset and rule
  dehusk mend damaged.warc.gz -o clean.warc.gz
  dehusk index crawl.warc.gz > crawl.cdxj
  dehusk cat out --field url,title --where 'words >= 50' --format csv
  dehusk diff before after              what changed between two runs
  dehusk cluster monday tuesday -o near which documents are near-duplicates
  dehusk topics monday tuesday -o news  which stories are about the same event
  dehusk sites 'crawl/*.warc.gz' -o s   shared texts of each site, for run --sites

`dehusk help COMMAND` explains a command, and `dehusk COMMAND -h` lists its flags.";

/// The version, and which features this build has.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("normalize", dehusk_html::strict_parser().is_some()),
        ("parquet", cfg!(feature = "parquet")),
        ("remote", cfg!(feature = "remote")),
        ("serve", cfg!(feature = "serve")),
        ("sqlite", cfg!(feature = "sqlite")),
        ("topics", cfg!(feature = "topics")),
    ];
    let signed = features.map(|(name, is_built_in)| format!("{}{name}", if is_built_in { '+' } else { '-' }));
    format!("{}\nfeatures: {}", env!("CARGO_PKG_VERSION"), signed.join(" "))
});

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
    /// List the faults of archives, by offset and rule
    Check(CheckArgs),
    /// Write a clean archive of the readable records of a damaged one
    Mend(MendArgs),
    /// Write an index of archives: CDXJ, as pywb reads it
    Index(IndexArgs),
    /// Print the documents of runs, or some fields of each: JSONL, text, CSV or TSV
    Cat(CatArgs),
    /// Search the documents of runs for words, and print hits with snippets
    Search(SearchArgs),
    /// Compare the documents of two runs
    Diff(DiffArgs),
    /// Find the near-duplicates among the documents of runs
    Cluster(ClusterArgs),
    /// Find the topics among the documents of runs, and show them on a timeline
    Topics(TopicsArgs),
    /// Learn which texts the pages of each site share, so that runs can recognise them
    Sites(SitesArgs),
    /// Show archives in a browser, and extract pages over HTTP; needs the feature `serve`
    Serve(serve::ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}
