//! `dehusk cluster`: the near-duplicates among the documents of runs.

use std::thread;

use super::args::{ClusterArgs, ClusterFormat, Features};
use super::output::{say, write_stdout};
use super::{Failure, INCOMPLETE, printable};
use dehusk_corpus::cluster::{
    ClusterError, FeatureKind, Options, Summary, TemplateSummary, TemplateWords, cluster, cluster_with_index,
    write_template,
};
use dehusk_corpus::readback::Account;
use dehusk_engine::config::{MOST_THREADS, not_built_in};
use dehusk_engine::sites::Sites;

pub(super) fn run(args: &ClusterArgs) -> Result<u8, Failure> {
    if !(args.threshold > 0.0 && args.threshold <= 1.0) {
        let message = format!("--threshold must be above 0 and at most 1, not {}", args.threshold);
        return Err(Failure::usage(message));
    }
    if args
        .threads
        .is_some_and(|threads| threads == 0 || threads as u64 > MOST_THREADS)
    {
        let message = format!("--threads must be 1 to {MOST_THREADS}");
        return Err(Failure::usage(message));
    }
    if let (ClusterFormat::Sqlite, Some(how)) = (args.format, not_built_in("sqlite")) {
        return Err(Failure::usage(format!("--format sqlite cannot be written{how}")));
    }
    let runs = Account::read_each(&args.runs).map_err(Failure::other)?;
    let sites = args
        .sites
        .as_deref()
        .map(Sites::open)
        .transpose()
        .map_err(Failure::other)?;
    let options = Options {
        by: match args.by {
            Features::Shingles => FeatureKind::Shingles,
            Features::Spotsigs => FeatureKind::Spotsigs,
            Features::Minhash => FeatureKind::Minhash,
        },
        threshold: args.threshold,
        threads: args
            .threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
        overwrite: args.overwrite,
    };
    let copy = args.deduplicated.as_deref();
    let summary = match &args.index {
        Some(index) => cluster_with_index(&runs, &args.output, options, (index, copy)),
        None => cluster(&runs, &args.output, options, copy),
    };
    let summary = summary.map_err(|e| match e {
        ClusterError::Occupied(_) => Failure::usage(e),
        e => Failure::other(e),
    })?;
    #[cfg(feature = "sqlite")]
    if args.format == ClusterFormat::Sqlite {
        dehusk_corpus::cluster::write_database(&runs, &args.output, args.overwrite).map_err(Failure::other)?;
    }
    write_stdout(text(&summary).as_bytes())?;
    if let Some(sites) = &sites {
        write_stdout(template(args, &runs, sites)?.as_bytes())?;
    }
    let mut status = 0;
    for warning in runs.iter().filter_map(Account::warning) {
        say(format!("dehusk: {}", printable(&warning)));
        status = INCOMPLETE;
    }
    Ok(status)
}

/// So many other pages must hold a line that is template.
const LEAST_PAGES: u32 = 2;

/// Writes how much of each document is template, and returns the lines about it.
fn template(args: &ClusterArgs, runs: &[Account], sites: &Sites) -> Result<String, Failure> {
    let written = write_template(runs, &args.output, args.overwrite, |document| {
        let counted = sites.repeated_words(&document.metadata.url, &document.text, LEAST_PAGES)?;
        Ok(counted.map(|counted| TemplateWords {
            known: counted.known,
            words: counted.words,
            repeated: counted.repeated,
        }))
    });
    let TemplateSummary { known, mostly } = written.map_err(Failure::other)?;
    Ok(format!(
        "{known:>12} documents of known hosts\n{mostly:>12} of them at least half template\n"
    ))
}

fn text(summary: &Summary) -> String {
    let mut lines = vec![
        (summary.documents, "documents"),
        (summary.clusters, "clusters"),
        (summary.clustered, "documents in clusters of two and more"),
        (summary.duplicates, "documents that another one represents"),
        (summary.largest, "documents in the largest cluster"),
    ];
    if summary.without_features > 0 {
        lines.push((
            summary.without_features,
            "documents without features, each a cluster of its own",
        ));
    }
    if let Some(index) = &summary.index {
        lines.push((index.added, "documents added to the index"));
        lines.push((index.joined, "clusters of earlier nights joined to an older one"));
        lines.push((index.documents, "documents in the index"));
        lines.push((index.clusters, "clusters in the index"));
    }
    lines
        .iter()
        .map(|(count, what)| format!("{count:>12} {what}\n"))
        .collect()
}
