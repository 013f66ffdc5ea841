//! Reads the words of a text and hashes them, however they are capitalised.

use std::ops::Range;

use dehusk_html::counting::is_cjk;
use fearless_simd::{Bytes, Level, Simd, SimdBase, SimdMask, dispatch, i8x16, u8x16};

/// The small letter or the digit that each byte is; 0 for what is neither, and [`OTHER`] for a byte outside ASCII.
static FOLDED: [u8; 256] = {
    let mut folded = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        folded[byte] = if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            0
        };
        byte += 1;
    }
    folded
};

const OTHER: u8 = 0xFF;

/// The word that is being read.
#[derive(Clone, Copy)]
struct Word {
    /// Letters that differ give other numbers.
    letters: u64,
    is_capital: bool,
}

impl Word {
    #[inline]
    fn start(is_capital: bool) -> Self {
        Self { letters: 0, is_capital }
    }

    #[inline]
    fn letter(&mut self, letter: u32) {
        self.letters = self.letters.rotate_left(8) ^ u64::from(letter);
    }

    /// The word of the first bytes, which are ASCII letters and digits: eight of them at a time.
    #[inline]
    fn of_ascii(bytes: &[u8], length: usize) -> Self {
        let mut word = Self::start(false);
        let mut left = length;
        for eight in bytes.as_chunks().0 {
            if left == 0 {
                break;
            }
            let bits = 8 * left.min(8) as u32;
            let letters = (u64::from_be_bytes(*eight) | SMALL) >> (64 - bits);
            word.letters = word.letters.rotate_left(bits) ^ letters;
            left = left.saturating_sub(8);
        }
        word
    }

    #[inline]
    fn hash(self) -> u32 {
        (self.letters.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
    }
}

/// The bit that distinguishes small letters from capital ones, in eight bytes. It is set in all digits.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// The most bytes of a text that are read at once.
const CHUNK: usize = 64;

/// They are followed by bytes that are read and not used.
const PADDED: usize = CHUNK + 8;

#[cold]
fn copied(bytes: &[u8]) -> [u8; PADDED] {
    let mut padded = [0; PADDED];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// Where letters, digits and capital letters are among some bytes, a bit a byte.
#[derive(Default)]
struct Letters {
    /// Letters and digits.
    letters: u64,
    capitals: u64,
}

impl Letters {
    /// Finds those among the first `len` bytes; `None` if not all of these are ASCII.
    #[inline]
    fn of(chunk: &[u8; PADDED], len: usize) -> Option<Self> {
        dispatch!(Level::baseline(), simd => Self::find(simd, chunk, len))
    }

    #[inline(always)]
    fn find<S: Simd>(simd: S, chunk: &[u8; PADDED], len: usize) -> Option<Self> {
        let mut all = Self::default();
        let mut others = 0;
        for (number, bytes) in chunk.as_chunks::<16>().0[..len.div_ceil(16)].iter().enumerate() {
            let bytes = u8x16::load_array_ref(simd, bytes);
            // The comparison is unsigned: a byte less than `first` wraps around and becomes too large.
            let within = |bytes: u8x16<S>, first: u8, last: u8| {
                let above = bytes - first;
                above.simd_eq(above.min(last - first))
            };
            let letters = within(bytes | 0x20, b'a', b'z') | within(bytes, b'0', b'9');
            let capitals = within(bytes, b'A', b'Z');
            let beyond_ascii = bytes.bitcast::<i8x16<S>>().simd_lt(0);
            all.letters |= letters.to_bitmask() << (16 * number);
            all.capitals |= capitals.to_bitmask() << (16 * number);
            others |= beyond_ascii.to_bitmask() << (16 * number);
        }
        let valid = (1_u64 << (len % CHUNK)).wrapping_sub(1);
        let valid = if len == CHUNK { !0 } else { valid };
        all.letters &= valid;
        (others & valid == 0).then_some(all)
    }
}

/// Reads words and gathers what they are. The number of each word and its hash are passed to `see`.
pub(super) struct WordReader<F> {
    pub(super) words: u16,
    pub(super) capital_words: u16,
    see: F,
}

impl<F: FnMut(u16, u32)> WordReader<F> {
    pub(super) fn new(see: F) -> Self {
        Self {
            words: 0,
            capital_words: 0,
            see,
        }
    }

    #[inline]
    fn end_word(&mut self, word: Word) {
        (self.see)(self.words, word.hash());
        self.words += 1;
        self.capital_words += u16::from(word.is_capital);
    }

    /// Reads at most about `most` bytes of a part of a page, which end a word.
    #[inline]
    pub(super) fn read(&mut self, page: &str, part: Range<usize>, most: usize) {
        let len = part.len().min(most);
        let bytes = &page.as_bytes()[part.start..];
        if len <= CHUNK && self.read_ascii(bytes, len) {
            return;
        }
        self.read_bytes(&page[part], most);
    }

    /// Reads up to 64 bytes, if all of them are ASCII. More bytes may follow, which are not read.
    fn read_ascii(&mut self, bytes: &[u8], len: usize) -> bool {
        let padded;
        let chunk = match bytes.first_chunk() {
            Some(chunk) => chunk,
            None => {
                padded = copied(bytes);
                &padded
            }
        };
        let Some(Letters { letters, capitals }) = Letters::of(chunk, len) else {
            return false;
        };
        let mut starts = letters & !(letters << 1);
        let mut number = self.words;
        self.words += starts.count_ones() as u16;
        self.capital_words += (starts & capitals).count_ones() as u16;
        while starts != 0 {
            let at = starts.trailing_zeros() as usize % CHUNK;
            let length = (!(letters >> at)).trailing_zeros() as usize;
            (self.see)(number, Word::of_ascii(&chunk[at..], length).hash());
            number += 1;
            starts &= starts - 1;
        }
        true
    }

    /// Reads a text byte by byte.
    fn read_bytes(&mut self, text: &str, most: usize) {
        let bytes = &text.as_bytes()[..text.len().min(most)];
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let mut folded = FOLDED[usize::from(byte)];
            if folded == 0 {
                at += 1;
                continue;
            }
            if folded == OTHER {
                at += self.read_other(&text[at..], most - at);
                continue;
            }
            let mut word = Word::start(byte != folded);
            while folded != 0 && folded != OTHER {
                word.letter(folded.into());
                at += 1;
                folded = bytes.get(at).map_or(0, |byte| FOLDED[usize::from(*byte)]);
            }
            if folded == OTHER {
                at += self.read_word(&text[at..], most - at, word);
            } else {
                self.end_word(word);
            }
        }
    }

    /// Reads a text that begins with a character outside ASCII, up to the end of its first word. Returns how far.
    fn read_other(&mut self, text: &str, most: usize) -> usize {
        let Some(c) = text.chars().next() else {
            return most;
        };
        if is_cjk(c) {
            let mut word = Word::start(false);
            word.letter(u32::from(c));
            self.end_word(word);
        } else if c.is_alphanumeric() {
            let is_capital = c.to_lowercase().next() != Some(c);
            return self.read_word(text, most, Word::start(is_capital));
        }
        c.len_utf8()
    }

    /// Reads the rest of a word. Returns how far.
    fn read_word(&mut self, text: &str, most: usize, mut word: Word) -> usize {
        let mut end = text.len().min(most);
        for (at, c) in text.char_indices() {
            if at >= most || !c.is_alphanumeric() || is_cjk(c) {
                end = at;
                break;
            }
            word.letter(u32::from(c.to_lowercase().next().unwrap_or(c)));
            end = at + c.len_utf8();
        }
        self.end_word(word);
        end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Seen = (u16, u16, Vec<(u16, u32)>);

    fn seen(read: impl FnOnce(&mut WordReader<&mut dyn FnMut(u16, u32)>)) -> Seen {
        let mut hashes = Vec::new();
        let mut see = |number, hash| hashes.push((number, hash));
        let mut reader = WordReader::new(&mut see as &mut dyn FnMut(u16, u32));
        read(&mut reader);
        let (words, capital_words) = (reader.words, reader.capital_words);
        (words, capital_words, hashes)
    }

    proptest! {
        #[test]
        fn chunks_are_read_as_bytes_are(text in "[ -~]{0,100}|[a-zA-Z0-9]{0,80}|([A-Z]?[a-z]{1,12}[ .,-]){0,12}", from in 0..20_usize, most in 0..97_usize) {
            let from = from.min(text.len());
            let chunks = seen(|reader| reader.read(&text, from..text.len(), most));
            prop_assert_eq!(chunks, seen(|reader| reader.read_bytes(&text[from..], most)));
        }
    }
}
