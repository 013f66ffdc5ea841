//! The tokens of a text.

use std::ops::Range;

use dehusk_html::internal::is_cjk;
use wide::u8x16;

/// The tokens of a text: its words in lower case, and its Chinese and Japanese characters one by one.
///
/// - A word is a longest run of letters, digits and marks, without the characters of the next point: characters that are
///   alphabetic or numeric by Unicode (`Alphabetic`, and the general categories `Nd`, `Nl` and `No`), and those of the blocks
///   U+0300 to U+036F and U+0900 to U+0DFF, but U+0964, U+0965 and U+0970. Each character is mapped to lower case by itself
///   (Unicode's `Lowercase_Mapping` without its conditions).
/// - A character of the blocks U+3040 to U+30FF, U+3400 to U+9FFF, U+F900 to U+FAFF or U+20000 to U+3FFFF is a token of its
///   own.
/// - All other characters separate tokens.
///
/// ```
/// use dehusk_similarity::Tokens;
///
/// let tokens = Tokens::of("It's 5 o'clock — 东京!");
/// assert_eq!(tokens.iter().collect::<Vec<_>>(), ["it", "s", "5", "o", "clock", "东", "京"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// All tokens, each with a space behind it.
    text: String,
    /// Where each token starts.
    starts: Vec<usize>,
}

impl Tokens {
    /// Returns the tokens of a text.
    pub fn of(text: &str) -> Self {
        let mut tokens = Self::default();
        tokens.read(text);
        tokens
    }

    /// Replaces the tokens by those of another text, and reuses the memory.
    pub fn read(&mut self, text: &str) {
        self.text.clear();
        self.starts.clear();
        self.text.reserve(text.len() + text.len() / 4);
        let bytes = text.as_bytes();
        let mut is_in_word = false;
        let mut at = 0;
        while at < bytes.len() {
            // Most characters of most texts are ASCII.
            let run = alphanumeric_run(&bytes[at..]);
            if run > 0 {
                self.begin_word(&mut is_in_word);
                self.text.push_str(&text[at..at + run]);
                at += run;
            } else if bytes[at].is_ascii() {
                self.end_word(&mut is_in_word);
                at += 1;
            } else if let Some(c) = text[at..].chars().next() {
                self.read_beyond_ascii(c, &mut is_in_word);
                at += c.len_utf8();
            }
        }
        self.end_word(&mut is_in_word);
        self.text.make_ascii_lowercase();
    }

    fn read_beyond_ascii(&mut self, c: char, is_in_word: &mut bool) {
        if is_cjk(c) {
            self.end_word(is_in_word);
            self.starts.push(self.text.len());
            self.text.push(c);
            self.text.push(' ');
        } else if c.is_alphanumeric() || is_mark(c) {
            self.begin_word(is_in_word);
            self.text.extend(c.to_lowercase());
        } else {
            self.end_word(is_in_word);
        }
    }

    fn begin_word(&mut self, is_in_word: &mut bool) {
        if !*is_in_word {
            self.starts.push(self.text.len());
            *is_in_word = true;
        }
    }

    fn end_word(&mut self, is_in_word: &mut bool) {
        if *is_in_word {
            self.text.push(' ');
            *is_in_word = false;
        }
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether the text has no token.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the tokens, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.join(at..at + 1))
    }

    /// Returns some tokens in a row, with a space between two of them. The range is not empty, and within the tokens.
    pub(crate) fn join(&self, range: Range<usize>) -> &str {
        let end = self.starts.get(range.end).map_or(self.text.len(), |start| *start);
        &self.text[self.starts[range.start]..end - 1]
    }

    /// Returns all sequences of `length` tokens, or the only one of all tokens if there are fewer.
    pub(crate) fn windows(&self, length: usize) -> impl Iterator<Item = &str> {
        let length = length.min(self.len());
        let count = if length == 0 { 0 } else { self.len() - length + 1 };
        (0..count).map(move |at| self.join(at..at + length))
    }
}

/// The length of the run of ASCII letters and digits at the start.
fn alphanumeric_run(bytes: &[u8]) -> usize {
    let mut run = 0;
    while let Some(block) = bytes[run..].first_chunk() {
        let block = u8x16::new(*block);
        // A byte less than `first` wraps around and becomes too large.
        let within = |block: u8x16, first: u8, last: u8| {
            let above = block - u8x16::splat(first);
            above.simd_eq(above.min(u8x16::splat(last - first)))
        };
        let is_word = within(block | u8x16::splat(0x20), b'a', b'z') | within(block, b'0', b'9');
        let length = is_word.to_bitmask().trailing_ones() as usize;
        run += length;
        if length < 16 {
            return run;
        }
    }
    run + bytes[run..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count()
}

/// Whether a character is a part of a word although it may be no letter: accents, and the signs of Indic scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}') && !matches!(c, '\u{964}' | '\u{965}' | '\u{970}')
}
