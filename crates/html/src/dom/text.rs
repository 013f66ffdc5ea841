//! Renders a selection of nodes to plain text.
//!
//! - A blank line separates paragraphs. White space inside a paragraph is collapsed, and the text is trimmed.
//! - The start and end of a block, and two line breaks in a row, separate paragraphs.
//! - The start and end of a table cell or form control, and a single line break, separate words.
//! - Other elements separate nothing, unless there is white space.
//! - Elements that are never shown are skipped: scripts, styles, templates, titles, the head. A range that starts inside such
//!   an element does render its text, so you can render a title.

use std::ops::Range;

use super::count::is_space;
use super::entities;
use super::tag::Tag;
use super::{Children, Dom, Node, NodeFlags, NodeId};

/// What must be written between two texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Gap {
    None,
    Space,
    Paragraph,
}

/// Appends the text of `ranges`, without `masked`.
///
/// Both must be sorted and disjoint. Each is a range of one whole subtree, or of several adjacent subtrees. The gap between
/// two ranges is that of the page; text of the page between them is left out. Scripts are left out, too.
///
/// ```
/// use dehusk_html::{Buffers, parse, render_text};
///
/// let dom = parse("<p>One <b>two</b><p>three", Buffers::default());
/// let mut text = String::new();
/// render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
/// assert_eq!(text, "One two\n\nthree");
/// ```
pub fn render_text(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], out: &mut String) {
    render_with(dom, ranges, masked, false, out);
}

/// Like [`render_text`], but with `scripts` the content of `script` elements is text, too.
pub fn render_with(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], scripts: bool, out: &mut String) {
    let mut renderer = Renderer {
        source: dom.source(),
        start: out.len(),
        out,
        gap: Gap::None,
        breaks: 0,
        ends: Vec::new(),
    };
    let mut masked = masked.iter().peekable();
    let mut before: Option<Range<NodeId>> = None;
    for range in ranges {
        if let Some(before) = before.replace(range.clone()) {
            renderer.close_all();
            let gap = gap_between(dom, before, range.start);
            renderer.require(gap);
        }
        renderer.range(dom, range.clone(), &mut masked, scripts);
    }
}

/// The collapsed text of a subtree, even if it is an element that is not shown. Scripts are left out.
pub fn text_of(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    let inside = if dom.node(id).tag.is_hidden() {
        id + 1..dom.node(id).end
    } else {
        dom.subtree(id)
    };
    render_text(dom, &[inside], &[], &mut out);
    out
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
    Renderer {
        source,
        start: out.len(),
        out,
        gap: Gap::None,
        breaks: 0,
        ends: Vec::new(),
    }
    .text(node);
}

/// The gap between two ranges that need not be adjacent. It depends on the elements that contain only one of them, and on
/// whether something was left out in between. Only ancestors are examined, and there are few.
fn gap_between(dom: &Dom, before: Range<NodeId>, next: NodeId) -> Gap {
    let nodes = dom.nodes();
    let mut gap = Gap::None;
    let around = |id: NodeId, other: NodeId| id <= other && other < nodes[id as usize].end;
    let mut id = before.start;
    while !around(id, next) {
        gap = gap.max(border(nodes[id as usize].tag));
        id = nodes[id as usize].parent;
    }
    // Nothing was left out if the elements around the second range start right after the first range.
    let mut start = next;
    let mut id = next;
    while !around(id, before.start) {
        gap = gap.max(border(nodes[id as usize].tag));
        if start.abs_diff(id) <= 1 {
            start = id;
            if nodes[id as usize].flags.has(NodeFlags::SPACE_BEFORE) {
                gap = gap.max(Gap::Space);
            }
        }
        id = nodes[id as usize].parent;
    }
    if start == before.end { gap } else { gap.max(Gap::Space) }
}

/// The gap at the start and end of an element.
#[inline]
fn border(tag: Tag) -> Gap {
    if tag.is_block() {
        Gap::Paragraph
    } else if tag.is_spaced() {
        Gap::Space
    } else {
        Gap::None
    }
}

type Masked<'m> = std::iter::Peekable<std::slice::Iter<'m, Range<NodeId>>>;

struct Renderer<'o> {
    source: &'o str,
    out: &'o mut String,
    /// Where the text of this call starts in `out`.
    start: usize,
    /// The gap before the next text.
    gap: Gap,
    /// The number of line breaks since the last text.
    breaks: u32,
    /// The ends and gaps of the open elements that need a gap, innermost last.
    ends: Vec<(NodeId, Gap)>,
}

impl Renderer<'_> {
    fn range(&mut self, dom: &Dom, range: Range<NodeId>, masked: &mut Masked, scripts: bool) {
        let nodes = dom.nodes();
        let mut id = range.start;
        while id < range.end {
            self.close(id);
            let node = &nodes[id as usize];
            if node.flags.has(NodeFlags::SPACE_BEFORE) {
                self.require(Gap::Space);
            }
            while masked.next_if(|mask| mask.end <= id).is_some() {}
            if let Some(mask) = masked.peek()
                && mask.start <= id
            {
                // One masked range may be several adjacent subtrees.
                let end = mask.end.min(range.end);
                for child in (Children { nodes, next: id, end }) {
                    self.require(border(nodes[child as usize].tag));
                }
                id = end;
                continue;
            }
            if node.tag == Tag::Text {
                self.text(node);
            } else {
                let gap = border(node.tag);
                if gap != Gap::None {
                    self.require(gap);
                }
                if node.tag.is_hidden() && !(scripts && self.is_script(nodes, node)) {
                    id = node.end;
                    continue;
                }
                if node.tag == Tag::RawText {
                    self.text(node);
                } else if node.tag == Tag::Br {
                    self.breaks += 1;
                    self.require(if self.breaks > 1 { Gap::Paragraph } else { Gap::Space });
                } else if gap != Gap::None && node.end > id + 1 {
                    self.ends.push((node.end, gap));
                }
            }
            id += 1;
        }
        self.close(range.end);
    }

    fn is_script(&self, nodes: &[Node], node: &Node) -> bool {
        node.tag == Tag::Script || (node.tag == Tag::RawText && nodes[node.parent as usize].tag == Tag::Script)
    }

    /// Requires at least this gap before the next text.
    #[inline]
    fn require(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Closes the elements that end at or before `id`.
    #[inline]
    fn close(&mut self, id: NodeId) {
        while let Some(&(end, gap)) = self.ends.last()
            && end <= id
        {
            self.ends.pop();
            self.require(gap);
        }
    }

    fn close_all(&mut self) {
        self.close(NodeId::MAX);
    }

    /// Writes the gap before a text.
    #[inline]
    fn write_gap(&mut self) {
        if self.out.len() > self.start {
            match self.gap {
                Gap::None => {}
                Gap::Space => self.out.push(' '),
                Gap::Paragraph => self.out.push_str("\n\n"),
            }
        }
        self.gap = Gap::None;
        self.breaks = 0;
    }

    fn text(&mut self, node: &Node) {
        let raw = &self.source[node.from as usize..node.to as usize];
        if node.tag == Tag::Text && !node.flags.has(NodeFlags::ENTITIES | NodeFlags::UNCOLLAPSED) {
            self.write_gap();
            self.out.push_str(raw);
            return;
        }
        let mut rest = raw;
        if node.flags.has(NodeFlags::ENTITIES) {
            while let Some(found) = memchr::memchr(b'&', rest.as_bytes()) {
                self.collapse(&rest[..found]);
                rest = &rest[found..];
                let len = match entities::reference(rest, false) {
                    Some(reference) => {
                        self.character(reference.first);
                        if let Some(second) = reference.second {
                            self.character(second);
                        }
                        reference.len
                    }
                    None => {
                        self.character('&');
                        1
                    }
                };
                rest = &rest[len..];
            }
        }
        self.collapse(rest);
    }

    fn character(&mut self, c: char) {
        if c.is_whitespace() {
            self.require(Gap::Space);
        } else if c != '\0' {
            self.write_gap();
            self.out.push(c);
        }
    }

    /// Writes a text with each run of white space as one space. Text without such runs is copied whole.
    fn collapse(&mut self, text: &str) {
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
            let len = match byte {
                0 => 1,
                _ if is_space(byte) => 1,
                // The first byte of white space outside ASCII.
                0xC2 | 0xE1..=0xE3 => match text[at..].chars().next() {
                    Some(c) if c.is_whitespace() => c.len_utf8(),
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
                self.write_gap();
                self.out.push_str(&text[copied..at]);
            }
            if byte != 0 {
                self.require(Gap::Space);
            }
            at += len;
            copied = at;
        }
        if copied < at {
            self.write_gap();
            self.out.push_str(&text[copied..at]);
        }
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
