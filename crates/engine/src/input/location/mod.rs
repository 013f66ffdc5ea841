//! The places of an archive's bytes. Each kind of place is one implementation of [`Location`], so that nobody has to
//! ask which kind it is: a caller asks for what it needs to know.

mod file;
mod pages;
mod source;
mod stream;

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub(super) use file::{LocalFile, lacking_network};
pub(super) use pages::PageDirectory;
pub(super) use source::{CallerSource, RemoteObject};
pub(super) use stream::{CallerStream, Stdin};

use super::{Digest, InputState, Opening};
use dehusk_archive::{ArchiveError, ByteSource};
use dehusk_remote::Settings;

/// The stored bytes of an archive.
pub(crate) enum StoredBytes {
    /// They can be read in ranges.
    Ranges(Arc<dyn ByteSource>),
    /// They come one after the other. Opening the stream may wait, so the reader decides when.
    Stream(Box<dyn FnOnce() -> io::Result<Box<dyn Read + Send>> + Send>),
}

impl StoredBytes {
    fn stream<R: Read + Send + 'static>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        Self::Stream(Box::new(move || open().map(|stream| Box::new(stream) as _)))
    }
}

/// The state of an archive now, to be compared with an earlier one.
#[derive(Debug)]
pub(crate) enum CurrentState {
    /// Its state; `None` if it cannot be found.
    Known(Option<InputState>),
    /// Nothing shows whether it is the same as before, for this reason.
    Incomparable(&'static str),
}

/// Where the bytes of an archive are. The default answers are those of a stream, which comes once.
pub(super) trait Location: Send + Sync {
    /// Opens the bytes. If only some records are wanted, `ranges` has the places where they start.
    ///
    /// # Errors
    /// They cannot be opened.
    fn open(&self, opening: &Opening, ranges: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError>;

    /// The path of the file that the bytes come from, if the system has one.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// The number of bytes, as far as it is known before they are opened; 0 otherwise.
    fn size_hint(&self) -> u64 {
        0
    }

    /// Why there is no archive, if it is a path that leads nowhere, or to a directory without archives.
    fn missing(&self) -> Option<ArchiveError> {
        None
    }

    /// The same place, mapped into memory or not; `None` if it cannot be mapped. Mapping needs the promise of
    /// [`ArchiveInput::mapped`](super::ArchiveInput::mapped).
    fn with_mapping(&self, _is_mapped: bool) -> Option<Arc<dyn Location>> {
        None
    }

    /// Whether reading may wait for longer than a disk does.
    fn may_wait(&self) -> bool {
        true
    }

    /// Whether workers that read ranges may wait. Of a stream, only its reader does.
    fn ranges_may_wait(&self) -> bool {
        false
    }

    /// Whether opening and every read is a request to a server, so that only what is needed should be asked for.
    fn is_read_by_requests(&self) -> bool {
        false
    }

    /// Whether the bytes can be read more than once.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Whether the bytes are there, as far as is known without a request.
    fn is_present(&self) -> bool {
        self.state().is_some()
    }

    /// Whether the archive is a collection of files, each of which may be unreadable although the archive is read.
    fn may_lack_files(&self) -> bool {
        false
    }

    /// Whether an unfinished run can continue in the middle. `is_known` is whether the state of the bytes is known.
    fn is_resumable(&self, is_known: bool) -> bool {
        is_known
    }

    /// The state of the bytes, as far as it is known; `None` if there is no regular file or it cannot be found.
    fn state(&self) -> Option<InputState> {
        None
    }

    /// Whether the state is known only after a request.
    fn has_state_by_request(&self) -> bool {
        false
    }

    /// The state of the bytes now. A server is asked once, which may wait.
    ///
    /// # Errors
    /// A server does not answer.
    fn current_state(&self, _settings: &Settings) -> io::Result<CurrentState> {
        Ok(CurrentState::Incomparable(NO_FILE))
    }

    /// The digest of all bytes, where they cannot be read in ranges but once more from the start.
    fn digest_of_stream(&self) -> Option<io::Result<Digest>> {
        None
    }
}

/// Why the bytes of anything but a file cannot be compared.
const NO_FILE: &str = "it is no file, so it cannot be compared with what it was before";
