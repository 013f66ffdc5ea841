//! The pages in directories: which files they are, and a directory of them as one archive.
//!
//! A directory of pages is read as if it were a tar file of them, so it has records, offsets and an account as every
//! archive does. The times of the files are left out: they show when a file was copied, and documents must not depend
//! on that.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::vec;

use xxhash_rust::xxh3::Xxh3;

use dehusk_documents::folder::is_run_directory;

/// How the names of pages in directories end, each also followed by an ending of [`COMPRESSED`].
const PAGES: [&str; 3] = ["html", "htm", "xhtml"];

const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// Size of a block of a tar file.
const BLOCK: usize = 512;

/// A page that is still to be read.
#[derive(Clone, Debug)]
pub struct PageFile {
    /// Its path.
    pub path: PathBuf,
    /// Its name for the document: below the directory that was named, or the file name.
    pub name: PathBuf,
}

/// Whether a directory holds a page. One that cannot be read holds none.
pub(super) fn has_page(directory: &Path) -> bool {
    Walk::new(directory).is_ok_and(|mut walk| walk.any(|page| page.is_ok()))
}

/// The size, the age and a hash of the pages in a directory.
pub(super) struct Summary {
    /// The sum of their sizes.
    pub(super) bytes: u64,
    /// Of the one that was modified last.
    pub(super) newest: fs::Metadata,
    /// A hash of their names, sizes and times.
    pub(super) listing: u64,
}

/// Summarizes the pages in a directory; `None` if there is none.
pub(super) fn summary(directory: &Path) -> Option<Summary> {
    let mut bytes = 0;
    let mut newest: Option<fs::Metadata> = None;
    let mut listing = Xxh3::new();
    for page in Walk::new(directory).ok()?.flatten() {
        let Ok(metadata) = fs::metadata(&page.path) else {
            continue;
        };
        bytes += metadata.len();
        let name = page.name.as_os_str().as_encoded_bytes();
        for number in [name.len() as u64, metadata.len(), nanoseconds(&metadata)] {
            listing.update(&number.to_le_bytes());
        }
        listing.update(name);
        let is_newer = |last: &fs::Metadata| metadata.modified().ok() > last.modified().ok();
        if newest.as_ref().is_none_or(is_newer) {
            newest = Some(metadata);
        }
    }
    Some(Summary {
        bytes,
        newest: newest?,
        listing: listing.digest(),
    })
}

/// When a file was modified last, as a number; 0 if the system does not report it.
fn nanoseconds(metadata: &fs::Metadata) -> u64 {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// A directory of pages, as the bytes of a tar file.
pub(super) struct PagesAsTar {
    walk: Walk,
    /// The bytes that are given out next: a header, or the zeros after a file.
    next: Vec<u8>,
    given: usize,
    /// The file that is given out.
    file: Option<OpenPage>,
    /// The zeros after the last entry were given out.
    ended: bool,
}

/// A page whose bytes are given out.
struct OpenPage {
    file: File,
    /// How many of its bytes are left.
    left: u64,
    /// How many zeros follow them.
    zeros: usize,
}

impl PagesAsTar {
    /// # Errors
    /// The directory cannot be read.
    pub(super) fn new(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            walk: Walk::new(directory)?,
            next: Vec::new(),
            given: 0,
            file: None,
            ended: false,
        })
    }

    /// Moves to the next page, or to the end.
    fn advance(&mut self) {
        self.given = 0;
        self.next.clear();
        match self.walk.next() {
            Some(Ok(page)) => match open(&page.path) {
                Ok((file, size)) => {
                    push_header(&page.name, size, false, &mut self.next);
                    let zeros = size.next_multiple_of(BLOCK as u64) - size;
                    self.file = Some(OpenPage {
                        file,
                        left: size,
                        zeros: zeros as usize,
                    });
                }
                Err(_) => push_header(&page.name, 0, true, &mut self.next),
            },
            Some(Err((path, _))) => push_header(&path, 0, true, &mut self.next),
            None => {
                self.ended = true;
                self.next.resize(2 * BLOCK, 0);
            }
        }
    }
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

impl Read for PagesAsTar {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = &self.next[self.given..];
            if !rest.is_empty() || out.is_empty() {
                let n = rest.len().min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
                self.given += n;
                return Ok(n);
            }
            match &mut self.file {
                Some(page) if page.left > 0 => {
                    let n = (&mut page.file).take(page.left).read(out)?;
                    if n == 0 {
                        return Err(io::Error::other("a page became shorter while it was read"));
                    }
                    page.left -= n as u64;
                    return Ok(n);
                }
                Some(page) => {
                    self.given = 0;
                    self.next.clear();
                    self.next.resize(page.zeros, 0);
                    self.file = None;
                }
                None if self.ended => return Ok(0),
                None => self.advance(),
            }
        }
    }
}

/// Appends the header of a file to a tar file. One that is `unreadable` is marked as such.
fn push_header(name: &Path, size: u64, unreadable: bool, out: &mut Vec<u8>) {
    const NAME: usize = 100;
    /// Sizes from here on do not fit the field.
    const LARGE: u64 = 1 << 33;
    let name = name.as_os_str().as_encoded_bytes();
    let mut records = Vec::new();
    if name.len() > NAME {
        push_pax_record(b"path", name, &mut records);
    }
    if size >= LARGE {
        push_pax_record(b"size", size.to_string().as_bytes(), &mut records);
    }
    if unreadable {
        push_pax_record(b"DEHUSK.fault", b"unreadable", &mut records);
    }
    if !records.is_empty() {
        push_block(b"././@PaxHeader", b'x', records.len() as u64, out);
        records.resize(records.len().next_multiple_of(BLOCK), 0);
        out.extend(records);
    }
    push_block(
        &name[..name.len().min(NAME)],
        b'0',
        if size < LARGE { size } else { 0 },
        out,
    );
}

/// Appends `LENGTH KEY=VALUE` and a line end, where the length counts its own digits.
fn push_pax_record(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length.to_string().len() + rest != length {
        length = length.to_string().len() + rest;
    }
    out.extend_from_slice(format!("{length} ").as_bytes());
    out.extend_from_slice(key);
    out.push(b'=');
    out.extend_from_slice(value);
    out.push(b'\n');
}

fn push_block(name: &[u8], kind: u8, size: u64, out: &mut Vec<u8>) {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name);
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[136..148].copy_from_slice(b"00000000000\0");
    block[148..156].fill(b' ');
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&block);
}

/// The pages in a directory and below it, in the order of their names. It holds the names of one directory a level, and
/// no page. Hidden files and links to directories are left out, and so are run directories and what is no plain file.
pub struct Walk {
    root: PathBuf,
    levels: Vec<vec::IntoIter<PathBuf>>,
}

impl Walk {
    /// # Errors
    /// The directory cannot be read.
    pub fn new(root: &Path) -> io::Result<Self> {
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
                // The report of a run is no page of the crawl, and would change the directory for the next run.
                Ok((_, true)) if is_run_directory(&path) => {}
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

/// The entries of a directory that are not hidden, in the order of their names.
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
