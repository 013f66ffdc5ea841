//! Cuts a page into blocks, and makes the tree of the elements around them.
//!
//! - A **block** is a run of texts between two borders. The start and the end of every block element, cell and control are
//!   borders, and so is `br`. Inline elements are none. A block belongs to the deepest element around all of its texts.
//! - Content that a page does not show as text is left out: templates, options, text areas, titles, raw text. Hidden elements
//!   stay, because a script may show them.
//! - The **condensed tree** has one node for all elements that hold the same blocks. So wrappers do not disturb what is
//!   counted along a path. Level 1 of a block is the smallest node that holds more than it.

use std::ops::Range;

use dehusk_html::{Attributes, Dom, NodeId, Tag};

use super::interner::Interner;
use super::lexicon::{Kinds, Lexicon};

/// The most blocks of a page. What is behind them is one block, the last. No page that people read has so many, and memory
/// stays bounded.
pub(super) const MOST_BLOCKS: usize = 1 << 16;

/// No element, node or block.
pub(super) const NONE: u32 = u32::MAX;

/// A run of texts between two borders.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Its texts, as a range of [`Blocks::texts`].
    pub(super) texts: Range<u32>,
    /// The deepest element around all of its texts.
    pub(super) element: u32,
    pub(super) words: u32,
    pub(super) chars: u32,
    pub(super) cjk: u32,
    pub(super) punctuation: u32,
    pub(super) linked_words: u32,
    /// Words in `b` and `strong`.
    pub(super) bold_words: u32,
    /// Links that start in the block.
    pub(super) links: u32,
    /// Inline elements that start in the block, links included.
    pub(super) inlines: u32,
    /// The level of the heading that the block is in; 0 if in none.
    pub(super) heading: u8,
    /// Whether a `br` begins the block.
    pub(super) after_break: bool,
}

/// An element around blocks.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) node: NodeId,
    /// The parent; [`NONE`] for the body.
    pub(super) parent: u32,
    /// Its blocks are `first..=last`.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) tag: Tag,
    pub(super) depth: u16,
    /// Whether the element or one around it is hidden by an attribute.
    pub(super) hidden: bool,
    /// What its own attributes say.
    pub(super) kinds: Kinds,
    /// A hash of its tag and its classes, in which all digits are equal.
    pub(super) signature: u64,
    /// A hash of the tags from the body to it.
    pub(super) path: u64,
    pub(super) condensed: u32,
    /// Its list: the elements with the same parent and signature.
    pub(super) list: u32,
    /// Its place in the list.
    pub(super) place: u32,
}

/// Elements that hold the same blocks.
#[derive(Clone, Debug)]
pub(super) struct Condensed {
    /// The parent; [`NONE`] for the first node.
    pub(super) parent: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) depth: u16,
    /// The outermost element.
    pub(super) top: u32,
}

impl Condensed {
    /// Its blocks.
    #[inline]
    pub(super) fn blocks(&self) -> Range<usize> {
        self.first as usize..self.last as usize + 1
    }
}

/// The blocks of a page with the elements around them. The arrays are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// The text nodes of the blocks, in document order.
    pub(super) texts: Vec<NodeId>,
    /// A parent stands before its children.
    pub(super) elements: Vec<Element>,
    /// A parent stands before its children.
    pub(super) condensed: Vec<Condensed>,
    /// The number of elements in each list.
    pub(super) lists: Vec<u32>,
    /// The element of each node of the page; [`NONE`] for most.
    element_of: Vec<u32>,
    /// What the attribute values of the page say, each read once.
    values: Interner,
    sayings: Vec<(Kinds, u64)>,
    lexicon: Lexicon,
    list_numbers: Interner,
    stack: Vec<NodeId>,
    ends: Vec<NodeId>,
}

/// Whether nothing in the element is text of the page.
fn is_left_out(tag: Tag) -> bool {
    use Tag::*;
    matches!(tag, Select | Option | Optgroup | Textarea | Datalist) || tag.is_hidden()
}

/// Whether the start and the end of the element are borders.
#[inline]
fn is_border(tag: Tag) -> bool {
    tag.is_block() || tag.is_spaced() || matches!(tag, Tag::Option | Tag::Optgroup | Tag::Datalist)
}

impl Blocks {
    /// Cuts a page. Takes one pass over its nodes.
    pub(super) fn cut(&mut self, dom: &Dom<'_>) {
        self.blocks.clear();
        self.texts.clear();
        self.elements.clear();
        self.sayings.clear();
        self.values.reset(256);
        self.element_of.clear();
        self.element_of.resize(dom.len() as usize, NONE);
        self.cut_nodes(dom);
        self.find_first_and_last();
        self.condense();
    }

    fn cut_nodes(&mut self, dom: &Dom<'_>) {
        let (nodes, counts) = (dom.nodes(), dom.counts());
        let body = dom.body();
        let end = dom.node(body).end;
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        let mut next_end = NodeId::MAX;
        let mut block = Block::default();
        // The deepest element around the block's texts so far, and its end.
        let mut around = (body, end);
        // A node before one of these ends is in a link, in bold text, in a heading.
        let (mut link_end, mut bold_end, mut heading_end) = (0, 0, 0);
        let mut heading = 0;
        let mut id = body + 1;
        while id < end {
            if next_end <= id {
                self.finish(dom, &mut block, around.0, false);
                while ends.last().is_some_and(|end| *end <= id) {
                    ends.pop();
                }
                next_end = ends.last().copied().unwrap_or(NodeId::MAX);
            }
            let node = &nodes[id as usize];
            let tag = node.tag;
            if tag == Tag::Text {
                let counts = counts[id as usize];
                if counts.chars > 0 {
                    if block.texts.is_empty() {
                        around = (node.parent, nodes[node.parent as usize].end);
                        block.heading = if id < heading_end { heading } else { 0 };
                    }
                    while around.1 <= id {
                        let parent = nodes[around.0 as usize].parent;
                        around = (parent, nodes[parent as usize].end);
                    }
                    self.texts.push(id);
                    block.texts.end = self.texts.len() as u32;
                    block.words += counts.words;
                    block.chars += counts.chars;
                    block.cjk += counts.cjk;
                    block.punctuation += counts.punctuation;
                    block.linked_words += if id < link_end { counts.words } else { 0 };
                    block.bold_words += if id < bold_end { counts.words } else { 0 };
                }
                id += 1;
                continue;
            }
            if is_border(tag) || tag == Tag::Br {
                self.finish(dom, &mut block, around.0, tag == Tag::Br);
                if node.end > id + 1 {
                    ends.push(node.end);
                    next_end = node.end;
                }
            }
            if is_left_out(tag) {
                id = node.end;
                continue;
            }
            match tag {
                Tag::A => {
                    link_end = link_end.max(node.end);
                    block.links += 1;
                    block.inlines += 1;
                }
                Tag::B | Tag::Strong => {
                    bold_end = bold_end.max(node.end);
                    block.inlines += 1;
                }
                Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                    heading = 1 + (tag as u8 - Tag::H1 as u8);
                    heading_end = node.end;
                }
                _ if !is_border(tag) => block.inlines += 1,
                _ => {}
            }
            id += 1;
        }
        self.finish_any(dom, &mut block, around.0, false);
        self.ends = ends;
    }

    /// Ends the block at a border and begins the next.
    #[inline]
    fn finish(&mut self, dom: &Dom<'_>, block: &mut Block, around: NodeId, by_break: bool) {
        if self.blocks.len() + 1 < MOST_BLOCKS {
            self.finish_any(dom, block, around, by_break);
        }
    }

    fn finish_any(&mut self, dom: &Dom<'_>, block: &mut Block, around: NodeId, by_break: bool) {
        if !block.texts.is_empty() {
            block.element = self.element(dom, around);
            let number = self.blocks.len() as u32;
            let element = &mut self.elements[block.element as usize];
            element.first = element.first.min(number);
            element.last = number;
            self.blocks.push(std::mem::take(block));
        } else {
            *block = Block::default();
        }
        let at = self.texts.len() as u32;
        block.texts = at..at;
        block.after_break = by_break;
    }

    /// The element of a node. Makes it and those around it when a block first needs them.
    fn element(&mut self, dom: &Dom<'_>, node: NodeId) -> u32 {
        let mut at = node;
        while self.element_of[at as usize] == NONE {
            self.stack.push(at);
            if at == dom.body() || at == 0 {
                break;
            }
            at = dom.node(at).parent;
        }
        let mut parent = self.element_of[at as usize];
        while let Some(node) = self.stack.pop() {
            let element = self.new_element(dom, node, parent);
            parent = self.elements.len() as u32;
            self.element_of[node as usize] = parent;
            self.elements.push(element);
        }
        parent
    }

    fn new_element(&mut self, dom: &Dom<'_>, node: NodeId, parent: u32) -> Element {
        let tag = dom.node(node).tag;
        let mut kinds = 0;
        let mut hidden = false;
        let mut signature = hash(tag as u64, 1);
        for (name, value) in Attributes::new(dom.raw(node)) {
            match name.len() {
                5 if name.eq_ignore_ascii_case("class") => {
                    let (said, masked) = self.say(value);
                    kinds |= said;
                    signature = hash(signature, masked);
                }
                2 if name.eq_ignore_ascii_case("id") => kinds |= self.say(value).0,
                4 if name.eq_ignore_ascii_case("role") => kinds |= self.say(value).0,
                8 if name.eq_ignore_ascii_case("itemprop") || name.eq_ignore_ascii_case("itemtype") => {
                    kinds |= self.say(value.rsplit('/').next().unwrap_or(value)).0;
                }
                6 if name.eq_ignore_ascii_case("hidden") => hidden = true,
                11 if name.eq_ignore_ascii_case("aria-hidden") => hidden |= value == "true",
                5 if name.eq_ignore_ascii_case("style") => hidden |= style_hides(value),
                _ => {}
            }
        }
        let (depth, path, parent_hidden) = match self.elements.get(parent as usize) {
            Some(parent) => (parent.depth + 1, parent.path, parent.hidden),
            None => (0, 0, false),
        };
        Element {
            node,
            parent,
            first: NONE,
            last: 0,
            tag,
            depth,
            hidden: hidden || parent_hidden,
            kinds,
            signature,
            path: hash(path, tag as u64),
            condensed: 0,
            list: 0,
            place: 0,
        }
    }

    /// What a value says, and a hash of it in which all digits are equal.
    fn say(&mut self, value: &str) -> (Kinds, u64) {
        let number = self.values.number(hash_of(value.as_bytes())) as usize;
        if number == self.sayings.len() {
            self.sayings.push(self.lexicon.read(value));
        }
        self.sayings[number]
    }

    fn find_first_and_last(&mut self) {
        for at in (1..self.elements.len()).rev() {
            let Element {
                first, last, parent, ..
            } = self.elements[at];
            let parent = &mut self.elements[parent as usize];
            parent.first = parent.first.min(first);
            parent.last = parent.last.max(last);
        }
    }

    /// Makes the condensed tree and the lists of siblings alike.
    fn condense(&mut self) {
        self.condensed.clear();
        self.lists.clear();
        self.list_numbers.reset(self.elements.len());
        for at in 0..self.elements.len() {
            let (before, rest) = self.elements.split_at_mut(at);
            let element = &mut rest[0];
            let number = self.condensed.len() as u32;
            let Some(parent) = before.get(element.parent as usize) else {
                self.condensed.push(Condensed {
                    parent: NONE,
                    first: element.first,
                    last: element.last,
                    depth: 0,
                    top: at as u32,
                });
                element.condensed = number;
                element.list = self.lists.len() as u32;
                self.lists.push(1);
                continue;
            };
            if (element.first, element.last) == (parent.first, parent.last) {
                element.condensed = parent.condensed;
            } else {
                let depth = self.condensed[parent.condensed as usize].depth + 1;
                self.condensed.push(Condensed {
                    parent: parent.condensed,
                    first: element.first,
                    last: element.last,
                    depth,
                    top: at as u32,
                });
                element.condensed = number;
            }
            // The body has the list 0, and no key.
            let list = 1 + self
                .list_numbers
                .number(hash(element.signature, u64::from(element.parent)));
            if list as usize == self.lists.len() {
                self.lists.push(0);
            }
            element.list = list;
            element.place = self.lists[list as usize];
            self.lists[list as usize] += 1;
        }
    }

    /// The text nodes of a block.
    #[inline]
    pub(super) fn texts_of(&self, block: &Block) -> &[NodeId] {
        &self.texts[block.texts.start as usize..block.texts.end as usize]
    }
}

/// Joins a hash and a value.
#[inline]
pub(super) fn hash(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(value ^ 0x8BB8_4B93_962E_ACC9);
    (product >> 64) as u64 ^ product as u64
}

/// A hash of a short value.
#[inline]
fn hash_of(value: &[u8]) -> u64 {
    let (words, rest) = value.as_chunks();
    let mut all = value.len() as u64;
    for word in words {
        all = hash(all, u64::from_le_bytes(*word));
    }
    let rest = rest.iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    hash(all, rest)
}

/// Whether an inline style seems to hide its element.
fn style_hides(style: &str) -> bool {
    let has_value = |property: &str, value: &str| {
        let found = style.split(';').filter_map(|declaration| declaration.split_once(':'));
        let mut found = found.filter(|(name, _)| name.trim().eq_ignore_ascii_case(property));
        found.any(|(_, text)| {
            let text = text.trim();
            text.get(..value.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(value))
        })
    };
    // Most styles are short and say something else.
    style.len() >= "display:none".len() && (has_value("display", "none") || has_value("visibility", "hidden"))
}
