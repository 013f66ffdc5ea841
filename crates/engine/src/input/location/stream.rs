//! Streams: bytes that come once, one after the other.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{Location, StoredBytes};
use crate::input::Opening;
use dehusk_archive::ArchiveError;

/// Standard input.
pub(in crate::input) struct Stdin;

impl Location for Stdin {
    fn open(&self, _: &Opening, _: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        Ok(StoredBytes::stream(|| Ok(io::stdin())))
    }

    fn path(&self) -> Option<&Path> {
        cfg!(unix).then_some(Path::new("/dev/stdin"))
    }
}

/// A stream that a function of the caller opens.
pub(in crate::input) struct CallerStream(pub(in crate::input) Arc<OpenStream>);

type OpenStream = dyn Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync;

impl Location for CallerStream {
    fn open(&self, _: &Opening, _: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        let open = Arc::clone(&self.0);
        Ok(StoredBytes::Stream(Box::new(move || open())))
    }
}
