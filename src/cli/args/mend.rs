//! The arguments of `dehusk mend` and `dehusk index`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use super::shared::{FileArgs, local_path};

const MEND_EXAMPLES: &str = "\
Examples:
  dehusk mend damaged.warc.gz -o clean.warc.gz
  dehusk mend damaged.arc.gz -o clean.arc.gz
  dehusk mend crawl.warc.zst -o crawl.warc.gz

The end of the name sets the compression: .gz makes a gzip member of each
record, .zst a zstd frame, anything else a plain archive. FILE.report.jsonl has
a line for each record that was left out or corrected.

Exit status:
  0    every byte was read, and every record is in the new archive
  1    the archive could not be read, or the new one could not be written
  2    wrong usage
  3    something was damaged, and is listed in the report";

#[derive(Debug, Parser)]
#[command(after_help = MEND_EXAMPLES)]
pub(in crate::cli) struct MendArgs {
    /// The archive; - for standard input
    #[arg(value_name = "ARCHIVE")]
    pub(in crate::cli) archive: PathBuf,

    /// Write the clean archive to this file
    #[arg(short, long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) output: PathBuf,

    /// Replace the file and its report if they exist
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,
}

const INDEX_EXAMPLES: &str = "\
Examples:
  dehusk index crawl.warc.gz > crawl.cdxj
  dehusk index 'crawl/*.warc.gz' -o all.cdxj

Exit status:
  0    every record that is looked up by its URL has a line
  1    an archive could not be read, or the index could not be written
  2    wrong usage
  3    records failed, bytes were skipped, or a record has no URL or date";

#[derive(Debug, Parser)]
#[command(after_help = INDEX_EXAMPLES)]
pub(in crate::cli) struct IndexArgs {
    /// Archives, directories with archives, globs, or @LIST files; - for standard input
    #[arg(required = true, value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// Write the index to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub(in crate::cli) overwrite: bool,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,
}
