//! The arguments of `dehusk sites`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use super::shared::{FileArgs, heading, local_path};

const SITES_EXAMPLES: &str = "\
Examples:
  dehusk sites 'crawl/*.warc.gz' -o sites       make a store, or add these archives to it
  dehusk run crawl.warc.gz -o out --sites sites use the store
  dehusk sites sites --show www.example.org     list the repeated texts of a host

Exit status:
  0    the store is written
  1    an archive or the store could not be read, or the store could not be written
  2    wrong usage
  3    the store is written, but an archive could not be read to its end";

#[derive(Debug, Parser)]
#[command(after_help = SITES_EXAMPLES)]
pub(in crate::cli) struct SitesArgs {
    /// Archives, directories with archives, globs, or @LIST files; - for standard input. With --show, the store
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// The store to write. If it exists, the pages of the archives are added to it
    #[arg(short, long, value_name = "SITES", value_parser = local_path(), required_unless_present = "show")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// List the texts that several pages of this host share, instead of writing a store
    #[arg(long, value_name = "HOST", conflicts_with_all = ["output", "threads"])]
    pub(in crate::cli) show: Option<String>,

    /// Print the listing as JSON
    #[arg(long, requires = "show")]
    pub(in crate::cli) json: bool,

    /// Work in N threads [default: one per core]
    #[arg(short, long, value_name = "N", help_heading = heading::WORK)]
    pub(in crate::cli) threads: Option<usize>,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,
}
