//! The arguments of the commands that read runs back.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::shared::{local_path, similarity};
use dehusk_corpus::cluster::DEFAULT_THRESHOLD;

const CAT_EXAMPLES: &str = "\
Examples:
  dehusk cat out | head -n 1
  dehusk cat out --field url
  dehusk cat out --field url,title,words --format csv > pages.csv
  dehusk cat out --id urn:uuid:a9c51e3e-0221-11e7-adb1-0242ac120005
  dehusk cat nights/ --where 'language = en and words >= 50'
  dehusk cat out --where 'not (words < 50 or url ~ /tag/)'
  dehusk cat out --where 'url ~ ^https://blog[.]' --field text --null
  dehusk cat out --where 'score < 0.6' --records doubtful.warc.gz

A condition is FIELD SIGN VALUE. The signs are = != < <= > >=, and for regular
expressions ~ and !~. Join conditions with not, and, or and parentheses: not
binds the closest, then and. Put a value that contains these in double quotes.

CSV and TSV begin with a line of names, and an unknown value is empty.
In TSV, a tab, a line end and a backslash are written as \\t, \\n, \\r and \\\\.

Exit status:
  0    every document was read
  1    a run or a shard could not be read; the others were
  2    wrong usage
  3    a run is not finished; its documents so far were printed";

#[derive(Debug, Parser)]
#[command(after_help = CAT_EXAMPLES)]
pub(in crate::cli) struct CatArgs {
    /// Directories of runs, folders with runs in them, or single shards
    #[arg(required = true, value_name = "RUN_DIR")]
    pub(in crate::cli) runs: Vec<PathBuf>,

    /// Print only these fields of each document, such as url,title,words
    #[arg(short, long = "field", value_name = "FIELD,...", value_delimiter = ',')]
    pub(in crate::cli) fields: Vec<String>,

    /// How to print documents [default: text for one field, jsonl otherwise]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<CatFormat>,

    /// End each value with a NUL byte instead of a line end
    #[arg(short = '0', long, requires = "fields")]
    pub(in crate::cli) null: bool,

    /// Print only the document with this id; repeat it for more
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) id: Vec<String>,

    /// Print only documents of this URL; repeat it for more
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) url: Vec<String>,

    /// Print only documents that meet this condition, such as 'words >= 50'; if you repeat it, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    pub(in crate::cli) conditions: Vec<String>,

    /// Write the records of these documents to this archive instead, and an index beside it: .warc.gz, .warc.zst or
    /// .warc
    #[arg(long, value_name = "FILE", value_parser = local_path(), conflicts_with_all = ["fields", "format", "null"])]
    pub(in crate::cli) records: Option<PathBuf>,

    /// Replace the archive of --records and its index if they exist
    #[arg(long, requires = "records")]
    pub(in crate::cli) overwrite: bool,
}

/// How `cat` prints documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CatFormat {
    /// A line of JSON for each document
    Jsonl,
    /// The value of one field
    Text,
    /// Comma-separated values, with quotes where they are needed
    Csv,
    /// Tab-separated values, with backslashes for tabs and line ends
    Tsv,
}

const SEARCH_EXAMPLES: &str = "\
Examples:
  dehusk search out 'night ferry'
  dehusk search out '\"red tea\" harbour' --language en --limit 50
  dehusk search nights/ 青石镇 --host example.org
  dehusk search out ferry --where 'words >= 300' --json | jq -r .place

All words must be in the title or the text of a document, in any case; words in
double quotes must follow one another. Chinese and Japanese need no spaces.

For runs in SQLite (--format sqlite), the index is searched, and the best hits
come first. Other runs are read, and hits come in their order. An index finds
whole words; with output.tokenizer = \"trigram\" also parts of Chinese and
Japanese texts. Without that, such texts are read.

Exit status:
  0    every run was searched, with or without hits
  1    a run or a shard could not be read; the others were
  2    wrong usage
  3    a run is not finished; its documents so far were searched";

#[derive(Debug, Parser)]
#[command(after_help = SEARCH_EXAMPLES)]
pub(in crate::cli) struct SearchArgs {
    /// Directories of runs, or folders with runs in them; and last the words, with phrases in double quotes
    #[arg(required = true, value_names = ["RUN_DIR", "WORDS"], num_args = 1..)]
    runs_and_words: Vec<OsString>,

    /// Print at most this many documents
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(in crate::cli) limit: usize,

    /// Only documents of this host, and of hosts below it; repeat it for more
    #[arg(long, value_name = "HOST")]
    pub(in crate::cli) host: Vec<String>,

    /// Only documents in this language, such as en; repeat it for more
    #[arg(long, value_name = "CODE")]
    pub(in crate::cli) language: Vec<String>,

    /// Only documents that meet this condition, as for `cat`; if you repeat it, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    pub(in crate::cli) conditions: Vec<String>,

    /// Print a JSON object for each document
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl SearchArgs {
    /// The runs, and the words to search for.
    pub(in crate::cli) fn runs_and_words(&self) -> Result<(Vec<PathBuf>, &str), String> {
        let missing = || "give the runs, and after them the words: dehusk search RUN_DIR 'words'".to_owned();
        let (words, runs) = self.runs_and_words.split_last().ok_or_else(missing)?;
        if runs.is_empty() {
            return Err(missing());
        }
        let words = words.to_str().ok_or_else(|| "the words are not UTF-8".to_owned())?;
        Ok((runs.iter().map(PathBuf::from).collect(), words))
    }
}

const DIFF_EXAMPLES: &str = "\
Examples:
  dehusk diff before after
  dehusk diff before after --format html -o diff.html --worst 50
  dehusk diff before after --format json | jq .totals
  dehusk diff --before monday tuesday --after again/
  dehusk diff monday tuesday --drift

A folder means all runs in it. Documents are joined by archive and id. Words are
those of `dehusk eval`; the similarity of two texts is the share of words that
they have in common, in order.

With --drift nothing is joined, so the runs may have different pages. It compares
shares of pages and languages, words and scores, and lists the hosts whose words,
scores, language or documents fell.

Exit status:
  0    all runs were read, with or without differences
  1    a run or a shard could not be read
  2    wrong usage
  3    a run is not finished; its documents so far were compared";

#[derive(Debug, Parser)]
#[command(after_help = DIFF_EXAMPLES)]
pub(in crate::cli) struct DiffArgs {
    /// The directory of the first run, or a folder with runs in it
    #[arg(value_name = "RUN_A", required_unless_present = "before")]
    pub(in crate::cli) run_a: Option<PathBuf>,

    /// The same for the second run
    #[arg(value_name = "RUN_B", required_unless_present = "before")]
    pub(in crate::cli) run_b: Option<PathBuf>,

    /// More runs, which the message names the flags for
    #[arg(hide = true)]
    pub(in crate::cli) more: Vec<PathBuf>,

    /// Compare these runs, taken together, with those of --after
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "after", conflicts_with_all = ["run_a", "run_b"])]
    pub(in crate::cli) before: Vec<PathBuf>,

    /// The runs that those of --before are compared with
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "before", conflicts_with_all = ["run_a", "run_b"])]
    pub(in crate::cli) after: Vec<PathBuf>,

    /// Compare the runs as two nights of a crawl: as a whole, and host by host
    #[arg(long)]
    pub(in crate::cli) drift: bool,

    /// Judge hosts with at least this many documents on the first side
    #[arg(long, value_name = "N", default_value_t = 20, requires = "drift",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::cli) least_documents: u64,

    /// How to print the comparison
    #[arg(short, long, value_enum, default_value = "text")]
    pub(in crate::cli) format: DiffFormat,

    /// Write the comparison to a file [default: standard output]
    #[arg(short, long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) output: Option<PathBuf>,

    /// How many examples of each kind to show, changed, gone and added; or how many hosts [default: 5; 20 hosts]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) worst: Option<usize>,
}

/// How `diff` prints a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DiffFormat {
    /// Tables of 80 columns
    Text,
    /// One object, with every archive, or every host that has changed
    Json,
    /// A page for a browser
    Html,
    /// Metrics for Prometheus, with --drift
    Metrics,
}

const CLUSTER_EXAMPLES: &str = "\
Examples:
  dehusk cluster out -o near
  dehusk cluster monday tuesday wednesday -o near
  dehusk cluster monday tuesday -o near --deduplicated unique
  dehusk cluster tuesday -o near-tuesday --index clusters.store
  dehusk cluster out -o near --by spotsigs --threshold 0.4
  dehusk cluster monday tuesday -o near --format sqlite
  jq -r 'select(.representative) | .id' near/clusters.jsonl

DIR/clusters.jsonl has a line for each document, in the order of the runs: its
id, its cluster, the cluster's size, and whether it represents the cluster
(the earliest crawl, then the longest text). DIR/clusters.json has the sums.
With --format sqlite, DIR/clusters.sqlite has all of it as tables: documents,
search (their words), clusters, shards, ledger and failures.

Two documents are joined if the Jaccard similarity of their features is at
least the threshold. The features are computed from the texts; a run needs
signatures only for --by minhash. Memory grows by about 60 bytes a document. The
features go to temporary files in DIR: 512 bytes a document and about 4 for each
word.

Exit status:
  0    every document was read
  1    a run or a shard could not be read, or the output failed
  2    wrong usage
  3    a run is not finished; its documents so far were clustered";

#[derive(Debug, Parser)]
#[command(after_help = CLUSTER_EXAMPLES)]
pub(in crate::cli) struct ClusterArgs {
    /// Directories of runs, or folders with runs in them
    #[arg(required = true, value_name = "RUN_DIR")]
    pub(in crate::cli) runs: Vec<PathBuf>,

    /// Write the clusters to this directory
    #[arg(short, long, value_name = "DIR", value_parser = local_path())]
    pub(in crate::cli) output: PathBuf,

    /// Write the representatives of the clusters to this directory, as JSONL; it must not exist
    #[arg(long, value_name = "DIR", value_parser = local_path())]
    pub(in crate::cli) deduplicated: Option<PathBuf>,

    /// Keep the clusters of all nights in this file; it is created if it is missing
    #[arg(long, value_name = "FILE", value_parser = local_path())]
    pub(in crate::cli) index: Option<PathBuf>,

    /// What to write: the clusters, or also a database of the runs and their clusters
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(in crate::cli) format: ClusterFormat,

    /// Also write how much of each document is template, by this store of `dehusk sites`
    #[arg(long, value_name = "SITES", value_parser = local_path())]
    pub(in crate::cli) sites: Option<PathBuf>,

    /// How to compare documents
    #[arg(long, value_enum, default_value = "shingles")]
    pub(in crate::cli) by: Features,

    /// Join documents that are at least this similar, above 0 and at most 1
    #[arg(long, value_name = "SIMILARITY", default_value_t = DEFAULT_THRESHOLD, value_parser = similarity)]
    pub(in crate::cli) threshold: f64,

    /// How many threads compute features [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(in crate::cli) threads: Option<usize>,

    /// Replace the clusters in DIR
    #[arg(long)]
    pub(in crate::cli) overwrite: bool,
}

/// The output formats of `cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ClusterFormat {
    /// clusters.jsonl, and the sums in clusters.json
    Jsonl,
    /// The same, and clusters.sqlite (in a build with the feature `sqlite`)
    Sqlite,
}

/// The features that `cluster` compares documents by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Features {
    /// Five words in a row, all over the text
    Shingles,
    /// The words after stop words
    Spotsigs,
    /// The signatures of `run --signatures minhash`: an estimate of shingles, without reading the texts
    Minhash,
}
