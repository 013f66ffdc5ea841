//! The documents of a shard: [`read_shard`] and [`ShardReader`].

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::checksum::sha256_of;
use super::definition::{DocumentReader, OpenShard, WholeShard};
use super::format::OutputFormat;
use super::shard_error::{ShardError, ShardErrorKind, ShardPlace};
use super::shard_input::ShardInput;
use crate::document::Document;
use crate::folder::open_output;
use dehusk_archive::escape;

/// Reads the documents of a shard that a run wrote.
///
/// The file name decides the format (`.jsonl` or `.xml`, before `.zst` or `.gz`; or `.parquet` or `.sqlite`); the first
/// bytes decide the compression. All frames of a zstd file and all members of a gzip file are read. Memory is bounded
/// by the largest document; for Parquet, by the largest pages of the columns.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let out = directory.path().join("out");
/// # let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");
/// # dehusk::run(&dehusk::Config::default(), [archive], &out)?;
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
    open_if(path.as_ref(), |_| Ok(()))
}

/// Reads a shard as [`read_shard`] does, after comparing the SHA-256 of its bytes with the one that the account of its
/// run names. `run` is the run's directory, for the message.
///
/// # Errors
/// The errors of [`read_shard`]; or the bytes of the shard have another SHA-256 than `sha256`.
pub fn read_shard_of_run(path: &Path, sha256: &str, run: &Path) -> Result<ShardReader, ShardError> {
    open_if(path, |file| {
        let found = sha256_of(&*file).map_err(ShardErrorKind::Read)?;
        file.rewind().map_err(ShardErrorKind::Read)?;
        if found == sha256 {
            Ok(())
        } else {
            Err(ShardErrorKind::Changed(run.to_path_buf()))
        }
    })
}

/// Opens a shard that passes a check.
fn open_if(
    path: &Path,
    check: impl FnOnce(&mut File) -> Result<(), ShardErrorKind>,
) -> Result<ShardReader, ShardError> {
    let error = |kind| ShardError {
        path: path.to_path_buf(),
        place: ShardPlace::File,
        kind,
    };
    let format = format_of(path).ok_or_else(|| error(ShardErrorKind::UnknownFormat(OutputFormat::NAMES)))?;
    let mut file = open_output(path).map_err(|e| error(ShardErrorKind::Read(e)))?;
    check(&mut file).map_err(error)?;
    match format.open() {
        OpenShard::Sequential(_) => ShardReader::new(file, format, path),
        OpenShard::RandomAccess(open) => Ok(ShardReader {
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
/// between two lines (compressed: between two frames or members) cannot be distinguished from a shorter one.
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

    /// Reads a shard as [`ShardReader::new`] does, with another limit for the size of a document, in decompressed
    /// bytes.
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
        let documents = match format.open() {
            OpenShard::Sequential(open) => ShardInput::new(input, limit).map(open),
            OpenShard::RandomAccess(open) => read_whole(input).map(|bytes| open(WholeShard::Memory(bytes), limit)),
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

fn read_whole(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(ShardReader::WHOLE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > ShardReader::WHOLE_LIMIT {
        return Err(io::Error::other(
            "a Parquet file or a database of more than 1 GiB can only be read as a file",
        ));
    }
    Ok(bytes)
}

/// The format by a file name.
fn format_of(path: &Path) -> Option<OutputFormat> {
    let name = path.file_name()?.to_str()?;
    let name = [".zst", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    OutputFormat::from_name(name.rsplit_once('.')?.1)
}
