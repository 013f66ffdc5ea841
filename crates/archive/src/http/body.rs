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
    /// Receives the next result.
    back: Vec<u8>,
    /// Receives the result of a second attempt.
    spare: Vec<u8>,
    engines: Engines,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch")
            .field("capacity", &(self.front.capacity() + self.back.capacity()))
            .finish()
    }
}

/// A decoded body.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Body<'a> {
    /// The bytes: a part of the input if nothing had to be decoded, else of the scratch buffers.
    pub bytes: &'a [u8],
    /// What was odd: [`Note::Chunked`], [`Note::ContentCoding`], [`Note::CodingAbsent`] or [`Note::BodySize`].
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
    let mut notes = Notes::default();
    for buffer in [&mut scratch.front, &mut scratch.back, &mut scratch.spare] {
        if buffer.capacity() > KEEP {
            *buffer = Vec::new();
        }
    }
    // The newest result: a part of the input, or `None` for `scratch.front`.
    let mut part = Some(body);
    let is_chunked = |name: &[u8]| name.eq_ignore_ascii_case(b"chunked");
    if head.transfer_codings().any(is_chunked) {
        if !body.is_empty() {
            match dechunk(body, &mut scratch.front) {
                Chunked::Absent => notes.add(Note::CodingAbsent),
                Chunked::One(data, whole) => {
                    part = Some(data);
                    damaged_unless(whole, Note::Chunked, &mut notes);
                }
                Chunked::Many(whole) => {
                    part = None;
                    damaged_unless(whole, Note::Chunked, &mut notes);
                }
            }
        }
    } else if head.content_length().is_some_and(|n| n != body.len() as u64) {
        notes.add(Note::BodySize);
    }

    // In the order of their application, so they are removed from the back.
    let mut codings = head
        .content_codings()
        .chain(head.transfer_codings().filter(|name| !is_chunked(name)));
    let mut names: [&[u8]; MAX_CODINGS] = [&[]; MAX_CODINGS];
    let mut count = 0;
    for (slot, name) in names.iter_mut().zip(&mut codings) {
        *slot = name;
        count += 1;
    }
    let too_many = codings.next().is_some();
    if too_many {
        // Which of them to remove first cannot be known, so none is removed.
        count = 0;
        as_it_is(part.unwrap_or(&scratch.front), &mut notes)?;
    }
    for name in names[..count].iter().rev() {
        let input = part.unwrap_or(&scratch.front);
        if input.is_empty() {
            break;
        }
        let Some(coding) = Coding::from_name(name) else {
            as_it_is(input, &mut notes)?;
            continue;
        };
        let mut outcome = coding.decode(input, &mut scratch.back, limit, &mut scratch.engines);
        // One large crawl (August 2018) wrote an extra line end before every body. Only a coding with a magic number
        // shows it.
        if matches!(outcome, Outcome::Absent | Outcome::Prefix)
            && let Some(rest) = input.strip_prefix(b"\r\n")
            && coding.decode(rest, &mut scratch.spare, limit, &mut scratch.engines) == Outcome::Whole
        {
            std::mem::swap(&mut scratch.back, &mut scratch.spare);
            outcome = Outcome::Whole;
        }
        match outcome {
            Outcome::TooLarge => return Err(BodyError::TooLarge),
            Outcome::Absent => {
                notes.add(Note::CodingAbsent);
                continue;
            }
            Outcome::Prefix if scratch.back.is_empty() => return Err(BodyError::Undecodable),
            Outcome::Prefix => notes.add(Note::ContentCoding),
            Outcome::Whole => {}
        }
        std::mem::swap(&mut scratch.front, &mut scratch.back);
        part = None;
    }
    let bytes = part.unwrap_or(&scratch.front);
    if bytes.len() > limit {
        return Err(BodyError::TooLarge);
    }
    Ok(Body { bytes, notes })
}

/// Accepts a body under an unknown coding as it is, if it is plain HTML.
fn as_it_is(body: &[u8], notes: &mut Notes) -> Result<(), BodyError> {
    if !body.is_empty() && !looks_like_html(body) {
        return Err(BodyError::EncodingUnknown);
    }
    notes.add(Note::CodingAbsent);
    Ok(())
}

/// Adds a note about damage, unless everything was whole.
fn damaged_unless(whole: bool, note: Note, notes: &mut Notes) {
    if !whole {
        notes.add(note);
    }
}
