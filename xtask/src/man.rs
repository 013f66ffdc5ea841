//! Makes the manual pages from the command line's own definitions: `cargo xtask man DIR`.

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use crate::task::Outcome;

pub fn main(arguments: &[String]) -> Outcome {
    let [directory] = arguments else {
        return Err("man takes the directory to write to".into());
    };
    write(Path::new(directory))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages into a directory, which need not exist.
pub fn write(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(dehusk::cli::command(), directory)
}
