//! The words of a text.

use std::ops::Range;

use dehusk_html::counting::is_cjk;
use fearless_simd::{Bytes, Level, Simd, SimdBase, SimdMask, dispatch, i8x16, u8x16};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes that are looked at together: one for each bit of a number.
const BLOCK: usize = 64;

/// Visits the words of a text in order, as they are written.
///
/// - A word is a longest run of letters, digits and marks, without the characters of the next point: characters that
///   are alphabetic or numeric by Unicode (`Alphabetic`, and the general categories `Nd`, `Nl` and `No`), and those of
///   the blocks U+0300 to U+036F and U+0900 to U+0DFF, but U+0964, U+0965 and U+0970.
/// - A character of the blocks U+3040 to U+30FF, U+3400 to U+9FFF, U+F900 to U+FAFF or U+20000 to U+3FFFF is a word of
///   its own: see [`is_ideograph`].
/// - All other characters separate words.
///
/// ```
/// let mut words = Vec::new();
/// dehusk_similarity::for_each_word("It's 5 o'clock — 东京!", |word| words.push(word));
/// assert_eq!(words, ["It", "s", "5", "o", "clock", "东", "京"]);
/// ```
pub fn for_each_word<'t>(text: &'t str, mut visit: impl FnMut(&'t str)) {
    for_each_place(text, |place, _| visit(&text[place]));
}

/// Visits each word with its place, and whether it is ASCII.
pub(crate) fn for_each_place(text: &str, mut visit: impl FnMut(Range<usize>, bool)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Where the word begins that may continue, and whether it is ASCII so far.
    let mut open: Option<(usize, bool)> = None;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii() {
            let (mut words, length) = ascii_words(&bytes[at..]);
            if let Some((start, is_ascii)) = open {
                let run = words.trailing_ones() as usize;
                if run < length {
                    visit(start..at + run, is_ascii);
                    open = None;
                }
                words = without_first(words, run);
            }
            while words != 0 {
                let start = words.trailing_zeros() as usize;
                let end = start + (words >> start).trailing_ones() as usize;
                if end == length {
                    open = Some((at + start, true));
                    break;
                }
                visit(at + start..at + end, true);
                words = without_first(words, end);
            }
            at += length;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        let next = at + c.len_utf8();
        if is_of_word(c) {
            open = Some((open.map_or(at, |(start, _)| start), false));
        } else {
            if let Some((start, is_ascii)) = open.take() {
                visit(start..at, is_ascii);
            }
            if is_cjk(c) {
                visit(at..next, false);
            }
        }
        at = next;
    }
    if let Some((start, is_ascii)) = open {
        visit(start..bytes.len(), is_ascii);
    }
}

/// Returns the hash of a word: XXH3 (64 bits, seed 0) of the word in UTF-8, each character mapped to lower case by
/// itself (Unicode's `Lowercase_Mapping` without its conditions), and `ς` to `σ`.
pub fn word_hash(word: &str) -> u64 {
    // Words of texts are short, so few are too long for the stack.
    let mut bytes = [0; 64];
    if let Some(lower) = bytes.get_mut(..word.len())
        && word.is_ascii()
    {
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        return xxh3_64(lower);
    }
    let mut length = 0;
    for c in lower_case(word) {
        match bytes.get_mut(length..length + c.len_utf8()) {
            Some(place) => length += c.encode_utf8(place).len(),
            None => return xxh3_64(lower_case(word).collect::<String>().as_bytes()),
        }
    }
    xxh3_64(&bytes[..length])
}

fn lower_case(word: &str) -> impl Iterator<Item = char> {
    // The Greek sigma has a form of its own at the end of a word, which its capital does not have.
    let lower = word.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c })
}

/// Whether a character is a word of its own, as in Chinese and Japanese.
pub fn is_ideograph(c: char) -> bool {
    is_cjk(c)
}

/// Whether a character is part of a longer word. Accents and the signs of Indic scripts are, although they may be no
/// letters.
fn is_of_word(c: char) -> bool {
    let is_mark = matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}');
    !is_cjk(c) && (c.is_alphanumeric() || is_mark && !matches!(c, '\u{964}' | '\u{965}' | '\u{970}'))
}

/// The letters and digits among the first bytes, as bits from the lowest on, and how many bytes these are: at most a
/// block, and none that is not ASCII. The first one is ASCII.
fn ascii_words(bytes: &[u8]) -> (u64, usize) {
    let mut rest = [0; BLOCK];
    let (block, length) = match bytes.first_chunk::<BLOCK>() {
        Some(block) => (block, BLOCK),
        None => {
            rest[..bytes.len()].copy_from_slice(bytes);
            (&rest, bytes.len())
        }
    };
    let (words, beyond) = dispatch!(Level::baseline(), simd => classes(simd, block));
    let length = length.min(beyond.trailing_zeros() as usize);
    (words & !without_first(u64::MAX, length), length)
}

/// Which bytes are letters or digits, and which are not ASCII, as bits.
#[inline(always)]
fn classes<S: Simd>(simd: S, block: &[u8; BLOCK]) -> (u64, u64) {
    let (mut words, mut beyond) = (0, 0);
    for (at, part) in block.as_chunks::<16>().0.iter().enumerate() {
        let part = u8x16::from_slice(simd, part);
        // A byte less than `first` wraps around and becomes too large.
        let within = |part: u8x16<S>, first: u8, last: u8| {
            let above = part - first;
            above.simd_eq(above.min(last - first))
        };
        let is_word = within(part | 0x20, b'a', b'z') | within(part, b'0', b'9');
        words |= is_word.to_bitmask() << (16 * at);
        beyond |= part.bitcast::<i8x16<S>>().simd_lt(0).to_bitmask() << (16 * at);
    }
    (words, beyond)
}

/// Bits without the lowest ones.
fn without_first(bits: u64, count: usize) -> u64 {
    bits & u64::MAX.checked_shl(count as u32).unwrap_or(0)
}
