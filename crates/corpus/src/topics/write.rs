//! The results: `topics.jsonl`, a line a topic; `assignments.jsonl`, a line a document; `topics.json`, the sums; and the page.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::collect::{Stories, UNKNOWN_LANGUAGE};
use super::describe::{Topic, names, rounded};
use super::stream::Found;
use super::{Options, TopicsError, moment, page, segment};
use crate::readback::Account;
use crate::results::Results;

const TOPICS: &str = "topics.jsonl";
const ASSIGNMENTS: &str = "assignments.jsonl";
const SUMMARY: &str = "topics.json";
const PAGE: &str = "topics.html";

/// The directory of clusters, if they are found here.
const CLUSTERS: &str = "clusters";

/// How the topics were found, and what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    program: &'static str,
    window: u32,
    threshold: f64,
    least_stories: u32,
    /// What divides texts without spaces into words.
    segmenter: &'static str,
    /// Documents.
    pub documents: u64,
    /// Documents without their near-duplicates.
    pub stories: u64,
    /// Documents that another one of their cluster stands for.
    pub near_duplicates: u64,
    /// Documents with too few terms.
    pub short: u64,
    /// Documents without a date.
    pub undated: u64,
    /// Documents whose language is not known.
    pub without_language: u64,
    /// Documents that the file of clusters does not have.
    pub without_cluster: u64,
    /// Texts without spaces between words, which a build without the feature `topics` divides less well.
    pub without_spaces: u64,
    /// Topics that are listed.
    pub topics: u64,
    /// Stories in them.
    pub stories_in_topics: u64,
    /// Topics with fewer stories than those that are listed.
    pub(crate) small_topics: u64,
    /// Entries of the index of terms that the search for topics read: so much work it was.
    index_entries: u64,
    /// The runs that are not complete.
    pub incomplete: Vec<String>,
}

/// A line of `assignments.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    /// `""` if the document is too short.
    topic: &'a str,
    similarity: f64,
    /// Whether the document is a story, and not a near-duplicate of one.
    story: bool,
    /// `""` if unknown.
    date: String,
    language: &'a str,
}

/// The directory that the topics go to.
pub(super) struct Output(Results);

impl Output {
    /// Creates the directory if there is none.
    pub(super) fn open(directory: &Path, options: &Options) -> Result<Self, TopicsError> {
        let names = [TOPICS, ASSIGNMENTS, SUMMARY, PAGE, CLUSTERS];
        let results = Results::new(directory, "topics", &names, options.overwrite)?;
        results.begin()?;
        Ok(Self(results))
    }

    /// The directory for clusters that are found on the way.
    pub(super) fn clusters(&self) -> PathBuf {
        self.0.directory().join(CLUSTERS)
    }

    pub(super) fn write(
        &self,
        runs: &[Account],
        stories: &Stories,
        found: &Found,
        topics: &[Topic],
        options: &Options,
    ) -> Result<Summary, TopicsError> {
        let summary = Summary::of(runs, stories, found, topics, options);
        self.write_assignments(stories, found)?;
        self.write_lines(TOPICS, topics.iter())?;
        self.0.write(PAGE, page::html(&summary, topics).as_bytes())?;
        self.0.write_json(SUMMARY, &summary)?;
        Ok(summary)
    }

    fn write_assignments(&self, stories: &Stories, found: &Found) -> Result<(), TopicsError> {
        let names = names(stories, found);
        let line = |(document, entry): (usize, &'_ super::collect::Entry)| {
            let place = found.places[document];
            serde_json::to_vec(&Line {
                id: &entry.id,
                topic: place.map_or("", |place| &names[place.topic as usize]),
                similarity: place.map_or(0.0, |place| rounded(place.similarity)),
                story: place.is_some_and(|place| place.is_story),
                date: entry.moment.map_or_else(String::new, |m| moment::date(moment::day(m))),
                language: &stories.languages[usize::from(entry.language)],
            })
        };
        self.write_lines_of(ASSIGNMENTS, stories.documents.iter().enumerate().map(line))
    }

    fn write_lines<T: Serialize>(&self, name: &str, lines: impl Iterator<Item = T>) -> Result<(), TopicsError> {
        self.write_lines_of(name, lines.map(|line| serde_json::to_vec(&line)))
    }

    fn write_lines_of(
        &self,
        name: &str,
        lines: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
    ) -> Result<(), TopicsError> {
        let mut file = self.0.create(name)?;
        let mut bytes = Vec::with_capacity(1 << 17);
        for line in lines {
            bytes.extend(line.map_err(io::Error::from)?);
            bytes.push(b'\n');
            if bytes.len() >= 1 << 16 {
                file.append(&bytes)?;
                bytes.clear();
            }
        }
        file.append(&bytes)?;
        file.commit()?;
        Ok(())
    }
}

impl Summary {
    fn of(runs: &[Account], stories: &Stories, found: &Found, topics: &[Topic], options: &Options) -> Self {
        let documents = &stories.documents;
        let count = |is_counted: &dyn Fn(&super::collect::Entry) -> bool| {
            documents.iter().filter(|entry| is_counted(entry)).count() as u64
        };
        let language = |entry: &super::collect::Entry| stories.languages[usize::from(entry.language)].as_str();
        let places = || found.places.iter().flatten();
        Self {
            program: concat!("dehusk ", env!("CARGO_PKG_VERSION")),
            window: options.window,
            threshold: options.threshold,
            least_stories: options.stories,
            segmenter: segment::NAME,
            documents: documents.len() as u64,
            stories: places().filter(|place| place.is_story).count() as u64,
            near_duplicates: places().filter(|place| !place.is_story).count() as u64,
            short: found.places.iter().filter(|place| place.is_none()).count() as u64,
            undated: count(&|entry| entry.moment.is_none()),
            without_language: count(&|entry| language(entry) == UNKNOWN_LANGUAGE),
            without_cluster: count(&|entry| entry.cluster.is_none()),
            without_spaces: count(&|entry| segment::is_without_spaces(language(entry))),
            topics: topics.len() as u64,
            stories_in_topics: topics.iter().map(|topic| u64::from(topic.stories)).sum(),
            small_topics: (found.topics.len() - topics.len()) as u64,
            index_entries: found.read,
            incomplete: runs.iter().filter_map(Account::warning).collect(),
        }
    }
}
