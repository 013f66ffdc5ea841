//! The developers' tools. `cargo xtask` lists them.

mod api;
#[cfg(feature = "packages")]
mod dist;
mod instructions;
#[cfg(feature = "packages")]
mod man;
mod pictures;
mod release;
mod schema;
mod site;
mod task;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  api [--check]       write docs/api.txt, or check that it is up to date
  schema [--check]    write what is published of the schema of documents, or check it
  man DIR             make the manual pages
  pictures            make the pictures of the documentation
  site                make the site of the documentation in target/site/html
  dist                pack a statically linked program, as a tar file and as a Debian package
  release --dry-run   make and check all that a release publishes
  instructions        the workload that .ci/instructions counts
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, arguments)) = arguments.split_first() else {
        return usage();
    };
    let outcome = match task.as_str() {
        "api" => api::main(arguments),
        "schema" => schema::main(arguments),
        #[cfg(feature = "packages")]
        "man" => man::main(arguments),
        "site" => site::main(arguments),
        "pictures" => pictures::main(arguments),
        #[cfg(feature = "packages")]
        "dist" => dist::main(arguments),
        "release" => release::main(arguments),
        "instructions" => instructions::main(),
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
