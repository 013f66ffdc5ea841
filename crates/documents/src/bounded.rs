//! Reads what is meant to be small as a whole, up to a limit: a path that is named on a command line may lead to a
//! device that never ends.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// It cannot be read, or is larger.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read(File::open(path)?, limit)
}

/// Reads a text file of at most `limit` bytes.
///
/// # Errors
/// It cannot be read, is larger, or is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(File::open(path)?, limit)
}

/// Reads the text of an open file as [`read_text`] does.
///
/// # Errors
/// Those of [`read_text`].
pub fn text(reader: impl Read, limit: u64) -> io::Result<String> {
    String::from_utf8(read(reader, limit)?).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

/// Reads at most `limit` bytes to the end.
///
/// # Errors
/// The bytes cannot be read, or there are more.
pub fn read(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        Err(io::Error::other(format!("it has more than {limit} bytes")))
    } else {
        Ok(bytes)
    }
}

/// The lines of a text, without their ends. They end after an error: a line cannot be read, or has more than `limit`
/// bytes.
pub fn lines(mut reader: impl BufRead, limit: u64) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut next = move || -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if reader
            .by_ref()
            .take(limit.saturating_add(1))
            .read_until(b'\n', &mut line)?
            == 0
        {
            return Ok(None);
        }
        line.pop_if(|byte| *byte == b'\n');
        if line.len() as u64 > limit {
            Err(io::Error::other(format!("a line has more than {limit} bytes")))
        } else {
            Ok(Some(line))
        }
    };
    let mut has_failed = false;
    std::iter::from_fn(move || {
        let line = if has_failed { None } else { next().transpose() };
        has_failed = matches!(line, Some(Err(_)));
        line
    })
}
