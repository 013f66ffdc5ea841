//! One remote file: asked for in ranges, all of them of the same state of it, each again if it breaks off.

use std::io::{self, Read};
use std::ops::Range;

use super::body::broke_off;
use super::client::{self, Response};
use super::retry::{Attempts, Failure};
use super::target::{Header, Target};
use super::{Settings, other};

/// The version of a file when it was first asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileVersion {
    pub(super) size: u64,
    pub(super) etag: Option<String>,
    pub(super) modified: Option<String>,
}

/// The answer to the first request for a file.
pub(super) enum FirstResponse {
    /// These bytes from the start of the range on, of a file in this state.
    Part(FileVersion, Vec<u8>),
    /// The server knows no ranges: the whole file.
    Whole(FileVersion, Box<Response>),
}

/// Asks for the first range of a file, whose state is not known.
///
/// # Errors
/// It is unavailable.
pub(super) fn first(target: &Target, range: Range<u64>, settings: &Settings) -> io::Result<FirstResponse> {
    let mut transfer = Transfer {
        target,
        range: range.clone(),
        state: None,
        bytes: Vec::new(),
    };
    if let Some(answer) = transfer.run(settings)? {
        let state = match answer.number("content-length") {
            Some(size) => FileVersion::from_response(&answer, size),
            // Without its size it cannot be compared with what it is later.
            None => FileVersion::default(),
        };
        return Ok(FirstResponse::Whole(state, Box::new(answer)));
    }
    Ok(FirstResponse::Part(transfer.state.unwrap_or_default(), transfer.bytes))
}

/// Asks for a range of a file, which must still be in this state. The range ends where the file does, or before. Its
/// bytes come into `buffer`, whose memory is used again.
///
/// # Errors
/// It is unavailable, or is another file now.
pub(super) fn range(
    target: &Target,
    range: Range<u64>,
    state: &FileVersion,
    mut buffer: Vec<u8>,
    settings: &Settings,
) -> io::Result<Vec<u8>> {
    buffer.clear();
    buffer.reserve_exact((range.end - range.start) as usize);
    let mut transfer = Transfer {
        target,
        bytes: buffer,
        range,
        state: Some(state.clone()),
    };
    match transfer.run(settings)? {
        Some(_) => Err(other("the server no longer answers with ranges".into())),
        None => Ok(transfer.bytes),
    }
}

/// Asks what a file is now. It asks for a byte, because an address may be signed for that and not for `HEAD`.
///
/// # Errors
/// It is unavailable.
pub(super) fn state(target: &Target, settings: &Settings) -> io::Result<FileVersion> {
    match first(target, 0..1, settings)? {
        FirstResponse::Part(state, _) | FirstResponse::Whole(state, _) => Ok(state),
    }
}

impl FileVersion {
    fn from_response(answer: &Response, size: u64) -> Self {
        let text = |name| answer.header(name).map(str::to_owned);
        Self {
            size,
            etag: text("etag"),
            modified: text("last-modified"),
        }
    }

    /// Whether another state is of the same file, as far as both show it.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.size == other.size
            && match (&self.etag, &other.etag) {
                (Some(one), Some(other)) => one == other,
                _ => self.modified == other.modified || self.modified.is_none() || other.modified.is_none(),
            }
    }

    /// The header that makes the server refuse if the file is another.
    fn condition(&self) -> Option<Header> {
        match (&self.etag, &self.modified) {
            // A weak one never matches here. It is compared in the answer.
            (Some(etag), _) if !etag.starts_with("W/") => Some(("if-match", etag.clone())),
            (_, Some(modified)) => Some(("if-unmodified-since", modified.clone())),
            _ => None,
        }
    }
}

/// A range on its way.
struct Transfer<'t> {
    target: &'t Target,
    range: Range<u64>,
    /// `None` before the first answer.
    state: Option<FileVersion>,
    bytes: Vec<u8>,
}

impl Transfer<'_> {
    /// Asks until the range is there. Returns the answer if it is the whole file instead, which only the first can be.
    fn run(&mut self, settings: &Settings) -> io::Result<Option<Response>> {
        let mut attempts = Attempts::default();
        loop {
            let before = self.bytes.len();
            let attempt = self.attempt(settings);
            let got = (self.bytes.len() - before) as u64;
            let failure = match attempt {
                Ok(Progress::Whole(answer)) => return Ok(Some(*answer)),
                Ok(Progress::Done) => return Ok(None),
                Ok(Progress::More) if attempts.progress(got) => continue,
                Ok(Progress::More) => {
                    let range = self.range.end - self.range.start;
                    let message = format!("the server has sent {} of {range} bytes, and no more", self.bytes.len());
                    Failure::Again(other(message), None)
                }
                Err(failure) => failure,
            };
            attempts.wait(failure, got, settings)?;
        }
    }

    fn attempt(&mut self, settings: &Settings) -> Result<Progress, Failure> {
        let start = self.range.start + self.bytes.len() as u64;
        let mut headers = vec![("range", format!("bytes={start}-{}", self.range.end - 1))];
        headers.extend(self.state.as_ref().and_then(FileVersion::condition));
        let mut answer = client::get(self.target, &headers, settings)?;
        match answer.status {
            206 => self.read(&mut answer, start, settings),
            200 if self.state.is_none() => {
                answer.check_is_stored()?;
                Ok(Progress::Whole(Box::new(answer)))
            }
            200 => {
                self.compare(&FileVersion::from_response(&answer, self.size()))?;
                Ok(Progress::Whole(Box::new(answer)))
            }
            412 => Err(changed().into()),
            416 => self.outside(&answer),
            404 | 410 if self.state.is_some() => Err(other("it is gone since it was opened".into()).into()),
            _ => Err(answer.failure()),
        }
    }

    fn size(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.size)
    }

    /// Compares the state of the file in an answer with the known one, or stores it.
    fn compare(&mut self, now: &FileVersion) -> io::Result<()> {
        match &self.state {
            Some(then) if !then.matches(now) => Err(changed()),
            Some(_) => Ok(()),
            None => {
                self.state = Some(now.clone());
                Ok(())
            }
        }
    }

    /// The server reports that the file has no such range.
    fn outside(&mut self, answer: &Response) -> Result<Progress, Failure> {
        let size = answer
            .header("content-range")
            .and_then(|range| range.strip_prefix("bytes */"));
        let size = size.and_then(|size| size.trim().parse::<u64>().ok());
        match (&self.state, size) {
            (None, Some(0)) if self.range.start == 0 => {
                self.state = Some(FileVersion::from_response(answer, 0));
                Ok(Progress::Done)
            }
            (None, Some(size)) if size <= self.range.start => {
                // The caller finds that the range is beyond its end.
                self.state = Some(FileVersion::from_response(answer, size));
                Ok(Progress::Done)
            }
            (None, _) => Err(answer.failure()),
            (Some(_), _) => Err(changed().into()),
        }
    }

    /// Reads the range that an answer brings.
    fn read(&mut self, answer: &mut Response, start: u64, settings: &Settings) -> Result<Progress, Failure> {
        let final_ = |message: String| Failure::Final(other(message));
        let header = answer.header("content-range").and_then(content_range);
        let (from, last, size) = header
            .ok_or_else(|| final_("the server does not say which bytes it sends, or how large the file is".into()))?;
        self.compare(&FileVersion::from_response(answer, size))?;
        let end = self.range.end.min(size);
        if from != start || last >= end || last < from {
            return Err(final_(format!(
                "the server sends the bytes {from} to {last} where {start} to {} were asked for",
                end.saturating_sub(1)
            )));
        }
        let length = last - from + 1;
        if let Some(promised) = answer.number("content-length").filter(|promised| *promised != length) {
            return Err(final_(format!(
                "the server promises {promised} bytes for a range of {length}"
            )));
        }
        let mut left = length;
        let mut piece = vec![0; PIECE.min(length as usize)];
        while left > 0 {
            settings.check()?;
            let most = piece.len().min(left as usize);
            let read = match answer.body.read(&mut piece[..most]) {
                Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                read => read,
            };
            let read = read.map_err(|e| Failure::Again(broke_off(&e, length - left), None))?;
            self.bytes.extend_from_slice(&piece[..read]);
            left -= read as u64;
        }
        // A body that states its length ends with it. One that does not may continue. Its end must be read, too, so
        // that the connection can be used again.
        match answer.body.read(&mut [0]) {
            Ok(1..) => Err(final_(format!(
                "the server sends more than the {length} bytes of the range"
            ))),
            _ if last + 1 == end => Ok(Progress::Done),
            _ => Ok(Progress::More),
        }
    }
}

/// The result of an attempt.
enum Progress {
    /// The range is there.
    Done,
    /// The server sent less than it was asked for, and reported that.
    More,
    Whole(Box<Response>),
}

/// How many bytes of a body are read at a time.
const PIECE: usize = 64 << 10;

fn changed() -> io::Error {
    other("it has changed while it was read".into())
}

/// The first byte, the last byte and the size in `bytes 0-99/1000`.
fn content_range(text: &str) -> Option<(u64, u64, u64)> {
    let (range, size) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    Some((
        first.trim().parse().ok()?,
        last.trim().parse().ok()?,
        size.trim().parse().ok()?,
    ))
}
