//! Joins a grouping with the known one, and scores it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::clusters::{self, ClusterScore};
use super::detection::{self, DetectionScore};
use super::labels::{Labels, LabelsError, NO_GROUP, Numbers, hash, in_two_groups};
use super::lines::for_each_line;

/// Most ids of a kind that are listed.
const LISTED: usize = 20;

/// A document of the truth that the other grouping does not have.
const ABSENT: u32 = NO_GROUP - 1;

/// Kinds of measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pairs, BCubed and the adjusted Rand index.
    Clusters,
    /// The detection cost.
    Topics,
}

/// The figures of a grouping.
#[derive(Clone, Debug)]
pub struct Score {
    /// The file.
    pub path: PathBuf,
    /// Documents that were compared.
    pub documents: u64,
    /// Documents that only the truth has, with the first ids.
    pub only_in_truth: (u64, Vec<String>),
    /// Documents that only this file has, with the first ids. They are not compared.
    pub only_in_file: (u64, Vec<String>),
    /// Lines that repeat what an earlier line states.
    pub repeated: u64,
    /// The figures.
    pub figures: Figures,
}

/// Measures of a grouping.
#[derive(Clone, Debug)]
pub enum Figures {
    /// Of clusters.
    Clusters(ClusterScore),
    /// Of topics: all, then each language of the truth if it has several.
    Topics(Vec<(String, DetectionScore)>),
}

impl Score {
    /// Whether both files have the same documents.
    pub fn is_complete(&self) -> bool {
        self.only_in_truth.0 == 0 && self.only_in_file.0 == 0
    }

    /// Whether there is nothing to measure: no known topic has two of the documents in one language.
    pub fn is_empty(&self) -> bool {
        matches!(&self.figures, Figures::Topics(groups) if groups.is_empty())
    }
}

/// Scores a file of groups. A document that only the truth has counts as in no group, so that a file with few documents
/// does not look good; with `joined_only` it does not count.
///
/// # Errors
/// The file cannot be read, has a line of another shape, has an id in two groups, or has no document of the truth.
pub fn score(truth: &Labels, path: &Path, joined_only: bool) -> Result<Score, LabelsError> {
    let mut joined = Joined {
        found: vec![ABSENT; truth.documents.len()],
        only_in_file: (0, Vec::new()),
        repeated: 0,
        first_id: String::new(),
    };
    let mut groups = Numbers::default();
    for_each_line(path, truth.kind, |line, _| {
        let group = groups.number(&line.group)?;
        joined.add(truth, &line.id, group)
    })?;
    if joined.first_id.is_empty() {
        return Err(LabelsError::Empty {
            path: path.to_path_buf(),
        });
    }
    let absent = joined.found.iter().filter(|group| **group == ABSENT).count() as u64;
    if absent == truth.documents() {
        return Err(LabelsError::Apart {
            truth: truth.path.clone(),
            found: path.to_path_buf(),
            truth_id: dehusk_archive::escape::terminal(&truth.first_id).into_owned(),
            found_id: dehusk_archive::escape::terminal(&joined.first_id).into_owned(),
        });
    }
    let documents = || {
        let pairs = truth.documents.iter().zip(&joined.found);
        let counted = pairs.filter(|(_, found)| !joined_only || **found != ABSENT);
        counted.map(|(known, found)| {
            (
                known.language,
                known.group,
                if *found == ABSENT { NO_GROUP } else { *found },
            )
        })
    };
    let figures = match truth.kind {
        Kind::Clusters => Figures::Clusters(clusters::score(documents().map(|(_, known, found)| (known, found)))),
        Kind::Topics => Figures::Topics(named(truth, detection::score(documents()))),
    };
    Ok(Score {
        path: path.to_path_buf(),
        documents: if joined_only {
            truth.documents() - absent
        } else {
            truth.documents()
        },
        only_in_truth: (absent, ids_of_absent(truth, &joined.found)?),
        only_in_file: joined.only_in_file,
        repeated: joined.repeated,
        figures,
    })
}

/// A grouping that is joined with the truth.
struct Joined {
    /// The group of each document of the truth.
    found: Vec<u32>,
    only_in_file: (u64, Vec<String>),
    repeated: u64,
    first_id: String,
}

impl Joined {
    fn add(&mut self, truth: &Labels, id: &str, group: u32) -> Result<(), String> {
        if self.first_id.is_empty() {
            id.clone_into(&mut self.first_id);
        }
        let Some(number) = truth.numbers.get(&hash(id)) else {
            self.only_in_file.0 += 1;
            if self.only_in_file.1.len() < LISTED {
                self.only_in_file.1.push(id.to_owned());
            }
            return Ok(());
        };
        let place = &mut self.found[*number as usize];
        if *place == ABSENT {
            *place = group;
        } else if *place == group {
            self.repeated += 1;
        } else {
            return Err(in_two_groups(id, None));
        }
        Ok(())
    }
}

/// The scores with the names of their languages.
fn named(truth: &Labels, scores: Vec<DetectionScore>) -> Vec<(String, DetectionScore)> {
    let name = |score: &DetectionScore| match score.language {
        None => "all".to_owned(),
        Some(number) => match truth.languages[usize::from(number)].as_str() {
            "" => "unknown".to_owned(),
            name => name.to_owned(),
        },
    };
    scores.into_iter().map(|score| (name(&score), score)).collect()
}

/// The first ids of the truth that a grouping does not have. They are read again, because ids are not kept.
fn ids_of_absent(truth: &Labels, found: &[u32]) -> Result<Vec<String>, LabelsError> {
    let absent = truth.documents.iter().zip(found).filter(|(_, found)| **found == ABSENT);
    let mut lines: BTreeSet<u64> = absent.take(LISTED).map(|(known, _)| known.line).collect();
    let mut ids = Vec::new();
    if !lines.is_empty() {
        for_each_line(&truth.path, truth.kind, |line, number| {
            if lines.remove(&number) {
                ids.push(line.id);
            }
            Ok(())
        })?;
    }
    Ok(ids)
}
