//! Topics that last from night to night, in a store.
//!
//! A night is taken after those before it: its stories join the topics that are still open, or begin new ones. Only these
//! open topics, and the frequencies of the languages of the night, are in memory. A night is added in one commit, and
//! the next one begins from what the store has, whether the same command adds it or another one. So thirty commands
//! make what one command makes of thirty nights.
//!
//! - `night`: the pass over a night
//! - `tables`: what the store holds

mod night;
mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dehusk_similarity::DEFINITION;
use redb::{ReadableTable, ReadableTableMetadata};

use self::night::Night;
use self::tables::{CLUSTERS, FREQUENCIES, OPEN, PLACES, Record, TOPICS, places_from, places_to};
use super::collect::{Stories, collect};
use super::describe::{Facts, Topic};
use super::error::TopicsError;
use super::near::Clusters;
use super::options::Options;
use super::segment;
use super::summary::Summary;
use super::write::{Line, Output};
use crate::cluster::{self, shard_hashes};
use crate::readback::Account;
use crate::results::{JsonLines, cannot};
use dehusk_archive::escape;
use dehusk_documents::folder::run_around;
use dehusk_documents::store::{StoreFailure, StoreFile, StoreKind};

/// The place of a document: its topic's name, and how it came there. `None` if it is too short.
type Placed = Option<tables::Place>;

/// Most documents with a wrong date that are named.
const NAMED: usize = 5;

/// Adds nights to an index of topics, and writes the topics that their documents belong to.
///
/// # Errors
/// Those of [`topics`](super::topics), or the index cannot be used. The nights before the one that failed are added.
pub(super) fn topics_with_index(
    nights: &[Vec<Account>],
    directory: &Path,
    options: &Options,
    path: &Path,
) -> Result<Summary, TopicsError> {
    if let Some(run) = run_around(path) {
        let (index, run) = (escape::path(path), escape::path(&run));
        let message = format!("{index}: is in the directory of a run, {run}; name an index outside of it");
        return Err(TopicsError::Occupied(message));
    }
    let output = Output::new(directory, options)?;
    let index = Index::open(path, options)?;
    let near = match &options.clusters {
        None => Near::Index(index.clusters(path, options)?),
        Some(path) => Near::File(path),
    };
    output.begin()?;
    let mut summary = Summary::empty(options);
    let mut assignments = output.assignments()?;
    let mut touched = BTreeSet::new();
    for night in nights {
        let near = near_duplicates(night, &output, options, &near)?;
        if nights.len() > 1 && options.clusters.is_none() {
            // They are those of one night; the index of clusters has all.
            let clusters = output.clusters();
            fs::remove_dir_all(&clusters).map_err(cannot("be removed", &clusters))?;
        }
        let stories = collect(night, directory, &near)?;
        let hashes = shard_hashes(night)?;
        let (places, is_new) = index.add(&stories, &hashes, options)?;
        write_places(&mut assignments, &stories, &places)?;
        touched.extend(places.iter().flatten().map(|place| place.topic));
        summary.count(&stories, places.iter().map(|place| place.map(|place| place.is_story)));
        summary.incomplete.extend(night.iter().filter_map(Account::warning));
        index.count(&mut summary, &stories, &is_new)?;
    }
    assignments.commit()?;
    let topics = index.listed(&touched, options)?;
    summary.list(&topics, touched.len());
    output.write_topics(&topics)?;
    output.write_summary(&summary, &topics)?;
    Ok(summary)
}

/// By what near-duplicates are found.
enum Near<'o> {
    Index(cluster::Index),
    File(&'o Path),
}

/// The near-duplicates of a night, among them those of documents of earlier nights.
fn near_duplicates(
    night: &[Account],
    output: &Output,
    options: &Options,
    near: &Near<'_>,
) -> Result<Clusters, TopicsError> {
    match near {
        Near::Index(index) => {
            let directory = output.clusters();
            cluster::cluster_with_open_index(night, &directory, cluster_options(options), index)?;
            Clusters::read(&directory, true)
        }
        Near::File(path) => Clusters::read(path, true),
    }
}

/// How near-duplicates are found. Those of the night before are replaced.
fn cluster_options(options: &Options) -> cluster::Options {
    cluster::Options {
        overwrite: true,
        ..super::cluster_options(options)
    }
}

fn write_places(file: &mut JsonLines, stories: &Stories, places: &[Placed]) -> Result<(), TopicsError> {
    for (entry, place) in stories.documents.iter().zip(places) {
        let line = place.map(|place| Line {
            topic: place.topic,
            similarity: place.similarity,
            is_story: place.is_story,
        });
        super::write::write_line(file, stories, entry, line)?;
    }
    Ok(())
}

/// An index of topics.
struct Index {
    file: StoreFile,
}

impl Index {
    /// Opens an index, and creates it if there is none.
    fn open(path: &Path, options: &Options) -> Result<Self, TopicsError> {
        let kind = StoreKind {
            holds: "topics",
            version: "1",
            parameters: format!(
                "--window {} --threshold {}, words by {}, signatures of definition {DEFINITION}",
                options.window,
                options.threshold,
                segment::NAME
            ),
        };
        let file = StoreFile::open(path, &kind, true)?;
        file.write(|transaction| {
            // So that there is something to read.
            transaction.open_table(OPEN)?;
            transaction.open_table(FREQUENCIES)?;
            transaction.open_table(CLUSTERS)?;
            transaction.open_table(TOPICS)?;
            transaction.open_table(PLACES)?;
            Ok(())
        })?;
        Ok(Self { file })
    }

    /// Opens the index of clusters beside this one, which must have all of its documents: with another one, copies of
    /// stories of earlier nights would be stories of their own.
    fn clusters(&self, path: &Path, options: &Options) -> Result<cluster::Index, TopicsError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".clusters");
        let beside = PathBuf::from(name);
        let refused = |why: String| {
            let (beside, path) = (escape::path(&beside), escape::path(path));
            TopicsError::Clusters(format!(
                "{beside}: {why} of {path}; put back the file that was beside it, or give --clusters as on the nights \
                 before; or start both files again"
            ))
        };
        let hashes = self.shards()?;
        if !hashes.is_empty() && !beside.exists() {
            return Err(refused("is not there, and has the near-duplicates".to_owned()));
        }
        let clusters = cluster::Index::open(&beside, cluster_options(options)).map_err(TopicsError::Index)?;
        match clusters.lacks(&hashes).map_err(TopicsError::Index)? {
            0 => Ok(clusters),
            lacking => Err(refused(format!(
                "does not know {lacking} of the {} shards",
                hashes.len()
            ))),
        }
    }

    /// The hashes of the shards that were added.
    fn shards(&self) -> Result<Vec<u128>, TopicsError> {
        let read = self.file.read()?;
        let failed = |e: redb::Error| TopicsError::Index(self.file.failed(e));
        let places = read.open_table(PLACES).map_err(|e| failed(e.into()))?;
        let rows = places.iter().map_err(|e| failed(e.into()))?;
        rows.map(|row| Ok(row.map_err(|e| failed(e.into()))?.0.value()))
            .collect()
    }

    /// Adds the documents of a night. Gives back the place of each document, and whether it was added now: those of
    /// shards that the index has keep their places.
    fn add(
        &self,
        stories: &Stories,
        hashes: &[u128],
        options: &Options,
    ) -> Result<(Vec<Placed>, Vec<bool>), TopicsError> {
        let added = self.file.write(|transaction| {
            let mut known = transaction.open_table(PLACES)?;
            let mut seen = BTreeSet::new();
            let mut is_new = Vec::with_capacity(stories.documents.len());
            for (hash, count) in hashes.iter().zip(&stories.shards) {
                let is_shard_new = known.get(hash)?.is_none() && seen.insert(*hash);
                is_new.extend(std::iter::repeat_n(is_shard_new, *count));
            }
            let mut places = Night::run(transaction, stories, &is_new, options)?;
            let mut first = 0;
            for (hash, count) in hashes.iter().zip(&stories.shards) {
                let range = first..first + count;
                first = range.end;
                if is_new.get(range.start) == Some(&true) {
                    known.insert(hash, &*places_to(&places[range]))?;
                } else if let Some(bytes) = known.get(hash)? {
                    places[range].copy_from_slice(&places_from(bytes.value(), *count));
                }
            }
            Ok((places, is_new))
        });
        added.map_err(TopicsError::Index)
    }

    /// Counts what a night has added.
    fn count(&self, summary: &mut Summary, stories: &Stories, is_new: &[bool]) -> Result<(), TopicsError> {
        let read = self.file.read()?;
        let failed = |e: redb::Error| TopicsError::Index(self.file.failed(e));
        let open = read.open_table(OPEN).map_err(|e| failed(e.into()))?;
        let topics = read.open_table(TOPICS).map_err(|e| failed(e.into()))?;
        let index = summary.index.get_or_insert_default();
        index.topics = topics.len().map_err(|e| failed(e.into()))?;
        index.open = open.len().map_err(|e| failed(e.into()))?;
        for (document, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
            index.added += 1;
            if stories.is_ahead(document) {
                index.ahead += 1;
                if index.first_ahead.len() < NAMED {
                    index.first_ahead.push(stories.documents[document].id.to_string());
                }
            }
        }
        Ok(())
    }

    /// Those of the topics that are listed, the largest first.
    fn listed(&self, names: &BTreeSet<u64>, options: &Options) -> Result<Vec<Topic>, TopicsError> {
        let read = self.file.read()?;
        let failed = |e: redb::Error| TopicsError::Index(self.file.failed(e));
        let table = read.open_table(TOPICS).map_err(|e| failed(e.into()))?;
        let mut topics = Vec::new();
        for name in names {
            let bytes = table.get(name).map_err(|e| failed(e.into()))?;
            let Some(record) = bytes.and_then(|bytes| Record::from_bytes(bytes.value())) else {
                continue;
            };
            if record.stories >= options.stories {
                topics.push((record.number, record.into_topic(*name)));
            }
        }
        topics.sort_unstable_by_key(|(number, topic)| (std::cmp::Reverse((topic.stories, topic.documents)), *number));
        Ok(topics.into_iter().map(|(_, topic)| topic).collect())
    }
}

impl Record {
    fn into_topic(self, name: u64) -> Topic {
        let facts = Facts {
            name,
            language: &self.language,
            stories: self.stories,
            documents: self.documents,
            terms: self.terms,
        };
        self.gathered.finish(&facts)
    }
}
