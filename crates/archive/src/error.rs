//! Why an archive cannot be read, or not to its end.

use std::io;
use std::path::{Path, PathBuf};

use crate::escape;
use crate::redact::redacted;

/// The words before the start of a text that is no archive. Its end is `”`.
pub(crate) const EXCERPT: &str = " that starts with “";

/// The kind of problem that ended the reading of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveErrorKind {
    /// There is no such file.
    NotFound,
    /// The file may not be read.
    PermissionDenied,
    /// The file cannot be opened for another reason.
    Open,
    /// The bytes cannot be read, or not to their end.
    Read,
    /// The bytes hold no record of a known archive format.
    NotAnArchive,
    /// The bytes are a web page, not an archive.
    HtmlPage,
    /// The archive's zstd dictionary is missing or wrong.
    Dictionary,
    /// The archive's zstd dictionary is larger than
    /// [`ReadOptions::dictionary_limit`](crate::ReadOptions::dictionary_limit).
    DictionaryTooLarge,
    /// The path is a directory.
    Directory,
    /// There is nothing at the place that was asked for.
    NoSuchPlace,
}

impl ArchiveErrorKind {
    pub(crate) fn is_of_dictionary(self) -> bool {
        matches!(self, Self::Dictionary | Self::DictionaryTooLarge)
    }
}

/// Why bytes are not read as an archive, whatever its name is.
#[derive(Debug)]
pub(crate) struct Refusal {
    kind: ArchiveErrorKind,
    message: String,
}

impl Refusal {
    pub(crate) fn new(kind: ArchiveErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    /// The error of the archive that messages call `name`.
    pub(crate) fn for_archive(self, name: &Path) -> ArchiveError {
        ArchiveError::new(self.kind, name, self.message)
    }
}

/// Why an archive cannot be read, or not to its end. Its text names the archive, the place and the remedy.
#[derive(Debug)]
pub struct ArchiveError {
    archive: PathBuf,
    offset: Option<u64>,
    kind: ArchiveErrorKind,
    message: String,
    source: Option<io::Error>,
}

impl ArchiveError {
    /// An error of this kind. `archive` is what messages call it; `message` says what is wrong and what to do, without
    /// the archive's name.
    pub fn new(kind: ArchiveErrorKind, archive: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Self {
            archive: redacted(archive.as_ref()).into_owned(),
            offset: None,
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// The archive's file cannot be opened.
    pub fn open(archive: impl AsRef<Path>, error: io::Error) -> Self {
        let (kind, message) = match error.kind() {
            io::ErrorKind::NotFound => (ArchiveErrorKind::NotFound, "no such file".to_owned()),
            io::ErrorKind::PermissionDenied => (
                ArchiveErrorKind::PermissionDenied,
                "permission to read it is denied".to_owned(),
            ),
            _ => (ArchiveErrorKind::Open, format!("cannot be opened: {error}")),
        };
        Self::new(kind, archive, message).caused_by(error)
    }

    /// The path is a directory.
    pub fn directory(archive: impl AsRef<Path>) -> Self {
        let message = "is a directory; name an archive in it";
        Self::new(ArchiveErrorKind::Directory, archive, message)
    }

    /// The archive's bytes cannot be read.
    pub fn read(archive: impl AsRef<Path>, error: io::Error) -> Self {
        Self::new(ArchiveErrorKind::Read, archive, format!("cannot be read: {error}")).caused_by(error)
    }

    /// Reading the archive's bytes ended too soon, or what was read cannot be trusted.
    pub fn read_on(archive: impl AsRef<Path>, error: io::Error) -> Self {
        Self::new(ArchiveErrorKind::Read, archive, format!("cannot be read on: {error}")).caused_by(error)
    }

    /// The same error with its place: an offset in the archive, in bytes.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same error with more of what to do, which is added to the end of its message.
    pub fn with_remedy(mut self, remedy: &str) -> Self {
        self.message.push_str(remedy);
        self
    }

    /// The same error without what it quotes of the archive's bytes.
    pub fn without_excerpt(mut self) -> Self {
        if let Some(start) = self.message.find(EXCERPT) {
            let end = self
                .message
                .rfind('”')
                .map_or(self.message.len(), |at| at + '”'.len_utf8());
            self.message.replace_range(start..end.max(start), "");
        }
        self
    }

    fn caused_by(mut self, error: io::Error) -> Self {
        self.source = Some(error);
        self
    }

    /// The archive's path, or the name that it was opened by, without credentials.
    pub fn archive(&self) -> &Path {
        &self.archive
    }

    /// Offset in the archive, in bytes, where that matters.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The problem and the remedy, without the archive's name and the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The kind of the problem.
    pub fn kind(&self) -> ArchiveErrorKind {
        self.kind
    }
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&escape::path(&self.archive))?;
        if let Some(offset) = self.offset {
            write!(f, " at offset {offset}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ArchiveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
