//! The title at the head of a text: whether it is there, and whether the configuration wants it there.

use std::ops::Range;

use crate::config::{OutputConfig, TextKind, TitleKind};
use dehusk_documents::document::{Document, Form};
use dehusk_html::counting::{have_same_letters, letters};
use dehusk_html::rendering::Element;

/// How many paragraphs at the head of a text can be the title. Names of sections, dates and bylines come before it.
const HEAD: usize = 3;

/// The separator of paragraphs.
const BLANK_LINE: &str = "\n\n";

/// Moves, removes or leaves the title of a document as configured, and enters whether it is in the text then.
pub(crate) fn settle(document: &mut Document, output: &OutputConfig) {
    let title = std::mem::take(&mut document.metadata.title);
    let form = TitleRule {
        title: &title,
        kind: output.title,
        is_markdown: output.text == TextKind::Markdown,
    };
    let settled = form.settle(&mut document.text, &mut document.text_form);
    for more in &mut document.more_texts {
        // An extractor that found nothing has no text for a title.
        if !more.text.is_empty() {
            form.settle(&mut more.text, &mut more.form);
        }
    }
    let metadata = &mut document.metadata;
    metadata.title_in_text = settled.is_in_text;
    metadata.words = metadata
        .words
        .saturating_add(settled.added)
        .saturating_sub(settled.removed);
    metadata.title = title;
}

/// The same for a text that has no markers, as `eval` compares it.
pub fn settle_words(text: &mut String, title: &str, kind: TitleKind) {
    let form = TitleRule {
        title,
        kind,
        is_markdown: false,
    };
    form.settle(text, &mut Form::default());
}

/// A page's title, and what becomes of it.
struct TitleRule<'t> {
    title: &'t str,
    kind: TitleKind,
    is_markdown: bool,
}

/// How a text was changed.
#[derive(Default)]
struct TitleChange {
    is_in_text: bool,
    /// Words that were added and removed.
    added: u32,
    removed: u32,
}

impl TitleRule<'_> {
    fn settle(&self, text: &mut String, form: &mut Form) -> TitleChange {
        let mut settled = TitleChange::default();
        if self.title.is_empty() || text.is_empty() {
            return settled;
        }
        let found = self.find(text, form);
        settled.is_in_text = found.is_some();
        match (self.kind, found) {
            (TitleKind::AsFound, _) | (TitleKind::Apart, None) => {}
            (TitleKind::Apart, Some(found)) => {
                settled.removed = words(&remove(text, form, found));
                settled.is_in_text = false;
            }
            (TitleKind::First, found) => {
                let is_new = found.is_none();
                let paragraph = match found {
                    Some(found) => self.heading(&remove(text, form, found)),
                    None => self.heading(&self.escaped()),
                };
                settled.added = if is_new { words(self.title) } else { 0 };
                insert(text, form, &paragraph);
                settled.is_in_text = true;
            }
        }
        settled
    }

    /// The paragraph that is the title.
    fn find(&self, text: &str, form: &Form) -> Option<Range<usize>> {
        let mut start = 0;
        for paragraph in text.split(BLANK_LINE).take(HEAD) {
            let range = start..start + paragraph.len();
            if self.is_title(paragraph) && is_plain(form, &range) {
                return Some(range);
            }
            start = range.end + BLANK_LINE.len();
        }
        None
    }

    /// Whether a paragraph has the words of the title, and no others. An item of a list is no title.
    fn is_title(&self, paragraph: &str) -> bool {
        if paragraph.contains('\n') || paragraph.starts_with("- ") {
            return false;
        }
        if letters(self.title).next().is_none() {
            return paragraph.trim() == self.title.trim();
        }
        // Most paragraphs differ in one of their first letters.
        if self.is_markdown {
            have_same_letters(&without_addresses(paragraph), self.title)
        } else {
            have_same_letters(paragraph, self.title)
        }
    }

    /// A paragraph as the title at the head of a text.
    fn heading(&self, paragraph: &str) -> String {
        if self.is_markdown {
            format!("# {}", paragraph.trim_start_matches('#').trim_start())
        } else {
            paragraph.to_owned()
        }
    }

    /// The title in the form of the text, in one line.
    fn escaped(&self) -> String {
        let mut line = String::with_capacity(self.title.len());
        for c in self.title.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
            if self.is_markdown && "\\`*_[]<>#&|~!$".contains(c) {
                line.push('\\');
            }
            line.push(c);
        }
        line
    }
}

/// How many words a paragraph has, without the mark of a heading.
fn words(paragraph: &str) -> u32 {
    let paragraph = paragraph.trim_start_matches('#');
    dehusk_html::counting::count_literal(paragraph).counts.words
}

/// A paragraph of Markdown without the addresses of its links.
fn without_addresses(paragraph: &str) -> String {
    let mut plain = String::new();
    let mut rest = paragraph;
    while let Some((before, address)) = rest.split_once("](") {
        plain.push_str(before);
        rest = address.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

/// Whether no list, table or code is around a part of a text, or in it.
fn is_plain(form: &Form, part: &Range<usize>) -> bool {
    let mut depth = 0;
    let mut is_post = false;
    for mark in form.0.iter().take_while(|mark| mark.at <= part.end) {
        // A post holds nothing.
        if std::mem::take(&mut is_post) {
            continue;
        }
        is_post = matches!(mark.begins, Some(Element::Post { .. }));
        if mark.at >= part.start && !is_post {
            return false;
        }
        if !is_post {
            depth += if mark.begins.is_some() { 1 } else { -1 };
        }
    }
    depth == 0
}

/// Removes a paragraph, with the blank line after it, or else before it.
fn remove(text: &mut String, form: &mut Form, part: Range<usize>) -> String {
    let paragraph = text[part.clone()].to_owned();
    let cut = if text[part.end..].starts_with(BLANK_LINE) {
        part.start..part.end + BLANK_LINE.len()
    } else {
        part.start.saturating_sub(BLANK_LINE.len())..part.end
    };
    text.replace_range(cut.clone(), "");
    for mark in form.0.iter_mut().filter(|mark| mark.at >= cut.end) {
        mark.at -= cut.len();
    }
    paragraph
}

/// Puts a paragraph at the head of a text.
fn insert(text: &mut String, form: &mut Form, paragraph: &str) {
    let blank_line = if text.is_empty() { "" } else { BLANK_LINE };
    let added = paragraph.len() + blank_line.len();
    text.insert_str(0, &[paragraph, blank_line].concat());
    form.0.iter_mut().for_each(|mark| mark.at += added);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str, kind: TitleKind, is_markdown: bool) -> (String, bool) {
        let mut text = text.to_owned();
        let title = "A walk, up *the* hill";
        let wanted = TitleRule {
            title,
            kind,
            is_markdown,
        };
        let settled = wanted.settle(&mut text, &mut Form::default());
        (text, settled.is_in_text)
    }

    #[test]
    fn a_title_stays_goes_or_comes_first() {
        use TitleKind::{Apart, AsFound, First};
        for (text, kind, is_markdown, after, is_in_text) in [
            (
                "A WALK up the hill!\n\nRain.",
                AsFound,
                false,
                "A WALK up the hill!\n\nRain.",
                true,
            ),
            ("Rain.\n\nSun.", AsFound, false, "Rain.\n\nSun.", false),
            ("A walk up the hill\n\nRain.", Apart, false, "Rain.", false),
            (
                "News\n\nA walk up the hill\n\nRain.",
                Apart,
                false,
                "News\n\nRain.",
                false,
            ),
            ("News\n\nA walk up the hill", Apart, false, "News", false),
            (
                "- A walk up the hill\n\nRain.",
                Apart,
                false,
                "- A walk up the hill\n\nRain.",
                false,
            ),
            (
                "A walk up the hill\n\nRain.",
                First,
                false,
                "A walk up the hill\n\nRain.",
                true,
            ),
            (
                "News\n\nA walk up the hill\n\nRain.",
                First,
                false,
                "A walk up the hill\n\nNews\n\nRain.",
                true,
            ),
            ("Rain.", First, false, "A walk, up *the* hill\n\nRain.", true),
            ("Rain.", First, true, "# A walk, up \\*the\\* hill\n\nRain.", true),
            (
                "## [A walk](https://a.example/x) up the hill\n\nRain.",
                First,
                true,
                "# [A walk](https://a.example/x) up the hill\n\nRain.",
                true,
            ),
        ] {
            assert_eq!(
                settled(text, kind, is_markdown),
                (after.to_owned(), is_in_text),
                "{text:?} {kind}"
            );
        }
    }

    #[test]
    fn what_is_in_lists_is_no_title_and_elements_keep_their_places() {
        use dehusk_html::rendering::Mark;
        let mark = |at, begins| Mark { at, begins };
        let wanted = TitleRule {
            title: "Title",
            kind: TitleKind::Apart,
            is_markdown: false,
        };
        let mut text = "Title\n\n- a".to_owned();
        let mut form = Form(vec![mark(7, Some(Element::List)), mark(10, None)]);
        wanted.settle(&mut text, &mut form);
        assert_eq!((text.as_str(), form.0[0].at, form.0[1].at), ("- a", 0, 3));
        let mut text = "Title\n\nRain.".to_owned();
        let marks = vec![mark(0, Some(Element::List)), mark(5, None)];
        wanted.settle(&mut text, &mut Form(marks));
        assert_eq!(text, "Title\n\nRain.");
    }
}
