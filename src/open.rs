//! The one place that opens archives: a path becomes an [`Archive`] in the way that suits its kind.
#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use dehusk_archive::{
    Archive, ArchiveError, ArchiveErrorKind, ByteSource, FileSource, MappedFile, ReadOptions, is_stream,
};

/// Opens the archive at a path. A regular file is mapped, and read with `pread` where the system refuses to map it;
/// everything else is a stream, which `stream` opens.
///
/// # Errors
/// The file cannot be opened or read, is a directory, or holds no record of a known archive format.
pub(crate) fn archive(
    path: &Path,
    options: ReadOptions,
    stream: impl FnOnce(&Path) -> Result<Archive, ArchiveError>,
) -> Result<Archive, ArchiveError> {
    let cannot_open = |e| ArchiveError::open(path, e);
    let metadata = std::fs::metadata(path).map_err(cannot_open)?;
    if metadata.is_dir() {
        let message = "is a directory; name an archive in it";
        return Err(ArchiveError::new(ArchiveErrorKind::Directory, path, message));
    }
    if is_stream(&metadata) {
        return stream(path);
    }
    let file = File::open(path).map_err(cannot_open)?;
    let source = file.try_clone().and_then(|file| {
        // SAFETY: pages are read as plain bytes only, and the program has installed the handler that survives a file
        // that is shortened. A changed file is found by `check`, as far as it can be found.
        let mapped = unsafe { MappedFile::new(file)? };
        Ok(Arc::new(mapped) as Arc<dyn ByteSource>)
    });
    let source = source.or_else(|_| FileSource::new(file).map(|source| Arc::new(source) as _));
    Archive::from_source(path, source.map_err(cannot_open)?, options)
}

/// As [`archive`]; a stream is read as it comes.
pub(crate) fn archive_or_stream(path: &Path, options: ReadOptions) -> Result<Archive, ArchiveError> {
    if path == Path::new("-") {
        return Archive::from_reader(path, std::io::stdin(), options);
    }
    archive(path, options, |path| {
        let file = File::open(path).map_err(|e| ArchiveError::open(path, e))?;
        Archive::from_reader(path, file, options)
    })
}
