//! The arguments of `dehusk serve`.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

use clap::Parser;

use super::shared::ConfigArgs;

const SERVE_EXAMPLES: &str = "\
Examples:
  dehusk serve crawl.warc.gz             # look at it: http://127.0.0.1:8070/
  dehusk serve out/                      # look at the archives of a run
  dehusk serve crawl.warc.gz --truth-out truth.jsonl   # mark the content of pages
  dehusk serve                           # the service, and pages that you paste
  dehusk serve --port 0 --set limits.page_bytes=1000000
  curl -s --data-binary @page.html -H 'Content-Type: text/html' 'http://127.0.0.1:8070/extract?format=json'

The inspector, at /, lists the records of the archives and shows for each page
what was kept, what was left out, and why. POST /extract gives the document of a
page, POST /explain also the result for each node. GET /openapi.json describes
the service. The limits of pages are those of `run` (limits.page_bytes and so
on), and run.threads workers do the work.

Exit status:
  0    it was stopped, and finished the requests in flight
  1    it cannot listen
  2    wrong usage or configuration";

// Every program takes them, so that help, completions and manual pages have them.
#[derive(Debug, Parser)]
#[command(after_help = SERVE_EXAMPLES)]
pub(in crate::cli) struct ServeArgs {
    /// The archives that the inspector shows, as for `run`; or run directories, for the archives of the runs
    ///
    /// Nothing else on this machine can be read through the server.
    #[arg(value_name = "ARCHIVE | RUN_DIR")]
    pub(in crate::cli) inputs: Vec<OsString>,

    /// The known main content of pages, to measure comparisons by, as for `eval`; repeat it for more
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) truth: Vec<PathBuf>,

    /// Let people mark the content of pages, and write it to this truth file, as `eval` and `features` read it
    ///
    /// An existing file is continued: a line changes only if its page is marked again. Without this option the server
    /// writes nothing.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) truth_out: Option<PathBuf>,

    /// Measure each extractor on the marked pages when there are at least this many
    #[arg(long, value_name = "PAGES", default_value_t = 50, requires = "truth_out")]
    pub(in crate::cli) measure_from: usize,

    /// The port to listen on; 0 for any that is free
    #[arg(short, long, value_name = "N", default_value_t = 8070)]
    pub(in crate::cli) port: u16,

    /// The address to listen on
    ///
    /// Everyone who can reach it can use the server: there are no passwords.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(in crate::cli) bind: IpAddr,

    /// Also answer requests for this host name
    ///
    /// The address of the server and localhost are always allowed. Other names are refused, because another
    /// site can point its own name at this server. Repeat it for more.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) host: Vec<String>,

    /// How many requests may be worked on or wait; further ones are refused
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub(in crate::cli) requests: usize,

    /// How many connections may be open; further ones are refused
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub(in crate::cli) connections: usize,

    /// How long a request may take to arrive, and how long its work may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    pub(in crate::cli) timeout: f64,

    #[command(flatten)]
    pub(in crate::cli) config: ConfigArgs,
}
