//! The one way from an input to an opened archive: its location opens the stored bytes, then their format is
//! recognised.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{ArchiveInput, StoredBytes, names};
use crate::config::Config;
use dehusk_archive::{Archive, ArchiveError, ArchiveErrorKind, ByteSource, ReadOptions};
use dehusk_remote::Settings;

/// How archives are opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// How records are read.
    pub options: ReadOptions,
    /// How servers are asked.
    pub(super) remote: Settings,
    /// How many windows of an archive may be read at a time.
    pub(super) windows: usize,
}

impl Opening {
    /// For a caller that reads one archive after the other.
    pub fn new(config: &Config) -> Self {
        Self {
            options: config.read_options(),
            remote: Settings::new(&config.remote, None),
            windows: 1,
        }
    }

    /// For a caller that reads so many windows of an archive at a time, and may stop while it waits.
    pub(crate) fn parallel(config: &Config, windows: usize, stop: Arc<AtomicBool>) -> Self {
        Self {
            options: config.read_options(),
            remote: Settings::new(&config.remote, Some(stop)),
            windows,
        }
    }
}

/// A request to a server for stored bytes. It may be made by another thread.
pub(crate) type Request = dyn FnOnce() -> Result<StoredBytes, ArchiveError> + Send;

impl ArchiveInput {
    /// Opens the archive for a caller that may wait.
    ///
    /// # Errors
    /// The archive cannot be opened or read, or holds no record of a known archive format.
    #[doc(hidden)]
    pub fn open(&self, opening: &Opening) -> Result<Archive, ArchiveError> {
        match self.stored_bytes(opening)? {
            StoredBytes::Ranges(source) => self.archive_in_ranges(source, opening.options),
            StoredBytes::Stream(open) => {
                let stream = open().map_err(|e| ArchiveError::open(&self.label, e))?;
                self.archive_in_stream(stream, opening.options)
            }
        }
    }

    /// Opens the stored bytes, which may wait for a server.
    ///
    /// # Errors
    /// The file cannot be opened, or is a directory.
    pub(crate) fn stored_bytes(&self, opening: &Opening) -> Result<StoredBytes, ArchiveError> {
        let opened = self.location.open(opening, self.ranges());
        opened.map_err(|e| self.with_line(e))
    }

    /// Opens the stored bytes. If that means to ask a server, `wait` gets the request, and returns its answer.
    ///
    /// # Errors
    /// The file cannot be opened, or is a directory; or the error that `wait` returns.
    pub(crate) fn stored_bytes_by(
        &self,
        opening: &Opening,
        wait: impl FnOnce(Box<Request>) -> Result<StoredBytes, ArchiveError>,
    ) -> Result<StoredBytes, ArchiveError> {
        if !self.is_read_by_requests() {
            return self.stored_bytes(opening);
        }
        let (asked, opening) = (self.clone(), opening.clone());
        wait(Box::new(move || asked.stored_bytes(&opening)))
    }

    /// Adds which line of a list names the archive.
    pub(super) fn with_line(&self, error: ArchiveError) -> ArchiveError {
        match &self.line {
            Some(line) => error.with_remedy(&format!(" ({line})")),
            None => error,
        }
    }

    /// Recognises what a source holds. Where only some records are to be read, and each read is a request, only these
    /// are looked at, if they are enough.
    ///
    /// # Errors
    /// The source cannot be read, or holds no record of a known archive format.
    pub(crate) fn archive_in_ranges(
        &self,
        source: Arc<dyn ByteSource>,
        options: ReadOptions,
    ) -> Result<Archive, ArchiveError> {
        let first = self.ranges().and_then(<[Range<u64>]>::first);
        let archive = match first.filter(|_| self.is_read_by_requests()) {
            Some(first) => Archive::from_source_at(&self.label, source, options, first.start),
            None => Archive::from_source(&self.label, source, options),
        };
        archive.map_err(|e| self.explained(e))
    }

    /// Recognises what a stream holds.
    ///
    /// # Errors
    /// The stream cannot be read, or holds no record of a known archive format.
    pub(crate) fn archive_in_stream<R: Read + Send + 'static>(
        &self,
        stream: R,
        options: ReadOptions,
    ) -> Result<Archive, ArchiveError> {
        Archive::from_reader(&self.label, stream, options).map_err(|e| self.explained(e))
    }

    /// Adds what to do with this program where an archive is not recognised. What a server has answered is not quoted:
    /// a name may lead to what must not be shown.
    fn explained(&self, error: ArchiveError) -> ArchiveError {
        let error = if self.is_read_by_requests() {
            error.without_excerpt()
        } else {
            error
        };
        match error.kind() {
            ArchiveErrorKind::HtmlPage if names::is_archive_name(&self.label.to_string_lossy()) => {
                error.with_remedy(" (what was downloaded is a page, perhaps that of an error; fetch it again)")
            }
            ArchiveErrorKind::HtmlPage => error.with_remedy(" (`dehusk extract` reads single pages)"),
            ArchiveErrorKind::DictionaryTooLarge => error.with_remedy(" (limits.dictionary_bytes)"),
            _ => error,
        }
    }
}
