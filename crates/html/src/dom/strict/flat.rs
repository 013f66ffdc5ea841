//! Copies html5ever's tree to the arrays of a [`Dom`].

use std::borrow::Cow;
use std::ops::Range;

use html5ever::{Attribute, QualName};

use super::super::count::{self, Counts};
use super::super::{Buffers, Dom, Node, NodeFlags, NodeId, Tag, TooCostly};
use super::tree::{DOCUMENT, NONE, NodeData, TreeNode};

/// Fills the arrays.
struct Flattener {
    source: String,
    nodes: Vec<Node>,
    counts: Vec<Counts>,
    /// The open elements, outermost first.
    stack: Vec<NodeId>,
    /// [`NodeFlags::SPACE_BEFORE`] if there is white space before the next node.
    space_before: u8,
    body: NodeId,
}

/// Copies the tree in document order. Fails if its texts and attributes are longer than a 32-bit range.
pub(super) fn flatten<'p>(tree: &[TreeNode], buffers: Buffers, depth: usize) -> Result<Dom<'p>, TooCostly> {
    let Buffers { mut nodes, mut counts } = buffers;
    nodes.clear();
    counts.clear();
    let mut flat = Flattener {
        source: String::new(),
        nodes,
        counts,
        stack: Vec::new(),
        space_before: 0,
        body: 0,
    };
    // The tree may be deeper than the arrays: the stack stops at the limit, and `deeper` counts on.
    let mut deeper = 0usize;
    let mut at = tree[DOCUMENT as usize].first;
    while at != NONE {
        let node = &tree[at as usize];
        match &node.content {
            NodeData::Nothing => {}
            NodeData::Text(text) => flat.text(text),
            NodeData::Element(name, attributes) => {
                let id = flat.element(name, attributes);
                if node.first != NONE {
                    if flat.stack.len() < depth {
                        flat.stack.push(id);
                    } else {
                        deeper += 1;
                    }
                    at = node.first;
                    continue;
                }
            }
        }
        while at != DOCUMENT && tree[at as usize].next == NONE {
            at = tree[at as usize].parent;
            if deeper > 0 {
                deeper -= 1;
            } else if let Some(id) = flat.stack.pop() {
                flat.nodes[id as usize].end = flat.nodes.len() as NodeId;
                flat.end_tag(id);
            }
        }
        at = if at == DOCUMENT { NONE } else { tree[at as usize].next };
    }
    if u32::try_from(flat.source.len()).is_err() {
        return Err(TooCostly);
    }
    Ok(Dom {
        source: Cow::Owned(flat.source),
        nodes: flat.nodes,
        counts: flat.counts,
        body: flat.body,
    })
}

impl Flattener {
    fn add(&mut self, tag: Tag, flags: u8, name_len: usize, range: Range<usize>, counts: Counts) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            tag,
            flags: NodeFlags(flags | self.space_before),
            name_len: u16::try_from(name_len).unwrap_or(0),
            parent: self.stack.last().copied().unwrap_or(0),
            end: id + 1,
            from: range.start as u32,
            to: range.end as u32,
        });
        self.counts.push(counts);
        self.space_before = 0;
        id
    }

    fn element(&mut self, name: &QualName, attributes: &[Attribute]) -> NodeId {
        let tag = Tag::from_name(name.local.as_bytes());
        // As in a page, so that the white space between two nodes can be read from the source.
        self.source.push('<');
        self.source.push_str(&name.local);
        let from = self.source.len();
        for attribute in attributes {
            self.source.push(' ');
            if let Some(prefix) = &attribute.name.prefix {
                self.source.push_str(prefix);
                self.source.push(':');
            }
            self.source.push_str(&attribute.name.local);
            self.source.push_str("=\"");
            for c in attribute.value.chars() {
                match c {
                    '&' => self.source.push_str("&amp;"),
                    '"' => self.source.push_str("&quot;"),
                    _ => self.source.push(c),
                }
            }
            self.source.push('"');
        }
        let id = self.add(tag, 0, name.local.len(), from..self.source.len(), Counts::default());
        self.source.push('>');
        if tag == Tag::Body && self.body == 0 && self.stack.len() == 1 {
            self.body = id;
        }
        id
    }

    fn end_tag(&mut self, id: NodeId) {
        let Node { from, name_len, .. } = self.nodes[id as usize];
        let name = from as usize - usize::from(name_len)..from as usize;
        self.source.push_str("</");
        let name = self.source[name].to_owned();
        self.source.push_str(&name);
        self.source.push('>');
    }

    fn text(&mut self, text: &str) {
        let from = self.source.len();
        let inside = self.stack.last().map_or(Tag::Html, |&id| self.nodes[id as usize].tag);
        if inside.is_raw() {
            if !text.bytes().all(count::is_space) {
                self.source.push_str(text);
                self.add(Tag::RawText, 0, 0, from..self.source.len(), Counts::default());
            }
            return;
        }
        let counted = count::count_literal(text);
        self.source.push_str(text);
        if counted.counts.chars == 0 {
            self.space_before = NodeFlags::SPACE_BEFORE;
            return;
        }
        if counted.from > 0 {
            self.space_before = NodeFlags::SPACE_BEFORE;
        }
        self.add(
            Tag::Text,
            counted.flags,
            0,
            from + counted.from..from + counted.to,
            counted.counts,
        );
        if counted.to < text.len() {
            self.space_before = NodeFlags::SPACE_BEFORE;
        }
    }
}
