//! A truth file that grows while a user marks pages.
//!
//! Every change replaces the file as a whole: the new one is written beside it, synced and renamed. So a crash leaves
//! either the old file or the new one, and no line is ever cut. Lines that are not marked again stay byte for byte.
//! A journal beside it holds what undoes the last changes, so that they can be undone by another process, too.

mod journal;
mod lines;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Truth;
use super::truth::TruthError;
use dehusk_archive::escape;
use dehusk_documents::encode::{PartialFile, WriteError};
use dehusk_documents::folder::{Folder, resolved};
use dehusk_documents::{bounded, in_use};
use journal::{Entry, Journal, State};
use lines::{Change, Line};

/// Largest file, in bytes. It is held in memory: some thousand pages.
const LIMIT: u64 = 64 << 20;

/// Changes that can be undone, and most bytes of what undoes them. The last change can always be undone.
const UNDONE: usize = 1000;
const UNDONE_BYTES: usize = 32 << 20;

/// Bytes that are written at a time.
const PART: usize = 1 << 20;

/// The key of a line under which it states how its page was marked.
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

/// A truth file under work. No other process can have it open in this way meanwhile.
#[derive(Debug)]
pub struct TruthFile {
    path: PathBuf,
    folder: Arc<Folder>,
    name: OsString,
    lines: Vec<Line>,
    journal: Journal,
    /// The changes that undo the last ones, the last one at the end.
    undo: VecDeque<Change>,
    /// The state of the file when it was last read or written. `None` if there was no file.
    stored: Option<State>,
    /// The file `.NAME.lock`, which is locked as long as it is open.
    _lock: File,
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
    /// It cannot be read, is no truth file, is compressed or read-only, or its directory is missing. Another process has
    /// it open. Its journal cannot be used.
    pub fn open(path: &Path) -> Result<Self, TruthFileError> {
        let given = path;
        let unusable = |message: &str| TruthFileError::Unusable {
            path: given.to_owned(),
            message: message.to_owned(),
        };
        dehusk_documents::local::check(path).map_err(|e| unusable(&e.to_string()))?;
        let path = resolved(path);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(unusable("is a directory; name a file for the truth"));
        };
        let Some(parent) = path.parent().filter(|parent| parent.is_dir()) else {
            return Err(unusable("its directory does not exist; make it first"));
        };
        let bytes = read(&path)?;
        let lines = bytes
            .as_deref()
            .map_or(Ok(Vec::new()), |bytes| lines_of(bytes, given))?;
        let permissions = check_permissions(&path)?;
        let failed = |action, at: &OsStr| {
            let path = parent.join(at);
            move |source| WriteError { action, path, source }
        };
        let folder = Arc::new(Folder::open(parent).map_err(failed("be opened", OsStr::new("")))?);
        // Only now, because nothing is left beside a file that is no truth.
        let lock_name = hidden(name, ".lock");
        let lock = folder.open_or_create(&lock_name);
        let lock = lock.map_err(failed("be created", &lock_name))?;
        in_use::lock(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => {
                unusable("another server marks pages in it; end that one, or name another file")
            }
            TryLockError::Error(error) => failed("be locked", &lock_name)(error).into(),
        })?;
        let state = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| State::of([bytes]));
        let stored = state(&bytes);
        if state(&read(&path)?) != stored {
            // By a server that had the lock until now.
            return Err(TruthFileError::Changed { path });
        }
        let (mut journal, entries) = Journal::open(&folder, name, permissions)?;
        let ids = lines.iter().map(|line| line.id().map(str::to_owned)).collect();
        let undo = stored.map_or_else(VecDeque::new, |now| journal.changes(&entries, now, ids, UNDONE));
        Ok(Self {
            name: name.to_owned(),
            path,
            folder,
            lines,
            journal,
            undo,
            stored,
            _lock: lock,
        })
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
        let Some(change) = self.undo.back() else {
            return Ok(None);
        };
        let line = match change {
            Change::Insert(_, line) => Some(line),
            Change::Replace(at, _) | Change::Remove(at) => self.lines.get(*at),
        };
        let id = line.and_then(Line::id).unwrap_or_default().to_owned();
        let (state, permissions) = self.state_after(change)?;
        self.replace(change, permissions)?;
        self.journal.cut();
        self.stored = Some(state);
        if let Some(change) = self.undo.pop_back() {
            change.make(&mut self.lines);
        }
        Ok(Some(id))
    }

    /// Makes a change that can be undone: on disk, then in memory. If the file cannot be written, nothing is changed.
    fn change(&mut self, change: Change) -> Result<(), TruthFileError> {
        let (state, permissions) = self.state_after(&change)?;
        // Before the file: what is in the journal counts only if the file has come to its state.
        let entry = Entry::undoing(&change, &self.lines, self.stored, state);
        let written = self.journal.write(&entry, permissions.as_ref())?;
        self.replace(&change, permissions)?;
        self.journal.keep(written);
        self.stored = Some(state);
        self.undo.push_back(change.make(&mut self.lines));
        let is_large = |undo: &VecDeque<Change>| undo.iter().map(Change::size).sum::<usize>() > UNDONE_BYTES;
        while self.undo.len() > 1 && (self.undo.len() > UNDONE || is_large(&self.undo)) {
            self.undo.pop_front();
        }
        Ok(())
    }

    fn position(&self, record_id: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.id() == Some(record_id))
    }

    /// The state of the file after a change, and its permissions now. Refuses the change if another program has changed
    /// the file, if it is read-only, or if it would be too large.
    fn state_after(&self, change: &Change) -> Result<(State, Option<fs::Permissions>), TruthFileError> {
        let stored = read(&self.path)?.map(|bytes| State::of([bytes.as_slice()]));
        if stored != self.stored {
            return Err(TruthFileError::Changed {
                path: self.path.clone(),
            });
        }
        let permissions = check_permissions(&self.path)?;
        let state = State::of(change.bytes_after(&self.lines));
        if state.length > LIMIT {
            // It could not be read again.
            return Err(TruthFileError::Full {
                path: self.path.clone(),
            });
        }
        Ok((state, permissions))
    }

    /// Replaces the file by what a change makes of it. The lines in memory stay as they are.
    fn replace(&self, change: &Change, permissions: Option<fs::Permissions>) -> Result<(), TruthFileError> {
        // Remove the remains of an earlier one after a crash. The lock keeps others away.
        PartialFile::remove_stale(&self.folder, &self.name)?;
        let mut file = PartialFile::create_in(&self.folder, &self.name, self.stored.is_some())?;
        let mut part = Vec::new();
        for bytes in change.bytes_after(&self.lines) {
            part.extend_from_slice(bytes);
            if part.len() >= PART {
                file.append(&part)?;
                part.clear();
            }
        }
        file.append(&part)?;
        file.commit()?;
        if let Some(permissions) = permissions {
            // The marks are safe even if the permissions cannot be set.
            let _ = fs::set_permissions(&self.path, permissions);
        }
        Ok(())
    }
}

/// The lines of a truth file, of which there are none if it has no page.
fn lines_of(bytes: &[u8], path: &Path) -> Result<Vec<Line>, TruthFileError> {
    if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let message = "is compressed; marks are written to a plain file: decompress it, or name another";
        return Err(TruthFileError::Unusable {
            path: path.to_owned(),
            message: message.to_owned(),
        });
    }
    let mut truth = Truth::default();
    let mut lines = Vec::new();
    let all = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for (number, bytes) in (1..).zip(all.split(|byte| *byte == b'\n')) {
        let line = Line::read(bytes, &mut truth).map_err(|message| TruthError::Line {
            path: path.to_owned(),
            number,
            message,
        })?;
        lines.push(line);
    }
    if lines.iter().all(|line| line.page.is_none()) {
        // Nothing but white space.
        lines.clear();
    }
    Ok(lines)
}

/// The content of a file; `None` if there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, TruthFileError> {
    let unreadable = |source: io::Error| TruthError::Read {
        path: path.to_owned(),
        source,
    };
    let file = match dehusk_documents::folder::open_output(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unreadable(e).into()),
    };
    Ok(Some(bounded::read(file, LIMIT).map_err(unreadable)?))
}

/// Refuses a file that its owner has made read-only. To replace it, the right to change its directory would do.
fn check_permissions(path: &Path) -> Result<Option<fs::Permissions>, TruthFileError> {
    let permissions = fs::metadata(path).ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(TruthFileError::Unusable {
            path: path.to_owned(),
            message: "is read-only; allow its owner to write, or name another".to_owned(),
        });
    }
    Ok(permissions)
}

/// The name of a hidden file beside a truth file.
fn hidden(truth: &OsStr, ending: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(truth);
    name.push(ending);
    name
}

#[cfg(test)]
mod tests;
