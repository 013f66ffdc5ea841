//! The archives that a run, an evaluation or an iterator over documents reads.
//!
//! An [`ArchiveInput`] knows where its bytes are and how to open them, whether they are a file, a pipe, or anything else
//! behind a [`ByteSource`]. `open` is the one place that opens archives, and `arguments` (with `globs`) the one place
//! where `-`, `@` and globs mean something.

mod arguments;
mod globs;
mod names;
mod offsets;
mod open;
mod pages;
mod place;
mod prefixes;
mod state;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use arguments::directory_of_pages;
pub use arguments::path_of;
pub use arguments::{InputError, Inputs, from_arguments};
pub use names::name_shards;
pub use offsets::from_offsets;
pub use open::Opening;
pub(crate) use open::StoredBytes;
pub use pages::{PageFile, Walk};
pub use place::{OpenedAt, open_at};
pub use state::Digest;
pub use state::InputState;

use crate::config::Config;
use crate::provenance::ArchiveName;
use dehusk_archive::escape;
use dehusk_archive::redact::redacted;
use dehusk_archive::{ArchiveError, ByteSource, is_stream};
use dehusk_remote::{RemoteFile, RemoteUrl, Settings};

/// One archive to read.
///
/// A path becomes an input with `into()`:
///
/// ```
/// use dehusk::ArchiveInput;
///
/// let input: ArchiveInput = "crawl/2026.warc.gz".into();
/// assert_eq!(input.label(), "crawl/2026.warc.gz");
/// ```
#[derive(Clone, Debug)]
pub struct ArchiveInput {
    location: Location,
    /// What messages and reports call it.
    label: PathBuf,
    /// The file name that documents carry.
    name: String,
    /// The name of the shard. [`name_shards`] makes it unique in a run.
    shard: String,
    /// If not all records are to be read: those that start in these ranges, in their order.
    ranges: Option<Arc<[Range<u64>]>>,
}

/// Where an archive's bytes are.
#[derive(Clone)]
enum Location {
    /// A file that is read with `pread`; or a pipe or a device, which is read as a stream.
    File(PathBuf),
    /// A file that is mapped. Only [`ArchiveInput::mapped`] makes it, whose caller accepts the contract of mapping.
    MappedFile(PathBuf),
    /// Standard input.
    Stdin,
    /// A stream that this function opens.
    Stream(Arc<OpenStream>),
    /// A directory of pages, which is one archive.
    Pages(PathBuf),
    /// Anything that serves ranges of bytes.
    Source(Arc<dyn ByteSource>),
    /// A file behind a network.
    Remote(Arc<RemoteFile>),
}

type OpenStream = dyn Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync;

impl ArchiveInput {
    /// The archive in a file. A regular file is read with `pread`, a pipe or a device as a stream. With the feature
    /// `remote`, names that begin with `https://`, `http://`, `s3://`, `gs://` or `az://` are those of files behind a
    /// network. Messages and reports call these, and all other addresses, without user, password and query.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        if let Some(url) = RemoteUrl::of(&path) {
            return Self::remote(url);
        }
        Self::new(Location::File(path.clone()), path)
    }

    /// The archive of a name that was read already.
    #[doc(hidden)]
    pub fn remote(url: RemoteUrl) -> Self {
        let label = url.label();
        Self::new(Location::Remote(Arc::new(RemoteFile::new(url))), label)
    }

    /// The archive of a name that stands in the account of a run, which does not say who has named it: an argument, or a server
    /// by a list. So it must not lead into the network of this machine.
    #[doc(hidden)]
    pub fn recorded(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        if let Some(url) = RemoteUrl::of(&path) {
            return Self::remote(url.distrusted());
        }
        Self::file(path)
    }

    /// The pages in a directory and below it, as one archive: files whose names end in `.html`, `.htm` or `.xhtml`, plain or
    /// with `.gz` or `.zst`.
    pub fn pages(directory: impl Into<PathBuf>) -> Self {
        let path = directory.into();
        Self::new(Location::Pages(path.clone()), path)
    }

    /// The archive that comes through standard input. Messages call it `-`.
    pub fn stdin() -> Self {
        let mut input = Self::new(Location::Stdin, "-".into());
        "stdin".clone_into(&mut input.name);
        "stdin".clone_into(&mut input.shard);
        input
    }

    /// The archive behind a [`ByteSource`]. Messages call it `label`; documents carry the last part of that, as if it
    /// were a path.
    pub fn source(label: impl Into<PathBuf>, source: Arc<dyn ByteSource>) -> Self {
        Self::new(Location::Source(source), label.into())
    }

    /// The archive in a stream that `open` opens, from its first byte on. The label is as in [`ArchiveInput::source`].
    pub fn stream<R: Read + Send + 'static>(
        label: impl Into<PathBuf>,
        open: impl Fn() -> io::Result<R> + Send + Sync + 'static,
    ) -> Self {
        let open = move || open().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
        Self::new(Location::Stream(Arc::new(open)), label.into())
    }

    /// The same input. If it is a regular file, it is mapped into memory instead of being read with `pread`, which saves
    /// copying its bytes. Other inputs stay as they are.
    ///
    /// # Safety
    /// Another process may change or shorten the file while it is read. The caller accepts that records may then come out
    /// wrong, though always as valid text, and that a shortened file raises SIGBUS, which ends the process unless
    /// `dehusk_archive::sigbus::install` was called before. A change that is noticed fails the archive.
    #[allow(unsafe_code)]
    pub unsafe fn mapped(mut self) -> Self {
        if let Location::File(path) = self.location {
            self.location = Location::MappedFile(path);
        }
        self
    }

    /// The same input. If it is a regular file, it is read with `pread`.
    pub(crate) fn unmapped(mut self) -> Self {
        if let Location::MappedFile(path) = self.location {
            self.location = Location::File(path);
        }
        self
    }

    fn new(location: Location, label: PathBuf) -> Self {
        let label = redacted(&label).into_owned();
        let (name, stem) = match label.file_name() {
            // An escape would be a strange name for a shard.
            Some(name) => (escape::name(name).into_owned(), name.to_string_lossy().into_owned()),
            None => ("archive".to_owned(), "archive".to_owned()),
        };
        Self {
            location,
            label,
            name,
            shard: names::stem(&stem).to_owned(),
            ranges: None,
        }
    }

    /// The same input, of which only the records are read that start in these ranges of stored bytes. Each range must
    /// begin where a record does (in a compressed archive, its member or frame); otherwise it counts as skipped, as
    /// `no_record`. All other bytes count as not selected. The archive must be a file or another source of ranges.
    pub fn only(mut self, mut ranges: Vec<Range<u64>>) -> Self {
        // Of those with one start, the longest counts.
        ranges.sort_by_key(|range| (range.start, u64::MAX - range.end));
        ranges.dedup_by_key(|range| range.start);
        self.ranges = Some(ranges.into());
        self
    }

    /// If not all records are to be read: the ranges in which they start.
    #[doc(hidden)]
    pub fn ranges(&self) -> Option<&[Range<u64>]> {
        self.ranges.as_deref()
    }

    /// What messages and reports call the archive: its path, `-` for standard input, or the label that it was given; in any
    /// case without credentials.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// The names that documents carry.
    pub(crate) fn archive_name(&self) -> ArchiveName<'_> {
        ArchiveName {
            file: &self.name,
            shard: &self.shard,
        }
    }

    /// The name of its shard, without endings.
    #[doc(hidden)]
    pub fn shard(&self) -> &str {
        &self.shard
    }

    /// The path of the file that its bytes come from, if the system has one.
    #[doc(hidden)]
    pub fn path(&self) -> Option<&Path> {
        match &self.location {
            Location::File(path) | Location::MappedFile(path) => Some(path),
            Location::Stdin => cfg!(unix).then_some(Path::new("/dev/stdin")),
            Location::Stream(_) | Location::Source(_) | Location::Pages(_) => None,
            Location::Remote(_) => None,
        }
    }

    /// Its stored size in bytes, as far as it is known before the archive is opened; 0 otherwise.
    pub(crate) fn size_hint(&self) -> u64 {
        match &self.location {
            Location::File(path) | Location::MappedFile(path) => {
                std::fs::metadata(path).map_or(0, |m| if m.is_file() { m.len() } else { 0 })
            }
            Location::Stdin | Location::Stream(_) | Location::Pages(_) => 0,
            Location::Source(source) => source.size(),
            Location::Remote(file) => file.state().map_or(0, |state| state.bytes),
        }
    }

    /// Why the archive cannot be read, if it is a path that leads nowhere, or to a directory without archives.
    #[doc(hidden)]
    pub fn missing(&self) -> Option<ArchiveError> {
        let (Location::File(path) | Location::MappedFile(path)) = &self.location else {
            return None;
        };
        match std::fs::metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Some(open::cannot_open(path, e)),
            Ok(metadata) if metadata.is_dir() => Some(open::directory(path)),
            _ => None,
        }
    }

    /// Whether it is a directory of pages, which is always read from its start.
    pub(crate) fn is_pages(&self) -> bool {
        matches!(self.location, Location::Pages(_))
    }

    /// Whether its bytes can be read more than once.
    pub(crate) fn can_be_read_again(&self) -> bool {
        match &self.location {
            Location::Stdin | Location::Stream(_) | Location::Pages(_) => false,
            Location::Source(_) => true,
            Location::File(_) | Location::MappedFile(_) => !self.may_wait(),
            Location::Remote(_) => true,
        }
    }

    /// Whether it is standard input.
    fn is_stdin(&self) -> bool {
        matches!(self.location, Location::Stdin)
    }

    /// Gives its shard this name instead of its own.
    pub(crate) fn set_shard(&mut self, name: String) {
        self.shard = name;
    }

    /// Whether it is behind a [`ByteSource`], of the caller or of a network.
    pub(crate) fn is_source(&self) -> bool {
        matches!(self.location, Location::Source(_)) || self.is_remote()
    }

    /// What its file is now, as far as that can be asked. A server is asked once, which may wait.
    ///
    /// # Errors
    /// A server does not say what it is.
    pub(crate) fn current_state(
        &self,
        config: &Config,
        stop: Option<&Arc<AtomicBool>>,
    ) -> io::Result<Option<InputState>> {
        if let Location::Remote(file) = &self.location {
            file.ask(&Settings::new(&config.remote, stop.cloned()))?;
        }
        Ok(self.state())
    }

    /// Whether it is behind a network.
    pub(crate) fn is_remote(&self) -> bool {
        if matches!(self.location, Location::Remote(_)) {
            return true;
        }
        false
    }

    /// Whether reading it may wait for longer than a disk does.
    #[doc(hidden)]
    pub fn may_wait(&self) -> bool {
        match &self.location {
            Location::File(path) | Location::MappedFile(path) => std::fs::metadata(path).is_ok_and(|m| is_stream(&m)),
            Location::Stdin | Location::Stream(_) => true,
            Location::Pages(_) => false,
            Location::Source(source) => source.may_wait(),
            Location::Remote(_) => true,
        }
    }
}

impl From<PathBuf> for ArchiveInput {
    fn from(path: PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<&Path> for ArchiveInput {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl From<OsString> for ArchiveInput {
    fn from(path: OsString) -> Self {
        Self::file(path)
    }
}

impl From<&OsStr> for ArchiveInput {
    fn from(path: &OsStr) -> Self {
        Self::file(path)
    }
}

impl From<String> for ArchiveInput {
    fn from(path: String) -> Self {
        Self::file(path)
    }
}

impl From<&str> for ArchiveInput {
    fn from(path: &str) -> Self {
        Self::file(path)
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(&redacted(path)).finish(),
            Self::MappedFile(path) => f.debug_tuple("MappedFile").field(&redacted(path)).finish(),
            Self::Stdin => f.write_str("Stdin"),
            Self::Pages(path) => f.debug_tuple("Pages").field(path).finish(),
            Self::Stream(_) => f.debug_tuple("Stream").finish_non_exhaustive(),
            Self::Source(source) => f.debug_tuple("Source").field(source).finish(),
            Self::Remote(file) => f.debug_tuple("Remote").field(file).finish(),
        }
    }
}
