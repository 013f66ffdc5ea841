//! The arguments of `dehusk check`.

use std::ffi::OsString;

use clap::{Parser, ValueEnum};

use super::shared::FileArgs;
use dehusk_archive::check::Severity;

const CHECK_EXAMPLES: &str = "\
Examples:
  dehusk check crawl.warc.gz
  dehusk check 'crawl/*.warc.gz' --json > findings.json
  dehusk check crawl.warc.gz --severity error --all
  dehusk check --rules                  what is checked, and by which section

Exit status:
  0    no error was found
  1    an archive could not be read
  2    wrong usage
  3    an error was found
  6    with --strict: no error, but a warning was found";

#[derive(Debug, Parser)]
#[command(after_help = CHECK_EXAMPLES)]
pub(in crate::cli) struct CheckArgs {
    /// Archives, directories with archives, globs, or @LIST files; - for standard input
    #[arg(required_unless_present = "rules", value_name = "ARCHIVE")]
    pub(in crate::cli) archives: Vec<OsString>,

    /// Print one JSON document with all findings instead of a table
    #[arg(long)]
    pub(in crate::cli) json: bool,

    /// List findings of at least this severity
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "warning")]
    pub(in crate::cli) severity: Least,

    /// List every finding in the table, not ten of each rule
    #[arg(long)]
    pub(in crate::cli) all: bool,

    /// Exit with 6 if there are warnings, but no errors
    #[arg(long)]
    pub(in crate::cli) strict: bool,

    /// List the rules instead of checking anything
    #[arg(long, conflicts_with = "archives")]
    pub(in crate::cli) rules: bool,

    #[command(flatten)]
    pub(in crate::cli) file: FileArgs,
}

/// The least severity that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Least {
    /// Everything
    Note,
    /// Warnings and errors
    Warning,
    /// Only errors
    Error,
}

impl From<Least> for Severity {
    fn from(least: Least) -> Self {
        match least {
            Least::Note => Severity::Note,
            Least::Warning => Severity::Warning,
            Least::Error => Severity::Error,
        }
    }
}
