//! Content codings (RFC 9110, section 8.4.1): gzip (RFC 1952), deflate (RFC 1950, or RFC 1951 as many servers
//! understand it), br (RFC 7932) and zstd (RFC 8878). Each is recognised by its bytes.
//!
//! Every decoder writes to a growing buffer under one limit. The window is the only memory whose size the data declare:
//! up to 32 KiB for deflate, 16 MiB for br, 8 MiB for zstd (RFC 9659).

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::careful::Careful;

/// How many bytes a decoder writes at a time if it cannot write to a vector's spare capacity.
const BLOCK: usize = 64 * 1024;

/// How many bytes the brotli decoder is given at a time. It returns its output when it asks for more input, but not
/// when it finds damage: then the output of the current piece is lost.
const PIECE: usize = 1024;

/// Binary logarithm of the largest zstd window: the most that RFC 9659 lets a server use.
const ZSTD_WINDOW_LOG: u32 = 23;

/// How many bytes at the start of a body decide whether it is text.
const SAMPLE: usize = 1024;

/// How many unread bytes may follow a compressed stream: no checksum is longer.
const TRAILER: usize = 8;

/// A content coding that is decoded here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The result of one decoding. Its output is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Decoded to its end.
    Whole,
    /// Cut or damaged; the buffer holds the decoded prefix.
    Prefix,
    /// The body does not have this coding. The buffer's content is meaningless.
    Absent,
    /// The output exceeded the limit.
    TooLarge,
}

/// The decoders' state, kept from one body to the next.
#[derive(Default)]
pub(super) struct Engines {
    inflate: Option<Decompress>,
    zstd: Option<Decoder<'static>>,
    block: Vec<u8>,
}

impl Coding {
    /// The coding of this name. Case does not matter.
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        const NAMES: [(&[u8], Coding); 7] = [
            (b"gzip", Coding::Gzip),
            (b"x-gzip", Coding::Gzip),
            (b"deflate", Coding::Deflate),
            (b"x-deflate", Coding::Deflate),
            (b"br", Coding::Brotli),
            (b"zstd", Coding::Zstd),
            (b"x-zstd", Coding::Zstd),
        ];
        NAMES
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, coding)| *coding)
    }

    /// Empties `out` and decodes `input` to it. It never grows far beyond `limit` bytes.
    pub(super) fn decode(self, input: &[u8], out: &mut Vec<u8>, limit: usize, engines: &mut Engines) -> Outcome {
        out.clear();
        match self {
            Coding::Gzip => gunzip(input, out, limit, engines),
            // Some servers declare `deflate` and send gzip, whose magic number leaves no doubt.
            Coding::Deflate if input.starts_with(GZIP_MAGIC) => gunzip(input, out, limit, engines),
            Coding::Deflate => inflate_either(input, out, limit, engines),
            Coding::Brotli => unbrotli(input, out, limit, engines),
            Coding::Zstd => unzstd(input, out, limit, engines),
        }
    }
}

/// Where the inflating of a deflate stream ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Stream,
    Cut,
    TooLarge,
}

/// Inflates the stream at the start of `input` and appends the result to `out`. Returns where it ended and how many
/// bytes it read.
fn inflate(engine: &mut Decompress, input: &[u8], out: &mut Vec<u8>, limit: usize) -> (End, usize) {
    loop {
        let (read, written) = (engine.total_in() as usize, out.len());
        if out.len() == out.capacity() {
            out.reserve(growth(out.len(), limit));
        }
        let status = engine.decompress_vec(&input[read.min(input.len())..], out, FlushDecompress::None);
        let now = engine.total_in() as usize;
        if out.len() > limit {
            return (End::TooLarge, now);
        }
        match status {
            Ok(Status::StreamEnd) => return (End::Stream, now),
            Err(_) => return (End::Cut, now),
            Ok(_) if now == read && out.len() == written => return (End::Cut, now),
            Ok(_) => {}
        }
    }
}

/// By how many bytes an output of `len` bytes grows: it doubles, up to one byte more than the limit.
fn growth(len: usize, limit: usize) -> usize {
    len.max(BLOCK).min(limit.saturating_sub(len)).saturating_add(1)
}

/// The inflating engine, reset for a zlib stream or a raw one.
fn engine(engines: &mut Engines, zlib: bool) -> &mut Decompress {
    let engine = engines.inflate.get_or_insert_with(|| Decompress::new(zlib));
    engine.reset(zlib);
    engine
}

/// The three bytes that every gzip member starts with; the third is the only compression method.
const GZIP_MAGIC: &[u8] = b"\x1F\x8B\x08";

/// The outcome for a body that does not start with this magic number: cut in it, or of no such coding.
fn without_magic(input: &[u8], magic: &[u8]) -> Outcome {
    if input.len() > 1 && magic.starts_with(input) {
        Outcome::Prefix
    } else {
        Outcome::Absent
    }
}

/// All members of a gzip file (RFC 1952, section 2.2).
fn gunzip(input: &[u8], out: &mut Vec<u8>, limit: usize, engines: &mut Engines) -> Outcome {
    if !input.starts_with(GZIP_MAGIC) {
        return without_magic(input, GZIP_MAGIC);
    }
    let mut at = 0;
    let mut whole = true;
    while at < input.len() {
        let member = &input[at..];
        if !member.starts_with(GZIP_MAGIC) {
            // Zeros are padding. Anything else belongs to no member.
            return if whole && member.iter().all(|b| *b == 0) {
                Outcome::Whole
            } else {
                Outcome::Prefix
            };
        }
        let Some(data) = gzip_header(member) else {
            return Outcome::Prefix;
        };
        let start = out.len();
        let (end, read) = inflate(engine(engines, false), &member[data..], out, limit);
        match end {
            End::TooLarge => return Outcome::TooLarge,
            End::Cut => return Outcome::Prefix,
            End::Stream => {}
        }
        let trailer = &member[(data + read).min(member.len())..];
        let Some((trailer, _)) = trailer.split_first_chunk::<8>() else {
            return Outcome::Prefix;
        };
        let mut crc = Crc::new();
        crc.update(&out[start..]);
        let stored = u64::from_le_bytes(*trailer);
        // The length is stored modulo 2³².
        let length = ((out.len() - start) as u64 & 0xFFFF_FFFF) << 32;
        whole &= stored == length | u64::from(crc.sum());
        at += data + read + trailer.len();
    }
    if whole { Outcome::Whole } else { Outcome::Prefix }
}

/// Length of a member's header; `None` if it is cut.
fn gzip_header(member: &[u8]) -> Option<usize> {
    let flags = *member.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        let length = member.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += memchr::memchr(0, member.get(at..)?)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    (at <= member.len()).then_some(at)
}

/// A deflate stream with or without the zlib wrapper: servers call both `deflate`.
fn inflate_either(input: &[u8], out: &mut Vec<u8>, limit: usize, engines: &mut Engines) -> Outcome {
    if starts_as_markup(input) {
        return Outcome::Absent;
    }
    let wrapped =
        matches!(input, [a, b, ..] if a & 15 == 8 && a >> 4 <= 7 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0);
    for zlib in [true, false] {
        if zlib && !wrapped {
            continue;
        }
        out.clear();
        let (end, read) = inflate(engine(engines, zlib), input, out, limit);
        let done = end == End::Stream && input.len() - read.min(input.len()) <= TRAILER;
        match end {
            End::TooLarge => return Outcome::TooLarge,
            // Some text looks like a raw stream at first, but not to its end.
            _ if !done && looks_like_text(input) => {}
            End::Stream => return if done { Outcome::Whole } else { Outcome::Prefix },
            End::Cut if !out.is_empty() => return Outcome::Prefix,
            End::Cut => {}
        }
    }
    Outcome::Absent
}

/// A brotli stream. It has no magic number, so a body that fails to decode and looks like text was never compressed.
fn unbrotli(input: &[u8], out: &mut Vec<u8>, limit: usize, engines: &mut Engines) -> Outcome {
    if starts_as_markup(input) {
        return Outcome::Absent;
    }
    let (a, b, c) = (
        StandardAlloc::default(),
        StandardAlloc::default(),
        StandardAlloc::default(),
    );
    // Strict, so that a hostile stream cannot ask for a larger window than RFC 7932 allows.
    let mut state = BrotliState::new_strict(a, b, c);
    engines.block.resize(BLOCK, 0);
    let (mut unread, mut read, mut total) = (0, 0, 0);
    loop {
        let (mut room, mut written) = (BLOCK, 0);
        let piece = &input[..read + unread];
        let result = BrotliDecompressStream(
            &mut unread,
            &mut read,
            piece,
            &mut room,
            &mut written,
            &mut engines.block,
            &mut total,
            &mut state,
        );
        out.extend_from_slice(&engines.block[..written]);
        if out.len() > limit {
            return Outcome::TooLarge;
        }
        let left = input.len() - read;
        let whole = match result {
            BrotliResult::NeedsMoreOutput => continue,
            // There may be more output that did not fit.
            BrotliResult::NeedsMoreInput if room == 0 => continue,
            BrotliResult::NeedsMoreInput if left > unread => {
                unread = left.min(unread + PIECE);
                continue;
            }
            BrotliResult::ResultSuccess => left <= TRAILER,
            BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => false,
        };
        return if whole {
            Outcome::Whole
        } else if out.is_empty() || looks_like_text(input) {
            Outcome::Absent
        } else {
            Outcome::Prefix
        };
    }
}

/// Whether a zstd frame or a skippable frame starts here (RFC 8878, section 3.1).
fn zstd_magic(input: &[u8]) -> bool {
    matches!(
        input,
        [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]
    )
}

/// All frames of a zstd stream.
fn unzstd(input: &[u8], out: &mut Vec<u8>, limit: usize, engines: &mut Engines) -> Outcome {
    if !zstd_magic(input) {
        return without_magic(input, &[0x28, 0xB5, 0x2F, 0xFD]);
    }
    // A decoder fails to start only if memory is short. Then the body cannot be read, as if it were damaged.
    let outcome = unzstd_frames(input, out, limit, engines, None);
    outcome.unwrap_or_else(|| {
        // Decoded in small steps, a damaged body gives everything before the damage.
        out.clear();
        unzstd_frames(input, out, limit, engines, Some(Careful::START)).unwrap_or(Outcome::Prefix)
    })
}

/// The same, either at once or in small steps; `None` where the decoder finds damage.
fn unzstd_frames(
    input: &[u8],
    out: &mut Vec<u8>,
    limit: usize,
    engines: &mut Engines,
    mut careful: Option<Careful>,
) -> Option<Outcome> {
    if engines.zstd.is_none() {
        let made = Decoder::new();
        engines.zstd = made
            .and_then(|mut d| d.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG)).map(|()| d))
            .ok();
    }
    let decoder = engines.zstd.as_mut()?;
    decoder.reinit().ok()?;
    engines.block.resize(BLOCK, 0);
    let mut rest = input;
    loop {
        let shown = careful.map_or(rest.len(), |careful| careful.shown().min(rest.len()));
        let status = decoder.run_on_buffers(&rest[..shown], &mut engines.block).ok()?;
        rest = &rest[status.bytes_read.min(rest.len())..];
        out.extend_from_slice(&engines.block[..status.bytes_written]);
        if out.len() > limit {
            return Some(Outcome::TooLarge);
        }
        let was_filled = status.bytes_written == BLOCK;
        if status.remaining == 0 {
            if rest.is_empty() {
                return Some(Outcome::Whole);
            }
            if !zstd_magic(rest) {
                return Some(Outcome::Prefix);
            }
            careful = careful.map(|_| Careful::START);
        } else if status.bytes_read == 0 && status.bytes_written == 0 && (rest.is_empty() || shown > 0) {
            return Some(Outcome::Prefix);
        } else {
            careful = careful.map(|_| Careful::after(status.remaining, was_filled));
        }
    }
}

/// Whether the body is text that starts with a tag, as pages do and compressed data do not.
fn starts_as_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'<') && looks_like_text(body)
}

/// Whether the start of the body holds a tag, and nothing but text.
pub(super) fn looks_like_html(body: &[u8]) -> bool {
    memchr::memchr(b'<', &body[..body.len().min(SAMPLE)]).is_some() && looks_like_text(body)
}

/// Whether the start of the body is free of the control bytes that text never has and compressed data soon have.
fn looks_like_text(body: &[u8]) -> bool {
    body.iter()
        .take(SAMPLE)
        .all(|b| *b >= 0x20 && *b != 0x7F || matches!(b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_without_regard_to_case() {
        assert_eq!(Coding::from_name(b"X-GZip"), Some(Coding::Gzip));
        assert_eq!(Coding::from_name(b"compress"), None);
    }

    #[test]
    fn gzip_headers_are_measured() {
        let plain = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 9];
        assert_eq!(gzip_header(&plain), Some(10));
        let mut full = vec![0x1F, 0x8B, 8, 4 | 8 | 16 | 2, 0, 0, 0, 0, 0, 3, 2, 0, b'x', b'y'];
        full.extend_from_slice(b"name\0comment\0cc");
        assert_eq!(gzip_header(&full), Some(full.len()));
        assert_eq!(gzip_header(&full[..full.len() - 1]), None);
    }

    #[test]
    fn text_is_distinguished_from_compressed_data() {
        assert!(starts_as_markup(b"\xEF\xBB\xBF\n <html>"));
        assert!(!starts_as_markup(b"< \x00\x01"));
        assert!(looks_like_html("Привет <b>".as_bytes()));
        assert!(!looks_like_html(b"no tag"));
    }
}
