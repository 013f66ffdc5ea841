//! The documents of a shard: [`read_shard`] and [`ShardReader`].

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::checksum::sha256_of;
use super::format::{OutputFormat, Reader};
use super::shard_input::{ShardInput, TooLarge};
use crate::document::Document;
use crate::folder::open_output;
use dehusk_archive::escape;

/// Reads the documents of a shard that a run wrote.
///
/// The file name tells the format (`.jsonl` or `.xml`, before `.zst` or `.gz`; or `.parquet` or `.sqlite`); the first bytes tell the
/// compression. All frames of a zstd file and all members of a gzip file are read. Memory is bounded by the largest document;
/// for Parquet, by the largest pages of the columns.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let out = directory.path().join("out");
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
/// # dehusk::run(&dehusk::Config::default(), &[archive.into()], &out)?;
/// let mut words = 0;
/// for document in dehusk::read_shard(out.join("documents/sample.jsonl.zst"))? {
///     words += u64::from(document?.metadata.words);
/// }
/// assert!(words > 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The name has no known format, or the file cannot be opened. Errors of the content come from the iterator.
pub fn read_shard(path: impl AsRef<Path>) -> Result<ShardReader, ShardError> {
    read_if(path.as_ref(), |_| Ok(()))
}

/// As [`read_shard`], of a shard whose run says which SHA-256 its bytes have. They are compared before the first document is read.
///
/// # Errors
/// As [`read_shard`]; or the bytes of the shard have another SHA-256 than `sha256`.
pub fn read_shard_of_run(path: &Path, sha256: &str, run: &Path) -> Result<ShardReader, ShardError> {
    read_if(path, |file| {
        let found = sha256_of(&*file).map_err(ShardErrorKind::Read)?;
        file.rewind().map_err(ShardErrorKind::Read)?;
        match found == sha256 {
            true => Ok(()),
            false => Err(ShardErrorKind::Changed(run.to_path_buf())),
        }
    })
}

/// Reads the documents of a shard that passes a check.
fn read_if(
    path: &Path,
    check: impl FnOnce(&mut File) -> Result<(), ShardErrorKind>,
) -> Result<ShardReader, ShardError> {
    let error = |kind| ShardError {
        path: path.to_path_buf(),
        place: ShardPlace::File,
        kind,
    };
    let format = format_of(path).ok_or_else(|| error(ShardErrorKind::UnknownFormat))?;
    let mut file = open_output(path).map_err(|e| error(ShardErrorKind::Read(e)))?;
    check(&mut file).map_err(error)?;
    match format.reader() {
        Reader::Sequential(_) => ShardReader::new(file, format, path),
        Reader::Whole(open) => Ok(ShardReader {
            path: path.to_path_buf(),
            documents: Some(open(
                WholeShard::File(file, path.to_path_buf()),
                ShardReader::DOCUMENT_LIMIT,
            )),
        }),
    }
}

/// An iterator over the documents of a shard. It ends after the first error.
///
/// A shard that was cut short gives a [`ShardErrorKind::Truncated`] error, with one exception: a JSONL shard that ends
/// between two lines (compressed: between two frames or members) cannot be told from a shorter one.
pub struct ShardReader {
    path: PathBuf,
    /// `None` after the last document and after an error.
    documents: Option<Box<dyn DocumentReader>>,
}

impl ShardReader {
    /// Largest document that is read, in decompressed bytes: 1 GiB.
    pub const DOCUMENT_LIMIT: u64 = 1 << 30;

    /// Largest Parquet shard or database that is read from an input that is not a file, in bytes: 1 GiB.
    pub const WHOLE_LIMIT: u64 = 1 << 30;

    /// Reads a shard from any input. `name` is the file name in error messages. A Parquet shard is held in memory;
    /// [`read_shard`] reads a file without that.
    ///
    /// # Errors
    ///
    /// The first bytes cannot be read.
    pub fn new(
        input: impl Read + Send + 'static,
        format: OutputFormat,
        name: impl Into<PathBuf>,
    ) -> Result<Self, ShardError> {
        Self::with_limit(input, format, name, Self::DOCUMENT_LIMIT)
    }

    /// As [`ShardReader::new`], with another limit for the size of a document, in decompressed bytes.
    ///
    /// # Errors
    ///
    /// The first bytes cannot be read.
    pub fn with_limit(
        input: impl Read + Send + 'static,
        format: OutputFormat,
        name: impl Into<PathBuf>,
        limit: u64,
    ) -> Result<Self, ShardError> {
        let path = name.into();
        let documents = match format.reader() {
            Reader::Sequential(open) => ShardInput::new(input, limit).map(open),
            Reader::Whole(open) => read_whole(input).map(|bytes| open(WholeShard::Memory(bytes), limit)),
        };
        match documents {
            Ok(documents) => Ok(Self {
                path,
                documents: Some(documents),
            }),
            Err(e) => Err(ShardError {
                path,
                place: ShardPlace::File,
                kind: ShardErrorKind::Read(e),
            }),
        }
    }
}

impl ShardReader {
    /// The shard, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Iterator for ShardReader {
    type Item = Result<Document, ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.documents.as_mut()?.next_document();
        if !matches!(result, Ok(Some(_))) {
            self.documents = None;
        }
        let located = |(place, kind)| ShardError {
            path: self.path.clone(),
            place,
            kind,
        };
        result.map_err(located).transpose()
    }
}

impl std::iter::FusedIterator for ShardReader {}

impl fmt::Debug for ShardReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShardReader({})", escape::path(&self.path))
    }
}

/// A shard that is not read from its first byte to its last.
#[cfg_attr(not(feature = "sqlite"), expect(dead_code))]
pub(super) enum WholeShard {
    /// With its path, for a library that opens files itself.
    File(File, PathBuf),
    Memory(Vec<u8>),
}

fn read_whole(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(ShardReader::WHOLE_LIMIT + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > ShardReader::WHOLE_LIMIT {
        true => Err(io::Error::other(
            "a Parquet file or a database of more than 1 GiB can only be read as a file",
        )),
        false => Ok(bytes),
    }
}

/// A format's reader.
pub(super) trait DocumentReader: Send {
    /// Returns the next document, or `None` at the regular end of the shard.
    fn next_document(&mut self) -> Result<Option<Document>, (ShardPlace, ShardErrorKind)>;
}

/// A shard could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct ShardError {
    /// The shard.
    pub path: PathBuf,
    /// Where in the shard the error is.
    pub place: ShardPlace,
    /// What is wrong.
    pub kind: ShardErrorKind,
}

/// A place in a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardPlace {
    /// The file as a whole.
    File,
    /// A line; the first is 1.
    Line(u64),
    /// An offset in the decompressed bytes.
    Byte(u64),
    /// A row of a Parquet file or a database; the first is 1.
    Row(u64),
}

/// What is wrong with a shard.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardErrorKind {
    /// The file name does not end in the extension of a known format.
    UnknownFormat,
    /// The file cannot be read or decompressed.
    Read(io::Error),
    /// The shard ends too early.
    Truncated,
    /// A document takes more than this number of bytes.
    TooLarge(u64),
    /// Its bytes are not those that the run in this directory wrote.
    Changed(PathBuf),
    /// The content is not a document of the shard's format.
    Invalid(Box<dyn std::error::Error + Send + Sync>),
}

impl ShardErrorKind {
    /// Sorts the errors of an [`ShardInput`].
    pub(super) fn from_input(error: io::Error) -> Self {
        let too_large = error.get_ref().and_then(|e| e.downcast_ref::<TooLarge>());
        match too_large {
            Some(TooLarge { limit }) => ShardErrorKind::TooLarge(*limit),
            None if error.kind() == io::ErrorKind::UnexpectedEof => ShardErrorKind::Truncated,
            None => ShardErrorKind::Read(error),
        }
    }
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", escape::path(&self.path))?;
        match self.place {
            ShardPlace::File => {}
            ShardPlace::Line(line) => write!(f, "line {line}: ")?,
            ShardPlace::Byte(offset) => write!(f, "byte {offset}: ")?,
            ShardPlace::Row(row) => write!(f, "row {row}: ")?,
        }
        match &self.kind {
            ShardErrorKind::UnknownFormat => {
                let names: Vec<String> = OutputFormat::ALL
                    .iter()
                    .map(|format| format!(".{}", format.extension()))
                    .collect();
                write!(f, "is not a shard; the names of shards end in {}", names.join(" or "))
            }
            ShardErrorKind::Read(e) => write!(f, "cannot be read: {e}"),
            ShardErrorKind::Truncated => f.write_str("the shard ends too early"),
            ShardErrorKind::TooLarge(limit) => TooLarge { limit: *limit }.fmt(f),
            ShardErrorKind::Changed(run) => write!(
                f,
                "its bytes are not those that were written: their SHA-256 is not the one in {}; restore the file, or make it \
                 again by the command that made it (`dehusk run` takes --verify --changed for that)",
                escape::path(&run.join("run.json"))
            ),
            ShardErrorKind::Invalid(e) => write!(f, "is not a document: {e}"),
        }
    }
}

impl std::error::Error for ShardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ShardErrorKind::Read(e) => Some(e),
            ShardErrorKind::Invalid(e) => Some(e.as_ref()),
            ShardErrorKind::UnknownFormat
            | ShardErrorKind::Truncated
            | ShardErrorKind::TooLarge(_)
            | ShardErrorKind::Changed(_) => None,
        }
    }
}

/// The format that a file name tells.
fn format_of(path: &Path) -> Option<OutputFormat> {
    let name = path.file_name()?.to_str()?;
    let name = [".zst", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    let (_, extension) = name.rsplit_once('.')?;
    OutputFormat::ALL
        .iter()
        .copied()
        .find(|format| format.extension() == extension)
}
