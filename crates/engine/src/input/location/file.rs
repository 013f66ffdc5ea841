//! A local file: a regular one is read in ranges, a pipe or a device as a stream.
#![allow(unsafe_code)]

use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{CurrentState, Location, NO_FILE, StoredBytes};
use crate::config::lacking;
use crate::input::{InputState, Opening, globs};
use dehusk_archive::{ArchiveError, ArchiveErrorKind, ByteSource, FileSource, MappedFile, is_stream};
use dehusk_documents::suggestion::nearest_file;
use dehusk_remote::Settings;

/// A local file.
pub(in crate::input) struct LocalFile {
    path: PathBuf,
    /// Whether it is mapped, if it is a regular file. Only [`crate::ArchiveInput::mapped`] sets it, whose caller
    /// accepts the contract of mapping.
    is_mapped: bool,
}

impl LocalFile {
    /// The file at a path, which is read with `pread`.
    pub(in crate::input) fn new(path: PathBuf) -> Self {
        Self { path, is_mapped: false }
    }

    fn metadata(&self) -> io::Result<Metadata> {
        fs::metadata(&self.path)
    }
}

impl Location for LocalFile {
    fn open(&self, _: &Opening, _: Option<&[Range<u64>]>) -> Result<StoredBytes, ArchiveError> {
        let cannot_open = |e| cannot_open(&self.path, e);
        let metadata = self.metadata().map_err(cannot_open)?;
        if metadata.is_dir() {
            return Err(directory(&self.path));
        }
        if is_stream(&metadata) {
            let path = self.path.clone();
            return Ok(StoredBytes::stream(move || File::open(path)));
        }
        let file = File::open(&self.path).map_err(cannot_open)?;
        if self.is_mapped
            && let Some(mapped) = file.try_clone().ok().and_then(mapped)
        {
            return Ok(StoredBytes::Ranges(mapped));
        }
        let source = FileSource::new(file).map_err(cannot_open)?;
        Ok(StoredBytes::Ranges(Arc::new(source)))
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn size_hint(&self) -> u64 {
        self.metadata().map_or(0, |m| if m.is_file() { m.len() } else { 0 })
    }

    fn missing(&self) -> Option<ArchiveError> {
        match self.metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Some(cannot_open(&self.path, e)),
            Ok(metadata) if metadata.is_dir() => Some(directory(&self.path)),
            _ => None,
        }
    }

    fn with_mapping(&self, is_mapped: bool) -> Option<Arc<dyn Location>> {
        let path = self.path.clone();
        Some(Arc::new(Self { path, is_mapped }))
    }

    fn may_wait(&self) -> bool {
        self.metadata().is_ok_and(|m| is_stream(&m))
    }

    fn is_repeatable(&self) -> bool {
        !self.may_wait()
    }

    fn state(&self) -> Option<InputState> {
        let metadata = self.metadata().ok().filter(Metadata::is_file)?;
        Some(InputState::of_file(&metadata))
    }

    fn current_state(&self, _: &Settings) -> io::Result<CurrentState> {
        if self.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return Ok(CurrentState::Incomparable(NO_FILE));
        }
        Ok(CurrentState::Known(self.state()))
    }
}

/// Maps a file; `None` if the system refuses.
fn mapped(file: File) -> Option<Arc<dyn ByteSource>> {
    // SAFETY: the location is a mapped file, so the caller of `ArchiveInput::mapped` has accepted the contract of
    // mapping.
    let mapped = unsafe { MappedFile::new(file) };
    mapped.ok().map(|mapped| Arc::new(mapped) as _)
}

/// The error of a path that cannot be opened. A URL and a glob that matched nothing get a message of their own.
fn cannot_open(path: &Path, error: io::Error) -> ArchiveError {
    let name = path.to_string_lossy();
    if error.kind() != io::ErrorKind::NotFound {
        ArchiveError::open(path, error)
    } else if let Some(fetch) = fetch_command(&name) {
        let remedy = lacking_network(path);
        let otherwise = if remedy.is_empty() { "" } else { " or" };
        let message = format!(
            "is a URL that this program does not read{remedy};{otherwise} pipe it in: {fetch} | dehusk run - -o DIR"
        );
        ArchiveError::new(ArchiveErrorKind::Open, path, &message)
    } else if globs::is_glob(&name) {
        let message = format!("matches no file{}", folder_of_glob(path));
        ArchiveError::new(ArchiveErrorKind::Open, path, message)
    } else {
        ArchiveError::open(path, error).with_remedy(&nearest_file(path))
    }
}

/// Whether the folder in which a glob looks is there: what to check first.
fn folder_of_glob(path: &Path) -> String {
    let is_plain = |part: &Component<'_>| !globs::is_glob(&part.as_os_str().to_string_lossy());
    let folder: PathBuf = path.components().take_while(is_plain).collect();
    match folder.to_string_lossy() {
        name if name.is_empty() => "; it is looked for in the current folder".to_owned(),
        name if folder.is_dir() => format!("; the folder “{name}” is there"),
        name => format!("; there is no folder “{name}”"),
    }
}

/// How to get a program that reads a name, if the feature `remote` does. With it, no such name comes here.
pub(crate) fn lacking_network(path: &Path) -> String {
    if is_supported(&path.to_string_lossy()) {
        format!("; {}", lacking("remote"))
    } else {
        String::new()
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

/// The error of a directory. The arguments of the command line were searched for archives before.
fn directory(path: &Path) -> ArchiveError {
    match fs::read_dir(path) {
        Ok(_) => {
            let message = "is a directory that holds no archive and no page (.html, .htm, .xhtml)";
            ArchiveError::new(ArchiveErrorKind::Directory, path, message)
        }
        Err(e) => ArchiveError::read(path, e),
    }
}
