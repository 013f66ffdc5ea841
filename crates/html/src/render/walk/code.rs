//! Code: every space and line as the page has them.

use super::super::hints;
use super::super::language;
use super::super::role::{Gap, Role};
use super::super::source::{Between, each_between, push_verbatim, source_end};
use super::super::writer::{Close, Open, Writer};
use super::{End, Walk};
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
    /// Nodes before this one are in a `pre` within such elements, where line ends do mean something.
    pre_end: NodeId,
    /// The nodes before were the number of a line, whose white space is none of the code.
    after_gutter: bool,
    scratch: String,
}

/// Whether a `code` element is a block of lines: it is alone in its paragraph and has several lines.
pub(super) fn is_block(dom: &Dom<'_>, id: NodeId) -> bool {
    /// A line end is among the first nodes.
    const MOST: usize = 64;
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
    let has_lines = memchr::memchr_iter(b'\n', bytes).take(3).count() >= 2;
    has_lines || dom.children(id).take(MOST).any(|child| dom.node(child).tag == Tag::Br)
}

impl<W: Writer> Walk<'_, W> {
    /// Opens a code block. With `is_lines`, its lines are elements.
    pub(super) fn open_code(&mut self, id: NodeId, node: &Node, is_lines: bool) {
        self.require(Gap::Paragraph);
        if node.end == id + 1 {
            return;
        }
        let language = if self.writer.wants_language() {
            language::of_code(self.dom, id)
        } else {
            String::new()
        };
        self.writer.open(Open::Code(&language));
        self.ends.push((node.end, End::Code));
        self.code_end = node.end;
        self.code.space.clear();
        self.code.has_text = false;
        self.code.is_lines = is_lines;
        self.code.pre_end = 0;
    }

    pub(super) fn close_code(&mut self) {
        self.writer.close(Close::Code);
        self.code_end = 0;
        self.require(Gap::Paragraph);
    }

    /// Opens an element in code that a later range is in.
    pub(super) fn enter_in_code(&mut self, id: NodeId, node: &Node) {
        self.source_space(id);
        self.enter_pre(node);
        if Role::from_tag(node.tag).border() >= Gap::Line {
            self.end_code_line();
            self.ends.push((node.end, End::CodeLine));
        }
    }

    fn enter_pre(&mut self, node: &Node) {
        if Role::from_tag(node.tag) == Role::Preformatted {
            self.code.pre_end = self.code.pre_end.max(node.end);
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
        if code.is_lines && id >= code.pre_end && code.space.len() > from && code.space[from..].contains('\n') {
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
                    if !self.code.space.contains('\n') && self.code.has_text && hints::follows_line(self.dom, id) {
                        self.code.space.push('\n');
                    }
                    self.enter_pre(node);
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
