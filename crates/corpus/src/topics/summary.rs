//! How the topics were found, and what came out.

use serde::Serialize;

use super::collect::{Stories, UNKNOWN_LANGUAGE};
use super::describe::Topic;
use super::options::Options;
use super::segment;
use super::stream::Detection;
use crate::readback::Account;
use crate::results::PROGRAM;

/// How the topics were found, and what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    program: &'static str,
    window: u32,
    threshold: f64,
    least_stories: u32,
    /// The name of the segmenter for texts without spaces between words.
    segmenter: &'static str,
    /// Documents.
    pub documents: u64,
    /// Documents without their near-duplicates.
    pub stories: u64,
    /// Documents that are represented by another one of their cluster.
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
    /// The content of the index, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexSummary>,
    /// The runs that are not complete.
    pub incomplete: Vec<String>,
}

/// The content of an index, in numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IndexSummary {
    /// Documents that this command added.
    pub added: u64,
    /// Topics of all nights, those of a single story among them.
    pub topics: u64,
    /// Those that stories can still join.
    pub open: u64,
    /// Documents that this command added and that are dated after the last day of their night.
    pub ahead: u64,
    /// The ids of the first of them.
    pub first_ahead: Vec<String>,
}

impl Summary {
    pub(super) fn new(
        runs: &[Account],
        stories: &Stories,
        detection: &Detection,
        topics: &[Topic],
        options: &Options,
    ) -> Self {
        let mut summary = Self::empty(options);
        summary.count(
            stories,
            detection.places.iter().map(|place| place.map(|place| place.is_story)),
        );
        summary.list(topics, detection.topics.len());
        summary.index_entries = detection.read;
        summary.incomplete = runs.iter().filter_map(Account::warning).collect();
        summary
    }

    /// Nothing was counted yet.
    pub(super) fn empty(options: &Options) -> Self {
        Self {
            program: PROGRAM,
            window: options.window,
            threshold: options.threshold,
            least_stories: options.stories,
            segmenter: segment::NAME,
            documents: 0,
            stories: 0,
            near_duplicates: 0,
            short: 0,
            undated: 0,
            without_language: 0,
            without_cluster: 0,
            without_spaces: 0,
            topics: 0,
            stories_in_topics: 0,
            small_topics: 0,
            index_entries: 0,
            index: None,
            incomplete: Vec::new(),
        }
    }

    /// Counts documents. `are_stories` has for each whether it is a story, or `None` if it is too short.
    pub(super) fn count(&mut self, stories: &Stories, are_stories: impl Iterator<Item = Option<bool>>) {
        for is_story in are_stories {
            match is_story {
                Some(true) => self.stories += 1,
                Some(false) => self.near_duplicates += 1,
                None => self.short += 1,
            }
        }
        self.documents += stories.documents.len() as u64;
        for entry in &stories.documents {
            let language = stories.languages[usize::from(entry.language)].as_str();
            self.undated += u64::from(entry.moment.is_none());
            self.without_language += u64::from(language == UNKNOWN_LANGUAGE);
            self.without_cluster += u64::from(entry.cluster.is_none());
            self.without_spaces += u64::from(segment::is_without_spaces(language));
        }
    }

    /// Counts the topics that are listed, of so many.
    pub(super) fn list(&mut self, topics: &[Topic], of: usize) {
        self.topics = topics.len() as u64;
        self.stories_in_topics = topics.iter().map(|topic| u64::from(topic.stories)).sum();
        self.small_topics = (of - topics.len()) as u64;
    }
}
