//! The pages that `dehusk extract` reads: files, standard input, and the pages in directories.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::vec;

use flate2::bufread::MultiGzDecoder;

use crate::bounded;

/// How the names of pages in directories end, each also with an ending of [`COMPRESSED`] behind it.
const PAGES: [&str; 3] = ["html", "htm", "xhtml"];

const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// The argument that stands for standard input.
pub(super) const STDIN: &str = "-";

/// A page that is still to be read.
#[derive(Clone, Debug)]
pub(super) struct PageFile {
    /// Its path, or `-` for standard input.
    pub(super) path: PathBuf,
    /// Its name for the document: below the directory that was named, or the file name.
    pub(super) name: PathBuf,
}

impl PageFile {
    /// The file that an argument names, or standard input.
    pub(super) fn of_argument(path: &Path) -> Self {
        let name = match path == Path::new(STDIN) {
            true => "stdin".into(),
            false => path.file_name().unwrap_or_default().into(),
        };
        Self {
            path: path.to_owned(),
            name,
        }
    }

    /// Its bytes, without a compression by gzip or zstd. They may not be more than `limit`.
    pub(super) fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        match self.path == Path::new(STDIN) {
            true => decompressed(io::stdin().lock(), limit),
            false => decompressed(File::open(&self.path)?, limit),
        }
    }
}

fn decompressed(mut stored: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(4);
    stored.by_ref().take(4).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(&[0x1F, 0x8B]);
    let is_zstd = dehusk_archive::is_zstd(&start);
    let stored = Cursor::new(start).chain(stored);
    match (is_gzip, is_zstd) {
        (true, _) => page(MultiGzDecoder::new(BufReader::new(stored)), limit),
        (_, true) => page(zstd::stream::read::Decoder::new(stored)?, limit),
        _ => page(stored, limit),
    }
}

/// The bytes of a page. An archive is refused by its start, before it proves too long or damaged for a page.
fn page(mut decoded: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(16);
    decoded.by_ref().take(16).read_to_end(&mut start)?;
    if start.starts_with(b"WARC/1.") || start.starts_with(b"filedesc://") {
        return Err(io::Error::other("it is an archive; `dehusk run` reads those"));
    }
    bounded::read(Cursor::new(start).chain(decoded), limit)
}

/// The pages in a directory and below it, in the order of their names. It holds the names of one directory a level, and no
/// page. Hidden files and links to directories are left out, and so is what is no plain file.
pub(super) struct Walk {
    root: PathBuf,
    levels: Vec<vec::IntoIter<PathBuf>>,
}

impl Walk {
    /// # Errors
    /// The directory cannot be read.
    pub(super) fn new(root: &Path) -> io::Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            levels: vec![entries(root)?],
        })
    }
}

impl Iterator for Walk {
    /// A page, or a directory that cannot be read.
    type Item = Result<PageFile, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let level = self.levels.last_mut()?;
            let Some(path) = level.next() else {
                self.levels.pop();
                continue;
            };
            let kind = match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => fs::metadata(&path).map(|target| (target.is_file(), false)),
                found => found.map(|found| (found.is_file(), found.is_dir())),
            };
            match kind {
                Ok((_, true)) => match entries(&path) {
                    Ok(entries) => self.levels.push(entries),
                    Err(error) => return Some(Err((path, error))),
                },
                Ok((true, _)) if is_page(&path) => {
                    let name = path.strip_prefix(&self.root).unwrap_or(&path).to_owned();
                    return Some(Ok(PageFile { path, name }));
                }
                Err(error) if is_page(&path) => return Some(Err((path, error))),
                _ => {}
            }
        }
    }
}

/// What is in a directory and not hidden, in the order of the names.
fn entries(directory: &Path) -> io::Result<vec::IntoIter<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort_unstable();
    Ok(paths.into_iter())
}

/// Whether the name is one of a page, compressed or not.
fn is_page(path: &Path) -> bool {
    let ends_in = |path: &Path, endings: &[&str]| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| endings.iter().any(|ending| extension.eq_ignore_ascii_case(ending)))
    };
    let inner = path.file_stem().filter(|_| ends_in(path, &COMPRESSED));
    ends_in(inner.map_or(path, Path::new), &PAGES)
}
