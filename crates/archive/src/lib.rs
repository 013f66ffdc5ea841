//! Archives: stored bytes → records.
//!
//! An [`Archive`] is a file, mapped, or a stream. Its bytes, never its name, say what it is ([`Format`]). A
//! [`Records`] turns it into records; [`window`] cuts a map into windows that several readers can take at a time.
//!
//! The way through this folder: `detect` says what an archive is; `map` (with `lost`) and `input` hold stored bytes; `gzip`
//! (with `inflate`) and `zstd` decode them under `unpack`'s policy for damage; `source` remembers where decoded bytes came
//! from and books every stored byte; [`reader`] frames records by the rules of [`framing`], `arc` and [`record`];
//! [`digest`] bears witness.

#![deny(unsafe_code)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod arc;
mod detect;
pub mod digest;
#[doc(hidden)]
pub mod escape;
mod fault;
pub mod framing;
mod gzip;
mod header;
pub mod http;
mod inflate;
mod input;
#[cfg(unix)]
mod lost;
mod map;
pub mod reader;
pub mod record;
mod record_type;
mod source;
mod unpack;
pub mod window;
mod zstd;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use self::zstd::{DICTIONARY_LIMIT, WINDOW_LIMIT};
pub use arc::ArcFields;
pub use fault::{Fault, Note, Notes};
pub use framing::Framing;
pub use header::Header;
pub use map::Map;
pub use reader::{DigestPolicy, Event, Records};
pub use record::{BufferedRecord, OwnedRecord, Record};
pub use record_type::RecordType;
pub use source::{Bytes, Skipped};

use self::zstd::Setting;
use detect::detect;
use input::Input;
use source::Source;
use unpack::Unpacker;

/// Largest block that is held in memory by default, in bytes: browsers' pages stay far below.
pub const RECORD_LIMIT: u64 = 64 << 20;

/// How an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Not at all.
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstd frames.
    Zstd,
}

/// What an archive's bytes say that it is.
#[derive(Clone, Debug)]
pub struct Format {
    /// Its compression.
    pub container: Container,
    /// Its records' framing.
    pub framing: Framing,
    zstd: Setting,
}

impl Format {
    /// The endings of such an archive's name.
    #[doc(hidden)]
    pub fn extension(&self) -> String {
        let framing = if self.framing == Framing::Warc { "warc" } else { "arc" };
        let container = match self.container {
            Container::Plain => "",
            Container::Gzip => ".gz",
            Container::Zstd => ".zst",
        };
        format!("{framing}{container}")
    }

    /// What has to stand in front of some frames of the archive, so that they can be decoded apart from it.
    #[doc(hidden)]
    pub fn preamble(&self) -> Vec<u8> {
        self.zstd
            .dictionary
            .as_deref()
            .map(zstd::dictionary_frame)
            .unwrap_or_default()
    }
}

/// Why an archive cannot be read at all.
#[derive(Debug)]
pub struct ArchiveError {
    /// The archive.
    pub path: PathBuf,
    /// Offset in the file, in bytes, where that matters.
    pub offset: Option<u64>,
    /// What is wrong, in words, with the remedy.
    pub message: String,
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::escape::path(&self.path))?;
        if let Some(offset) = self.offset {
            write!(f, " at offset {offset}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ArchiveError {}

/// Options of reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Largest block that is held in memory, in bytes; larger records fail as `too_large`.
    pub record_limit: u64,
    /// Largest window of a zstd frame, in bytes, rounded down to a power of two; larger ones fail as `zstd_window`.
    pub window_limit: u64,
    /// Largest zstd dictionary, in bytes; an archive with a larger one is refused.
    pub dictionary_limit: u64,
    /// Whether data under a wrong checksum pass with a note where no digest speaks against them.
    pub unproven: bool,
    /// What is done with stated block digests.
    pub digests: DigestPolicy,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            record_limit: RECORD_LIMIT,
            window_limit: WINDOW_LIMIT,
            dictionary_limit: DICTIONARY_LIMIT,
            unproven: false,
            digests: DigestPolicy::Ignore,
        }
    }
}

/// One input file, open and recognised.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    map: Map,
    format: Option<Format>,
}

impl Archive {
    /// Opens and maps a local file and recognises what it is by its bytes. One that states no size is taken as empty; see
    /// [`is_stream`].
    ///
    /// # Errors
    /// The file cannot be opened or mapped, or holds no record of a known archive format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        Self::open_with(path, ReadOptions::default())
    }

    /// As [`Archive::open`], within other limits.
    ///
    /// # Errors
    /// As [`Archive::open`], and where a limit of the whole archive is passed.
    pub fn open_with(path: impl AsRef<Path>, options: ReadOptions) -> Result<Self, ArchiveError> {
        let path = path.as_ref();
        let error = |message: String| ArchiveError {
            path: path.to_owned(),
            offset: None,
            message,
        };
        let file = File::open(path).map_err(|e| error(cannot_open(&e)))?;
        let length = file.metadata().map_err(|e| error(cannot_open(&e)))?.len();
        if length == 0 {
            return Ok(Self {
                path: path.to_owned(),
                map: Map::empty(),
                format: None,
            });
        }
        let map = Map::new(file).map_err(|e| error(format!("cannot be mapped: {e}")))?;
        let format = detect(&mut Input::map(&map, 0), options);
        map.check().map_err(|e| error(format!("cannot be read: {e}")))?;
        let format = format.map_err(error)?;
        map.sequential();
        Ok(Self {
            path: path.to_owned(),
            map,
            format,
        })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its stored size, in bytes.
    pub fn size(&self) -> u64 {
        self.map.len() as u64
    }

    /// What it is; `None` for an empty file, or a compressed one of nothing.
    pub fn format(&self) -> Option<&Format> {
        self.format.as_ref()
    }

    /// Its records, from the first on.
    pub fn records(&self) -> Records<'_> {
        self.records_between(0, u64::MAX, ReadOptions::default(), Vec::new())
    }

    /// The records that start (or whose members start) at stored offsets within `from..to`; `from` must be the start of
    /// a record, member or frame. `buffer` is where members are decoded, so that it can be used again.
    pub fn records_between(&self, from: u64, to: u64, options: ReadOptions, buffer: Vec<u8>) -> Records<'_> {
        reader(Input::map(&self.map, from), self.format.as_ref(), to, options, buffer)
    }

    /// Why what was read so far cannot be believed, in words, where another program has shortened or changed the file
    /// meanwhile.
    ///
    /// # Errors
    /// As said.
    pub fn check(&self) -> Result<(), ArchiveError> {
        self.map.check().map_err(|e| ArchiveError {
            path: self.path.clone(),
            offset: None,
            message: format!("cannot be read on: {e}"),
        })
    }

    /// Tells the system that these stored bytes will not be read again soon.
    pub fn release(&self, range: std::ops::Range<u64>) {
        self.map.release(range);
    }

    #[doc(hidden)]
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }
}

/// Whether what has these metadata can only be read as a stream: pipes, devices, and files that state no size. Such a one
/// may be empty; but those in `/proc`, for one, are made when they are read.
pub fn is_stream(metadata: &Metadata) -> bool {
    !metadata.is_dir() && (!metadata.is_file() || metadata.len() == 0)
}

/// An archive that comes through a pipe or from standard input.
pub struct StreamArchive {
    input: Input<'static>,
    format: Option<Format>,
}

impl StreamArchive {
    /// Recognises what a stream is by its first bytes. `path` is what messages call it.
    ///
    /// # Errors
    /// The stream cannot be read, or holds no record of a known archive format.
    pub fn new(reader: impl Read + Send + 'static, path: &Path) -> Result<Self, ArchiveError> {
        Self::new_with(reader, path, ReadOptions::default())
    }

    /// As [`StreamArchive::new`], within other limits.
    ///
    /// # Errors
    /// As [`StreamArchive::new`], and where a limit of the whole archive is passed.
    pub fn new_with(
        reader: impl Read + Send + 'static,
        path: &Path,
        options: ReadOptions,
    ) -> Result<Self, ArchiveError> {
        let mut input = Input::stream(Box::new(reader));
        let error = |message: String| ArchiveError {
            path: path.to_owned(),
            offset: None,
            message,
        };
        let format = detect(&mut input, options);
        if !matches!(format, Ok(Some(_)))
            && let Some(e) = input.take_error()
        {
            return Err(error(format!("cannot be read: {e}")));
        }
        Ok(Self {
            format: format.map_err(error)?,
            input,
        })
    }

    /// What it is; `None` for an empty stream, or a compressed one of nothing.
    pub fn format(&self) -> Option<&Format> {
        self.format.as_ref()
    }

    /// Its records.
    pub fn into_records(self, options: ReadOptions) -> Records<'static> {
        reader(self.input, self.format.as_ref(), u64::MAX, options, Vec::new())
    }
}

fn reader<'a>(
    mut input: Input<'a>,
    format: Option<&Format>,
    stop: u64,
    options: ReadOptions,
    buffer: Vec<u8>,
) -> Records<'a> {
    let framing = format.map_or(Framing::Warc, |f| f.framing);
    let setting = format.map(|f| f.zstd.clone()).unwrap_or_default();
    let unpacker = match format.map(|f| f.container) {
        Some(Container::Plain) => None,
        Some(Container::Gzip) => Some(Unpacker::gzip(framing)),
        Some(Container::Zstd) => Some(Unpacker::zstd(framing, &setting)),
        // Nothing, or nothing compressed: empty members are padding still.
        None if zstd::is_zstd(input.peek(4)) => Some(Unpacker::zstd(framing, &setting)),
        None => Some(Unpacker::gzip(framing)),
    };
    let source = Source::new(input, unpacker, stop, buffer);
    Records::new(source, framing, options)
}

fn cannot_open(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission to read it is denied".into(),
        _ => format!("cannot be opened: {error}"),
    }
}
