//! The source between nodes: white space and end tags.
//!
//! The tree has no nodes for white space, so it is read from the source: what is between two nodes in document order is
//! between them in the source, too, among end tags and comments.

use super::role::{Gap, Role};
use crate::dom::count::is_space;
use crate::dom::entities;
use crate::dom::parse::scan;
use crate::dom::tag::Tag;
use crate::dom::{Dom, Node, NodeId};

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
pub(super) enum Between {
    Space(char),
    /// The end tag of an element.
    End {
        is_block: bool,
    },
}

/// Where a node, without its content, ends in the source.
pub(super) fn source_end(dom: &Dom<'_>, id: NodeId) -> usize {
    let node = dom.node(id);
    node.to as usize + usize::from(!node.tag.is_text() && dom.source().as_bytes().get(node.to as usize) == Some(&b'>'))
}

/// Whether the page has no tag for the element.
fn is_implied(node: &Node) -> bool {
    node.to == 0
}

/// Calls `found` with each piece of the source right before a node.
pub(super) fn each_between(dom: &Dom<'_>, id: NodeId, mut found: impl FnMut(Between)) {
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
