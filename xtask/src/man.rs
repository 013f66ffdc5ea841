//! Makes the manual pages from the command line's own definitions: `cargo xtask man DIR`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::Outcome;

pub fn main(arguments: &[String]) -> Outcome {
    let [directory] = arguments else {
        return Err("man takes the directory to write to".into());
    };
    let directory = Path::new(directory);
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(dehusk::internals::cli::command(), directory)?;
    Ok(ExitCode::SUCCESS)
}
