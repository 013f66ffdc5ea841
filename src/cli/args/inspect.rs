//! The arguments of `dehusk inspect`.

use std::ffi::OsString;

use clap::Parser;

use super::shared::ConfigArgs;

const INSPECT_EXAMPLES: &str = "\
Examples:
  dehusk inspect crawl.warc.gz
  dehusk inspect crawl.warc.gz --verdicts --min-words 50
  dehusk inspect crawl.warc.gz@48211
  dehusk inspect crawl.warc.gz@48211+1780   in a member of several records
  dehusk inspect --find https://example.org/ out   where a document came from
  dehusk inspect --find https://example.org/ nights/   the same in all runs there";

#[derive(Debug, Parser)]
#[command(after_help = INSPECT_EXAMPLES)]
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

    /// Find the document with this id or URL in runs: print its archive and offset, to be inspected there
    #[arg(long, value_name = "ID|URL", conflicts_with = "verdicts")]
    pub(in crate::cli) find: Option<String>,

    #[command(flatten)]
    pub(in crate::cli) config: ConfigArgs,
}
