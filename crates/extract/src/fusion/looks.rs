//! What the text of a block looks like.
//!
//! Only the start of a text is read character by character, and its last character. So a block of 64 MB costs what a block of
//! a sentence costs, but for the hash of its bytes.

use dehusk_html::Dom;
use dehusk_html::internal::is_cjk;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::blocks::{Block, Blocks};

/// The number of bytes that are read character by character.
const READ: usize = 96;

/// The number of words whose hashes are kept.
pub(super) const HASHED_WORDS: usize = 24;

/// What the text of a block looks like.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// A hash of the whole text, as the page spells it.
    pub(super) hash: u64,
    /// Characters of the start that are read, and the letters, capitals, digits and symbols among them.
    pub(super) read: u16,
    pub(super) letters: u16,
    pub(super) capitals: u16,
    pub(super) digits: u16,
    pub(super) symbols: u16,
    /// Words of the start that are read, and those of up to three letters among them.
    pub(super) words: u16,
    pub(super) short_words: u16,
    /// Words of the start that begin with a capital letter.
    pub(super) capital_words: u16,
    pub(super) first: First,
    /// Whether the text ends a sentence.
    pub(super) ends_sentence: bool,
    pub(super) ends_with_colon: bool,
    pub(super) has_currency: bool,
    pub(super) has_copyright: bool,
    pub(super) has_separator: bool,
    pub(super) has_question: bool,
    pub(super) has_at_sign: bool,
}

/// What a text begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum First {
    #[default]
    Nothing,
    Capital,
    Small,
    Digit,
    OtherLetter,
    Symbol,
}

/// The hashes of the first words of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct WordHashes {
    hashes: [u32; HASHED_WORDS],
    len: u8,
}

impl WordHashes {
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.hashes[..usize::from(self.len)]
    }

    #[inline]
    fn push(&mut self, hash: u32) {
        if let Some(free) = self.hashes.get_mut(usize::from(self.len)) {
            *free = hash;
            self.len += 1;
        }
    }
}

const FNV: u32 = 0x811C_9DC5;

#[inline]
fn fnv(hash: u32, byte: u32) -> u32 {
    (hash ^ byte).wrapping_mul(0x0100_0193)
}

/// Reads characters and gathers what they are.
#[derive(Default)]
struct Reader {
    looks: Looks,
    hashes: WordHashes,
    /// The hash and the length of the word that is being read, and whether it began with a capital letter.
    word: u32,
    len: u32,
    is_capital: bool,
}

impl Reader {
    #[inline]
    fn letter(&mut self, hash: u32, is_capital: bool) {
        if self.len == 0 {
            self.word = FNV;
            self.is_capital = is_capital;
        }
        self.word = fnv(self.word, hash);
        self.len += 1;
    }

    #[inline]
    fn end_word(&mut self) {
        if self.len > 0 {
            self.looks.words += 1;
            self.looks.short_words += u16::from(self.len <= 3);
            self.looks.capital_words += u16::from(self.is_capital);
            self.hashes.push(self.word);
            self.len = 0;
        }
    }

    #[inline]
    fn first(&mut self, first: First) {
        if self.looks.first == First::Nothing {
            self.looks.first = first;
        }
    }

    #[inline]
    fn ascii(&mut self, byte: u8) {
        self.looks.read += 1;
        let small = byte | 0x20;
        if small.is_ascii_lowercase() {
            let is_capital = byte != small;
            self.looks.letters += 1;
            self.looks.capitals += u16::from(is_capital);
            self.first(if is_capital { First::Capital } else { First::Small });
            self.letter(u32::from(small), is_capital);
        } else if byte.is_ascii_digit() {
            self.looks.digits += 1;
            self.first(First::Digit);
            self.letter(u32::from(byte), false);
        } else {
            self.end_word();
            if byte > b' ' {
                self.looks.symbols += 1;
                self.first(First::Symbol);
                match byte {
                    b'$' => self.looks.has_currency = true,
                    b'|' => self.looks.has_separator = true,
                    b'?' => self.looks.has_question = true,
                    b'@' => self.looks.has_at_sign = true,
                    _ => {}
                }
            }
        }
    }

    fn character(&mut self, c: char) {
        self.looks.read += 1;
        if is_cjk(c) {
            self.end_word();
            self.looks.letters += 1;
            self.first(First::OtherLetter);
            self.letter(u32::from(c), false);
            self.end_word();
        } else if c.is_alphanumeric() {
            let small = c.to_lowercase().next().unwrap_or(c);
            let is_capital = small != c;
            self.looks.letters += 1;
            self.looks.capitals += u16::from(is_capital);
            self.first(if is_capital { First::Capital } else { First::OtherLetter });
            self.letter(u32::from(small), is_capital);
        } else {
            self.end_word();
            match c {
                '£' | '€' | '¥' | '₹' | '₽' => self.looks.has_currency = true,
                '©' | '®' => self.looks.has_copyright = true,
                '»' | '›' | '·' | '•' | '→' | '«' | '‹' | '｜' => self.looks.has_separator = true,
                '？' => self.looks.has_question = true,
                _ => {}
            }
            if !c.is_whitespace() {
                self.looks.symbols += 1;
                self.first(First::Symbol);
            }
        }
    }

    /// Reads at most `most` bytes of a text.
    #[inline]
    fn read(&mut self, text: &str, most: usize) {
        let bytes = text.as_bytes();
        let end = bytes.len().min(most);
        let mut at = 0;
        while at < end {
            if bytes[at] < 0x80 {
                self.ascii(bytes[at]);
                at += 1;
            } else if let Some(c) = text[at..].chars().next() {
                self.character(c);
                at += c.len_utf8();
            }
        }
    }
}

/// The looks of a block, and the hashes of its first words.
pub(super) fn of_block(dom: &Dom<'_>, blocks: &Blocks, block: &Block) -> (Looks, WordHashes) {
    let mut reader = Reader::default();
    let mut left = READ;
    let mut hash = 0;
    let texts = blocks.texts_of(block);
    for &text in texts {
        let raw = dom.raw(text);
        hash = xxh3_64_with_seed(raw.as_bytes(), hash);
        if left > 0 {
            reader.read(raw, left);
            left = left.saturating_sub(raw.len());
            // Two texts of a block are mostly two words.
            reader.end_word();
        }
    }
    reader.looks.hash = hash;
    if let Some(&text) = texts.last() {
        let is_closing =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '”' | '’' | '»' | ']' | '」' | '』');
        // A handful of closing marks is passed over.
        let last = dom.raw(text).chars().rev().take(4).find(|c| !is_closing(*c));
        let last = last.unwrap_or(' ');
        reader.looks.ends_sentence = matches!(last, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '۔');
        reader.looks.ends_with_colon = matches!(last, ':' | '：');
    }
    (reader.looks, reader.hashes)
}

/// The hashes of the words of a text that is no block, such as the title.
pub(super) fn of_text(text: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    let mut reader = Reader::default();
    for word in text.split_whitespace() {
        reader.read(word, READ);
        reader.end_word();
        hashes.extend_from_slice(reader.hashes.as_slice());
        reader.hashes.len = 0;
    }
    hashes
}
