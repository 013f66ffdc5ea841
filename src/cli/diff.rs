//! `dehusk diff`: two runs compared.

use std::fs;

use super::args::{DiffArgs, DiffFormat};
use super::output::{say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, printable};
use crate::diff::{compare, html, text};
use crate::readback::Account;
use dehusk_archive::escape;

pub(super) fn run(args: &DiffArgs) -> Result<u8, Failure> {
    let a = Account::read(&args.run_a).map_err(Failure::other)?;
    let b = Account::read(&args.run_b).map_err(Failure::other)?;
    let comparison = compare(&a, &b, args.worst).map_err(Failure::other)?;
    let report = match args.format {
        DiffFormat::Text => text(&comparison),
        DiffFormat::Json => comparison.json().map_err(Failure::other)?,
        DiffFormat::Html => html(&comparison),
    };
    match &args.output {
        Some(path) => fs::write(path, report)
            .map_err(|e| Failure::other(format!("{}: cannot be written: {e}", escape::path(path))))?,
        None => drop(write_stdout(report.as_bytes())?),
    }
    for problem in &comparison.problems {
        say(format!("dehusk: {}", printable(problem)));
    }
    if !comparison.problems.is_empty() {
        return Ok(FAILURE);
    }
    for warning in [&a, &b].into_iter().filter_map(Account::warning) {
        say(format!("dehusk: {}", printable(&warning)));
    }
    match a.is_complete() && b.is_complete() {
        true => Ok(0),
        false => Ok(INCOMPLETE),
    }
}
