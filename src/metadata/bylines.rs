//! Bylines: how pages of many languages say who wrote them, and which of these words are a name.

/// Words before the name of an author, in lower case. A longer one stands before those that it starts with.
const BEFORE: &[&str] = &[
    "written by",
    "posted by",
    "published by",
    "reviewed by",
    "authored by",
    "created by",
    "article by",
    "story by",
    "words by",
    "text by",
    "started by",
    "asked by",
    "author",
    "authors",
    "by",
    "verfasst von",
    "geschrieben von",
    "von",
    "autor",
    "autorin",
    "rédigé par",
    "écrit par",
    "publié par",
    "par",
    "auteur",
    "escrito por",
    "publicado por",
    "por",
    "autora",
    "scritto da",
    "pubblicato da",
    "di",
    "da",
    "autore",
    "geschreven door",
    "door",
    "av",
    "skriven av",
    "skrevet av",
    "af",
    "skrevet af",
    "kirjoittanut",
    "autorzy",
    "napisał",
    "napisała",
    "napsal",
    "napsala",
    "szerző",
    "írta",
    "de",
    "scris de",
    "автор",
    "авторы",
    "написал",
    "написала",
    "от",
    "аўтар",
    "аутор",
    "συντάκτης",
    "συντάκτρια",
    "γράφει ο",
    "γράφει η",
    "του",
    "της",
    "από",
    "yazar",
    "yazan",
    "penulis",
    "oleh",
    "ditulis oleh",
    "tác giả",
    "bởi",
    "viết bởi",
    "作者",
    "文",
    "撰文",
    "記者",
    "记者",
    "来源作者",
    "著者",
    "執筆者",
    "執筆",
    "筆者",
    "글",
    "기자",
    "작성자",
    "글쓴이",
    "نویسنده",
    "الكاتب",
    "بقلم",
    "كتب",
    "כתב",
    "מאת",
    "लेखक",
    "ผู้เขียน",
    "โดย",
];

/// Whether a label such as `Written by` announces an author.
pub(super) fn is_author_label(label: &str) -> bool {
    let label = label.trim().trim_end_matches(':').to_lowercase();
    BEFORE.contains(&label.as_str())
}

/// The name in a value that is meant to be one. `None` if it is none: an address, a handle, the name of an account.
pub(super) fn name(value: &str) -> Option<String> {
    let mut name = value.trim();
    if let Some(rest) = after_label(name) {
        name = rest;
    }
    name = name.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ':' | ';' | '|' | '-' | '–' | '—' | '•' | '·' | '/')
    });
    let lower = name.to_lowercase();
    let is_address = lower.starts_with("http")
        || lower.starts_with("www.")
        || name.starts_with('@')
        || lower.contains("://")
        || name.starts_with('/');
    let has_letter = name.chars().any(char::is_alphabetic);
    let is_template = name.contains(['{', '}', '<', '>', '[']) || name.contains("()") || name.contains("%%");
    let generic = GENERIC.contains(&lower.as_str());
    let fits = name.chars().count() <= LONGEST && !name.is_empty();
    (fits && has_letter && !is_address && !is_template && !generic).then(|| name.to_owned())
}

/// Longest name, in characters.
const LONGEST: usize = 160;

/// What programs write where they know no author.
const GENERIC: &[&str] = &[
    "admin",
    "administrator",
    "administrador",
    "root",
    "webmaster",
    "user",
    "guest",
    "anonymous",
    "unknown",
    "author",
    "editor",
    "default",
    "superuser",
    "super user",
    "wpadmin",
    "wp-admin",
    "none",
    "null",
    "undefined",
    "n/a",
    "na",
    "no author",
    "test",
    "siteadmin",
    "site admin",
    "false",
    "true",
    "owner",
    "by",
    "staff",
];

/// What follows a word that announces an author, if there is one.
pub(super) fn after_label(text: &str) -> Option<&str> {
    let glance: String = text.chars().take(32).flat_map(char::to_lowercase).collect();
    let labels = BEFORE.iter().filter(|label| glance.starts_with(**label));
    let label = labels.max_by_key(|label| label.chars().count())?;
    let mut chars = text.chars();
    chars.by_ref().take(label.chars().count()).for_each(drop);
    let rest = chars.as_str();
    let ideographic = label.chars().next().is_some_and(|c| c >= '\u{2E80}');
    let parted = rest.is_empty()
        || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '/' | '|' | '-' | '–'))
        || ideographic && rest.starts_with(['】', '：']);
    parted.then(|| {
        rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '|' | '】' | '-' | '–'))
    })
}
