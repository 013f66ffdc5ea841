//! Reads single text nodes: decodes their references and collapses their white space.

use crate::dom::count::is_space;
use crate::dom::entities;
use crate::dom::{Dom, Node, NodeFlags, NodeId};

/// A receiver of text whose white space is collapsed.
pub(super) trait Collapsed {
    /// Whether soft hyphens are left out.
    const DROPS_SOFT_HYPHENS: bool;

    /// Takes a part of the text without any white space but single spaces.
    fn part(&mut self, text: &str);

    /// Takes a run of white space.
    fn space(&mut self);
}

/// The text of one text node. It collapses white space only if asked to.
pub struct NodeText<'t> {
    dom: &'t Dom<'t>,
    id: NodeId,
    scratch: &'t mut String,
    /// Whether `scratch` has the collapsed text.
    is_collapsed: bool,
}

impl<'t> NodeText<'t> {
    /// Takes the text of a node. `scratch` is used if the page's own bytes cannot be used unchanged.
    #[inline]
    pub fn new(dom: &'t Dom<'t>, id: NodeId, scratch: &'t mut String) -> Self {
        let mut this = Self {
            dom,
            id,
            scratch,
            is_collapsed: false,
        };
        let flags = dom.node(id).flags;
        let has_nul = || flags.has(NodeFlags::UNCOLLAPSED) && memchr::memchr(0, dom.raw(id).as_bytes()).is_some();
        if flags.has(NodeFlags::ENTITIES) || has_nul() {
            this.collapsed();
        }
        this
    }

    /// The decoded text with the white space of the page. Its words are those of the collapsed text.
    pub fn uncollapsed(&self) -> &str {
        if self.is_collapsed {
            self.scratch
        } else {
            self.dom.raw(self.id)
        }
    }

    /// The decoded text with collapsed white space.
    #[inline]
    pub fn collapsed(&mut self) -> &str {
        let node = self.dom.node(self.id);
        if !node.flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) {
            return self.dom.raw(self.id);
        }
        if !self.is_collapsed {
            self.scratch.clear();
            push_node(self.dom.source(), node, self.scratch);
            self.is_collapsed = true;
        }
        self.scratch
    }
}

/// Appends the decoded, collapsed text of one text node.
pub fn push_node(source: &str, node: &Node, out: &mut String) {
    let raw = &source[node.from as usize..node.to as usize];
    if !node.flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) && !node.tag.is_hidden() {
        out.push_str(raw);
        return;
    }
    let mut plain = Plain {
        start: out.len(),
        out,
        space: false,
    };
    collapse_node(raw, node.flags.has(NodeFlags::ENTITIES), &mut plain);
}

struct Plain<'o> {
    out: &'o mut String,
    start: usize,
    /// White space comes before the next part.
    space: bool,
}

impl Collapsed for Plain<'_> {
    const DROPS_SOFT_HYPHENS: bool = false;

    fn part(&mut self, text: &str) {
        if std::mem::take(&mut self.space) && self.out.len() > self.start {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn space(&mut self) {
        self.space = true;
    }
}

/// Passes on a raw text, decoded if it may have references, with its white space collapsed.
pub(super) fn collapse_node<C: Collapsed>(raw: &str, references: bool, to: &mut C) {
    let mut rest = raw;
    if references {
        while let Some(found) = memchr::memchr(b'&', rest.as_bytes()) {
            collapse(&rest[..found], to);
            rest = &rest[found..];
            let len = match entities::reference(rest, false) {
                Some(reference) => {
                    character(reference.first, to);
                    if let Some(second) = reference.second {
                        character(second, to);
                    }
                    reference.len
                }
                None => {
                    character('&', to);
                    1
                }
            };
            rest = &rest[len..];
        }
    }
    collapse(rest, to);
}

fn character<C: Collapsed>(c: char, to: &mut C) {
    if c.is_whitespace() {
        to.space();
    } else if c != '\0' && !(C::DROPS_SOFT_HYPHENS && c == '\u{AD}') {
        to.part(c.encode_utf8(&mut [0; 4]));
    }
}

/// Passes on a text with each run of white space as one space. Text without such runs is passed on whole.
fn collapse<C: Collapsed>(text: &str, to: &mut C) {
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte != b' '
            && let Some(chunk) = bytes[at..].first_chunk()
            && needs_no_change(chunk)
        {
            at += CHUNK;
            continue;
        }
        let mut is_dropped = byte == 0;
        let len = match byte {
            0 => 1,
            _ if is_space(byte) => 1,
            // The first byte of white space outside ASCII, and of a soft hyphen.
            0xC2 | 0xE1..=0xE3 => match text[at..].chars().next() {
                Some(c) if c.is_whitespace() => c.len_utf8(),
                Some('\u{AD}') if C::DROPS_SOFT_HYPHENS => {
                    is_dropped = true;
                    2
                }
                Some(c) => {
                    at += c.len_utf8();
                    continue;
                }
                None => break,
            },
            _ => {
                at += 1;
                continue;
            }
        };
        if copied < at {
            to.part(&text[copied..at]);
        }
        if !is_dropped {
            to.space();
        }
        at += len;
        copied = at;
    }
    if copied < at {
        to.part(&text[copied..at]);
    }
}

/// The number of bytes that are checked at once for white space to collapse.
const CHUNK: usize = 16;

/// Whether the bytes, except for the last one, need no change: they have no NUL and no white space other than single
/// spaces.
fn needs_no_change(text: &[u8; CHUNK + 1]) -> bool {
    // The first byte of white space outside ASCII.
    let may_be_other = |byte: u8| (byte == 0xC2) | (byte.wrapping_sub(0xE1) < 3);
    let mut changes = false;
    for at in 0..CHUNK {
        let (byte, next) = (text[at], text[at + 1]);
        let is_double = (byte == b' ') & ((next <= b' ') | may_be_other(next));
        changes |= (byte < b' ') | is_double | may_be_other(byte);
    }
    !changes
}
