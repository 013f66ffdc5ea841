//! Groupings: which document is in which group.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use super::lines::{Line, for_each_line};
use super::score::Kind;
use dehusk_archive::escape;

/// The number of a document that is in no group.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// A mistake in a file of groups, with its place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", escape::path(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has no document.
    #[error("{}: has no document; each line has an id and a group", escape::path(.path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a document with its group.
    #[error("{}:{number}: {message}", escape::path(.path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        number: u64,
        /// The mistake.
        message: String,
    },
    /// No document of a grouping is in the known one.
    #[error(
        "{}: has no document of {}; are both of the same documents? The first ids are “{found_id}” and “{truth_id}”",
        escape::path(.found), escape::path(.truth)
    )]
    Apart {
        /// The known grouping.
        truth: PathBuf,
        /// The other.
        found: PathBuf,
        /// The first id of the known grouping, safe to print.
        truth_id: String,
        /// The first id of the other, safe to print.
        found_id: String,
    },
}

/// A known grouping, joined with others by [`score`](super::score()).
#[derive(Debug)]
pub struct Labels {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// The number of each document, by the hash of its id.
    pub(super) numbers: HashMap<u128, u32>,
    /// In the order of the file.
    pub(super) documents: Vec<Known>,
    /// By number.
    pub(super) languages: Vec<String>,
    /// Lines that repeat what an earlier line states.
    pub(super) repeated: u64,
    pub(super) first_id: String,
}

/// A document of a known grouping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The number of its group, or [`NO_GROUP`].
    pub(super) group: u32,
    pub(super) language: u16,
    /// The number of its line, from 1.
    pub(super) line: u64,
}

impl Labels {
    /// Reads a known grouping of this kind.
    ///
    /// # Errors
    /// The file cannot be read, has no document, has a line of another shape, or has an id in two groups.
    pub fn read(path: &Path, kind: Kind) -> Result<Self, LabelsError> {
        let mut labels = Self {
            path: path.to_path_buf(),
            kind,
            numbers: HashMap::new(),
            documents: Vec::new(),
            languages: Vec::new(),
            repeated: 0,
            first_id: String::new(),
        };
        let mut groups = Numbers::default();
        for_each_line(path, kind, |line, number| labels.add(&line, number, &mut groups))?;
        if labels.documents.is_empty() {
            return Err(LabelsError::Empty {
                path: path.to_path_buf(),
            });
        }
        Ok(labels)
    }

    /// How many documents it has.
    pub fn documents(&self) -> u64 {
        self.documents.len() as u64
    }

    fn add(&mut self, line: &Line, number: u64, groups: &mut Numbers) -> Result<(), String> {
        let language = self.language(&line.language)?;
        let group = groups.number(&line.group)?;
        let next = u32::try_from(self.documents.len()).map_err(|_| "is one document too many: 2^32".to_owned())?;
        let known = *self.numbers.entry(hash(&line.id)).or_insert(next);
        match self.documents.get(known as usize) {
            None => {
                if next == 0 {
                    self.first_id.clone_from(&line.id);
                }
                self.documents.push(Known {
                    group,
                    language,
                    line: number,
                });
            }
            Some(earlier) if (earlier.group, earlier.language) == (group, language) => self.repeated += 1,
            Some(earlier) => return Err(in_two_groups(&line.id, Some(earlier.line))),
        }
        Ok(())
    }

    fn language(&mut self, language: &str) -> Result<u16, String> {
        let place = self.languages.iter().position(|known| known == language);
        let place = place.unwrap_or_else(|| {
            self.languages.push(language.to_owned());
            self.languages.len() - 1
        });
        u16::try_from(place).map_err(|_| "has one language too many: 65,536".to_owned())
    }
}

/// The message for an id that is in two groups.
pub(super) fn in_two_groups(id: &str, earlier: Option<u64>) -> String {
    let id = escape::terminal(id);
    let place = earlier.map_or_else(|| "an earlier line".to_owned(), |line| format!("line {line}"));
    format!("the id “{id}” is in {place} with another group; a document is in one group, so remove one of the lines")
}

/// The hash by which ids and names of groups are known.
pub(super) fn hash(text: &str) -> u128 {
    xxh3_128(text.as_bytes())
}

/// Numbers for the names of groups.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashMap<u128, u32>);

impl Numbers {
    /// The number of a group. [`NO_GROUP`] for `""`.
    pub(super) fn number(&mut self, group: &str) -> Result<u32, String> {
        if group.is_empty() {
            return Ok(NO_GROUP);
        }
        let next = u32::try_from(self.0.len()).unwrap_or(NO_GROUP);
        match *self.0.entry(hash(group)).or_insert(next) {
            NO_GROUP => Err("has one group too many: 2^32 - 1".to_owned()),
            number => Ok(number),
        }
    }
}
