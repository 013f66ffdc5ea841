//! The journal of a truth file: what undoes its last changes.
//!
//! It is the file `.NAME.undo` beside the truth. Its first line identifies it. Each change of the truth appends a line:
//! the states of the truth before and after the change, and what undoes it. A change that is undone is cut off again. A
//! line counts only if the truth has the state after its change, so a crash between the writing of both files, a change
//! by another program, or a journal that is deleted never undoes anything wrong: then there is nothing to undo.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::lines::{Change, Line};
use super::{Truth, TruthFileError, hidden};
use dehusk_documents::bounded;
use dehusk_documents::encode::{PartialFile, WriteError, partial_name};
use dehusk_documents::folder::Folder;

/// The first line.
const HEADER: &[u8] = b"{\"dehusk_undo\":1}\n";

/// Largest journal, in bytes. Of a larger one, the newest half of that is kept.
pub(super) const LIMIT: u64 = 16 << 20;

/// The content of a truth file: its length and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) length: u64,
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
pub(super) struct Entry {
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

/// Where an entry is in the journal.
pub(super) struct Written {
    start: u64,
    end: u64,
}

#[derive(Debug)]
pub(super) struct Journal {
    folder: Arc<Folder>,
    name: OsString,
    /// `None` until it is needed.
    file: Option<File>,
    /// How far it counts. The next entry cuts what a crash or a failed change left after that.
    end: u64,
    /// Where the entries of the changes that can be undone begin, the last one at the end.
    starts: Vec<u64>,
}

impl Journal {
    /// Opens the journal of a truth file of this name, with its bytes. It has the permissions of the truth.
    pub(super) fn open(
        folder: &Arc<Folder>,
        truth: &OsStr,
        permissions: Option<Permissions>,
    ) -> Result<(Self, Vec<u8>), TruthFileError> {
        let mut journal = Self {
            folder: Arc::clone(folder),
            name: hidden(truth, ".undo"),
            file: None,
            end: 0,
            starts: Vec::new(),
        };
        if folder.kind(&journal.name).is_none() {
            return Ok((journal, Vec::new()));
        }
        let file = folder.update(&journal.name);
        let file = file.map_err(|e| journal.error("be opened", e))?;
        let mut bytes = Vec::new();
        let read = (&file).take(HEADER.len() as u64).read_to_end(&mut bytes);
        read.map_err(|e| journal.error("be read", e))?;
        // A crash may have cut the first line, too.
        if !HEADER.starts_with(&bytes) {
            return Err(TruthFileError::Unusable {
                path: journal.path(),
                message: "is needed for the changes of the truth, but another program wrote it; move it away, or name \
                          another file for the truth"
                    .to_owned(),
            });
        }
        if let Some(permissions) = permissions {
            // The marks are safe even if the permissions cannot be set.
            let _ = file.set_permissions(permissions);
        }
        let length = file.metadata().map_err(|e| journal.error("be read", e))?.len();
        (journal.file, journal.end) = (Some(file), length);
        if length > LIMIT {
            journal.shrink()?;
        }
        let bytes = journal.read().map_err(|e| journal.error("be read", e))?;
        // A line without an end is one that a crash has cut, before its change was made.
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        journal.end = end.map_or(0, |at| at as u64 + 1);
        Ok((journal, bytes))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut file = self.opened(None)?;
        file.seek(SeekFrom::Start(0))?;
        bounded::read(file, LIMIT)
    }

    /// The changes that undo those that led to a state of the truth: at most `most` changes, the last one at the end.
    /// `ids` are those of the truth's lines, `bytes` those of the journal.
    pub(super) fn changes(
        &mut self,
        bytes: &[u8],
        now: State,
        mut ids: Vec<Option<String>>,
        most: usize,
    ) -> VecDeque<Change> {
        let mut changes = VecDeque::new();
        let mut wanted = Some(now);
        let mut start = self.end;
        // Lines of changes that were never made do not lead to the state.
        for line in bytes[..self.end as usize].split_inclusive(|byte| *byte == b'\n').rev() {
            start -= line.len() as u64;
            let Ok(entry) = serde_json::from_slice::<Entry>(line) else {
                continue;
            };
            if wanted != Some(entry.after) {
                continue;
            }
            wanted = entry.before;
            // Somebody may have edited it.
            let Some(change) = entry.change().filter(|change| change.make_of_ids(&mut ids)) else {
                break;
            };
            changes.push_front(change);
            self.starts.push(start);
            if changes.len() == most {
                break;
            }
        }
        self.starts.reverse();
        changes
    }

    /// Writes an entry, before its change is made. It counts once it is [kept](Self::keep).
    pub(super) fn write(
        &mut self,
        entry: &Entry,
        permissions: Option<&Permissions>,
    ) -> Result<Written, TruthFileError> {
        let mut bytes = if self.end == 0 { HEADER.to_vec() } else { Vec::new() };
        let before = bytes.len() as u64;
        serde_json::to_writer(&mut bytes, entry).map_err(|e| self.error("be written", e.into()))?;
        bytes.push(b'\n');
        let length = bytes.len() as u64;
        if length > LIMIT / 2 {
            // Only this process can undo it.
            let (start, end) = (self.end, self.end);
            return Ok(Written { start, end });
        }
        if self.end + length > LIMIT {
            self.shrink()?;
        }
        let end = self.end;
        let written = self.opened(permissions).and_then(|mut file| {
            let append = |file: &mut &File| {
                file.set_len(end)?;
                file.seek(SeekFrom::Start(end))?;
                file.write_all(&bytes)?;
                file.sync_all()
            };
            append(&mut file).inspect_err(|_| {
                let _ = file.set_len(end);
            })
        });
        written.map_err(|e| self.error("be written", e))?;
        Ok(Written {
            start: end + before,
            end: end + length,
        })
    }

    /// Keeps an entry whose change is made.
    pub(super) fn keep(&mut self, written: Written) {
        self.starts.push(written.start);
        self.end = written.end;
    }

    /// Cuts the last entry, whose change is undone.
    pub(super) fn cut(&mut self) {
        let Some(start) = self.starts.pop() else { return };
        self.end = start;
        if let Some(file) = &self.file {
            // If it fails, the next entry cuts it.
            let _ = file.set_len(start).and_then(|()| file.sync_all());
        }
    }

    /// Keeps the newest entries, half as many bytes as may be, in a new file that takes the place of this one.
    fn shrink(&mut self) -> Result<(), TruthFileError> {
        let from = self.end.saturating_sub(LIMIT / 2);
        let length = self.end - from;
        let read = self.opened(None).and_then(|mut file| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            file.take(length).read_to_end(&mut bytes)?;
            Ok((bytes, file.metadata()?.permissions()))
        });
        let (bytes, permissions) = read.map_err(|e| self.error("be read", e))?;
        let first = bytes.iter().position(|byte| *byte == b'\n');
        let first = first.map_or(bytes.len(), |at| at + 1);
        let mut file = PartialFile::create_in(&self.folder, &self.name, true)?;
        let partial = self.folder.path().join(partial_name(&self.name));
        fs::set_permissions(partial, permissions).map_err(|e| self.error("be written", e))?;
        file.append(HEADER)?;
        file.append(&bytes[first..])?;
        file.commit()?;
        self.file = None;
        let (header, from) = (HEADER.len() as u64, from + first as u64);
        self.end = header + (bytes.len() - first) as u64;
        self.starts.retain(|start| *start >= from);
        for start in &mut self.starts {
            *start = *start - from + header;
        }
        Ok(())
    }

    /// The file. A new one has these permissions, or else only its owner reads it.
    fn opened(&mut self, permissions: Option<&Permissions>) -> io::Result<&File> {
        let file = match self.file.take() {
            Some(file) => file,
            None if self.end > 0 => self.folder.update(&self.name)?,
            // One that appeared since the start is not ours.
            None => {
                let file = self.folder.create_new(&self.name)?;
                if let Some(permissions) = permissions.cloned().or_else(private) {
                    file.set_permissions(permissions)?;
                }
                file
            }
        };
        Ok(self.file.insert(file))
    }

    fn error(&self, action: &'static str, source: io::Error) -> WriteError {
        WriteError {
            action,
            path: self.path(),
            source,
        }
    }
}

/// The permissions of a file that only its owner reads and writes, where there are such.
fn private() -> Option<Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    return None;
}

impl Entry {
    /// The entry that undoes a change of lines, which leads from a state to another.
    pub(super) fn undoing(change: &Change, lines: &[Line], before: Option<State>, after: State) -> Self {
        let (undo, at, line) = match change {
            Change::Insert(at, _) => ("remove", *at, None),
            Change::Replace(at, _) => ("replace", *at, Some(&lines[*at])),
            Change::Remove(at) => ("insert", *at, Some(&lines[*at])),
        };
        Self {
            before,
            after,
            at,
            undo: undo.to_owned(),
            // Lines of pages are JSON, and so UTF-8.
            line: line.map(|line| String::from_utf8_lossy(&line.bytes).into_owned()),
        }
    }

    /// The change that it names, if it names one.
    fn change(self) -> Option<Change> {
        // It would become two lines.
        let line = self.line.filter(|line| !line.contains('\n'));
        let line = line.and_then(|line| Line::read(line.as_bytes(), &mut Truth::default()).ok());
        match (&*self.undo, line) {
            ("insert", Some(line)) => Some(Change::Insert(self.at, line)),
            ("replace", Some(line)) => Some(Change::Replace(self.at, line)),
            ("remove", None) => Some(Change::Remove(self.at)),
            _ => None,
        }
    }
}
