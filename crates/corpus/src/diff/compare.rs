//! Compares two sides, archive by archive. A side is a run, or several.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::change::{Change, Comparer, Lines};
use super::comparison::{ArchiveCounts, Comparison, Counts, Example, Group, Reason, Side};
use super::join::{Joined, join};
use super::pairs::pairs;
use crate::readback::{Account, AccountError, ArchiveAccount, RunShard};
use dehusk_archive::escape;
use dehusk_documents::document::Document;

/// Most failed records of a side whose ids are kept, to report why a document is gone.
const FAILURES: usize = 4_000_000;

/// The upper ends of the groups of similarity.
const GROUPS: [f64; 5] = [0.5, 0.8, 0.9, 0.95, 1.0];

/// Compares two sides, each of one or more runs. `examples` is how many examples of each kind are kept.
///
/// # Errors
/// The list of failures of a run cannot be opened. A shard that cannot be read is among the problems.
pub fn compare(a: &[Account], b: &[Account], examples: usize) -> Result<Comparison, AccountError> {
    let group = |(at, to): (usize, f64)| Group {
        from: if at == 0 { 0.0 } else { GROUPS[at - 1] },
        to,
        documents: 0,
    };
    let mut run = Run {
        examples,
        comparer: Comparer::default(),
        failures: [Failures::default(), Failures::default()],
        result: Comparison {
            a: a.iter().map(Side::new).collect(),
            b: b.iter().map(Side::new).collect(),
            totals: Counts::default(),
            archives: Vec::new(),
            fields: BTreeMap::new(),
            similarity: GROUPS.into_iter().enumerate().map(group).collect(),
            reasons: reasons(&totals(a), &totals(b)),
            gone_by_reason: BTreeMap::new(),
            added_by_reason: BTreeMap::new(),
            changed: Vec::new(),
            gone: Vec::new(),
            added: Vec::new(),
            problems: Vec::new(),
        },
    };
    run.failures = [run.failures_of(a)?, run.failures_of(b)?];
    let (a, b) = (archives(a), archives(b));
    for pair in pairs(&accounts(&a), &accounts(&b)) {
        run.archive(pair.a.map(|at| a[at]), pair.b.map(|at| b[at]));
    }
    run.result.totals.close();
    Ok(run.result)
}

/// An archive of a side.
#[derive(Clone, Copy)]
struct Archive<'a> {
    run: &'a Account,
    account: &'a ArchiveAccount,
}

impl Archive<'_> {
    fn shards(&self) -> Vec<RunShard> {
        self.run.shards(self.account).collect()
    }
}

/// The archives of all runs of a side.
fn archives(runs: &[Account]) -> Vec<Archive<'_>> {
    let of = |run| move |account| Archive { run, account };
    runs.iter().flat_map(|run| run.archives.iter().map(of(run))).collect()
}

fn accounts<'a>(archives: &[Archive<'a>]) -> Vec<&'a ArchiveAccount> {
    archives.iter().map(|archive| archive.account).collect()
}

/// The sums over all runs of a side.
fn totals(runs: &[Account]) -> ArchiveAccount {
    let mut totals = ArchiveAccount::default();
    for run in runs {
        totals.add(&run.totals());
    }
    totals
}

/// A comparison under way.
struct Run {
    examples: usize,
    comparer: Comparer,
    /// Why records failed, on each side.
    failures: [Failures; 2],
    result: Comparison,
}

/// Why records failed, by the hashes of their ids.
#[derive(Default)]
struct Failures {
    reasons: Vec<String>,
    by_id: HashMap<u64, u16>,
}

/// The archive that is being compared.
struct Current<'c> {
    counts: Counts,
    a: Option<&'c ArchiveAccount>,
    b: Option<&'c ArchiveAccount>,
}

impl Run {
    fn failures_of(&mut self, runs: &[Account]) -> Result<Failures, AccountError> {
        let mut found = Failures::default();
        let mut left = FAILURES;
        for run in runs {
            for line in run.failures()?.take(left) {
                left -= 1;
                match line {
                    Ok(line) => found.add(&line.id, &line.reason),
                    Err(e) => self.problem(&format!("{}: failed.jsonl: {e}", escape::path(&run.directory))),
                }
            }
        }
        Ok(found)
    }

    fn problem(&mut self, problem: &dyn std::fmt::Display) {
        self.result.problems.push(problem.to_string());
    }

    fn archive(&mut self, a: Option<Archive<'_>>, b: Option<Archive<'_>>) {
        let shards = |archive: Option<Archive<'_>>| archive.map_or(Vec::new(), |archive| archive.shards());
        let (in_a, in_b) = (a.map(|archive| archive.account), b.map(|archive| archive.account));
        let mut current = Current {
            counts: Counts::default(),
            a: in_a,
            b: in_b,
        };
        let joined = join(&shards(a), &shards(b), |joined| match joined {
            Joined::Both(one, other) => self.both(&mut current, &one, &other),
            Joined::OnlyA(document) => self.gone(&mut current, &document),
            Joined::OnlyB(document) => self.added(&mut current, &document),
        });
        if let Err(e) = joined {
            self.problem(&e);
        }
        let mut counts = current.counts;
        self.result.totals.add(&counts);
        counts.close();
        self.result.archives.push(ArchiveCounts {
            archive: in_a.or(in_b).map(|archive| archive.path.clone()).unwrap_or_default(),
            in_a: in_a.is_some(),
            in_b: in_b.is_some(),
            counts,
        });
    }

    fn both(&mut self, current: &mut Current<'_>, one: &Document, other: &Document) {
        let counts = &mut current.counts;
        counts.documents_a += 1;
        counts.documents_b += 1;
        let mut differs = false;
        for name in changed_fields(one, other) {
            differs = true;
            *self.result.fields.entry(name).or_default() += 1;
        }
        if one.metadata.text_hash == other.metadata.text_hash {
            counts.similarity_sum += 1.0;
            counts.other_fields += u64::from(differs);
            counts.same += u64::from(!differs);
            return;
        }
        let change = if other.text.is_empty() {
            // The text was dropped, because the shards have different orders.
            Change {
                words_a: one.metadata.words.into(),
                words_b: other.metadata.words.into(),
                common: one.metadata.words.min(other.metadata.words).into(),
            }
        } else {
            self.comparer.compare(&one.text, &other.text)
        };
        let similarity = change.similarity();
        counts.changed += 1;
        counts.similarity_sum += similarity;
        counts.longer += u64::from(change.words_b > change.words_a);
        counts.shorter += u64::from(change.words_b < change.words_a);
        counts.words_removed += change.words_a - change.common;
        counts.words_added += change.words_b - change.common;
        let groups = &mut self.result.similarity;
        let last = groups.len() - 1;
        let group = groups.iter().position(|group| similarity < group.to).unwrap_or(last);
        groups[group].documents += 1;
        let archive = current.a.map_or("", |archive| &archive.path);
        let worst = |one: &Example, other: &Example| one.similarity.total_cmp(&other.similarity);
        let example = Example::new(archive, one, change, String::new());
        let lines = || Lines::between(&one.text, &other.text);
        add_example(&mut self.result.changed, self.examples, example, lines, worst);
    }

    fn gone(&mut self, current: &mut Current<'_>, document: &Document) {
        let words = self.comparer.words(&document.text);
        current.counts.documents_a += 1;
        current.counts.gone += 1;
        current.counts.words_gone += words;
        let reason = reason_of(document, current.b, &self.failures[1]);
        *self.result.gone_by_reason.entry(reason.clone()).or_default() += 1;
        let change = Change {
            words_a: words,
            ..Change::default()
        };
        let example = Example::new(current.a.map_or("", |archive| &archive.path), document, change, reason);
        let longest = |one: &Example, other: &Example| other.words_a.cmp(&one.words_a);
        let lines = || Lines::between(&document.text, "");
        add_example(&mut self.result.gone, self.examples, example, lines, longest);
    }

    fn added(&mut self, current: &mut Current<'_>, document: &Document) {
        let words = self.comparer.words(&document.text);
        current.counts.documents_b += 1;
        current.counts.added += 1;
        current.counts.words_new += words;
        let reason = reason_of(document, current.a, &self.failures[0]);
        *self.result.added_by_reason.entry(reason.clone()).or_default() += 1;
        let change = Change {
            words_b: words,
            ..Change::default()
        };
        let example = Example::new(current.b.map_or("", |archive| &archive.path), document, change, reason);
        let longest = |one: &Example, other: &Example| other.words_b.cmp(&one.words_b);
        let lines = || Lines::between("", &document.text);
        add_example(&mut self.result.added, self.examples, example, lines, longest);
    }
}

/// Keeps an example if it is among the first by `order`. Its lines are found only then.
fn add_example(
    examples: &mut Vec<Example>,
    most: usize,
    mut example: Example,
    lines: impl FnOnce() -> Lines,
    order: impl Fn(&Example, &Example) -> std::cmp::Ordering,
) {
    let at = examples.partition_point(|other| order(other, &example).is_le());
    if at < most {
        example.lines = lines();
        examples.insert(at, example);
        examples.truncate(most);
    }
}

/// Why a run does not have a document.
fn reason_of(document: &Document, archive: Option<&ArchiveAccount>, failures: &Failures) -> String {
    let Some(archive) = archive else {
        return "archive not in the run".to_owned();
    };
    if let Some(reason) = failures.get(&document.id) {
        return format!("failed: {reason}");
    }
    match archive.state.as_str() {
        state @ ("failed" | "interrupted" | "pending") => format!("archive {state}"),
        _ => "filtered".to_owned(),
    }
}

impl Failures {
    fn add(&mut self, id: &str, reason: &str) {
        let known = self.reasons.iter().position(|known| known == reason);
        let at = known.unwrap_or_else(|| {
            self.reasons.push(reason.to_owned());
            self.reasons.len() - 1
        });
        if let (Ok(at), false) = (u16::try_from(at), id.is_empty()) {
            self.by_id.insert(xxhash_rust::xxh3::xxh3_64(id.as_bytes()), at);
        }
    }

    fn get(&self, id: &str) -> Option<&str> {
        let at = self.by_id.get(&xxhash_rust::xxh3::xxh3_64(id.as_bytes()))?;
        self.reasons.get(usize::from(*at)).map(String::as_str)
    }
}

/// The fields in which two documents differ, but for those that differ whenever the text, the place, the extractor or
/// the program does.
fn changed_fields(one: &Document, other: &Document) -> Vec<String> {
    const DERIVED: [&str; 11] = [
        "text",
        "text_hash",
        "version",
        "words",
        "extractor",
        "score",
        "language_score",
        "warc_offset",
        "warc_length",
        "offset_in_member",
        "file_path",
    ];
    // A field that one of the runs did not compute is no change.
    let differs = one
        .fields()
        .intersection(other.fields())
        .iter()
        .filter(|field| !DERIVED.contains(&field.name()) && field.get(one) != field.get(other));
    let mut names: Vec<String> = differs.map(|field| field.name().to_owned()).collect();
    if one.more_texts != other.more_texts && !other.text.is_empty() {
        names.push("text_NAME".to_owned());
    }
    names
}

/// The outcomes of records in both runs, by reason.
fn reasons(a: &ArchiveAccount, b: &ArchiveAccount) -> Vec<Reason> {
    let mut all = vec![Reason {
        class: "emitted",
        reason: String::new(),
        a: a.emitted,
        b: b.emitted,
    }];
    for (class, in_a, in_b) in [
        ("filtered", &a.filtered, &b.filtered),
        ("failed", &a.failed, &b.failed),
        ("noted", &a.notes, &b.notes),
    ] {
        let names: BTreeSet<&String> = in_a.keys().chain(in_b.keys()).collect();
        all.extend(names.into_iter().map(|name| Reason {
            class,
            reason: name.clone(),
            a: in_a.get(name).copied().unwrap_or_default(),
            b: in_b.get(name).copied().unwrap_or_default(),
        }));
    }
    all
}
