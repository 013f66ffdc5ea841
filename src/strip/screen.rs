//! A cheap look at a text before regular expressions are asked about it.
//!
//! Nearly every text of a page is asked whether it is a statement, a time, a copyright, and nearly none is one. Running
//! the expressions costs more than parsing the page. So for each pattern some *grams* are worked out, short runs of
//! bytes of which every match has at least one, the rarest that can be had; one pass over a text then tells which kinds
//! of pattern could match at all. A text that fails the screen matches nothing; one that passes may still match nothing.
//!
//! A text may be screened with its white space as it stands in the page, so no gram holds a space. Grams are those of UTF-8 text, four bytes where the pattern gives so many, else two or one. Bytes are compared after
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
    pairs: Box<Bits>,
    has_longer: bool,
    /// One bit for each hash of four bytes that are a gram.
    quads: Box<Bits>,
    /// Grams, as their bytes and their length, with their patterns; in order.
    grams: Vec<(u32, u8, u16)>,
    /// Patterns without grams.
    always: Vec<u16>,
    /// How many bytes at the end of a text hold all that the patterns match.
    reach: usize,
}

type Bits = [u64; 1 << 10];

#[inline]
fn is_marked(bits: &Bits, at: usize) -> bool {
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
            has_longer: false,
            quads: Box::new([0; 1 << 10]),
            grams: Vec::new(),
            always: Vec::new(),
            reach: 0,
        };
        for (number, pattern) in (0..).zip(patterns) {
            let hir = ParserBuilder::new()
                .case_insensitive(true)
                .utf8(false)
                .build()
                .parse(pattern);
            this.reach = this.reach.max(hir.as_ref().map_or(usize::MAX, reach));
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
        let mark = |bits: &mut Bits, at: usize| bits[at >> 6] |= 1 << (at & 63);
        let (key, length) = match *gram {
            [.., a, b, c, d] => {
                let quad = u32::from_le_bytes([a, b, c, d]);
                mark(&mut self.quads, hash(quad));
                self.has_longer = true;
                (quad, 4)
            }
            [.., a, b] => {
                let pair = u16::from_le_bytes([a, b]);
                mark(&mut self.pairs, usize::from(pair));
                self.has_longer = true;
                (u32::from(pair), 2)
            }
            [a] => {
                self.singles[usize::from(a)] = true;
                self.has_singles = true;
                (u32::from(a), 1)
            }
            [] => return self.always.push(number),
        };
        self.grams.push((key, length, number));
    }

    /// Asks about every pattern that could match in a text, some perhaps several times, until one does; whether one did.
    pub fn any(&self, text: &str, mut matches: impl FnMut(u16) -> bool) -> bool {
        if self.always.iter().any(|number| matches(*number)) {
            return true;
        }
        let bytes = &text.as_bytes()[text.len().saturating_sub(self.reach)..];
        let mut ask = |key, length| self.of(key, length).any(|number| matches(number));
        if self.has_singles {
            for byte in bytes.iter().map(|b| b | FOLD) {
                if self.singles[usize::from(byte)] && ask(u32::from(byte), 1) {
                    return true;
                }
            }
        }
        if !self.has_longer {
            return false;
        }
        for four in bytes.windows(4) {
            let quad = u32::from_le_bytes([four[0], four[1], four[2], four[3]]) | u32::from_le_bytes([FOLD; 4]);
            let pair = quad & 0xFFFF;
            if is_marked(&self.quads, hash(quad)) && ask(quad, 4)
                || is_marked(&self.pairs, pair as usize) && ask(pair, 2)
            {
                return true;
            }
        }
        // The last pairs begin no four bytes.
        bytes[bytes.len().saturating_sub(3)..].windows(2).any(|two| {
            let pair = u16::from_le_bytes([two[0] | FOLD, two[1] | FOLD]);
            is_marked(&self.pairs, usize::from(pair)) && ask(u32::from(pair), 2)
        })
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

/// 16 bits.
#[inline]
fn hash(quad: u32) -> usize {
    (quad.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// How many bytes at the end of a text hold what a pattern matches: few, if it is one character at the very end.
fn reach(hir: &Hir) -> usize {
    let of = hir.properties();
    match of.maximum_len() {
        Some(length @ 0..=4) if of.look_set_suffix().contains(Look::End) => length,
        _ => usize::MAX,
    }
}

/// A place in a pattern.
enum Place {
    /// One of a few characters.
    Chars(Vec<char>),
    /// Anything else, with what every match of it has.
    Other(Option<Need>),
}

/// What every match has, at its rarest; none where nothing is known.
fn need(hir: &Hir) -> Option<Need> {
    let mut places = Vec::new();
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
            Place::Chars(_) => offer(gram_at(&places[at..])),
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
                ' ' => Place::Other(None),
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
            let needs: Option<Vec<Need>> = alternatives.iter().map(need).collect();
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

/// The gram that begins at the first place, in all its variants.
fn gram_at(places: &[Place]) -> Option<Need> {
    let mut variants: Vec<Vec<u8>> = vec![Vec::new()];
    for place in places {
        if variants.iter().all(|v| v.len() >= 4) {
            break;
        }
        let Place::Chars(chars) = place else {
            break;
        };
        let mut longer: Vec<Vec<u8>> = Vec::with_capacity(variants.len() * chars.len());
        for variant in &variants {
            for c in chars {
                let mut buffer = [0; 4];
                let folded = c.encode_utf8(&mut buffer).bytes().map(|b| b | FOLD);
                longer.push(variant.iter().copied().chain(folded).collect());
            }
        }
        longer.sort();
        longer.dedup();
        if longer.len() > MOST_VARIANTS {
            break;
        }
        variants = longer;
    }
    let shortest = variants.iter().map(Vec::len).min().unwrap_or(0);
    // The last bytes of a character tell more than its first; those of one length are of one table.
    let length = match shortest {
        0 => return None,
        1 => 1,
        2 | 3 => 2,
        _ => 4,
    };
    let mut grams: Vec<Vec<u8>> = variants.iter().map(|v| v[v.len() - length..].to_vec()).collect();
    grams.sort();
    grams.dedup();
    Some(Need {
        rate: grams.iter().map(|g| rate(g)).sum(),
        grams,
    })
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
        b'.' | b',' => 0.01,
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
        assert_eq!(asked(""), [3]);
        assert!(screen.any("Reserved", |number| number == 0));
    }
}
