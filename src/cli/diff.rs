//! `dehusk diff`: two runs, or two sets of runs, compared.

use std::fs;

use super::args::{DiffArgs, DiffFormat};
use super::output::{refuse_in_run, say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, printable};
use dehusk_archive::escape;
use dehusk_corpus::diff::{compare, html, text};
use dehusk_corpus::readback::Account;

pub(super) fn run(args: &DiffArgs) -> Result<u8, Failure> {
    if !args.more.is_empty() {
        return Err(Failure::usage(
            "only two runs are compared; for several a side, name them by flags: dehusk diff --before A1 A2 --after B1 \
                B2",
        ));
    }
    let a = Account::read_each(args.run_a.iter().chain(&args.before)).map_err(Failure::other)?;
    let b = Account::read_each(args.run_b.iter().chain(&args.after)).map_err(Failure::other)?;
    args.output.as_deref().map_or(Ok(()), refuse_in_run)?;
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
    let mut status = 0;
    for warning in a.iter().chain(&b).filter_map(Account::warning) {
        say(format!("dehusk: {}", printable(&warning)));
        status = INCOMPLETE;
    }
    Ok(status)
}
