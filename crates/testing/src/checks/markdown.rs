//! Markdown is read again by a CommonMark parser: it has the words and the structure of the plain text.

use dehusk_html::rendering::{render_form, render_words};
use dehusk_html::{Dom, NodeId, TextForm};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::posts::with_heads;

type Ranges<'r> = &'r [std::ops::Range<NodeId>];

/// The content of a Markdown text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub words: Vec<String>,
    pub headings: Vec<(u8, String)>,
    /// The first line of each item.
    pub items: Vec<String>,
    pub code: Vec<String>,
    pub emphases: usize,
    /// The number of asterisks in texts.
    pub asterisks: usize,
    /// The numbers of footnotes.
    pub notes: Vec<String>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
}

/// Reads Markdown.
pub fn outline(markdown: &str) -> Outline {
    let mut outline = Outline::default();
    let mut text = String::new();
    // The start of what is being collected.
    let (mut heading, mut cell, mut code) = (None, 0, None);
    let mut items: Vec<Option<usize>> = Vec::new();
    let end_items = |items: &mut Vec<Option<usize>>, text: &str, outline: &mut Outline| {
        for start in items.iter_mut().filter_map(Option::take) {
            let line = text[start..].trim();
            if !line.is_empty() {
                outline.items.push(line.to_owned());
            }
        }
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(t) | Event::Code(t) | Event::FootnoteReference(t) => text.push_str(&t),
            Event::SoftBreak | Event::HardBreak => {
                end_items(&mut items, &text, &mut outline);
                text.push('\n');
            }
            Event::Start(tag) => match tag {
                Tag::Heading { .. } => {
                    text.push('\n');
                    heading = Some(text.len());
                }
                Tag::Item => {
                    end_items(&mut items, &text, &mut outline);
                    text.push('\n');
                    items.push(Some(text.len()));
                }
                Tag::CodeBlock(_) => {
                    end_items(&mut items, &text, &mut outline);
                    text.push('\n');
                    code = Some(text.len());
                }
                Tag::TableHead | Tag::TableRow => outline.rows.push(Vec::new()),
                Tag::TableCell => {
                    text.push('\n');
                    cell = text.len();
                }
                Tag::Emphasis | Tag::Strong => outline.emphases += 1,
                Tag::Strikethrough => panic!("a strike in {markdown:?}"),
                Tag::Link { .. } | Tag::Image { .. } => {}
                Tag::FootnoteDefinition(number) => {
                    outline.notes.push(number.to_string());
                    text.push('\n');
                }
                Tag::Paragraph if items.last().is_some_and(Option::is_some) => {}
                _ => text.push('\n'),
            },
            Event::End(tag) => match tag {
                TagEnd::Heading(level) => {
                    let start = heading.take().unwrap();
                    outline.headings.push((level_of(level), text[start..].to_owned()));
                    end_items(&mut items, &text, &mut outline);
                    text.push('\n');
                }
                TagEnd::Item => {
                    end_items(&mut items, &text, &mut outline);
                    items.pop();
                }
                TagEnd::Paragraph => end_items(&mut items, &text, &mut outline),
                TagEnd::CodeBlock => {
                    let start = code.take().unwrap();
                    outline
                        .code
                        .push(text[start..].strip_suffix('\n').unwrap_or(&text[start..]).to_owned());
                }
                TagEnd::TableCell => outline.rows.last_mut().unwrap().push(text[cell..].to_owned()),
                _ => {}
            },
            Event::Rule => text.push('\n'),
            other => panic!("{other:?} in {markdown:?}"),
        }
    }
    outline.words = words(&text);
    outline.asterisks = text.matches('*').count();
    outline.rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    outline
}

fn level_of(level: HeadingLevel) -> u8 {
    level as u8
}

/// Runs of letters and digits.
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The prefix that the kind of a callout gets before Markdown is read, so that it is one word that no page has.
const KIND: &str = "kindofcallout";

fn with_named_kinds(markdown: &str) -> String {
    markdown.replace("> [!", &format!("> [!{KIND}"))
}

/// Where the words of Markdown and of the text begin to differ. Markdown has the kinds of callouts besides, and no
/// title that only repeats the kind.
fn without_kinds<'w>(markdown: &'w [String], text: &'w [String]) -> Option<(&'w [String], &'w [String])> {
    let (mut own, mut wanted) = (markdown, text);
    while let Some((word, rest)) = own.split_first() {
        if let Some(kind) = word.strip_prefix(KIND) {
            own = rest;
            if wanted.first().is_some_and(|title| title.eq_ignore_ascii_case(kind)) {
                wanted = &wanted[1..];
            }
        } else if wanted.first() == Some(word) {
            (own, wanted) = (rest, &wanted[1..]);
        } else {
            break;
        }
    }
    (!own.is_empty() || !wanted.is_empty()).then(|| (&own[..own.len().min(9)], &wanted[..wanted.len().min(9)]))
}

/// Markdown with footnotes has all letters and digits of the text, but for numbers at the starts of notes, which its
/// form shows. In the text, the number of a reference may be a part of the word before it.
fn check_with_notes(outline: &Outline, own: &str, markdown: &str) {
    let all = outline.words.concat();
    let mut wanted = all.chars().peekable();
    let mut numbers = 0;
    for c in own.chars() {
        if wanted.next_if_eq(&c).is_none() {
            assert!(c.is_ascii_digit(), "{c} of {own:?} is missing in {markdown:?}");
            numbers += 1;
        }
    }
    assert_eq!(wanted.next(), None, "{markdown:?}");
    let most: usize = outline.notes.iter().map(String::len).sum();
    assert!(numbers <= most, "{markdown:?}");
}

/// The Markdown of a selection holds its words and its structure.
pub fn check(dom: &Dom<'_>, ranges: Ranges<'_>, masked: Ranges<'_>) {
    let (mut plain, mut own, mut markdown) = (String::new(), String::new(), String::new());
    render_form(dom, ranges, masked, TextForm::plain(), true, &mut plain);
    render_words(dom, ranges, masked, true, &mut own);
    render_form(dom, ranges, masked, TextForm::markdown(), true, &mut markdown);
    crate::checks::tree::check_text(&markdown);
    let outline = outline(&with_named_kinds(&markdown));
    let expected = with_heads(dom, ranges, masked, &own, &outline.words);
    let has_callouts = outline.words.iter().any(|word| word.starts_with(KIND));
    if outline.notes.is_empty() {
        let differ = without_kinds(&outline.words, &expected.words);
        assert_eq!(differ, None, "{markdown:?}");
    } else if !has_callouts {
        check_with_notes(&outline, &expected.words.concat(), &markdown);
    }
    assert_eq!(outline.asterisks, own.matches('*').count(), "{markdown:?}");
    let is_emphasis = |node: &dehusk_html::Node| {
        use dehusk_html::Tag::{B, Dt, Em, I, Strong};
        matches!(node.tag, B | Dt | Em | I | Strong)
    };
    // The title of a callout is bold, too.
    let is_title = |id: &u32| dom.attribute(*id, "class").is_some_and(|class| class.contains("title"));
    // An emphasis begins again on each of its lines.
    let lines = |id: u32| {
        let inside = &dom.nodes()[dom.subtree(id).start as usize..dom.subtree(id).end as usize];
        let breaks = inside.iter().filter(|node| node.tag == dehusk_html::Tag::Br).count();
        1 + breaks
            + dom.source()[dom.node(id).from as usize..dom.node(id).to as usize]
                .matches('\n')
                .count()
    };
    let emphases = (0..dom.len()).filter(|id| is_emphasis(dom.node(*id)));
    let emphases = emphases.map(lines).sum::<usize>() + (0..dom.len()).filter(is_title).count();
    // So is the author at the head of a post.
    assert!(outline.emphases <= emphases + expected.heads.len(), "{markdown:?}");
    // Text has a space or brackets around the number of a footnote.
    let joined = |text: &str| {
        if outline.notes.is_empty() {
            return text.to_owned();
        }
        text.replace(|c: char| c.is_whitespace() || matches!(c, '[' | ']'), "")
    };
    let lines: Vec<String> = plain.lines().map(|line| joined(line.trim())).collect();
    for (_, heading) in &outline.headings {
        let heading = joined(heading);
        let has_heading = lines.iter().any(|line| line.ends_with(&heading));
        assert!(has_heading, "the heading {heading:?} in {plain:?}");
    }
    let marked = plain.lines().filter_map(|line| line.trim_start().split_once(' '));
    let rests: Vec<String> = marked.map(|(_, rest)| joined(rest)).collect();
    for item in &outline.items {
        let item = item.lines().next().unwrap_or_default();
        if expected.heads.iter().any(|head| head == item) {
            continue;
        }
        let item = joined(item);
        let has_item = rests.iter().any(|rest| rest.ends_with(&item));
        assert!(has_item, "the item {item:?} of {markdown:?} in {plain:?}");
    }
    for code in &outline.code {
        assert!(
            plain.contains(code.as_str()),
            "the code {code:?} of {markdown:?} in {plain:?}"
        );
    }
    for row in &outline.rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
        let is_row = |line: &str| {
            let own = line.trim().split('|').map(str::trim).filter(|cell| !cell.is_empty());
            own.eq(cells
                .iter()
                .flat_map(|cell| cell.split('|'))
                .map(str::trim)
                .filter(|cell| !cell.is_empty()))
        };
        assert!(
            plain.lines().any(is_row),
            "the row {row:?} of {markdown:?} in {plain:?}"
        );
    }
}
