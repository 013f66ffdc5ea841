//! The arguments of `dehusk inspect`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Parser};

use super::shared::{ConfigArgs, local_path};

const INSPECT_EXAMPLES: &str = "\
Examples:
  dehusk inspect crawl.warc.gz
  dehusk inspect crawl.warc.gz --verdicts --min-words 50
  dehusk inspect crawl.warc.gz@48211
  dehusk inspect crawl.warc.gz@48211+1780   in a member of several records
  dehusk inspect --find https://example.org/ out   where a document came from
  dehusk inspect --find https://example.org/ nights/   the same in all runs there
  dehusk inspect crawl.warc.gz --type application/pdf --records pdfs.warc.gz
  dehusk inspect crawl.warc.gz --verdict 'filtered: empty' --records empty.warc.gz";

#[derive(Debug, Parser)]
#[command(after_help = INSPECT_EXAMPLES, group = ArgGroup::new("choice").multiple(true))]
pub(in crate::cli) struct InspectArgs {
    /// The archive
    ///
    /// With @OFFSET only the record there; with @OFFSET+N the record N bytes into the decoded member there. With --find
    /// the directories of runs, or folders with runs in them.
    #[arg(required = true, value_name = "ARCHIVE[@OFFSET]")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// Add a column: what `run` would do with each record
    #[arg(long)]
    pub(in crate::cli) verdicts: bool,

    /// Find the document with this id or URL in runs: print its archive and offset, which `inspect` takes
    #[arg(long, value_name = "ID|URL", conflicts_with = "verdicts")]
    pub(in crate::cli) find: Option<String>,

    /// Write the records that --verdict and --type choose to this archive, and an index beside it: .warc.gz, .warc.zst
    /// or .warc
    #[arg(long, value_name = "FILE", value_parser = local_path(), requires = "choice",
        conflicts_with_all = ["find", "verdicts"])]
    pub(in crate::cli) records: Option<PathBuf>,

    /// Write records with this verdict, such as filtered or 'filtered: mime'; repeat it for more
    #[arg(long, value_name = "VERDICT", requires = "records", group = "choice")]
    pub(in crate::cli) verdict: Vec<String>,

    /// Write records of this type, such as application/pdf or 'image/*'; repeat it for more
    #[arg(long = "type", value_name = "TYPE", requires = "records", group = "choice")]
    pub(in crate::cli) types: Vec<String>,

    /// Replace the archive of --records and its index if they exist
    #[arg(long, requires = "records")]
    pub(in crate::cli) overwrite: bool,

    #[command(flatten)]
    pub(in crate::cli) config: ConfigArgs,
}
