//! The stack of open elements, and the arrays of nodes.
//!
//! The builder knows how to add and close nodes. [`rules`](super::rules) and [`ends`](super::ends) decide when.

use super::super::count::{self, Counted};
use super::super::entities;
use super::super::tag::{TAG_COUNT, Tag};
use super::super::{Buffers, Counts, MAX_DEPTH, Node, NodeFlags, NodeId};

/// The position of a start tag in the page.
#[derive(Clone, Copy)]
pub(super) struct TagSpan {
    /// The start of the name.
    pub name: usize,
    /// The end of the name and start of the attributes.
    pub from: usize,
    /// The end of the attributes.
    pub to: usize,
}

impl TagSpan {
    /// The span of an implied element, which has no tag in the page.
    pub(super) const NONE: TagSpan = TagSpan {
        name: 0,
        from: 0,
        to: 0,
    };
}

/// The namespace and state of an open element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ElementKind {
    /// An element of HTML.
    Html,
    /// An element of SVG.
    Svg,
    /// An element of MathML.
    Math,
    /// An element of SVG or MathML whose content is HTML, such as `foreignObject`.
    Integration,
    /// An element whose end tag came while a block inside was still open. It is closed with that block.
    Ended,
}

/// An open element.
#[derive(Clone, Copy)]
pub(super) struct OpenElement {
    pub node: NodeId,
    /// The tag of an HTML element. [`Tag::Text`], which no end tag has, if `kind` is not `Html`.
    pub tag: Tag,
    pub kind: ElementKind,
}

/// The parser's progress through `html`, `head` and `body`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No `head` yet.
    Start,
    /// `head` is open.
    Head,
    /// `head` has ended. Elements of `head` are still allowed until the body starts.
    AfterHead,
    Body,
    Frameset,
}

pub(super) struct Builder<'p> {
    pub(super) page: &'p str,
    pub(super) nodes: Vec<Node>,
    counts: Vec<Counts>,
    /// Whether the counts of texts are kept.
    pub(super) keeps_counts: bool,
    pub(super) stack: Vec<OpenElement>,
    /// The maximum length of `stack`.
    max_depth: usize,
    /// The number of open elements of each tag, so that an end tag without an open element costs nothing.
    pub(super) open: [u32; TAG_COUNT],
    pub(super) phase: Phase,
    pub(super) head: NodeId,
    pub(super) body: NodeId,
    /// The specification's form element pointer: the form whose end tag has not come yet.
    pub(super) form: Option<NodeId>,
    /// Whether a frameset may still replace an implied body.
    pub(super) frameset_ok: bool,
    /// Whether the page is in quirks mode, where `table` does not close `p`.
    pub(super) quirks: bool,
    /// [`NodeFlags::SPACE_BEFORE`] if there is white space before the next node.
    space_before: u8,
    /// The number of elements of each tag that were too deep to open, and whose end tags are still to come.
    too_deep: [u32; TAG_COUNT],
    any_too_deep: bool,
}

/// A scope of the specification: the elements that an end tag does not close.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    Default,
    Button,
    ListItem,
    Table,
}

impl Scope {
    #[inline]
    pub(super) fn stops_at(self, open: OpenElement) -> bool {
        match self {
            Scope::Table => matches!(open.tag, Tag::Table | Tag::Template | Tag::Html),
            _ if open.tag.is_scope() || open.kind == ElementKind::Integration => true,
            Scope::Button => open.tag == Tag::Button,
            Scope::ListItem => matches!(open.tag, Tag::Ol | Tag::Ul),
            Scope::Default => false,
        }
    }
}

impl<'p> Builder<'p> {
    pub(super) fn new(page: &'p str, buffers: Buffers, max_depth: usize, keeps_counts: bool) -> Self {
        let Buffers { mut nodes, mut counts } = buffers;
        nodes.clear();
        counts.clear();
        let mut builder = Builder {
            page,
            nodes,
            counts,
            keeps_counts,
            stack: Vec::with_capacity(MAX_DEPTH),
            max_depth,
            open: [0; TAG_COUNT],
            phase: Phase::Start,
            head: 0,
            body: 0,
            form: None,
            frameset_ok: true,
            quirks: true,
            space_before: 0,
            too_deep: [0; TAG_COUNT],
            any_too_deep: false,
        };
        builder.push(Tag::Html, TagSpan::NONE);
        builder
    }

    /// Closes all elements and returns the nodes, their counts and the id of the body.
    pub(super) fn finish(mut self) -> (Vec<Node>, Vec<Counts>, NodeId) {
        self.need_body();
        self.pop_to(0);
        (self.nodes, self.counts, self.body)
    }

    /// Whether tags are those of SVG or MathML at this point.
    #[inline]
    pub(super) fn in_foreign(&self) -> bool {
        matches!(self.top().kind, ElementKind::Svg | ElementKind::Math)
    }

    /// The innermost open element. The root stays open to the end.
    #[inline]
    pub(super) fn top(&self) -> OpenElement {
        self.stack.last().copied().unwrap_or(OpenElement {
            node: 0,
            tag: Tag::Html,
            kind: ElementKind::Html,
        })
    }

    #[inline]
    fn add(&mut self, tag: Tag, flags: u8, name_len: usize, range: (usize, usize), counts: Counts) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            tag,
            flags: NodeFlags(flags | self.space_before),
            // No known name is longer.
            name_len: u16::try_from(name_len).unwrap_or(0),
            parent: self.top().node,
            end: id + 1,
            from: range.0 as u32,
            to: range.1 as u32,
        });
        if self.keeps_counts {
            self.counts.push(counts);
        }
        self.space_before = 0;
        id
    }

    /// Adds an element without content.
    #[inline]
    pub(super) fn leaf(&mut self, tag: Tag, span: TagSpan) -> NodeId {
        self.add(tag, 0, span.from - span.name, (span.from, span.to), Counts::default())
    }

    /// Adds an element, and opens it unless it is too deep.
    #[inline]
    pub(super) fn push(&mut self, tag: Tag, span: TagSpan) -> NodeId {
        self.push_kind(tag, span, ElementKind::Html)
    }

    #[inline]
    pub(super) fn push_kind(&mut self, tag: Tag, span: TagSpan, kind: ElementKind) -> NodeId {
        let node = self.leaf(tag, span);
        if self.stack.len() < self.max_depth {
            let html = kind == ElementKind::Html;
            self.open[tag as usize] += u32::from(html);
            self.stack.push(OpenElement {
                node,
                tag: if html { tag } else { Tag::Text },
                kind,
            });
        } else {
            self.too_deep[tag as usize] += 1;
            self.any_too_deep = true;
        }
        node
    }

    /// Whether the end tag belongs to an element that was too deep to open.
    #[inline]
    pub(super) fn ends_too_deep(&mut self, tag: Tag) -> bool {
        if !self.any_too_deep || self.too_deep[tag as usize] == 0 {
            return false;
        }
        self.too_deep[tag as usize] -= 1;
        true
    }

    /// Closes the innermost element, and the ended elements around it.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.pop_to(self.stack.len().saturating_sub(1));
    }

    /// Closes open elements until only `depth` are left, and the ended elements around these.
    #[inline]
    pub(super) fn pop_to(&mut self, depth: usize) {
        let end = self.nodes.len() as NodeId;
        while let Some(&open) = self.stack.last()
            && (self.stack.len() > depth || open.kind == ElementKind::Ended)
        {
            self.stack.pop();
            self.nodes[open.node as usize].end = end;
            self.open[open.tag as usize] -= u32::from(open.kind == ElementKind::Html);
        }
        if self.any_too_deep {
            self.too_deep = [0; TAG_COUNT];
            self.any_too_deep = false;
        }
    }

    /// Marks an open element as ended. It is closed with the innermost block that is open inside it.
    pub(super) fn end_later(&mut self, depth: usize) {
        let open = &mut self.stack[depth];
        self.open[open.tag as usize] -= u32::from(open.kind == ElementKind::Html);
        (open.tag, open.kind) = (Tag::Text, ElementKind::Ended);
        if depth + 1 == self.stack.len() {
            self.pop();
        }
    }

    /// Adds ASCII white space to the body.
    #[inline]
    pub(super) fn space(&mut self) {
        self.space_before = NodeFlags::SPACE_BEFORE;
    }

    /// Adds the text at `from..to`.
    #[inline]
    pub(super) fn text(&mut self, from: usize, to: usize, counted: Counted) {
        if self.phase == Phase::Body || self.text_before_body(from, to) {
            self.text_here(from, to, counted);
            if self.frameset_ok && counted.counts.chars == 0 && counted.flags & NodeFlags::NON_ASCII != 0 {
                // White space here, but the specification only knows that of ASCII; the rest is content of a body.
                let text = entities::decode(&self.page[from..to]);
                self.frameset_ok = text
                    .chars()
                    .all(|c| matches!(c, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\0'));
            }
        }
    }

    /// Adds the text at `from..to` to the innermost element, whatever that is.
    #[inline]
    pub(super) fn text_here(&mut self, from: usize, to: usize, counted: Counted) {
        if counted.counts.chars == 0 {
            if from < to && self.page.as_bytes()[from] != 0 {
                self.space_before = NodeFlags::SPACE_BEFORE;
            }
            return;
        }
        if self.in_foreign() && matches!(self.nodes[self.top().node as usize].tag, Tag::Script | Tag::Style) {
            return self.raw_text(from, to);
        }
        if counted.from > 0 {
            self.space_before = NodeFlags::SPACE_BEFORE;
        }
        self.add(
            Tag::Text,
            counted.flags,
            0,
            (from + counted.from, from + counted.to),
            counted.counts,
        );
        if counted.to < to - from {
            self.space_before = NodeFlags::SPACE_BEFORE;
        }
    }

    /// Opens the body if the text needs it. Returns whether text is allowed here.
    fn text_before_body(&mut self, from: usize, to: usize) -> bool {
        // A no-break space is white space here, but not in the specification.
        let blank = self.page.as_bytes()[from..to]
            .iter()
            .all(|&b| count::is_space(b) || b == 0);
        if self.phase == Phase::Frameset {
            return false;
        }
        if !blank && self.in_head() {
            self.need_body();
        }
        true
    }

    /// Adds the content of a `script` or the like.
    pub(super) fn raw_text(&mut self, from: usize, to: usize) {
        if !self.page.as_bytes()[from..to].iter().all(|&b| count::is_space(b)) {
            self.add(Tag::RawText, 0, 0, (from, to), Counts::default());
        }
    }

    /// Closes the element whose content was added as one text. If it was too deep to open, nothing is closed.
    pub(super) fn close_raw(&mut self, tag: Tag) {
        if self.top().tag == tag && !self.ends_too_deep(tag) {
            self.pop();
        }
    }

    /// Whether the rules of `head` apply: there is no body yet, and no template is open.
    #[inline]
    pub(super) fn in_head(&self) -> bool {
        matches!(self.phase, Phase::Start | Phase::Head | Phase::AfterHead) && self.open[Tag::Template as usize] == 0
    }

    /// Opens `head` if there is none yet.
    pub(super) fn need_head(&mut self) {
        if self.phase == Phase::Start {
            self.head = self.push(Tag::Head, TagSpan::NONE);
            self.phase = Phase::Head;
        }
    }

    /// Opens the body if there is none yet, and no frameset instead.
    pub(super) fn need_body(&mut self) {
        if !matches!(self.phase, Phase::Body | Phase::Frameset) {
            self.open_body(TagSpan::NONE);
        }
    }

    /// Closes `head` and opens the body.
    pub(super) fn open_body(&mut self, span: TagSpan) {
        self.need_head();
        self.pop_to(1);
        self.body = self.push(Tag::Body, span);
        self.phase = Phase::Body;
    }

    /// Drops the body for a `frameset` if it shows nothing so far. Returns whether it did. After one refusal it does
    /// not check again, so that a flood of framesets costs nothing.
    pub(super) fn drop_body(&mut self) -> bool {
        let body = self.body as usize;
        self.frameset_ok &= self.nodes[body].name_len == 0 && !self.nodes[body..].iter().any(|node| self.shows(node));
        if self.frameset_ok {
            self.pop_to(1);
            self.nodes.truncate(body);
            self.counts.truncate(body);
            self.body = 0;
            self.form = None;
        }
        std::mem::replace(&mut self.frameset_ok, false)
    }

    /// Gives an implied element the attributes of its tag, which came later.
    pub(super) fn merge(&mut self, node: NodeId, span: TagSpan) {
        let node = &mut self.nodes[node as usize];
        if node.name_len == 0 {
            node.name_len = u16::try_from(span.from - span.name).unwrap_or(0);
            (node.from, node.to) = (span.from as u32, span.to as u32);
        }
    }

    /// Whether a node is visible content, so that a frameset may not replace the body.
    fn shows(&self, node: &Node) -> bool {
        use Tag::*;
        match node.tag {
            Text => self.nodes[node.parent as usize].tag != Title,
            Input => !self.has_attribute(node.from as usize..node.to as usize, "type", "hidden"),
            Applet | Area | Br | Button | Dd | Dt | Embed | Hr | Iframe | Img | Keygen | Li | Listing | Marquee
            | Object => true,
            Pre | Select | Table | Template | Textarea | Wbr | Xmp => true,
            _ => false,
        }
    }
}
