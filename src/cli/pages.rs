//! Reads the pages of `dehusk extract`: files and standard input, compressed or not.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use dehusk_documents::bounded;
use dehusk_engine::input::PageFile;

/// The argument that means standard input.
pub(super) const STDIN: &str = "-";

/// The file that an argument names, or standard input.
pub(super) fn of_argument(path: &Path) -> PageFile {
    let name = if path == Path::new(STDIN) {
        "stdin".into()
    } else {
        path.file_name().unwrap_or_default().into()
    };
    PageFile {
        path: path.to_owned(),
        name,
    }
}

/// A page's bytes, without a compression by gzip or zstd. They may not be more than `limit`.
pub(super) fn read(file: &PageFile, limit: u64) -> io::Result<Vec<u8>> {
    if file.path == Path::new(STDIN) {
        decompressed(io::stdin().lock(), limit)
    } else {
        decompressed(File::open(&file.path)?, limit)
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
