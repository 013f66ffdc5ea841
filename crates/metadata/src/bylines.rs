//! Bylines: the words by which pages of many languages name their authors, and which words after them are a name. The
//! words are in `words/bylines.txt`.

use std::sync::LazyLock;

use regex::Regex;

use super::dates;
use super::words::{self, BYLINES, WordMap};

/// Words before the name of an author.
#[derive(Clone, Copy, Debug)]
struct AuthorLabel {
    first_word: &'static str,
    text: &'static str,
    /// The languages of the pages on which it is one, with spaces between them. Empty: all of them.
    languages: &'static str,
}

impl AuthorLabel {
    fn is_used_in(&self, language: &str) -> bool {
        self.languages.is_empty()
            || language == ANY_LANGUAGE
            || self.languages.split(' ').any(|known| known == language)
    }
}

/// The words of `words/bylines.txt`.
struct BylineWords {
    /// Labels and prepositions by their first words: what is compared with every short text has to be quick. Of labels
    /// that start alike, the longest comes first.
    labels: Vec<AuthorLabel>,
    /// The second letters of these first words by the first, a bit each. It rules out most words of other texts.
    starts: [u32; 26],
    /// Names that programs write where they know no author.
    accounts: WordMap<()>,
    /// Words after `Posted by` that are no names.
    no_posters: WordMap<()>,
    /// Words of the names of companies and agencies.
    organizations: Vec<&'static str>,
    /// Ends of the names of companies.
    legal_forms: Vec<&'static str>,
    /// Ends of the names of sites in languages without spaces.
    site_ends: Vec<&'static str>,
    /// Parts of texts that are no names.
    no_names: Vec<&'static str>,
    /// Parts of classes and of identifiers that mark the name of an author.
    classes: Vec<&'static str>,
    /// Parts that mark something else of the author.
    other_classes: Vec<&'static str>,
    /// The parts of the classes that do not depend on how the first letter is written. One search finds all of them in
    /// the source of a part of a page, which is much cheaper than looking at each element.
    class_marks: Option<Regex>,
}

static WORDS: LazyLock<BylineWords> = LazyLock::new(|| {
    let items = |key| words::items_under(BYLINES, key).map(|(_, item)| item);
    let label = |text: &'static str, languages| AuthorLabel {
        first_word: text.split(' ').next().unwrap_or_default(),
        text,
        languages,
    };
    let everywhere = items("label").map(|text| label(text, ""));
    let prepositions = words::items_under(BYLINES, "preposition").map(|(languages, text)| label(text, languages));
    let mut labels: Vec<AuthorLabel> = everywhere.chain(prepositions).collect();
    labels.sort_unstable_by_key(|label| (label.first_word, std::cmp::Reverse(label.text.len())));
    let mut starts = [0; 26];
    for label in &labels {
        if let Some((first, second)) = first_letters(label.first_word) {
            starts[first] |= 1 << second;
        }
    }
    let classes: Vec<&str> = items("class").collect();
    let marks: Vec<String> = classes
        .iter()
        .filter_map(|class| Some(regex::escape(class.get(1..)?)))
        .collect();
    BylineWords {
        labels,
        starts,
        accounts: items("account").map(|name| (name, ())).collect(),
        no_posters: items("no-poster").map(|word| (word, ())).collect(),
        organizations: items("organization").collect(),
        legal_forms: items("legal-form").collect(),
        site_ends: items("site-end").collect(),
        no_names: items("no-name").collect(),
        classes,
        other_classes: items("other-class").collect(),
        class_marks: Regex::new(&marks.join("|")).ok(),
    }
});

/// Whether a label such as `Written by` announces an author.
pub(super) fn is_author_label(label: &str) -> bool {
    let label = label.trim().trim_end_matches(':').to_lowercase();
    WORDS.labels.iter().any(|known| known.text == label)
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
    let generic = WORDS.accounts.contains(&lower);
    let fits = name.chars().count() <= LONGEST && !name.is_empty();
    (fits && has_letter && !is_address && !is_template && !generic).then(|| name.to_owned())
}

/// Whether a name in the head of a page is that of a company, a web agency or a site, or a key of a template. Systems
/// write it into every page of a site.
pub(super) fn is_organization(name: &str) -> bool {
    let is_small = |part: &str| part.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
    let is_key = name.matches('.').count() > 2 && !name.contains(' ') && name.split('.').all(is_small);
    let lower = name.to_lowercase();
    // One pass over the words of the name: a search for each organization would cost more to start than to run.
    let has_word = || {
        let mut starts = true;
        lower.char_indices().any(|(at, c)| {
            let starts_word = std::mem::replace(&mut starts, !c.is_alphanumeric());
            let is_whole = |rest: &str| !rest.starts_with(char::is_alphanumeric);
            let is_here = |word: &&str| lower[at..].strip_prefix(word).is_some_and(is_whole);
            starts_word && WORDS.organizations.iter().any(is_here)
        })
    };
    // A person of two characters can have a name that ends so.
    let is_end = |end: &&str| name.chars().count() > 2 && lower.ends_with(end);
    let is_site = || lower.contains("www.") || WORDS.site_ends.iter().any(is_end);
    let last = lower.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
    is_key || is_site() || WORDS.legal_forms.contains(&last) || has_word()
}

/// Whether a value lists who did what, as templates do in the head of every page: `design: Jane Doe, code: John Doe`.
pub(super) fn has_roles(value: &str) -> bool {
    value.matches(": ").count() > 1
}

/// The single word that a blog writes before the day of a post: `Posted by jane on 11 March 2024`. Elsewhere one word
/// after "by" is what a list is sorted by.
pub(super) fn poster(text: &str) -> Option<&str> {
    let rest = text
        .get(..POSTED.len())
        .filter(|start| start.eq_ignore_ascii_case(POSTED))?;
    let (name, after) = text[rest.len()..].trim_start().split_once(' ')?;
    let is_day = after.starts_with("on ") || after.starts_with("at ");
    let is_name = name.chars().count() > 1 && !WORDS.no_posters.contains(&name.to_lowercase());
    (is_day && is_name && dates::starts_with_moment(&after[3..])).then_some(name)
}

/// The words before that word.
const POSTED: &str = "posted by ";

/// Longest name, in characters.
const LONGEST: usize = 160;

/// Longest first word of a label, in bytes.
const LONGEST_FIRST: usize = 24;

/// Whether a raw text may start with a word that announces an author. Quick: most texts do not.
pub(super) fn may_start_with_label(raw: &str) -> bool {
    let raw = raw.trim_start();
    match raw.as_bytes() {
        [b'b' | b'B', b'y' | b'Y', ..] => true,
        [b, ..] if b.is_ascii() && !b.is_ascii_alphabetic() => false,
        _ if first_letters(raw).is_some_and(|(first, second)| WORDS.starts[first] >> second & 1 == 0) => false,
        _ => first_word(raw).is_some_and(|word| !starting_with(&word.to_lowercase()).is_empty()),
    }
}

/// The numbers of the first two letters of a text in ASCII, in any case; `None` if it does not begin with two.
fn first_letters(text: &str) -> Option<(usize, usize)> {
    let number = |byte: u8| {
        let is_letter = byte.is_ascii_alphabetic();
        is_letter.then(|| usize::from(byte.to_ascii_lowercase() - b'a'))
    };
    let [first, second, ..] = text.as_bytes() else {
        return None;
    };
    Some((number(*first)?, number(*second)?))
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

/// The labels that start with a word.
fn starting_with(word: &str) -> &'static [AuthorLabel] {
    let labels = &WORDS.labels;
    let from = labels.partition_point(|label| label.first_word < word);
    let count = labels[from..]
        .iter()
        .take_while(|label| label.first_word == word)
        .count();
    &labels[from..from + count]
}

/// Marks between a label and a name.
fn is_mark(c: char) -> bool {
    matches!(c, ':' | '：' | '|' | '】' | '/' | '-' | '–' | '—')
}

/// The text after a word that announces an author on a page in a language, if there is one.
pub(super) fn after_label<'t>(text: &'t str, language: &str) -> Option<&'t str> {
    let rest_of = |rest: &'t str| rest.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    // Some pages leave out the space: "ByJane Doe".
    if let Some(rest) = text.strip_prefix("By").filter(|rest| is_capitalized(rest)) {
        return Some(rest);
    }
    let word = first_word(text)?.to_lowercase();
    starting_with(&word).iter().find_map(|label| {
        if !label.is_used_in(language) {
            return None;
        }
        let mut chars = text.chars();
        let same = label
            .text
            .chars()
            .all(|c| chars.next().is_some_and(|own| own == c || own.to_lowercase().eq([c])));
        let rest = chars.as_str();
        let parted = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || is_mark(c));
        (same && parted).then(|| rest_of(rest))
    })
}

/// The places in a part of a page's source where the attributes of a byline may be.
pub(super) fn class_marks(source: &str) -> impl Iterator<Item = usize> {
    let marks = WORDS.class_marks.iter();
    marks.flat_map(move |marks| marks.find_iter(source).map(|mark| mark.start()))
}

/// The most bytes of an element's attributes that are read.
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
        let has = |parts: &[&str]| parts.iter().any(|part| class.contains(part));
        has(&WORDS.classes) && !has(&WORDS.other_classes)
    })
}

/// The name in a byline, without the words after it.
pub(super) fn visible_name(text: &str, language: &str) -> Option<String> {
    let text = text.trim();
    let text = reporter(text).or_else(|| after_label(text, language)).unwrap_or(text);
    let mut end = text.find(['|', '•', '·', '/', '(', '⋅']).unwrap_or(text.len());
    for mark in [" on ", " at ", " - ", " – ", " — ", " in "] {
        end = text[..end].find(mark).unwrap_or(end);
    }
    // `Jane Doe, published on 3 March`
    let mut commas = text[..end].match_indices(", ");
    let day = commas.find(|(at, mark)| is_day(&text[at + mark.len()..]));
    end = day.map_or(end, |(at, _)| at);
    end = other_label(&text[..end]).unwrap_or(end);
    // A number starts a date, or a count of posts.
    let number = text[..end]
        .match_indices(' ')
        .find(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    if let Some((at, _)) = number {
        // `Jane Doe September 3`
        end = without_month(&text[..at]).len();
    }
    let name = name(&text[..end])?;
    let words = name.split_whitespace().count();
    let lower = name.to_lowercase();
    let is_other = WORDS.no_names.iter().any(|word| lower.contains(word)) || name.contains(['@', '*', '~']);
    let is_host = HOSTS.iter().any(|end| lower.ends_with(end));
    // A date starts with a month or a day of the week; a single letter is an icon.
    let is_date = words == 1 && dates::is_calendar_word(&lower);
    let is_phrase = words > 1 && !looks_like_name(&name);
    (words <= MOST_WORDS && name.chars().nth(1).is_some() && !is_other && !is_host && !is_date && !is_phrase)
        .then_some(name)
}

/// Whether a text starts with a day or with words that announce a day. After a comma, another name can follow.
fn is_day(text: &str) -> bool {
    let part = text.split(", ").next().unwrap_or(text);
    // `Jane Doe, John Roe 3 March`
    let first = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
    let other = without_month(&part[..first]).trim();
    if other.contains(' ') && looks_like_name(other) && dates::label(other) == dates::DateLabel::None {
        return false;
    }
    dates::label(part) != dates::DateLabel::None
        || dates::starts_with_moment(part)
        || dates::is_calendar_word(&part.to_lowercase())
}

/// A text without the name of a month or of a day of the week at its end.
fn without_month(text: &str) -> &str {
    match text.trim_end().rsplit_once([' ', ',']) {
        Some((before, last)) if dates::is_calendar_word(&last.to_lowercase()) => before,
        _ => text,
    }
}

/// Where in a text a word with a colon in it is, after others: `来源:新华网` is the label of something else.
fn other_label(text: &str) -> Option<usize> {
    let spaces = text.match_indices(' ').map(|(at, _)| at);
    spaces.into_iter().find(|at| {
        let word = text[at + 1..].split(' ').next().unwrap_or_default();
        let colon = word.split_once([':', '：']);
        colon.is_some_and(|(label, value)| !label.is_empty() && !value.is_empty())
    })
}

/// The name in a text that has a day before it, `Published on 3 March 2024 by Jane Doe`, or after it and a comma, `Von
/// Jane Doe, 3. März 2024`. On a page whose language is not known, the prepositions of all languages count.
pub(super) fn name_beside_day(text: &str, language: &str) -> Option<String> {
    let languages = if language.is_empty() { ANY_LANGUAGE } else { language };
    let name = |text: &str| {
        let rest = after_label(text, languages)?;
        looks_like_name(rest).then(|| visible_name(rest, language))?
    };
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let (before, last) = (&text[..first], text.rfind(|c: char| c.is_ascii_digit())? + 1);
    let label = dates::label(before);
    if label == dates::DateLabel::Other {
        return None;
    }
    let mut commas = before.match_indices(", ").peekable();
    if commas.peek().is_some() {
        return match commas.find(|(at, mark)| is_day(&text[at + mark.len()..])) {
            Some((at, _)) => name(&text[..at]),
            None => {
                let names = without_month(before);
                dates::starts_with_moment(&text[names.len()..]).then(|| name(names))?
            }
        };
    }
    let after = after_half_of_day(&text[last..]);
    // Other words can be the title of a page or what somebody else did.
    let is_published = label == dates::DateLabel::Published;
    let has_other_words = is_published || text.contains('年');
    let has_day = is_published || before.is_empty() && text.contains('年') || dates::starts_with_moment(text);
    let sentence = after.find(". ").map_or(after.len(), |dot| dot + 1);
    let starts = after.match_indices(char::is_whitespace);
    let mut starts = starts
        .take(if has_other_words { MOST_WORDS } else { 1 })
        .take_while(|(at, _)| *at <= sentence);
    has_day.then(|| starts.find_map(|(at, space)| name(&after[at + space.len()..])))?
}

/// A text after a time without the half of the day, as in `10:30 a.m. by Jane Doe`.
fn after_half_of_day(text: &str) -> &str {
    let rest = text.trim_start();
    let word = rest.split(' ').next().unwrap_or_default();
    let is_half = HALVES.iter().any(|half| half.eq_ignore_ascii_case(word));
    if is_half { &rest[word.len()..] } else { text }
}

/// The halves of a day, and the German word for the hour.
const HALVES: [&str; 5] = ["am", "pm", "a.m.", "p.m.", "uhr"];

/// A language that has the prepositions of all.
const ANY_LANGUAGE: &str = "*";

/// The reporter of a Chinese newspaper's credit, such as `【聯合報╱記者王小明／台北報導】`.
fn reporter(text: &str) -> Option<&str> {
    let credit = text.strip_prefix(['【', '〔', '（'])?;
    let (_, name) = credit.split_once("記者").or_else(|| credit.split_once("记者"))?;
    let name = name.trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
    name.split(|c: char| c.is_whitespace() || is_mark(c) || matches!(c, '／' | '╱' | '〕' | '）'))
        .next()
}

/// Ends of names of hosts.
const HOSTS: [&str; 4] = [".com", ".net", ".org", ".info"];

/// The most words of a name.
const MOST_WORDS: usize = 8;

/// A name with the family name last. Libraries write `Doe, Jane`.
pub(super) fn given_name_first(name: String) -> String {
    match name.split_once(", ") {
        Some((family, given)) if !given.contains(',') && family.split(' ').count() <= 3 => format!("{given} {family}"),
        _ => name,
    }
}
