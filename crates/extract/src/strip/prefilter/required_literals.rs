//! What every match of a pattern has: the rarest literals that can be worked out of its syntax.

use std::sync::LazyLock;

use regex_syntax::hir::literal::{ExtractKind, Extractor, Seq};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};
use regex_syntax::{Parser, ParserBuilder};

use super::FOLD;

/// Most bytes of a literal. Where there are too many so long, shorter ones are tried.
const LENGTHS: [usize; 4] = [8, 5, 3, 2];

/// Most bytes at a text's end that a pattern of its end alone matches.
pub const END: usize = 4;

/// Most literals that are looked at for a pattern.
const MOST: usize = 400;

/// Most parts of a pattern, side by side, that a literal is made of.
const MOST_PARTS: usize = 12;

/// A class of more characters than this ends a literal.
const MOST_CHARS: usize = 12;

/// The literals of a pattern.
#[derive(Debug)]
pub struct RequiredLiterals {
    /// Where to look for them.
    pub place: Place,
    /// Fewest bytes of a match.
    pub least: usize,
    /// Every match in a text without other digits than ASCII's, and without other cases of its letters, has one of these;
    /// none where nothing is known.
    pub literals: Option<Vec<Vec<u8>>>,
}

/// What is known of the texts that a pattern matches in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Nothing.
    Anywhere,
    /// They have a digit.
    WithDigits,
    /// Their last character is all that it matches.
    AtEnd,
}

impl RequiredLiterals {
    pub fn of(pattern: &str) -> Self {
        let parsed = ParserBuilder::new()
            .case_insensitive(true)
            .utf8(false)
            .build()
            .parse(pattern);
        let Ok(hir) = parsed else {
            return Self {
                place: Place::Anywhere,
                least: 0,
                literals: None,
            };
        };
        let of = hir.properties();
        let at_end = of.maximum_len().is_some_and(|most| most <= END) && of.look_set_suffix().contains(Look::End);
        Self {
            place: match needs_digit(&hir) {
                _ if at_end => Place::AtEnd,
                true => Place::WithDigits,
                false => Place::Anywhere,
            },
            least: of.minimum_len().unwrap_or(0),
            literals: need(&simple(&hir)).map(|need| need.literals),
        }
    }
}

/// What `\d` matches.
static DIGITS: LazyLock<Option<ClassUnicode>> = LazyLock::new(|| match Parser::new().parse(r"\d").ok()?.into_kind() {
    HirKind::Class(Class::Unicode(class)) => Some(class),
    _ => None,
});

/// Whether a class is of digits alone.
fn is_digits(class: &ClassUnicode) -> bool {
    DIGITS.as_ref().is_some_and(|digits| {
        let mut of_both = class.clone();
        of_both.intersect(digits);
        of_both == *class
    })
}

fn needs_digit(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Literal(literal) => literal.0.iter().any(u8::is_ascii_digit),
        HirKind::Class(Class::Unicode(class)) => is_digits(class),
        HirKind::Repetition(of) => of.min > 0 && needs_digit(&of.sub),
        HirKind::Capture(of) => needs_digit(&of.sub),
        HirKind::Concat(parts) => parts.iter().any(needs_digit),
        HirKind::Alternation(parts) => parts.iter().all(needs_digit),
    }
}

/// The small letter of a class that is an ASCII letter in all its cases.
fn letter(class: &ClassUnicode) -> Option<char> {
    let letter = class
        .iter()
        .map(|range| range.start())
        .find(char::is_ascii_uppercase)?
        .to_ascii_lowercase();
    let mut cases = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
    cases.case_fold_simple();
    (cases == *class).then_some(letter)
}

/// A pattern whose letters are small and whose digits are ASCII's alone, and whose groups are gone.
fn simple(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) if letter(class).is_some() => {
            let mut bytes = [0; 4];
            Hir::literal(letter(class).unwrap_or_default().encode_utf8(&mut bytes).as_bytes())
        }
        HirKind::Class(Class::Unicode(class)) if is_digits(class) => {
            let mut digits = class.clone();
            digits.intersect(&ClassUnicode::new([ClassUnicodeRange::new('0', '9')]));
            Hir::class(Class::Unicode(digits))
        }
        HirKind::Capture(of) => simple(&of.sub),
        HirKind::Repetition(of) => {
            let of = Repetition {
                sub: Box::new(simple(&of.sub)),
                ..of.clone()
            };
            // What is repeated begins with itself and ends with itself: so a literal can hold its end.
            let more = |min| Hir::repetition(Repetition { min, ..of.clone() });
            match of.min {
                0 => more(0),
                1 if of.max == Some(1) => *of.sub,
                min => Hir::concat(vec![
                    Hir::repetition(Repetition {
                        min: min - 1,
                        max: of.max.map(|max| max - 1),
                        ..of.clone()
                    }),
                    *of.sub,
                ]),
            }
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(simple).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(simple).collect()),
        _ => hir.clone(),
    }
}

/// RequiredLiterals of which every match has at least one.
#[derive(Clone, Debug)]
struct Need {
    literals: Vec<Vec<u8>>,
    /// Roughly how often one of them stands at some place of a text that matches nothing.
    rate: f64,
}

impl Need {
    fn new(mut literals: Vec<Vec<u8>>) -> Self {
        literals.sort();
        literals.dedup();
        let rate = literals.iter().map(|literal| rate(literal)).sum();
        Self { literals, rate }
    }
}

/// Where literals are this rare, by [`rate`], no rarer ones are looked for, which takes time at every start.
const RARE: f64 = 1e-8;

/// The rarest of what was offered.
struct Rarest(Option<Need>);

impl Rarest {
    /// Takes what is rarer; nothing is worked out where what there is is rare.
    fn offer(&mut self, work_out: impl FnOnce() -> Option<Need>) {
        let rate = |of: &Option<Need>| of.as_ref().map_or(f64::INFINITY, |need| need.rate);
        if rate(&self.0) > RARE {
            let other = work_out();
            if rate(&other) < rate(&self.0) {
                self.0 = other;
            }
        }
    }
}

/// What every match has, rare or at its rarest; none where nothing is known.
fn need(hir: &Hir) -> Option<Need> {
    let mut rarest = Rarest(None);
    rarest.offer(|| beginning(hir));
    match hir.kind() {
        HirKind::Repetition(of) if of.min > 0 => rarest.offer(|| need(&of.sub)),
        HirKind::Concat(parts) => {
            for at in 0..parts.len() {
                let (first, rest) = (&parts[at], &parts[at + 1..parts.len().min(at + MOST_PARTS)]);
                let mut begin = |first: Hir| {
                    let parts = || std::iter::once(first).chain(rest.iter().cloned()).collect();
                    rarest.offer(|| beginning(&Hir::concat(parts())));
                };
                match first.kind() {
                    // A literal may begin anywhere.
                    HirKind::Literal(literal) => {
                        (0..literal.0.len()).for_each(|from| begin(Hir::literal(&literal.0[from..])));
                    }
                    _ => begin(first.clone()),
                }
                rarest.offer(|| need(first));
            }
        }
        HirKind::Literal(literal) => {
            for from in 1..literal.0.len() {
                rarest.offer(|| beginning(&Hir::literal(&literal.0[from..])));
            }
        }
        HirKind::Alternation(parts) => rarest.offer(|| {
            let needs: Option<Vec<Need>> = parts.iter().map(need).collect();
            needs.map(|needs| Need::new(needs.into_iter().flat_map(|need| need.literals).collect()))
        }),
        _ => {}
    }
    rarest.0
}

/// What every match begins with.
fn beginning(hir: &Hir) -> Option<Need> {
    // Longer ones are rarer.
    LENGTHS.iter().find_map(|length| beginning_of(hir, *length))
}

fn beginning_of(hir: &Hir, length: usize) -> Option<Need> {
    let mut extractor = Extractor::new();
    extractor
        .kind(ExtractKind::Prefix)
        .limit_class(MOST_CHARS)
        .limit_literal_len(length)
        .limit_total(MOST);
    let found: Seq = extractor.extract(hir);
    let literals: Option<Vec<Vec<u8>>> = found
        .literals()?
        .iter()
        .map(|literal| {
            let folded: Vec<u8> = literal.as_bytes().iter().take(length).map(|byte| byte | FOLD).collect();
            (!folded.is_empty()).then_some(folded)
        })
        .collect();
    literals.filter(|literals| !literals.is_empty()).map(Need::new)
}

/// Roughly how often a literal stands at some place of a text: as though its bytes came independently, in the proportions of
/// English prose, with some share of other scripts. Digits stand together, and are asked about where there are some.
fn rate(literal: &[u8]) -> f64 {
    let of = |byte: u8| match byte {
        b' ' => 0.16,
        b'e' => 0.1,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 0.06,
        b'c' | b'd' | b'h' | b'l' | b'm' | b'p' | b'u' => 0.025,
        b'b' | b'f' | b'g' | b'v' | b'w' | b'y' => 0.012,
        b'0'..=b'9' => 0.02,
        b'.' | b',' => 0.02,
        b'j' | b'k' | b'q' | b'x' | b'z' => 0.003,
        128.. => 0.0008,
        _ => 0.002,
    };
    literal.iter().map(|b| of(*b)).product()
}
