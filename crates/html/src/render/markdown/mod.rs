//! Markdown: CommonMark with the tables of GFM.
//!
//! - Code is fenced, with its language. Mathematics is code, too, in the form that GitLab and GitHub show as formulas:
//!   `` $`x`$ `` and blocks of the language `math`. So its characters need no escapes.
//! - A character is escaped where it would mean something; [`escape`] lists the places.
//! - Lists, quotes and code in lists are indented as CommonMark asks. Lists deeper than [`MOST_LEVELS`] are written at
//!   that level.

mod address;
mod code;
mod emphasis;
mod escape;
mod table;

use super::posts::Post;
use super::role::Gap;
use super::writer::{Close, Open, Writer};
use emphasis::{EndedEmphasis, OpenEmphasis};
use escape::{LineSoFar, TextPlace};
use table::OpenTable;

/// Deeper lists and quotes are written at this level.
const MOST_LEVELS: usize = 10;

/// The number of digits that a marker may have.
const LARGEST_NUMBER: i64 = 999_999_999;

/// The elements to write besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InlineParts {
    pub(super) links: bool,
    pub(super) images: bool,
}

/// Writes Markdown.
pub(super) struct Markdown<'o> {
    out: &'o mut String,
    parts: InlineParts,
    /// The quotes and items around the text, outermost first.
    containers: Vec<Container>,
    /// The number of containers at the start that have begun in the output.
    begun: usize,
    /// Something ended since the last text, so that the next text is no part of its paragraph.
    has_ended: bool,
    /// Lists that follow each other have different markers.
    lists: Lists,
    heading: Option<u8>,
    has_rule: bool,
    line: LineSoFar,
    /// The code block or inline code that is being collected.
    code: Option<Code>,
    link: Option<Link>,
    emphases: Vec<OpenEmphasis>,
    ended_emphasis: Option<EndedEmphasis>,
    table: Option<OpenTable>,
    /// The number of open tables in a cell of it.
    inner_tables: usize,
    /// The borders in the next gap of the rows and cells of such a table.
    inner_borders: String,
    /// A reference to a footnote may be the last thing in the output; whether it began its line.
    after_reference: Option<bool>,
}

enum Container {
    Quote,
    /// A quote whose first line is this mark of a callout.
    Alert(String),
    Item {
        marker: String,
        width: usize,
    },
    /// Too deep, or without text of its own before an inner list.
    Nothing,
}

/// The lists around the text, and the one that ended last.
#[derive(Default)]
struct Lists {
    /// Whether each open list has the second kind of marker.
    open: Vec<bool>,
    /// The kind and level of a list after which there was no text.
    ended: Option<(bool, usize)>,
}

enum Code {
    Inline(String),
    Block { language: String, text: String },
}

struct Link {
    address: String,
    /// Its text has begun.
    is_open: bool,
}

impl<'o> Markdown<'o> {
    pub(super) fn new(out: &'o mut String, parts: InlineParts) -> Self {
        Self {
            out,
            parts,
            containers: Vec::new(),
            begun: 0,
            has_ended: false,
            lists: Lists::default(),
            heading: None,
            has_rule: false,
            line: LineSoFar::Start,
            code: None,
            link: None,
            emphases: Vec::new(),
            ended_emphasis: None,
            table: None,
            inner_tables: 0,
            inner_borders: String::new(),
            after_reference: None,
        }
    }

    /// Writes the beginning of a line within the containers that have begun.
    fn prefix(&mut self) {
        for container in &self.containers[..self.begun] {
            match container {
                Container::Quote | Container::Alert(_) => self.out.push_str("> "),
                Container::Item { width, .. } => self.out.extend(std::iter::repeat_n(' ', *width)),
                Container::Nothing => {}
            }
        }
    }

    /// Ends the line and writes an empty one.
    fn blank_line(&mut self) {
        self.out.push('\n');
        let start = self.out.len();
        self.prefix();
        self.trim(start);
        self.out.push('\n');
    }

    /// Removes spaces at the end, back to `start`.
    fn trim(&mut self, start: usize) {
        let kept = self.out[start..].trim_end_matches(' ').len();
        self.out.truncate(start + kept);
    }

    /// Begins the containers that have not begun.
    fn begin_containers(&mut self) {
        while self.begun < self.containers.len() {
            let is_last = self.begun + 1 == self.containers.len();
            let is_deep = self.begun >= MOST_LEVELS;
            let next_is_item = matches!(self.containers.get(self.begun + 1), Some(Container::Item { .. }));
            let container = &mut self.containers[self.begun];
            self.begun += 1;
            match container {
                Container::Quote if !is_deep => self.out.push_str("> "),
                Container::Alert(kind) if !is_deep => {
                    let mark = format!("> [!{kind}]\n");
                    self.out.push_str(&mark);
                    self.prefix();
                }
                Container::Item { marker, width } if is_last || !(is_deep || next_is_item && is_bullet(marker)) => {
                    self.out.push_str(marker);
                    self.out.push(' ');
                    if is_deep {
                        *width = 0;
                    }
                }
                container => *container = Container::Nothing,
            }
        }
    }

    /// Whether the next text begins a list that cannot interrupt a paragraph.
    fn begins_apart(&self) -> bool {
        self.containers[self.begun..].iter().any(|container| match container {
            Container::Item { marker, .. } => !(is_bullet(marker) || matches!(&**marker, "1." | "1)")),
            _ => false,
        })
    }

    fn end_link(&mut self) {
        if let Some(link) = self.link.take_if(|link| link.is_open) {
            self.out.push_str("](");
            self.out.push_str(&link.address);
            self.out.push(')');
        }
    }

    fn begin_link(&mut self) {
        if let Some(link) = &mut self.link
            && !link.is_open
        {
            link.is_open = true;
            if self.out.ends_with('!') {
                // With it, the link would be an image.
                self.out.insert(self.out.len() - 1, '\\');
            }
            self.out.push('[');
            self.line = LineSoFar::Inside;
        }
    }

    fn escaped(&mut self, text: &str) {
        let place = match (&self.table, self.heading) {
            (Some(OpenTable { row: Some(_), .. }), _) => TextPlace::Cell,
            (_, Some(_)) => TextPlace::Heading,
            _ => TextPlace::Paragraph,
        };
        self.line = escape::push(text, place, self.line, self.out);
    }
}

fn is_bullet(marker: &str) -> bool {
    matches!(marker, "-" | "*")
}

impl Writer for Markdown<'_> {
    const INLINE: bool = true;

    fn wants_links(&self) -> bool {
        self.parts.links
    }

    fn wants_images(&self) -> bool {
        self.parts.images
    }

    fn space(&mut self) {
        match &mut self.code {
            Some(Code::Inline(text)) if !text.is_empty() => text.push(' '),
            _ => self.out.push(' '),
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.end_emphases(true);
        self.end_link();
        self.end_emphases(false);
        self.lists.ended = None;
        let has_ended = std::mem::take(&mut self.has_ended);
        if self.row_gap(gap) {
            self.write_inner_borders(gap);
            return;
        }
        self.inner_borders.clear();
        let is_new = self.begun < self.containers.len();
        let gap = match gap {
            Gap::Line if is_new && !has_ended && self.begins_apart() => Gap::Paragraph,
            Gap::Line if !is_new && has_ended => Gap::Paragraph,
            gap => gap,
        };
        if std::mem::take(&mut self.has_rule) && gap == Gap::Paragraph {
            self.blank_line();
            self.prefix();
            self.out.push_str("---");
        }
        match gap {
            Gap::None | Gap::Start => {}
            Gap::Space | Gap::Cell | Gap::InnerCell => return self.out.push(' '),
            Gap::Line if is_new => self.out.push('\n'),
            Gap::Line => self.out.push_str("\\\n"),
            Gap::Paragraph => self.blank_line(),
        }
        self.prefix();
        self.begin_containers();
        self.line = LineSoFar::Start;
        if let Some(level) = self.heading {
            self.out.push_str(&"######"[..usize::from(level)]);
            self.out.push(' ');
            self.line = LineSoFar::Inside;
        }
    }

    fn inner_borders(&mut self, borders: &str) {
        self.inner_borders.push_str(borders);
    }

    fn post(&mut self, gap: Gap, post: Post) {
        let is_cell = self.table.as_ref().is_some_and(|table| table.row.is_some());
        let (author, date) = (post.author.value, post.date.value);
        if is_cell || author.is_empty() && date.is_empty() {
            return self.gap(gap);
        }
        // The line comes before a heading, too.
        let heading = self.heading.take();
        self.gap(gap);
        if !author.is_empty() {
            self.out.push_str("**");
            self.line = LineSoFar::Inside;
            self.escaped(&author);
            self.out.push_str(if date.is_empty() { "**" } else { "**, " });
        }
        // Of an instant, the day.
        let is_instant = date.len() > 10 && date.as_bytes()[..10].iter().all(|b| b.is_ascii_digit() || *b == b'-');
        self.escaped(if is_instant { &date[..10] } else { &date });
        self.heading = heading;
        self.gap(Gap::Paragraph);
    }

    fn text(&mut self, text: &str) {
        if let Some(Code::Inline(code)) = &mut self.code {
            return code.push_str(text);
        }
        self.begin_inline(text.chars().next().unwrap_or(' '));
        // With these, the reference would be a link, or at the start of a line a note.
        if let Some(began_line) = self.after_reference.take().filter(|_| self.out.ends_with(']'))
            && (text.starts_with(['(', '[']) || began_line && text.starts_with(':'))
        {
            self.out.push('\\');
        }
        self.escaped(text);
    }

    fn code(&mut self, more: &str) {
        if let Some(Code::Block { text, .. }) = &mut self.code {
            text.push_str(more);
        }
    }

    fn open(&mut self, element: Open<'_>) {
        match element {
            Open::Heading(level) => self.heading = Some(level),
            Open::List => {
                let level = self.lists.open.len();
                let other = self.lists.ended.is_some_and(|(kind, at)| at == level && !kind);
                self.lists.open.push(other);
            }
            Open::Item { number, .. } => {
                let other = self.lists.open.last().copied().unwrap_or(false);
                let marker = match number {
                    Some(number) => {
                        let number = number.clamp(0, LARGEST_NUMBER);
                        format!("{number}{}", if other { ')' } else { '.' })
                    }
                    None => (if other { "*" } else { "-" }).to_owned(),
                };
                let width = marker.len() + 1;
                self.containers.push(Container::Item { marker, width });
            }
            Open::Note(number) => {
                let marker = format!("[^{number}]:");
                self.containers.push(Container::Item { marker, width: 4 });
            }
            Open::Quote => self.containers.push(Container::Quote),
            Open::Alert(kind) => self.containers.push(Container::Alert(kind.to_ascii_uppercase())),
            Open::Code(language) => {
                self.code = Some(Code::Block {
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
            Open::Table if self.table.is_some() => self.inner_tables += 1,
            Open::Table => self.table = Some(OpenTable::default()),
            Open::Row(_) | Open::Cell(_) if self.inner_tables > 0 => {}
            Open::Row(group) => {
                if let Some(table) = &mut self.table {
                    table.open_row(group);
                }
            }
            Open::Cell(span) => {
                if let Some(table) = &mut self.table {
                    table.open_cell(span);
                }
            }
            Open::Emphasis(kind) => self.open_emphasis(kind),
            Open::InlineCode if self.code.is_none() => self.code = Some(Code::Inline(String::new())),
            Open::Link(address) if self.link.is_none() && self.code.is_none() => {
                self.link = Some(Link {
                    address: address::escaped(address),
                    is_open: false,
                });
            }
            Open::InlineCode | Open::Link(_) => {}
        }
    }

    fn close(&mut self, element: Close) {
        match element {
            Close::Heading => {
                self.heading = None;
                self.has_ended = true;
            }
            Close::List => {
                if let Some(kind) = self.lists.open.pop() {
                    self.lists.ended = Some((kind, self.lists.open.len()));
                }
            }
            // The next cell, or the end of the row, ends it.
            Close::Cell => {}
            Close::Item | Close::Quote => {
                self.containers.pop();
                if self.begun > self.containers.len() {
                    self.begun = self.containers.len();
                    self.has_ended = true;
                    self.has_rule = false;
                }
            }
            Close::Code => {
                if let Some(Code::Block { language, text }) = self.code.take()
                    && !text.is_empty()
                {
                    self.block(&language, &text);
                }
                self.has_ended = true;
            }
            Close::Row if self.inner_tables > 0 => {}
            Close::Table if self.inner_tables > 0 => self.inner_tables -= 1,
            Close::Table => {
                self.end_table();
                self.has_ended = true;
            }
            Close::Row => {
                self.end_emphases(true);
                self.end_link();
                self.end_emphases(false);
                self.end_row();
            }
            Close::InlineCode => {
                if let Some(Code::Inline(text)) = self.code.take_if(|code| matches!(code, Code::Inline(_))) {
                    self.end_inline_code(&text);
                }
            }
            Close::Emphasis => self.close_emphasis(),
            Close::Link => {
                self.end_link();
                self.link = None;
            }
        }
    }

    fn rule(&mut self) {
        // At the start or the end of an item, it would part the list.
        self.has_rule |= self.begun == self.containers.len();
    }

    fn math(&mut self, tex: &str, is_display: bool) {
        if is_display {
            self.block("math", tex);
            self.has_ended = true;
            return;
        }
        if let Some(Code::Inline(code)) = &mut self.code {
            return code.push_str(tex);
        }
        self.begin_inline('$');
        let fence = "`".repeat(1 + code::longest_run(tex));
        let pad = if tex.starts_with('`') || tex.ends_with('`') {
            " "
        } else {
            ""
        };
        for part in ["$", &fence, pad] {
            self.out.push_str(part);
        }
        self.in_cell(tex);
        for part in [pad, &fence, "$"] {
            self.out.push_str(part);
        }
        self.line = LineSoFar::Inside;
    }

    fn reference(&mut self, number: &str) {
        if let Some(Code::Inline(code)) = &mut self.code {
            code.push_str(number);
            return;
        }
        let begins_line = self.line != LineSoFar::Inside;
        self.begin_inline('[');
        if self.out.ends_with('!') {
            // With it, the reference would be an image.
            self.out.insert(self.out.len() - 1, '\\');
        }
        self.out.push_str("[^");
        self.out.push_str(number);
        self.out.push(']');
        self.line = LineSoFar::Inside;
        self.after_reference = Some(begins_line);
    }

    fn image(&mut self, address: &str, alt: &str) {
        if self.code.is_some() {
            return;
        }
        self.begin_inline('!');
        self.out.push_str("![");
        self.line = LineSoFar::Inside;
        let alt: Vec<&str> = alt.split_whitespace().collect();
        self.escaped(&alt.join(" "));
        self.out.push_str("](");
        let address = address::escaped(address);
        self.out.push_str(&address);
        self.out.push(')');
    }

    fn tail(&self) -> &str {
        self.out
    }
}
