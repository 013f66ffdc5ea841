//! Parts of a page that papers measure one by one: the title and the author (CoreEx, figure 9 and 6.1; NCE), readers'
//! comments (NCE), and the share of relevant content on the whole page (NCE, table 1).

use std::collections::HashSet;

use super::measure::Bag;
use super::truth::TruthLine;
use dehusk_similarity::lexicon::Lexicon;

/// Words of a title or an author that are compared. No title is longer.
const LONGEST: usize = 200;

/// Words that make a run of comments. A single word is in almost every text.
const RUN: usize = 3;

/// The parts of a page that the truth names.
#[derive(Debug, Default)]
pub(super) struct Parts {
    title: Vec<u32>,
    author: Vec<u32>,
    /// Runs of words in the comments that the main content does not have.
    comments: HashSet<[u32; RUN]>,
}

/// The amount of each part in a page or an extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartCounts {
    /// Words of the title.
    pub title: u32,
    /// Pages whose title is there as a whole, its words in order: 0 or 1.
    pub titles: u32,
    /// The same of the author.
    pub authors: u32,
    /// Runs of words of the comments.
    pub comments: u32,
}

impl PartCounts {
    /// The parts that a line names, of a page that is not there.
    pub(super) fn named_by(line: &TruthLine) -> Self {
        Self {
            title: u32::from(!line.title.is_empty()),
            titles: u32::from(!line.title.is_empty()),
            authors: u32::from(!line.author.is_empty()),
            comments: 0,
        }
    }
}

impl Parts {
    /// The parts of a line, whose text has the words `truth`.
    pub(super) fn new(line: &TruthLine, truth: &[u32], lexicon: &mut Lexicon) -> Self {
        let mut words = |text: &str, most: usize| {
            let mut words = Vec::new();
            lexicon.read(text, &mut words);
            words.truncate(most);
            words
        };
        let known: HashSet<[u32; RUN]> = runs(truth).collect();
        let comments = words(&line.comments, usize::MAX);
        Self {
            title: words(&line.title, LONGEST),
            author: words(&line.author, LONGEST),
            comments: runs(&comments).filter(|run| !known.contains(run)).collect(),
        }
    }

    /// Counts of the parts that can be found.
    pub(super) fn all(&self) -> PartCounts {
        PartCounts {
            title: self.title.len() as u32,
            titles: u32::from(!self.title.is_empty()),
            authors: u32::from(!self.author.is_empty()),
            comments: self.comments.len() as u32,
        }
    }

    /// Counts of the parts that are found in a text.
    pub(super) fn found(&self, words: &[u32]) -> PartCounts {
        let has = |part: &[u32]| !part.is_empty() && words.windows(part.len()).any(|window| window == part);
        let comments: HashSet<[u32; RUN]> = if self.comments.is_empty() {
            HashSet::new()
        } else {
            runs(words).filter(|run| self.comments.contains(run)).collect()
        };
        PartCounts {
            title: Bag::new(&self.title).common(words),
            titles: u32::from(has(&self.title)),
            authors: u32::from(has(&self.author)),
            comments: comments.len() as u32,
        }
    }
}

fn runs(words: &[u32]) -> impl Iterator<Item = [u32; RUN]> {
    words.windows(RUN).filter_map(|run| run.try_into().ok())
}
