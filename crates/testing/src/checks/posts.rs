//! The words that Markdown has at the heads of posts and their text has not: authors and days that the page only
//! describes, in scripts, in `meta` elements or in attributes.

use std::ops::Range;

use dehusk_html::rendering::{Element, Mark, render_marked};
use dehusk_html::{Dom, NodeId, Tag};

use super::markdown::words;

/// The words of a text as Markdown should have them.
#[derive(Debug, Default)]
pub(super) struct WithHeads {
    pub words: Vec<String>,
    /// The heads among them that the text has not, such as `Ann, 2024-05-01`.
    pub heads: Vec<String>,
}

/// Adds what Markdown must have at the heads of posts to the words of a text. `own` is the text, and `markdown` are the
/// words of the Markdown. They decide about a name or day that the page describes and shows, too.
pub(super) fn with_heads(
    dom: &Dom<'_>,
    ranges: &[Range<NodeId>],
    masked: &[Range<NodeId>],
    own: &str,
    markdown: &[String],
) -> WithHeads {
    let mut text = String::new();
    let marks = render_marked(dom, ranges, masked, true, &mut text);
    let (parts, posts) = parts(&text, &marks);
    let plain = words(own);
    if posts.is_empty() {
        return WithHeads {
            words: plain,
            heads: Vec::new(),
        };
    }
    assert_eq!(parts.concat(), plain, "the marked text has other words");
    let described = Described::by(dom);
    let mut out = WithHeads::default();
    out.words.clone_from(&parts[0]);
    for (i, (author, date)) in posts.iter().enumerate() {
        let authors = choices(author, &described, have(&plain, author));
        let dates = choices(day(date), &described, described.shows_days || have(&plain, day(date)));
        let written = markdown.get(out.words.len()..).unwrap_or_default();
        let head = head(&authors, &dates, written, &parts[i + 1]);
        out.words.extend(words(&head));
        out.heads.push(head);
        out.words.extend(parts[i + 1].iter().cloned());
    }
    out.heads.retain(|head| !head.is_empty());
    out
}

/// The words before, between and after the posts of a text, and the facts that Markdown may have of each post: its
/// author and date.
fn parts(text: &str, marks: &[Mark]) -> (Vec<Vec<String>>, Vec<(String, String)>) {
    let (mut parts, mut posts) = (Vec::new(), Vec::new());
    let (mut part, mut at) = (String::new(), 0);
    let mut open: Vec<&Element> = Vec::new();
    for mark in marks {
        // Labels are the only words of a marked text that are not those of the page.
        if !matches!(open.last(), Some(Element::Label)) {
            part.push_str(&text[at..mark.at]);
        }
        at = mark.at;
        match &mark.begins {
            Some(element) => open.push(element),
            None => drop(open.pop()),
        }
        if let Some(Element::Post { author, date }) = &mark.begins {
            let is_in_cell = open.iter().any(|element| matches!(element, Element::Cell));
            parts.push(words(&std::mem::take(&mut part)));
            posts.push(if is_in_cell {
                Default::default()
            } else {
                (author.clone(), date.clone())
            });
        }
    }
    part.push_str(&text[at..]);
    parts.push(words(&part));
    (parts, posts)
}

/// The facts that a page states without showing them, in scripts, `meta` elements and names of authors.
#[derive(Debug)]
struct Described {
    text: String,
    /// The page has elements that show days in words of their own.
    shows_days: bool,
}

impl Described {
    fn by(dom: &Dom<'_>) -> Self {
        let mut described = Self {
            text: String::new(),
            shows_days: false,
        };
        for id in 0..dom.len() {
            let tag = dom.node(id).tag;
            let has = |name| !tag.is_text() && dom.attribute(id, name).is_some();
            described.shows_days |= tag == Tag::Time || tag != Tag::Meta && (has("datetime") || has("content"));
            described.text += "\n";
            match tag {
                Tag::RawText => described.text += dom.raw(id),
                Tag::Meta => described.text += &dom.attribute(id, "content").unwrap_or_default(),
                tag if tag.is_text() => {}
                _ => described.text += &dom.attribute(id, "data-author").unwrap_or_default(),
            }
        }
        described
    }

    /// Scripts may write characters that are not ASCII by their numbers.
    fn has(&self, value: &str) -> bool {
        let mut ascii = value.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ' ' | '-' | ':'));
        ascii.all(|part| self.text.contains(part.trim()))
    }
}

/// The day of an instant, as Markdown has it.
fn day(date: &str) -> &str {
    let is_instant = date.len() > 10 && date.bytes().take(10).all(|b| b.is_ascii_digit() || b == b'-');
    if is_instant { &date[..10] } else { date }
}

/// The words that a head may have for a fact: its value if the page describes it, and nothing if it is shown.
fn choices<'v>(value: &'v str, described: &Described, is_shown: bool) -> Vec<&'v str> {
    match (!value.is_empty() && described.has(value), is_shown) {
        (false, _) => vec![""],
        (true, false) => vec![value],
        (true, true) => vec![value, ""],
    }
}

/// Whether words have those of a value in a row.
fn have(all: &[String], value: &str) -> bool {
    let own = words(value);
    all.windows(own.len().max(1)).any(|some| some == own)
}

/// The head that is written where the words of Markdown after those of the text before it are `written`: the first
/// possible one that the text of the post follows.
fn head(authors: &[&str], dates: &[&str], written: &[String], text: &[String]) -> String {
    const ENOUGH: usize = 8;
    let mut last = String::new();
    for author in authors {
        for date in dates {
            let parts = [*author, *date];
            last = parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            let expected = [&*words(&last), &text[..text.len().min(ENOUGH)]].concat();
            if written.starts_with(&expected) {
                return last;
            }
        }
    }
    last
}
