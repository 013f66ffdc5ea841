//! The one place that opens archives: each input in the way that suits its kind.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::pages::PagesAsTar;
use super::{ArchiveInput, Location, globs};
use crate::config::Config;
use dehusk_archive::{
    Archive, ArchiveError, ArchiveErrorKind, ByteSource, FileSource, MappedFile, ReadOptions, is_stream,
};
use dehusk_remote::{Access, RemoteBytes, RemoteFile, Settings};

/// The stored bytes of an archive.
pub(crate) enum StoredBytes {
    /// They can be read in ranges.
    Ranges(Arc<dyn ByteSource>),
    /// They come one after the other. Opening the stream may wait, so the reader decides when.
    Stream(Box<dyn FnOnce() -> io::Result<Box<dyn Read + Send>> + Send>),
}

/// By what rules archives are opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// How records are read.
    pub options: ReadOptions,
    remote: Settings,
    /// How many windows of an archive may be read at a time.
    windows: usize,
}

impl Opening {
    /// For a caller that reads one archive after the other.
    pub fn of(config: &Config) -> Self {
        Self {
            options: config.read_options(),
            remote: Settings::new(&config.remote, None),
            windows: 1,
        }
    }

    /// For a caller that reads so many windows of an archive at a time, and may stop while it waits.
    pub(crate) fn parallel(config: &Config, windows: usize, stop: Arc<AtomicBool>) -> Self {
        Self {
            options: config.read_options(),
            remote: Settings::new(&config.remote, Some(stop)),
            windows,
        }
    }
}

impl ArchiveInput {
    /// Opens the input. Only for one behind a network it waits: whether its bytes can be read in ranges, its server must tell.
    ///
    /// # Errors
    /// The file cannot be opened, or is a directory.
    pub(crate) fn stored_bytes(&self, opening: &Opening) -> Result<StoredBytes, ArchiveError> {
        match &self.location {
            Location::File(path) => open_file(path, false),
            Location::MappedFile(path) => open_file(path, true),
            Location::Stdin => Ok(stream(|| Ok(io::stdin()))),
            Location::Pages(path) => {
                let path = path.clone();
                Ok(stream(move || PagesAsTar::new(&path)))
            }
            Location::Stream(open) => {
                let open = Arc::clone(open);
                Ok(StoredBytes::Stream(Box::new(move || open())))
            }
            Location::Source(source) => Ok(StoredBytes::Ranges(Arc::clone(source))),
            Location::Remote(file) => ask(self, file, opening),
        }
    }

    /// Opens the archive for a caller that may wait.
    ///
    /// # Errors
    /// The archive cannot be opened or read, or holds no record of a known archive format.
    #[doc(hidden)]
    pub fn open(&self, opening: &Opening) -> Result<Archive, ArchiveError> {
        match self.stored_bytes(opening)? {
            StoredBytes::Ranges(source) => self.archive(source, opening.options),
            StoredBytes::Stream(open) => {
                let stream = open().map_err(|e| ArchiveError::open(&self.label, e))?;
                Archive::from_reader(&self.label, stream, opening.options).map_err(|e| self.explained(e))
            }
        }
    }

    /// Recognises what a source holds. Where only some records are to be read, and each read is a request, only these are
    /// looked at, if they say enough.
    ///
    /// # Errors
    /// The source cannot be read, or holds no record of a known archive format.
    #[doc(hidden)]
    pub fn archive(&self, source: Arc<dyn ByteSource>, options: ReadOptions) -> Result<Archive, ArchiveError> {
        let first = self
            .ranges()
            .and_then(<[Range<u64>]>::first)
            .filter(|_| self.is_remote());
        let at = |first: &Range<u64>| Archive::from_source_at(&self.label, Arc::clone(&source), options, first.start);
        match first.and_then(at) {
            Some(archive) => Ok(archive),
            None => Archive::from_source(&self.label, source, options).map_err(|e| self.explained(e)),
        }
    }

    /// Adds what to do with this program where an archive is not recognised. What a server has answered is not quoted: a name
    /// may lead to what must not be shown.
    #[doc(hidden)]
    pub fn explained(&self, error: ArchiveError) -> ArchiveError {
        let error = match self.is_remote() {
            true => error.without_excerpt(),
            false => error,
        };
        match error.kind() {
            ArchiveErrorKind::HtmlPage => error.with_remedy(" (`dehusk extract` reads single pages)"),
            ArchiveErrorKind::DictionaryTooLarge => error.with_remedy(" (limits.dictionary_bytes)"),
            _ => error,
        }
    }
}

/// Asks a server for the first bytes of a remote file.
fn ask(input: &ArchiveInput, file: &RemoteFile, opening: &Opening) -> Result<StoredBytes, ArchiveError> {
    let access = Access {
        ranges: input.ranges(),
        windows: opening.windows,
    };
    match file.open(&access, &opening.remote) {
        Ok(RemoteBytes::Ranges(source)) => Ok(StoredBytes::Ranges(source)),
        Ok(RemoteBytes::Stream(body)) => Ok(StoredBytes::Stream(Box::new(move || Ok(body)))),
        Err(e) => {
            let kind = match e.kind() {
                io::ErrorKind::NotFound => ArchiveErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ArchiveErrorKind::PermissionDenied,
                _ => return Err(ArchiveError::open(input.label(), e)),
            };
            Err(ArchiveError::new(kind, input.label(), format!("cannot be opened: {e}")))
        }
    }
}

/// Why a path cannot be opened. A URL and a glob that matched nothing get a message of their own.
pub(super) fn cannot_open(path: &Path, error: io::Error) -> ArchiveError {
    let name = path.to_string_lossy();
    if error.kind() != io::ErrorKind::NotFound {
        ArchiveError::open(path, error)
    } else if let Some(fetch) = fetch_command(&name) {
        // With the feature, only others come here.
        let remedy = match is_supported(&name) {
            true => "; build it with `--features remote`, or",
            false => ";",
        };
        let message =
            format!("is a URL that this program does not read{remedy} pipe it in: {fetch} | dehusk run - -o DIR");
        ArchiveError::new(ArchiveErrorKind::Open, path, &message)
    } else if globs::is_glob(&name) {
        ArchiveError::new(ArchiveErrorKind::Open, path, "matches no file")
    } else {
        ArchiveError::open(path, error)
    }
}

/// Whether the feature `remote` reads names of this scheme.
fn is_supported(name: &str) -> bool {
    let scheme = name.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https", "s3", "gs", "az"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

/// The command that writes what a URL leads to; `None` if the name is not a URL.
fn fetch_command(name: &str) -> Option<&'static str> {
    let (scheme, _) = name.split_once("://")?;
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ftp" => "curl -s URL",
        "s3" => "aws s3 cp URL -",
        "gs" => "gcloud storage cat URL",
        "az" | "abfs" | "abfss" => "az storage blob download --blob-url URL",
        "hdfs" => "hdfs dfs -cat URL",
        _ => return None,
    })
}

fn open_file(path: &Path, map: bool) -> Result<StoredBytes, ArchiveError> {
    let cannot_open = |e| cannot_open(path, e);
    let metadata = std::fs::metadata(path).map_err(cannot_open)?;
    if metadata.is_dir() {
        return Err(directory(path));
    }
    if is_stream(&metadata) {
        let path: PathBuf = path.to_owned();
        return Ok(stream(move || File::open(path)));
    }
    let file = File::open(path).map_err(cannot_open)?;
    if map && let Some(mapped) = file.try_clone().ok().and_then(mapped) {
        return Ok(StoredBytes::Ranges(mapped));
    }
    let source = FileSource::new(file).map_err(cannot_open)?;
    Ok(StoredBytes::Ranges(Arc::new(source)))
}

/// Maps a file; `None` if the system refuses.
fn mapped(file: File) -> Option<Arc<dyn ByteSource>> {
    // SAFETY: the location is a mapped file, so the caller of `ArchiveInput::mapped` has accepted the contract of mapping.
    let mapped = unsafe { MappedFile::new(file) };
    mapped.ok().map(|mapped| Arc::new(mapped) as _)
}

fn stream<R: Read + Send + 'static>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> StoredBytes {
    let open = move || open().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
    StoredBytes::Stream(Box::new(open))
}

/// Why a directory is not read: the arguments of the command line were searched for archives before.
pub(super) fn directory(path: &Path) -> ArchiveError {
    match std::fs::read_dir(path) {
        Ok(_) => ArchiveError::new(
            ArchiveErrorKind::Directory,
            path,
            "is a directory that holds no archive",
        ),
        Err(e) => ArchiveError::read(path, e),
    }
}
