//! Recognises what an archive is by its bytes.

use std::path::Path;

use crate::arc::ArcFields;
use crate::bytes::input::Input;
use crate::error::{ArchiveError, ArchiveErrorKind, EXCERPT, Refusal};
use crate::escape;
use crate::format::{Container, Format, ReadOptions};
use crate::framing::Framing;
use crate::unit::gzip::{self, GzipProbe};
use crate::unit::unpacker::Unpacker;
use crate::unit::zstd::{self, Setting, ZstdProbe};
use crate::unit::{Probe, Step};

/// How far to look for a first record in a file whose start is damaged, in stored bytes.
const DETECT: usize = 16 << 20;

/// How many bytes decide the kind of a file that is no archive.
const SAMPLE: usize = 512;

/// Recognises an archive by its bytes. Where its start is damaged, the first good record of any format decides.
/// `None` for no bytes at all.
///
/// # Errors
/// The input cannot be read, or holds no record of a known archive format.
pub(crate) fn detect(name: &Path, input: &mut Input<'_>, options: ReadOptions) -> Result<Option<Format>, ArchiveError> {
    let detected = format(input, options);
    // An input that cannot be read looks like no archive; the error of reading is the better reason.
    if !matches!(detected, Ok(Some(_)))
        && let Some(e) = input.take_error()
    {
        return Err(ArchiveError::read(name, e));
    }
    detected.map_err(|refusal| refusal.for_archive(name))
}

/// Recognises the format by the bytes alone, without the archive's name.
fn format(input: &mut Input<'_>, options: ReadOptions) -> Result<Option<Format>, Refusal> {
    let head = input.peek_at_hand(ZstdProbe::LOOKAHEAD);
    if head.is_empty() {
        return Ok(None);
    }
    if let Some(framing) = Framing::detect(head) {
        return Ok(Some(Format::plain(framing)));
    }
    // LZ4 leaves the start of a text as it is, so a search would find a record in it.
    if let Some(compression) = other_compression(head) {
        let message = format!("is compressed with {compression}, which is not read; recompress it with gzip or zstd");
        return Err(Refusal::new(ArchiveErrorKind::NotAnArchive, message));
    }
    let start = Start::decode(input, options)?;
    if let Some(framing) = Framing::detect(&start.bytes) {
        return Ok(Some(start.format(framing)));
    }
    if let Some(format) = first_record(input, &start) {
        return Ok(Some(format));
    }
    start.format_without_record(input)
}

/// The start of an input.
struct Start {
    container: Container,
    /// Its first decoded bytes, if it is compressed.
    bytes: Vec<u8>,
    /// The setting that its zstd frames are decoded with.
    zstd: Setting,
    /// The mistake in its dictionary, as a message.
    mismatch: Option<String>,
}

impl Start {
    /// Decodes the start of an input.
    ///
    /// # Errors
    /// The zstd dictionary in front of it cannot be read.
    fn decode(input: &mut Input<'_>, options: ReadOptions) -> Result<Self, Refusal> {
        let head = input.peek_at_hand(ZstdProbe::LOOKAHEAD);
        let mut start = Self {
            container: Container::Plain,
            bytes: Vec::new(),
            zstd: Setting {
                window: options.window_limit,
                ..Setting::default()
            },
            mismatch: None,
        };
        if gzip::is_gzip(head) {
            start.container = Container::Gzip;
            start.bytes = gzip_start(head);
        } else if zstd::is_zstd(head) {
            let frame = first_frame(input);
            start.container = Container::Zstd;
            start.zstd.dictionary = zstd::dictionary(input, options.dictionary_limit)?;
            start.mismatch = zstd::wrong_dictionary(&frame, start.zstd.dictionary.as_deref());
            start.bytes = ZstdProbe::new(&start.zstd).start(&frame).to_vec();
        }
        Ok(start)
    }

    /// The format of records in this framing.
    fn format(&self, framing: Framing) -> Format {
        Format {
            container: self.container,
            framing,
            zstd: self.zstd.clone(),
        }
    }

    /// The format of an input in which no record was found. One that is damaged farther than was looked is an archive:
    /// its reader searches for records of the usual kind.
    fn format_without_record(mut self, input: &mut Input<'_>) -> Result<Option<Format>, Refusal> {
        if let Some(mismatch) = self.mismatch.take() {
            return Err(Refusal::new(ArchiveErrorKind::Dictionary, mismatch));
        }
        if self.container == Container::Plain {
            self.bytes = input.feed(SAMPLE).to_vec();
        }
        let damaged = self.format(Framing::Warc);
        if Framing::starts_with_version(&self.bytes) {
            return Ok(Some(damaged));
        }
        if self.bytes.is_empty() {
            match empty_units(input, self.container) {
                EmptyUnits::All => return Ok(None),
                // Whatever may follow so many empty units, or a damaged one, it follows them in this container.
                EmptyUnits::SoFar | EmptyUnits::ThenDamage => return Ok(Some(damaged)),
                EmptyUnits::ThenData => {}
            }
        }
        let content = describe(&self.bytes);
        let message = match self.container {
            Container::Plain => {
                format!("is not an archive but {content}; WARC, ARC and tar are read, plain, gzip or zstd")
            }
            Container::Gzip => format!("is gzip of {content}, not of WARC, ARC or tar"),
            Container::Zstd => format!("is zstd of {content}, not of WARC, ARC or tar"),
        };
        let kind = if is_html(&self.bytes) {
            ArchiveErrorKind::HtmlPage
        } else {
            ArchiveErrorKind::NotAnArchive
        };
        Err(Refusal::new(kind, message))
    }
}

/// The first decoded bytes of a gzip member.
fn gzip_start(head: &[u8]) -> Vec<u8> {
    let head = &head[..head.len().min(GzipProbe::LOOKAHEAD)];
    GzipProbe::new().start(head, |_| true).to_vec()
}

/// The format of a WARC record in the middle of an archive, plain or in a gzip member of its own, with which the input
/// begins.
pub(crate) fn detect_at(input: &mut Input<'_>) -> Option<Format> {
    let head = input.peek_at_hand(GzipProbe::LOOKAHEAD);
    let (container, framing) = if gzip::is_gzip(head) {
        (Container::Gzip, Framing::detect(&gzip_start(head)))
    } else {
        (Container::Plain, Framing::detect(head))
    };
    let framing = framing.filter(|framing| *framing == Framing::Warc)?;
    Some(Format {
        container,
        framing,
        zstd: Setting::default(),
    })
}

/// The stored bytes from the first frame that is not skippable on.
fn first_frame(input: &mut Input<'_>) -> Vec<u8> {
    let mut at = 0;
    while at < DETECT {
        let view = input.peek(at + ZstdProbe::LOOKAHEAD);
        let Some(rest) = view.get(at..) else { break };
        match rest.first_chunk::<8>() {
            Some([a, 0x2a, 0x4d, 0x18, length @ ..]) if a & 0xf0 == 0x50 => {
                at += 8 + u32::from_le_bytes(*length) as usize;
            }
            _ => return rest[..rest.len().min(ZstdProbe::LOOKAHEAD)].to_vec(),
        }
    }
    Vec::new()
}

/// The format of the first record within [`DETECT`] bytes.
///
/// Units of the kind that starts the file come first, because a page in a damaged unit may itself be an archive. A file
/// that starts as compressed is not plain, though its dictionary may hold text of records.
fn first_record(input: &mut Input<'_>, start: &Start) -> Option<Format> {
    let view = input.feed(DETECT);
    let first_of = |containers: &[Container]| {
        let framings = [Framing::Warc, Framing::Arc(ArcFields::default()), Framing::Tar];
        let pairs = framings
            .into_iter()
            .flat_map(|framing| containers.iter().map(move |container| (*container, framing)));
        let found = pairs.filter_map(|(container, framing)| {
            let at = match container {
                Container::Plain => framing.find(view, 1).map(|at| at as u64),
                Container::Gzip => first_unit(Unpacker::gzip(framing), view, framing),
                Container::Zstd => first_unit(Unpacker::zstd(framing, &start.zstd), view, framing),
            };
            Some((at?, container, framing))
        });
        let (_, container, framing) = found.min_by_key(|(at, ..)| *at)?;
        Some(Format {
            container,
            ..start.format(framing)
        })
    };
    if start.container == Container::Plain {
        first_of(&[Container::Plain, Container::Gzip, Container::Zstd])
    } else {
        first_of(&[start.container]).or_else(|| first_of(&[Container::Gzip, Container::Zstd]))
    }
}

/// Offset of the first unit that holds a record.
fn first_unit(mut unpacker: Unpacker, view: &[u8], framing: Framing) -> Option<u64> {
    let mut slice = Input::slice(view, 0);
    let mut out = Vec::new();
    let mut unit = 0;
    loop {
        let step = unpacker.step(&mut slice, &mut out);
        match step {
            Step::Begin { offset, .. } => unit = offset,
            Step::Data | Step::End { .. } if framing.find(&out, 0).is_some() => return Some(unit),
            // So much data without a record is something else.
            Step::Data | Step::Eof => return None,
            Step::End { .. } => out.clear(),
            Step::Gap { .. } => {}
        }
    }
}

/// The bytes after the empty units at the start of a compressed input.
enum EmptyUnits {
    /// A unit that holds something.
    ThenData,
    /// A damaged unit.
    ThenDamage,
    /// It is not known: the first [`DETECT`] bytes are empty units.
    SoFar,
    /// The end of the input.
    All,
}

fn empty_units(input: &mut Input<'_>, container: Container) -> EmptyUnits {
    let view = input.feed(DETECT);
    let mut slice = Input::slice(view, 0);
    let mut unpacker = match container {
        Container::Plain => return EmptyUnits::ThenData,
        Container::Gzip => Unpacker::gzip(Framing::Warc),
        Container::Zstd => Unpacker::zstd(Framing::Warc, &Setting::default()),
    };
    let mut out = Vec::new();
    loop {
        let step = unpacker.step(&mut slice, &mut out);
        match step {
            _ if !out.is_empty() => return EmptyUnits::ThenData,
            Step::Eof if view.len() < DETECT => return EmptyUnits::All,
            // The view may end within a unit.
            _ if view.len() == DETECT && slice.offset() == DETECT as u64 => return EmptyUnits::SoFar,
            Step::End { fault: Some(_), .. } => return EmptyUnits::ThenDamage,
            Step::Data | Step::Eof | Step::Gap { reason: Some(_), .. } => return EmptyUnits::ThenData,
            Step::Begin { .. } | Step::End { .. } | Step::Gap { .. } => {}
        }
    }
}

/// Whether some bytes look like the start of a web page.
fn is_html(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(SAMPLE)];
    let lower = start.trim_ascii_start().to_ascii_lowercase();
    lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html")
}

/// The name of a compression that archives do not have, if some bytes start with its magic number.
fn other_compression(bytes: &[u8]) -> Option<&'static str> {
    const MAGICS: [(&[u8], &str); 9] = [
        (b"\x04\x22\x4d\x18", "LZ4"),
        (b"\x02\x21\x4c\x18", "LZ4"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"LZIP", "lzip"),
        (b"\xff\x06\0\0sNaPpY", "Snappy"),
        (b"\x89LZO\0\r\n\x1a\n", "lzop"),
        (b"Rar!\x1a\x07", "RAR"),
    ];
    MAGICS
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, name)| *name)
}

/// The kind of data that some bytes look like, for a message.
fn describe(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(SAMPLE)];
    if start.is_empty() {
        "damaged data".into()
    } else if start.starts_with(&[0x1f, 0x8b]) {
        "gzip again".into()
    } else if is_html(start) {
        "an HTML page".into()
    } else if start.starts_with(b"PK\x03\x04") {
        "a ZIP file".into()
    } else if let Some(compression) = other_compression(start) {
        format!("{compression} data")
    } else if start
        .iter()
        .all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..))
    {
        let excerpt: String = String::from_utf8_lossy(&start[..start.len().min(40)]).into_owned();
        format!("text{EXCERPT}{}”", escape::terminal(&excerpt))
    } else {
        "binary data".into()
    }
}
