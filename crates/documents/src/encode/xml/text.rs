//! A text as elements.
//!
//! - A paragraph is `<p>`, and a line end within it is `<br/>`.
//! - A list is `<list>` with an `<item>` for each item, whose marker is `<label>`. A table of data is `<table>` of
//!   `<row>` of `<cell>`. Code is `<code>`, with its `language` if that is known.
//! - `<post author="…" date="…"/>` marks the start of a post. It is empty.
//! - All characters of the text stay, with the spaces, line ends and `|` between elements. So the text is the
//!   characters of its elements with a line end for each `<br/>`, and a blank line between two elements of the
//!   document. If there is only a line end between them, the second has the attribute `joined="line"`.

use std::ops::Range;

use dehusk_html::rendering::{Element, Mark};

use super::writer::ElementWriter;
use crate::document::Form;

/// The attribute of an element that follows the one before it on the next line.
pub(super) const JOINED: (&str, &str) = ("joined", "line");

/// The separator of paragraphs.
const BLANK_LINE: &str = "\n\n";

/// The name of an element.
pub(super) fn name(element: &Element) -> &'static str {
    match element {
        Element::List => "list",
        Element::Item => "item",
        Element::Label => "label",
        Element::Table => "table",
        Element::Row => "row",
        Element::Cell => "cell",
        Element::Code(_) => "code",
        Element::Post { .. } => "post",
    }
}

/// Whether an element is one of a text.
pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "p" | "br" | "list" | "item" | "label" | "table" | "row" | "cell" | "code"
    )
}

/// An element of the document.
struct Block<'t> {
    is_joined: bool,
    text: Range<usize>,
    /// The marks of the element; empty for a paragraph.
    marks: &'t [Mark],
}

/// Cuts a text into the elements of the document. `None` if the marks are not those of the text.
fn blocks<'t>(text: &str, marks: &'t [Mark]) -> Option<Vec<Block<'t>>> {
    let mut blocks = Vec::new();
    let (mut at, mut depth, mut first) = (0, 0usize, 0);
    let mut skips_end = false;
    for (i, mark) in marks.iter().enumerate() {
        // Posts between the elements are written apart.
        if depth == 0 && (std::mem::take(&mut skips_end) || is_post(mark)) {
            skips_end = is_post(mark);
            continue;
        }
        if !text.is_char_boundary(mark.at) || (depth > 0 && mark.at < marks[i - 1].at) {
            return None;
        }
        if mark.begins.is_some() {
            if depth == 0 {
                paragraphs(text, at..mark.at, true, &mut blocks)?;
                first = i;
            }
            depth += 1;
            continue;
        }
        depth = depth.checked_sub(1)?;
        if depth == 0 {
            let is_joined = blocks.pop_if(|block: &mut Block<'_>| block.text.is_empty())?.is_joined;
            blocks.push(Block {
                is_joined,
                text: marks[first].at..mark.at,
                marks: &marks[first..=i],
            });
            at = mark.at;
        }
    }
    paragraphs(text, at..text.len(), false, &mut blocks)?;
    (depth == 0).then_some(blocks)
}

fn is_post(mark: &Mark) -> bool {
    matches!(mark.begins, Some(Element::Post { .. }))
}

/// The places of the posts that no element of the document is around, in order.
fn posts(marks: &[Mark]) -> impl Iterator<Item = (usize, &Element)> {
    let mut depth = 0;
    marks.iter().filter_map(move |mark| {
        let is_apart = depth == 0 && is_post(mark);
        depth = if mark.begins.is_some() { depth + 1 } else { depth - 1 };
        is_apart.then_some((mark.at, mark.begins.as_ref()?))
    })
}

/// Cuts a part of a text into paragraphs. With `goes_on`, the last is empty: an element takes its place.
fn paragraphs(text: &str, part: Range<usize>, goes_on: bool, blocks: &mut Vec<Block<'_>>) -> Option<()> {
    let mut rest = text.get(part.clone())?;
    let mut at = part.start;
    let mut is_joined = false;
    if at > 0 {
        // After an element.
        let separator = match rest {
            "" if !goes_on => return Some(()),
            rest if rest.starts_with(BLANK_LINE) => BLANK_LINE,
            rest if rest.starts_with('\n') => {
                is_joined = true;
                "\n"
            }
            _ => return None,
        };
        at += separator.len();
        rest = &rest[separator.len()..];
    }
    let mut push = |text: Range<usize>, is_joined: bool| {
        blocks.push(Block {
            is_joined,
            text,
            marks: &[],
        });
    };
    while let Some(found) = rest.find(BLANK_LINE) {
        push(at..at + found, std::mem::take(&mut is_joined));
        at += found + BLANK_LINE.len();
        rest = &rest[found + BLANK_LINE.len()..];
    }
    if goes_on && !rest.is_empty() {
        // A single line end before the element.
        let line = rest.strip_suffix('\n')?;
        push(at..at + line.len(), is_joined);
        is_joined = true;
        rest = "";
        at = part.end;
    }
    push(at..at + rest.len(), is_joined);
    Some(())
}

impl ElementWriter<'_> {
    /// Writes a text with its form. A form that is not that of the text is ignored.
    pub(super) fn text(&mut self, text: &str, form: &Form) {
        if text.is_empty() {
            return;
        }
        let with_marks = blocks(text, &form.0);
        let mut posts = posts(if with_marks.is_some() { &form.0 } else { &[] }).peekable();
        let blocks = with_marks.or_else(|| blocks(text, &[]));
        for block in blocks.into_iter().flatten() {
            self.raw("\n");
            while let Some((_, post)) = posts.next_if(|(at, _)| *at < block.text.end) {
                self.post(post);
                self.raw("\n");
            }
            if block.marks.is_empty() {
                self.begin("p", block.is_joined);
                self.raw(">");
                self.lines(&text[block.text]);
                self.raw("</p>");
            } else {
                self.marked(text, &block);
            }
        }
    }

    fn begin(&mut self, name: &str, is_joined: bool) {
        self.raw("<");
        self.raw(name);
        if is_joined {
            for part in [" ", JOINED.0, "=\"", JOINED.1, "\""] {
                self.raw(part);
            }
        }
    }

    fn marked(&mut self, text: &str, block: &Block<'_>) {
        let mut open: Vec<&Element> = Vec::new();
        let mut at = block.text.start;
        let mut after_element = false;
        for mark in block.marks {
            let part = &text[at..mark.at];
            match open.last() {
                Some(Element::Item | Element::Cell) => self.mixed(part, after_element, mark.begins.is_some()),
                _ => self.escaped(part),
            }
            at = mark.at;
            match &mark.begins {
                Some(post @ Element::Post { .. }) => {
                    self.post(post);
                    open.push(post);
                }
                Some(element) => {
                    self.begin(name(element), block.is_joined && open.is_empty());
                    if let Element::Code(language) = element
                        && !language.is_empty()
                    {
                        self.attribute("language", language);
                    }
                    self.raw(">");
                    open.push(element);
                    after_element = false;
                }
                None => {
                    if let Some(element) = open.pop().filter(|element| !matches!(element, Element::Post { .. })) {
                        for part in ["</", name(element), ">"] {
                            self.raw(part);
                        }
                        after_element = !matches!(element, Element::Label);
                    }
                }
            }
        }
    }

    fn post(&mut self, post: &Element) {
        let Element::Post { author, date } = post else { return };
        self.raw("<post");
        for (name, value) in [("author", author), ("date", date)] {
            if !value.is_empty() {
                self.attribute(name, value);
            }
        }
        self.raw("/>");
    }

    /// Writes a part of an item or cell. White space next to an inner element is no line of the text.
    fn mixed(&mut self, part: &str, after_element: bool, before_element: bool) {
        let start = if after_element {
            part.len() - part.trim_start_matches([' ', '\n']).len()
        } else {
            0
        };
        let end = if before_element {
            part.trim_end_matches([' ', '\n']).len().max(start)
        } else {
            part.len()
        };
        self.escaped(&part[..start]);
        self.lines(&part[start..end]);
        self.escaped(&part[end..]);
    }

    fn lines(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            self.raw(if number > 0 { "<br/>" } else { "" });
            self.escaped(line);
        }
    }
}
