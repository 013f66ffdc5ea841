//! Patterns of what is not content: statements (ContentEx II.A) and the noise of forum pages (III.B).
//!
//! The patterns are data: `patterns.toml` beside this file is built in and lists them by kind and language. A user adds
//! a file of the same form with the parameter `patterns` of a preset. A page may be of several languages, so the
//! patterns of all languages apply to every page.
//!
//! Whether a pattern matches takes time linear in the text, whatever a file holds. Finding all matches can take more,
//! so only short texts are searched for them.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::pattern_error::{MOST_PATTERNS, PatternError};
use super::prefilter::Prefilter;
use crate::view::View;
use dehusk_html::rendering::NodeText;
use dehusk_html::{Dom, NodeFlags, NodeId, Tag};

/// The patterns that are built in.
const BUILT_IN: &str = include_str!("patterns.toml");

/// Largest size of a compiled expression, in bytes. It is ten times that of all built-in times together.
const COMPILED_LIMIT: usize = 64 << 20;

/// Memory for the lazy automaton of one expression in one thread, in bytes. An automaton that does not fit is rebuilt
/// again and again, which makes matching ten times slower.
const AUTOMATON_LIMIT: usize = 10 << 20;

/// Patterns of one kind by language.
type PatternLists = BTreeMap<String, Vec<String>>;

/// A file of patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    statement: StatementLists,
    time: PatternLists,
    ip: PatternLists,
    colon: PatternLists,
    copyright: PatternLists,
}

/// The three kinds of statements that the paper names.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatementLists {
    copyright: PatternLists,
    disclaimer: PatternLists,
    posting: PatternLists,
}

impl StatementLists {
    fn all(&self) -> Vec<String> {
        [&self.copyright, &self.disclaimer, &self.posting]
            .into_iter()
            .flat_map(flat)
            .collect()
    }
}

/// A set of kinds of patterns, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatternKinds(u8);

impl PatternKinds {
    /// Statements about copyright, disclaimers and posting rules.
    pub const STATEMENT: PatternKinds = PatternKinds(1);
    /// Times and dates.
    pub const TIME: PatternKinds = PatternKinds(2);
    /// IP addresses.
    pub const IP: PatternKinds = PatternKinds(4);
    /// A colon at the end.
    pub const COLON: PatternKinds = PatternKinds(8);
    /// "All rights reserved".
    pub const COPYRIGHT: PatternKinds = PatternKinds(16);

    /// Not a kind of pattern: the text may have digits, so patterns that need a digit could match too.
    pub const DIGITS: PatternKinds = PatternKinds(32);

    /// Whether only short texts are searched for it. Their digits are then looked for first.
    fn is_short(self) -> bool {
        self == Self::TIME || self == Self::IP
    }

    pub fn union(self, others: PatternKinds) -> PatternKinds {
        PatternKinds(self.0 | others.0)
    }

    pub fn has_any(self, kind: PatternKinds) -> bool {
        self.0 & kind.0 != 0
    }
}

/// The key of a view's candidates: the hash of the user's patterns.
#[derive(PartialEq)]
pub(super) struct CandidatesKey(u64);

/// The texts of a page in which a pattern could match, in order, each with the kinds of those patterns.
pub(crate) type Candidates = Vec<(NodeId, PatternKinds)>;

/// An expression that is compiled on its first use. Most of them are never used.
#[derive(Clone, Debug)]
struct LazyRegex {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    fn new(pattern: String) -> Self {
        Self {
            pattern,
            compiled: OnceLock::new(),
        }
    }

    /// The expression. Patterns are checked before, so they always compile.
    fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()
    }

    /// All matches in a text.
    fn find_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let found = self.get().map(|pattern| pattern.find_iter(text));
        found.into_iter().flatten().map(|m| m.as_str())
    }
}

/// Compiled patterns, by kind. A kind without patterns matches nothing.
#[derive(Clone)]
pub struct Patterns {
    /// The prefilter of all patterns, by their numbers.
    prefilter: Prefilter,
    /// Each pattern with its kind. A text that passes the prefilter passes it for one or two patterns, whose automata
    /// are small.
    each: Vec<(PatternKinds, LazyRegex)>,
    /// All times as one expression.
    times: LazyRegex,
    /// All addresses as one expression.
    ips: LazyRegex,
    /// Hash of the user's file; 0 without one.
    hash: u64,
}

impl Patterns {
    /// The built-in patterns, compiled once.
    pub fn built_in() -> Arc<Self> {
        // A test checks that they compile.
        static COMPILED: LazyLock<Arc<Patterns>> =
            LazyLock::new(|| Arc::new(Patterns::compile(None).expect("the built-in patterns compile")));
        Arc::clone(&COMPILED)
    }

    /// The built-in patterns and those of a file's text.
    ///
    /// # Errors
    /// The text has no such form, or one of its patterns cannot be used.
    pub fn extended(text: &str) -> Result<Self, PatternError> {
        Self::compile(Some(text))
    }

    /// Hash of the user's text; `None` for the built-in patterns alone.
    pub fn hash(&self) -> Option<u64> {
        (self.hash != 0).then_some(self.hash)
    }

    /// The key under which a view shares the candidates of these patterns.
    pub(super) fn key(&self) -> CandidatesKey {
        CandidatesKey(self.hash)
    }

    /// The candidates of a view's page. They are found once for each view.
    pub(crate) fn candidates_in(&self, view: &View<'_>) -> Rc<Candidates> {
        view.shared(self.key(), || self.candidates(view.dom()))
    }

    /// The candidates of a page.
    pub(super) fn candidates(&self, dom: &Dom<'_>) -> Candidates {
        let mut found = Candidates::new();
        if dom.is_empty() {
            return found;
        }
        let mut scratch = String::new();
        let body = dom.subtree(dom.body());
        for (id, node) in body.clone().zip(&dom.nodes()[body.start as usize..]) {
            if node.tag != Tag::Text {
                continue;
            }
            let is_ascii = !node.flags.has(NodeFlags::NON_ASCII);
            let mut kinds = if node.flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) {
                self.could_be(NodeText::new(dom, id, &mut scratch).collapsed(), is_ascii)
            } else {
                self.could_be(dom.raw(id), is_ascii)
            };
            if node.flags.has(NodeFlags::DIGITS) {
                kinds = kinds.union(PatternKinds::DIGITS);
            }
            if kinds != PatternKinds::default() {
                found.push((id, kinds));
            }
        }
        found
    }

    /// The kinds of patterns that could match in a text, except for times and addresses with digits.
    #[inline]
    fn could_be(&self, text: &str, is_ascii: bool) -> PatternKinds {
        let mut found = PatternKinds::default();
        self.prefilter
            .visit(text, is_ascii, |number| found.0 |= self.each[usize::from(number)].0.0);
        found
    }

    /// The kinds of patterns that could match in a text with digits.
    pub(crate) fn with_digits(&self, text: &str) -> PatternKinds {
        let mut found = PatternKinds::default();
        self.prefilter
            .visit_digits(text, |number| found.0 |= self.each[usize::from(number)].0.0);
        found
    }

    /// Whether a pattern of a kind matches in a text. Not for times and addresses.
    pub(crate) fn matches(&self, kind: PatternKinds, text: &str) -> bool {
        let mut numbers = Vec::new();
        let mut take = |number: u16| {
            if self.each[usize::from(number)].0 == kind {
                numbers.push(number);
            }
        };
        self.prefilter.visit(text, text.is_ascii(), &mut take);
        numbers.sort_unstable();
        numbers.dedup();
        let mut each = numbers
            .into_iter()
            .filter_map(|number| self.each[usize::from(number)].1.get());
        each.any(|pattern| pattern.is_match(text))
    }

    /// Times and dates in a text.
    pub(crate) fn times<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.times.find_in(text)
    }

    /// IP addresses in a text.
    pub(crate) fn ips<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.ips.find_in(text)
    }

    fn compile(further: Option<&str>) -> Result<Self, PatternError> {
        let read = |text: &str| toml::from_str::<File>(text).map_err(|e| PatternError::Form(Box::new(e)));
        let own = read(BUILT_IN)?;
        let users = further.map(read).transpose()?.unwrap_or_default();
        let kind = |name: &'static str, of: &dyn Fn(&File) -> Vec<String>| {
            let mut users = of(&users);
            // Each of the user's patterns is compiled alone first: so an error names it, and it cannot break out of its
            // group.
            for pattern in &users {
                // The alternative after it finds a comment that would swallow the patterns after it.
                let bordered = with_ascii_borders(pattern);
                let alone = compile(&bordered).and_then(|alone| compile(&format!("(?:{bordered})|x")).map(|_| alone));
                let alone = alone.map_err(|e| PatternError::Expression {
                    kind: name,
                    pattern: pattern.clone(),
                    source: Box::new(e),
                })?;
                if alone.is_match("") {
                    return Err(PatternError::MatchesAll {
                        kind: name,
                        pattern: pattern.clone(),
                    });
                }
            }
            let mut patterns = of(&own);
            patterns.append(&mut users);
            if patterns.len() > MOST_PATTERNS {
                return Err(PatternError::TooMany { kind: name });
            }
            Ok::<Vec<String>, PatternError>(patterns.iter().map(|p| with_ascii_borders(p)).collect())
        };
        let by_kind = [
            (PatternKinds::STATEMENT, kind("statement", &|f| f.statement.all())?),
            (PatternKinds::COLON, kind("colon", &|f| flat(&f.colon))?),
            (PatternKinds::COPYRIGHT, kind("copyright", &|f| flat(&f.copyright))?),
            (PatternKinds::TIME, kind("time", &|f| flat(&f.time))?),
            (PatternKinds::IP, kind("ip", &|f| flat(&f.ip))?),
        ];
        let any_of = |kind: PatternKinds| {
            let groups = by_kind
                .iter()
                .filter(|(of, _)| *of == kind)
                .flat_map(|(_, patterns)| patterns);
            LazyRegex::new(groups.map(|p| format!("(?:{p})")).collect::<Vec<_>>().join("|"))
        };
        let (times, ips) = (any_of(PatternKinds::TIME), any_of(PatternKinds::IP));
        let each: Vec<(PatternKinds, String)> = by_kind
            .into_iter()
            .flat_map(|(kind, patterns)| patterns.into_iter().map(move |pattern| (kind, pattern)))
            .collect();
        let this = Self {
            prefilter: Prefilter::new(each.iter().map(|(kind, pattern)| (pattern.as_str(), kind.is_short()))),
            each: each
                .into_iter()
                .map(|(kind, pattern)| (kind, LazyRegex::new(pattern)))
                .collect(),
            times,
            ips,
            // 0 means no file, so no file has it.
            hash: further.map_or(0, |text| xxhash_rust::xxh3::xxh3_64(text.as_bytes()).max(1)),
        };
        let too_many = |whole: &LazyRegex| further.is_some() && whole.get().is_none();
        match [("time", &this.times), ("ip", &this.ips)]
            .iter()
            .find(|(_, whole)| too_many(whole))
        {
            Some((kind, _)) => Err(PatternError::TooLarge { kind }),
            None => Ok(this),
        }
    }
}

impl PartialEq for Patterns {
    /// The built-in patterns are always the same, so only the user's count.
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Patterns {}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hash() {
            Some(hash) => write!(f, "Patterns(built in and {hash:016x})"),
            None => f.write_str("Patterns(built in)"),
        }
    }
}

/// All patterns of a kind.
fn flat(lists: &PatternLists) -> Vec<String> {
    lists.values().flatten().cloned().collect()
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(COMPILED_LIMIT)
        .dfa_size_limit(AUTOMATON_LIMIT)
        .build()
}

/// Makes `\b` the border of a run of ASCII letters and digits. Unicode has no border between a number and Chinese text
/// around it, and the fast engine of the regular expressions does not support it.
fn with_ascii_borders(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('b') if chars.peek() != Some(&'{') => out.push_str(r"(?-u:\b)"),
            Some(escaped) => out.extend(['\\', escaped]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests;
