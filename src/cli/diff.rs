//! `dehusk diff`: two runs, or two sets of runs, compared.

use std::fs;

use super::args::{DiffArgs, DiffFormat};
use super::output::{refuse_in_run, say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, metrics, printable};
use dehusk_archive::escape;
use dehusk_corpus::diff::{compare, drift, html, text};
use dehusk_corpus::readback::Account;

/// The examples and the hosts that are shown unless another number is asked for.
const EXAMPLES: usize = 5;
const HOSTS: usize = 20;

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
    let (report, problems) = if args.drift {
        drifted(args, &a, &b)?
    } else {
        compared(args, &a, &b)?
    };
    match &args.output {
        Some(path) if args.format == DiffFormat::Metrics => metrics::replace(path, &report)?,
        Some(path) => fs::write(path, report)
            .map_err(|e| Failure::other(format!("{}: cannot be written: {e}", escape::path(path))))?,
        None => drop(write_stdout(report.as_bytes())?),
    }
    for problem in &problems {
        say(format!("dehusk: {}", printable(problem)));
    }
    if !problems.is_empty() {
        return Ok(FAILURE);
    }
    let mut status = 0;
    for warning in a.iter().chain(&b).filter_map(Account::warning) {
        say(format!("dehusk: {}", printable(&warning)));
        status = INCOMPLETE;
    }
    Ok(status)
}

/// The report and the problems of a comparison document by document.
fn compared(args: &DiffArgs, a: &[Account], b: &[Account]) -> Result<(String, Vec<String>), Failure> {
    if args.format == DiffFormat::Metrics {
        return Err(Failure::usage("--format metrics needs --drift"));
    }
    let comparison = compare(a, b, args.worst.unwrap_or(EXAMPLES)).map_err(Failure::other)?;
    let report = match args.format {
        DiffFormat::Json => comparison.json().map_err(Failure::other)?,
        DiffFormat::Html => html(&comparison),
        DiffFormat::Text | DiffFormat::Metrics => text(&comparison),
    };
    Ok((report, comparison.problems))
}

/// The same of two nights.
fn drifted(args: &DiffArgs, a: &[Account], b: &[Account]) -> Result<(String, Vec<String>), Failure> {
    let drift = drift(a, b, args.least_documents);
    let most = args.worst.unwrap_or(HOSTS);
    let report = match args.format {
        DiffFormat::Text => drift.text(most),
        DiffFormat::Json => drift.json().map_err(Failure::other)?,
        DiffFormat::Html => drift.html(most),
        DiffFormat::Metrics => metrics::drift_text(&drift, most),
    };
    Ok((report, drift.problems))
}
