//! A remote file as an input: opened when it is read, with its state at that time.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::body::broke_off;
use super::client::Response;
use super::object::{self, FileVersion, FirstResponse};
use super::source::{Plan, RemoteSource};
use super::{RemoteUrl, Settings, cloud, lock, other};
use crate::{Access, FileState, RemoteBytes};
use dehusk_documents::unreachable::UNREACHABLE;

/// With an offset and no length, so much is asked for at first.
const UNKNOWN_LENGTH: u64 = 256 << 10;

/// A remote file. Clones of an input share it.
#[derive(Debug)]
pub struct RemoteFile {
    url: RemoteUrl,
    known: Mutex<KnownVersion>,
}

/// The facts that are known of a file.
#[derive(Clone, Debug, Default)]
struct KnownVersion {
    /// Its version when it was asked for last.
    state: Option<FileVersion>,
    /// Whether what is read must be in that state.
    is_expected: bool,
}

impl RemoteFile {
    /// The file of a name, which is not asked for yet.
    pub fn new(url: RemoteUrl) -> Self {
        Self {
            url,
            known: Mutex::default(),
        }
    }

    /// Asks for the first part of it.
    ///
    /// # Errors
    /// It is unavailable, or is not what it was when the run was planned.
    pub fn open(&self, access: &Access<'_>, settings: &Settings) -> io::Result<RemoteBytes> {
        let target = cloud::target(&self.url)?;
        let (plan, first) = plan(access.ranges, settings.config.part_bytes, settings.config.join_gap);
        let start = first.start;
        match object::first(&target, first, settings).map_err(|e| self.explained(e))? {
            FirstResponse::Part(state, bytes) => {
                self.learn(&state)?;
                let source = RemoteSource::new(target, state, plan, (start, bytes), access.windows, settings);
                Ok(RemoteBytes::Ranges(Arc::new(source)))
            }
            FirstResponse::Whole(state, answer) => {
                self.learn(&state)?;
                let settings = settings.clone();
                let promised = answer.number("content-length");
                Ok(RemoteBytes::Stream(Box::new(Stream {
                    answer: *answer,
                    settings,
                    promised,
                    read: 0,
                })))
            }
        }
    }

    /// Its state when it was asked for last; `None` if it was not, or if its server states nothing that would
    /// distinguish another state.
    pub fn state(&self) -> Option<FileState> {
        let known = lock(&self.known);
        known.state.as_ref().and_then(file_state)
    }

    /// Asks for its state now. Later reads must find the same state.
    ///
    /// # Errors
    /// It is unavailable.
    pub fn ask(&self, settings: &Settings) -> io::Result<()> {
        let state = object::state(&cloud::target(&self.url)?, settings).map_err(|e| self.explained(e))?;
        *lock(&self.known) = KnownVersion {
            state: Some(state),
            is_expected: true,
        };
        Ok(())
    }

    /// Adds to an error what may have been meant by a name that names nothing.
    fn explained(&self, error: io::Error) -> io::Error {
        let is_glob = !self.url.is_cloud() && self.url.path().contains(['*', '[']);
        match error.kind() {
            io::ErrorKind::NotFound if is_glob => io::Error::new(
                error.kind(),
                format!("{error}; over HTTP there are no globs, since it lists no names"),
            ),
            _ => error,
        }
    }

    /// Remembers what it is.
    fn learn(&self, state: &FileVersion) -> io::Result<()> {
        let mut known = lock(&self.known);
        let expected = known.state.as_ref().filter(|_| known.is_expected);
        if expected.is_some_and(|expected| !expected.matches(state)) {
            return Err(other("it has changed since the run began".into()));
        }
        *known = KnownVersion {
            state: Some(state.clone()),
            is_expected: false,
        };
        Ok(())
    }
}

fn file_state(state: &FileVersion) -> Option<FileState> {
    let tag = state.etag.clone().unwrap_or_default();
    // The date of a file with an ETag adds nothing to the ETag.
    let modified = if tag.is_empty() {
        state.modified.clone()?
    } else {
        String::new()
    };
    Some(FileState {
        bytes: state.size,
        modified,
        etag: tag,
    })
}

/// Which parts to ask for, and the first of them. Ranges with no more than `gap` bytes between them are one part, as long
/// as that has no more than `part_bytes`.
fn plan(ranges: Option<&[Range<u64>]>, part_bytes: u64, gap: u64) -> (Plan, Range<u64>) {
    let Some(ranges) = ranges.filter(|ranges| !ranges.is_empty()) else {
        return (Plan::Whole, 0..part_bytes);
    };
    let is_near = |last: &Range<u64>, next: &Range<u64>| {
        // Ranges that overlap are one part in any case.
        next.start <= last.end || next.start <= last.end.saturating_add(gap) && next.end - last.start <= part_bytes
    };
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        let length = match range.end - range.start {
            // One byte means a record whose length is unknown.
            1 => UNKNOWN_LENGTH,
            length => length,
        };
        let range = range.start..range.start.saturating_add(length);
        match joined.last_mut() {
            Some(last) if is_near(last, &range) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let first = joined[0].start..joined[0].end.min(joined[0].start.saturating_add(part_bytes));
    (Plan::Ranges(joined), first)
}

/// The body of a server that knows no ranges.
struct Stream {
    answer: Response,
    settings: Settings,
    promised: Option<u64>,
    read: u64,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.settings.check()?;
        let read = match self.answer.body.read(buffer) {
            Ok(0) if !buffer.is_empty() && self.promised.is_some_and(|promised| self.read < promised) => {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
            read => read,
        };
        let read = read.map_err(|e| match e.kind() {
            io::ErrorKind::Interrupted => e,
            _ => {
                let error = broke_off(&e, self.read);
                let message = format!("{error}, and the server answers with no ranges, so nothing can be asked again");
                io::Error::new(UNREACHABLE, message)
            }
        })?;
        self.read += read as u64;
        Ok(read)
    }
}
