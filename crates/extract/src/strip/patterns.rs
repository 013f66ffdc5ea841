//! Patterns of what is not content: statements (ContentEx II.A) and the noise of forum pages (III.B).
//!
//! The patterns are data: `patterns.toml` beside this file is built in and lists them by kind and language. A user adds a
//! file of the same form with the parameter `patterns` of a preset. A page may be of several languages, so the patterns
//! of all languages apply to every page.
//!
//! Whether a pattern matches takes time linear in the text, whatever a file says. Finding all matches can take more, so
//! only short texts are searched for them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::prefilter::Prefilter;
use crate::view::View;
use dehusk_html::internal::NodeText;
use dehusk_html::{Dom, NodeFlags, NodeId, Tag};

/// The patterns that are built in.
const BUILT_IN: &str = include_str!("patterns.toml");

/// Largest size of a compiled expression, in bytes. It is ten times that of all built-in times together.
const COMPILED_LIMIT: usize = 64 << 20;

/// Most patterns of a kind. Patterns are numbered with 16 bits.
const MOST_PATTERNS: usize = 10_000;

/// Memory for the lazy automaton of one expression in one thread, in bytes. An automaton that does not fit is rebuilt
/// again and again, which makes matching ten times slower.
const AUTOMATON_LIMIT: usize = 10 << 20;

/// What is wrong with a file of patterns.
#[derive(Debug)]
#[non_exhaustive]
pub enum PatternError {
    /// The file cannot be read.
    Read(std::io::Error),
    /// The text is not TOML, or has a section that a patterns file does not have.
    Form(Box<dyn Error + Send + Sync>),
    /// A pattern is no regular expression.
    Expression {
        /// The kind that it stands under.
        kind: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A pattern matches every text.
    MatchesAll {
        /// The kind that it stands under.
        kind: &'static str,
        /// The pattern.
        pattern: String,
    },
    /// A kind has more patterns than can be numbered.
    TooMany {
        /// The kind.
        kind: &'static str,
    },
    /// The patterns of a kind do not fit into one expression.
    TooLarge {
        /// The kind.
        kind: &'static str,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(e) => write!(f, "cannot be read: {e}"),
            Self::Form(e) => f.write_str(e.to_string().trim_end()),
            Self::Expression { kind, pattern, source } => {
                write!(f, "the {kind} pattern “{pattern}” is no regular expression: {source}")
            }
            Self::MatchesAll { kind, pattern } => {
                write!(f, "the {kind} pattern “{pattern}” matches every text")
            }
            Self::TooMany { kind } => write!(f, "there are more than {MOST_PATTERNS} {kind} patterns"),
            Self::TooLarge { kind } => write!(f, "the {kind} patterns are too many or too long together"),
        }
    }
}

impl Error for PatternError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read(e) => Some(e),
            Self::Form(e) | Self::Expression { source: e, .. } => Some(e.as_ref()),
            _ => None,
        }
    }
}

/// Patterns of one kind by language.
type Lists = BTreeMap<String, Vec<String>>;

/// A file of patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    statement: StatementLists,
    time: Lists,
    ip: Lists,
    colon: Lists,
    copyright: Lists,
}

/// The three kinds of statements that the paper names.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatementLists {
    copyright: Lists,
    disclaimer: Lists,
    posting: Lists,
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
pub(crate) struct Kinds(u8);

impl Kinds {
    /// Statements about copyright, disclaimers and posting rules.
    pub const STATEMENT: Kinds = Kinds(1);
    /// Times and dates.
    pub const TIME: Kinds = Kinds(2);
    /// IP addresses.
    pub const IP: Kinds = Kinds(4);
    /// A colon at the end.
    pub const COLON: Kinds = Kinds(8);
    /// "All rights reserved".
    pub const COPYRIGHT: Kinds = Kinds(16);

    /// Not a kind of pattern: the text may have digits, so patterns that need a digit could match too.
    pub const DIGITS: Kinds = Kinds(32);

    /// Whether only short texts are searched for it. Their digits are then looked for first.
    fn is_short(self) -> bool {
        self == Self::TIME || self == Self::IP
    }

    pub fn and(self, others: Kinds) -> Kinds {
        Kinds(self.0 | others.0)
    }

    pub fn has(self, kind: Kinds) -> bool {
        self.0 & kind.0 != 0
    }
}

/// The key of a view's candidates: the hash of the user's patterns.
#[derive(PartialEq)]
pub(super) struct CandidatesKey(u64);

/// The texts of a page in which a pattern could match, in order, each with the kinds of those patterns.
pub(crate) type Candidates = Vec<(NodeId, Kinds)>;

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
    /// Each pattern with its kind. A text that passes the prefilter passes it for one or two patterns, whose automata are
    /// small.
    each: Vec<(Kinds, LazyRegex)>,
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
                kinds = kinds.and(Kinds::DIGITS);
            }
            if kinds != Kinds::default() {
                found.push((id, kinds));
            }
        }
        found
    }

    /// The kinds of patterns that could match in a text, except for times and addresses with digits.
    #[inline]
    fn could_be(&self, text: &str, is_ascii: bool) -> Kinds {
        let mut found = Kinds::default();
        self.prefilter
            .visit(text, is_ascii, |number| found.0 |= self.each[usize::from(number)].0.0);
        found
    }

    /// The kinds of patterns that could match in a text with digits.
    pub(crate) fn with_digits(&self, text: &str) -> Kinds {
        let mut found = Kinds::default();
        self.prefilter
            .visit_digits(text, |number| found.0 |= self.each[usize::from(number)].0.0);
        found
    }

    /// Whether a pattern of a kind matches in a text. Not for times and addresses.
    pub(crate) fn is(&self, kind: Kinds, text: &str) -> bool {
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
            // Each of the user's patterns is compiled alone first: so an error names it, and it cannot break out of its group.
            for pattern in &users {
                // The alternative behind it finds a comment that would swallow the patterns behind.
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
            (Kinds::STATEMENT, kind("statement", &|f| f.statement.all())?),
            (Kinds::COLON, kind("colon", &|f| flat(&f.colon))?),
            (Kinds::COPYRIGHT, kind("copyright", &|f| flat(&f.copyright))?),
            (Kinds::TIME, kind("time", &|f| flat(&f.time))?),
            (Kinds::IP, kind("ip", &|f| flat(&f.ip))?),
        ];
        let any_of = |kind: Kinds| {
            let groups = by_kind
                .iter()
                .filter(|(of, _)| *of == kind)
                .flat_map(|(_, patterns)| patterns);
            LazyRegex::new(groups.map(|p| format!("(?:{p})")).collect::<Vec<_>>().join("|"))
        };
        let (times, ips) = (any_of(Kinds::TIME), any_of(Kinds::IP));
        let each: Vec<(Kinds, String)> = by_kind
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
fn flat(lists: &Lists) -> Vec<String> {
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
mod tests {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;

    fn all() -> Patterns {
        Patterns::compile(None).expect("the built-in patterns compile")
    }

    fn could_be(text: &str, kind: Kinds) -> bool {
        let all = all();
        all.could_be(text, text.is_ascii()).and(all.with_digits(text)).has(kind)
    }

    #[test]
    fn statements_are_known_in_many_languages() {
        let all = all();
        for text in [
            "© 2011 A Paper Ltd.",
            "Copyright (c) 1999-2012 The Shore",
            "ALL RIGHT RESERVED",
            "Alle Rechte vorbehalten.",
            "Tous droits réservés",
            "Todos los derechos reservados",
            "Wszelkie prawa zastrzeżone",
            "Με την επιφύλαξη παντός δικαιώματος",
            "Все права защищены",
            "版权所有 某某网",
            "未经书面许可不得转载",
            "無断転載を禁じます",
            "جميع الحقوق محفوظة",
            "Disclaimer: use with care",
            "The opinions expressed here are not those of the owner",
            "Alle Angaben ohne Gewähr",
            "Le site décline toute responsabilité",
            "Redakcja nie ponosi odpowiedzialności za treść komentarzy",
            "Администрация не несёт ответственности за сообщения",
            "本帖仅代表作者个人观点，不代表本站立场",
            "المشاركات تعبر عن رأي صاحبها",
            "You may not post new threads",
            "You cannot reply to topics in this forum",
            "Du darfst keine neuen Themen erstellen",
            "Vous ne pouvez pas poster de nouveaux sujets",
            "No puedes crear nuevos temas",
            "Nie możesz pisać nowych tematów",
            "Δεν μπορείτε να δημοσιεύετε νέα θέματα",
            "Вы не можете начинать темы",
            "请自觉遵守国家有关法律、法规",
            "誹謗中傷はおやめください",
            "لا تستطيع إضافة مواضيع جديدة",
        ] {
            assert!(all.is(Kinds::STATEMENT, text), "{text}");
        }
        for text in [
            "The court spoke about copyright for an hour.",
            "Nach dem Gesetz gelten die Regeln für alle.",
            "他违反了法律，被法院判刑。",
            "Правительство обсудило новые правила поведения.",
            "I may post more about it tomorrow.",
            "You can't upload a form in the free version.",
            "Modules may not be published at all.",
        ] {
            assert!(!all.is(Kinds::STATEMENT, text), "{text}");
        }
    }

    #[test]
    fn times_are_known_in_many_languages() {
        let all = all();
        for text in [
            "2010-5-1 12:30",
            "发表于2010-5-1",
            "2010-05-01T12:30:59Z",
            "1/5/10",
            "12:30",
            "March 3rd, 2010",
            "3 Mar 2010",
            "2 hours ago",
            "5. März 2010",
            "vor 3 Stunden",
            "3 mars 2010",
            "il y a 5 minutes",
            "3 de marzo de 2010",
            "3 października 2010",
            "5 minut temu",
            "3 Μαρτίου 2010",
            "πριν από 5 λεπτά",
            "3 марта 2010 г.",
            "2 часа назад",
            "2010年5月1日",
            "5分钟前",
            "２０１０年５月１日（土）",
            "3時間前",
            "2010년 5월 1일",
            "٣ مارس ٢٠١٠",
            "منذ 5 دقائق",
        ] {
            assert!(
                (could_be(text, Kinds::TIME) && all.times(text).next().is_some()),
                "{text}"
            );
        }
        for text in [
            "3.14159",
            "on Monday",
            "in 2010",
            "10 martians",
            "chapter 3, 2010 words",
        ] {
            assert!(
                !(could_be(text, Kinds::TIME) && all.times(text).next().is_some()),
                "{text}"
            );
        }
    }

    #[test]
    fn addresses_and_colons_are_known() {
        let all = all();
        for text in [
            "218.64.1.254",
            "IP: 218.64.*.*",
            "来自218.64.1.*",
            "10.0.xxx.xxx",
            "fe80:0:0:0:1:2:3:4",
        ] {
            assert!((could_be(text, Kinds::IP) && all.ips(text).next().is_some()), "{text}");
        }
        for text in ["1.2.3", "version 4.300.2.1", "a.b.c.d"] {
            assert!(!(could_be(text, Kinds::IP) && all.ips(text).next().is_some()), "{text}");
        }
        for text in ["Author:", "作者：", "From :"] {
            assert!(all.is(Kinds::COLON, text), "{text}");
        }
        assert!(!all.is(Kinds::COLON, "Note: this"));
    }

    #[test]
    fn a_file_adds_to_what_is_built_in_and_is_known_by_its_hash() {
        let more =
            Patterns::extended("[statement.posting]\nxx = ['^be nice$']\n[ip]\nxx = ['from space']").expect("valid");
        assert!(
            more.is(Kinds::STATEMENT, "Be nice")
                && more.is(Kinds::STATEMENT, "© 2010")
                && more.ips("FROM SPACE").next().is_some()
        );
        assert!(more.hash().is_some() && more != all() && all().hash().is_none());
        assert_ne!(Patterns::extended("").expect("valid"), more);
    }

    #[test]
    fn what_a_pattern_matches_passes_its_screen() {
        let passes = |prefilter: &Prefilter, text: &str| {
            let mut passes = false;
            prefilter.visit(text, text.is_ascii(), |_| passes = true);
            prefilter.visit_digits(text, |_| passes = true);
            passes
        };
        let mut runner = TestRunner::deterministic();
        let file: File = toml::from_str(BUILT_IN).expect("valid");
        let lists = [&file.time, &file.ip, &file.colon, &file.copyright];
        let patterns = lists.into_iter().flat_map(flat).chain(file.statement.all());
        for pattern in patterns.map(|pattern| with_ascii_borders(&pattern)) {
            let compiled = compile(&pattern).expect("a built-in pattern compiles");
            let prefilter = Prefilter::new([(pattern.as_str(), true)].into_iter());
            // What is made from a pattern has no borders and ends of its own.
            let plain = pattern.replace(r"(?-u:\b)", "").replace(['^', '$'], "");
            let texts = string_regex(&plain).expect("a pattern that texts are made from");
            for _ in 0..50 {
                let text = texts.new_tree(&mut runner).expect("a text").current();
                for text in [text.to_uppercase(), text.to_lowercase(), text] {
                    assert!(
                        !compiled.is_match(&text) || passes(&prefilter, &text),
                        "{pattern} {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_named() {
        let error = |text: &str| Patterns::extended(text).expect_err("an error").to_string();
        assert!(
            error("[tiem]\nen = []").contains("tiem"),
            "{}",
            error("[tiem]\nen = []")
        );
        assert!(error("[time]\nen = ['(']").contains("time pattern “(”"));
        assert!(error("[time]\nen = 'x'").contains("sequence"));
        // Alternatives of one pattern stay within it, and so do its comments.
        assert!(Patterns::extended("[time]\nen = [')|(']").is_err());
        assert!(error("[time]\nen = ['(?x) foo # a comment']").contains("a comment” is no regular expression"));
        assert!(error("[colon]\nen = ['a*']").contains("“a*” matches every text"));
        let many = vec!["'x1'"; MOST_PATTERNS].join(",");
        assert!(error(&format!("[colon]\nen = [{many}]")).contains("more than"));
    }
}
