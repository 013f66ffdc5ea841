//! Finds the required literals of a pattern: the rarest ones that can be derived from its syntax.

use std::sync::LazyLock;

use regex_syntax::hir::literal::{ExtractKind, Extractor, Seq};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};
use regex_syntax::{Parser, ParserBuilder};

use super::FOLD;

/// Most bytes of a literal. Where a pattern has too many of one length, the next length is tried.
const LENGTHS: [usize; 4] = [8, 5, 3, 2];

/// Most bytes of a match of a pattern that matches only at the end of a text.
pub const END: usize = 4;

/// Most literals that are considered for a pattern.
const MOST: usize = 400;

/// Most adjacent parts of a pattern that form a literal.
const MOST_PARTS: usize = 12;

/// A class with more characters than this ends a literal.
const MOST_CHARS: usize = 12;

/// The required literals of a pattern.
#[derive(Debug)]
pub struct RequiredLiterals {
    /// The texts to look for them in.
    pub place: MatchPlace,
    /// Fewest bytes of a match.
    pub least: usize,
    /// Every match contains one of these, in a text without non-ASCII digits and without non-ASCII cases of ASCII's
    /// letters. `None` where no literals are known.
    pub literals: Option<Vec<Vec<u8>>>,
}

/// The texts that a pattern can match in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchPlace {
    /// Any text.
    Anywhere,
    /// Texts with a digit.
    WithDigits,
    /// Any text, but only its last character.
    AtEnd,
}

impl RequiredLiterals {
    pub fn find(pattern: &str) -> Self {
        let parsed = ParserBuilder::new()
            .case_insensitive(true)
            .utf8(false)
            .build()
            .parse(pattern);
        let Ok(hir) = parsed else {
            return Self {
                place: MatchPlace::Anywhere,
                least: 0,
                literals: None,
            };
        };
        let properties = hir.properties();
        let at_end = properties.maximum_len().is_some_and(|most| most <= END)
            && properties.look_set_suffix().contains(Look::End);
        Self {
            place: if at_end {
                MatchPlace::AtEnd
            } else if needs_digit(&hir) {
                MatchPlace::WithDigits
            } else {
                MatchPlace::Anywhere
            },
            least: properties.minimum_len().unwrap_or(0),
            literals: need(&simple(&hir)).map(|need| need.literals),
        }
    }
}

/// The class `\d`.
static DIGITS: LazyLock<Option<ClassUnicode>> = LazyLock::new(|| match Parser::new().parse(r"\d").ok()?.into_kind() {
    HirKind::Class(Class::Unicode(class)) => Some(class),
    _ => None,
});

/// Whether a class contains only digits.
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

/// The small letter, if the class is one ASCII letter in all its cases.
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

/// A pattern with small letters, with ASCII's digits only, and without groups.
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
            // `x{n}` is written as `x{n-1}x`, so that a literal can begin with the last repetition.
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

/// Literals of which every match contains at least one.
#[derive(Clone, Debug)]
struct Need {
    literals: Vec<Vec<u8>>,
    /// Estimated share of positions of an ordinary text at which one of them occurs.
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

/// Literals of this [`rate`] are rare enough. A further search would only slow down the start of the program.
const RARE: f64 = 1e-8;

/// The rarest set so far.
struct Rarest(Option<Need>);

impl Rarest {
    /// Keeps the rarer set. Nothing is computed if the present set is rare enough.
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

/// The rarest literals that every match contains; `None` where none are known.
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
                    // A required literal can begin anywhere in a literal of the pattern.
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

/// The literals that every match begins with.
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

/// The estimated probability that a literal occurs at a position of a text. The estimate takes bytes as independent, in
/// the proportions of English prose with some share of other scripts. Digits get a high value because they are
/// together.
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
