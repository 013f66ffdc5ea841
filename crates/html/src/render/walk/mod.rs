//! The walk over a selection: finds the form of the page and passes it to a writer.
//!
//! The walk visits the nodes of the ranges in order. Of the rest it visits the elements around the ranges, whose form
//! the content has, and the siblings between two ranges, because breaks and borders there separate texts. Each node is
//! visited a bounded number of times.

mod code;
mod elements;
mod tables;

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;
use std::sync::LazyLock;
use std::vec::IntoIter;

use memchr::memmem::Finder;

use super::collapse::{Collapsed, collapse_node};
use super::footnotes::{self, NotePart};
use super::hints::Hints;
use super::list::List;
use super::posts::{self, Post};
use super::role::{Gap, Role};
use super::table::{Table, TableForm};
use super::writer::{Close, Writer};
use super::{inline, math, source};
use crate::dom::tag::Tag;
use crate::dom::{Children, Dom, Node, NodeFlags, NodeId, entities};

/// How to walk.
#[derive(Clone, Copy, Default)]
pub(super) struct WalkOptions<'a> {
    /// The content of `script` elements is text.
    pub(super) scripts: bool,
    /// Only the text counts, and not the form of the elements around the ranges: no lists, tables or code.
    pub(super) is_bare: bool,
    /// Authors and dates of posts are reported.
    pub(super) posts: bool,
    /// The base of relative links and images.
    pub(super) base: Option<&'a super::base::Base>,
}

/// The work at the end of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Gap(Gap),
    /// The element, the gap after it, and the largest gap that was allowed before.
    Element(Close, Gap, Gap),
    Item {
        was_pending: bool,
        paragraphs: u32,
    },
    List(Gap),
    Code,
    Table,
    Row,
    /// The largest gap that was allowed before.
    Cell(Gap),
    Text(&'static str),
    Post,
    /// A line in code.
    CodeLine,
}

pub(super) struct Walk<'d, W> {
    pub(super) dom: &'d Dom<'d>,
    pub(super) nodes: &'d [Node],
    manner: WalkOptions<'d>,
    pub(super) writer: W,
    /// The gap before the next text.
    pub(super) gap: Gap,
    /// The largest gap that is allowed here: a heading or a cell is one line.
    pub(super) most: Gap,
    /// The number of line breaks since the last text.
    breaks: u32,
    /// The ends of the open elements that matter, innermost last.
    pub(super) ends: Vec<(NodeId, End)>,
    pub(super) masked: Peekable<Iter<'d, Range<NodeId>>>,
    /// The selection.
    ranges: &'d [Range<NodeId>],
    masks: &'d [Range<NodeId>],
    lists: Vec<List>,
    tables: Vec<Table>,
    /// The separator between a text and the next one in a table in a cell, if the gap is not larger.
    inner_borders: String,
    /// The state of the open code. It is open up to this node; 0 if none is.
    pub(super) code_end: NodeId,
    code: code::CodeBlock,
    /// Text nodes before this one keep their lines.
    lines_end: NodeId,
    /// An item has begun and has no text yet.
    pending: bool,
    /// The gap before that item. Blocks at its start are on its first line.
    item_gap: Gap,
    /// The number of gaps of at least a paragraph within items.
    paragraphs: u32,
    hints: Hints,
    /// The callout that opened last.
    alert: Option<NodeId>,
    /// The posts that have not begun, and the one that has no text yet.
    posts: Peekable<IntoIter<Post>>,
    pending_post: Option<Post>,
    /// The parts of footnotes that have not begun.
    notes: Peekable<IntoIter<(NodeId, NotePart)>>,
    math: math::Formulas,
    /// The number of bytes that addresses may still have. All of them have at most a multiple of the page's own bytes,
    /// although each repeats the address of the page.
    room: usize,
    /// The first node that is not visited yet.
    at: NodeId,
}

static SOFT_HYPHEN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\u{AD}"));

/// The room for addresses in a page: for each byte of it, and besides.
const ROOM: usize = 4;
const LEAST_ROOM: usize = 1 << 16;

/// Writes a selection.
pub(super) fn write<'d, W: Writer>(
    dom: &'d Dom<'_>,
    ranges: &'d [Range<NodeId>],
    masked: &'d [Range<NodeId>],
    manner: WalkOptions<'d>,
    writer: W,
) -> W {
    let mut hints = if manner.is_bare {
        Hints::NONE
    } else {
        Hints::find(dom, ranges)
    };
    let posts = if manner.posts { posts::find(dom) } else { Vec::new() };
    hints.posts = !posts.is_empty();
    let notes = if W::INLINE && !manner.is_bare {
        footnotes::find(dom, ranges, masked, &hints)
    } else {
        Vec::new()
    };
    hints.footnotes = !notes.is_empty();
    let mut walk = Walk {
        dom,
        nodes: dom.nodes(),
        manner,
        writer,
        gap: Gap::Start,
        most: Gap::Paragraph,
        breaks: 0,
        ends: Vec::new(),
        masked: masked.iter().peekable(),
        ranges,
        masks: masked,
        lists: Vec::new(),
        tables: Vec::new(),
        inner_borders: String::new(),
        code_end: 0,
        code: code::CodeBlock::default(),
        lines_end: 0,
        pending: false,
        item_gap: Gap::Start,
        paragraphs: 0,
        hints,
        alert: None,
        posts: posts.into_iter().peekable(),
        pending_post: None,
        notes: notes.into_iter().peekable(),
        math: math::Formulas::default(),
        room: LEAST_ROOM + dom.source().len().saturating_mul(ROOM),
        at: 0,
    };
    if let Some(first) = ranges.first() {
        walk.enter(first.start);
    }
    for range in ranges {
        walk.advance(range.start);
        walk.range(range.clone());
        walk.at = range.end;
    }
    walk.close(NodeId::MAX);
    walk.writer
}

impl<W: Writer> Walk<'_, W> {
    /// Opens the elements around the first range.
    fn enter(&mut self, start: NodeId) {
        self.at = start;
        if self.manner.is_bare {
            return;
        }
        let nodes = self.nodes;
        let mut around = Vec::new();
        let mut id = start;
        while id > 0 {
            id = nodes[id as usize].parent;
            around.push(id);
        }
        for id in around.into_iter().rev() {
            self.enter_element(id, &nodes[id as usize]);
        }
    }

    fn enter_element(&mut self, id: NodeId, node: &Node) {
        if id < self.code_end {
            self.enter_in_code(id, node);
        } else if !node.tag.is_hidden() && node.tag != Tag::Math {
            self.element(id, node, Role::from_tag(node.tag));
        }
    }

    /// Moves to a range: closes the elements that do not contain it, and opens those that do.
    fn advance(&mut self, start: NodeId) {
        let nodes = self.nodes;
        let mut id = self.at;
        while id < start {
            self.close(id);
            let node = &nodes[id as usize];
            if node.end <= start {
                self.leave_out(id, node);
                id = node.end;
                continue;
            }
            if node.flags.has(NodeFlags::SPACE_BEFORE) {
                self.space_before(id);
            }
            self.enter_element(id, node);
            id += 1;
        }
        self.close(start);
    }

    /// Passes over a subtree between two ranges.
    fn leave_out(&mut self, id: NodeId, node: &Node) {
        /// Of a longer inline element, breaks do not count.
        const MOST: usize = 64;
        if node.tag.is_hidden() {
            return;
        }
        if id < self.code_end {
            return self.end_code_line();
        }
        let role = Role::from_tag(node.tag);
        match role {
            Role::Break => self.line_break(),
            _ => self.require(self.outer_border(id, role).max(Gap::Space)),
        }
        if role.border() < Gap::Line {
            for inner in self.nodes[id as usize + 1..node.end as usize].iter().take(MOST) {
                match Role::from_tag(inner.tag) {
                    Role::Break => self.line_break(),
                    role if role.border() >= Gap::Line => self.require(role.border()),
                    _ => {}
                }
            }
        }
    }

    fn range(&mut self, range: Range<NodeId>) {
        let nodes = self.nodes;
        let mut id = range.start;
        if id < self.code_end {
            id = self.code_nodes(id, range.end);
        }
        while id < range.end {
            self.close(id);
            let node = &nodes[id as usize];
            if node.flags.has(NodeFlags::SPACE_BEFORE) {
                self.space_before(id);
            }
            if let Some(end) = self.masked_end(id) {
                let end = end.min(range.end);
                self.pass_masked(id, end);
                id = end;
                continue;
            }
            let role = Role::from_tag(node.tag);
            match role {
                Role::Text => self.node_text(id, node),
                Role::Inline if !self.hints.any() && !self.math.has_copy() => {}
                Role::Strong | Role::Italic if !W::INLINE && !self.hints.any() && !self.math.has_copy() => {}
                Role::Hidden => {
                    self.require(if node.tag.is_block() { Gap::Paragraph } else { Gap::None });
                    if self.manner.scripts && self.is_script(node) {
                        if node.tag == Tag::RawText {
                            collapse_node(self.dom.raw(id), false, self);
                        }
                    } else {
                        if node.tag == Tag::Script {
                            self.script(id);
                        }
                        id = node.end;
                        continue;
                    }
                }
                _ => {
                    if self.element(id, node, role) {
                        id = node.end;
                        continue;
                    }
                    if id < self.code_end {
                        id = self.code_nodes(id + 1, range.end);
                        continue;
                    }
                }
            }
            id += 1;
        }
        self.close(range.end);
    }

    /// The end of the masked range that the node is in.
    #[inline]
    pub(super) fn masked_end(&mut self, id: NodeId) -> Option<NodeId> {
        while self.masked.next_if(|mask| mask.end <= id).is_some() {}
        self.masked.peek().filter(|mask| mask.start <= id).map(|mask| mask.end)
    }

    /// Passes over a masked range. It may be several adjacent subtrees.
    fn pass_masked(&mut self, id: NodeId, end: NodeId) {
        let nodes = self.nodes;
        for child in (Children { nodes, next: id, end }) {
            let tag = nodes[child as usize].tag;
            match Role::from_tag(tag) {
                Role::Break => self.line_break(),
                Role::Hidden if tag == Tag::Script => self.script(child),
                role => self.require(self.outer_border(child, role)),
            }
        }
    }

    /// The border of an element that is left out.
    fn outer_border(&self, id: NodeId, role: Role) -> Gap {
        match role {
            Role::Item if self.lists.last().is_some_and(|list| list.is_drawn) => Gap::Line,
            Role::Row if matches!(self.table_form(id), Some(TableForm::Data)) => Gap::Line,
            Role::Section if matches!(self.table_form(id), Some(TableForm::Data)) => Gap::Line,
            role => role.border(),
        }
    }

    fn is_script(&self, node: &Node) -> bool {
        node.tag == Tag::Script || (node.tag == Tag::RawText && self.nodes[node.parent as usize].tag == Tag::Script)
    }

    pub(super) fn line_break(&mut self) {
        self.breaks += 1;
        self.require(if self.breaks > 1 { Gap::Paragraph } else { Gap::Line });
    }

    /// Requires at least this gap before the next text.
    #[inline]
    pub(super) fn require(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap.min(self.most));
    }

    /// Closes the elements that end at or before `id`.
    #[inline]
    pub(super) fn close(&mut self, id: NodeId) {
        while let Some(&(end, action)) = self.ends.last()
            && end <= id
        {
            self.ends.pop();
            match action {
                End::Gap(gap) => self.require(gap),
                action => self.close_element(action),
            }
        }
    }

    #[inline]
    fn node_text(&mut self, id: NodeId, node: &Node) {
        let raw = &self.dom.source()[node.from as usize..node.to as usize];
        let flags = node.flags;
        if id < self.lines_end {
            return self.lines(raw, flags.has(NodeFlags::ENTITIES));
        }
        if self.is_left_out(raw, flags) {
            return;
        }
        let has_soft_hyphen = flags.has(NodeFlags::NON_ASCII) && SOFT_HYPHEN.find(raw.as_bytes()).is_some();
        if flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) || (has_soft_hyphen && !self.manner.is_bare) {
            if self.manner.is_bare {
                collapse_node(raw, flags.has(NodeFlags::ENTITIES), &mut Whole(self))
            } else {
                collapse_node(raw, flags.has(NodeFlags::ENTITIES), self)
            }
        } else {
            self.write(raw);
        }
    }

    /// Whether a text has only characters that are not shown. Joiners in a word are kept, because some scripts need
    /// them.
    #[inline]
    fn is_left_out(&mut self, raw: &str, flags: NodeFlags) -> bool {
        if !flags.has(NodeFlags::NON_ASCII | NodeFlags::ENTITIES) || self.manner.is_bare {
            return false;
        }
        let text = match raw.as_bytes().first() {
            Some(b'&') => entities::decode(raw),
            Some(byte) if !byte.is_ascii() => raw.into(),
            _ => return false,
        };
        let is_left_out =
            inline::is_invisible(&text) && !(self.gap == Gap::None && text.contains(['\u{200C}', '\u{200D}']));
        if is_left_out && text.contains(char::is_whitespace) {
            self.require(Gap::Space);
        }
        is_left_out
    }

    #[inline]
    fn space_before(&mut self, id: NodeId) {
        self.require(Gap::Space);
        if id < self.lines_end {
            let ends = source::line_ends_before(self.dom, id);
            for _ in 0..ends.min(2) {
                self.line_break();
            }
        }
    }

    /// Writes a text whose lines are kept.
    fn lines(&mut self, raw: &str, references: bool) {
        for (number, line) in raw.lines().enumerate() {
            if number > 0 {
                self.line_break();
            }
            collapse_node(line, references, self);
        }
    }

    /// Writes a text that is not empty, with the gap before it.
    #[inline]
    pub(super) fn write(&mut self, text: &str) {
        self.write_gap();
        self.writer.text(text);
    }

    #[inline]
    pub(super) fn write_gap(&mut self) {
        if self.gap != Gap::None {
            if self.gap == Gap::Space {
                self.writer.space();
            } else {
                self.write_wide_gap();
            }
            self.gap = Gap::None;
        }
    }

    fn write_wide_gap(&mut self) {
        let gap = if std::mem::take(&mut self.pending) {
            self.item_gap
        } else {
            self.paragraphs += u32::from(self.gap >= Gap::Paragraph);
            self.gap
        };
        self.breaks = 0;
        if !self.inner_borders.is_empty() {
            self.writer.inner_borders(&self.inner_borders);
            self.inner_borders.clear();
        }
        match self.pending_post.take() {
            None => self.writer.gap(gap),
            Some(post) => {
                self.paragraphs += 1;
                self.writer.post(gap, post);
            }
        }
    }
}

impl<W: Writer> Collapsed for Walk<'_, W> {
    const DROPS_SOFT_HYPHENS: bool = true;

    #[inline]
    fn part(&mut self, text: &str) {
        self.write(text);
    }

    #[inline]
    fn space(&mut self) {
        self.require(Gap::Space);
    }
}

/// Keeps soft hyphens.
struct Whole<'w, 'd, W>(&'w mut Walk<'d, W>);

impl<W: Writer> Collapsed for Whole<'_, '_, W> {
    const DROPS_SOFT_HYPHENS: bool = false;

    fn part(&mut self, text: &str) {
        self.0.write(text);
    }

    fn space(&mut self) {
        self.0.require(Gap::Space);
    }
}
