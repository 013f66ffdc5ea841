//! Patterns of what is not content: statements (ContentEx II.A) and the noises of forum pages (III.B).
//!
//! They live in a data file, by kind and language, not in code: `patterns.toml` beside this file is built in, and a user
//! adds a file of the same form through the parameter `patterns` of a preset. All lists of a kind become one regular
//! expression, since a page may be of any language and of several. Matching is linear in the text, whatever a file says.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::screen::Screen;
use crate::dom::text::Wording;

/// The patterns that are built in.
const BUILT_IN: &str = include_str!("patterns.toml");

/// Largest size of a compiled expression, in bytes: some ten times that of all built-in times.
const COMPILED_LIMIT: usize = 64 << 20;

/// Memory, in bytes, for the automaton that a thread grows of one kind. Where it does not fit in, it is thrown away and
/// grown again all the time, which costs ten times the matching.
const AUTOMATON_LIMIT: usize = 10 << 20;

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

/// The three sorts of statements that the paper names.
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

/// Patterns of which it matters only whether one is found.
#[derive(Clone, Debug)]
struct Signs {
    screen: Screen,
    /// Each alone: a text that passes the screen passes it for one or two of them, and their automata are small.
    each: Vec<Lazy>,
}

impl Signs {
    fn new(patterns: &[String]) -> Self {
        Self {
            screen: Screen::new(patterns.iter().map(String::as_str)),
            each: patterns.iter().map(|p| Lazy::new(p.clone())).collect(),
        }
    }

    fn are_in(&self, text: &mut Wording<'_>) -> bool {
        // Nearly always there are none.
        let mut numbers = Vec::new();
        self.screen.any(text.rough(), |number| {
            numbers.push(number);
            false
        });
        numbers.sort_unstable();
        numbers.dedup();
        let mut each = numbers
            .into_iter()
            .filter_map(|number| self.each[usize::from(number)].get());
        each.any(|pattern| pattern.is_match(text.collapsed()))
    }
}

/// Patterns of which it matters what they match.
#[derive(Clone, Debug)]
struct Spans {
    screen: Screen,
    /// One expression that matches what any of the patterns matches.
    whole: Lazy,
}

impl Spans {
    fn new(patterns: &[String]) -> Self {
        let groups: Vec<String> = patterns.iter().map(|p| format!("(?:{p})")).collect();
        Self {
            screen: Screen::new(patterns.iter().map(String::as_str)),
            whole: Lazy::new(groups.join("|")),
        }
    }

    fn are_in<'t>(&'t self, text: &'t mut Wording<'_>) -> impl Iterator<Item = &'t str> {
        let may = self.screen.any(text.rough(), |_| true);
        let whole = if may { self.whole.get() } else { None };
        let found = whole.map(|whole| whole.find_iter(text.collapsed()));
        found.into_iter().flatten().map(|m| m.as_str())
    }
}

/// An expression that is compiled when first asked: most of them never are.
#[derive(Clone, Debug)]
struct Lazy {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    fn new(pattern: String) -> Self {
        Self {
            pattern,
            compiled: OnceLock::new(),
        }
    }

    /// The expression. Patterns are checked before they come here, so there always is one.
    fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()
    }
}

/// Compiled patterns, by kind. A kind without patterns matches nothing.
#[derive(Clone)]
pub struct Patterns {
    statement: Signs,
    time: Spans,
    ip: Spans,
    colon: Signs,
    copyright: Signs,
    /// Hash of the user's file; 0 where there is none.
    hash: u64,
}

impl Patterns {
    /// The built-in patterns, compiled once.
    pub fn built_in() -> Arc<Self> {
        // A test makes sure that they compile.
        static COMPILED: LazyLock<Arc<Patterns>> =
            LazyLock::new(|| Arc::new(Patterns::compile(None).expect("the built-in patterns compile")));
        Arc::clone(&COMPILED)
    }

    /// The built-in patterns and those of a file's text.
    ///
    /// # Errors
    /// What is wrong with the text, in words that name the section, the pattern or the line.
    pub fn extended(text: &str) -> Result<Self, String> {
        Self::compile(Some(text))
    }

    /// Hash of the text that the built-in patterns were extended by; `None` where they were not.
    pub fn hash(&self) -> Option<u64> {
        (self.hash != 0).then_some(self.hash)
    }

    /// Whether a text has the sign of a statement: about copyright, a disclaimer, what may be posted.
    pub(crate) fn is_statement(&self, text: &mut Wording<'_>) -> bool {
        self.statement.are_in(text)
    }

    /// Whether a text ends in a colon.
    pub(crate) fn is_colon(&self, text: &mut Wording<'_>) -> bool {
        self.colon.are_in(text)
    }

    /// Whether a text says "all rights reserved".
    pub(crate) fn is_copyright(&self, text: &mut Wording<'_>) -> bool {
        self.copyright.are_in(text)
    }

    /// Times and dates in a text.
    pub(crate) fn times<'t>(&'t self, text: &'t mut Wording<'_>) -> impl Iterator<Item = &'t str> {
        self.time.are_in(text)
    }

    /// IP addresses in a text.
    pub(crate) fn ips<'t>(&'t self, text: &'t mut Wording<'_>) -> impl Iterator<Item = &'t str> {
        self.ip.are_in(text)
    }

    fn compile(further: Option<&str>) -> Result<Self, String> {
        let read = |text: &str| toml::from_str::<File>(text).map_err(|e| e.to_string().trim_end().to_owned());
        let own = read(BUILT_IN)?;
        let users = further.map(read).transpose()?.unwrap_or_default();
        let kind = |name: &str, of: &dyn Fn(&File) -> Vec<String>| {
            let mut users = of(&users);
            // Each of the user's is compiled alone first, so that it can be named and cannot break out of its group.
            for pattern in &users {
                compile(&with_ascii_borders(pattern))
                    .map_err(|e| format!("the {name} pattern “{pattern}” is no regular expression: {e}"))?;
            }
            let mut patterns = of(&own);
            patterns.append(&mut users);
            Ok::<Vec<String>, String>(patterns.iter().map(|p| with_ascii_borders(p)).collect())
        };
        let this = Self {
            statement: Signs::new(&kind("statement", &|f| f.statement.all())?),
            time: Spans::new(&kind("time", &|f| flat(&f.time))?),
            ip: Spans::new(&kind("ip", &|f| flat(&f.ip))?),
            colon: Signs::new(&kind("colon", &|f| flat(&f.colon))?),
            copyright: Signs::new(&kind("copyright", &|f| flat(&f.copyright))?),
            // 0 stands for no file, so no file may have it.
            hash: further.map_or(0, |text| xxhash_rust::xxh3::xxh3_64(text.as_bytes()).max(1)),
        };
        let too_many = |spans: &Spans| further.is_some() && spans.whole.get().is_none();
        match [("time", &this.time), ("ip", &this.ip)]
            .iter()
            .find(|(_, spans)| too_many(spans))
        {
            Some((name, _)) => Err(format!("the {name} patterns are too many or too long together")),
            None => Ok(this),
        }
    }
}

impl PartialEq for Patterns {
    /// The built-in patterns are always the same, so the user's decide.
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Patterns {}

impl std::fmt::Debug for Patterns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

/// Makes `\b` the border of a run of ASCII letters and digits. Unicode's parts nothing between a number and the Chinese
/// around it, and the fast engine of the expressions does not have it.
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

    /// Asks something of a text, as it stands in a page.
    fn in_page<T>(text: &str, ask: impl FnOnce(&mut Wording<'_>) -> T) -> T {
        let page = text.replace(' ', "\n ");
        let dom = crate::dom::parse::parse(&page, crate::dom::Buffers::default());
        let id = (0..dom.len()).find(|id| dom.node(*id).tag == crate::dom::Tag::Text);
        ask(&mut Wording::new(&dom, id.expect("a text"), &mut String::new()))
    }

    fn all() -> Patterns {
        Patterns::compile(None).expect("the built-in patterns compile")
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
            assert!(in_page(text, |t| all.is_statement(t)), "{text}");
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
            assert!(!in_page(text, |t| all.is_statement(t)), "{text}");
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
            assert!(in_page(text, |t| all.times(t).next().is_some()), "{text}");
        }
        for text in [
            "3.14159",
            "on Monday",
            "in 2010",
            "10 martians",
            "chapter 3, 2010 words",
        ] {
            assert!(!in_page(text, |t| all.times(t).next().is_some()), "{text}");
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
            assert!(in_page(text, |t| all.ips(t).next().is_some()), "{text}");
        }
        for text in ["1.2.3", "version 4.300.2.1", "a.b.c.d"] {
            assert!(!in_page(text, |t| all.ips(t).next().is_some()), "{text}");
        }
        for text in ["Author:", "作者：", "From :"] {
            assert!(in_page(text, |t| all.is_colon(t)), "{text}");
        }
        assert!(!in_page("Note: this", |t| all.is_colon(t)));
    }

    #[test]
    fn a_file_adds_to_what_is_built_in_and_is_known_by_its_hash() {
        let more =
            Patterns::extended("[statement.posting]\nxx = ['^be nice$']\n[ip]\nxx = ['from space']").expect("valid");
        assert!(
            in_page("Be nice", |t| more.is_statement(t))
                && in_page("© 2010", |t| more.is_statement(t))
                && in_page("FROM SPACE", |t| more.ips(t).next().is_some())
        );
        assert!(more.hash().is_some() && more != all() && all().hash().is_none());
        assert_ne!(Patterns::extended("").expect("valid"), more);
    }

    #[test]
    fn what_a_pattern_matches_passes_its_screen() {
        let all = all();
        let mut runner = TestRunner::deterministic();
        for lazy in all
            .statement
            .each
            .iter()
            .chain(&all.copyright.each)
            .chain(&all.colon.each)
        {
            let compiled = lazy.get().expect("a built-in pattern compiles");
            let screen = Screen::new([lazy.pattern.as_str()].into_iter());
            // What is made from a pattern has no borders and ends of its own.
            let plain = lazy.pattern.replace(r"(?-u:\b)", "").replace(['^', '$'], "");
            let texts = string_regex(&plain).expect("a pattern that texts are made from");
            for _ in 0..50 {
                let text = texts.new_tree(&mut runner).expect("a text").current();
                for text in [text.to_uppercase(), text.to_lowercase(), text] {
                    assert!(
                        !compiled.is_match(&text) || screen.any(&text, |_| true),
                        "{} {text}",
                        lazy.pattern
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_named() {
        let error = |text: &str| Patterns::extended(text).expect_err("an error");
        assert!(
            error("[tiem]\nen = []").contains("tiem"),
            "{}",
            error("[tiem]\nen = []")
        );
        assert!(error("[time]\nen = ['(']").contains("time pattern “(”"));
        assert!(error("[time]\nen = 'x'").contains("sequence"));
        // Alternatives of one pattern stay within it.
        assert!(Patterns::extended("[time]\nen = [')|(']").is_err());
    }
}
