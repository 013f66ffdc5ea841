//! The tree of a page, as flat arrays in document order.
//!
//! Two parsers fill the same arrays. [`parse`] is fast and forgiving: one pass over the page's own bytes. `strict`
//! follows the HTML specification through html5ever, in builds with the feature `normalize`; the tests compare the fast
//! parser with it.
//!
//! Because the nodes are in document order, a subtree is an index range. With prefix sums of the counts, any count over
//! a subtree is the difference of two sums.

pub mod count;
pub mod entities;
pub mod parse;
#[cfg(feature = "normalize")]
pub mod strict;
pub mod tag;

use std::borrow::Cow;
use std::ops::Range;

pub use count::Counts;
pub use parse::Attributes;
pub use tag::Tag;

/// Limits on the tree of a page and on the work to parse it.
///
/// Nothing here depends on the clock, so a page has the same result on every machine.
///
/// ```
/// use dehusk_html::Limits;
///
/// let limits = Limits::default().with_nodes(100_000);
/// assert_eq!(limits.nodes, 100_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of nodes.
    pub nodes: usize,
    /// Maximum depth of nested elements, at most [`MAX_DEPTH`]. Deeper elements become leaves.
    pub depth: usize,
    /// Maximum number of parser steps. Examining one open element is one step.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // About 300 MiB with all counts; the largest real pages have less than a million nodes.
            nodes: 2_000_000,
            depth: MAX_DEPTH,
            // Some seconds. A page of 2 million nodes at a depth of 30 takes a sixteenth of this.
            work: 1 << 30,
        }
    }
}

impl Limits {
    /// No limits except for the depth.
    pub const NONE: Limits = Limits {
        nodes: usize::MAX,
        depth: MAX_DEPTH,
        work: u64::MAX,
    };

    /// Sets the maximum number of nodes.
    #[must_use]
    pub fn with_nodes(self, nodes: usize) -> Self {
        Self { nodes, ..self }
    }

    /// Sets the maximum depth. Values above [`MAX_DEPTH`] mean [`MAX_DEPTH`].
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        let depth = depth.min(MAX_DEPTH);
        Self { depth, ..self }
    }

    /// Sets the maximum number of parser steps.
    #[must_use]
    pub fn with_work(self, work: u64) -> Self {
        Self { work, ..self }
    }
}

/// A parser, as [`parse_within`](parse::parse_within) is one.
pub type Parse = for<'p> fn(&'p str, Buffers, Limits) -> Result<Dom<'p>, TooCostly>;

/// The parser that follows the HTML specification; `None` in a build without the feature `normalize`.
pub fn strict_parser() -> Option<Parse> {
    #[cfg(feature = "normalize")]
    return Some(strict::parse_strict_within);
    #[cfg(not(feature = "normalize"))]
    None
}

/// The error for a page that exceeds its [`Limits`], or the strict parser's own limit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooCostly;

impl std::fmt::Display for TooCostly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the page has too many nodes or takes the parser too much work")
    }
}

impl std::error::Error for TooCostly {}

/// The index of a node in document order. The root is 0.
pub type NodeId = u32;

/// The maximum depth of a tree. Deeper elements become leaves, as in browsers.
pub const MAX_DEPTH: usize = 512;

/// Facts about a node, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeFlags(pub u8);

impl NodeFlags {
    /// There is white space before this node. Text that is only white space makes no node.
    pub const SPACE_BEFORE: u8 = 1;
    /// The text range has character references to decode.
    pub const ENTITIES: u8 = 2;
    /// The text range has white space other than single spaces, which must be collapsed.
    pub const UNCOLLAPSED: u8 = 4;
    /// The text range may have ASCII digits. If the flag is not set, it has none.
    pub const DIGITS: u8 = 8;
    /// The text may have characters outside ASCII. If the flag is not set, it has none.
    pub const NON_ASCII: u8 = 16;

    /// Whether `bit` is set.
    #[inline]
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// One element or text node.
///
/// `from..to` is a range of [`Dom::source`]. For a text node it is the text. For an element it is the attributes: what
/// is between the tag name and the closing `>`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Node {
    /// The kind of element, or [`Tag::Text`], or [`Tag::RawText`] (the content of `script` and `style`).
    pub tag: Tag,
    /// Facts about the node.
    pub flags: NodeFlags,
    /// The length of the tag name in bytes. The name ends at `from`. 0 for text and for implied elements.
    pub name_len: u16,
    /// The parent. The root is its own parent.
    pub parent: NodeId,
    /// The end of the subtree: the node and its descendants are `id..end`.
    pub end: NodeId,
    /// The start of the range in the source.
    pub from: u32,
    /// The end of the range in the source.
    pub to: u32,
}

/// The tree of one page.
///
/// Node 0 is the `html` element. [`Dom::body`] is the `body` element (0 if there is none).
#[derive(Debug, Default)]
pub struct Dom<'p> {
    pub(crate) source: Cow<'p, str>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) counts: Vec<Counts>,
    pub(crate) body: NodeId,
}

/// The empty arrays of a finished [`Dom`]. The parser reuses them, so that the next page needs no allocation.
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

    /// The counts of each node's own text. Those of an element are zero. There are none of a page that was parsed
    /// [uncounted](parse::parse_uncounted).
    #[inline]
    pub fn counts(&self) -> &[Counts] {
        &self.counts
    }

    /// The number of nodes.
    #[inline]
    pub fn len(&self) -> NodeId {
        self.nodes.len() as NodeId
    }

    /// Whether the tree has no nodes. A parsed page always has some.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The `body` element. The root if the page has none, for example because it is a frameset.
    #[inline]
    pub fn body(&self) -> NodeId {
        self.body
    }

    /// The text that the ranges of the nodes refer to.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The node and all its descendants, as an index range.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..self.nodes[id as usize].end
    }

    /// The children of a node, in order.
    #[inline]
    pub fn children(&self, id: NodeId) -> Children<'_> {
        Children {
            nodes: &self.nodes,
            next: id + 1,
            end: self.nodes[id as usize].end,
        }
    }

    /// The part of the source in the node's range: the raw text or the raw attributes.
    #[inline]
    pub fn raw(&self, id: NodeId) -> &str {
        let node = &self.nodes[id as usize];
        &self.source[node.from as usize..node.to as usize]
    }

    /// The name of an element as the page spells it. `""` for text and implied elements.
    #[inline]
    pub fn name(&self, id: NodeId) -> &str {
        let node = &self.nodes[id as usize];
        &self.source[node.from as usize - node.name_len as usize..node.from as usize]
    }

    /// The decoded value of an attribute, by its name in any case. `None` if the attribute is absent.
    ///
    /// The parser keeps attributes as a range; this method reads that range.
    #[inline]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<Cow<'_, str>> {
        if self.nodes[id as usize].tag.is_text() {
            return None;
        }
        parse::Attributes::new(self.raw(id))
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| entities::decode_attribute(v))
    }

    /// The number of words in a subtree.
    pub fn words(&self, id: NodeId) -> u32 {
        self.sum(self.subtree(id), |counts| counts.words)
    }

    /// The number of characters of some nodes.
    pub fn chars(&self, nodes: Range<NodeId>) -> u32 {
        self.sum(nodes, |counts| counts.chars)
    }

    #[inline]
    fn sum(&self, nodes: Range<NodeId>, count: impl Fn(&Counts) -> u32) -> u32 {
        match self.counts.get(nodes.start as usize..nodes.end as usize) {
            Some(counts) => counts.iter().map(count).sum(),
            None => nodes.map(|id| count(&self.count(id))).sum(),
        }
    }

    /// Counts the text of a node of a page that was parsed uncounted.
    fn count(&self, id: NodeId) -> Counts {
        let node = self.node(id);
        let text = node.from as usize..node.to as usize;
        match node.tag {
            Tag::Text => count::count_within(&self.source, text, node.flags.has(NodeFlags::ENTITIES)).counts,
            _ => Counts::default(),
        }
    }

    /// Empties the arrays and returns them for the next page.
    pub fn into_buffers(mut self) -> Buffers {
        self.nodes.clear();
        self.counts.clear();
        Buffers {
            nodes: self.nodes,
            counts: self.counts,
        }
    }
}

/// An iterator over the children of a node, in order.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    pub(crate) nodes: &'d [Node],
    pub(crate) next: NodeId,
    pub(crate) end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let id = self.next;
        self.next = self.nodes[id as usize].end;
        Some(id)
    }
}
