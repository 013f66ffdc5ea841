//! The command line: arguments in, exit status out. One file for each command.
//!
//! `args` holds the flags as they are given. `config` turns them into a configuration, once. Nothing outside this
//! folder names a type of the command line.

mod args;
mod cat;
mod check;
mod cluster;
mod conclusion;
mod config;
mod diff;
mod eval;
mod extract;
mod features;
mod fields;
mod find;
mod index;
mod inputs;
mod inspect;
mod kept;
mod log;
mod mend;
mod meter;
mod metrics;
mod output;
mod pages;
mod progress;
mod records;
mod run;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod sites;
mod summary;
mod topics;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use args::{Args, Command};
use dehusk_archive::escape::terminal;
use dehusk_archive::redact;
use dehusk_documents::suggestion::nearest_word;
#[cfg(not(feature = "serve"))]
use dehusk_engine::config::lacking;

/// Wrong usage or configuration.
const USAGE: u8 = 2;

/// An input could not be read, or an output could not be written.
const FAILURE: u8 = 1;

/// Finished, but something was damaged or beyond a limit.
const INCOMPLETE: u8 = 3;

/// Finished, but with fewer documents than were asked for.
const TOO_FEW: u8 = 4;

/// A network or a server did not answer; the same command may succeed later.
const UNREACHABLE: u8 = 5;

/// Finished, and nothing worse than a warning was found, but an option makes warnings count.
const WARNED: u8 = 6;

/// Ended by a signal.
const INTERRUPTED: u8 = 130;

/// Why a command failed: its exit status and its message.
#[derive(Debug)]
struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    fn usage(message: impl ToString) -> Self {
        Self {
            status: USAGE,
            message: message.to_string(),
        }
    }

    fn other(message: impl ToString) -> Self {
        Self {
            status: FAILURE,
            message: message.to_string(),
        }
    }
}

/// A message that is safe to print, whatever names it contains.
fn printable(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(terminal).collect();
    lines.join("\n")
}

/// Adds the nearest command to the error of an unknown one. `clap` suggests none for short words.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(wrong))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return error;
    };
    let known = Args::command();
    let known = known.get_subcommands().map(clap::Command::get_name);
    if std::path::Path::new(wrong).exists() {
        let remedy = clap::builder::StyledStr::from(format!("to read an archive: dehusk run {wrong} -o DIR"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![remedy]));
    } else if let Some(near) = nearest_word(wrong, known) {
        let suggested = ContextValue::Strings(vec![near.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, suggested);
    }
    error
}

/// Flags of another command or another program, and what to use instead.
const OTHER_FLAGS: &[(&str, &str)] = &[
    ("--markdown", "to write Markdown: --text markdown"),
    ("--resume", "to continue a run, give the same command again"),
    (
        "--explain",
        "`inspect ARCHIVE@OFFSET` explains without a flag, `extract` with --explain",
    ),
];

/// Replaces the tip that an unknown flag may be a value. A file rarely has such a name.
fn with_other_flag(mut error: clap::Error) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(wrong))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let wrong = wrong.split('=').next().unwrap_or_default();
    let remedy = OTHER_FLAGS.iter().find(|(flag, _)| *flag == wrong);
    if let Some((_, remedy)) = remedy {
        error.remove(ContextKind::SuggestedArg);
        let remedy = clap::builder::StyledStr::from(*remedy);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![remedy]));
    } else if wrong.starts_with("--") {
        error.remove(ContextKind::Suggested);
    }
    error
}

/// Takes credentials out of the arguments that an error shows.
fn without_credentials(mut error: clap::Error) -> clap::Error {
    let shown: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in shown {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(redact::name(&text).into_owned()),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.iter().map(|text| redact::name(text).into_owned()).collect())
            }
            _ => continue,
        };
        error.insert(kind, value);
    }
    error
}

/// The definition of the command line.
pub fn command() -> clap::Command {
    Args::command()
}

/// Runs the program: parses the arguments, runs the command, prints its error.
pub fn main() -> ExitCode {
    // Archives are mapped, and another program may shorten one while it is read.
    #[cfg(unix)]
    dehusk_archive::sigbus::install();
    // A write beyond the limit of a file's size fails then, as other writes do, and the message says so.
    #[cfg(unix)]
    dehusk_archive::sigbus::ignore(signal_hook::consts::SIGXFSZ);
    let args = Args::try_parse().unwrap_or_else(|error| {
        let error = without_credentials(with_other_flag(with_suggestion(error)));
        if error.exit_code() == i32::from(USAGE) {
            metrics::refuse_arguments(std::env::args_os().skip(1));
        }
        error.exit()
    });
    let result = match args.command {
        Command::Run(args) => run::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Mend(args) => mend::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Topics(args) => topics::run(&args),
        Command::Sites(args) => sites::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(Failure::usage(lacking("serve"))),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "dehusk", &mut script);
            output::write_stdout(&script)
        }
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            output::say(format!("dehusk: {}", printable(&failure.message)));
            ExitCode::from(failure.status)
        }
    }
}
