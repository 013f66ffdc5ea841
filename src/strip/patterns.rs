//! Patterns of what is not content: statements (ContentEx II.A) and the noises of forum pages (III.B).
//!
//! They live in a data file, by kind and language, not in code: `patterns.toml` beside this file is built in, and a user
//! adds a file of the same form through the parameter `patterns` of a preset. All lists of a kind become one regular
//! expression, since a page may be of any language and of several. Matching is linear in the text, whatever a file says.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::rare::Rare;

/// The patterns that are built in.
const BUILT_IN: &str = include_str!("patterns.toml");

/// Largest size of one compiled kind, in bytes: some ten times that of the built-in ones.
const COMPILED_LIMIT: usize = 64 << 20;

/// Memory, in bytes, for the automaton that a thread grows of one kind. That of the beginnings fits in; where it does not,
/// it is thrown away and grown again all the time, which costs ten times the matching.
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

/// Compiled patterns, by kind. A kind without patterns matches nothing.
#[derive(Clone)]
pub struct Patterns {
    /// Statements about copyright, disclaimers, posting rules.
    pub statement: Option<Rare>,
    /// Times and dates.
    pub time: Option<Regex>,
    /// IP addresses.
    pub ip: Option<Regex>,
    /// A colon at the end.
    pub colon: Option<Regex>,
    /// "All rights reserved".
    pub copyright: Option<Regex>,
    /// Hash of the user's file; 0 where there is none.
    hash: u64,
}

impl Patterns {
    /// The built-in patterns, compiled once.
    pub fn built_in() -> Arc<Self> {
        // A test makes sure that they compile.
        static COMPILED: LazyLock<Arc<Patterns>> =
            LazyLock::new(|| Arc::new(Patterns::compile(None).unwrap_or_else(|_| Patterns::none())));
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

    fn none() -> Self {
        Self {
            statement: None,
            time: None,
            ip: None,
            colon: None,
            copyright: None,
            hash: 0,
        }
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
        Ok(Self {
            statement: Rare::new(&kind("statement", &|f| f.statement.all())?)?,
            time: any_of(&kind("time", &|f| flat(&f.time))?)?,
            ip: any_of(&kind("ip", &|f| flat(&f.ip))?)?,
            colon: any_of(&kind("colon", &|f| flat(&f.colon))?)?,
            copyright: any_of(&kind("copyright", &|f| flat(&f.copyright))?)?,
            // 0 stands for no file, so no file may have it.
            hash: further.map_or(0, |text| xxhash_rust::xxh3::xxh3_64(text.as_bytes()).max(1)),
        })
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

pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(COMPILED_LIMIT)
        .dfa_size_limit(AUTOMATON_LIMIT)
        .build()
}

/// One expression that matches what any of the patterns matches; none for no patterns.
pub(super) fn any_of(patterns: &[String]) -> Result<Option<Regex>, String> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let groups: Vec<String> = patterns.iter().map(|p| format!("(?:{p})")).collect();
    let whole = compile(&groups.join("|"));
    whole.map(Some).map_err(|e| format!("the patterns together: {e}"))
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
    use super::*;

    fn all() -> Patterns {
        Patterns::compile(None).expect("the built-in patterns compile")
    }

    fn hits(of: &Option<Regex>, text: &str) -> bool {
        of.as_ref().is_some_and(|r| r.is_match(text))
    }

    fn is_statement(of: &Patterns, text: &str) -> bool {
        of.statement.as_ref().is_some_and(|s| s.is_match(text))
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
            assert!(is_statement(&all, text), "{text}");
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
            assert!(!is_statement(&all, text), "{text}");
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
            assert!(hits(&all.time, text), "{text}");
        }
        for text in [
            "3.14159",
            "on Monday",
            "in 2010",
            "10 martians",
            "chapter 3, 2010 words",
        ] {
            assert!(!hits(&all.time, text), "{text}");
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
            assert!(hits(&all.ip, text), "{text}");
        }
        for text in ["1.2.3", "version 4.300.2.1", "a.b.c.d"] {
            assert!(!hits(&all.ip, text), "{text}");
        }
        for text in ["Author:", "作者：", "From :"] {
            assert!(hits(&all.colon, text), "{text}");
        }
        assert!(!hits(&all.colon, "Note: this"));
    }

    #[test]
    fn a_file_adds_to_what_is_built_in_and_is_known_by_its_hash() {
        let more =
            Patterns::extended("[statement.posting]\nxx = ['^be nice$']\n[ip]\nxx = ['from space']").expect("valid");
        assert!(is_statement(&more, "Be nice") && is_statement(&more, "© 2010") && hits(&more.ip, "FROM SPACE"));
        assert!(more.hash().is_some() && more != all() && all().hash().is_none());
        assert_ne!(Patterns::extended("").expect("valid"), more);
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
