//! Archives on servers: `https://`, `http://`, `s3://`, `gs://` and `az://`.
//!
//! A [`RemoteUrl`] is such a name, and a [`RemoteFile`] the file that it names, which is read in ranges or as a stream.
//! Without the feature `network` no name is a [`RemoteUrl`], so that callers need no second version of themselves.

mod config;

#[cfg_attr(not(feature = "network"), path = "absent.rs")]
mod network;

pub use config::{OutOfBounds, RemoteConfig};
pub use network::{RemoteFile, RemoteUrl, Settings, list, read_small};

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use dehusk_archive::ByteSource;

/// Which part of a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// These ranges, or all of it.
    pub ranges: Option<&'a [Range<u64>]>,
    /// How many windows may be read at a time.
    pub windows: usize,
}

/// The bytes of a file.
pub enum RemoteBytes {
    /// Its server answers with ranges.
    Ranges(Arc<dyn ByteSource>),
    /// Its server gives it whole only.
    Stream(Box<dyn Read + Send>),
}

/// The state of a file, as its server reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was modified last, in UTC; `""` if it has an ETag.
    pub modified: String,
    /// Its ETag, or `""`.
    pub etag: String,
}
