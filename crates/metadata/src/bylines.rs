//! Bylines: how pages of many languages say who wrote them, and which of these words are a name.

use std::sync::LazyLock;

use regex::Regex;

use super::dates;

/// Words before the name of an author, in lower case, that mean nothing else.
const LABELS: &[&str] = &[
    "by",
    "written by",
    "posted by",
    "published by",
    "authored by",
    "created by",
    "article by",
    "story by",
    "words by",
    "text by",
    "recipe by",
    "started by",
    "asked by",
    "author",
    "authors",
    "written and reviewed by",
    "verfasst von",
    "geschrieben von",
    "autor",
    "autorin",
    "autoren",
    "rédigé par",
    "écrit par",
    "publié par",
    "auteur",
    "auteurs",
    "escrito por",
    "publicado por",
    "autora",
    "autores",
    "scritto da",
    "pubblicato da",
    "a cura di",
    "autore",
    "autori",
    "geschreven door",
    "skriven av",
    "skrevet av",
    "skrevet af",
    "författare",
    "forfatter",
    "kirjoittanut",
    "kirjoittaja",
    "autorzy",
    "napisał",
    "napisała",
    "napsal",
    "napsala",
    "szerző",
    "írta",
    "scris de",
    "автор",
    "авторы",
    "написал",
    "написала",
    "аўтар",
    "аутор",
    "συντάκτης",
    "συντάκτρια",
    "συντάκτες",
    "γράφει ο",
    "γράφει η",
    "yazar",
    "yazan",
    "penulis",
    "ditulis oleh",
    "tác giả",
    "viết bởi",
    "作者",
    "撰文",
    "記者",
    "记者",
    "著者",
    "執筆者",
    "執筆",
    "筆者",
    "기자",
    "작성자",
    "글쓴이",
    "نویسنده",
    "الكاتب",
    "بقلم",
    "כתב",
    "מאת",
    "लेखक",
    "ผู้เขียน",
];

/// Prepositions before the name of an author, each with the languages of the pages on which it is one.
const PREPOSITIONS: &[(&str, &[&str])] = &[
    ("von", &["de"]),
    ("par", &["fr"]),
    ("por", &["es", "pt", "gl"]),
    ("per", &["ca"]),
    ("di", &["it"]),
    ("da", &["it"]),
    ("door", &["nl"]),
    ("av", &["sv", "no", "nb", "nn"]),
    ("af", &["da"]),
    ("de", &["ro"]),
    ("od", &["sr", "hr", "bs"]),
    ("от", &["bg"]),
    ("του", &["el"]),
    ("της", &["el"]),
    ("από", &["el"]),
    ("oleh", &["id", "ms"]),
    ("bởi", &["vi"]),
    ("文", &["zh", "ja"]),
    ("글", &["ko"]),
    ("โดย", &["th"]),
    ("द्वारा", &["hi"]),
];

/// Whether a label such as `Written by` announces an author.
pub(super) fn is_author_label(label: &str) -> bool {
    let label = label.trim().trim_end_matches(':').to_lowercase();
    LABELS.contains(&label.as_str()) || PREPOSITIONS.iter().any(|(word, _)| *word == label)
}

/// Whether a text starts like a name: with a letter that is not a small one.
fn is_capitalized(text: &str) -> bool {
    text.chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() && !c.is_lowercase())
}

/// Whether a text looks like a name: most of its words start with a capital letter, or in a script without capitals.
pub(super) fn looks_like_name(text: &str) -> bool {
    let words = || text.split_whitespace();
    let small = words().filter(|word| word.starts_with(char::is_lowercase)).count();
    is_capitalized(text) && small * 2 < words().count()
}

/// The name in a value that is meant to be one. `None` if it is none: an address, a handle, the name of an account.
pub(super) fn name(value: &str) -> Option<String> {
    let mut name = value.trim();
    if let Some(rest) = after_label(name, "") {
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
    "name",
    "username",
    "home",
];

/// The labels and prepositions by their first words: what is compared with every short text has to be quick.
static BY_FIRST_WORD: LazyLock<Vec<(&str, &str, &[&str])>> = LazyLock::new(|| {
    let first = |label: &'static str| label.split(' ').next().unwrap_or_default();
    let labels = LABELS.iter().map(|label| (first(label), *label, &[][..]));
    let prepositions = PREPOSITIONS.iter().map(|(word, languages)| (*word, *word, *languages));
    let mut all: Vec<_> = labels.chain(prepositions).collect();
    // Of labels that start alike, the longest is tried first.
    all.sort_unstable_by_key(|(first, label, _)| (*first, std::cmp::Reverse(label.len())));
    all
});

/// Longest first word of a label, in bytes.
const LONGEST_FIRST: usize = 24;

/// Whether a raw text may start with a word that announces an author. Quick: most texts do not.
pub(super) fn may_start_with_label(raw: &str) -> bool {
    let raw = raw.trim_start();
    match raw.as_bytes() {
        [b'b' | b'B', b'y' | b'Y', ..] => true,
        [b, ..] if b.is_ascii() && !b.is_ascii_alphabetic() => false,
        _ => first_word(raw).is_some_and(|word| !starting_with(&word.to_lowercase()).is_empty()),
    }
}

/// The first word of a text, unless it is too long.
fn first_word(text: &str) -> Option<&str> {
    let glance = &text[..text.floor_char_boundary(LONGEST_FIRST)];
    let end = glance.find(|c: char| c.is_whitespace() || is_mark(c));
    match end {
        Some(end) => Some(&glance[..end]),
        None => (glance.len() == text.len()).then_some(glance),
    }
}

fn starting_with(word: &str) -> &'static [(&'static str, &'static str, &'static [&'static str])] {
    let all = &*BY_FIRST_WORD;
    let from = all.partition_point(|(first, ..)| *first < word);
    let count = all[from..].iter().take_while(|(first, ..)| *first == word).count();
    &all[from..from + count]
}

/// Marks between a label and a name.
fn is_mark(c: char) -> bool {
    matches!(c, ':' | '：' | '|' | '】' | '/' | '-' | '–' | '—')
}

/// What follows a word that announces an author on a page in a language, if there is one.
pub(super) fn after_label<'t>(text: &'t str, language: &str) -> Option<&'t str> {
    let rest_of = |rest: &'t str| rest.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    // Some pages leave out the space: "ByJane Doe".
    if let Some(rest) = text.strip_prefix("By").filter(|rest| is_capitalized(rest)) {
        return Some(rest);
    }
    let word = first_word(text)?.to_lowercase();
    starting_with(&word).iter().find_map(|(_, label, languages)| {
        if !languages.is_empty() && !languages.contains(&language) {
            return None;
        }
        let mut chars = text.chars();
        let same = label
            .chars()
            .all(|c| chars.next().is_some_and(|own| own == c || own.to_lowercase().eq([c])));
        let rest = chars.as_str();
        let parted = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || is_mark(c));
        (same && parted).then(|| rest_of(rest))
    })
}

/// Parts of classes and of identifiers that mark the name of an author.
const CLASSES: &[&str] = &[
    "author",
    "byline",
    "by-line",
    "by_line",
    "writer",
    "contributor",
    "posted-by",
    "postedby",
    "post-by",
    "username",
    "creator",
];

/// Parts that mark something else of the author.
const NOT_CLASSES: &[&str] = &[
    "bio",
    "avatar",
    "image",
    "img",
    "photo",
    "social",
    "authority",
    "description",
    "follow",
    "icon",
    "date",
    "time",
    "title",
    "role",
    "job",
    "position",
    "authors-list",
];

/// What of [`CLASSES`] does not depend on how the first letter is written. One search finds all of them in the source of a part
/// of a page, which is much cheaper than looking at each element.
static MARKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("uthor|yline|y-line|y_line|riter|ontributor|osted-?by|ost-by|sername|reator").ok());

/// The places in a part of a page's source where the attributes of a byline may be.
pub(super) fn marks(source: &str) -> impl Iterator<Item = usize> {
    MARKS
        .iter()
        .flat_map(move |marks| marks.find_iter(source).map(|mark| mark.start()))
}

/// How much of an element's attributes is read, in bytes.
const LONGEST_ATTRIBUTES: usize = 400;

/// Whether an attribute marks its element as the name of an author.
pub(super) fn is_byline_class(name: &str, value: &str) -> bool {
    if value.len() > LONGEST_ATTRIBUTES {
        return false;
    }
    if name == "href" {
        return value.contains("/author/") || value.contains("/authors/");
    }
    let value = value.to_ascii_lowercase();
    value.split_ascii_whitespace().any(|class| {
        CLASSES.iter().any(|part| class.contains(part)) && !NOT_CLASSES.iter().any(|part| class.contains(part))
    })
}

/// The name in a byline, without what stands after it.
pub(super) fn visible_name(text: &str, language: &str) -> Option<String> {
    let text = text.trim();
    let text = reporter(text).or_else(|| after_label(text, language)).unwrap_or(text);
    let mut end = text.find(['|', '•', '·', '/', '(', '⋅']).unwrap_or(text.len());
    for mark in [" on ", " at ", " - ", " – ", " — ", " in "] {
        end = text[..end].find(mark).unwrap_or(end);
    }
    // A number starts a date, or a count of posts.
    let number = text[..end]
        .match_indices(' ')
        .find(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    end = number.map_or(end, |(at, _)| at);
    let name = name(&text[..end])?;
    let words = name.split_whitespace().count();
    let lower = name.to_lowercase();
    let is_other = NOT_NAMES.iter().any(|word| lower.contains(word)) || name.contains(['@', '*']);
    // A date starts with a month or a day of the week; a single letter is an icon.
    let is_date = words == 1 && dates::is_calendar_word(&lower);
    let is_phrase = words > 1 && !looks_like_name(&name);
    (words <= MOST_WORDS && name.chars().nth(1).is_some() && !is_other && !is_date && !is_phrase).then_some(name)
}

/// The reporter of a Chinese newspaper's credit, such as `【聯合報╱記者王小明／台北報導】`.
fn reporter(text: &str) -> Option<&str> {
    let credit = text.strip_prefix(['【', '〔', '（'])?;
    let (_, name) = credit.split_once("記者").or_else(|| credit.split_once("记者"))?;
    let name = name.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    name.split(|c: char| c.is_whitespace() || is_mark(c) || matches!(c, '／' | '╱' | '〕' | '）'))
        .next()
}

/// The most words of a name.
const MOST_WORDS: usize = 8;

/// What stands in bylines besides names.
const NOT_NAMES: &[&str] = &[
    "min read",
    "comment",
    "share",
    "follow",
    "posted",
    "updated",
    "published",
    "read more",
    "view",
    "reviewed",
    "edited",
    "fact check",
    "topic author",
    "contributor",
    "about the author",
    "meet the",
    "author:",
    "all posts",
    "subscribe",
    " bio",
    "articles",
    "visit the ",
    "authorized",
    "coming soon",
];

/// A name with the family name last: libraries write `Doe, Jane`.
pub(super) fn turned(name: String) -> String {
    match name.split_once(", ") {
        Some((family, given)) if !given.contains(',') && family.split(' ').count() <= 3 => format!("{given} {family}"),
        _ => name,
    }
}
