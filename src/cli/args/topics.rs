//! The arguments of `dehusk topics`.

use std::path::PathBuf;

use clap::Parser;

use super::shared::{local_path, similarity};
use dehusk_corpus::topics::{DEFAULT_STORIES, DEFAULT_THRESHOLD, DEFAULT_WINDOW};

const EXAMPLES: &str = "\
Examples:
  dehusk topics out -o news
  dehusk topics monday tuesday -o news --clusters near
  dehusk topics out -o news --window 30 --threshold 0.15
  dehusk topics tonight -o news --index topics.store
  jq -r '[.stories, .titles[0].title] | @tsv' news/topics.jsonl

Stories are read in the order of their dates: when the page was published, or
else when it was crawled. Each joins the most similar open topic by its TF-IDF
vector, or begins a new one. A topic is closed when no story came for some days.
Languages are kept apart. Near-duplicates count once; they are found first, and
written to DIR/clusters, unless --clusters names them.

Output:
  DIR/topics.html         the topics on a timeline, as a page
  DIR/topics.jsonl        a line for each topic, the largest first
  DIR/assignments.jsonl   a line for each document, in the order of the runs
  DIR/topics.json         the parameters and the sums

Documents without a date come last. Those with fewer than ten different terms
belong to no topic. Memory grows by about 200 bytes a document; terms go to a
temporary file in DIR, about 4 KB a document.

Exit status:
  0    every document was read
  1    a run, a shard or the clusters could not be read, or the output failed
  2    wrong usage
  3    a run is not finished; its documents so far were used";

#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct TopicsArgs {
    /// Directories of runs, or folders with runs in them
    #[arg(required = true, value_name = "RUN_DIR")]
    pub(in crate::cli) runs: Vec<PathBuf>,

    /// Write the topics to this directory
    #[arg(short, long, value_name = "DIR", value_parser = local_path())]
    pub(in crate::cli) output: PathBuf,

    /// The near-duplicates, as `dehusk cluster` wrote them: clusters.jsonl or its directory [default: find them]
    #[arg(long, value_name = "CLUSTERS")]
    pub(in crate::cli) clusters: Option<PathBuf>,

    /// Keep the topics of all nights in this file; it is created if it is missing. Each RUN_DIR is a night
    #[arg(long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) index: Option<PathBuf>,

    /// Close a topic when no story came for this many days
    #[arg(long, value_name = "DAYS", default_value_t = DEFAULT_WINDOW)]
    pub(in crate::cli) window: u32,

    /// Let a story join a topic that is at least this similar, above 0 and at most 1
    #[arg(long, value_name = "SIMILARITY", default_value_t = DEFAULT_THRESHOLD, value_parser = similarity)]
    pub(in crate::cli) threshold: f64,

    /// List topics of at least this many stories
    #[arg(long, value_name = "STORIES", default_value_t = DEFAULT_STORIES)]
    pub(in crate::cli) min_stories: u32,

    /// Replace the topics in DIR
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,
}
