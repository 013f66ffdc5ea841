//! A cheap look at a text before regular expressions are asked about it.
//!
//! Nearly every text of a page is asked whether it is a statement, a time, a copyright, and nearly none is one. Running
//! the expressions costs more than parsing the page. So for each pattern some *grams* are worked out, short runs of
//! bytes of which every match has at least one, the rarest that can be had; one pass over a text then tells which kinds
//! of pattern could match at all. A text that fails the screen matches nothing; one that passes may still match nothing.
//!
//! A text may be screened with its white space as it stands in the page, so a gram holds a space at most at its ends. Grams are those of UTF-8 text, five bytes where the pattern gives so many, else two or one. Bytes are compared after
//! setting the bit that tells ASCII's small letters from its capitals; where other letters have several cases, there is a
//! gram for each.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

/// The bit that is set in every byte before it is compared.
const FOLD: u8 = 0x20;

/// A class of more characters than this has no gram but its characters' first bytes.
const MOST_CHARS: usize = 8;

/// Most grams that a stretch of letters may stand for.
const MOST_VARIANTS: usize = 64;

/// What every match of a pattern has at least one of.
#[derive(Clone, Debug, PartialEq)]
struct Need {
    grams: Vec<Vec<u8>>,
    /// Roughly how often one of them stands at some place of a text that matches nothing.
    rate: f64,
}

/// Grams of patterns, for looking up which patterns could match in a text. Patterns are known by their numbers.
#[derive(Clone, Debug)]
pub struct Screen {
    /// Whether a byte is a gram.
    singles: Box<[bool; 256]>,
    has_singles: bool,
    /// One bit for each two bytes that are a gram.
    pairs: Bits<{ 1 << 10 }>,
    needs: Pairs,
    /// One bit for each hash of four bytes that are the first or the last of a gram of five.
    quads: Bits<QUAD_WORDS>,
    has_quads: bool,
    /// Single bytes, pairs and fours, as their bytes and their length, with their patterns; in order.
    grams: Vec<(u32, u8, u16)>,
    /// Patterns without grams.
    always: Vec<u16>,
    /// How many bytes at the end of a text hold all that the patterns match.
    reach: usize,
    /// Fewest bytes that one of them matches.
    least: usize,
}

/// One bit a place.
type Bits<const WORDS: usize> = Box<[u64; WORDS]>;

/// Words of the marks of four bytes: enough that few are marked by chance, and few enough to stay close at hand.
const QUAD_WORDS: usize = 1 << 11;

/// Which texts can have one of the pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pairs {
    None,
    /// Those that are not all ASCII.
    Other,
    /// Those, and those that have this byte, in either case.
    OtherOr(u8),
    All,
}

impl Pairs {
    /// With another pair.
    fn with(self, pair: [u8; 2]) -> Self {
        let is_ascii = pair[0] < 128 && pair[1] < 128;
        let rare = if rate(&pair[..1]) < rate(&pair[1..]) {
            pair[0]
        } else {
            pair[1]
        };
        match self {
            Self::None | Self::Other if !is_ascii => Self::Other,
            Self::None | Self::Other => Self::OtherOr(rare),
            Self::OtherOr(byte) if !is_ascii || byte == rare => self,
            _ => Self::All,
        }
    }

    fn may_be_in(self, text: &[u8]) -> bool {
        match self {
            Self::None => false,
            Self::Other => !text.is_ascii(),
            // What differs from the byte in the bit alone is another case of it, or a control character, which no pattern
            // has.
            Self::OtherOr(byte) if byte & !FOLD < b' ' => !text.is_ascii() || memchr::memchr(byte, text).is_some(),
            Self::OtherOr(byte) => !text.is_ascii() || memchr::memchr2(byte, byte & !FOLD, text).is_some(),
            Self::All => true,
        }
    }
}

#[inline]
fn is_marked<const WORDS: usize>(bits: &[u64; WORDS], at: usize) -> bool {
    bits[at >> 6] >> (at & 63) & 1 == 1
}

impl Screen {
    /// The screen for patterns, which are taken to match regardless of case. One that cannot be read is never screened
    /// out.
    pub fn new<'p>(patterns: impl Iterator<Item = &'p str>) -> Self {
        let mut this = Self {
            singles: Box::new([false; 256]),
            has_singles: false,
            pairs: Box::new([0; 1 << 10]),
            needs: Pairs::None,
            quads: Box::new([0; QUAD_WORDS]),
            has_quads: false,
            grams: Vec::new(),
            always: Vec::new(),
            reach: 0,
            least: usize::MAX,
        };
        for (number, pattern) in (0..).zip(patterns) {
            let hir = ParserBuilder::new()
                .case_insensitive(true)
                .utf8(false)
                .build()
                .parse(pattern);
            this.reach = this.reach.max(hir.as_ref().map_or(usize::MAX, reach));
            let least = |hir: &Hir| hir.properties().minimum_len().unwrap_or(0);
            this.least = this.least.min(hir.as_ref().map_or(0, least));
            match hir.ok().and_then(|hir| need(&hir)) {
                Some(need) => need.grams.iter().for_each(|gram| this.add(gram, number)),
                None => this.always.push(number),
            }
        }
        this.grams.sort_unstable();
        this.grams.dedup();
        this
    }

    fn add(&mut self, gram: &[u8], number: u16) {
        let mark = |bits: &mut [u64], at: usize| bits[at >> 6] |= 1 << (at & 63);
        match *gram {
            [.., a, b, c, d, e] => {
                for four in [[a, b, c, d], [b, c, d, e]] {
                    let quad = u32::from_le_bytes(four);
                    mark(self.quads.as_mut_slice(), hash(quad));
                    self.grams.push((quad, 4, number));
                }
                self.has_quads = true;
            }
            [.., a, b] => {
                let pair = u16::from_le_bytes([a, b]);
                mark(self.pairs.as_mut_slice(), usize::from(pair));
                self.grams.push((u32::from(pair), 2, number));
                self.needs = self.needs.with([a, b]);
            }
            [a] => {
                self.singles[usize::from(a)] = true;
                self.grams.push((u32::from(a), 1, number));
                self.has_singles = true;
            }
            [] => self.always.push(number),
        }
    }

    /// Asks about every pattern that could match in a text, some perhaps several times, until one does; whether one did.
    pub fn any(&self, text: &str, mut matches: impl FnMut(u16) -> bool) -> bool {
        if text.len() < self.least {
            return false;
        }
        if self.always.iter().any(|number| matches(*number)) {
            return true;
        }
        let bytes = &text.as_bytes()[text.len().saturating_sub(self.reach)..];
        if self.has_quads {
            let mut at = 0;
            while let Some(quad) = self.next_quad(bytes, &mut at) {
                if self.of(quad, 4).any(&mut matches) {
                    return true;
                }
            }
        }
        if self.needs.may_be_in(bytes) {
            for two in bytes.windows(2) {
                let pair = u16::from_le_bytes([two[0] | FOLD, two[1] | FOLD]);
                if is_marked(&self.pairs, usize::from(pair)) && self.of(u32::from(pair), 2).any(&mut matches) {
                    return true;
                }
            }
        }
        self.has_singles && {
            let mut folded = bytes.iter().map(|b| b | FOLD);
            folded.any(|byte| self.singles[usize::from(byte)] && self.of(u32::from(byte), 1).any(&mut matches))
        }
    }

    /// The next four bytes at an even place that may be marked, from `at` on, which is moved behind them. Wherever a gram
    /// of five bytes stands, its first or its last four begin at an even place.
    #[inline(never)]
    fn next_quad(&self, bytes: &[u8], at: &mut usize) -> Option<u32> {
        let quads: &[u64; QUAD_WORDS] = &self.quads;
        for four in bytes.get(*at..)?.windows(4).step_by(2) {
            *at += 2;
            let quad = u32::from_le_bytes([four[0], four[1], four[2], four[3]]) | u32::from_le_bytes([FOLD; 4]);
            if is_marked(quads, hash(quad)) {
                return Some(quad);
            }
        }
        None
    }

    /// The patterns of a gram.
    fn of(&self, key: u32, length: u8) -> impl Iterator<Item = u16> {
        let from = self.grams.partition_point(|gram| (gram.0, gram.1) < (key, length));
        let same = self.grams[from..]
            .iter()
            .take_while(move |gram| (gram.0, gram.1) == (key, length));
        same.map(|gram| gram.2)
    }
}

/// One of the places in the marks of four bytes.
#[inline]
fn hash(quad: u32) -> usize {
    (quad.wrapping_mul(0x9E37_79B1) >> (32 - (QUAD_WORDS * 64).trailing_zeros())) as usize
}

/// How many bytes at the end of a text hold what a pattern matches: few, if it is one character at the very end.
fn reach(hir: &Hir) -> usize {
    let of = hir.properties();
    match of.maximum_len() {
        Some(length @ 0..=4) if of.look_set_suffix().contains(Look::End) => length,
        _ => usize::MAX,
    }
}

/// First bytes of the characters that are white space, with the bit set.
const SPACE_STARTS: [u8; 9] = [0x20, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0xE1, 0xE2, 0xE3];

/// Last bytes of these, likewise.
const SPACE_ENDS: [u8; 19] = [
    0x20, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAF, 0xBF,
];

/// A place in a pattern.
#[derive(Clone)]
enum Place {
    /// A space, which is any run of white space in the page.
    Space,
    /// One of a few characters.
    Chars(Vec<char>),
    /// Anything else, with what every match of it has.
    Other(Option<Need>),
}

/// What every match has, at its rarest; none where nothing is known.
fn need(hir: &Hir) -> Option<Need> {
    need_after(Vec::new(), hir)
}

/// The same of a pattern together with the places before it.
fn need_after(mut places: Vec<Place>, hir: &Hir) -> Option<Need> {
    lay_out(hir, &mut places);
    let mut best: Option<Need> = None;
    let mut offer = |need: Option<Need>| {
        if let Some(need) = need
            && best.as_ref().is_none_or(|best| need.rate < best.rate)
        {
            best = Some(need);
        }
    };
    for at in 0..places.len() {
        match &places[at] {
            Place::Other(need) => offer(need.clone()),
            _ => offer(gram_at(&places[at..])),
        }
    }
    best
}

/// Lays a pattern out as places side by side.
fn lay_out(hir: &Hir, places: &mut Vec<Place>) {
    match hir.kind() {
        // They have no width, so what stands on either side is still adjacent.
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => places.extend(text.chars().map(|c| match c {
                ' ' => Place::Space,
                _ => Place::Chars(vec![c]),
            })),
            Err(_) => places.push(Place::Other(None)),
        },
        HirKind::Class(Class::Unicode(class)) => places.push(of_class(class)),
        HirKind::Class(Class::Bytes(_)) => places.push(Place::Other(None)),
        HirKind::Capture(capture) => lay_out(&capture.sub, places),
        HirKind::Concat(parts) => parts.iter().for_each(|part| lay_out(part, places)),
        HirKind::Repetition(of) if of.min == 1 && of.max == Some(1) => lay_out(&of.sub, places),
        HirKind::Repetition(of) => places.push(Place::Other(if of.min > 0 { need(&of.sub) } else { None })),
        HirKind::Alternation(alternatives) => {
            // What the alternatives begin with alike stands before them.
            let before = places
                .iter()
                .rev()
                .take_while(|p| !matches!(p, Place::Other(_)))
                .take(4)
                .count();
            let before = &places[places.len() - before..];
            let needs: Option<Vec<Need>> = alternatives.iter().map(|of| need_after(before.to_vec(), of)).collect();
            places.push(Place::Other(needs.map(|needs| Need {
                rate: needs.iter().map(|n| n.rate).sum(),
                grams: needs.into_iter().flat_map(|n| n.grams).collect(),
            })));
        }
    }
}

fn of_class(class: &ClassUnicode) -> Place {
    let length = |range: &ClassUnicodeRange| (range.end() as usize + 1).saturating_sub(range.start() as usize);
    let has_space = class.ranges().iter().any(|r| r.start() <= ' ' && ' ' <= r.end());
    if has_space {
        return Place::Other(None);
    }
    if class.ranges().iter().map(length).sum::<usize>() <= MOST_CHARS {
        return Place::Chars(class.ranges().iter().flat_map(|r| r.start()..=r.end()).collect());
    }
    // First bytes rise with the characters, so those of a range's ends and all between.
    let mut grams: Vec<Vec<u8>> = Vec::new();
    for range in class.ranges() {
        let ends = [range.start(), range.end()].map(|c| {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).as_bytes()[0]
        });
        grams.extend((ends[0]..=ends[1]).map(|byte| vec![byte | FOLD]));
    }
    grams.sort();
    grams.dedup();
    let rate: f64 = grams.iter().map(|g| rate(g)).sum();
    // Nearly every text has a character of a wide class.
    Place::Other((rate < 0.1).then_some(Need { grams, rate }))
}

/// The bytes of a character, with the bit set.
fn folded(c: char) -> Vec<u8> {
    c.encode_utf8(&mut [0; 4]).bytes().map(|b| b | FOLD).collect()
}

/// The gram that begins at the first place, in all its variants. A space may be its first place or its last.
fn gram_at(places: &[Place]) -> Option<Need> {
    let mut variants: Vec<Vec<u8>> = vec![Vec::new()];
    let mut has_space = false;
    for (i, place) in places.iter().enumerate() {
        if variants.iter().all(|v| v.len() >= 5) {
            break;
        }
        let ways: Vec<Vec<u8>> = match place {
            Place::Other(_) => break,
            Place::Space if i == 0 => SPACE_ENDS.iter().map(|b| vec![*b]).collect(),
            Place::Space => SPACE_STARTS.iter().map(|b| vec![*b]).collect(),
            Place::Chars(chars) => chars.iter().map(|c| folded(*c)).collect(),
        };
        let mut longer: Vec<Vec<u8>> = Vec::with_capacity(variants.len() * ways.len());
        for variant in &variants {
            longer.extend(ways.iter().map(|way| [variant.as_slice(), way].concat()));
        }
        longer.sort();
        longer.dedup();
        if longer.len() > MOST_VARIANTS {
            break;
        }
        variants = longer;
        has_space |= matches!(place, Place::Space);
        if i > 0 && matches!(place, Place::Space) {
            break;
        }
    }
    let shortest = variants.iter().map(Vec::len).min().unwrap_or(0);
    let part = |of: &dyn Fn(&Vec<u8>) -> Vec<u8>| {
        let mut grams: Vec<Vec<u8>> = variants.iter().map(of).collect();
        grams.sort();
        grams.dedup();
        let rate = grams.iter().map(|g| rate(g)).sum();
        Need { grams, rate }
    };
    let last = |length: usize| part(&|v: &Vec<u8>| v[v.len() - length..].to_vec());
    match shortest {
        // All are of one length, and of one table.
        5.. => Some(last(5)),
        // So short, white space would tell too little.
        _ if has_space => None,
        2.. => {
            let (first, last) = (part(&|v: &Vec<u8>| v[..2].to_vec()), last(2));
            Some(if first.rate < last.rate { first } else { last })
        }
        1 => Some(last(1)),
        0 => None,
    }
}

/// Roughly how often a gram stands at some place of a text: as though its bytes came independently, in the proportions of
/// English prose, with some share of other scripts. Digits stand together in few texts, so one more is hardly another.
fn rate(gram: &[u8]) -> f64 {
    let of = |byte: u8| match byte {
        b' ' => 0.16,
        b'e' => 0.1,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 0.06,
        b'c' | b'd' | b'h' | b'l' | b'm' | b'p' | b'u' => 0.025,
        b'b' | b'f' | b'g' | b'v' | b'w' | b'y' => 0.012,
        b'0'..=b'9' => 0.0005,
        b'.' | b',' => 0.02,
        b'j' | b'k' | b'q' | b'x' | b'z' => 0.003,
        128.. => 0.0008,
        _ => 0.002,
    };
    gram.iter().map(|b| of(*b)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(pattern: &str, text: &str) -> bool {
        Screen::new([pattern].into_iter()).any(text, |_| true)
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
            ("\\d+", "١"),
            ("x|\\w", "y"),
            ("", ""),
            ("(?:ab){2}", "abab"),
            ("a?b", "b"),
            ("\\bab\\b", "ab"),
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
            ("(?:one|\\d+) days? ago", "7 weeks"),
            ("\\d+", "年月"),
        ] {
            assert!(!passes(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn white_space_may_stand_as_in_the_page() {
        for space in (0..=0x3000).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
            for pattern in ["you must log", " must|x ", "you m.y "] {
                let text = format!("you{space}must{space}{space}log{space}you may{space}");
                assert!(passes(pattern, &text), "{pattern} {:x}", space as u32);
            }
        }
    }

    #[test]
    fn patterns_are_told_apart() {
        let screen = Screen::new(["reserved", "\\d:", "reservoir", "[[bad"].into_iter());
        let asked = |text: &str| {
            let mut numbers = Vec::new();
            assert!(!screen.any(text, |number| {
                numbers.push(number);
                false
            }));
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        assert_eq!(asked("Reserved"), [0, 3]);
        assert_eq!(asked("in 7 reservoirs:"), [1, 2, 3]);
        assert_eq!(asked("-"), [3]);
        assert!(screen.any("Reserved", |number| number == 0));
    }
}
