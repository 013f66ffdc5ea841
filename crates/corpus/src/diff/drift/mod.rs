//! Drift: how the documents of one night differ from those of another, as a whole and host by host.
//!
//! Two nights have other pages, so nothing is joined: their distributions are compared. A host has changed if one of
//! the [signs](Sign) is too large to be chance.
//!
//! - `hosts`: what is summed up for each host, and when it has changed
//! - `text`, `html`: the result for people

mod hosts;
mod html;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde::Serialize;

use self::hosts::HostSums;
use super::comparison::Side;
use crate::readback::{Account, ArchiveAccount};
use dehusk_documents::document::Document;

pub use self::hosts::{HostDrift, HostFigures, Sign};

/// Reasons by which a record is filtered before anybody looks for its content: it is no page of the night.
const NO_PAGE: [&str; 10] = [
    "record_type",
    "revisit",
    "segmented",
    "status",
    "mime",
    "url",
    "host",
    "binary",
    "encoding_unknown",
    "no_http_header",
];

/// How two nights differ.
#[derive(Clone, Debug, Serialize)]
pub struct Drift {
    /// The first night.
    pub a: Night,
    /// The second night.
    pub b: Night,
    /// A host is judged if the first night has at least so many of its documents.
    pub least_documents: u64,
    /// Hosts that were judged.
    pub judged_hosts: u64,
    /// Hosts that have changed, by sign. A host may have several.
    pub changed_by_sign: BTreeMap<Sign, u64>,
    /// The hosts that have changed, those with the most documents in the first night first.
    pub changed_hosts: Vec<HostDrift>,
    /// Messages about shards that could not be read.
    pub problems: Vec<String>,
}

/// One of the nights.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Night {
    /// Its runs.
    pub runs: Vec<Side>,
    /// Records that are pages by type, status, MIME type, URL and host, and those that failed.
    pub pages: u64,
    /// The share of them that became documents; 0 if there are none.
    pub emitted_share: f64,
    /// Documents.
    pub documents: u64,
    /// The geometric mean of their words.
    pub words: f64,
    /// The mean of their scores.
    pub score: f64,
    /// Documents by language. `und` has those without one.
    pub languages: BTreeMap<String, u64>,
    /// Hosts.
    pub hosts: u64,
    /// Shards that could not be read to their end.
    pub unread_shards: u64,
    /// Runs that are not finished, or have their documents elsewhere.
    pub unfinished_runs: u64,
}

/// The sums of a night.
#[derive(Default)]
struct Sums {
    hosts: HashMap<Box<str>, HostSums>,
    all: HostSums,
    /// By number.
    languages: Vec<String>,
    unread_shards: u64,
}

/// Compares two nights, each of one or more runs. Hosts of which the first night has fewer than `least_documents` are
/// not judged. Memory grows by about 200 bytes a host.
pub fn drift(a: &[Account], b: &[Account], least_documents: u64) -> Drift {
    let mut problems = Vec::new();
    let (sums_a, sums_b) = (Sums::read(a, &mut problems), Sums::read(b, &mut problems));
    let nothing = HostSums::default();
    let judged = sums_a
        .hosts
        .iter()
        .filter(|(_, host)| host.documents >= least_documents.max(1));
    let growth = match sums_b.all.documents {
        // An empty night is not a smaller one: all of its hosts have lost their documents.
        0 => 1.0,
        documents => documents as f64 / sums_a.all.documents.max(1) as f64,
    };
    let mut judged_hosts = 0;
    let mut changed_by_sign: BTreeMap<Sign, u64> = Sign::ALL.iter().map(|sign| (*sign, 0)).collect();
    let mut changed_hosts = Vec::new();
    for (name, in_a) in judged {
        judged_hosts += 1;
        let in_b = sums_b.hosts.get(name).unwrap_or(&nothing);
        let share_in_b = |language: u16| sums_b.share(in_b, sums_a.name(language));
        let signs = hosts::signs(in_a, in_b, growth, share_in_b);
        if signs.is_empty() {
            continue;
        }
        for sign in &signs {
            *changed_by_sign.entry(*sign).or_default() += 1;
        }
        changed_hosts.push(HostDrift {
            host: name.to_string(),
            signs,
            a: sums_a.figures(in_a),
            b: sums_b.figures(in_b),
        });
    }
    changed_hosts.sort_unstable_by(|x, y| (y.a.documents, &x.host).cmp(&(x.a.documents, &y.host)));
    Drift {
        a: sums_a.night(a),
        b: sums_b.night(b),
        least_documents,
        judged_hosts,
        changed_by_sign,
        changed_hosts,
        problems,
    }
}

impl Drift {
    /// The drift as JSON.
    ///
    /// # Errors
    /// None that can occur in memory.
    pub fn json(&self) -> io::Result<String> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }

    /// The drift for a terminal, with at most so many hosts.
    pub fn text(&self, most: usize) -> String {
        text::text(self, most)
    }

    /// The drift for a browser, with at most so many hosts.
    pub fn html(&self, most: usize) -> String {
        html::html(self, most)
    }
}

impl Sums {
    /// Reads the documents of runs. A shard that cannot be read to its end is a problem, and the rest counts.
    fn read(runs: &[Account], problems: &mut Vec<String>) -> Self {
        let mut sums = Self::default();
        for shard in runs.iter().flat_map(Account::all_shards) {
            let read = shard.read().and_then(|mut documents| {
                documents.try_for_each(|document| {
                    sums.add(&document?);
                    Ok(())
                })
            });
            if let Err(e) = read {
                problems.push(e.to_string());
                sums.unread_shards += 1;
            }
        }
        sums
    }

    fn add(&mut self, document: &Document) {
        let metadata = &document.metadata;
        let language = self.language(&metadata.language);
        let (words, score) = (f64::from(metadata.words), metadata.score);
        self.all.add(words, score, language);
        let host = metadata.hostname.as_str();
        match self.hosts.get_mut(host) {
            Some(sums) => sums.add(words, score, language),
            None => self.hosts.entry(host.into()).or_default().add(words, score, language),
        }
    }

    fn language(&mut self, language: &str) -> u16 {
        let language = if language.is_empty() { "und" } else { language };
        let known = self.languages.iter().position(|known| known == language);
        let place = known.unwrap_or_else(|| {
            // Runs name fewer than a hundred. A damaged one that names more has its last ones together.
            if self.languages.len() < 1000 {
                self.languages.push(language.to_owned());
            }
            self.languages.len() - 1
        });
        place as u16
    }

    fn name(&self, language: u16) -> &str {
        self.languages.get(usize::from(language)).map_or("", String::as_str)
    }

    /// The share of a host's documents that are in a language.
    fn share(&self, host: &HostSums, language: &str) -> f64 {
        let number = self.languages.iter().position(|known| known == language);
        number.map_or(0.0, |number| host.share(number as u16))
    }

    fn figures(&self, host: &HostSums) -> HostFigures {
        HostFigures {
            documents: host.documents,
            words: rounded(host.words.mean().exp_m1()),
            score: rounded(host.score.mean()),
            language: host
                .leading()
                .map_or_else(String::new, |language| self.name(language).to_owned()),
        }
    }

    fn night(&self, runs: &[Account]) -> Night {
        let mut account = ArchiveAccount::default();
        runs.iter().for_each(|run| account.add(&run.totals()));
        let no_page: u64 = NO_PAGE.iter().filter_map(|reason| account.filtered.get(*reason)).sum();
        let pages = account.framed.saturating_sub(no_page);
        let languages = self.all.languages.iter();
        Night {
            runs: runs.iter().map(Side::new).collect(),
            pages,
            emitted_share: rounded(account.emitted as f64 / pages.max(1) as f64),
            documents: self.all.documents,
            words: rounded(self.all.words.mean().exp_m1()),
            score: rounded(self.all.score.mean()),
            languages: languages
                .map(|(number, n)| (self.name(*number).to_owned(), u64::from(*n)))
                .collect(),
            hosts: self.hosts.len() as u64,
            unread_shards: self.unread_shards,
            unfinished_runs: runs.iter().filter(|run| run.warning().is_some()).count() as u64,
        }
    }
}

/// A number with four decimals.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
