//! `dehusk serve`: the extraction service and the inspector.

use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::args::ServeArgs;
use super::output::{refuse_in_run, say};
use super::{Failure, INTERRUPTED};
use dehusk_serve::{ServeError, ServeOptions, Server, Stop};

/// More requests or connections than any machine has.
const MOST: usize = 1 << 20;

/// Longest and shortest time of a request, in seconds.
const TIMES: std::ops::RangeInclusive<f64> = 0.1..=86400.0;

pub(super) fn run(args: &ServeArgs) -> Result<u8, Failure> {
    let config = args.config.resolve().map_err(Failure::usage)?;
    let server = Server::bind(&config, options(args)?).map_err(|error| match error {
        ServeError::Config(error) => Failure::usage(error),
        ServeError::Inputs(error) => Failure::usage(error),
        error => Failure::other(error),
    })?;
    let stop = Stop::default();
    watch_signals(stop.clone())?;
    let address = server.address();
    say(format!("dehusk: listens on http://{address}/ (Ctrl-C ends it)"));
    if !address.ip().is_loopback() {
        say("dehusk: warning: other machines can reach this address, and there are no passwords");
        if args.truth_out.is_some() {
            say("dehusk: warning: they can change the file of --truth-out, too");
        }
    }
    server.run(&stop).map_err(Failure::other)?;
    Ok(0)
}

fn options(args: &ServeArgs) -> Result<ServeOptions, Failure> {
    for (flag, number) in [("--requests", args.requests), ("--connections", args.connections)] {
        if !(1..=MOST).contains(&number) {
            return Err(Failure::usage(format!(
                "{flag} must lie between 1 and {MOST}, not be {number}"
            )));
        }
    }
    if !TIMES.contains(&args.timeout) {
        let (least, most) = (TIMES.start(), TIMES.end());
        let message = format!(
            "--timeout must lie between {least} and {most} seconds, not be {}",
            args.timeout
        );
        return Err(Failure::usage(message));
    }
    if args.inputs.iter().any(|input| input == "-") {
        let message = "standard input cannot be read twice; save the archive to a file first";
        return Err(Failure::usage(message));
    }
    if let Some(path) = &args.truth_out {
        if path == Path::new("-") {
            let message =
                "marks cannot be written to standard output, as the file is read, too: give --truth-out a file";
            return Err(Failure::usage(message));
        }
        refuse_in_run(path)?;
    }
    let mut options = ServeOptions::default();
    options.inputs.clone_from(&args.inputs);
    options.truth.clone_from(&args.truth);
    options.truth_out.clone_from(&args.truth_out);
    options.measure_from = args.measure_from;
    options.address = SocketAddr::new(args.bind, args.port);
    options.hosts.clone_from(&args.host);
    options.requests = args.requests;
    options.connections = args.connections;
    options.timeout = Duration::from_secs_f64(args.timeout);
    Ok(options)
}

/// The first signal asks the server to end cleanly; the second ends the program at once.
fn watch_signals(stop: Stop) -> Result<(), Failure> {
    let failed = |e| Failure::other(format!("signals cannot be handled: {e}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let watch = move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            stop.stop();
        }
        if signals.next().is_some() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    thread::Builder::new()
        .name("signals".into())
        .spawn(watch)
        .map_err(failed)?;
    Ok(())
}
