//! How the topics were found, and what came out.

use serde::Serialize;

use super::collect::{Entry, Stories, UNKNOWN_LANGUAGE};
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
    /// The runs that are not complete.
    pub incomplete: Vec<String>,
}

impl Summary {
    pub(super) fn new(
        runs: &[Account],
        stories: &Stories,
        detection: &Detection,
        topics: &[Topic],
        options: &Options,
    ) -> Self {
        let documents = &stories.documents;
        let count =
            |is_counted: &dyn Fn(&Entry) -> bool| documents.iter().filter(|entry| is_counted(entry)).count() as u64;
        let language = |entry: &Entry| stories.languages[usize::from(entry.language)].as_str();
        let places = || detection.places.iter().flatten();
        Self {
            program: PROGRAM,
            window: options.window,
            threshold: options.threshold,
            least_stories: options.stories,
            segmenter: segment::NAME,
            documents: documents.len() as u64,
            stories: places().filter(|place| place.is_story).count() as u64,
            near_duplicates: places().filter(|place| !place.is_story).count() as u64,
            short: detection.places.iter().filter(|place| place.is_none()).count() as u64,
            undated: count(&|entry| entry.moment.is_none()),
            without_language: count(&|entry| language(entry) == UNKNOWN_LANGUAGE),
            without_cluster: count(&|entry| entry.cluster.is_none()),
            without_spaces: count(&|entry| segment::is_without_spaces(language(entry))),
            topics: topics.len() as u64,
            stories_in_topics: topics.iter().map(|topic| u64::from(topic.stories)).sum(),
            small_topics: (detection.topics.len() - topics.len()) as u64,
            index_entries: detection.read,
            incomplete: runs.iter().filter_map(Account::warning).collect(),
        }
    }
}
