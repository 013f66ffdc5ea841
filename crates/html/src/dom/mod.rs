//! The page's tree, held as flat arrays in document order.
//!
//! A [`Dom`] is built by one of two builders that fill the same arrays: [`parse`] (fast, forgiving, one pass
//! over the page's own bytes) and [`strict`] (html5ever, for `normalize = true` and as the oracle of the fast one).
//! Because nodes stand in document order, a subtree is an index range, and every count over a subtree is the
//! difference of two prefix sums (see [`view`]).

pub mod count;
pub mod entities;
pub mod parse;
pub mod strict;
pub mod tag;
pub mod text;
pub mod xhtml;

use std::borrow::Cow;
use std::ops::Range;

pub use count::Counts;
pub use tag::Tag;

/// What a page's tree may take. Nothing here depends on the clock, so a page has one fate on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes.
    pub nodes: usize,
    /// Deepest nesting, at most [`MAX_DEPTH`]: deeper elements become leaves.
    pub depth: usize,
    /// Most steps of the parser; one is a look at an open element.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // About 300 MiB with all that is counted of them; the largest real pages have less than a million.
            nodes: 2_000_000,
            depth: MAX_DEPTH,
            // Some seconds. A page of 2 million nodes at a depth of 30 takes a sixteenth of it.
            work: 1 << 30,
        }
    }
}

impl Limits {
    /// No limits but those of depth.
    pub const NONE: Limits = Limits {
        nodes: usize::MAX,
        depth: MAX_DEPTH,
        work: u64::MAX,
    };
}

/// The page would take more than its [`Limits`], or than the strict parser's own limit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooCostly;

impl std::fmt::Display for TooCostly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the page has too many nodes or takes the parser too much work")
    }
}

impl std::error::Error for TooCostly {}

/// Index of a node in document order. The root is 0.
pub type NodeId = u32;

/// A DOM never nests deeper than this: beyond it elements become leaves, as in browsers.
pub const MAX_DEPTH: usize = 512;

/// Facts about a node, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// White space stood between the node (or end tag) before and this node; white-space-only text makes no node.
    pub const SPACE_BEFORE: u8 = 1;
    /// The text range still holds character references to decode.
    pub const ENTITIES: u8 = 2;
    /// The text range holds white space that must be collapsed, beyond single spaces.
    pub const SPACES: u8 = 4;
    /// The text range may hold ASCII digits; without it, it holds none.
    pub const DIGITS: u8 = 8;
    /// The text may hold characters that are not ASCII; without it, it holds none.
    pub const OTHER: u8 = 16;

    /// Whether `bit` is set.
    #[inline]
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// One element or text node.
///
/// `from..to` is a range of [`Dom::source`]: a text node's text; an element's attributes (from behind the tag name
/// to before the closing `>`).
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What kind of element, or [`Tag::Text`], or [`Tag::RawText`] (what stands in `script` and `style`).
    pub tag: Tag,
    /// Facts about the node.
    pub flags: Flags,
    /// Length in bytes of the tag name, which stands right before `from` (0 for text and for implied elements).
    pub name_len: u16,
    /// The parent; the root is its own.
    pub parent: NodeId,
    /// End of the subtree: the node and its descendants are `id..end`.
    pub end: NodeId,
    /// Start of the range in the source.
    pub from: u32,
    /// End of the range in the source.
    pub to: u32,
}

/// The tree of one page.
///
/// Node 0 is the `html` element. [`Dom::body`] is the `body` element (0 where there is none).
#[derive(Debug, Default)]
pub struct Dom<'p> {
    pub(crate) source: Cow<'p, str>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) counts: Vec<Counts>,
    pub(crate) body: NodeId,
}

/// The arrays of a finished [`Dom`], emptied, so that the next page needs no allocation.
#[derive(Debug, Default)]
pub struct Buffers {
    pub(crate) nodes: Vec<Node>,
    pub(crate) counts: Vec<Counts>,
}

impl<'p> Dom<'p> {
    /// The nodes in document order.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Each node's own counts: those of its text for a text node, zero for an element.
    #[inline]
    pub fn counts(&self) -> &[Counts] {
        &self.counts
    }

    /// Number of nodes.
    #[inline]
    pub fn len(&self) -> NodeId {
        self.nodes.len() as NodeId
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The `body` element; the root where the page has none (a frameset, say).
    #[inline]
    pub fn body(&self) -> NodeId {
        self.body
    }

    /// The text that node ranges point into.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The node and all its descendants, as an index range.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..self.nodes[id as usize].end
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> Children<'_> {
        Children {
            nodes: &self.nodes,
            next: id + 1,
            end: self.nodes[id as usize].end,
        }
    }

    /// The part of the source that the node's range covers: raw text, or raw attributes.
    #[inline]
    pub fn raw(&self, id: NodeId) -> &str {
        let node = &self.nodes[id as usize];
        &self.source[node.from as usize..node.to as usize]
    }

    /// The name of an element as written in the page (case kept), `""` for text and implied elements.
    pub fn name(&self, id: NodeId) -> &str {
        let node = &self.nodes[id as usize];
        &self.source[node.from as usize - node.name_len as usize..node.from as usize]
    }

    /// The value of an attribute (named in lower case), its character references decoded; `None` where it is absent.
    ///
    /// Attributes are kept as a range and looked at only here.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<Cow<'_, str>> {
        if self.nodes[id as usize].tag.is_text() {
            return None;
        }
        parse::Attributes::new(self.raw(id))
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| entities::decode_attribute(v))
    }

    /// The text of the page's `title` element, an image's in SVG not counting; `None` where there is none.
    pub fn title(&self) -> Option<String> {
        let in_svg = |mut id: NodeId| {
            while id != 0 {
                id = self.node(id).parent;
                if self.node(id).tag == Tag::Svg {
                    return true;
                }
            }
            false
        };
        let titles = (0..self.len()).filter(|id| self.node(*id).tag == Tag::Title && !in_svg(*id));
        titles.map(|id| text::text_of(self, id)).find(|t| !t.is_empty())
    }

    /// Words in a subtree, nothing left out.
    pub fn words(&self, id: NodeId) -> u32 {
        let range = self.subtree(id);
        self.counts[range.start as usize..range.end as usize]
            .iter()
            .map(|c| c.words)
            .sum()
    }

    /// Gives the arrays back for the next page.
    pub fn into_buffers(mut self) -> Buffers {
        self.nodes.clear();
        self.counts.clear();
        Buffers {
            nodes: self.nodes,
            counts: self.counts,
        }
    }
}

/// Iterator over a node's children.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    nodes: &'d [Node],
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let id = self.next;
        self.next = self.nodes[id as usize].end;
        Some(id)
    }
}
