//! A truth file that grows while somebody marks pages.
//!
//! Every change replaces the file as a whole: the new one is written beside it, synced and renamed. So a crash leaves
//! the file as it was or as it is to be, and no line is ever cut. Lines that nobody marks again stay byte for byte.
//! A journal beside it holds what undoes the last changes, so that they can be undone by another process, too.

mod journal;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::Truth;
use super::truth::TruthError;
use dehusk_archive::escape;
use dehusk_documents::bounded;
use dehusk_documents::encode::{PartialFile, WriteError};
use dehusk_documents::folder::{Folder, resolved};
use journal::{Journal, State};

/// Largest file, in bytes. It is held in memory: some thousand pages.
const LIMIT: u64 = 64 << 20;

/// Changes that can be undone.
const UNDONE: usize = 1000;

/// Bytes that are written at a time.
const PART: usize = 1 << 20;

/// The key of a line that says how its page was marked.
const MARKED: &str = "marked";

/// The blocks of a page that somebody marked as content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Marked {
    /// The archive, as messages name it.
    pub archive: String,
    /// The place of the record: `OFFSET`, or `OFFSET+N` in a larger member.
    pub at: String,
    /// The number of blocks of the page.
    pub blocks: usize,
    /// The numbers of those that are content, from 0, in order.
    pub kept: Vec<usize>,
}

impl Marked {
    /// The marks of a page.
    pub fn new(archive: String, at: String, blocks: usize, kept: Vec<usize>) -> Self {
        Self {
            archive,
            at,
            blocks,
            kept,
        }
    }

    /// Whether both are marks of one record, even if its archive was named in another way or has moved.
    pub fn is_same_record(&self, other: &Self) -> bool {
        let is_same_archive = || {
            let [one, two] = [&self.archive, &other.archive].map(|name| resolved(&escape::named(name)));
            let has_moved = !self.archive.contains("://") && one.file_name() == two.file_name() && !one.exists();
            one == two || has_moved
        };
        self.at == other.at && (self.archive == other.archive || is_same_archive())
    }
}

/// A page of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkedPage {
    /// The page's `WARC-Record-ID`, without brackets.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// Its language; `""` if it is not known.
    pub lang: String,
    /// Its main content.
    pub text: String,
    /// How it was marked; `None` if the line comes from elsewhere.
    pub marked: Option<Marked>,
}

/// A truth file under work.
#[derive(Debug)]
pub struct TruthFile {
    path: PathBuf,
    lines: Vec<Line>,
    journal: Journal,
    /// What undoes the last changes, the last one at the end.
    undo: VecDeque<Change>,
    /// What the file held when it was last read or written. `None` if there was no file.
    stored: Option<State>,
}

#[derive(Debug)]
struct Line {
    /// Its bytes, without the line break.
    bytes: Vec<u8>,
    /// `None` for a line without an object.
    page: Option<MarkedPage>,
}

/// A change of the lines. Places count from 0.
#[derive(Debug)]
enum Change {
    Insert(usize, Line),
    Replace(usize, Line),
    Remove(usize),
}

/// A truth file cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TruthFileError {
    /// It is no truth file, or cannot be read.
    #[error("{0}")]
    Truth(#[from] TruthError),
    /// It cannot be written.
    #[error("{0}")]
    Write(#[from] WriteError),
    /// It cannot be used for marks.
    #[error("{}: {message}", escape::path(.path))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The mistake, and what to do.
        message: String,
    },
    /// The line of the id has the marks of another record.
    #[error("{}: has marks of another record with the id {id} already, the one at {place}; a truth has one page for an \
             id, so take that page out of the list to mark this one", escape::path(.path))]
    OtherRecord {
        /// The file.
        path: PathBuf,
        /// The id of both.
        id: String,
        /// The place of the other record.
        place: String,
    },
    /// The file would be larger than it may be.
    #[error("{}: would have more than {} MiB, so nothing was written; go on in another file", escape::path(.path), LIMIT >> 20)]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another program has changed the file.
    #[error("{}: another program has changed it; start the server again to read it", escape::path(.path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl TruthFile {
    /// Opens a truth file, or prepares a new one, which the first change creates.
    ///
    /// # Errors
    /// It cannot be read, is no truth file, is compressed or read-only, or its directory is missing.
    pub fn open(path: &Path) -> Result<Self, TruthFileError> {
        let unusable = |message: &str| TruthFileError::Unusable {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        dehusk_documents::local::check(path).map_err(|e| unusable(&e.to_string()))?;
        let path_given = path;
        let path = resolved(path);
        let mut file = Self {
            journal: Journal::of(&path),
            path,
            lines: Vec::new(),
            undo: VecDeque::new(),
            stored: None,
        };
        if file.path.file_name().is_none() || file.path.is_dir() {
            return Err(unusable("is a directory; name a file for the truth"));
        }
        if !file.path.parent().is_some_and(Path::is_dir) {
            return Err(unusable("its directory does not exist; make it first"));
        }
        let stored = file.read()?;
        file.check_permissions()?;
        let Some(bytes) = &stored else { return Ok(file) };
        if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            return Err(unusable(
                "is compressed; marks are written to a plain file: decompress it, or name another",
            ));
        }
        let mut truth = Truth::default();
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        for (number, bytes) in (1..).zip(lines.split(|byte| *byte == b'\n')) {
            let line = Line::read(bytes, &mut truth).map_err(|message| TruthError::Line {
                path: path_given.to_owned(),
                number,
                message,
            })?;
            file.lines.push(line);
        }
        if file.pages().next().is_none() {
            // Nothing but white space.
            file.lines.clear();
        }
        let state = State::of([bytes.as_slice()]);
        file.undo = file.journal.read(state, file.lines.len(), UNDONE)?;
        file.stored = Some(state);
        Ok(file)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its pages, in order.
    pub fn pages(&self) -> impl Iterator<Item = &MarkedPage> {
        self.lines.iter().filter_map(|line| line.page.as_ref())
    }

    /// The page of a record, by the record's id without brackets.
    pub fn find(&self, record_id: &str) -> Option<&MarkedPage> {
        self.pages().find(|page| page.record_id == record_id)
    }

    /// Whether there is a change that can be undone.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Writes the marks of a page. They replace those that the page had.
    ///
    /// # Errors
    /// The file has marks of another record with this id, cannot be written, would be too large, or another program
    /// has changed it. It is then as it was.
    pub fn mark(&mut self, page: MarkedPage) -> Result<(), TruthFileError> {
        let at = self.position(&page.record_id);
        let before = self.find(&page.record_id).and_then(|before| before.marked.as_ref());
        if let Some((before, now)) = before.zip(page.marked.as_ref())
            && !before.is_same_record(now)
        {
            return Err(TruthFileError::OtherRecord {
                path: self.path.clone(),
                id: page.record_id,
                place: format!("{}@{}", before.archive, before.at),
            });
        }
        let line = Line::new(page, at.map(|at| &self.lines[at]));
        self.change(match at {
            Some(at) => Change::Replace(at, line),
            None => Change::Insert(self.lines.len(), line),
        })
    }

    /// Takes the page of a record out of the file. Returns whether it was there.
    ///
    /// # Errors
    /// Those of [`mark`](Self::mark).
    pub fn remove(&mut self, record_id: &str) -> Result<bool, TruthFileError> {
        match self.position(record_id) {
            Some(at) => self.change(Change::Remove(at)).map(|()| true),
            None => Ok(false),
        }
    }

    /// Undoes the last change that was not undone, also one of an earlier process, if nothing else has changed the file
    /// since. Returns the record's id, or `None` if there is no such change.
    ///
    /// # Errors
    /// Those of [`mark`](Self::mark).
    pub fn undo(&mut self) -> Result<Option<String>, TruthFileError> {
        let Some(change) = self.undo.pop_back() else {
            return Ok(None);
        };
        let line = match &change {
            Change::Insert(_, line) => Some(line),
            Change::Replace(at, _) | Change::Remove(at) => self.lines.get(*at),
        };
        let id = line.and_then(Line::id).unwrap_or_default().to_owned();
        let back = self.apply(change);
        if let Err(error) = self.write(None) {
            let change = self.apply(back);
            self.undo.push_back(change);
            return Err(error);
        }
        Ok(Some(id))
    }

    /// Makes a change that can be undone. If the file cannot be written, nothing is changed.
    fn change(&mut self, change: Change) -> Result<(), TruthFileError> {
        let undo = self.apply(change);
        if let Err(error) = self.write(Some(&undo)) {
            self.apply(undo);
            return Err(error);
        }
        if self.undo.len() == UNDONE {
            self.undo.pop_front();
        }
        self.undo.push_back(undo);
        Ok(())
    }

    /// Makes a change in memory. Returns the one that undoes it.
    fn apply(&mut self, change: Change) -> Change {
        match change {
            Change::Insert(at, line) => {
                self.lines.insert(at, line);
                Change::Remove(at)
            }
            Change::Replace(at, line) => Change::Replace(at, std::mem::replace(&mut self.lines[at], line)),
            Change::Remove(at) => Change::Insert(at, self.lines.remove(at)),
        }
    }

    fn position(&self, record_id: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.id() == Some(record_id))
    }

    /// What the file holds; `None` if there is none.
    fn read(&self) -> Result<Option<Vec<u8>>, TruthFileError> {
        let unreadable = |source: io::Error| TruthError::Read {
            path: self.path.clone(),
            source,
        };
        let file = match dehusk_documents::folder::open_output(&self.path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(unreadable(e).into()),
        };
        Ok(Some(bounded::read(file, LIMIT).map_err(unreadable)?))
    }

    /// Refuses a file that its owner has made read-only. To replace it, the right to change its directory would do.
    fn check_permissions(&self) -> Result<Option<fs::Permissions>, TruthFileError> {
        let permissions = fs::metadata(&self.path).ok().map(|metadata| metadata.permissions());
        if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(TruthFileError::Unusable {
                path: self.path.clone(),
                message: "is read-only; allow its owner to write, or name another".to_owned(),
            });
        }
        Ok(permissions)
    }

    /// Replaces the file by the lines in memory, unless another program has changed it. `undo` undoes the change, if
    /// that is to be possible.
    fn write(&mut self, undo: Option<&Change>) -> Result<(), TruthFileError> {
        let stored = self.read()?.map(|bytes| State::of([bytes.as_slice()]));
        if stored != self.stored {
            return Err(TruthFileError::Changed {
                path: self.path.clone(),
            });
        }
        let permissions = self.check_permissions()?;
        let length: usize = self.lines.iter().map(|line| line.bytes.len() + 1).sum();
        if length as u64 > LIMIT {
            // It could not be read again.
            return Err(TruthFileError::Full {
                path: self.path.clone(),
            });
        }
        let state = State::of(self.lines.iter().flat_map(|line| [line.bytes.as_slice(), b"\n"]));
        // Before the file: what is in the journal counts only if the file has come to its state.
        if let Some(undo) = undo {
            self.journal.add(undo, self.stored, state)?;
        }
        let mut file = self.begin()?;
        let mut part = Vec::new();
        for line in &self.lines {
            part.extend_from_slice(&line.bytes);
            part.push(b'\n');
            if part.len() >= PART {
                file.append(&part)?;
                part.clear();
            }
        }
        file.append(&part)?;
        file.commit()?;
        if let Some(permissions) = permissions {
            // The marks are safe, whoever may read them.
            let _ = fs::set_permissions(&self.path, permissions);
        }
        self.stored = Some(state);
        Ok(())
    }
}

impl TruthFile {
    /// Begins the next state of the file. What a crash left of an earlier one is removed.
    fn begin(&self) -> Result<PartialFile, TruthFileError> {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Ok(PartialFile::create(&self.path, self.stored.is_some())?);
        };
        let folder = Folder::open(folder).map_err(|source| WriteError {
            action: "be opened",
            path: folder.to_owned(),
            source,
        })?;
        PartialFile::remove_stale(&folder, name)?;
        Ok(PartialFile::create_in(&Arc::new(folder), name, self.stored.is_some())?)
    }
}

impl Line {
    /// Reads a line, of which `truth` has those before.
    fn read(bytes: &[u8], truth: &mut Truth) -> Result<Self, String> {
        let is_page = truth.add(bytes)?;
        let page = is_page.then(|| truth.lines.pop()).flatten().map(|line| MarkedPage {
            marked: marked(bytes),
            record_id: line.record_id,
            url: line.url,
            lang: line.lang,
            text: line.text,
        });
        let bytes = bytes.to_vec();
        Ok(Self { bytes, page })
    }

    /// The line of a page. What another line said of it besides its content stays.
    fn new(page: MarkedPage, before: Option<&Line>) -> Self {
        let before =
            before.and_then(|line| serde_json::from_slice::<Map<String, Value>>(without_mark(&line.bytes)).ok());
        let mut object = before.unwrap_or_default();
        // They would be the form of another content.
        object.remove("html");
        object.remove("markdown");
        for (key, value) in [
            ("record_id", &page.record_id),
            ("url", &page.url),
            ("lang", &page.lang),
            ("text", &page.text),
        ] {
            let is_known = !value.is_empty() || matches!(key, "record_id" | "text");
            if is_known {
                object.insert(key.to_owned(), json!(value));
            }
        }
        object.insert(MARKED.to_owned(), json!(page.marked));
        Self {
            bytes: Value::Object(object).to_string().into_bytes(),
            page: Some(page),
        }
    }

    fn id(&self) -> Option<&str> {
        self.page.as_ref().map(|page| &*page.record_id)
    }
}

/// A line without the byte order mark that the first one may begin with.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// How the page of a line was marked, if it was.
fn marked(line: &[u8]) -> Option<Marked> {
    #[derive(Deserialize)]
    struct Partial {
        marked: Option<Marked>,
    }
    serde_json::from_slice::<Partial>(without_mark(line)).ok()?.marked
}

#[cfg(test)]
mod tests;
