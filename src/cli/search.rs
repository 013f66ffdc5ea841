//! `dehusk search`: words in the documents of runs.

use std::cmp::Ordering;
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::json;

use super::args::SearchArgs;
use super::output::{say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, printable};
use dehusk_archive::escape::{self, terminal};
use dehusk_corpus::readback::{Account, Condition};
use dehusk_corpus::search::{Filter, Hit, Query, Search, Step, accounts};

/// Most hits that can be asked for. They are held in memory.
const MOST: usize = 100_000;

pub(super) fn run(args: &SearchArgs) -> Result<u8, Failure> {
    if !(1..=MOST).contains(&args.limit) {
        let message = format!("--limit must lie between 1 and {MOST}, not be {}", args.limit);
        return Err(Failure::usage(message));
    }
    let (runs, words) = args.runs_and_words().map_err(Failure::usage)?;
    let query = Query::parse(words).map_err(Failure::usage)?;
    let mut filter = Filter::default();
    filter.hosts.clone_from(&args.host);
    filter.languages.clone_from(&args.language);
    let conditions = args.conditions.iter().map(|text| Condition::parse(text));
    filter.conditions = conditions.collect::<Result<_, _>>().map_err(Failure::usage)?;
    let (accounts, failed) = accounts(&runs);
    failed.iter().for_each(complain);
    if let Some(hint) = hint_at_quotes(&runs, words) {
        say(hint);
    }
    let warnings: Vec<String> = accounts.iter().filter_map(Account::warning).collect();
    warnings.iter().for_each(complain);
    // One more shows whether there are more.
    let mut search = Search::new(&accounts, query, filter, args.limit + 1);
    let found = collect(&mut search, args.limit);
    let failures = search.progress().failed + failed.len();
    let out: String = if args.json {
        found.hits.iter().map(|hit| json_line(hit, &accounts)).collect()
    } else {
        found.hits.iter().map(text_of).collect()
    };
    write_stdout(out.as_bytes())?;
    if !args.json {
        say(found.summary(args.limit, failures > 0));
    }
    Ok(match (failures, warnings.len()) {
        (0, 0) => 0,
        (0, _) => INCOMPLETE,
        _ => FAILURE,
    })
}

/// How to give several words, if all but the first of the runs seem to be words.
fn hint_at_quotes(runs: &[PathBuf], words: &str) -> Option<String> {
    let (run, others) = runs.split_first()?;
    if others.is_empty() || others.iter().any(|path| path.exists()) {
        return None;
    }
    let others = others.iter().map(|path| path.to_string_lossy());
    let words: Vec<_> = others.chain([words.into()]).collect();
    let [run, words] = [escape::path(run), words.join(" ")].map(|word| escape::shell_word(&word).into_owned());
    let message = format!("to search for several words, quote them: dehusk search {run} {words}");
    Some(printable(&message).to_string())
}

fn complain(message: impl ToString) {
    say(format!("dehusk: {}", printable(&message.to_string())));
}

/// The hits to print.
struct Found {
    hits: Vec<Hit>,
    /// Whether there may be more.
    is_cut: bool,
    is_ranked: bool,
}

/// The best hits of indexes, best first; after them the first ones of shards without one, in the order of the runs.
fn collect(search: &mut Search, limit: usize) -> Found {
    let (mut hits, mut others): (Vec<Hit>, Vec<Hit>) = Default::default();
    let mut is_cut = false;
    while let Some(step) = search.step() {
        match step {
            Step::Hit(hit) if hit.rank.is_some() => {
                hits.push(*hit);
                if hits.len() > 2 * limit {
                    is_cut = true;
                    hits.sort_by(by_rank);
                    hits.truncate(limit);
                }
            }
            Step::Hit(hit) if others.len() < limit => others.push(*hit),
            Step::Hit(_) => {
                is_cut = true;
                // A run that comes later may have better ones in its index.
                search.only_ranked();
            }
            Step::Failed(message) => complain(message),
            _ => {}
        }
    }
    hits.sort_by(by_rank);
    hits.append(&mut others);
    is_cut |= hits.len() > limit;
    hits.truncate(limit);
    let is_ranked = hits.last().is_some_and(|hit| hit.rank.is_some());
    Found {
        hits,
        is_cut,
        is_ranked,
    }
}

/// The best first. Equal ones stay in the order of the runs.
fn by_rank(one: &Hit, other: &Hit) -> Ordering {
    let rank = |hit: &Hit| hit.rank.unwrap_or(f64::NEG_INFINITY);
    rank(other).total_cmp(&rank(one))
}

impl Found {
    fn summary(&self, limit: usize, has_failed: bool) -> String {
        let count = self.hits.len();
        match (count, self.is_cut) {
            (0, _) if has_failed => "nothing was found in what could be read".to_owned(),
            (0, _) => "no document has these words".to_owned(),
            (_, true) => {
                let which = if self.is_ranked { "best" } else { "first" };
                let more = (limit * 5).min(MOST);
                format!("the {which} {count}; --limit {more} shows more")
            }
            (1, _) => "1 document".to_owned(),
            _ => format!("{count} documents"),
        }
    }
}

/// Where the record is: `ARCHIVE@OFFSET`, as `inspect` takes it.
fn place(hit: &Hit) -> String {
    let metadata = &hit.document.metadata;
    match metadata.offset_in_member {
        0 => format!("{}@{}", hit.archive, metadata.warc_offset),
        inside => format!("{}@{}+{inside}", hit.archive, metadata.warc_offset),
    }
}

fn day(hit: &Hit) -> &str {
    hit.document.created.get(..10).unwrap_or_default()
}

fn text_of(hit: &Hit) -> String {
    let metadata = &hit.document.metadata;
    let title = match metadata.title.as_str() {
        "" => "(no title)",
        title => title,
    };
    let place = place(hit);
    let facts = [&*metadata.language, day(hit), &*place].map(terminal);
    let facts: Vec<&str> = facts
        .iter()
        .map(|fact| &**fact)
        .filter(|fact| !fact.is_empty())
        .collect();
    let mut out = format!("{}\n", terminal(title));
    if !metadata.url.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {}", terminal(&metadata.url));
    }
    let _ = writeln!(out, "  {}", facts.join(" · "));
    let pieces = hit.snippet.iter().map(|piece| {
        let text = terminal(&piece.text);
        if piece.is_match {
            format!("**{text}**")
        } else {
            text.into_owned()
        }
    });
    let _ = writeln!(out, "  {}\n", pieces.collect::<String>().trim());
    out
}

fn json_line(hit: &Hit, accounts: &[Account]) -> String {
    let (document, metadata) = (&hit.document, &hit.document.metadata);
    let pieces = hit.snippet.iter();
    let pieces: Vec<_> = pieces
        .map(|piece| json!({"text": piece.text, "match": piece.is_match}))
        .collect();
    let line = json!({
        "run": escape::path(&accounts[hit.run].directory),
        "place": place(hit),
        "id": document.id,
        "url": metadata.url,
        "title": metadata.title,
        "hostname": metadata.hostname,
        "language": metadata.language,
        "created": document.created,
        "words": metadata.words,
        "rank": hit.rank,
        "snippet": pieces,
    });
    format!("{line}\n")
}
