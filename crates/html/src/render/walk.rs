//! The walk over a selection: finds the form of the page and tells it to a writer.
//!
//! The walk visits the nodes of the ranges in order. Of the rest it visits the elements around the ranges, whose form the
//! content has, and the siblings between two ranges, because breaks and borders there separate texts. Each node is visited a
//! bounded number of times.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use memchr::memmem::Finder;

use super::collapse::{Collapsed, collapse_node};
use super::hints::{Hints, WhiteSpace};
use super::list::List;
use super::role::{Gap, Role};
use super::table::{self, Table, TableForm};
use super::writer::{Close, Open, Writer};
use super::{code, inline, math};
use crate::dom::tag::Tag;
use crate::dom::{Children, Dom, Node, NodeFlags, NodeId};

/// How to walk.
#[derive(Clone, Copy, Default)]
pub(super) struct Manner<'a> {
    /// The content of `script` elements is text.
    pub(super) scripts: bool,
    /// Only the text counts, and not the form of the elements around the ranges: no lists, tables or code.
    pub(super) is_bare: bool,
    /// What links and images are relative to.
    pub(super) base: Option<&'a super::base::Base>,
}

/// What is to be done at the end of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Gap(Gap),
    /// The element, the gap behind it, and the largest gap that was allowed before.
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
    /// A line in code.
    CodeLine,
}

pub(super) struct Walk<'d, W> {
    pub(super) dom: &'d Dom<'d>,
    pub(super) nodes: &'d [Node],
    manner: Manner<'d>,
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
    lists: Vec<List>,
    tables: Vec<Table>,
    /// The state of the open code. It is open up to this node; 0 if none is.
    pub(super) code_end: NodeId,
    pub(super) code: code::State,
    /// Text nodes before this one keep their lines.
    lines_end: NodeId,
    /// An item has begun and has no text yet.
    pending: bool,
    /// The gap before that item. Blocks at its start are on its first line.
    item_gap: Gap,
    /// The number of gaps of at least a paragraph within items.
    paragraphs: u32,
    hints: Hints,
    soft_hyphen: Finder<'static>,
    math: math::State,
    /// The first node that is not visited yet.
    at: NodeId,
}

/// Writes a selection.
pub(super) fn write<'d, W: Writer>(
    dom: &'d Dom<'_>,
    ranges: &[Range<NodeId>],
    masked: &'d [Range<NodeId>],
    manner: Manner<'d>,
    writer: W,
) -> W {
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
        lists: Vec::new(),
        tables: Vec::new(),
        code_end: 0,
        code: code::State::default(),
        lines_end: 0,
        pending: false,
        item_gap: Gap::Start,
        paragraphs: 0,
        hints: if manner.is_bare {
            Hints::NONE
        } else {
            Hints::find(dom, ranges)
        },
        soft_hyphen: Finder::new("\u{AD}"),
        math: math::State::default(),
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
            self.element(id, node, Role::of(node.tag));
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
        let role = Role::of(node.tag);
        match role {
            Role::Break => self.line_break(),
            _ => self.require(self.outer_border(id, role).max(Gap::Space)),
        }
        if role.border() < Gap::Line {
            for inner in self.nodes[id as usize + 1..node.end as usize].iter().take(MOST) {
                match Role::of(inner.tag) {
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
            let role = Role::of(node.tag);
            match role {
                Role::Text => self.node_text(id, node),
                Role::Inline if !self.hints.any() && !self.math.has_copy() => {}
                Role::Hidden => {
                    let gap = if node.tag.is_block() { Gap::Paragraph } else { Gap::None };
                    self.require(gap);
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
            match Role::of(tag) {
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
            Role::Row if matches!(self.table_form(id), Some(TableForm::Data { .. })) => Gap::Line,
            Role::Section if matches!(self.table_form(id), Some(TableForm::Data { .. })) => Gap::Line,
            role => role.border(),
        }
    }

    fn is_script(&self, node: &Node) -> bool {
        node.tag == Tag::Script || (node.tag == Tag::RawText && self.nodes[node.parent as usize].tag == Tag::Script)
    }

    /// Opens an element. Returns whether its content is done with.
    fn element(&mut self, id: NodeId, node: &Node, role: Role) -> bool {
        let is_flat = self.most < Gap::Paragraph;
        if self.hints.any() && !self.manner.is_bare {
            if self.hints.is_viewer(self.dom, id) && !is_flat {
                self.open_code(id, node, true);
                return false;
            }
            match self.hints.white_space(self.dom, id) {
                WhiteSpace::Preserved if role.border() == Gap::Paragraph && !is_flat => {
                    self.open_code(id, node, false);
                    return false;
                }
                WhiteSpace::Preserved | WhiteSpace::Lines => self.lines_end = self.lines_end.max(node.end),
                WhiteSpace::Collapsed => {}
            }
        }
        if self.manner.is_bare {
            match role {
                Role::Break => self.line_break(),
                _ => self.border(id, node, role.border()),
            }
            return false;
        }
        match role {
            Role::Break => self.line_break(),
            Role::Rule => {
                self.require(Gap::Paragraph);
                if !is_flat {
                    self.writer.rule();
                }
            }
            Role::Heading => {
                if is_flat || !inline::is_one_line(self.nodes, id) {
                    self.border(id, node, Gap::Paragraph);
                } else {
                    self.require(Gap::Paragraph);
                    let level = 1 + node.tag as u8 - Tag::H1 as u8;
                    self.writer.open(Open::Heading(level));
                    let end = End::Element(Close::Heading, Gap::Paragraph, self.most);
                    self.ends.push((node.end, end));
                    self.most = Gap::Space;
                }
            }
            Role::Preformatted if !is_flat => self.open_code(id, node, false),
            Role::Code if !is_flat && code::is_block(self.dom, id) => self.open_code(id, node, false),
            Role::Code if W::INLINE && inline::is_inline(self.nodes, id) => {
                self.writer.open(Open::InlineCode);
                let end = End::Element(Close::InlineCode, Gap::None, self.most);
                self.ends.push((node.end, end));
                self.most = Gap::Space.min(self.most);
            }
            Role::Link if W::INLINE && self.writer.wants_links() => self.open_link(id, node),
            Role::Image if W::INLINE => self.image(id),
            Role::List if !is_flat => self.open_list(id, node),
            Role::Item if !is_flat => self.open_item(id, node),
            Role::Quote if !is_flat => {
                self.require(Gap::Paragraph);
                self.writer.open(Open::Quote);
                let end = End::Element(Close::Quote, Gap::Paragraph, self.most);
                self.ends.push((node.end, end));
            }
            Role::Table if !is_flat => self.open_table(id, node),
            Role::Section => match self.table_form(id) {
                Some(TableForm::Data { .. }) => {}
                _ => self.border(id, node, Gap::Paragraph),
            },
            Role::Row => self.open_row(id, node),
            Role::Cell => self.open_cell(id, node),
            Role::Term => {
                self.require(Gap::Paragraph);
                self.ends.push((node.end, End::Gap(Gap::Line)));
            }
            Role::Reading => {
                if inline::needs_parentheses(self.nodes, id) {
                    self.write("(");
                    self.ends.push((node.end, End::Text(")")));
                }
            }
            Role::Quotation if inline::is_inline(self.nodes, id) => {
                self.write("“");
                self.ends.push((node.end, End::Text("”")));
            }
            Role::Superscript => self.superscript(id, node),
            Role::Math => return self.open_math(id),
            _ => {
                if self.math.is_copy(id) {
                    return true;
                }
                self.border(id, node, role.border());
            }
        }
        false
    }

    /// Opens an element that only separates.
    #[inline]
    fn border(&mut self, id: NodeId, node: &Node, gap: Gap) {
        if gap != Gap::None {
            self.require(gap);
            if node.end > id + 1 {
                self.ends.push((node.end, End::Gap(gap)));
            }
        }
    }

    fn superscript(&mut self, id: NodeId, node: &Node) {
        match inline::superscript(self.dom, id) {
            inline::Superscript::Note => {
                self.write("[");
                self.ends.push((node.end, End::Text("]")));
            }
            inline::Superscript::Power { is_short }
                if self.gap == Gap::None && inline::takes_power(self.writer.tail(), is_short) =>
            {
                self.write("^");
            }
            _ => {}
        }
    }

    fn open_link(&mut self, id: NodeId, node: &Node) {
        let address = self.dom.attribute(id, "href");
        let address = address.and_then(|href| self.manner.base.and_then(|base| base.join(&href)));
        if let Some(address) = address {
            self.writer.open(Open::Link(&address));
            let end = End::Element(Close::Link, Gap::None, self.most);
            self.ends.push((node.end, end));
        }
    }

    fn image(&mut self, id: NodeId) {
        if let Some(tex) = math::of_image(self.dom, id) {
            self.write_math(&tex, false);
        } else if self.writer.wants_images()
            && let Some(base) = self.manner.base
            && let Some(source) = self.dom.attribute(id, "src")
            && let Some(address) = base.join(&source)
        {
            let alt = self.dom.attribute(id, "alt").unwrap_or_default();
            self.write_gap();
            self.writer.image(&address, &alt);
        }
    }

    fn open_math(&mut self, id: NodeId) -> bool {
        let Some(tex) = self.math.tex(self.dom, id) else {
            return false;
        };
        let is_display = math::is_display(self.dom, id);
        self.write_math(&tex, is_display);
        true
    }

    /// Writes the mathematics in a script.
    fn script(&mut self, id: NodeId) {
        if let Some((tex, is_display)) = math::of_script(self.dom, id) {
            self.write_math(&tex, is_display);
        }
    }

    fn write_math(&mut self, tex: &str, is_display: bool) {
        if !self.math.is_new(tex) {
            return;
        }
        let is_display = is_display && self.most == Gap::Paragraph;
        if is_display {
            self.require(Gap::Paragraph);
        }
        self.write_gap();
        self.writer.math(tex, is_display);
        if is_display {
            self.require(Gap::Paragraph);
        }
    }

    fn open_list(&mut self, id: NodeId, node: &Node) {
        let gap = if self.lists.last().is_some_and(|list| list.is_drawn) {
            Gap::Line
        } else {
            Gap::Paragraph
        };
        self.require(gap);
        let list = List::new(self.dom, id);
        if list.is_drawn {
            self.writer.open(Open::List);
        }
        self.lists.push(list);
        self.ends.push((node.end, End::List(gap)));
    }

    fn open_item(&mut self, id: NodeId, node: &Node) {
        let is_drawn = match self.lists.last() {
            Some(list) => list.is_drawn,
            None => !inline::has_heading(self.nodes, id),
        };
        if !is_drawn {
            return self.border(id, node, Gap::Paragraph);
        }
        self.require(Gap::Line);
        match self.lists.last_mut() {
            Some(list) => {
                let number = list.number(self.dom, id);
                let marker = list.marker(number);
                self.writer.open(Open::Item {
                    marker: &marker,
                    number,
                });
            }
            None => self.writer.open(Open::Item {
                marker: "-",
                number: None,
            }),
        }
        let was_pending = std::mem::replace(&mut self.pending, true);
        if !was_pending {
            self.item_gap = self.gap;
        }
        let end = End::Item {
            was_pending,
            paragraphs: self.paragraphs,
        };
        self.ends.push((node.end, end));
    }

    fn open_table(&mut self, id: NodeId, node: &Node) {
        let form = table::form(self.dom, id, &self.hints);
        if form == TableForm::Code {
            return self.open_code(id, node, true);
        }
        self.require(Gap::Paragraph);
        if let TableForm::Data { columns } = form {
            self.writer.open(Open::Table { columns });
        }
        self.tables.push(Table { id, form });
        self.ends.push((node.end, End::Table));
    }

    /// The form of the table that the row or the section belongs to.
    fn table_form(&self, id: NodeId) -> Option<TableForm> {
        let table = self.tables.last()?;
        let parent = self.nodes[id as usize].parent;
        let is_own = parent == table.id || self.nodes[parent as usize].parent == table.id;
        is_own.then_some(table.form)
    }

    fn open_row(&mut self, id: NodeId, node: &Node) {
        match self.table_form(id) {
            Some(TableForm::Data { .. }) if self.most == Gap::Paragraph => {
                self.require(Gap::Line);
                let is_header = table::is_header(self.nodes, id);
                self.writer.open(Open::Row { is_header });
                self.ends.push((node.end, End::Row));
            }
            _ => self.border(id, node, Gap::Paragraph),
        }
    }

    fn open_cell(&mut self, id: NodeId, node: &Node) {
        match self.table_form(node.parent) {
            Some(TableForm::Data { .. }) if self.nodes[node.parent as usize].tag == Tag::Tr => {
                // A cell is on the line of its row, whatever is around it.
                self.gap = self.gap.max(Gap::Cell);
                self.writer.open(Open::Cell);
                self.ends.push((node.end, End::Cell(self.most)));
                self.most = Gap::Space;
            }
            Some(TableForm::Blocks) => self.border(id, node, Gap::Paragraph),
            _ => self.border(id, node, Gap::Space),
        }
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

    fn close_element(&mut self, end: End) {
        match end {
            End::Gap(gap) => self.require(gap),
            End::Element(element, gap, most) => {
                self.writer.close(element);
                self.most = most;
                self.breaks = 0;
                self.require(gap);
            }
            End::Item {
                was_pending,
                paragraphs,
            } => {
                self.writer.close(Close::Item);
                if self.pending {
                    // The item has no text.
                    self.pending = was_pending;
                    self.gap = self.item_gap;
                } else if self.paragraphs == paragraphs {
                    self.gap = Gap::Line;
                } else {
                    self.gap = Gap::Paragraph;
                }
                self.breaks = 0;
            }
            End::List(gap) => {
                if self.lists.pop().is_some_and(|list| list.is_drawn) {
                    self.writer.close(Close::List);
                }
                self.require(gap);
            }
            End::Code => self.close_code(),
            End::CodeLine => self.end_code_line(),
            End::Table => {
                if let Some(Table {
                    form: TableForm::Data { .. },
                    ..
                }) = self.tables.pop()
                {
                    self.writer.close(Close::Table);
                }
                self.require(Gap::Paragraph);
            }
            End::Row => {
                self.writer.close(Close::Row);
                self.require(Gap::Line);
            }
            End::Cell(most) => {
                self.writer.close(Close::Cell);
                self.most = most;
                self.breaks = 0;
                self.require(Gap::Space);
            }
            End::Text(text) => {
                // It belongs to the text before it.
                let gap = std::mem::replace(&mut self.gap, Gap::None);
                self.writer.text(text);
                self.gap = gap;
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
        let has_soft_hyphen = flags.has(NodeFlags::NON_ASCII) && self.soft_hyphen.find(raw.as_bytes()).is_some();
        if flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) || (has_soft_hyphen && !self.manner.is_bare) {
            match self.manner.is_bare {
                true => collapse_node(raw, flags.has(NodeFlags::ENTITIES), &mut Whole(self)),
                false => collapse_node(raw, flags.has(NodeFlags::ENTITIES), self),
            }
        } else if !flags.has(NodeFlags::NON_ASCII) || self.manner.is_bare || !inline::is_invisible(raw) {
            self.write(raw);
        }
    }

    #[inline]
    fn space_before(&mut self, id: NodeId) {
        self.require(Gap::Space);
        if id < self.lines_end {
            let ends = code::line_ends_before(self.dom, id);
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
        let gap = match std::mem::take(&mut self.pending) {
            true => self.item_gap,
            false => {
                self.paragraphs += u32::from(self.gap >= Gap::Paragraph);
                self.gap
            }
        };
        self.breaks = 0;
        self.writer.gap(gap);
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
