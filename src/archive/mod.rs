//! Archives: stored bytes → records.
//!
//! An [`Archive`] is a file, mapped, or a stream. Its bytes, never its name, say what it is ([`Format`]). A
//! [`RecordReader`] turns it into records; [`window`] cuts a map into windows that several readers can take at a time.
//!
//! The way through this folder: `map` (with `lost`) and `input` hold stored bytes; `gzip` (with `inflate`) and `zstd` decode them
//! under `unpack`'s policy for damage; `source` remembers where decoded bytes came from and books every stored byte;
//! [`reader`] frames records by the rules of [`framing`], `arc` and [`record`]; [`digest`] bears witness.

mod arc;
pub mod digest;
pub mod framing;
mod gzip;
mod inflate;
mod input;
#[cfg(unix)]
mod lost;
mod map;
pub mod reader;
pub mod record;
mod source;
mod unpack;
pub mod window;
mod zstd;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use framing::Framing;
pub use map::Map;
pub use reader::{DigestPolicy, Event, RecordReader};
pub use record::{Header, Record, RecordType};
pub use source::{Bytes, Skipped};

use gzip::GzipProbe;
use input::Input;
use source::Source;
use unpack::{Probe, Step, Unpacker};
use zstd::ZstdProbe;

/// How far into a file whose start is damaged a first record is looked for, in stored bytes.
const DETECT: usize = 16 << 20;

/// Largest block that is held in memory by default, in bytes: browsers' pages stay far below.
pub const RECORD_LIMIT: u64 = 64 << 20;

/// How an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Not at all.
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstd frames.
    Zstd,
}

/// What an archive's bytes say that it is.
#[derive(Clone, Debug)]
pub struct Format {
    /// Its compression.
    pub container: Container,
    /// Its records' framing.
    pub framing: Framing,
    dictionary: Option<Arc<[u8]>>,
}

/// Why an archive cannot be read at all.
#[derive(Debug)]
pub struct ArchiveError {
    /// The archive.
    pub path: PathBuf,
    /// Offset in the file, in bytes, where that matters.
    pub offset: Option<u64>,
    /// What is wrong, in words, with the remedy.
    pub message: String,
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::escape::path(&self.path))?;
        if let Some(offset) = self.offset {
            write!(f, " at offset {offset}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ArchiveError {}

/// Options of reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Largest block that is held in memory, in bytes; larger records fail as `too_large`.
    pub record_limit: u64,
    /// What is done with stated block digests.
    pub digests: DigestPolicy,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            record_limit: RECORD_LIMIT,
            digests: DigestPolicy::Ignore,
        }
    }
}

/// One input file, open and recognised.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    map: Map,
    format: Option<Format>,
}

impl Archive {
    /// Opens and maps a local file and recognises what it is by its bytes.
    ///
    /// # Errors
    /// The file cannot be opened or mapped, or holds no record of a known archive format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        let path = path.as_ref();
        let error = |message: String| ArchiveError {
            path: path.to_owned(),
            offset: None,
            message,
        };
        let file = File::open(path).map_err(|e| error(cannot_open(&e)))?;
        let length = file.metadata().map_err(|e| error(cannot_open(&e)))?.len();
        if length == 0 {
            return Ok(Self {
                path: path.to_owned(),
                map: Map::empty(),
                format: None,
            });
        }
        let map = Map::new(file).map_err(|e| error(format!("cannot be mapped: {e}")))?;
        let format = detect(&mut Input::map(&map, 0));
        map.check().map_err(|e| error(format!("cannot be read: {e}")))?;
        let format = format.map_err(error)?;
        map.sequential();
        Ok(Self {
            path: path.to_owned(),
            map,
            format,
        })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its stored size, in bytes.
    pub fn size(&self) -> u64 {
        self.map.len() as u64
    }

    /// What it is; `None` for an empty file, or a compressed one of nothing.
    pub fn format(&self) -> Option<&Format> {
        self.format.as_ref()
    }

    /// Its records, from the first on.
    pub fn records(&self) -> RecordReader<'_> {
        self.records_between(0, u64::MAX, ReadOptions::default(), Vec::new())
    }

    /// The records that start (or whose members start) at stored offsets within `from..to`; `from` must be the start of
    /// a record, member or frame. `buffer` is where members are decoded, so that it can be used again.
    pub fn records_between(&self, from: u64, to: u64, options: ReadOptions, buffer: Vec<u8>) -> RecordReader<'_> {
        reader(Input::map(&self.map, from), self.format.as_ref(), to, options, buffer)
    }

    /// Why what was read so far cannot be believed, in words, where another program has shortened or changed the file
    /// meanwhile.
    ///
    /// # Errors
    /// As said.
    pub fn check(&self) -> Result<(), ArchiveError> {
        self.map.check().map_err(|e| ArchiveError {
            path: self.path.clone(),
            offset: None,
            message: format!("cannot be read on: {e}"),
        })
    }

    /// Tells the system that these stored bytes will not be read again soon.
    pub fn release(&self, range: std::ops::Range<u64>) {
        self.map.release(range);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }
}

/// An archive that comes through a pipe or from standard input.
pub struct StreamArchive {
    input: Input<'static>,
    format: Option<Format>,
}

impl StreamArchive {
    /// Recognises what a stream is by its first bytes. `path` is what messages call it.
    ///
    /// # Errors
    /// The stream cannot be read, or holds no record of a known archive format.
    pub fn new(reader: impl Read + Send + 'static, path: &Path) -> Result<Self, ArchiveError> {
        let mut input = Input::stream(Box::new(reader));
        let error = |message: String| ArchiveError {
            path: path.to_owned(),
            offset: None,
            message,
        };
        let format = detect(&mut input);
        if !matches!(format, Ok(Some(_)))
            && let Some(e) = input.take_error()
        {
            return Err(error(format!("cannot be read: {e}")));
        }
        Ok(Self {
            format: format.map_err(error)?,
            input,
        })
    }

    /// What it is; `None` for an empty stream, or a compressed one of nothing.
    pub fn format(&self) -> Option<&Format> {
        self.format.as_ref()
    }

    /// Its records.
    pub fn into_records(self, options: ReadOptions) -> RecordReader<'static> {
        reader(self.input, self.format.as_ref(), u64::MAX, options, Vec::new())
    }
}

fn reader<'a>(
    mut input: Input<'a>,
    format: Option<&Format>,
    stop: u64,
    options: ReadOptions,
    buffer: Vec<u8>,
) -> RecordReader<'a> {
    let framing = format.map_or(Framing::Warc, |f| f.framing);
    let dictionary = format.and_then(|f| f.dictionary.clone());
    let unpacker = match format.map(|f| f.container) {
        Some(Container::Plain) => None,
        Some(Container::Gzip) => Some(Unpacker::gzip(framing)),
        Some(Container::Zstd) => Some(Unpacker::zstd(framing, dictionary)),
        // Nothing, or nothing compressed: empty members are padding still.
        None if zstd::is_zstd(input.peek(4)) => Some(Unpacker::zstd(framing, None)),
        None => Some(Unpacker::gzip(framing)),
    };
    let source = Source::new(input, unpacker, stop, buffer);
    RecordReader::new(source, framing, options.record_limit, options.digests)
}

fn cannot_open(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission to read it is denied".into(),
        _ => format!("cannot be opened: {error}"),
    }
}

/// Recognises an archive by its bytes. Where its start is damaged, the first good record of any format decides.
/// `None` for no bytes at all.
fn detect(input: &mut Input<'_>) -> Result<Option<Format>, String> {
    let plain = |framing| Format {
        container: Container::Plain,
        framing,
        dictionary: None,
    };
    let head = input.peek(ZstdProbe::LOOKAHEAD);
    if head.is_empty() {
        return Ok(None);
    }
    if let Some(framing) = Framing::detect(head) {
        return Ok(Some(plain(framing)));
    }
    let (mut dictionary, mut mismatch) = (None, None);
    let decoded = if gzip::is_gzip(head) {
        let head = &head[..head.len().min(GzipProbe::LOOKAHEAD)];
        Some((Container::Gzip, GzipProbe::new().start(head, |_| true).to_vec()))
    } else if zstd::is_zstd(head) {
        let frame = first_frame(input);
        dictionary = zstd::dictionary(input)?;
        mismatch = zstd::wrong_dictionary(&frame, dictionary.as_deref());
        Some((
            Container::Zstd,
            ZstdProbe::new(dictionary.clone()).start(&frame).to_vec(),
        ))
    } else {
        None
    };
    if let Some((container, decoded)) = &decoded
        && let Some(framing) = Framing::detect(decoded)
    {
        return Ok(Some(Format {
            container: *container,
            framing,
            dictionary,
        }));
    }
    let found = first_record(input, dictionary.as_ref(), decoded.is_none());
    if let Some(format) = found {
        return Ok(Some(format));
    }
    if let Some(mismatch) = mismatch {
        return Err(mismatch);
    }
    match decoded {
        Some((container, decoded)) if decoded.is_empty() && is_nothing(input, container) => Ok(None),
        Some((container, decoded)) => {
            let name = if container == Container::Gzip { "gzip" } else { "zstd" };
            Err(format!(
                "is {name} of {}, not of WARC or ARC records",
                what_it_is(&decoded)
            ))
        }
        None => {
            let what = what_it_is(input.peek(1));
            Err(format!(
                "is not an archive but {what}; WARC and ARC are read, plain, gzip or zstd"
            ))
        }
    }
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

/// The format of the first record within [`DETECT`] bytes. What starts as compressed is not `maybe_plain`, though text
/// of records may stand in its dictionary.
fn first_record(input: &mut Input<'_>, dictionary: Option<&Arc<[u8]>>, maybe_plain: bool) -> Option<Format> {
    let view = input.feed(DETECT);
    let mut best: Option<(u64, Format)> = None;
    for framing in [Framing::Warc, Framing::Arc] {
        let candidates = [
            (
                Container::Plain,
                framing.find(view, 1).map(|at| at as u64).filter(|_| maybe_plain),
            ),
            (Container::Gzip, first_unit(Unpacker::gzip(framing), view, framing)),
            (
                Container::Zstd,
                first_unit(Unpacker::zstd(framing, dictionary.cloned()), view, framing),
            ),
        ];
        for (container, at) in candidates {
            let Some(at) = at else { continue };
            if best.as_ref().is_none_or(|(earliest, _)| at < *earliest) {
                best = Some((
                    at,
                    Format {
                        container,
                        framing,
                        dictionary: dictionary.cloned(),
                    },
                ));
            }
        }
    }
    best.map(|(_, format)| format)
}

/// Offset of the first unit that holds a record.
fn first_unit(mut unpacker: Unpacker, view: &[u8], framing: Framing) -> Option<u64> {
    let mut slice = Input::slice(view, 0);
    let mut out = Vec::new();
    let mut unit = 0;
    loop {
        let step = unpacker.step(&mut slice, &mut out);
        match step {
            Step::Begin { offset } => unit = offset,
            Step::Data | Step::End { .. } if framing.find(&out, 0).is_some() => return Some(unit),
            // What holds no record for so long is something else.
            Step::Data | Step::Eof => return None,
            Step::End { .. } => out.clear(),
            Step::Gap { .. } => {}
        }
    }
}

/// Whether a compressed input decodes, without damage, to nothing.
fn is_nothing(input: &mut Input<'_>, container: Container) -> bool {
    let view = input.peek(64 << 10);
    if view.len() > 64 << 10 {
        return false;
    }
    let mut slice = Input::slice(view, 0);
    let mut unpacker = match container {
        Container::Gzip => Unpacker::gzip(Framing::Warc),
        _ => Unpacker::zstd(Framing::Warc, None),
    };
    let mut out = Vec::new();
    loop {
        match unpacker.step(&mut slice, &mut out) {
            Step::Eof => return out.is_empty(),
            Step::Data | Step::End { fault: Some(_), .. } => return false,
            Step::Gap { reason: Some(_), .. } => return false,
            _ if !out.is_empty() => return false,
            _ => {}
        }
    }
}

/// What some bytes look like, for a message.
fn what_it_is(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(512)];
    let lower = start.trim_ascii_start().to_ascii_lowercase();
    if start.is_empty() {
        "damaged data".into()
    } else if start.starts_with(&[0x1f, 0x8b]) {
        "gzip again".into()
    } else if lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html") {
        "an HTML page (`dehusk extract` reads single pages)".into()
    } else if start.starts_with(b"PK\x03\x04") {
        "a ZIP file".into()
    } else if start.starts_with(b"BZh") || start.starts_with(b"\xfd7zXZ") {
        "a bzip2 or xz file (recompress it with gzip or zstd)".into()
    } else if start.get(257..262) == Some(b"ustar") {
        "a tar file (unpack it first)".into()
    } else if start
        .iter()
        .all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..))
    {
        let excerpt: String = String::from_utf8_lossy(&start[..start.len().min(40)]).into_owned();
        format!(
            "text that starts with \u{201c}{}\u{201d}",
            crate::escape::terminal(&excerpt)
        )
    } else {
        "binary data".into()
    }
}
