//! The comparison of two runs, in numbers and examples.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::change::{Change, Lines};
use crate::readback::Account;
use dehusk_archive::escape;
use dehusk_documents::document::Document;

/// Two runs compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The runs of the first side.
    pub a: Vec<Side>,
    /// The runs of the second side.
    pub b: Vec<Side>,
    /// The counts of all archives.
    pub totals: Counts,
    /// The archives of both runs, in the order of the first run's list.
    pub archives: Vec<ArchiveCounts>,
    /// How many documents have changed in each field. Fields about how a document was made are left out.
    pub fields: BTreeMap<String, u64>,
    /// The changed texts, by the share of words in common.
    pub similarity: Vec<Group>,
    /// The numbers of records in both runs, by outcome and reason.
    pub reasons: Vec<Reason>,
    /// Why documents are gone: what the second run reports of them.
    pub gone_by_reason: BTreeMap<String, u64>,
    /// Why documents were added: what the first run reports of them.
    pub added_by_reason: BTreeMap<String, u64>,
    /// The changed documents that have the least in common, the worst first.
    pub changed: Vec<Example>,
    /// The longest documents that are gone.
    pub gone: Vec<Example>,
    /// The longest documents that were added.
    pub added: Vec<Example>,
    /// Messages about shards that could not be read.
    pub problems: Vec<String>,
}

/// One of the runs.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    pub directory: String,
    pub program: String,
    pub config_hash: String,
    pub state: String,
}

impl Side {
    pub(super) fn new(account: &Account) -> Self {
        Self {
            directory: escape::path(&account.directory),
            program: account.program.clone(),
            config_hash: account.config_hash.clone(),
            state: account.state.clone(),
        }
    }
}

/// Numbers of documents and of words. Words are counted as `dehusk eval` counts them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Documents of the first and of the second run.
    pub documents_a: u64,
    pub documents_b: u64,
    /// Documents that are equal but for their version.
    pub same: u64,
    /// Documents whose texts differ.
    pub changed: u64,
    /// Documents of equal texts that differ in another field.
    pub other_fields: u64,
    pub gone: u64,
    pub added: u64,
    /// Of the changed documents: how many have more words, and how many fewer.
    pub longer: u64,
    pub shorter: u64,
    /// Words that changed documents lost and won, and those of documents that are gone or were added.
    pub words_removed: u64,
    pub words_added: u64,
    pub words_gone: u64,
    pub words_new: u64,
    /// The mean similarity of the texts of documents that both runs have; 1 if they have none.
    pub similarity: f64,
    #[serde(skip)]
    pub(super) similarity_sum: f64,
}

/// The counts of an archive.
#[derive(Clone, Debug, Serialize)]
pub struct ArchiveCounts {
    pub archive: String,
    pub in_a: bool,
    pub in_b: bool,
    #[serde(flatten)]
    pub counts: Counts,
}

/// A group of changed texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    pub from: f64,
    pub to: f64,
    pub documents: u64,
}

/// A class of records in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `emitted`, `filtered`, `failed` or `noted`.
    pub class: &'static str,
    pub reason: String,
    pub a: u64,
    pub b: u64,
}

/// A document that is worth a look.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    pub archive: String,
    pub offset: u64,
    pub offset_in_member: u64,
    pub id: String,
    pub url: String,
    pub words_a: u64,
    pub words_b: u64,
    pub similarity: f64,
    /// Why it is gone or was added; empty for a changed document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(flatten)]
    pub lines: Lines,
}

impl Example {
    pub(super) fn new(archive: &str, document: &Document, change: Change, reason: String) -> Self {
        let m = &document.metadata;
        Self {
            archive: archive.to_owned(),
            offset: m.warc_offset,
            offset_in_member: m.offset_in_member,
            id: document.id.clone(),
            url: m.url.clone(),
            words_a: change.words_a,
            words_b: change.words_b,
            similarity: change.similarity(),
            reason,
            lines: Lines::default(),
        }
    }

    /// Where its record is: what `dehusk inspect` takes.
    pub fn place(&self) -> String {
        match self.offset_in_member {
            0 => format!("{}@{}", self.archive, self.offset),
            inside => format!("{}@{}+{inside}", self.archive, self.offset),
        }
    }
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        for (sum, n) in [
            (&mut self.documents_a, other.documents_a),
            (&mut self.documents_b, other.documents_b),
            (&mut self.same, other.same),
            (&mut self.changed, other.changed),
            (&mut self.other_fields, other.other_fields),
            (&mut self.gone, other.gone),
            (&mut self.added, other.added),
            (&mut self.longer, other.longer),
            (&mut self.shorter, other.shorter),
            (&mut self.words_removed, other.words_removed),
            (&mut self.words_added, other.words_added),
            (&mut self.words_gone, other.words_gone),
            (&mut self.words_new, other.words_new),
        ] {
            *sum += n;
        }
        self.similarity_sum += other.similarity_sum;
    }

    /// Takes the mean.
    pub(super) fn close(&mut self) {
        let both = self.same + self.changed + self.other_fields;
        self.similarity = match both {
            0 => 1.0,
            both => self.similarity_sum / both as f64,
        };
    }

    /// The mean similarity for a table: a dash if the runs have no document in common.
    pub(super) fn similarity_text(&self) -> String {
        match self.same + self.changed + self.other_fields {
            0 => "–".to_owned(),
            _ => format!("{:.4}", self.similarity),
        }
    }

    /// How many documents differ in any way.
    pub fn differences(&self) -> u64 {
        self.changed + self.other_fields + self.gone + self.added
    }
}

impl Comparison {
    /// The comparison as JSON.
    ///
    /// # Errors
    /// None that can occur in memory.
    pub fn json(&self) -> io::Result<String> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }
}
