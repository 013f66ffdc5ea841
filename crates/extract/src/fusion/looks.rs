//! What the text of a block looks like.
//!
//! Only the start of a text is read character by character, and its last character. So a block of 64 MB costs what a block of
//! a sentence costs, but for the hash of its bytes.

use dehusk_html::internal::{is_cjk, push_node};
use dehusk_html::{Dom, NodeFlags, NodeId};
use xxhash_rust::xxh3::xxh3_64;

use super::blocks::{Block, Blocks};

/// The number of bytes that are read character by character.
const READ: usize = 64;

/// The same of a heading, which may be the page's title.
const READ_OF_HEADING: usize = 160;

/// The number of words whose hashes are kept.
pub(super) const HASHED_WORDS: usize = 24;

/// What the text of a block looks like.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// A hash of the whole text.
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

/// What a character is. The place in the counters is the same.
const SPACE: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const DIGIT: u8 = 3;
const SYMBOL: u8 = 4;
const NOT_ASCII: u8 = 5;

/// What each byte is.
static BYTES: [u8; 256] = {
    let mut kinds = [NOT_ASCII; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        kinds[byte] = match c {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => DIGIT,
            0..=b' ' => SPACE,
            _ => SYMBOL,
        };
        byte += 1;
    }
    kinds
};

/// Adds one to the counter of each kind. A counter has 12 bits.
const ADDS: [u64; 6] = [1, 1 << 12, 1 << 24, 1 << 36, 1 << 48, 0];

/// Signs that a text has, a bit each.
const CURRENCY: u8 = 1;
const COPYRIGHT: u8 = 2;
const SEPARATOR: u8 = 4;
const QUESTION: u8 = 8;
const AT_SIGN: u8 = 16;

/// Reads characters and gathers what they are.
#[derive(Default)]
struct Reader {
    /// The numbers of characters of each kind.
    counters: u64,
    /// The words: all, those of up to three letters, those that begin with a capital letter.
    words: u16,
    short_words: u16,
    capital_words: u16,
    signs: u8,
    first: First,
    hashes: WordHashes,
}

/// The word that is being read.
#[derive(Clone, Copy, Default)]
struct Word {
    hash: u32,
    len: u32,
    is_capital: bool,
}

impl Word {
    #[inline]
    fn start(is_capital: bool) -> Self {
        Self {
            hash: FNV,
            len: 0,
            is_capital,
        }
    }

    #[inline]
    fn letter(&mut self, letter: u32) {
        self.hash = fnv(self.hash, letter);
        self.len += 1;
    }
}

impl Reader {
    #[inline]
    fn end_word(&mut self, word: Word) {
        self.words += 1;
        self.short_words += u16::from(word.len <= 3);
        self.capital_words += u16::from(word.is_capital);
        self.hashes.push(word.hash);
    }

    /// Reads at most about `most` bytes of a text, which end a word.
    fn read(&mut self, text: &str, most: usize) {
        let bytes = &text.as_bytes()[..text.len().min(most)];
        if self.first == First::Nothing {
            self.first = text.chars().next().map_or(First::Nothing, First::of);
        }
        // It stays in a register.
        let mut counters = self.counters;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let mut kind = BYTES[usize::from(byte)];
            if !matches!(kind, SMALL | CAPITAL | DIGIT) {
                if kind == NOT_ASCII {
                    at += self.read_other(&text[at..], most - at, &mut counters);
                    continue;
                }
                counters = counters.wrapping_add(ADDS[usize::from(kind)]);
                if kind == SYMBOL {
                    self.signs |= sign(char::from(byte));
                }
                at += 1;
                continue;
            }
            let mut word = Word::start(kind == CAPITAL);
            while matches!(kind, SMALL | CAPITAL | DIGIT) {
                counters = counters.wrapping_add(ADDS[usize::from(kind)]);
                // A digit stays the same.
                word.letter(u32::from(bytes[at] | 0x20));
                at += 1;
                kind = bytes.get(at).map_or(SPACE, |byte| BYTES[usize::from(*byte)]);
            }
            if kind == NOT_ASCII {
                at += self.read_word(&text[at..], most - at, word, &mut counters);
            } else {
                self.end_word(word);
            }
        }
        self.counters = counters;
    }

    /// Reads a text that begins with a character outside ASCII, up to the end of its first word. Returns how far.
    fn read_other(&mut self, text: &str, most: usize, counters: &mut u64) -> usize {
        let Some(c) = text.chars().next() else {
            return most;
        };
        let is_single = is_cjk(c);
        if !is_single && c.is_alphanumeric() {
            let is_capital = c.to_lowercase().next() != Some(c);
            return self.read_word(text, most, Word::start(is_capital), counters);
        }
        let kind = if is_single {
            let mut word = Word::start(false);
            word.letter(u32::from(c));
            self.end_word(word);
            SMALL
        } else {
            self.signs |= sign(c);
            if c.is_whitespace() { SPACE } else { SYMBOL }
        };
        *counters = counters.wrapping_add(ADDS[usize::from(kind)]);
        c.len_utf8()
    }

    /// Reads the rest of a word. Returns how far.
    fn read_word(&mut self, text: &str, most: usize, mut word: Word, counters: &mut u64) -> usize {
        let mut end = text.len().min(most);
        for (at, c) in text.char_indices() {
            if at >= most || !c.is_alphanumeric() || is_cjk(c) {
                end = at;
                break;
            }
            let small = c.to_lowercase().next().unwrap_or(c);
            let kind = match c {
                '0'..='9' => DIGIT,
                _ if small == c => SMALL,
                _ => CAPITAL,
            };
            *counters = counters.wrapping_add(ADDS[usize::from(kind)]);
            word.letter(u32::from(small));
            end = at + c.len_utf8();
        }
        self.end_word(word);
        end
    }

    /// What was read.
    fn looks(&self) -> Looks {
        let count = |kind: u8| (self.counters >> (12 * kind) & 0xFFF) as u16;
        let letters = count(SMALL) + count(CAPITAL);
        let has = |sign: u8| self.signs & sign != 0;
        Looks {
            read: letters + count(DIGIT) + count(SYMBOL) + count(SPACE),
            letters,
            capitals: count(CAPITAL),
            digits: count(DIGIT),
            symbols: count(SYMBOL),
            words: self.words,
            short_words: self.short_words,
            capital_words: self.capital_words,
            first: self.first,
            has_currency: has(CURRENCY),
            has_copyright: has(COPYRIGHT),
            has_separator: has(SEPARATOR),
            has_question: has(QUESTION),
            has_at_sign: has(AT_SIGN),
            ..Looks::default()
        }
    }
}

/// The sign that a character is; 0 if none.
fn sign(c: char) -> u8 {
    match c {
        '$' | '£' | '€' | '¥' | '₹' | '₽' => CURRENCY,
        '©' | '®' => COPYRIGHT,
        '|' | '»' | '›' | '·' | '•' | '→' | '«' | '‹' | '｜' => SEPARATOR,
        '?' | '？' => QUESTION,
        '@' => AT_SIGN,
        _ => 0,
    }
}

impl First {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => First::Small,
            'A'..='Z' => First::Capital,
            '0'..='9' => First::Digit,
            _ if c.is_ascii() => First::Symbol,
            _ if c.is_uppercase() => First::Capital,
            _ if c.is_alphanumeric() => First::OtherLetter,
            _ => First::Symbol,
        }
    }
}

/// The looks of a block, and the hashes of its first words. `scratch` is memory.
pub(super) fn of_block(dom: &Dom<'_>, blocks: &Blocks, block: &Block, scratch: &mut String) -> (Looks, WordHashes) {
    let mut reader = Reader::default();
    let mut left = if block.heading > 0 { READ_OF_HEADING } else { READ };
    let texts = blocks.texts_of(block);
    for &text in texts {
        let raw = dom.raw(text);
        // Two texts of a block are mostly two words.
        reader.read(raw, left);
        left = left.saturating_sub(raw.len());
        if left == 0 {
            break;
        }
    }
    let hash = hash_of(dom, texts, scratch);
    let mut looks = reader.looks();
    looks.hash = hash;
    if let Some(&text) = texts.last() {
        let is_closing =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '”' | '’' | '»' | ']' | '」' | '』');
        // A handful of closing marks is passed over.
        let last = dom.raw(text).chars().rev().take(4).find(|c| !is_closing(*c));
        let last = last.unwrap_or(' ');
        looks.ends_sentence = matches!(last, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '۔');
        looks.ends_with_colon = matches!(last, ':' | '：');
    }
    (looks, reader.hashes)
}

/// A hash of the text of a block, whatever its white space, character references and inline elements.
fn hash_of(dom: &Dom<'_>, texts: &[NodeId], scratch: &mut String) -> u64 {
    let is_plain = |text: &NodeId| !dom.node(*text).flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED);
    if let [text] = texts
        && is_plain(text)
    {
        return xxh3_64(dom.raw(*text).as_bytes());
    }
    scratch.clear();
    for text in texts {
        if is_plain(text) {
            scratch.push_str(dom.raw(*text));
        } else {
            push_node(dom.source(), dom.node(*text), scratch);
        }
    }
    xxh3_64(scratch.as_bytes())
}

/// The hashes of the first words of a text that is no block, such as the title: at most `most`.
pub(super) fn of_text(text: &str, most: usize) -> Vec<u32> {
    let mut hashes = Vec::new();
    let mut reader = Reader::default();
    for word in text.split_whitespace() {
        reader.read(word, READ_OF_HEADING);
        hashes.extend_from_slice(reader.hashes.as_slice());
        reader.hashes.len = 0;
        if hashes.len() >= most {
            break;
        }
    }
    hashes.truncate(most);
    hashes
}
