//! Bytes that others keep and that are read in ranges: a source of the caller, or a file on a server.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::{CurrentState, Location, StoredBytes};
use crate::input::{InputState, Opening};
use dehusk_archive::{ArchiveError, ArchiveErrorKind, ByteSource};
use dehusk_remote::{Access, RemoteBytes, RemoteFile, RemoteUrl, Settings};

/// A [`ByteSource`] of the caller.
pub(in crate::input) struct CallerSource(pub(in crate::input) Arc<dyn ByteSource>);

impl Location for CallerSource {
    fn open(&self, _: &Opening, _: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        Ok(StoredBytes::Ranges(Arc::clone(&self.0)))
    }

    fn size_hint(&self) -> u64 {
        self.0.size()
    }

    fn may_wait(&self) -> bool {
        self.0.may_wait()
    }

    fn ranges_may_wait(&self) -> bool {
        self.0.may_wait()
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn is_present(&self) -> bool {
        true
    }
}

/// A file on a server.
pub(in crate::input) struct RemoteObject {
    file: RemoteFile,
    /// Its name without credentials.
    label: PathBuf,
}

impl RemoteObject {
    pub(in crate::input) fn new(url: RemoteUrl) -> Self {
        let label = url.label();
        let file = RemoteFile::new(url);
        Self { file, label }
    }
}

impl Location for RemoteObject {
    /// Asks for the first bytes: only the answer shows whether the server gives ranges.
    fn open(&self, opening: &Opening, ranges: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        let windows = opening.windows;
        match self.file.open(&Access { ranges, windows }, &opening.remote) {
            Ok(RemoteBytes::Ranges(source)) => Ok(StoredBytes::Ranges(source)),
            Ok(RemoteBytes::Stream(body)) => Ok(StoredBytes::Stream(Box::new(move || Ok(body)))),
            Err(e) => {
                let kind = match e.kind() {
                    io::ErrorKind::NotFound => ArchiveErrorKind::NotFound,
                    io::ErrorKind::PermissionDenied => ArchiveErrorKind::PermissionDenied,
                    _ => return Err(ArchiveError::open(&self.label, e)),
                };
                Err(ArchiveError::new(kind, &self.label, format!("cannot be opened: {e}")))
            }
        }
    }

    fn size_hint(&self) -> u64 {
        self.file.state().map_or(0, |state| state.bytes)
    }

    fn ranges_may_wait(&self) -> bool {
        true
    }

    fn is_read_by_requests(&self) -> bool {
        true
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn is_present(&self) -> bool {
        true
    }

    fn is_resumable(&self, _: bool) -> bool {
        true
    }

    fn state(&self) -> Option<InputState> {
        let state = self.file.state()?;
        Some(InputState {
            bytes: state.bytes,
            modified: state.modified,
            etag: state.etag,
            ..InputState::default()
        })
    }

    fn has_state_by_request(&self) -> bool {
        true
    }

    fn current_state(&self, settings: &Settings) -> io::Result<CurrentState> {
        self.file.ask(settings)?;
        Ok(match self.state() {
            None => CurrentState::Incomparable(
                "its server names no tag (ETag) or date, or no size, so it cannot be compared with what it was before",
            ),
            state => CurrentState::Known(state),
        })
    }
}
