//! Reading an archive on every path there is, and comparing what they give.

use std::io::Read;
use std::sync::Arc;

use dehusk_archive::{Archive, ArchiveError, ByteSource, Bytes, Event, Part, ReadOptions, Records, Skipped, window};
use dehusk_archive::{Fault, Note};

/// A record, kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Got {
    pub offset: u64,
    pub stored_length: u64,
    pub offset_in_member: u64,
    pub header: Vec<u8>,
    pub id: String,
    pub url: String,
    pub content_type: String,
    pub block: Vec<u8>,
    pub notes: String,
    pub failure: Option<Fault>,
}

impl std::fmt::Debug for Got {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}+{}/{} {:?} head {} block {} [{}] {:?}",
            self.offset,
            self.stored_length,
            self.offset_in_member,
            if self.id.is_empty() { &self.url } else { &self.id },
            self.header.len(),
            self.block.len(),
            self.notes,
            self.failure
        )
    }
}

/// All that an archive gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct All {
    pub records: Vec<Got>,
    pub skipped: Vec<Skipped>,
    pub bytes: Bytes,
    pub notes: Vec<Note>,
}

impl All {
    pub fn good(&self) -> Vec<&Got> {
        self.records.iter().filter(|r| r.failure.is_none()).collect()
    }

    /// Names of what failed, in order.
    pub fn failures(&self) -> Vec<&'static str> {
        self.records.iter().filter_map(|r| r.failure).map(Fault::name).collect()
    }

    /// Reasons of the skipped ranges, in order.
    pub fn gaps(&self) -> Vec<&'static str> {
        self.skipped.iter().map(|s| s.reason.name()).collect()
    }

    /// Reads to the end, where no error may wait.
    fn take(&mut self, records: &mut Records<'_>) {
        assert!(self.take_until_error(records).is_none());
    }

    /// Reads to the end, or to the error that ended the input early.
    pub fn take_until_error(&mut self, records: &mut Records<'_>) -> Option<std::io::Error> {
        while let Some(event) = records.next_event() {
            match event {
                Event::Skipped(skipped) => self.skipped.push(skipped),
                Event::Record(r) => self.records.push(Got {
                    offset: r.offset,
                    stored_length: r.stored_length,
                    offset_in_member: r.offset_in_member,
                    header: r.header.as_bytes().to_vec(),
                    id: r.header.id().into_owned(),
                    url: r.header.url().into_owned(),
                    content_type: r.header.content_type().into_owned(),
                    block: r.block.to_vec(),
                    notes: r.notes.to_string(),
                    failure: r.failure,
                }),
            }
        }
        self.bytes.add(records.bytes());
        self.notes.extend(records.take_notes());
        records.take_error()
    }
}

/// A reader that gives at most this many bytes at a time.
pub struct Drip<R>(pub R, pub usize);

impl<R: Read> Read for Drip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.1);
        self.0.read(&mut buffer[..n])
    }
}

pub const FIRM: ReadOptions = ReadOptions::new();

/// A source that does not lie in memory and returns fewer bytes than it is asked for, sometimes one.
#[derive(Debug)]
pub struct ShortReads(pub Vec<u8>);

impl ByteSource for ShortReads {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.0[offset as usize..];
        let most = 1 + offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % 300_000;
        let n = rest.len().min(buffer.len()).min(most);
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

/// A source that holds its bytes in parts of many sizes, some of which it gives only as [`ShortReads`] does.
#[derive(Debug)]
struct InParts(ShortReads);

impl ByteSource for InParts {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read_at(offset, buffer)
    }

    fn part(&self, offset: u64) -> std::io::Result<Option<Part>> {
        let (mut start, mut end, mut number) = (0, 0, 0_u64);
        while end <= offset {
            start = end;
            end += 1 + number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 40_000;
            number += 1;
        }
        let end = end.min(self.size()) as usize;
        let part = self.0.0.get(start as usize..end).filter(|_| number % 8 != 0);
        Ok(part.map(|bytes| Part::new(start, Arc::new(bytes.to_vec()))))
    }
}

/// Where the bytes of an archive are.
#[derive(Clone, Copy, Debug)]
pub enum Held {
    /// In memory, as those of a mapped file are.
    InMemory,
    /// In a source that gives ranges.
    Elsewhere,
    /// In memory, in parts.
    InParts,
}

fn open(bytes: &[u8], held: Held, options: ReadOptions) -> Result<Archive, String> {
    let source: Arc<dyn ByteSource> = match held {
        Held::InMemory => Arc::new(bytes.to_vec()),
        Held::Elsewhere => Arc::new(ShortReads(bytes.to_vec())),
        Held::InParts => Arc::new(InParts(ShortReads(bytes.to_vec()))),
    };
    Archive::from_source("archive", source, options).map_err(message)
}

fn message(error: ArchiveError) -> String {
    error.message().to_owned()
}

pub fn map(bytes: &[u8], options: ReadOptions) -> Result<All, String> {
    whole(bytes, Held::InMemory, options)
}

/// The archive from end to end.
pub fn whole(bytes: &[u8], held: Held, options: ReadOptions) -> Result<All, String> {
    let archive = open(bytes, held, options)?;
    let mut all = All::default();
    all.take(&mut archive.records());
    Ok(all)
}

pub fn stream(bytes: &[u8], at_a_time: usize, options: ReadOptions) -> Result<All, String> {
    let reader = Drip(std::io::Cursor::new(bytes.to_vec()), at_a_time);
    let archive = Archive::from_reader("archive", reader, options).map_err(message)?;
    let mut all = All::default();
    all.take(&mut archive.records());
    Ok(all)
}

/// Window by window, each from its guessed start; read again from its true one where the guess was wrong, as the
/// pipeline does it.
pub fn windows(bytes: &[u8], held: Held, size: u64, options: ReadOptions) -> Result<All, String> {
    let archive = open(bytes, held, options)?;
    let mut all = All::default();
    if archive.format().is_none() {
        return map(bytes, options);
    }
    let mut start = 0;
    let length = bytes.len() as u64;
    for number in 0..length.div_ceil(size) {
        let range = number * size..((number + 1) * size).min(length);
        let guess = window::guess_within(&archive, range.clone());
        let mut guessed = guess.map(|from| {
            let mut part = All::default();
            let mut records = archive.records_between(from..range.end, Vec::new());
            part.take(&mut records);
            (from, part, records.end_offset())
        });
        if start >= range.end {
            continue;
        }
        if guessed.as_ref().is_none_or(|(from, ..)| *from != start) {
            let mut part = All::default();
            let mut records = archive.records_between(start..range.end, Vec::new());
            part.take(&mut records);
            guessed = Some((start, part, records.end_offset()));
        }
        let (_, part, end) = guessed.unwrap();
        assert!(end >= range.end, "window {number} of {size} bytes ends at {end}");
        all.records.extend(part.records);
        all.skipped.extend(part.skipped);
        all.bytes.add(part.bytes);
        all.notes.extend(part.notes);
        start = end;
    }
    assert_eq!(start, length);
    Ok(all)
}

/// Reads an archive on every path and sees that all give the same and that every byte is accounted for.
pub fn read_all_with(bytes: &[u8], options: ReadOptions) -> Result<All, String> {
    crate::kept::keep_archive(bytes);
    let all = map(bytes, options);
    if let Ok(all) = &all {
        assert_eq!(all.bytes.sum(), bytes.len() as u64, "the law of accounts: {all:?}");
    }
    // The directory of a ZIP file is at its end, so a stream shows nothing of it. Single bytes cost a call each.
    let drips: &[usize] = if bytes.starts_with(b"PK\x03\x04") {
        &[]
    } else if bytes.len() > 1 << 20 {
        &[65_521, usize::MAX]
    } else {
        &[1, 7, 65_536, usize::MAX]
    };
    for &n in drips {
        assert_eq!(
            stream(bytes, n, options),
            all,
            "a stream of {n} bytes at a time against the map"
        );
    }
    let sizes: &[u64] = if bytes.len() > 1 << 20 {
        &[window::WINDOW]
    } else {
        &[100, 777, 16 << 10]
    };
    for &n in sizes {
        assert_eq!(
            windows(bytes, Held::InMemory, n, options),
            all,
            "windows of {n} bytes against the map"
        );
    }
    let size = sizes[sizes.len() / 2];
    for held in [Held::Elsewhere, Held::InParts] {
        assert_eq!(whole(bytes, held, options), all, "{held:?} against the map");
        assert_eq!(
            windows(bytes, held, size, options),
            all,
            "windows of {size} bytes, {held:?}, against the map"
        );
    }
    all
}

pub fn read_all(bytes: &[u8]) -> All {
    read_all_with(bytes, FIRM).unwrap()
}

/// As [`read_all`], on three paths only, for sweeps.
pub fn read_some(bytes: &[u8]) -> Result<All, String> {
    let whole = map(bytes, FIRM);
    if let Ok(all) = &whole {
        assert_eq!(all.bytes.sum(), bytes.len() as u64, "the law of accounts: {all:?}");
    }
    if !bytes.starts_with(b"PK\x03\x04") {
        assert_eq!(stream(bytes, 4096, FIRM), whole, "a stream against the map");
    }
    assert_eq!(
        windows(bytes, Held::InMemory, 777, FIRM),
        whole,
        "windows against the map"
    );
    whole
}

/// The map against one stream, for large inputs.
pub fn read_some_large(bytes: &[u8]) -> All {
    let whole = map(bytes, FIRM);
    if let Ok(all) = &whole {
        assert_eq!(all.bytes.sum(), bytes.len() as u64, "the law of accounts");
    }
    assert!(stream(bytes, 65_536, FIRM) == whole, "a stream against the map");
    assert!(
        windows(bytes, Held::InMemory, window::WINDOW, FIRM) == whole,
        "windows against the map"
    );
    whole.unwrap_or_default()
}
