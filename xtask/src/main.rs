//! The developers' tools. `cargo xtask` lists them.

mod api;
mod cpu_time;
mod dist;
mod features;
mod form;
mod hostile;
mod inflate;
mod instructions;
mod kills;
mod man;
mod pages;
mod pieces;
mod planted;
mod sample;
mod schema;
mod search;
mod separator;
mod serve;
#[path = "../../tests/support/server/mod.rs"]
mod server;
mod stream;

use std::error::Error;
use std::process::ExitCode;

/// What a task returns: the exit status, or the error that stopped it.
type Outcome = Result<ExitCode, Box<dyn Error>>;

const USAGE: &str = "\
usage: cargo xtask TASK

  api [--check]                              write docs/api.txt, or check that it is up to date
  schema [--check]                           write what is published of the schema of documents, or check it
  man DIR                                    make the manual pages
  features                                   measure what each feature costs, and write the table of docs/reach.md
  dist                                       pack a statically linked program, as a tar file and as a Debian package
  sample [DIR]                               make the sample archive
  instructions                               the workload that .ci/instructions counts
  hostile [KIND...]                          time hostile pages of 1 MiB
  hostile growth SMALL LARGE [KIND...]       compare the times at two sizes, in MiB
  search [--type TYPE] --corpus ARCHIVE TRUTH... PRESET KEY=VALUE,...
                                             search a preset's values by cross-validation
  pieces inline|apart|short ARCHIVE TRUTH    select pages whose content is in pieces, or short
  separator ARCHIVE TRUTH                    count the pages on which NCE's assumption 1 holds
  form ARCHIVE TRUTH [PRESET]                measure how much of the pages' form is in the texts
  kills PROGRAM SCRATCH KILLS GIGABYTES ARCHIVE... [-- FLAG...]
                                             kill a run at random moments, and compare what it writes in the end
  planted make TRUTH... ARCHIVE.warc        make pages with known near-duplicates, from texts with truth
  planted score CLUSTERS.jsonl               precision and recall of clusters of such pages
  stream make TRUTH LABELS.jsonl             label the stories of daniel-dev
  stream score LABELS.jsonl ASSIGNMENTS.jsonl...
                                             the detection cost of topics on that stream
  serve FOLDER [DELAY_MS] [faults]           serve files over HTTP on the loopback: slowly, or with errors and broken bodies
  inflate ARCHIVE                            CPU seconds that libdeflate takes to inflate an archive
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, arguments)) = arguments.split_first() else {
        return usage();
    };
    let outcome = match task.as_str() {
        "api" => api::main(arguments),
        "schema" => schema::main(arguments),
        "sample" => sample::main(arguments),
        "instructions" => instructions::main(),
        "dist" => dist::main(arguments),
        "features" => features::main(arguments),
        "man" => man::main(arguments),
        "form" => form::main(arguments),
        "hostile" => hostile::main(arguments),
        "search" => search::main(arguments),
        "pieces" => pieces::main(arguments),
        "planted" => planted::main(arguments),
        "separator" => separator::main(arguments),
        "stream" => stream::main(arguments),
        "kills" => kills::main(arguments),
        "serve" => serve::main(arguments),
        "inflate" => inflate::main(arguments),
        _ => return usage(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

/// The root of the repository.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
