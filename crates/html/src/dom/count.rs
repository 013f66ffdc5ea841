//! Counts the words, characters, CJK characters and punctuation of a text.
//!
//! The counts are those of the text as a reader sees it: character references are decoded, and white space is collapsed
//! and trimmed. The parser counts every text of a page in its single pass. Therefore ASCII is counted in blocks of
//! sixteen bytes without branches; only references and characters outside ASCII take a slower path.
//!
//! - A **word** is a run of characters that are neither spaces nor CJK, with at least one letter or digit. Each CJK
//!   character is a word of its own. Korean is written with spaces, so its words are runs.
//! - **Punctuation** is ECON's: the period and the comma, whose number separates content from noise. In the nine
//!   languages of the paper these are `.` and `,`, the Chinese and Japanese `。` (also `｡`) and `，`, and the Arabic `،`.
//!   The full-width `．` is the period of some Japanese and scholarly pages. `、` does not count: it separates the items
//!   of a list in Chinese, and is the common comma of Japanese.

mod block;

use super::NodeFlags;
use super::entities;
use std::ops::Range;

use block::{BLOCK, WordState};

/// The counts of a text, or of all texts of a subtree.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Words. Each CJK character is one.
    pub words: u32,
    /// Unicode characters. A run of white space is one.
    pub chars: u32,
    /// Chinese and Japanese characters.
    pub cjk: u32,
    /// Periods and commas.
    pub punctuation: u32,
}

/// The result of counting a text: its counts, the range without outer white space, and its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The counts. A text without characters is only white space.
    pub counts: Counts,
    /// The start of the range from the first to the last character that is not white space.
    pub from: usize,
    /// The end of that range.
    pub to: usize,
    /// The [`NodeFlags`] of that range, without [`NodeFlags::SPACE_BEFORE`].
    pub flags: u8,
}

/// Whether the byte is ASCII white space.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The letters and digits of a text in lower case: what two texts are compared by where marks and spaces do not count.
pub fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Whether two texts have the same [`letters`].
pub fn have_same_letters(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if a.is_ascii() && b.is_ascii() {
        ascii_letters(a).eq(ascii_letters(b))
    } else {
        letters(a).eq(letters(b))
    }
}

/// The [`letters`] of a text that is ASCII.
fn ascii_letters(text: &str) -> impl Iterator<Item = u8> {
    let all = text.bytes().filter(u8::is_ascii_alphanumeric);
    all.map(|byte| byte.to_ascii_lowercase())
}

/// Whether the character is of a Chinese or Japanese script, which has no spaces between words.
#[inline]
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{3040}'..='\u{30FF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether ECON counts the character as punctuation.
#[inline]
pub fn is_punctuation(c: char) -> bool {
    matches!(c, '.' | ',' | '。' | '｡' | '，' | '،' | '．')
}

/// Counts a raw text and decodes its character references.
pub fn count(text: &str) -> Counted {
    count_within(text, 0..text.len(), true)
}

/// Counts a text in which `&` is just a character.
pub fn count_literal(text: &str) -> Counted {
    count_within(text, 0..text.len(), false)
}

/// Distinguishes a text from white space without counting it. A text with visible characters has one here, and all
/// flags, because none of them promises anything when it is set.
#[inline(never)]
pub(crate) fn skim_within(text: &str, part: Range<usize>) -> Counted {
    let bytes = text.as_bytes();
    let (start, mut to) = (part.start, part.end);
    let from = after_spaces(bytes, start, to);
    if from == to {
        return nothing(from - start);
    }
    let is_seen = match bytes[from] {
        0 => false,
        b'&' => {
            let found = entities::reference(&text[from..to], false);
            found.is_none_or(|found| !found.first.is_whitespace() && found.first != '\0')
        }
        byte if byte.is_ascii() => true,
        _ => text[from..to].chars().next().is_some_and(|c| !c.is_whitespace()),
    };
    if !is_seen {
        return count_within(text, part, true);
    }
    // Any other white space at the end is dropped when the text is read.
    to -= usize::from(is_space(bytes[to - 1]));
    Counted {
        counts: Counts {
            chars: 1,
            ..Counts::default()
        },
        from: from - start,
        to: to - start,
        flags: NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED | NodeFlags::DIGITS | NodeFlags::NON_ASCII,
    }
}

/// Counts a part of a page. It may read bytes after the part but does not count them. The result's range is relative to
/// the start of the part.
#[inline]
pub(crate) fn count_within(text: &str, part: Range<usize>, decode: bool) -> Counted {
    let bytes = text.as_bytes();
    let start = part.start;
    let mut to = part.end;
    let from = after_spaces(bytes, start, to);
    if from == to {
        return nothing(from - start);
    }
    while is_space(bytes[to - 1]) {
        to -= 1;
    }
    let counted = Counter::new(text, from, to, decode).run();
    Counted {
        from: counted.from - start,
        to: counted.to - start,
        ..counted
    }
}

/// The counts of white space that ends at a position.
fn nothing(at: usize) -> Counted {
    Counted {
        from: at,
        to: at,
        ..Counted::default()
    }
}

/// Whether a part of a page, which is not empty, is ASCII white space.
#[inline]
pub(crate) fn is_blank(text: &str, part: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    is_space(bytes[part.end - 1]) && after_spaces(bytes, part.start, part.end) == part.end
}

/// The position of the first byte in `at..end` that is not ASCII white space, or `end`. Pages have long runs of it between
/// tags.
#[inline]
fn after_spaces(bytes: &[u8], mut at: usize, end: usize) -> usize {
    while at < end && is_space(bytes[at]) {
        at += match bytes[at..].first_chunk() {
            Some(block) => block::spaces(*block),
            None => 1,
        };
    }
    at.min(end)
}

/// The state of one count. Flags used in arithmetic are 0 or 1.
struct Counter<'t> {
    text: &'t str,
    decode: bool,
    from: usize,
    to: usize,
    counts: Counts,
    /// 1 if the current word has a letter or digit already, and so is counted.
    in_word: u32,
    /// 1 if the previous character is white space, or if there is none.
    after_space: u32,
    flags: u8,
    /// The start and end of the latest run of white space that is not all ASCII. Used to trim the end.
    gap: (usize, usize),
}

impl<'t> Counter<'t> {
    fn new(text: &'t str, from: usize, to: usize, decode: bool) -> Self {
        let counts = Counts::default();
        Counter {
            text,
            decode,
            from,
            to,
            counts,
            in_word: 0,
            after_space: 1,
            flags: 0,
            gap: (usize::MAX, usize::MAX),
        }
    }

    fn run(mut self) -> Counted {
        let mut at = self.from;
        while at < self.to {
            at = self.ascii(at);
            if at < self.to {
                at = self.non_ascii(at);
            }
        }
        if self.after_space == 1 {
            // The text ends with white space outside ASCII, which the caller did not trim. It was counted as one
            // character, unless there was nothing before it.
            self.counts.chars = self.counts.chars.saturating_sub(1);
            self.to = if self.counts.chars == 0 {
                self.from
            } else {
                self.trimmed_end()
            };
        }
        Counted {
            counts: self.counts,
            from: self.from,
            to: self.to,
            flags: self.flags,
        }
    }

    /// The start of the white space at the end of the text.
    fn trimmed_end(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = self.to;
        loop {
            if end == self.gap.1 {
                end = self.gap.0;
            } else if end > self.from && (is_space(bytes[end - 1]) || bytes[end - 1] == 0) {
                end -= 1;
            } else {
                return end;
            }
        }
    }

    /// Counts ASCII up to the first byte that needs the slower path, and returns that byte's position.
    #[inline]
    fn ascii(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut state = WordState {
            in_word: self.in_word,
            after_space: self.after_space,
        };
        let mut at = start;
        while at < self.to {
            let most = (self.to - at).min(BLOCK);
            let whole = bytes[at..].first_chunk().copied();
            let block = block::count(whole.unwrap_or_else(|| padded(&bytes[at..])), most, &mut state);
            if block.doubled != 0 || block.odd {
                self.flags |= NodeFlags::UNCOLLAPSED;
            }
            if block.digits {
                self.flags |= NodeFlags::DIGITS;
            }
            self.counts.words += block.words;
            self.counts.punctuation += block.marks;
            self.counts.chars += block.length as u32 - block.doubled;
            at += block.length;
            if block.length < most {
                break;
            }
        }
        (self.in_word, self.after_space) = (state.in_word, state.after_space);
        at
    }

    /// Counts a reference, a NUL, or a run of characters outside ASCII, and returns the position after it.
    fn non_ascii(&mut self, start: usize) -> usize {
        let text = self.text;
        match text.as_bytes()[start] {
            b'&' => {
                let found = if self.decode {
                    entities::reference(&text[start..self.to], false)
                } else {
                    None
                };
                let Some(found) = found else {
                    self.counts.chars += 1;
                    self.after_space = 0;
                    return start + 1;
                };
                self.flags |= NodeFlags::ENTITIES | NodeFlags::NON_ASCII | NodeFlags::DIGITS;
                let end = start + found.len;
                let mut next = self.character(found.first, start, end);
                if let Some(second) = found.second {
                    next = self.character(second, start, end);
                }
                next
            }
            0 => self.character('\0', start, start + 1),
            _ => {
                self.flags |= NodeFlags::NON_ASCII;
                let mut at = start;
                for c in text[start..self.to].chars() {
                    if c.is_ascii() {
                        break;
                    }
                    // CJK pages consist of these, so they are checked first.
                    if is_cjk(c) {
                        self.counts.words += 1;
                        self.counts.cjk += 1;
                        self.counts.chars += 1;
                        (self.in_word, self.after_space) = (0, 0);
                        at += c.len_utf8();
                    } else {
                        let next = self.character(c, at, at + c.len_utf8());
                        if next != at + c.len_utf8() {
                            return next;
                        }
                        at = next;
                    }
                }
                at
            }
        }
    }

    /// Counts one character at `start..end` and returns the position to continue at.
    fn character(&mut self, c: char, start: usize, end: usize) -> usize {
        if c == '\0' {
            // The specification drops NULs. The renderer drops them when it collapses white space.
            self.flags |= NodeFlags::UNCOLLAPSED;
        } else if c.is_whitespace() {
            return self.space(start, end);
        } else {
            self.counts.chars += 1;
            self.after_space = 0;
            if is_cjk(c) {
                self.counts.words += 1;
                self.counts.cjk += 1;
                self.in_word = 0;
            } else if is_letter_or_digit(c) {
                self.counts.words += self.in_word ^ 1;
                self.in_word = 1;
            } else {
                self.counts.punctuation += u32::from(is_punctuation(c));
            }
        }
        end
    }

    /// Counts white space outside ASCII. At the start of the text it is not part of the range, nor is the white space
    /// after it.
    fn space(&mut self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        if self.counts.chars == 0 {
            let mut at = end;
            while at < self.to && is_space(bytes[at]) {
                at += 1;
            }
            // These two flags may still apply to the rest of the current run of characters.
            self.flags &= NodeFlags::DIGITS | NodeFlags::NON_ASCII;
            self.from = at;
            return at;
        }
        let mut run = start;
        while is_space(bytes[run - 1]) {
            run -= 1;
        }
        self.gap = (if run == self.gap.1 { self.gap.0 } else { run }, end);
        self.flags |= NodeFlags::UNCOLLAPSED;
        self.counts.chars += self.after_space ^ 1;
        (self.in_word, self.after_space) = (0, 1);
        end
    }
}

/// The last bytes of a page, padded to a block.
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// Whether a character is a letter or digit. The common letters and marks need no lookup in Unicode's tables.
#[inline]
fn is_letter_or_digit(c: char) -> bool {
    match c {
        // Latin, Greek, Cyrillic, Arabic, Hangul.
        '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2C1}' => true,
        '\u{388}'..='\u{38A}' | '\u{38E}'..='\u{3A1}' | '\u{3A3}'..='\u{3F5}' | '\u{400}'..='\u{481}' => true,
        '\u{620}'..='\u{64A}' | '\u{AC00}'..='\u{D7A3}' => true,
        // Dashes and quotes; Chinese and Japanese punctuation.
        '\u{2010}'..='\u{206F}' | '\u{3001}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{FF01}'..='\u{FF0F}' => false,
        _ => c.is_alphanumeric(),
    }
}

#[cfg(test)]
mod tests;
