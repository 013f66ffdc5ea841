//! `dehusk topics`: the topics among the documents of runs.

use super::args::TopicsArgs;
use super::output::{say, write_stdout};
use super::{Failure, INCOMPLETE, printable};
use dehusk_corpus::readback::Account;
use dehusk_corpus::topics::{Options, Summary, TopicsError, topics, topics_with_index};
use dehusk_engine::config::lacking;

pub(super) fn run(args: &TopicsArgs) -> Result<u8, Failure> {
    if !(args.threshold > 0.0 && args.threshold <= 1.0) {
        let message = format!("--threshold must be above 0 and at most 1, not {}", args.threshold);
        return Err(Failure::usage(message));
    }
    if args.min_stories == 0 {
        return Err(Failure::usage("--min-stories must be at least 1"));
    }
    let options = Options {
        window: args.window,
        threshold: args.threshold,
        stories: args.min_stories,
        clusters: args.clusters.clone(),
        overwrite: args.overwrite,
    };
    let summary = match &args.index {
        Some(index) => {
            let nights = args.runs.iter().map(|night| Account::read_each([night]));
            let nights: Vec<Vec<Account>> = nights.collect::<Result<_, _>>().map_err(Failure::other)?;
            topics_with_index(&nights, &args.output, &options, index)
        }
        None => {
            let runs = Account::read_each(&args.runs).map_err(Failure::other)?;
            topics(&runs, &args.output, &options)
        }
    };
    let summary = summary.map_err(|e| match e {
        TopicsError::Occupied(_) => Failure::usage(e),
        e => Failure::other(e),
    })?;
    write_stdout(text(&summary).as_bytes())?;
    if cfg!(not(feature = "topics")) && summary.without_spaces > 0 {
        say(format!(
            "dehusk: {} documents are in languages without spaces between words, and are divided into words less well; {}",
            summary.without_spaces,
            lacking("topics")
        ));
    }
    if args.clusters.is_some() && summary.without_cluster > 0 {
        say(format!(
            "dehusk: {} documents are not in the file of clusters; each of them counts as a story of its own",
            summary.without_cluster
        ));
    }
    if let Some(index) = summary.index.as_ref().filter(|index| index.ahead > 0) {
        say(format!(
            "dehusk: {} documents are dated after their night, as by a wrong clock, and count as undated; the first: {}",
            index.ahead,
            printable(&index.first_ahead.join(", "))
        ));
    }
    for warning in &summary.incomplete {
        say(format!("dehusk: {}", printable(warning)));
    }
    Ok(if summary.incomplete.is_empty() { 0 } else { INCOMPLETE })
}

fn text(summary: &Summary) -> String {
    let mut text = format!(
        "{:>12} documents\n{:>12} stories\n{:>12} near-duplicates of stories\n{:>12} topics\n{:>12} stories in \
            topics\n",
        summary.documents, summary.stories, summary.near_duplicates, summary.topics, summary.stories_in_topics
    );
    for (count, name) in [
        (summary.short, "documents with too few words"),
        (summary.undated, "documents without a date"),
        (summary.without_language, "documents without a language"),
    ] {
        if count > 0 {
            text.push_str(&format!("{count:>12} {name}\n"));
        }
    }
    if let Some(index) = &summary.index {
        for (count, name) in [
            (index.added, "documents added to the index"),
            (index.topics, "topics in the index"),
            (index.open, "topics that are open"),
        ] {
            text.push_str(&format!("{count:>12} {name}\n"));
        }
    }
    text
}
