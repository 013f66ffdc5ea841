//! Cuts an archive into windows that several readers can take at a time.
//!
//! Nothing in a gzip file shows where its members start, so the start of a window's first record is guessed: the first
//! magic in the window that decodes to a record. A guess counts only if the reader of the window before ends exactly
//! there. The caller that puts the windows together must check that, and read a window again from its true start if
//! not.

use std::ops::Range;

use crate::archive::Archive;
use crate::bytes::ByteSource;
use crate::bytes::input::Input;
use crate::format::{Container, Format};
use crate::framing::{Framing, START};
use crate::unit::gzip::GzipProbe;
use crate::unit::unpacker::Unpacker;
use crate::unit::zstd::ZstdProbe;
use crate::unit::{self, Step};

/// Stored bytes of a window: large enough that one takes milliseconds, small enough that a few per thread fit in
/// memory.
pub const WINDOW: u64 = 1 << 20;

/// The window that a stored offset lies in.
pub fn window_of(offset: u64) -> u64 {
    offset / WINDOW
}

/// Number of windows of an archive; 0 for a stream.
pub fn count(archive: &Archive) -> u64 {
    archive.size().unwrap_or(0).div_ceil(WINDOW)
}

/// Where the first record of a window probably starts; `None` where none seems to start in it, and for a stream.
pub fn guess(archive: &Archive, window: u64) -> Option<u64> {
    guess_within(archive, window * WINDOW..(window + 1) * WINDOW)
}

/// Guesses as [`guess`] does, for a window of any size.
pub fn guess_within(archive: &Archive, window: Range<u64>) -> Option<u64> {
    let source = archive.source()?;
    let start = window.start;
    let (section, format) = archive.formats().section(start);
    let format = format?;
    if start == 0 {
        return Some(0);
    }
    let window_end = window.end.min(source.size());
    let end = window_end.min(section.end);
    // A page in a tar file may itself be one.
    if format.framing == Framing::Tar {
        return None;
    }
    let found = match format.container {
        Container::Plain => {
            // An ARC record must begin a line, which the byte before shows.
            let mut input = Input::ranges(source, start - 1).until(section.end);
            // A record that starts near the window's end reaches beyond it.
            let data = input.feed((end - start) as usize + 1 + START);
            format.framing.find(data, 1).map(|at| start - 1 + at as u64)
        }
        Container::Gzip => {
            let mut input = Input::compressed(source, start).until(section.end);
            unit::seek_record(&mut GzipProbe::new(), &mut input, start, end, format.framing)
        }
        Container::Zstd => {
            let mut input = Input::compressed(source, start).until(section.end);
            let mut probe = ZstdProbe::new(&format.zstd);
            unit::seek_record(&mut probe, &mut input, start, end, format.framing)
        }
    };
    // Where another format begins, a reader has to start anew.
    let next = Some(section.end).filter(|next| *next < window_end);
    found.filter(|at| *at < end).or(next)
}

/// Whether windows can be read apart from each other: those of plain archives can, and of compressed ones whose first
/// member or frame ends soon and with a record. A stream has no windows.
pub fn is_divisible(archive: &Archive) -> bool {
    let Some(source) = archive.source() else { return false };
    let mut sections = archive.formats().sections();
    sections.all(|(section, format)| is_section_divisible(source, section, format))
}

/// The same of bytes of one format.
fn is_section_divisible(source: &dyn ByteSource, section: Range<u64>, format: &Format) -> bool {
    if format.framing == Framing::Tar {
        return false;
    }
    let mut unpacker = match format.container {
        Container::Plain => return true,
        Container::Gzip => Unpacker::gzip(format.framing),
        Container::Zstd => Unpacker::zstd(format.framing, &format.zstd),
    };
    let mut input = Input::compressed(source, section.start).until(section.end);
    let mut out = Vec::new();
    loop {
        match unpacker.step(&mut input, &mut out) {
            // A large unit, which may be the whole file.
            Step::Data => return false,
            Step::End { fault: Some(_), .. } => return true,
            Step::End { .. } if !out.is_empty() => break,
            Step::Eof => return true,
            _ => {}
        }
    }
    // The second unit must start with a record as the first did.
    out.clear();
    loop {
        match unpacker.step(&mut input, &mut out) {
            Step::Data | Step::End { .. } if !out.is_empty() => return format.framing.starts(&out),
            Step::Eof => return true,
            _ => {}
        }
    }
}
