//! Gzip archives (RFC 1952): a member a record, or several, or the whole file in one.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::framing::Framing;
use super::inflate::{Inflated, Inflater};
use super::input::Input;
use super::unpack::{self, PIECE, PROBE, Probe, Step, WHOLE};
use crate::reason::Failed;

/// Longest member header that is read: names and comments have no bound of their own.
const HEADER_LIMIT: usize = 128 << 10;

/// Stored bytes that are shown to the streaming inflater at a time.
const FEED: usize = 64 << 10;

/// Decoded bytes that the streaming inflater may give at a time.
const ROOM: usize = 64 << 10;

/// The three bytes that start every member: the magic and the only compression method.
const MAGIC: &[u8] = &[0x1f, 0x8b, 8];

/// Decodes gzip members.
pub(crate) struct Gzip {
    framing: Framing,
    inflater: Option<Inflater>,
    state: State,
    /// Offset of the open member.
    offset: u64,
}

enum State {
    Between,
    Begun { header: usize },
    Inside(Box<Inside>),
}

/// A member that is inflated as a stream.
struct Inside {
    inflate: Decompress,
    crc: Crc,
    length: u32,
    first: bool,
}

/// Length of a member's header.
enum Header {
    Complete(usize),
    NeedsMore,
    Invalid,
}

impl Gzip {
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            framing,
            inflater: Inflater::new(),
            state: State::Between,
            offset: 0,
        }
    }

    pub(crate) fn step(&mut self, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Between => self.begin(input),
            State::Begun { header } => {
                // A stream does not show a whole member, so only a slice takes the fast path.
                if input.is_slice()
                    && let Some(inflater) = &mut self.inflater
                    && let Inflated::Whole { stored } = inflater.member(input.view(), WHOLE, out)
                {
                    input.consume(stored);
                    return Step::End {
                        stored_end: input.offset(),
                        fault: None,
                    };
                }
                input.consume(header);
                let inside = Inside {
                    inflate: Decompress::new(false),
                    crc: Crc::new(),
                    length: 0,
                    first: true,
                };
                self.inside(Box::new(inside), input, out)
            }
            State::Inside(inside) => self.inside(inside, input, out),
        }
    }

    fn begin(&mut self, input: &mut Input<'_>) -> Step {
        if input.peek(1).is_empty() {
            return Step::Eof;
        }
        let mut want = 4 << 10;
        loop {
            let view = input.peek(want);
            match header(view) {
                Header::Complete(header) => {
                    self.offset = input.offset();
                    self.state = State::Begun { header };
                    return Step::Begin { offset: self.offset };
                }
                Header::NeedsMore if want < HEADER_LIMIT && view.len() >= want => want *= 2,
                Header::NeedsMore if view.len() < want => {
                    return unpack::gap(&mut GzipProbe, input, self.framing, Failed::TruncatedInput, false);
                }
                Header::NeedsMore => {
                    return unpack::gap(&mut GzipProbe, input, self.framing, Failed::GzipHeader, false);
                }
                Header::Invalid => {
                    return unpack::gap(&mut GzipProbe, input, self.framing, Failed::GzipGap, true);
                }
            }
        }
    }

    /// Inflates up to a piece of the open member.
    fn inside(&mut self, mut inside: Box<Inside>, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        let piece = if std::mem::take(&mut inside.first) {
            WHOLE
        } else {
            PIECE
        };
        let start = out.len();
        let fault = loop {
            let done = out.len() - start;
            if done >= piece {
                self.state = State::Inside(inside);
                return Step::Data;
            }
            let stored = input.peek(FEED);
            let ended = stored.is_empty();
            let (taken, before) = (inside.inflate.total_in(), inside.inflate.total_out());
            let result = unpack::fill_up(out, ROOM.min(piece - done), |room| {
                let result = inside.inflate.decompress(stored, room, FlushDecompress::None);
                ((inside.inflate.total_out() - before) as usize, result)
            });
            input.consume((inside.inflate.total_in() - taken) as usize);
            let new = &out[start + done..];
            inside.crc.update(new);
            inside.length = inside.length.wrapping_add(new.len() as u32);
            match result {
                Ok(Status::StreamEnd) => break trailer(&inside, input),
                Ok(_) if ended && new.is_empty() => break Some(Failed::TruncatedInput),
                Ok(_) => {}
                Err(_) => break Some(Failed::GzipData),
            }
        };
        match fault {
            None => Step::End {
                stored_end: input.offset(),
                fault: None,
            },
            Some(fault) => self.damaged(fault, input),
        }
    }

    /// Ends the open member at the next good one. One that inflated to its end but has a wrong checksum keeps its own
    /// end, unless another record's member starts before: then the inflater ran past the damage.
    fn damaged(&self, fault: Failed, input: &mut Input<'_>) -> Step {
        let position = input.offset();
        let next = unpack::seek_record(
            &mut GzipProbe,
            input,
            unpack::rescan_from(self.offset, position),
            self.framing,
        );
        let natural = (fault == Failed::GzipCrc).then_some(position);
        let stored_end = match (next, natural) {
            (Some(next), Some(natural)) => next.min(natural),
            (Some(next), None) => next,
            (None, Some(natural)) => natural,
            (None, None) => input.offset(),
        };
        let fault = if fault == Failed::TruncatedInput && next.is_some() {
            Failed::GzipData
        } else {
            fault
        };
        input.seek(stored_end);
        Step::End {
            stored_end,
            fault: Some(fault),
        }
    }
}

/// Checks CRC-32 and ISIZE (which counts modulo 2³²) behind the deflate data.
fn trailer(inside: &Inside, input: &mut Input<'_>) -> Option<Failed> {
    let Some(trailer) = input.peek(8).first_chunk::<8>().copied() else {
        let rest = input.view().len();
        input.consume(rest);
        return Some(Failed::TruncatedInput);
    };
    input.consume(8);
    let crc = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
    let length = u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]);
    (crc != inside.crc.sum() || length != inside.length).then_some(Failed::GzipCrc)
}

/// Measures a member's header. The extra field is skipped by its own length, whatever its inner lengths say (wget 1.14
/// wrote wrong ones).
fn header(view: &[u8]) -> Header {
    if view.len() < 10 {
        return if MAGIC.starts_with(&view[..view.len().min(3)]) || view.starts_with(MAGIC) {
            Header::NeedsMore
        } else {
            Header::Invalid
        };
    }
    let flags = view[3];
    if !view.starts_with(MAGIC) || flags & 0xe0 != 0 {
        return Header::Invalid;
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(length) = view.get(at..at + 2) else {
            return Header::NeedsMore;
        };
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let Some(end) = view.get(at..).and_then(|v| memchr::memchr(0, v)) else {
                return Header::NeedsMore;
            };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    if at <= view.len() {
        Header::Complete(at)
    } else {
        Header::NeedsMore
    }
}

/// Whether the stored bytes start with a member.
pub(crate) fn is_gzip(view: &[u8]) -> bool {
    view.len() >= 10 && view.starts_with(MAGIC) && view[3] & 0xe0 == 0
}

/// The decoded start of the member at the start of `stored`, as far as it can be had.
pub(crate) fn probe(stored: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(PROBE);
    if let Header::Complete(header) = header(stored) {
        // Damage behind the first bytes is for the reader to find.
        let _ = Decompress::new(false).decompress_vec(&stored[header..], &mut out, FlushDecompress::None);
    }
    out
}

/// Looks for members that decode to a record.
pub(crate) struct GzipProbe;

impl Probe for GzipProbe {
    const MAGIC: &'static [u8] = MAGIC;
    const LOOKAHEAD: usize = 16 << 10;

    fn begins_record(&mut self, stored: &[u8], framing: Framing) -> bool {
        framing.starts(&probe(stored))
    }
}
