//! Rendering a selection to text.
//!
//! Paragraphs are parted by a blank line, white space within is collapsed, and nothing stands at either end. What parts
//! paragraphs are the borders of blocks and two line breaks in a row; the borders of cells and form fields, and one
//! line break, part words. Inline elements part nothing unless white space stood there.
//!
//! What is never shown is passed over: scripts, styles, templates, titles, the head. A range that begins inside of such
//! an element shows its text all the same, so that a title can be had by asking for it.

use std::ops::Range;

use super::count::is_space;
use super::entities;
use super::tag::Tag;
use super::{Dom, Flags, Node, NodeId};

/// What must stand between the text before and the next one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Gap {
    None,
    Space,
    Paragraph,
}

/// Appends the text of `ranges`, leaving out `masked`.
///
/// Both are sorted, disjoint ranges of whole subtrees (or of several, side by side). Two ranges are parted as their
/// borders in the page demand; text that stands between them is simply absent. Scripts are left out.
pub fn render(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], out: &mut String) {
    render_with(dom, ranges, masked, false, out);
}

/// Like [`render`]; with `scripts`, what stands in `script` elements is text too.
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
            renderer.part(gap);
        }
        renderer.range(dom, range.clone(), &mut masked, scripts);
    }
}

/// The collapsed text of one subtree, even of one that is not shown (but no scripts).
pub fn text_of(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    let inside = if dom.node(id).tag.is_hidden() {
        id + 1..dom.node(id).end
    } else {
        dom.subtree(id)
    };
    render(dom, &[inside], &[], &mut out);
    out
}

/// The text of one text node, for a quick look and, where that asks for it, a thorough one.
pub struct Wording<'t> {
    dom: &'t Dom<'t>,
    id: NodeId,
    scratch: &'t mut String,
    /// The scratch holds the collapsed text.
    is_collapsed: bool,
}

impl<'t> Wording<'t> {
    /// The text of a node; `scratch` will hold it where the page's own bytes are not that already.
    #[inline]
    pub fn new(dom: &'t Dom<'t>, id: NodeId, scratch: &'t mut String) -> Self {
        let mut this = Self {
            dom,
            id,
            scratch,
            is_collapsed: false,
        };
        let flags = dom.node(id).flags;
        let has_nul = || flags.has(Flags::SPACES) && memchr::memchr(0, dom.raw(id).as_bytes()).is_some();
        if flags.has(Flags::ENTITIES) || has_nul() {
            this.collapsed();
        }
        this
    }

    /// The text, white space as it stands in the page. Words are those of the collapsed text.
    pub fn rough(&self) -> &str {
        if self.is_collapsed {
            self.scratch
        } else {
            self.dom.raw(self.id)
        }
    }

    /// The text, decoded and collapsed.
    #[inline]
    pub fn collapsed(&mut self) -> &str {
        let node = self.dom.node(self.id);
        if !node.flags.has(Flags::ENTITIES | Flags::SPACES) {
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

/// Appends the collapsed text of one text node, decoded.
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

/// What parts two ranges that need not touch: the borders of the elements around one and not the other, and whatever
/// was left out between them. Looks at ancestors only, of which there are few.
fn gap_between(dom: &Dom, before: Range<NodeId>, next: NodeId) -> Gap {
    let nodes = dom.nodes();
    let mut gap = Gap::None;
    let around = |id: NodeId, other: NodeId| id <= other && other < nodes[id as usize].end;
    let mut id = before.start;
    while !around(id, next) {
        gap = gap.max(border(nodes[id as usize].tag));
        id = nodes[id as usize].parent;
    }
    // The elements around the second range are all that stands between if they begin right behind the first.
    let mut behind = next;
    let mut id = next;
    while !around(id, before.start) {
        gap = gap.max(border(nodes[id as usize].tag));
        if behind.abs_diff(id) <= 1 {
            behind = id;
            if nodes[id as usize].flags.has(Flags::SPACE_BEFORE) {
                gap = gap.max(Gap::Space);
            }
        }
        id = nodes[id as usize].parent;
    }
    if behind == before.end { gap } else { gap.max(Gap::Space) }
}

/// What the border of an element parts.
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
    /// Where our text begins in `out`.
    start: usize,
    gap: Gap,
    /// Line breaks since the last text.
    breaks: u32,
    /// Elements that part something and are still open: their ends, innermost last.
    ends: Vec<(NodeId, Gap)>,
}

impl Renderer<'_> {
    fn range(&mut self, dom: &Dom, range: Range<NodeId>, masked: &mut Masked, scripts: bool) {
        let nodes = dom.nodes();
        let mut id = range.start;
        while id < range.end {
            self.close(id);
            let node = &nodes[id as usize];
            if node.flags.has(Flags::SPACE_BEFORE) {
                self.part(Gap::Space);
            }
            while masked.next_if(|mask| mask.end <= id).is_some() {}
            if let Some(mask) = masked.peek()
                && mask.start <= id
            {
                // Several subtrees side by side may be masked as one range.
                let end = mask.end.min(range.end);
                for child in (SideBySide { nodes, next: id, end }) {
                    self.part(border(nodes[child as usize].tag));
                }
                id = end;
                continue;
            }
            if node.tag == Tag::Text {
                self.text(node);
            } else {
                let gap = border(node.tag);
                if gap != Gap::None {
                    self.part(gap);
                }
                if node.tag.is_hidden() && !(scripts && self.is_script(nodes, node)) {
                    id = node.end;
                    continue;
                }
                if node.tag == Tag::RawText {
                    self.text(node);
                } else if node.tag == Tag::Br {
                    self.breaks += 1;
                    self.part(if self.breaks > 1 { Gap::Paragraph } else { Gap::Space });
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

    /// Notes that at least `gap` must stand before the next text.
    #[inline]
    fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Leaves the elements that end at or before `id`.
    #[inline]
    fn close(&mut self, id: NodeId) {
        while let Some(&(end, gap)) = self.ends.last()
            && end <= id
        {
            self.ends.pop();
            self.part(gap);
        }
    }

    fn close_all(&mut self) {
        self.close(NodeId::MAX);
    }

    /// Writes the gap that is due, before a text.
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
        if node.tag == Tag::Text && !node.flags.has(Flags::ENTITIES | Flags::SPACES) {
            self.write_gap();
            self.out.push_str(raw);
            return;
        }
        let mut rest = raw;
        if node.flags.has(Flags::ENTITIES) {
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
            self.part(Gap::Space);
        } else if c != '\0' {
            self.write_gap();
            self.out.push(c);
        }
    }

    /// Writes a text, each run of white space as one space. Runs without are copied whole.
    fn collapse(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut copied, mut at) = (0, 0);
        while at < bytes.len() {
            let byte = bytes[at];
            if byte != b' '
                && let Some(chunk) = bytes[at..].first_chunk()
                && stays_as_it_is(chunk)
            {
                at += CHUNK;
                continue;
            }
            let len = match byte {
                0 => 1,
                _ if is_space(byte) => 1,
                // The first bytes of all white space that is not ASCII.
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
                self.part(Gap::Space);
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

/// Bytes that are looked at together for white space that must be collapsed.
const CHUNK: usize = 16;

/// Whether the first bytes of a text, all but the last of these, have no white space but single spaces, and no NUL.
fn stays_as_it_is(text: &[u8; CHUNK + 1]) -> bool {
    // The first bytes of all white space that is not ASCII.
    let may_be_other = |byte: u8| (byte == 0xC2) | (byte.wrapping_sub(0xE1) < 3);
    let mut changes = false;
    for at in 0..CHUNK {
        let (byte, next) = (text[at], text[at + 1]);
        let is_double = (byte == b' ') & ((next <= b' ') | may_be_other(next));
        changes |= (byte < b' ') | is_double | may_be_other(byte);
    }
    !changes
}

/// The roots of subtrees that stand side by side.
struct SideBySide<'d> {
    nodes: &'d [Node],
    next: NodeId,
    end: NodeId,
}

impl Iterator for SideBySide<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let id = self.next;
        if id >= self.end {
            return None;
        }
        self.next = self.nodes[id as usize].end;
        Some(id)
    }
}
