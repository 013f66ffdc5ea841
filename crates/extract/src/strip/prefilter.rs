//! A prefilter: it finds out quickly which regular expressions could match in a text.
//!
//! Nearly every text of a page is checked for statements, times and copyright notes, and nearly none is one. Running
//! the expressions on all texts would cost more than parsing the page. So each pattern gets a set of *required
//! literals*: short byte strings of which every match contains at least one. The rarest such set is chosen. One pass
//! over a text then finds the patterns that could match. A text that fails the prefilter matches nothing; one that
//! passes may still match nothing.
//!
//! - Many patterns need a digit. Their literals can be in a table of their own, for texts with a digit only.
//! - Literals are bytes of UTF-8, up to eight where the pattern has so many.
//! - Bytes are compared after setting the bit that distinguishes ASCII's small letters from its capitals. Other letters
//!   have a literal for each case.
//!
//! The crate `aho-corasick` does the same with the same literals. Its automaton takes 7% more instructions and 1.5
//! times the CPU time on the texts of web pages, because its tables of 5 MB do not fit in a near cache; its compact
//! form takes nearly twice the instructions.

mod required_literals;

use required_literals::{MatchPlace, RequiredLiterals};

/// The bit that is set in every byte before it is compared.
const FOLD: u8 = 0x20;

/// Bytes of the head of a long literal. The head is looked up first.
const HEAD: usize = 4;

/// 64-bit words of the bitmap of heads: enough that few bits are set by chance, and few enough for the nearest cache.
const WORDS: usize = 1 << 11;

/// Bytes that are checked together for one that is not ASCII.
const BLOCK: usize = 14;

/// Buckets of long literals, by the hash of their heads.
const LISTS: usize = 1 << 10;

/// Finds the patterns that could match in a text. Patterns have the numbers of their order.
#[derive(Clone, Debug, Default)]
pub struct Prefilter {
    /// Literals that are looked up in every text.
    any: Tables,
    /// Literals of patterns that need a digit, which are looked up only in texts with one.
    digits: Tables,
    /// Literals of patterns that match only the last character of a text.
    ends: Tables,
    patterns: u16,
}

/// Literals by length.
#[derive(Clone, Debug)]
struct Tables {
    /// Literals of five bytes and more, by bucket.
    long: Vec<Long>,
    /// One bit for each hash of a head.
    heads: Box<[u64; WORDS]>,
    /// Where each bucket begins, and the end of the last.
    lists: Box<[u32; LISTS + 1]>,
    /// Fewest bytes of a match of a pattern with a long literal.
    least: usize,
    /// One bit for each pair of bytes that a shorter literal begins with.
    pairs: Box<[u64; 1 << 10]>,
    /// Whether a byte is a literal by itself.
    singles: Box<[bool; 256]>,
    /// Whether a literal begins with a byte.
    starts: Box<[bool; 256]>,
    /// Which texts can contain a shorter literal.
    short: Short,
    /// Each shorter literal: its bytes, the first one lowest; its length; its pattern. In order.
    literals: Vec<(u32, u8, u16)>,
    /// Patterns without literals.
    always: Vec<u16>,
}

/// A literal of five bytes and more. Each is stored twice: from its first byte on, and from its second byte on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Long {
    head: u32,
    /// Up to four bytes after the head, and a mask of those that exist.
    rest: u32,
    bits: u32,
    number: u16,
}

/// Which texts can contain a shorter literal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Short {
    None,
    /// Texts that are not all ASCII.
    Other,
    /// Texts that are not all ASCII, and texts with this byte, which is a literal and no letter.
    OtherOr(u8),
    All,
}

impl Short {
    fn with(self, literal: &[u8]) -> Self {
        match (self, literal) {
            (Self::None, _) if !literal.is_ascii() => Self::Other,
            (_, _) if !literal.is_ascii() => self,
            (Self::None | Self::Other, [byte]) if byte.is_ascii_punctuation() => Self::OtherOr(*byte),
            (Self::OtherOr(byte), _) if literal == [byte] => self,
            _ => Self::All,
        }
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            long: Vec::new(),
            heads: Box::new([0; WORDS]),
            lists: Box::new([0; LISTS + 1]),
            least: usize::MAX,
            pairs: Box::new([0; 1 << 10]),
            singles: Box::new([false; 256]),
            starts: Box::new([false; 256]),
            short: Short::None,
            literals: Vec::new(),
            always: Vec::new(),
        }
    }
}

#[inline]
fn is_marked<const N: usize>(bits: &[u64; N], at: usize) -> bool {
    bits[at >> 6] >> (at & 63) & 1 == 1
}

impl Tables {
    fn add(&mut self, literal: &[u8], number: u16) {
        let mark = |bits: &mut [u64], at: usize| bits[at >> 6] |= 1 << (at & 63);
        if let Some(first) = literal.first() {
            self.starts[usize::from(*first)] = true;
        }
        if literal.len() > HEAD {
            // Wherever it occurs, its first byte or its second is at an even position.
            for literal in [literal, &literal[1..]] {
                let (head, rest) = literal.split_at(HEAD);
                let rest = &rest[..rest.len().min(HEAD)];
                mark(self.heads.as_mut_slice(), hash(key(head)));
                self.long.push(Long {
                    head: key(head),
                    rest: key(rest),
                    bits: rest.iter().fold(0, |bits, _| bits << 8 | 0xFF),
                    number,
                });
            }
            return;
        }
        // Of four bytes three are enough: those at the rarer end.
        let literal = match literal {
            [a, rest @ .., d] if rest.len() == 2 => {
                if d.is_ascii() && !a.is_ascii() {
                    &literal[..3]
                } else {
                    &literal[1..]
                }
            }
            _ => literal,
        };
        self.literals.push((key(literal), literal.len() as u8, number));
        match *literal {
            [a, b, ..] => mark(self.pairs.as_mut_slice(), usize::from(u16::from_le_bytes([a, b]))),
            [a] => self.singles[usize::from(a)] = true,
            [] => {}
        }
        self.short = self.short.with(literal);
    }

    /// Sorts everything after the last literal was added.
    fn sort(&mut self) {
        self.literals.sort_unstable();
        self.literals.dedup();
        self.long.sort_unstable_by_key(|literal| (list(literal.head), *literal));
        self.long.dedup();
        for at in 0..=LISTS {
            self.lists[at] = self.long.partition_point(|literal| list(literal.head) < at) as u32;
        }
    }

    fn visit(&self, text: &[u8], is_ascii: bool, each: &mut impl FnMut(u16)) {
        self.always.iter().for_each(|number| each(*number));
        if text.len() >= self.least {
            let mut at = 0;
            while let Some(head) = self.next_head(text, &mut at) {
                let after = &text[at + HEAD - 2..];
                let rest = key(&after[..after.len().min(HEAD)]);
                let [from, to] = [0, 1].map(|next| self.lists[list(head) + next] as usize);
                for literal in &self.long[from..to] {
                    if literal.head == head && rest & literal.bits == literal.rest {
                        each(literal.number);
                    }
                }
            }
        }
        if let Short::OtherOr(byte) = self.short
            && memchr::memchr(byte, text).is_some()
        {
            self.patterns_with(key(&[byte]), 1).for_each(&mut *each);
        }
        match self.short {
            Short::All => self.visit_short(text, each),
            Short::Other | Short::OtherOr(_) if !is_ascii => {
                // A literal begins at most two bytes away from a byte that is not ASCII.
                let mut from = 0;
                while from < text.len() {
                    let block = &text[from..text.len().min(from + BLOCK + 2)];
                    if !block.is_ascii() {
                        self.visit_short(block, each);
                    }
                    from += BLOCK;
                }
            }
            _ => {}
        }
    }

    fn visit_short(&self, text: &[u8], each: &mut impl FnMut(u16)) {
        for (at, byte) in text.iter().enumerate() {
            if self.singles[usize::from(byte | FOLD)] {
                self.patterns_with(key(&[*byte]), 1).for_each(&mut *each);
            }
            let Some(next) = text.get(at + 1) else { break };
            let pair = u16::from_le_bytes([byte | FOLD, next | FOLD]);
            if is_marked(&self.pairs, usize::from(pair)) {
                self.patterns_with(u32::from(pair), 2).for_each(&mut *each);
                if let Some(three) = text.get(at..at + 3) {
                    self.patterns_with(key(three), 3).for_each(&mut *each);
                }
            }
        }
    }

    /// The next four bytes at an even position from `at` on that may be a head. Moves `at` to two bytes after their
    /// start.
    #[inline(never)]
    fn next_head(&self, text: &[u8], at: &mut usize) -> Option<u32> {
        let heads: &[u64; WORDS] = &self.heads;
        let may_be = |key: u32| is_marked(heads, hash(key));
        // Three positions at a time; hardly one of them is marked.
        while let Some(eight) = text.get(*at..).and_then(|rest| rest.first_chunk::<8>()) {
            let eight = u64::from_le_bytes(*eight) | u64::from_le_bytes([FOLD; 8]);
            let keys = [0, 16, 32].map(|shift| (eight >> shift) as u32);
            if keys.map(may_be).into_iter().fold(false, |any, is| any | is) {
                let first = keys.into_iter().position(may_be)?;
                *at += 2 * (first + 1);
                return Some(keys[first]);
            }
            *at += 2 * keys.len();
        }
        for four in text.get(*at..)?.windows(HEAD).step_by(2) {
            *at += 2;
            let key = key(four);
            if may_be(key) {
                return Some(key);
            }
        }
        None
    }

    /// The patterns with a shorter literal.
    fn patterns_with(&self, key: u32, length: usize) -> impl Iterator<Item = u16> {
        let wanted = (key, length as u8);
        let from = self.literals.partition_point(|literal| (literal.0, literal.1) < wanted);
        let same = self.literals[from..]
            .iter()
            .take_while(move |literal| (literal.0, literal.1) == wanted);
        same.map(|literal| literal.2)
    }
}

/// The bucket of a head.
#[inline]
fn list(head: u32) -> usize {
    hash(head) / (WORDS * 64 / LISTS)
}

/// Up to four bytes as one number, with the case bit set.
fn key(literal: &[u8]) -> u32 {
    literal
        .iter()
        .rev()
        .fold(0, |key, byte| key << 8 | u32::from(byte | FOLD))
}

/// The place of a head in the bitmap.
#[inline]
fn hash(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (32 - (WORDS * 64).trailing_zeros())) as usize
}

impl Prefilter {
    /// The prefilter of patterns, which match regardless of case. The flag of a pattern is whether it is kept apart if
    /// it needs a digit. A pattern that cannot be parsed always passes.
    pub fn new<'p>(patterns: impl Iterator<Item = (&'p str, bool)>) -> Self {
        let mut this = Self::default();
        for (pattern, apart) in patterns {
            let RequiredLiterals { place, least, literals } = RequiredLiterals::find(pattern);
            let tables = match place {
                MatchPlace::Anywhere => &mut this.any,
                MatchPlace::WithDigits if apart => &mut this.digits,
                MatchPlace::WithDigits => &mut this.any,
                MatchPlace::AtEnd => &mut this.ends,
            };
            match literals {
                Some(literals) => {
                    literals.iter().for_each(|literal| tables.add(literal, this.patterns));
                    if literals.iter().any(|literal| literal.len() > HEAD) {
                        tables.least = tables.least.min(least);
                    }
                }
                None => tables.always.push(this.patterns),
            }
            this.patterns += 1;
        }
        for tables in [&mut this.any, &mut this.digits, &mut this.ends] {
            tables.sort();
        }
        this
    }

    /// Calls `each` with every pattern that could match in a text, except for those that are kept apart. A pattern may
    /// be reported several times. `is_ascii` may be false for a text of ASCII.
    #[inline]
    pub fn visit(&self, text: &str, is_ascii: bool, mut each: impl FnMut(u16)) {
        let bytes = text.as_bytes();
        if !is_ascii && has_others(text) {
            // Literals have only ASCII's digits, and ASCII's letters in place of their non-ASCII cases.
            (0..self.patterns).for_each(each);
            return;
        }
        self.any.visit(bytes, is_ascii, &mut each);
        let last = &bytes[bytes.len().saturating_sub(required_literals::END)..];
        if last.iter().any(|byte| self.ends.starts[usize::from(byte | FOLD)]) || !self.ends.always.is_empty() {
            self.ends.visit(last, is_ascii, &mut each);
        }
    }

    /// Calls `each` with every pattern that is kept apart and could match in a text that has digits or is not all
    /// ASCII.
    pub fn visit_digits(&self, text: &str, mut each: impl FnMut(u16)) {
        let is_ascii = text.is_ascii();
        if !is_ascii && has_others(text) {
            (0..self.patterns).for_each(each);
        } else {
            self.digits.visit(text.as_bytes(), is_ascii, &mut each);
        }
    }
}

/// Whether a text has digits other than ASCII's, or non-ASCII cases of ASCII's letters: the long s, the Kelvin sign.
fn has_others(text: &str) -> bool {
    let mut before = 0;
    let mut may_start = |byte: u8| {
        let pair = (std::mem::replace(&mut before, byte), byte);
        // The first bytes of digits, and the first two bytes of the two letters.
        matches!(byte, 0xD9 | 0xDB | 0xDF | 0xE0 | 0xE1 | 0xEA | 0xEF | 0xF0)
            || matches!(pair, (0xC5, 0xBF) | (0xE2, 0x84))
    };
    let is_other = |c: char| !c.is_ascii() && (c.is_numeric() || matches!(c, '\u{17F}' | '\u{212A}'));
    text.bytes().any(&mut may_start) && text.chars().any(is_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(pattern: &str, text: &str) -> bool {
        let mut passes = false;
        let prefilter = Prefilter::new([(pattern, true)].into_iter());
        prefilter.visit(text, text.is_ascii(), |_| passes = true);
        if !text.is_ascii() || text.contains(|c: char| c.is_ascii_digit()) {
            prefilter.visit_digits(text, |_| passes = true);
        }
        passes
    }

    #[test]
    fn what_matches_passes() {
        for (pattern, text) in [
            ("all rights? reserved", "ALL RIGHT RESERVED"),
            ("© ?\\d{4}", "a © 2010"),
            ("[:：]$", "作者："),
            ("[:：]$", "a:"),
            ("版[权權]所有", "版權所有"),
            ("Ευθύνη", "ΕΥΘΎΝΗ"),
            ("ask", "aſ\u{212A}"),
            ("\\d ago", "٣ ago"),
            ("(?:\\d|an) ago", "an ago"),
            ("\\d+", "١"),
            ("x|\\w", "y"),
            ("", ""),
            ("(?:ab){2}", "abab"),
            ("a?b", "b"),
            ("\\bab\\b", "ab"),
            ("\\d{1,2} ?[ap]\\.?m", "7P.M."),
            ("\\d{1,2}:\\d\\d", "12:30"),
            ("(?:c|cd)e f?gh", "CDE GH"),
        ] {
            assert!(passes(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_lacks_the_grams_does_not_pass() {
        for (pattern, text) in [
            ("all rights? reserved", "he wrote it all down"),
            ("© ?\\d{4}", "(c) 2010"),
            ("[:：]$", "作者，"),
            ("\\d{1,2} ?uhr", "2 hours"),
            ("\\d{1,2} ?uhr", "die Uhr"),
            ("(?:one|\\d+) days? ago", "7 weeks"),
            ("\\d+", "年月"),
            ("\\d{1,2} ?[ap]\\.?m", "7 comments"),
            ("\\d{1,2}:\\d\\d", "3 things: one"),
        ] {
            assert!(!passes(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn every_digit_is_known_by_its_first_byte() {
        let digit = regex::Regex::new(r"^\d$").expect("valid");
        for c in (128..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let text = c.to_string();
            assert!(!digit.is_match(&text) || has_others(&text), "{c:?}");
        }
    }

    #[test]
    fn more_literals_than_sixteen_bits_can_count_are_distinguished() {
        let words: Vec<String> = (0..33_000u32).map(|n| format!("w{n:06}")).collect();
        let prefilter = Prefilter::new(words.iter().map(|word| (word.as_str(), false)));
        for (at, word) in words.iter().enumerate() {
            let mut found = false;
            prefilter.visit(word, true, |number| found |= usize::from(number) == at);
            assert!(found, "{word}");
        }
    }

    #[test]
    fn patterns_are_distinguished() {
        let prefilter = Prefilter::new(
            ["reserved", "\\d:", "reservoir", "[[bad"]
                .map(|p| (p, true))
                .into_iter(),
        );
        let asked = |text: &str| {
            let mut numbers = Vec::new();
            prefilter.visit(text, text.is_ascii(), |number| numbers.push(number));
            prefilter.visit_digits(text, |number| numbers.push(number));
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        assert_eq!(asked("Reserved"), [0, 3]);
        assert_eq!(asked("in 7: reservoirs"), [1, 2, 3]);
        assert_eq!(asked("-"), [3]);
    }
}
