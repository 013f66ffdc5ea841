//! The journal of a truth file: what undoes its last changes.
//!
//! It is the file `.NAME.undo` beside the truth. Each change of the truth appends a line: the states of the truth before
//! and after the change, and what undoes it. A line counts only if the truth has that state, so a crash between the
//! writing of both files, a change by another program, or a journal that is deleted never undoes anything wrong: then
//! there is nothing to undo.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{Change, Line, Truth};
use dehusk_documents::bounded;
use dehusk_documents::encode::WriteError;
use dehusk_documents::folder::{Folder, open_output};

/// Largest journal that is read, in bytes. A larger one is begun anew, without the oldest changes.
const LIMIT: u64 = 16 << 20;

/// The content of a truth file: its length and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    length: u64,
    hash: u64,
}

impl State {
    /// The state of a file that consists of these parts.
    pub(super) fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Xxh3::new();
        let mut length = 0;
        for part in parts {
            hash.update(part);
            length += part.len() as u64;
        }
        let hash = hash.digest();
        Self { length, hash }
    }
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// `None` if there was no file.
    before: Option<State>,
    after: State,
    /// The place of the line that was changed.
    at: usize,
    /// `insert`, `replace` or `remove`, which undoes the change.
    undo: String,
    /// The line to put there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<String>,
}

#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    name: OsString,
}

impl Journal {
    /// The journal of a truth file.
    pub(super) fn of(truth: &Path) -> Self {
        let mut name = OsString::from(".");
        name.push(truth.file_name().unwrap_or_default());
        name.push(".undo");
        Self {
            folder: truth.parent().unwrap_or(Path::new("")).to_owned(),
            name,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// What undoes the changes that led to a state of the truth, which has so many lines: at most `most` changes, the
    /// last one at the end.
    pub(super) fn read(&self, now: State, mut lines: usize, most: usize) -> Result<VecDeque<Change>, WriteError> {
        let bytes = open_output(&self.path()).and_then(|file| bounded::read(file, LIMIT));
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(VecDeque::new()),
            Err(e) => return Err(self.error("be read", e)),
        };
        let mut changes = VecDeque::new();
        let mut wanted = Some(now);
        // The last line may be cut. Lines of changes that were undone do not lead to the state.
        for line in bytes.split(|byte| *byte == b'\n').rev() {
            let Ok(entry) = serde_json::from_slice::<Entry>(line) else {
                continue;
            };
            if wanted != Some(entry.after) {
                continue;
            }
            wanted = entry.before;
            let Some(change) = entry.change() else { break };
            // Somebody may have edited it.
            let (is_possible, then) = match &change {
                Change::Insert(at, _) => (*at <= lines, lines + 1),
                Change::Replace(at, _) => (*at < lines, lines),
                Change::Remove(at) => (*at < lines, lines.saturating_sub(1)),
            };
            if !is_possible {
                break;
            }
            lines = then;
            changes.push_front(change);
            if changes.len() == most {
                break;
            }
        }
        Ok(changes)
    }

    /// Appends what undoes a change from a state to another, before the truth has that state.
    pub(super) fn add(&self, undo: &Change, before: Option<State>, after: State) -> Result<(), WriteError> {
        let entry = Entry::new(undo, before, after);
        let mut line = serde_json::to_vec(&entry).map_err(|e| self.error("be written", e.into()))?;
        line.push(b'\n');
        let written = || -> io::Result<()> {
            let folder = Folder::open(&self.folder)?;
            let mut file = folder.open_or_create(&self.name)?;
            if file.seek(SeekFrom::End(0))? + line.len() as u64 > LIMIT {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
            }
            if line.len() as u64 > LIMIT {
                return Ok(());
            }
            file.write_all(&line)?;
            file.sync_all()
        };
        written().map_err(|e| self.error("be written", e))
    }

    fn error(&self, action: &'static str, source: io::Error) -> WriteError {
        WriteError {
            action,
            path: self.path(),
            source,
        }
    }
}

impl Entry {
    fn new(undo: &Change, before: Option<State>, after: State) -> Self {
        let (name, at, line) = match undo {
            Change::Insert(at, line) => ("insert", at, Some(line)),
            Change::Replace(at, line) => ("replace", at, Some(line)),
            Change::Remove(at) => ("remove", at, None),
        };
        Self {
            before,
            after,
            at: *at,
            undo: name.to_owned(),
            // Lines of pages are JSON, and so UTF-8.
            line: line.map(|line| String::from_utf8_lossy(&line.bytes).into_owned()),
        }
    }

    /// The change that it names, if it names one.
    fn change(self) -> Option<Change> {
        let line = self
            .line
            .and_then(|line| Line::read(line.as_bytes(), &mut Truth::default()).ok());
        match (&*self.undo, line) {
            ("insert", Some(line)) => Some(Change::Insert(self.at, line)),
            ("replace", Some(line)) => Some(Change::Replace(self.at, line)),
            ("remove", None) => Some(Change::Remove(self.at)),
            _ => None,
        }
    }
}
