//! `dehusk sites`: learns what the pages of each site share.

use std::path::Path;

use serde_json::json;

use super::args::SitesArgs;
use super::output::{say, write_stdout};
use super::run::watch_signals;
use super::{Failure, INCOMPLETE, INTERRUPTED, inputs, printable};
use dehusk_archive::escape::{self, terminal};
use dehusk_engine::pipeline::{Progress, Stop};
use dehusk_engine::sites::{HostPages, MadeSites, Sites, SitesError, make_sites};

/// Texts that the listing shows of a host.
const LISTED: usize = 40;

pub(super) fn run(args: &SitesArgs) -> Result<u8, Failure> {
    match (&args.show, &args.output) {
        (Some(host), _) => show(args, host),
        (None, Some(output)) if output == Path::new("-") => {
            Err(Failure::usage("the store is a file: give ./- for one of that name"))
        }
        (None, Some(output)) => make(args, output),
        (None, None) => Err(Failure::usage("give -o SITES, the store to write")),
    }
}

fn make(args: &SitesArgs, output: &Path) -> Result<u8, Failure> {
    let config = args.resolve().map_err(Failure::usage)?;
    let inputs = inputs::resolve(&config, &args.archives).map_err(Failure::usage)?;
    let stop = Stop::default();
    watch_signals(stop.clone())?;
    let made = make_sites(&config, &inputs.archives, output, &Progress::default(), &stop);
    let made = made.map_err(|e| match e {
        SitesError::Config(e) => Failure::usage(e),
        SitesError::Stopped { .. } => Failure {
            status: INTERRUPTED,
            message: e.to_string(),
        },
        e => Failure::other(e),
    })?;
    write_stdout(summary(&made).as_bytes())?;
    for (archive, why) in &made.failed {
        say(format!("dehusk: {}: {}", escape::path(archive), printable(why)));
    }
    Ok(if made.failed.is_empty() { 0 } else { INCOMPLETE })
}

fn summary(made: &MadeSites) -> String {
    let mut lines = vec![
        (made.pages, "pages read"),
        (made.ledger.filtered.sum(), "records left out"),
        (made.ledger.failed.sum(), "records failed"),
    ];
    if made.without_host > 0 {
        lines.push((made.without_host, "pages without a host"));
    }
    lines.push((made.hosts, "hosts in the store"));
    lines.push((made.remembered, "pages in the store"));
    lines
        .iter()
        .map(|(count, what)| format!("{count:>12} {what}\n"))
        .collect()
}

fn show(args: &SitesArgs, host: &str) -> Result<u8, Failure> {
    let [store] = args.archives.as_slice() else {
        return Err(Failure::usage("with --show, give one store and no archives"));
    };
    let sites = Sites::open(Path::new(store)).map_err(Failure::other)?;
    let host = host.trim_end_matches('.').to_lowercase();
    let pages = sites.host(&host).map_err(Failure::other)?;
    let Some(pages) = pages else {
        let message = format!(
            "{}: no page of {} is known",
            escape::path(Path::new(store)),
            terminal(&host)
        );
        return Err(Failure::other(message));
    };
    let listing = if args.json {
        as_json(&host, &pages)
    } else {
        as_text(&host, &pages)
    };
    write_stdout(listing.as_bytes())
}

fn as_text(host: &str, pages: &HostPages) -> String {
    let repeated = pages.repeated();
    let (count, all) = (pages.len(), pages.repeated_count());
    let mut text = format!(
        "{}: {count} pages known, {all} texts on two and more of them\n",
        terminal(host)
    );
    text.push_str("\npages  layout\n");
    for (number, layout) in pages.layouts().iter().enumerate() {
        let sure = match layout.sure {
            0 => String::new(),
            sure => format!(", {} texts on two and more, {sure} % sure", layout.texts),
        };
        text.push_str(&format!("{:>5}  {}{sure}\n", layout.pages, number + 1));
    }
    text.push_str("\npages  text (digits as 0)\n");
    for line in repeated.iter().take(LISTED) {
        text.push_str(&format!("{:>5}  {}\n", line.pages, terminal(&line.begin)));
    }
    if let Some(more) = repeated.len().checked_sub(LISTED + 1) {
        text.push_str(&format!("and {} more: --json lists them\n", more + 1));
    }
    text
}

fn as_json(host: &str, pages: &HostPages) -> String {
    let repeated = pages.repeated();
    let repeated: Vec<_> = repeated
        .iter()
        .map(|text| json!({ "begin": text.begin, "pages": text.pages }))
        .collect();
    let layouts: Vec<_> = pages
        .layouts()
        .iter()
        .map(|layout| json!({ "pages": layout.pages, "texts": layout.texts, "sure": layout.sure }))
        .collect();
    let listing = json!({
        "host": host,
        "pages": pages.len(),
        "texts": pages.repeated_count(),
        "layouts": layouts,
        "repeated": repeated,
    });
    format!("{listing:#}\n")
}
