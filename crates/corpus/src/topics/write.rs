//! The results: `topics.jsonl`, a line a topic; `assignments.jsonl`, a line a document; `topics.json`, the sums; and
//! the page.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::collect::{Entry, Stories};
use super::describe::{Topic, names, rounded, written};
use super::error::TopicsError;
use super::options::Options;
use super::stream::Detection;
use super::summary::Summary;
use super::{moment, page};
use crate::readback::Account;
use crate::results::{JsonLines, Results};

const TOPICS: &str = "topics.jsonl";
const ASSIGNMENTS: &str = "assignments.jsonl";
const SUMMARY: &str = "topics.json";
const PAGE: &str = "topics.html";

/// The directory of clusters, if they are found here.
const CLUSTERS: &str = "clusters";

/// A line of `assignments.jsonl`.
#[derive(Serialize)]
struct Assignment<'a> {
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
    /// Checks that topics can be written to the directory, and changes nothing.
    pub(super) fn new(directory: &Path, options: &Options) -> Result<Self, TopicsError> {
        let names = [TOPICS, ASSIGNMENTS, SUMMARY, PAGE, CLUSTERS];
        Ok(Self(Results::new(directory, "topics", &names, options.overwrite)?))
    }

    /// Creates the directory if there is none.
    pub(super) fn begin(&self) -> Result<(), TopicsError> {
        Ok(self.0.begin()?)
    }

    /// The directory for clusters that are found on the way.
    pub(super) fn clusters(&self) -> PathBuf {
        self.0.directory().join(CLUSTERS)
    }

    pub(super) fn write(
        &self,
        runs: &[Account],
        stories: &Stories,
        detection: &Detection,
        topics: &[Topic],
        options: &Options,
    ) -> Result<Summary, TopicsError> {
        let summary = Summary::new(runs, stories, detection, topics, options);
        let names = names(stories, detection);
        let mut file = self.assignments()?;
        for (entry, place) in stories.documents.iter().zip(&detection.places) {
            let line = place.map(|place| Line {
                topic: names[place.topic as usize],
                similarity: place.similarity,
                is_story: place.is_story,
            });
            write_line(&mut file, stories, entry, line)?;
        }
        file.commit()?;
        self.write_topics(topics)?;
        self.write_summary(&summary, topics)?;
        Ok(summary)
    }

    /// Begins the file of assignments.
    pub(super) fn assignments(&self) -> Result<JsonLines, TopicsError> {
        Ok(self.0.json_lines(ASSIGNMENTS)?)
    }

    pub(super) fn write_topics(&self, topics: &[Topic]) -> Result<(), TopicsError> {
        let mut file = self.0.json_lines(TOPICS)?;
        for topic in topics {
            file.add(topic)?;
        }
        Ok(file.commit()?)
    }

    /// Writes the page and the sums.
    pub(super) fn write_summary(&self, summary: &Summary, topics: &[Topic]) -> Result<(), TopicsError> {
        self.0.write(PAGE, page::html(summary, topics).as_bytes())?;
        Ok(self.0.write_json(SUMMARY, summary)?)
    }
}

/// Where a document belongs.
pub(super) struct Line {
    /// The name of its topic.
    pub(super) topic: u64,
    pub(super) similarity: f32,
    pub(super) is_story: bool,
}

/// Adds a document to the file of assignments. `line` is `None` if it is too short.
pub(super) fn write_line(
    file: &mut JsonLines,
    stories: &Stories,
    entry: &Entry,
    line: Option<Line>,
) -> Result<(), TopicsError> {
    let topic = line.as_ref().map_or_else(String::new, |line| written(line.topic));
    Ok(file.add(&Assignment {
        id: &entry.id,
        topic: &topic,
        similarity: line.as_ref().map_or(0.0, |line| rounded(line.similarity)),
        story: line.is_some_and(|line| line.is_story),
        date: entry.moment.map_or_else(String::new, |m| moment::date(moment::day(m))),
        language: &stories.languages[usize::from(entry.language)],
    })?)
}
