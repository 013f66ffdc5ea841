//! The body of a response. Its codings are removed in the reverse of the order in which the server applied them
//! (RFC 9112, section 6.1; RFC 9110, section 8.4).

use super::chunked::{Chunked, dechunk};
use super::coding::{Coding, Engines, Outcome, looks_like_html};
use super::head::Head;
use crate::fault::{Note, Notes};

/// How many content codings, and transfer codings other than `chunked`, one body may have. A body with more is treated
/// as one with an unknown coding, because no server applies so many.
pub const MAX_CODINGS: usize = 5;

/// Bytes of capacity that a buffer keeps from one body to the next. Few pages need more.
const KEEP: usize = 8 * 1024 * 1024;

/// Buffers and decoders that a thread uses for one body after the other.
#[derive(Default)]
pub struct Scratch {
    /// Holds the newest result, unless that is a part of the input.
    front: Vec<u8>,
    decoder: BodyDecoder,
}

/// Removes one coding after the other.
#[derive(Default)]
struct BodyDecoder {
    /// Receives the next result.
    output: Vec<u8>,
    /// Receives the result of a second attempt.
    spare: Vec<u8>,
    engines: Engines,
}

impl Scratch {
    /// Frees the buffers of a large body.
    fn shrink(&mut self) {
        for buffer in [&mut self.front, &mut self.decoder.output, &mut self.decoder.spare] {
            if buffer.capacity() > KEEP {
                *buffer = Vec::new();
            }
        }
    }
}

impl BodyDecoder {
    /// Decodes `input` to `output`.
    fn decode(&mut self, coding: Coding, input: &[u8], limit: usize) -> Outcome {
        let outcome = coding.decode(input, &mut self.output, limit, &mut self.engines);
        // One large crawl (August 2018) wrote an extra line end before every body. Only a coding with a magic number
        // shows it.
        if matches!(outcome, Outcome::Absent | Outcome::Prefix)
            && let Some(rest) = input.strip_prefix(b"\r\n")
            && coding.decode(rest, &mut self.spare, limit, &mut self.engines) == Outcome::Whole
        {
            std::mem::swap(&mut self.output, &mut self.spare);
            return Outcome::Whole;
        }
        outcome
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch")
            .field("capacity", &(self.front.capacity() + self.decoder.output.capacity()))
            .finish()
    }
}

/// A decoded body.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Body<'a> {
    /// The bytes: a part of the input if nothing had to be decoded, else of the scratch buffers.
    pub bytes: &'a [u8],
    /// The oddities: [`Note::Chunked`], [`Note::ContentCoding`], [`Note::CodingAbsent`] or [`Note::BodySize`].
    pub notes: Notes,
}

/// Why a body could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// The decoded body would be larger than the limit.
    TooLarge,
    /// A coding is not known, and the body is not plain HTML either.
    EncodingUnknown,
    /// Nothing of the body could be decoded: it is damaged from its start on, or asks for more memory than is allowed.
    Undecodable,
}

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BodyError::TooLarge => "the decoded body is larger than the limit",
            BodyError::EncodingUnknown => "the body's content coding is not known",
            BodyError::Undecodable => "nothing of the body can be decoded",
        })
    }
}

impl std::error::Error for BodyError {}

/// Decodes a body: removes the chunked coding first, then the other transfer codings and the content codings, the last
/// one first. Returns bytes that live in `body` or in `scratch`.
///
/// - `limit`, in bytes, applies to the stored body and to the result of every step.
/// - A coding that the head declares but the body does not have is skipped with the note `coding_absent`. Crawls hold
///   many bodies that were stored decoded under their old heads.
/// - A body that is cut or damaged gives its decoded prefix, with a note. One whose checksum is wrong gives all of it.
///
/// # Errors
///
/// - [`BodyError::TooLarge`] beyond `limit`.
/// - [`BodyError::EncodingUnknown`] for an unknown coding, or more than [`MAX_CODINGS`], unless the body is plain HTML.
/// - [`BodyError::Undecodable`] if a coding gives nothing of a body that is not empty.
pub fn decode_body<'a>(
    head: &Head<'_>,
    body: &'a [u8],
    limit: usize,
    scratch: &'a mut Scratch,
) -> Result<Body<'a>, BodyError> {
    scratch.shrink();
    let Scratch { front, decoder } = scratch;
    let mut notes = Notes::default();
    // The newest result: a part of the input, or `None` for `front`.
    let mut part = Some(body);
    if head.transfer_codings().any(is_chunked) {
        part = remove_chunks(body, front, &mut notes);
    } else if head.content_length().is_some_and(|n| n != body.len() as u64) {
        notes.add(Note::BodySize);
    }
    let (names, count) = codings(head);
    if count > MAX_CODINGS {
        // Which of them to remove first cannot be known, so none is removed.
        accept_undecoded(part.unwrap_or(front), &mut notes)?;
        return limited(part.unwrap_or(front), limit, notes);
    }
    for name in names[..count].iter().rev() {
        let input = part.unwrap_or(front);
        if input.is_empty() {
            break;
        }
        let Some(coding) = Coding::from_name(name) else {
            accept_undecoded(input, &mut notes)?;
            continue;
        };
        match decoder.decode(coding, input, limit) {
            Outcome::TooLarge => return Err(BodyError::TooLarge),
            Outcome::Absent => {
                notes.add(Note::CodingAbsent);
                continue;
            }
            Outcome::Prefix if decoder.output.is_empty() => return Err(BodyError::Undecodable),
            Outcome::Prefix => notes.add(Note::ContentCoding),
            Outcome::Whole => {}
        }
        std::mem::swap(front, &mut decoder.output);
        part = None;
    }
    limited(part.unwrap_or(front), limit, notes)
}

/// A decoded body, unless it is too large.
fn limited(bytes: &[u8], limit: usize, notes: Notes) -> Result<Body<'_>, BodyError> {
    if bytes.len() > limit {
        return Err(BodyError::TooLarge);
    }
    Ok(Body { bytes, notes })
}

fn is_chunked(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"chunked")
}

/// Removes the chunked coding. Returns a part of the body, or `None` for `out`.
fn remove_chunks<'a>(body: &'a [u8], out: &mut Vec<u8>, notes: &mut Notes) -> Option<&'a [u8]> {
    if body.is_empty() {
        return Some(body);
    }
    let (part, is_whole) = match dechunk(body, out) {
        Chunked::Absent => {
            notes.add(Note::CodingAbsent);
            return Some(body);
        }
        Chunked::One(data, is_whole) => (Some(data), is_whole),
        Chunked::Many(is_whole) => (None, is_whole),
    };
    if !is_whole {
        notes.add(Note::Chunked);
    }
    part
}

/// The first codings of a body except `chunked`, in the order in which they were applied, and their number, which may
/// be larger.
fn codings<'h>(head: &'h Head<'_>) -> ([&'h [u8]; MAX_CODINGS], usize) {
    let transfer_codings = head.transfer_codings().filter(|name| !is_chunked(name));
    let mut names: [&[u8]; MAX_CODINGS] = [&[]; MAX_CODINGS];
    let mut count = 0;
    for name in head.content_codings().chain(transfer_codings).take(MAX_CODINGS + 1) {
        if let Some(slot) = names.get_mut(count) {
            *slot = name;
        }
        count += 1;
    }
    (names, count)
}

/// Accepts a body under an unknown coding as it is, if it is plain HTML.
fn accept_undecoded(body: &[u8], notes: &mut Notes) -> Result<(), BodyError> {
    if !body.is_empty() && !looks_like_html(body) {
        return Err(BodyError::EncodingUnknown);
    }
    notes.add(Note::CodingAbsent);
    Ok(())
}
