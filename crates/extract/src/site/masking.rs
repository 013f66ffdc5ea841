//! Hashes of texts in which neither digits nor white space count.

use dehusk_html::references::{decode_references, reference};
use dehusk_html::{Dom, NodeFlags, NodeId};
use memchr::memchr;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{TextHash, shortened};

/// So many bytes of a text without white space are compared, and of a longer one these and the sum of all.
const LONGEST: usize = 128;

/// So many bytes are copied at a time.
const CHUNK: usize = 16;

/// Room for what is compared and for a chunk that is masked after that. It is a power of two, so that masking a place
/// keeps it within.
const ROOM: usize = 256;
const _: () = assert!(ROOM.is_power_of_two() && LONGEST + CHUNK + 4 <= ROOM);

/// So many bytes of a text are kept to show how it begins, and so many are shown of these.
const KEPT: usize = 48;
const SHOWN: usize = 40;

/// The treatment of a byte by masking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Kept,
    Digit,
    /// ASCII white space, or NUL, which no text has.
    Dropped,
    /// The first byte of white space that is not ASCII, or of a reference, perhaps.
    Odd,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Kept; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => Class::Digit,
            0 | b' ' | b'\t'..=b'\r' => Class::Dropped,
            b'&' | 0xC2 | 0xE1..=0xE3 => Class::Odd,
            _ => Class::Kept,
        };
        byte += 1;
    }
    classes
};

/// A text without white space, each run of digits as one 0, as far as it is compared and a little more.
#[derive(Clone, Copy, Debug)]
struct Masked {
    bytes: [u8; ROOM],
    length: usize,
    /// Whether the last byte is a digit.
    after_digit: bool,
}

impl Masked {
    const EMPTY: Self = Self {
        bytes: [0; ROOM],
        length: 0,
        after_digit: false,
    };

    /// Appends a part of a text, as far as it is compared.
    fn read(&mut self, text: &str, references: bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && self.length <= LONGEST {
            let kept = self.keep(&bytes[at..]);
            at += kept;
            if kept == CHUNK {
                continue;
            }
            let Some(byte) = bytes.get(at) else {
                break;
            };
            at += match CLASSES[usize::from(*byte)] {
                Class::Odd => self.read_odd(&text[at..], references),
                class => {
                    self.read_other(class == Class::Digit);
                    1
                }
            };
        }
    }

    /// Appends the bytes that are kept as they are, up to another one or to the end of a chunk, and returns their
    /// number.
    #[inline]
    fn keep(&mut self, text: &[u8]) -> usize {
        let kept = text.iter().take(CHUNK);
        let kept = kept
            .take_while(|byte| CLASSES[usize::from(**byte)] == Class::Kept)
            .count();
        let to = self.length % ROOM;
        // A whole chunk is copied where there is one: what follows is written over.
        match (text.first_chunk::<CHUNK>(), self.bytes.get_mut(to..to + CHUNK)) {
            (Some(chunk), Some(room)) => room.copy_from_slice(chunk),
            _ => self.bytes[to..to + kept].copy_from_slice(&text[..kept]),
        }
        self.length += kept;
        self.after_digit &= kept == 0;
        kept
    }

    /// Appends a digit or white space. Digits on both sides of white space are one run.
    #[inline]
    fn read_other(&mut self, is_digit: bool) {
        if is_digit && !self.after_digit {
            self.bytes[self.length % ROOM] = b'0';
            self.length += 1;
            self.after_digit = true;
        }
    }

    /// Reads an odd character or a reference, and returns its length.
    fn read_odd(&mut self, text: &str, references: bool) -> usize {
        let found = if references && text.starts_with('&') {
            reference(text, false)
        } else {
            None
        };
        if let Some(found) = found {
            self.read_character(found.first);
            found.second.into_iter().for_each(|second| self.read_character(second));
            return found.len;
        }
        let first = text.chars().next().unwrap_or_default();
        self.read_character(first);
        first.len_utf8()
    }

    fn read_character(&mut self, c: char) {
        if c.is_whitespace() {
            return;
        }
        if c.is_ascii_digit() || c == '\0' {
            return self.read_other(c != '\0');
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            self.bytes[self.length % ROOM] = byte;
            self.length += 1;
        }
        self.after_digit = false;
    }

    /// The masked form of all that was read, if it was not cut.
    fn masked(&self) -> &[u8] {
        &self.bytes[..self.length.min(ROOM)]
    }
}

/// Hashes texts.
#[derive(Debug)]
pub(super) struct TextHasher {
    start: Masked,
}

impl Default for TextHasher {
    fn default() -> Self {
        Self { start: Masked::EMPTY }
    }
}

impl TextHasher {
    /// The hash of the text of some nodes.
    pub(super) fn hash_nodes(&mut self, dom: &Dom<'_>, nodes: &[NodeId]) -> TextHash {
        let text = |node: NodeId| (dom.raw(node), dom.node(node).flags.has(NodeFlags::ENTITIES));
        self.hash(nodes.iter().map(|node| text(*node)))
    }

    /// The hash of a text that is decoded already.
    pub(super) fn hash_line(&mut self, line: &str) -> TextHash {
        self.hash([(line, false)].into_iter())
    }

    /// The hash of a text that comes in parts, each with whether it has references.
    #[inline]
    fn hash<'t>(&mut self, parts: impl Iterator<Item = (&'t str, bool)> + Clone) -> TextHash {
        (self.start.length, self.start.after_digit) = (0, false);
        for (part, references) in parts.clone() {
            self.start.read(part, references);
        }
        if !self.is_cut() {
            return shortened(xxh3_64(self.start.masked()));
        }
        let sums = parts.map(|(part, references)| sum_of(part, references));
        let sum = sums.fold(0, u32::wrapping_add);
        shortened(xxh3_64_with_seed(&self.start.bytes[..LONGEST], u64::from(sum)))
    }

    /// Whether the text that was hashed last is longer than what is compared byte by byte.
    pub(super) fn is_cut(&self) -> bool {
        self.start.length > LONGEST
    }
}

/// The sum of those bytes of a text that are the same in all its forms.
fn sum_of(mut text: &str, references: bool) -> u32 {
    let mut sum = 0u32;
    while references && let Some(at) = memchr(b'&', text.as_bytes()) {
        sum = sum.wrapping_add(sum_of_bytes(&text.as_bytes()[..at]));
        let length = if let Some(found) = reference(&text[at..], false) {
            for c in [Some(found.first), found.second].into_iter().flatten() {
                sum = sum.wrapping_add(sum_of_bytes(c.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            found.len
        } else {
            sum = sum.wrapping_add(u32::from(b'&'));
            1
        };
        text = &text[at + length..];
    }
    sum.wrapping_add(sum_of_bytes(text.as_bytes()))
}

/// Adds up what is neither a digit nor white space: bytes of ASCII, and of other characters the first byte, unless white
/// space begins with it, too.
fn sum_of_bytes(bytes: &[u8]) -> u32 {
    let summed = bytes.iter().map(|byte| {
        let is_ascii = byte.is_ascii_graphic() & !byte.is_ascii_digit();
        let is_first = (*byte > 0xC2) & !(0xE1..=0xE3).contains(byte);
        u32::from(*byte) * u32::from(is_ascii | is_first)
    });
    summed.fold(0, u32::wrapping_add)
}

/// Appends the source of the first bytes of a text.
pub(super) fn keep_start(dom: &Dom<'_>, nodes: &[NodeId], out: &mut Vec<u8>) {
    let to = out.len() + KEPT;
    for (number, node) in nodes.iter().enumerate() {
        if out.len() + 1 >= to {
            break;
        }
        if number > 0 {
            out.push(b' ');
        }
        keep(dom.raw(*node), to - out.len(), out);
    }
}

/// Appends the first bytes of a value.
pub(super) fn keep_value(value: &str, out: &mut Vec<u8>) {
    keep(value, KEPT, out);
}

fn keep(text: &str, most: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&text.as_bytes()[..text.floor_char_boundary(most)]);
}

/// How a text begins, of which the source was kept: with single spaces, and one 0 for each run of digits.
pub fn shown(kept: &str) -> String {
    // A reference that was cut means nothing.
    let cut = kept
        .rfind('&')
        .filter(|at| kept.len() + 4 > KEPT && !kept[*at..].contains([';', ' ']));
    let decoded = decode_references(&kept[..cut.unwrap_or(kept.len())]);
    let mut shown = String::with_capacity(SHOWN);
    for c in decoded.chars() {
        let (c, runs) = match c {
            c if c.is_whitespace() || c == '\0' => (' ', true),
            '0'..='9' => ('0', true),
            c => (c, false),
        };
        if shown.len() + c.len_utf8() > SHOWN {
            break;
        }
        if !(runs && (shown.ends_with(c) || c == ' ' && shown.is_empty())) {
            shown.push(c);
        }
    }
    shown.truncate(shown.trim_end().len());
    shown
}
