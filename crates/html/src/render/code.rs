//! Code: every space and line as the page has them.
//!
//! The tree has no nodes for white space, so it is read from the source: what is between two nodes in document
//! order is between them in the source, too, among end tags and comments.

use super::hints;
use super::role::{Gap, Role};
use super::walk::{End, Walk};
use super::writer::{Close, Open, Writer};
use crate::dom::count::is_space;
use crate::dom::entities;
use crate::dom::parse::scan;
use crate::dom::tag::Tag;
use crate::dom::{Dom, Node, NodeFlags, NodeId};

/// The state of an open code block.
#[derive(Default)]
pub(super) struct CodeBlock {
    /// White space since the last text.
    space: String,
    /// Whether the block has text.
    has_text: bool,
    /// Whether lines are elements, so that line ends between them mean nothing.
    is_lines: bool,
    /// The nodes before were the number of a line, whose white space is none of the code.
    after_gutter: bool,
    scratch: String,
}

/// Whether a `code` element is a block of lines: it is alone in its paragraph and has several lines.
pub(super) fn is_block(dom: &Dom<'_>, id: NodeId) -> bool {
    let node = dom.node(id);
    let parent = dom.node(node.parent);
    if id == 0
        || node.parent + 1 != id
        || parent.end != node.end
        || Role::from_tag(parent.tag).border() < Gap::Paragraph
    {
        return false;
    }
    let (from, to) = (source_end(dom, id), source_end(dom, node.end - 1));
    let bytes = &dom.source().as_bytes()[from.min(to)..to];
    memchr::memchr_iter(b'\n', bytes).take(3).count() >= 2
}

/// The number of line ends right before a node.
pub(super) fn line_ends_before(dom: &Dom<'_>, id: NodeId) -> usize {
    let mut ends = 0;
    each_between(dom, id, |between| {
        if let Between::Space(c) = between {
            ends += usize::from(c == '\n');
        }
    });
    ends
}

/// A piece of the source between two nodes.
enum Between {
    Space(char),
    /// The end tag of an element.
    End {
        is_block: bool,
    },
}

/// Where a node, without its content, ends in the source.
fn source_end(dom: &Dom<'_>, id: NodeId) -> usize {
    let node = dom.node(id);
    node.to as usize + usize::from(!node.tag.is_text() && dom.source().as_bytes().get(node.to as usize) == Some(&b'>'))
}

/// Whether the page has no tag for the element.
fn is_implied(node: &Node) -> bool {
    node.to == 0
}

/// Calls `found` with each piece of the source right before a node.
fn each_between(dom: &Dom<'_>, id: NodeId, mut found: impl FnMut(Between)) {
    let node = dom.node(id);
    if id == 0 || is_implied(node) {
        return;
    }
    let mut before = id - 1;
    while before > 0 && is_implied(dom.node(before)) {
        before -= 1;
    }
    let start = if node.tag.is_text() {
        node.from as usize
    } else {
        (node.from as usize - usize::from(node.name_len)).saturating_sub(1)
    };
    let (source, bytes) = (dom.source(), dom.source().as_bytes());
    let mut at = source_end(dom, before);
    while at < start {
        match bytes[at] {
            b'<' if at + 1 < start => {
                if bytes[at + 1] == b'/' {
                    let name_end = scan::name_end(bytes, at + 2).min(start);
                    let tag = Tag::from_name(&bytes[at + 2..name_end.max(at + 2)]);
                    let is_block = Role::from_tag(tag).border() >= Gap::Line;
                    found(Between::End { is_block });
                }
                at = match bytes[at + 1] {
                    b'!' if bytes[at..].starts_with(b"<!--") => scan::comment_end(bytes, at),
                    b'!' | b'?' => scan::bogus_end(bytes, at),
                    b'/' => scan::tag_end(bytes, at + 2).map_or(start, |end| end.at + 1),
                    c if c.is_ascii_alphabetic() => scan::tag_end(bytes, at + 1).map_or(start, |end| end.at + 1),
                    _ => at + 1,
                };
            }
            b'&' => match entities::reference(&source[at..start], false) {
                Some(reference) => {
                    if reference.first.is_whitespace() {
                        found(Between::Space(reference.first));
                    }
                    at += reference.len;
                }
                None => at += 1,
            },
            b'\r' => {
                if bytes.get(at + 1) != Some(&b'\n') {
                    found(Between::Space('\n'));
                }
                at += 1;
            }
            byte if byte.is_ascii() => {
                if is_space(byte) {
                    found(Between::Space(byte.into()));
                }
                at += 1;
            }
            _ => match source.get(at..).and_then(|rest| rest.chars().next()) {
                Some(c) => {
                    if c.is_whitespace() {
                        found(Between::Space(c));
                    }
                    at += c.len_utf8();
                }
                None => at += 1,
            },
        }
    }
}

/// Appends the white space right before a node.
pub(super) fn push_space_before(dom: &Dom<'_>, id: NodeId, out: &mut String) {
    each_between(dom, id, |between| {
        if let Between::Space(c) = between {
            out.push(c);
        }
    });
}

/// Appends a raw text with its white space. Line ends become line feeds, as in every HTML parser.
pub(super) fn push_verbatim(raw: &str, references: bool, out: &mut String) {
    let decoded = if references { entities::decode(raw) } else { raw.into() };
    let mut rest = &*decoded;
    while let Some(at) = memchr::memchr2(b'\r', 0, rest.as_bytes()) {
        out.push_str(&rest[..at]);
        if rest.as_bytes()[at] == b'\r' && rest.as_bytes().get(at + 1) != Some(&b'\n') {
            out.push('\n');
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

impl<W: Writer> Walk<'_, W> {
    /// Opens a code block. With `is_lines`, its lines are elements.
    pub(super) fn open_code(&mut self, id: NodeId, node: &Node, is_lines: bool) {
        self.require(Gap::Paragraph);
        if node.end == id + 1 {
            return;
        }
        let language = if self.writer.wants_language() {
            hints::language(self.dom, id)
        } else {
            String::new()
        };
        self.writer.open(Open::Code(&language));
        self.ends.push((node.end, End::Code));
        self.code_end = node.end;
        self.code.space.clear();
        self.code.has_text = false;
        self.code.is_lines = is_lines;
    }

    pub(super) fn close_code(&mut self) {
        self.writer.close(Close::Code);
        self.code_end = 0;
        self.require(Gap::Paragraph);
    }

    /// Opens an element in code that a later range is in.
    pub(super) fn enter_in_code(&mut self, id: NodeId, node: &Node) {
        self.source_space(id);
        if Role::from_tag(node.tag).border() >= Gap::Line {
            self.end_code_line();
            self.ends.push((node.end, End::CodeLine));
        }
    }

    /// Ends the current line of the code, if it has begun.
    pub(super) fn end_code_line(&mut self) {
        let code = &mut self.code;
        if !code.is_lines {
            let blanks = code.space.trim_end_matches([' ', '\t']).len();
            if code.space[..blanks].ends_with('\n') || !code.has_text {
                code.space.truncate(blanks);
            }
        }
        if code.has_text && !code.space.ends_with('\n') {
            code.space.push('\n');
        }
    }

    /// Takes the white space before a node.
    fn source_space(&mut self, id: NodeId) {
        let mut block_end = false;
        let from = self.code.space.len();
        each_between(self.dom, id, |between| match between {
            Between::Space(c) => self.code.space.push(c),
            Between::End { is_block } => {
                if std::mem::take(&mut self.code.after_gutter) {
                    self.code.space.truncate(from);
                }
                if !is_block {
                    return;
                }
                let ended = self
                    .ends
                    .pop_if(|(end, action)| *end <= id && matches!(action, End::CodeLine));
                if ended.is_some() {
                    block_end = true;
                    self.end_code_line();
                }
            }
        });
        self.code.after_gutter = false;
        // Line ends between the elements of lines are the author's, not those of the code.
        let code = &mut self.code;
        if code.is_lines && code.space.len() > from && code.space[from..].contains('\n') {
            code.space.truncate(from);
            if block_end {
                self.end_code_line();
            }
        }
    }

    /// Writes the nodes from `id` up to `end` or the end of the code. Returns the first node that is not written.
    pub(super) fn code_nodes(&mut self, mut id: NodeId, end: NodeId) -> NodeId {
        let nodes = self.nodes;
        let end = end.min(self.code_end);
        while id < end {
            self.source_space(id);
            self.close(id);
            if let Some(masked) = self.masked_end(id) {
                id = masked.min(end);
                continue;
            }
            let node = &nodes[id as usize];
            match Role::from_tag(node.tag) {
                Role::Text => self.code_text(id, node),
                Role::Break => self.code.space.push('\n'),
                Role::Hidden | Role::Button => {
                    id = node.end;
                    continue;
                }
                role => {
                    if hints::is_gutter(self.dom, id) {
                        self.code.after_gutter = true;
                        id = node.end;
                        continue;
                    }
                    if role.border() >= Gap::Line {
                        self.end_code_line();
                        if node.end > id + 1 {
                            self.ends.push((node.end, End::CodeLine));
                        }
                    }
                }
            }
            id += 1;
        }
        id
    }

    fn code_text(&mut self, id: NodeId, node: &Node) {
        let mut scratch = std::mem::take(&mut self.code.scratch);
        scratch.clear();
        push_verbatim(self.dom.raw(id), node.flags.has(NodeFlags::ENTITIES), &mut scratch);
        if self.code.has_text {
            self.writer.code(&self.code.space);
        } else {
            // Blank lines before the code are no part of it.
            self.write_gap();
            let line = self.code.space.rfind('\n').map_or(0, |at| at + 1);
            self.writer.code(&self.code.space[line..]);
        }
        self.writer.code(&scratch);
        self.code.has_text = true;
        self.code.space.clear();
        self.code.scratch = scratch;
    }
}
