//! Cutting a mapped archive into windows that several readers can take at a time.
//!
//! Nothing in a gzip file says where its members start, so the start of a window's first record is guessed: the first
//! magic in the window that decodes to a record. A guess counts only if the reader of the window before ends exactly
//! there; whoever puts the windows together checks that, and has a window read again from its true start where not.

use std::ops::Range;

use super::framing::START;
use super::gzip::GzipProbe;
use super::input::Input;
use super::unpack::{self, Step, Unpacker};
use super::zstd::ZstdProbe;
use super::{Archive, Container};

/// Stored bytes of a window: large enough that one takes milliseconds, small enough that a few per thread fit in memory.
pub const WINDOW: u64 = 1 << 20;

/// The window that a stored offset lies in.
pub fn window_of(offset: u64) -> u64 {
    offset / WINDOW
}

/// Number of windows of an archive.
pub fn count(archive: &Archive) -> u64 {
    archive.size().div_ceil(WINDOW)
}

/// Where the first record of a window probably starts; `None` where none seems to start in it.
pub fn guess(archive: &Archive, window: u64) -> Option<u64> {
    guess_within(archive, window * WINDOW..(window + 1) * WINDOW)
}

/// As [`guess`], for a window of any size.
pub fn guess_within(archive: &Archive, window: Range<u64>) -> Option<u64> {
    let (start, end) = (window.start, window.end.min(archive.size()));
    let format = archive.format()?;
    if start == 0 {
        return Some(0);
    }
    // A look at a record near the window's end may need what lies behind it.
    let bytes = archive.bytes();
    let seen = |lookahead: usize| &bytes[..bytes.len().min(end as usize + lookahead)];
    let found = match format.container {
        Container::Plain => {
            let data = seen(START);
            format.framing.find(data, start as usize).map(|at| at as u64)
        }
        Container::Gzip => {
            let data = seen(<GzipProbe as unpack::Probe>::LOOKAHEAD);
            unpack::seek_record(
                &mut GzipProbe::new(),
                &mut Input::slice(data, 0),
                start,
                end,
                format.framing,
            )
        }
        Container::Zstd => {
            let data = seen(<ZstdProbe as unpack::Probe>::LOOKAHEAD);
            let mut probe = ZstdProbe::new(&format.zstd);
            unpack::seek_record(&mut probe, &mut Input::slice(data, 0), start, end, format.framing)
        }
    };
    found.filter(|at| *at < end)
}

/// Whether windows can be read apart from each other: plain archives can, and compressed ones whose first member or frame
/// ends soon and with a record.
pub fn is_divisible(archive: &Archive) -> bool {
    let Some(format) = archive.format() else { return true };
    let mut unpacker = match format.container {
        Container::Plain => return true,
        Container::Gzip => Unpacker::gzip(format.framing),
        Container::Zstd => Unpacker::zstd(format.framing, &format.zstd),
    };
    let mut input = Input::slice(archive.bytes(), 0);
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
