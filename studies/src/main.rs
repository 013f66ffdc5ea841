//! Programs that were run once, to choose a value or to fill a table of the documentation. `cargo study` lists them.

mod crawl;
mod features;
mod form;
mod hostile;
mod inflate;
mod kills;
mod linear;
mod pieces;
mod planted;
mod sample;
mod search;
mod separator;
mod serve;
mod shared;
mod stream;
mod varied;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo study STUDY

  crawl [SEED]                               how long fleets of machines take for a monthly Common Crawl: simulated
  features                                   measure what each feature costs, and write the table of docs/reach.md
  form ARCHIVE TRUTH [PRESET]                measure how much of the pages' form is in the texts
  hostile [KIND...]                          time hostile pages of 1 MiB
  hostile growth SMALL LARGE [KIND...]       compare the times at two sizes, in MiB
  inflate ARCHIVE                            CPU seconds that libdeflate takes to inflate an archive
  kills PROGRAM SCRATCH KILLS GIGABYTES ARCHIVE... [-- FLAG...]
                                             kill a run at random moments, and compare what it writes in the end
  linear [PRESET...]                         CPU time of each extractor on pages of 1, 4 and 16 MiB
  pieces inline|apart|short ARCHIVE TRUTH    select pages whose content is in pieces, or short
  planted TRUTH... ARCHIVE.warc              make pages with known near-duplicates, from texts with truth
  sample [DIR]                               make the sample archive
  search [--type TYPE] --corpus ARCHIVE TRUTH... PRESET KEY=VALUE,...
                                             search a preset's values by cross-validation
  separator ARCHIVE TRUTH                    count the pages on which NCE's assumption 1 holds
  serve FOLDER [DELAY_MS] [faults]           serve files over HTTP on the loopback: slowly, or with errors and broken \
  bodies
  stream TRUTH LABELS.jsonl                  label the stories of daniel-dev
  varied [copies | brief] DOCUMENTS TRUTH... ARCHIVE.warc.wet
                                             make any number of documents, of which three in ten are near-copies
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((study, arguments)) = arguments.split_first() else {
        return usage();
    };
    let outcome = match study.as_str() {
        "crawl" => crawl::main(arguments),
        "features" => features::main(arguments),
        "form" => form::main(arguments),
        "hostile" => hostile::main(arguments),
        "inflate" => inflate::main(arguments),
        "kills" => kills::main(arguments),
        "linear" => linear::main(arguments),
        "pieces" => pieces::main(arguments),
        "planted" => planted::main(arguments),
        "sample" => sample::main(arguments),
        "search" => search::main(arguments),
        "separator" => separator::main(arguments),
        "serve" => serve::main(arguments),
        "stream" => stream::main(arguments),
        "varied" => varied::main(arguments),
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
