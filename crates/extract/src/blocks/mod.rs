//! Cuts a page into blocks, and makes the tree of the elements around them.
//!
//! - A **block** is a run of texts between two borders. The start and the end of every block element, cell and control
//!   are borders, and so is `br`. Inline elements are none. A block belongs to the deepest element around all of its
//!   texts.
//! - Content that a page does not show as text is left out: templates, options, text areas, titles, raw text. Hidden
//!   elements stay, because a script may show them.
//! - The **condensed tree** has one node for all elements that hold the same blocks. So wrappers do not disturb what is
//!   counted along a path. Level 1 of a block is the smallest node that holds more than it.

pub(crate) mod interner;
pub(crate) mod lexicon;

use std::ops::Range;

use dehusk_html::{Attributes, Dom, NodeId, Tag};
use xxhash_rust::xxh3::xxh3_64;

use interner::Interner;
use lexicon::{Kinds, Lexicon};

/// The most blocks of a page. The rest of the page is one block, the last. No page that people read has so many, and
/// memory stays bounded.
pub(crate) const MOST_BLOCKS: usize = 1 << 16;

/// Longer start tags are read again where they come again.
const LONG_START: usize = 256;

/// Of an attribute's value so many bytes are read. The words that name an element come first.
const LONGEST_VALUE: usize = 64;

/// No element, node or block.
pub(crate) const NONE: u32 = u32::MAX;

/// A run of texts between two borders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// Its texts, as a range of [`Blocks::texts`].
    pub(crate) texts: Range<u32>,
    /// The deepest element around all of its texts.
    pub(crate) element: u32,
    pub(crate) words: u32,
    pub(crate) chars: u32,
    pub(crate) cjk: u32,
    pub(crate) punctuation: u32,
    pub(crate) linked_words: u32,
    /// Links that start after the last block and before the end of this one.
    pub(crate) links: u32,
    /// Elements that start there.
    pub(crate) tags: u32,
    /// The level of the heading that the block is in; 0 if in none.
    pub(crate) heading: u8,
}

impl Block {
    /// Its weight in a mean of logits: the root of its words, with four fractional bits. Doubles give the very root,
    /// because the numbers are below 2^53.
    #[inline]
    pub(crate) fn weight(&self) -> i64 {
        ((f64::from(self.words) + 1.0) * 256.0).sqrt() as i64
    }

    /// Whether at least half of the words are in links.
    #[inline]
    pub(crate) fn is_linked(&self) -> bool {
        self.words > 0 && self.linked_words >= self.words.div_ceil(2)
    }
}

/// An element around blocks.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) node: NodeId,
    /// The parent; [`NONE`] for the body.
    pub(crate) parent: u32,
    /// Its blocks are `first..=last`.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) tag: Tag,
    pub(crate) depth: u16,
    /// The kinds that its own attributes name.
    pub(crate) kinds: Kinds,
    /// A hash of its tag and its classes, in which all digits are equal.
    pub(crate) signature: u64,
    /// A hash of its tag, its classes and its id, and those of all elements around it. All digits are equal.
    pub(crate) path: u64,
    pub(crate) condensed: u32,
}

/// Elements that hold the same blocks.
#[derive(Clone, Debug)]
pub(crate) struct Condensed {
    /// The parent; [`NONE`] for the first node.
    pub(crate) parent: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) depth: u16,
}

impl Condensed {
    /// Its blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> Range<usize> {
        self.first as usize..self.last as usize + 1
    }
}

/// The blocks of a page with the elements around them. The arrays are reused from page to page.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Block>,
    /// The text nodes of the blocks, in document order.
    pub(crate) texts: Vec<NodeId>,
    /// A parent comes before its children.
    pub(crate) elements: Vec<Element>,
    /// A parent comes before its children.
    pub(crate) condensed: Vec<Condensed>,
    /// The element of each node of the page; [`NONE`] for most.
    element_of: Vec<u32>,
    /// The start tags of the page and the attribute values in them, each read once.
    starts: Interner,
    of_starts: Vec<Said>,
    values: Interner,
    of_values: Vec<Said>,
    lexicon: Lexicon,
    stack: Vec<NodeId>,
    ends: Vec<NodeId>,
    /// Whether only the texts are wanted, and no elements.
    only_texts: bool,
}

/// Facts from attributes.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    kinds: Kinds,
    /// Hashes of the classes and of the id, in which all digits are equal.
    classes: u64,
    id: u64,
}

/// Properties of a tag for the cut, a bit each.
const LEFT_OUT: u8 = 1;
const BORDER: u8 = 1 << 1;
const HEADING: u8 = 1 << 2;
const LINK: u8 = 1 << 3;

static FACTS: [u8; Tag::ALL.len()] = {
    use Tag::*;
    let mut facts = [0; { Tag::ALL.len() }];
    let mut i = 0;
    while i < facts.len() {
        let tag = Tag::ALL[i];
        // Nothing in these is text of the page.
        if matches!(tag, Select | Option | Optgroup | Textarea | Datalist) || tag.is_hidden() {
            facts[i] |= LEFT_OUT;
        }
        if tag.is_block() || tag.is_spaced() || matches!(tag, Option | Optgroup | Datalist | Br) {
            facts[i] |= BORDER;
        }
        facts[i] |= match tag {
            H1 | H2 | H3 | H4 | H5 | H6 => HEADING,
            A => LINK,
            _ => 0,
        };
        i += 1;
    }
    facts
};

impl Blocks {
    /// Cuts a page. Takes one pass over its nodes.
    pub(crate) fn cut(&mut self, dom: &Dom<'_>) {
        self.only_texts = false;
        self.elements.clear();
        self.of_starts.clear();
        self.starts.reset(256);
        self.of_values.clear();
        self.values.reset(256);
        self.element_of.clear();
        self.element_of.resize(dom.len() as usize, NONE);
        self.cut_nodes(dom);
        self.find_first_and_last();
        self.condense();
    }

    /// Cuts a page into the same blocks, but makes no elements.
    pub(crate) fn cut_texts(&mut self, dom: &Dom<'_>) {
        self.only_texts = true;
        self.elements.clear();
        self.condensed.clear();
        self.cut_nodes(dom);
    }

    fn cut_nodes(&mut self, dom: &Dom<'_>) {
        self.blocks.clear();
        self.texts.clear();
        let (nodes, counts) = (dom.nodes(), dom.counts());
        let body = dom.body();
        let end = dom.node(body).end;
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        let mut next_end = NodeId::MAX;
        let mut block = Block::default();
        // The deepest element around the block's texts so far, and its end.
        let mut around = (body, end);
        // A node before one of these ends is in a link, in a heading.
        let (mut link_end, mut heading_end) = (0, 0);
        let mut heading = 0;
        let mut id = body + 1;
        while id < end {
            if next_end <= id {
                self.finish(dom, &mut block, around.0);
                while ends.last().is_some_and(|end| *end <= id) {
                    ends.pop();
                }
                next_end = ends.last().copied().unwrap_or(NodeId::MAX);
            }
            let node = &nodes[id as usize];
            let tag = node.tag;
            if tag == Tag::Text {
                // A page whose texts are not counted has no text of white space either.
                let counted = counts.get(id as usize);
                if counted.is_none_or(|counts| counts.chars > 0) {
                    let counts = counted.copied().unwrap_or_default();
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
                }
                id += 1;
                continue;
            }
            let facts = FACTS[tag as usize];
            if facts & BORDER != 0 {
                self.finish(dom, &mut block, around.0);
                if node.end > id + 1 {
                    ends.push(node.end);
                    next_end = node.end;
                }
            }
            block.tags += 1;
            if facts & LEFT_OUT != 0 {
                id = node.end;
                continue;
            }
            if facts & LINK != 0 {
                link_end = link_end.max(node.end);
                block.links += 1;
            } else if facts & HEADING != 0 {
                heading = 1 + (tag as u8 - Tag::H1 as u8);
                heading_end = node.end;
            }
            id += 1;
        }
        self.finish_any(dom, &mut block, around.0);
        self.ends = ends;
    }

    /// Ends the block at a border and begins the next.
    #[inline]
    fn finish(&mut self, dom: &Dom<'_>, block: &mut Block, around: NodeId) {
        if !block.texts.is_empty() && self.blocks.len() + 1 < MOST_BLOCKS {
            self.finish_any(dom, block, around);
        }
    }

    fn finish_any(&mut self, dom: &Dom<'_>, block: &mut Block, around: NodeId) {
        if block.texts.is_empty() {
            return;
        }
        if self.only_texts {
            block.element = NONE;
        } else {
            block.element = self.element(dom, around);
            let number = self.blocks.len() as u32;
            let element = &mut self.elements[block.element as usize];
            element.first = element.first.min(number);
            element.last = number;
        }
        self.blocks.push(std::mem::take(block));
        let at = self.texts.len() as u32;
        block.texts = at..at;
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
        let said = self.start(tag, dom.raw(node));
        let around = self.elements.get(parent as usize);
        let signature = hash(tag as u64, said.classes);
        Element {
            node,
            parent,
            first: NONE,
            last: 0,
            tag,
            depth: around.map_or(0, |around| around.depth + 1),
            path: hash(around.map_or(0, |around| around.path), signature ^ said.id),
            kinds: said.kinds,
            signature,
            condensed: 0,
        }
    }

    /// Reads the attributes of a start tag.
    fn start(&mut self, tag: Tag, attributes: &str) -> Said {
        if attributes.is_empty() {
            return Said::default();
        }
        // Many elements of a page have the same attributes. Two links seldom do.
        if tag == Tag::A || attributes.len() > LONG_START {
            return self.attributes(attributes);
        }
        let number = self.starts.number(xxh3_64(attributes.as_bytes())) as usize;
        if number == self.of_starts.len() {
            let said = self.attributes(attributes);
            self.of_starts.push(said);
        }
        self.of_starts[number]
    }

    fn attributes(&mut self, attributes: &str) -> Said {
        let mut all = Said::default();
        for (name, value) in Attributes::new(attributes) {
            let said = match name.len() {
                5 if name.eq_ignore_ascii_case("class") => {
                    let said = self.value(value);
                    all.classes = hash(all.classes, said.classes);
                    said
                }
                2 if name.eq_ignore_ascii_case("id") => {
                    let said = self.value(value);
                    all.id = said.classes;
                    said
                }
                4 if name.eq_ignore_ascii_case("role") => self.value(value),
                8 if name.eq_ignore_ascii_case("itemprop") || name.eq_ignore_ascii_case("itemtype") => {
                    self.value(value.rsplit('/').next().unwrap_or(value))
                }
                _ => continue,
            };
            all.kinds |= said.kinds;
        }
        all
    }

    /// Reads the start of a value.
    fn value(&mut self, value: &str) -> Said {
        let value = &value[..value.floor_char_boundary(LONGEST_VALUE)];
        let number = self.values.number(xxh3_64(value.as_bytes())) as usize;
        if number == self.of_values.len() {
            let (kinds, classes) = self.lexicon.read(value);
            self.of_values.push(Said { kinds, classes, id: 0 });
        }
        self.of_values[number]
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

    /// Makes the condensed tree.
    fn condense(&mut self) {
        self.condensed.clear();
        for at in 0..self.elements.len() {
            let (before, rest) = self.elements.split_at_mut(at);
            let element = &mut rest[0];
            let parent = before.get(element.parent as usize);
            if let Some(parent) = parent.filter(|parent| (element.first, element.last) == (parent.first, parent.last)) {
                element.condensed = parent.condensed;
                continue;
            }
            element.condensed = self.condensed.len() as u32;
            let above = parent.map_or(NONE, |parent| parent.condensed);
            self.condensed.push(Condensed {
                parent: above,
                first: element.first,
                last: element.last,
                depth: self.condensed.get(above as usize).map_or(0, |above| above.depth + 1),
            });
        }
    }

    /// An element and those around it, the innermost first, with their numbers.
    #[inline]
    pub(crate) fn around(&self, element: u32) -> impl Iterator<Item = (u32, &Element)> {
        let numbered = |number: u32| Some((number, self.elements.get(number as usize)?));
        std::iter::successors(numbered(element), move |(_, inner)| numbered(inner.parent))
    }

    /// The innermost block-level element around an element, itself included; [`NONE`] if there is none.
    #[inline]
    pub(crate) fn block_level(&self, element: u32) -> u32 {
        let found = self.around(element).find(|(_, around)| around.tag.is_block());
        found.map_or(NONE, |(number, _)| number)
    }

    /// The text nodes of a block.
    #[inline]
    pub(crate) fn texts_of(&self, block: &Block) -> &[NodeId] {
        &self.texts[block.texts.start as usize..block.texts.end as usize]
    }
}

/// Joins a hash and a value.
#[inline]
pub(crate) fn hash(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(value ^ 0x8BB8_4B93_962E_ACC9);
    (product >> 64) as u64 ^ product as u64
}
