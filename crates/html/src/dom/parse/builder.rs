//! The open elements, and the arrays of nodes that grow in document order.
//!
//! The builder knows how nodes are added and closed; which are, and when, is said in [`rules`](super::rules).

use super::super::count::{self, Counted};
use super::super::entities;
use super::super::tag::{TAG_COUNT, Tag};
use super::super::{Buffers, Counts, Flags, MAX_DEPTH, Node, NodeId};

/// Where an element stands in the source.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Start of the name.
    pub name: usize,
    /// End of the name, start of the attributes.
    pub from: usize,
    /// End of the attributes.
    pub to: usize,
}

impl Source {
    /// That of an element which the page implies.
    pub(super) const NONE: Source = Source {
        name: 0,
        from: 0,
        to: 0,
    };
}

/// What sort of element an open element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An element of HTML.
    Html,
    /// An element of SVG.
    Svg,
    /// An element of MathML.
    Math,
    /// An element of SVG or MathML whose content is HTML, such as `foreignObject`.
    Integration,
    /// An element whose end tag came while a block within was still open. It ends with that block.
    Ended,
}

/// An open element.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub node: NodeId,
    /// The element's tag; [`Tag::Text`], which no end tag names, where `kind` is not `Html`.
    pub tag: Tag,
    pub kind: Kind,
}

/// How far into the page's frame the parser is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No `head` yet.
    Start,
    /// `head` is open.
    Head,
    /// `head` has ended. What belongs there still goes there until the body begins.
    AfterHead,
    Body,
    Frameset,
}

pub(super) struct Builder<'p> {
    pub(super) page: &'p str,
    pub(super) nodes: Vec<Node>,
    counts: Vec<Counts>,
    pub(super) stack: Vec<Open>,
    /// The longest that `stack` may be.
    depth: usize,
    /// How many elements of each tag are open, so that an end tag without any costs nothing.
    pub(super) open: [u32; TAG_COUNT],
    pub(super) phase: Phase,
    pub(super) head: NodeId,
    pub(super) body: NodeId,
    /// The specification's form element pointer: the form that has not met its end tag yet.
    pub(super) form: Option<NodeId>,
    /// Whether a frameset may still take the place of an implied body.
    pub(super) frameset_ok: bool,
    /// Whether `table` may stand in `p`.
    pub(super) quirks: bool,
    /// [`Flags::SPACE_BEFORE`] if white space stood before what comes next.
    space: u8,
    /// Elements that were too deep to be opened, by tag: their end tags are still to come.
    beyond: [u32; TAG_COUNT],
    any_beyond: bool,
}

impl<'p> Builder<'p> {
    pub(super) fn new(page: &'p str, buffers: Buffers, depth: usize) -> Self {
        let Buffers { mut nodes, mut counts } = buffers;
        nodes.clear();
        counts.clear();
        let mut builder = Builder {
            page,
            nodes,
            counts,
            stack: Vec::with_capacity(MAX_DEPTH),
            depth,
            open: [0; TAG_COUNT],
            phase: Phase::Start,
            head: 0,
            body: 0,
            form: None,
            frameset_ok: true,
            quirks: true,
            space: 0,
            beyond: [0; TAG_COUNT],
            any_beyond: false,
        };
        builder.push(Tag::Html, Source::NONE);
        builder
    }

    /// Closes what is open and hands over nodes, counts and the body's number.
    pub(super) fn finish(mut self) -> (Vec<Node>, Vec<Counts>, NodeId) {
        self.need_body();
        self.pop_to(0);
        (self.nodes, self.counts, self.body)
    }

    /// Whether tags are those of SVG or MathML here.
    #[inline]
    pub(super) fn in_foreign(&self) -> bool {
        matches!(self.top().kind, Kind::Svg | Kind::Math)
    }

    /// The innermost open element. The root is open to the end.
    #[inline]
    pub(super) fn top(&self) -> Open {
        self.stack.last().copied().unwrap_or(Open {
            node: 0,
            tag: Tag::Html,
            kind: Kind::Html,
        })
    }

    #[inline]
    fn add(&mut self, tag: Tag, flags: u8, name_len: usize, range: (usize, usize), counts: Counts) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            tag,
            flags: Flags(flags | self.space),
            // A longer name is no name that anyone asks for.
            name_len: u16::try_from(name_len).unwrap_or(0),
            parent: self.top().node,
            end: id + 1,
            from: range.0 as u32,
            to: range.1 as u32,
        });
        self.counts.push(counts);
        self.space = 0;
        id
    }

    /// Adds an element without content.
    #[inline]
    pub(super) fn leaf(&mut self, tag: Tag, source: Source) -> NodeId {
        self.add(
            tag,
            0,
            source.from - source.name,
            (source.from, source.to),
            Counts::default(),
        )
    }

    /// Adds an element and opens it, unless it is too deep.
    #[inline]
    pub(super) fn push(&mut self, tag: Tag, source: Source) -> NodeId {
        self.push_kind(tag, source, Kind::Html)
    }

    #[inline]
    pub(super) fn push_kind(&mut self, tag: Tag, source: Source, kind: Kind) -> NodeId {
        let node = self.leaf(tag, source);
        if self.stack.len() < self.depth {
            let html = kind == Kind::Html;
            self.open[tag as usize] += u32::from(html);
            self.stack.push(Open {
                node,
                tag: if html { tag } else { Tag::Text },
                kind,
            });
        } else {
            self.beyond[tag as usize] += 1;
            self.any_beyond = true;
        }
        node
    }

    /// Whether the end tag is that of an element that was too deep to be opened.
    #[inline]
    pub(super) fn ends_beyond(&mut self, tag: Tag) -> bool {
        if !self.any_beyond || self.beyond[tag as usize] == 0 {
            return false;
        }
        self.beyond[tag as usize] -= 1;
        true
    }

    /// Closes the innermost element, and those around it that wait only for its end.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.pop_to(self.stack.len().saturating_sub(1));
    }

    /// Closes open elements until only `depth` are left, and those that wait only for their end.
    #[inline]
    pub(super) fn pop_to(&mut self, depth: usize) {
        let end = self.nodes.len() as NodeId;
        while let Some(&open) = self.stack.last()
            && (self.stack.len() > depth || open.kind == Kind::Ended)
        {
            self.stack.pop();
            self.nodes[open.node as usize].end = end;
            self.open[open.tag as usize] -= u32::from(open.kind == Kind::Html);
        }
        if self.any_beyond {
            self.beyond = [0; TAG_COUNT];
            self.any_beyond = false;
        }
    }

    /// Marks the open element as ended: it is closed with the innermost block that is open within.
    pub(super) fn end_later(&mut self, depth: usize) {
        let open = &mut self.stack[depth];
        self.open[open.tag as usize] -= u32::from(open.kind == Kind::Html);
        (open.tag, open.kind) = (Tag::Text, Kind::Ended);
        if depth + 1 == self.stack.len() {
            self.pop();
        }
    }

    /// Takes in the text at `from..to`.
    #[inline]
    pub(super) fn text(&mut self, from: usize, to: usize, counted: Counted) {
        if self.phase == Phase::Body || self.text_before_body(from, to) {
            self.text_here(from, to, counted);
            if self.frameset_ok && counted.counts.chars == 0 && counted.flags & Flags::OTHER != 0 {
                // White space to us, but a body to the specification, if it is not ASCII's.
                let text = entities::decode(&self.page[from..to]);
                self.frameset_ok = text
                    .chars()
                    .all(|c| matches!(c, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\0'));
            }
        }
    }

    /// Takes in the text at `from..to`, which belongs to the innermost element whatever that is.
    #[inline]
    pub(super) fn text_here(&mut self, from: usize, to: usize, counted: Counted) {
        if counted.counts.chars == 0 {
            if from < to && self.page.as_bytes()[from] != 0 {
                self.space = Flags::SPACE_BEFORE;
            }
            return;
        }
        if self.in_foreign() && matches!(self.nodes[self.top().node as usize].tag, Tag::Script | Tag::Style) {
            return self.raw_text(from, to);
        }
        if counted.from > 0 {
            self.space = Flags::SPACE_BEFORE;
        }
        self.add(
            Tag::Text,
            counted.flags,
            0,
            (from + counted.from, from + counted.to),
            counted.counts,
        );
        if counted.to < to - from {
            self.space = Flags::SPACE_BEFORE;
        }
    }

    /// Opens the body where text needs it; whether the text has a place at all.
    fn text_before_body(&mut self, from: usize, to: usize) -> bool {
        // A no-break space is white space to us, but not to the specification.
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

    /// Takes in the content of a `script` or the like.
    pub(super) fn raw_text(&mut self, from: usize, to: usize) {
        if !self.page.as_bytes()[from..to].iter().all(|&b| count::is_space(b)) {
            self.add(Tag::RawText, 0, 0, (from, to), Counts::default());
        }
    }

    /// Closes the element whose content was taken in as one text. One that was too deep to be opened is closed.
    pub(super) fn close_raw(&mut self, tag: Tag) {
        if self.top().tag == tag && !self.ends_beyond(tag) {
            self.pop();
        }
    }

    /// Whether the rules of `head` hold: no body yet, and no template open.
    #[inline]
    pub(super) fn in_head(&self) -> bool {
        matches!(self.phase, Phase::Start | Phase::Head | Phase::AfterHead) && self.open[Tag::Template as usize] == 0
    }

    /// Opens `head` if there was none.
    pub(super) fn need_head(&mut self) {
        if self.phase == Phase::Start {
            self.head = self.push(Tag::Head, Source::NONE);
            self.phase = Phase::Head;
        }
    }

    /// Opens the body if there was none (and no frameset in its place).
    pub(super) fn need_body(&mut self) {
        if !matches!(self.phase, Phase::Body | Phase::Frameset) {
            self.open_body(Source::NONE);
        }
    }

    /// Closes `head` and opens the body.
    pub(super) fn open_body(&mut self, source: Source) {
        self.need_head();
        self.pop_to(1);
        self.body = self.push(Tag::Body, source);
        self.phase = Phase::Body;
    }

    /// Drops a body that shows nothing so far, as `frameset` demands; whether it did. Asked in vain once, it is not asked
    /// again, so that a flood of framesets costs nothing.
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

    /// Gives an element that was implied the attributes of its tag, which came later.
    pub(super) fn merge(&mut self, node: NodeId, source: Source) {
        let node = &mut self.nodes[node as usize];
        if node.name_len == 0 {
            node.name_len = u16::try_from(source.from - source.name).unwrap_or(0);
            (node.from, node.to) = (source.from as u32, source.to as u32);
        }
    }

    /// Whether a node makes a body more than the empty shell that a frameset may replace.
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
