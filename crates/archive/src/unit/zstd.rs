//! Decodes zstd archives: frames (RFC 8878), and the WARC convention for a shared dictionary.
//!
//! The convention (iipc, "Zstandard compression for WARC files 1.0"): a frame a record; where a dictionary is used, the
//! file starts with a skippable frame of magic 0x184D2A5D that holds it, raw or itself a zstd frame.

use std::io::Read;
use std::sync::Arc;

use zstd::zstd_safe::{self, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use super::{PIECE, PROBE, Probe, Step, WHOLE};
use crate::bytes::input::Input;
use crate::careful::Careful;
use crate::error::{ArchiveErrorKind, Refusal};
use crate::fault::{Fault, Note, Notes};
use crate::framing::Framing;

/// The magic of a frame.
const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The magic of the skippable frame that holds a dictionary.
const DICTIONARY_MAGIC: u32 = 0x184d_2a5d;

/// Largest dictionary by default, stored or decoded: the convention's own recommendation for readers.
pub const DICTIONARY_LIMIT: u64 = 8 << 20;

/// Largest window by default: so that two workers stay within memory whatever a frame asks for.
pub const WINDOW_LIMIT: u64 = 128 << 20;

/// The dictionary and the limits that an archive's frames are decoded with.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) dictionary: Option<Arc<[u8]>>,
    /// Largest window, in bytes.
    pub(crate) window: u64,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            dictionary: None,
            window: WINDOW_LIMIT,
        }
    }
}

/// Stored bytes that the decoder sees at a time: a fixed number, so that every kind of source yields the same part of a
/// damaged frame.
const FEED: usize = 128 << 10;

/// Decoded bytes that the decoder may give at a time.
const ROOM: usize = 128 << 10;

/// Decodes zstd frames.
pub(crate) struct Zstd {
    framing: Framing,
    setting: Setting,
    probe: ZstdProbe,
    context: DCtx<'static>,
    room: Box<[u8]>,
    state: Stage,
    offset: u64,
    first: bool,
    /// The part of the open frame to show next. `None` at its start: most frames decode at once.
    careful: Option<Careful>,
}

#[derive(Clone, Copy)]
enum Stage {
    Between,
    Inside,
}

/// The magic number at the start of the view.
fn magic(view: &[u8]) -> Option<u32> {
    view.first_chunk::<4>().map(|m| u32::from_le_bytes(*m))
}

fn is_skippable(magic: u32) -> bool {
    magic & 0xffff_fff0 == 0x184d_2a50
}

/// Whether the stored bytes start with a zstd frame or a skippable frame (RFC 8878, sections 3.1.1 and 3.1.2).
#[doc(hidden)]
pub fn is_zstd(view: &[u8]) -> bool {
    view.starts_with(MAGIC) || magic(view).is_some_and(is_skippable)
}

/// A decoding context with the limits set and the dictionary loaded.
fn context(setting: &Setting) -> DCtx<'static> {
    let mut context = DCtx::create();
    // Neither can fail: the value is within the format's bounds, and a dictionary was loaded once before.
    let _ = context.set_parameter(DParameter::WindowLogMax(setting.window.max(1).ilog2().clamp(10, 31)));
    if let Some(dictionary) = &setting.dictionary {
        let _ = context.load_dictionary(dictionary);
    }
    context
}

fn unreadable(message: impl Into<String>) -> Refusal {
    Refusal::new(ArchiveErrorKind::Dictionary, message)
}

fn too_large(message: String) -> Refusal {
    Refusal::new(ArchiveErrorKind::DictionaryTooLarge, message)
}

/// Reads the dictionary in front of an archive.
///
/// # Errors
/// It is too large, cut, or not decodable.
pub(crate) fn dictionary(input: &mut Input<'_>, limit: u64) -> Result<Option<Arc<[u8]>>, Refusal> {
    let view = input.peek(8);
    if magic(view) != Some(DICTIONARY_MAGIC) {
        return Ok(None);
    }
    let Some(length) = view.get(4..8).and_then(magic).map(|n| n as usize) else {
        return Err(unreadable("the zstd dictionary frame is cut short"));
    };
    if length as u64 > limit {
        let message = format!("the zstd dictionary of {length} bytes is larger than the limit of {limit}");
        return Err(too_large(message));
    }
    let Some(stored) = input.peek(8 + length).get(8..8 + length) else {
        return Err(unreadable("the zstd dictionary frame is cut short"));
    };
    Ok(Some(if stored.starts_with(MAGIC) {
        decoded_dictionary(stored, limit)?.into()
    } else {
        stored.into()
    }))
}

/// The skippable frame that holds a dictionary.
pub(crate) fn dictionary_frame(dictionary: &[u8]) -> Vec<u8> {
    // No dictionary is read that is larger than its length field can hold.
    let length = dictionary.len() as u32;
    [&DICTIONARY_MAGIC.to_le_bytes()[..], &length.to_le_bytes(), dictionary].concat()
}

/// The message where a frame asks for another dictionary than the one in front, if any.
pub(crate) fn wrong_dictionary(frame: &[u8], dictionary: Option<&[u8]>) -> Option<String> {
    let wanted = zstd_safe::get_dict_id_from_frame(frame)?;
    let Some(dictionary) = dictionary else {
        return Some(format!(
            "its frames need the zstd dictionary {wanted}, which is not at its start"
        ));
    };
    let held = zstd_safe::get_dict_id_from_dict(dictionary);
    let name = held.map_or("one without a number".to_owned(), |id| id.to_string());
    (held != Some(wanted))
        .then(|| format!("its frames need the zstd dictionary {wanted}, but the one at its start is {name}"))
}

fn decoded_dictionary(stored: &[u8], limit: u64) -> Result<Vec<u8>, Refusal> {
    let error = |e: std::io::Error| unreadable(format!("the zstd dictionary cannot be decoded: {e}"));
    let mut decoded = Vec::new();
    let reader = zstd::stream::read::Decoder::with_buffer(stored).map_err(error)?;
    reader
        .take(limit.saturating_add(1))
        .read_to_end(&mut decoded)
        .map_err(error)?;
    if decoded.len() as u64 > limit {
        let message = format!("the zstd dictionary decodes to more than the limit of {limit} bytes");
        return Err(too_large(message));
    }
    Ok(decoded)
}

impl Zstd {
    pub(crate) fn new(framing: Framing, setting: &Setting) -> Self {
        Self {
            framing,
            setting: setting.clone(),
            context: context(setting),
            probe: ZstdProbe::new(setting),
            room: vec![0; ROOM].into(),
            state: Stage::Between,
            offset: 0,
            first: true,
            careful: None,
        }
    }

    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    pub(crate) fn step(&mut self, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        match self.state {
            Stage::Between => self.begin(input),
            Stage::Inside => self.inside(input, out),
        }
    }

    fn begin(&mut self, input: &mut Input<'_>) -> Step {
        let offset = input.offset();
        let view = input.peek(8);
        match magic(view) {
            None if view.is_empty() => Step::Eof,
            Some(m) if is_skippable(m) => {
                let length = view.get(4..8).and_then(magic).map_or(u64::MAX, u64::from);
                let reason = (m == DICTIONARY_MAGIC && offset > 0).then_some(Fault::ZstdDict);
                self.skip(input, 8u64.saturating_add(length), reason)
            }
            Some(_) if view.starts_with(MAGIC) => {
                // A reset keeps parameters and dictionary; it cannot fail.
                let _ = self.context.reset(ResetDirective::SessionOnly);
                let notes = header_notes(view);
                (self.state, self.offset, self.first, self.careful) = (Stage::Inside, offset, true, None);
                Step::Begin { offset, notes }
            }
            _ => super::gap(&mut self.probe, input, self.framing, Fault::ZstdGap, true),
        }
    }

    fn inside(&mut self, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        let piece = if std::mem::take(&mut self.first) { WHOLE } else { PIECE };
        let start = out.len();
        let fault = loop {
            let done = out.len() - start;
            if done >= piece {
                return Step::Data;
            }
            let shown = self.careful.map_or(FEED, |careful| careful.shown().min(FEED));
            let stored = input.feed(shown);
            let ended = shown > 0 && stored.is_empty();
            let mut source = InBuffer::around(stored);
            let room = &mut self.room[..ROOM.min(piece - done)];
            let length = room.len();
            let mut target = OutBuffer::around(room);
            let result = self.context.decompress_stream(&mut target, &mut source);
            let was_filled = target.pos() == length;
            out.extend_from_slice(target.as_slice());
            let taken = source.pos();
            input.consume(taken);
            match result {
                Ok(0) => break None,
                Ok(_) if ended && out.len() - start == done => break Some(Fault::TruncatedInput),
                Ok(next) => self.careful = Some(Careful::after(next, was_filled)),
                // The first call gave nothing, so the frame starts again.
                Err(_) if self.careful.is_none() => {
                    let _ = self.context.reset(ResetDirective::SessionOnly);
                    self.careful = Some(Careful::START);
                    input.seek(self.offset);
                }
                Err(code) => break Some(fault_of(code)),
            }
        };
        self.state = Stage::Between;
        match fault {
            None => Step::End {
                stored_end: input.offset(),
                fault: None,
            },
            Some(fault) => self.damaged(fault, input),
        }
    }

    /// Ends the open frame at the next good one.
    fn damaged(&mut self, fault: Fault, input: &mut Input<'_>) -> Step {
        let from = super::rescan_from(self.offset, input.offset());
        let next = super::seek_record(&mut self.probe, input, from, u64::MAX, self.framing);
        let fault = if fault == Fault::TruncatedInput && next.is_some() {
            Fault::ZstdData
        } else {
            fault
        };
        Step::End {
            stored_end: input.offset(),
            fault: Some(fault),
        }
    }

    /// Skips a skippable frame of `length` stored bytes, or what there is of it. A record's frame inside it shows that
    /// its length is wrong.
    fn skip(&mut self, input: &mut Input<'_>, length: u64, reason: Option<Fault>) -> Step {
        let offset = input.offset();
        let end = offset.saturating_add(length);
        let inner = super::seek_record(&mut self.probe, input, offset + 8, end, self.framing);
        let reason = match inner {
            Some(_) => Some(Fault::ZstdGap),
            None if input.offset() < end => Some(Fault::TruncatedInput),
            None => reason,
        };
        Step::Gap {
            offset,
            length: input.offset() - offset,
            reason,
            note: None,
        }
    }
}

/// Notes about fields that a frame's header leaves out (RFC 8878, section 3.1.1.1).
fn header_notes(view: &[u8]) -> Notes {
    let mut notes = Notes::default();
    let descriptor = view.get(4).copied().unwrap_or(0xff);
    // Neither a size field's width nor a single segment, whose size is always stated.
    if descriptor & 0xe0 == 0 {
        notes.add(Note::ZstdUnsized);
    }
    if descriptor & 4 == 0 {
        notes.add(Note::ZstdUnchecked);
    }
    notes
}

/// The fault that an error of the decoder means.
fn fault_of(code: zstd_safe::ErrorCode) -> Fault {
    use zstd_safe::zstd_sys::ZSTD_ErrorCode as Code;
    // A function of the decoder returns an error as its negative number.
    let is = |known: Code| code.wrapping_neg() == known as usize;
    if is(Code::ZSTD_error_checksum_wrong) {
        Fault::ZstdChecksum
    } else if is(Code::ZSTD_error_frameParameter_windowTooLarge) || is(Code::ZSTD_error_memory_allocation) {
        Fault::ZstdWindow
    } else if is(Code::ZSTD_error_dictionary_wrong) || is(Code::ZSTD_error_dictionary_corrupted) {
        Fault::ZstdDict
    } else {
        Fault::ZstdData
    }
}

/// Looks for frames that decode to a record.
pub(crate) struct ZstdProbe {
    context: DCtx<'static>,
    decoded: Vec<u8>,
}

impl ZstdProbe {
    pub(crate) fn new(setting: &Setting) -> Self {
        Self {
            context: context(setting),
            decoded: Vec::with_capacity(PROBE),
        }
    }

    /// The decoded start of the frame at the start of `stored`, as far as it decodes.
    pub(crate) fn start(&mut self, stored: &[u8]) -> &[u8] {
        self.decoded.clear();
        // As above: it cannot fail.
        let _ = self.context.reset(ResetDirective::SessionOnly);
        let mut source = InBuffer::around(stored);
        // A frame may take several calls until it gives its first bytes.
        while self.decoded.len() < PROBE {
            let had = (self.decoded.len(), source.pos());
            let mut target = OutBuffer::around_pos(&mut self.decoded, had.0);
            match self.context.decompress_stream(&mut target, &mut source) {
                Ok(0) | Err(_) => break,
                Ok(_) if (self.decoded.len(), source.pos()) == had => break,
                Ok(_) => {}
            }
        }
        &self.decoded
    }
}

impl Probe for ZstdProbe {
    const MAGIC: &'static [u8] = MAGIC;
    /// A block of up to 128 KiB must be complete before it decodes.
    const LOOKAHEAD: usize = 160 << 10;
    const GAP: Fault = Fault::ZstdGap;

    fn begins_record(&mut self, stored: &[u8], framing: Framing) -> bool {
        framing.starts(self.start(stored))
    }
}
