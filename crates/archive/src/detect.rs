//! Recognises what an archive is by its bytes.

use std::path::Path;

use crate::arc::ArcFields;
use crate::archive::{Container, Format, ReadOptions};
use crate::bytes::input::Input;
use crate::error::{ArchiveError, ArchiveErrorKind, EXCERPT};
use crate::escape;
use crate::framing::Framing;
use crate::unit::gzip::{self, GzipProbe};
use crate::unit::unpacker::Unpacker;
use crate::unit::zstd::{self, Setting, ZstdProbe};
use crate::unit::{Probe, Step};

/// How far to look for a first record in a file whose start is damaged, in stored bytes.
const DETECT: usize = 16 << 20;

/// Recognises an archive by its bytes. Where its start is damaged, the first good record of any format decides.
/// `None` for no bytes at all.
pub(crate) fn detect(name: &Path, input: &mut Input<'_>, options: ReadOptions) -> Result<Option<Format>, ArchiveError> {
    let error = |kind| move |message: String| ArchiveError::new(kind, name, message);
    let plain = |framing| Format {
        container: Container::Plain,
        framing,
        zstd: Setting::default(),
    };
    let head = input.peek_at_hand(ZstdProbe::LOOKAHEAD);
    if head.is_empty() {
        return Ok(None);
    }
    if let Some(framing) = Framing::detect(head) {
        return Ok(Some(plain(framing)));
    }
    // LZ4 leaves the start of a text as it is, so a search would find a record in it.
    if let Some(compression) = other_compression(head) {
        let message = format!("is compressed with {compression}, which is not read; recompress it with gzip or zstd");
        return Err(error(ArchiveErrorKind::NotAnArchive)(message));
    }
    let mut setting = Setting {
        window: options.window_limit,
        ..Setting::default()
    };
    let mut mismatch = None;
    let decoded = if gzip::is_gzip(head) {
        let head = &head[..head.len().min(GzipProbe::LOOKAHEAD)];
        Some((Container::Gzip, GzipProbe::new().start(head, |_| true).to_vec()))
    } else if zstd::is_zstd(head) {
        let frame = first_frame(input);
        setting.dictionary =
            zstd::dictionary(input, options.dictionary_limit).map_err(|fault| error(fault.kind)(fault.message))?;
        mismatch = zstd::wrong_dictionary(&frame, setting.dictionary.as_deref());
        Some((Container::Zstd, ZstdProbe::new(&setting).start(&frame).to_vec()))
    } else {
        None
    };
    if let Some((container, decoded)) = &decoded
        && let Some(framing) = Framing::detect(decoded)
    {
        return Ok(Some(Format {
            container: *container,
            framing,
            zstd: setting,
        }));
    }
    let found = first_record(input, &setting, decoded.as_ref().map(|(container, _)| *container));
    if let Some(format) = found {
        return Ok(Some(format));
    }
    if let Some(mismatch) = mismatch {
        return Err(error(ArchiveErrorKind::Dictionary)(mismatch));
    }
    // What is damaged farther than was looked is searched by the reader, for records of the usual kind.
    let damaged = |container| Format {
        container,
        framing: Framing::Warc,
        zstd: setting.clone(),
    };
    let (container, start) = match &decoded {
        Some((container, decoded)) => (*container, &decoded[..]),
        None => (Container::Plain, input.peek(1)),
    };
    if Framing::starts_with_version(start) {
        return Ok(Some(damaged(container)));
    }
    let (is_html, message) = match decoded {
        Some((container, decoded)) if decoded.is_empty() => match nothing(input, container) {
            Nothing::Whole => return Ok(None),
            // Whatever may follow so many empty units, or a damaged one, it follows them in this container.
            Nothing::SoFar | Nothing::Damaged => return Ok(Some(damaged(container))),
            Nothing::No => (false, of_other_content(container, &decoded)),
        },
        Some((container, decoded)) => (is_html(&decoded), of_other_content(container, &decoded)),
        None => {
            let start = input.peek(1);
            let what = describe(start);
            let message = format!("is not an archive but {what}; WARC, ARC and tar are read, plain, gzip or zstd");
            (is_html(start), message)
        }
    };
    let kind = match is_html {
        true => ArchiveErrorKind::HtmlPage,
        false => ArchiveErrorKind::NotAnArchive,
    };
    Err(error(kind)(message))
}

/// The format of a WARC record in the middle of an archive, plain or in a gzip member of its own, with which the input
/// begins.
pub(crate) fn detect_at(input: &mut Input<'_>) -> Option<Format> {
    let head = input.peek_at_hand(GzipProbe::LOOKAHEAD);
    let (container, framing) = match gzip::is_gzip(head) {
        true => {
            let head = &head[..head.len().min(GzipProbe::LOOKAHEAD)];
            let mut probe = GzipProbe::new();
            (Container::Gzip, Framing::detect(probe.start(head, |_| true)))
        }
        false => (Container::Plain, Framing::detect(head)),
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
/// Units of the kind that starts the file come first, because a page in a damaged unit may itself be an archive. A file that
/// starts as compressed is not plain, though its dictionary may hold text of records.
fn first_record(input: &mut Input<'_>, setting: &Setting, start: Option<Container>) -> Option<Format> {
    let view = input.feed(DETECT);
    let framings = [Framing::Warc, Framing::Arc(ArcFields::default()), Framing::Tar];
    let place = |container, framing: Framing| match container {
        Container::Plain => framing.find(view, 1).map(|at| at as u64),
        Container::Gzip => first_unit(Unpacker::gzip(framing), view, framing),
        Container::Zstd => first_unit(Unpacker::zstd(framing, setting), view, framing),
    };
    let first_of = |containers: &[Container]| {
        let pairs = framings
            .into_iter()
            .flat_map(|f| containers.iter().map(move |c| (*c, f)));
        let found = pairs.filter_map(|(container, framing)| Some((place(container, framing)?, container, framing)));
        let (_, container, framing) = found.min_by_key(|(at, ..)| *at)?;
        Some(Format {
            container,
            framing,
            zstd: setting.clone(),
        })
    };
    match start {
        Some(own) => first_of(&[own]).or_else(|| first_of(&[Container::Gzip, Container::Zstd])),
        None => first_of(&[Container::Plain, Container::Gzip, Container::Zstd]),
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

/// Whether a compressed input decodes to nothing.
enum Nothing {
    /// It holds something.
    No,
    /// Its first unit that is not empty is damaged.
    Damaged,
    /// Its first [`DETECT`] bytes are empty units, and more follow.
    SoFar,
    /// All of it is empty units.
    Whole,
}

fn nothing(input: &mut Input<'_>, container: Container) -> Nothing {
    let view = input.feed(DETECT);
    let mut slice = Input::slice(view, 0);
    let mut unpacker = match container {
        Container::Gzip => Unpacker::gzip(Framing::Warc),
        _ => Unpacker::zstd(Framing::Warc, &Setting::default()),
    };
    let mut out = Vec::new();
    loop {
        let step = unpacker.step(&mut slice, &mut out);
        match step {
            _ if !out.is_empty() => return Nothing::No,
            Step::Eof if view.len() < DETECT => return Nothing::Whole,
            // The view may end within a unit.
            _ if view.len() == DETECT && slice.offset() == DETECT as u64 => return Nothing::SoFar,
            Step::End { fault: Some(_), .. } => return Nothing::Damaged,
            Step::Data | Step::Eof | Step::Gap { reason: Some(_), .. } => return Nothing::No,
            Step::Begin { .. } | Step::End { .. } | Step::Gap { .. } => {}
        }
    }
}

/// The message about an archive of other content.
fn of_other_content(container: Container, decoded: &[u8]) -> String {
    let name = if container == Container::Gzip { "gzip" } else { "zstd" };
    format!("is {name} of {}, not of WARC, ARC or tar", describe(decoded))
}

/// Whether some bytes look like the start of a web page.
fn is_html(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
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

/// Says what some bytes look like, for a message.
fn describe(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(512)];
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
