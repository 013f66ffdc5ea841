//! `dehusk cluster`: the near-duplicates among the documents of runs.

use std::thread;

use super::args::{ClusterArgs, ClusterFormat, Features};
use super::output::{say, write_stdout};
use super::{Failure, INCOMPLETE, printable};
use dehusk_corpus::cluster::{ClusterError, FeatureKind, Options, Summary, cluster, cluster_with_index};
use dehusk_corpus::readback::Account;
use dehusk_engine::config::{MOST_THREADS, not_built_in};

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
    let mut status = 0;
    for warning in runs.iter().filter_map(Account::warning) {
        say(format!("dehusk: {}", printable(&warning)));
        status = INCOMPLETE;
    }
    Ok(status)
}

fn text(summary: &Summary) -> String {
    let mut lines = vec![
        (summary.documents, "documents"),
        (summary.clusters, "clusters"),
        (summary.clustered, "documents in clusters of two and more"),
        (summary.duplicates, "documents that another one stands for"),
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
