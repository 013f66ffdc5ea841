//! The marks of people, in a truth file.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::App;
use crate::http::Refusal;
use dehusk_eval::truth::TruthLine;
use dehusk_eval::truth_file::{MarkedPage, TruthFile, TruthFileError};

/// The truth file of a server.
pub(crate) struct Marks {
    file: Mutex<TruthFile>,
    /// From so many pages on, extractors are measured by them.
    pub(crate) measure_from: usize,
}

impl Marks {
    pub(crate) fn open(path: &Path, measure_from: usize) -> Result<Self, TruthFileError> {
        Ok(Self {
            file: Mutex::new(TruthFile::open(path)?),
            measure_from,
        })
    }

    pub(crate) fn file(&self) -> MutexGuard<'_, TruthFile> {
        // A change is made in memory only once it is on disk, so a panic before that leaves the memory as it was.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The marks of a page, for comparisons with them.
    pub(crate) fn truth(&self, record_id: &str) -> Option<TruthLine> {
        self.file().find(record_id).cloned().map(truth_of)
    }
}

impl App {
    /// The truth file, if the server has one.
    pub(crate) fn marks(&self) -> Result<&Marks, Refusal> {
        self.marks.as_ref().ok_or_else(|| {
            let message = "the server has no file for marks; start it with one: dehusk serve ARCHIVE --truth-out FILE";
            Refusal::new(404, "no_truth_out", message)
        })
    }
}

/// A page as a line of truth.
pub(crate) fn truth_of(page: MarkedPage) -> TruthLine {
    let mut line = TruthLine::default();
    (line.record_id, line.url, line.lang, line.text) = (page.record_id, page.url, page.lang, page.text);
    line
}
