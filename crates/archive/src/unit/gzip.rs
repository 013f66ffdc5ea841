//! Decodes gzip archives (RFC 1952): a member for each record, for several, or one for the whole file.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::inflate::{Inflated, Inflater};
use super::{PIECE, PROBE, Probe, Step, WHOLE};
use crate::bytes::input::Input;
use crate::fault::{Fault, Notes};
use crate::framing::Framing;

/// Longest member header that is read: names and comments have no bound of their own.
const HEADER_LIMIT: usize = 128 << 10;

/// Stored bytes within which a member must end to be inflated at once, where the input does not lie in memory.
const AT_ONCE: usize = 1 << 20;

/// Stored bytes that the streaming inflater sees at a time: a fixed number, so that every kind of source yields the
/// same part of a damaged member.
const FEED: usize = 64 << 10;

/// Decoded bytes that the streaming inflater may give at a time.
const ROOM: usize = 64 << 10;

/// The three bytes that start every member: the magic and the only compression method.
const MAGIC: &[u8] = &[0x1f, 0x8b, 8];

/// Decodes gzip members.
pub(crate) struct Gzip {
    framing: Framing,
    probe: GzipProbe,
    /// Inflates whole members; `None` where memory is short.
    inflater: Option<Inflater>,
    /// Inflates what is too large or too damaged for that, through `room`.
    inflate: Decompress,
    room: Box<[u8]>,
    /// Whether the member before was damaged. Then this one is likely to be damaged, too, and is not inflated at once.
    doubtful: bool,
    state: Stage,
    /// Offset of the open member.
    offset: u64,
}

enum Stage {
    Between,
    Begun { header: usize },
    Inside(Inside),
}

/// A member that is inflated as a stream.
struct Inside {
    crc: Crc,
    length: u32,
    first: bool,
    /// Members of records that the inflater read as its own data.
    overrun: u32,
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
            probe: GzipProbe::new(),
            inflater: Inflater::new(),
            inflate: Decompress::new(false),
            room: vec![0; ROOM].into(),
            doubtful: false,
            state: Stage::Between,
            offset: 0,
        }
    }

    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    pub(crate) fn step(&mut self, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        match std::mem::replace(&mut self.state, Stage::Between) {
            Stage::Between => self.begin(input),
            Stage::Begun { header } => {
                if let Some(inflater) = &mut self.inflater
                    && !self.doubtful
                    && let Inflated::Whole { stored } = inflater.member(input.peek_in_place(AT_ONCE), WHOLE, out)
                {
                    input.consume(stored);
                    return Step::End {
                        stored_end: input.offset(),
                        fault: None,
                    };
                }
                input.consume(header);
                self.inflate.reset(false);
                self.inside(
                    Inside {
                        crc: Crc::new(),
                        length: 0,
                        first: true,
                        overrun: 0,
                    },
                    input,
                    out,
                )
            }
            Stage::Inside(inside) => self.inside(inside, input, out),
        }
    }

    fn begin(&mut self, input: &mut Input<'_>) -> Step {
        if input.peek(1).is_empty() {
            return Step::Eof;
        }
        let mut want = 4 << 10;
        // Most headers are short, so what is at hand is enough.
        if let Header::Complete(header) = header(input.peek_at_hand(want), HEADER_LIMIT) {
            return self.begun(input, header);
        }
        loop {
            let view = input.feed(want);
            match header(view, HEADER_LIMIT) {
                Header::Complete(header) => return self.begun(input, header),
                Header::NeedsMore if view.len() < want => return self.gap(input, Fault::TruncatedInput, false),
                Header::NeedsMore if want < HEADER_LIMIT => want *= 2,
                Header::NeedsMore => return self.gap(input, Fault::GzipHeader, false),
                Header::Invalid => return self.gap(input, Fault::GzipGap, true),
            }
        }
    }

    /// Begins a member with a header of this length.
    fn begun(&mut self, input: &Input<'_>, header: usize) -> Step {
        self.offset = input.offset();
        self.state = Stage::Begun { header };
        Step::Begin {
            offset: self.offset,
            notes: Notes::default(),
        }
    }

    fn gap(&mut self, input: &mut Input<'_>, reason: Fault, note_tail: bool) -> Step {
        super::gap(&mut self.probe, input, self.framing, reason, note_tail)
    }

    /// Inflates up to a piece of the open member.
    fn inside(&mut self, mut inside: Inside, input: &mut Input<'_>, out: &mut Vec<u8>) -> Step {
        // One byte more than is inflated at once, so that a member that just fits ends with its piece.
        let piece = if std::mem::take(&mut inside.first) {
            WHOLE + 1
        } else {
            PIECE
        };
        let start = out.len();
        let fault = loop {
            let done = out.len() - start;
            if done >= piece {
                self.state = Stage::Inside(inside);
                return Step::Data;
            }
            let stored = input.feed(FEED);
            let ended = stored.is_empty();
            let (taken, before) = (self.inflate.total_in(), self.inflate.total_out());
            let room = &mut self.room[..ROOM.min(piece - done)];
            let result = self.inflate.decompress(stored, room, FlushDecompress::None);
            let taken = (self.inflate.total_in() - taken) as usize;
            let new = &self.room[..(self.inflate.total_out() - before) as usize];
            inside.overrun += overrun(&mut self.probe, &stored[..taken], new, self.framing);
            input.consume(taken);
            out.extend_from_slice(new);
            inside.crc.update(new);
            inside.length = inside.length.wrapping_add(new.len() as u32);
            match result {
                Ok(Status::StreamEnd) => break trailer(&inside, input),
                Ok(_) if ended && new.is_empty() => break Some(Fault::TruncatedInput),
                Ok(_) if inside.overrun >= OVERRUN => break Some(Fault::GzipData),
                Ok(_) => {}
                Err(_) => break Some(Fault::GzipData),
            }
        };
        self.doubtful = fault.is_some();
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
    fn damaged(&mut self, fault: Fault, input: &mut Input<'_>) -> Step {
        let position = input.offset();
        let from = super::rescan_from(self.offset, position);
        let to = if fault == Fault::GzipCrc { position } else { u64::MAX };
        let next = super::seek_record(&mut self.probe, input, from, to, self.framing);
        let fault = if fault == Fault::TruncatedInput && next.is_some() {
            Fault::GzipData
        } else {
            fault
        };
        Step::End {
            stored_end: input.offset(),
            fault: Some(fault),
        }
    }
}

/// How many members of records inside a member show that it is cut; a single one might be chance.
const OVERRUN: u32 = 2;

/// How many records' members the inflater read as if they were its own data. It does so after a cut: maybe for a long
/// stretch, and for ever where all members are the same.
///
/// A member may hold an archive as its page's body. A stored block holds such bytes unchanged, and they come out
/// unchanged; in compressed blocks nothing looks like a member.
fn overrun(probe: &mut GzipProbe, stored: &[u8], decoded: &[u8], framing: Framing) -> u32 {
    /// Bytes by which a member is recognised in the decoded data.
    const SAMPLE: usize = 12;
    /// Bytes taken whose data the inflater may still hold back.
    const PENDING: usize = 64;
    let whole = stored.len().saturating_sub(PENDING);
    let mut is_passed_over = |at: &usize| {
        memchr::memmem::find(decoded, &stored[*at..at + SAMPLE]).is_none()
            && probe.begins_record(&stored[*at..], framing)
    };
    memchr::memmem::find_iter(&stored[..whole], MAGIC)
        .filter(|at| is_gzip(&stored[*at..]))
        .filter(|at| is_passed_over(at))
        .take(OVERRUN as usize)
        .count() as u32
}

/// Checks CRC-32 and ISIZE (which counts modulo 2³²) after the deflate data.
fn trailer(inside: &Inside, input: &mut Input<'_>) -> Option<Fault> {
    let Some(trailer) = input.peek(8).first_chunk::<8>().copied() else {
        let rest = input.view().len();
        input.consume(rest);
        return Some(Fault::TruncatedInput);
    };
    input.consume(8);
    let crc = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
    let length = u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]);
    (crc != inside.crc.sum() || length != inside.length).then_some(Fault::GzipCrc)
}

/// Measures a member's header. The extra field is skipped by its own length, regardless of its inner lengths (wget 1.14
/// wrote wrong ones).
fn header(view: &[u8], longest_text: usize) -> Header {
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
            let text = view.get(at..).map(|text| &text[..text.len().min(longest_text)]);
            let Some(end) = text.and_then(|text| memchr::memchr(0, text)) else {
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

/// Looks for members that decode to a record.
pub(crate) struct GzipProbe {
    inflate: Decompress,
    decoded: Vec<u8>,
}

impl GzipProbe {
    pub(crate) fn new() -> Self {
        Self {
            inflate: Decompress::new(false),
            decoded: vec![0; PROBE],
        }
    }

    /// The decoded start of the member at the start of `stored`, as far as it decodes; nothing if its first bytes do
    /// not pass.
    pub(crate) fn start(&mut self, stored: &[u8], passes: impl Fn(&[u8]) -> bool) -> &[u8] {
        let Header::Complete(header) = header(stored, PROBED_TEXT) else {
            return &[];
        };
        self.inflate.reset(false);
        let mut length = 0;
        // Most magics are chance, and the first decoded bytes show it.
        for most in [FIRST, PROBE] {
            let (stored, room) = (
                &stored[header + self.inflate.total_in() as usize..],
                &mut self.decoded[length..most],
            );
            // The reader finds damage after the first bytes.
            let _ = self.inflate.decompress(stored, room, FlushDecompress::None);
            length = self.inflate.total_out() as usize;
            if length == 0 || !passes(&self.decoded[..length]) {
                return &[];
            }
        }
        &self.decoded[..length]
    }
}

/// Longest name or comment of a candidate. A search for the end of longer ones would take too long in a flood of
/// magics.
const PROBED_TEXT: usize = 1 << 10;

/// Decoded bytes at which most candidates can be distinguished from a record.
const FIRST: usize = 32;

impl Probe for GzipProbe {
    const MAGIC: &'static [u8] = MAGIC;
    const LOOKAHEAD: usize = 16 << 10;
    const GAP: Fault = Fault::GzipGap;

    fn begins_record(&mut self, stored: &[u8], framing: Framing) -> bool {
        framing.starts(self.start(stored, |first| framing.may_start(first)))
    }
}
