//! The strict parser: html5ever's tree, in the same arrays as the fast parser's.
//!
//! It serves `normalize = true` and is the oracle that the fast parser is measured against. The tree is built in full,
//! as the HTML specification says (scripting off, so that `noscript` is content), then copied in document order:
//!
//! - Texts are decoded and copied to a buffer that becomes [`Dom::source`]; attributes are written there anew.
//! - White-space-only texts and comments make no node, as with the fast parser, and the counts are the same.
//! - What is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH) becomes a leaf under the deepest element allowed.
//! - A template's content stands under the `template` element.
//!
//! # Limits
//!
//! html5ever takes quadratic time on hostile nesting, since many rules walk all open elements. Every step of such a walk
//! asks the sink for a name or compares two handles, so the sink counts these, and charges for a new element by how
//! many are open; the page is fed in pieces, and when the work passes [`budget`] the page is given up as
//! [`TooCostly`]. The count depends on the page alone, never on the clock.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TokenizerResult, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::count::{self, Counts};
use super::parse::boundary;
use super::{Buffers, Dom, Flags, Limits, Node, NodeId, Tag, TooCostly};

/// Bytes given to html5ever at a time: small, so that little happens between two looks at the work done.
const PIECE: usize = 16 << 10;

/// Steps that a page of this length may take. Real pages stay far below: on the corpora of the tests, none takes one a byte.
pub fn budget(page_len: usize) -> u64 {
    4_000_000 + 64 * page_len as u64
}

/// Parses a page as the HTML specification says.
///
/// # Errors
///
/// [`TooCostly`] when the page takes more than [`budget`] allows.
pub fn parse_strict<'p>(page: &str, buffers: Buffers) -> Result<Dom<'p>, TooCostly> {
    parse_strict_within(page, buffers, Limits::NONE)
}

/// As [`parse_strict`], within further limits.
///
/// # Errors
///
/// As [`parse_strict`], and beyond those limits.
pub fn parse_strict_within<'p>(page: &str, buffers: Buffers, limits: Limits) -> Result<Dom<'p>, TooCostly> {
    let page = &page[..boundary(page, u32::MAX as usize)];
    let limit = budget(page.len()).min(limits.work);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let tokenizer = Tokenizer::new(TreeBuilder::new(Tree::default(), options), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = page;
    while !rest.is_empty() {
        let piece;
        (piece, rest) = rest.split_at(boundary(rest, PIECE));
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        let tree = &tokenizer.sink.sink;
        if tree.work.get() > limit || tree.nodes.borrow().len() > limits.nodes {
            return Err(TooCostly);
        }
    }
    tokenizer.end();
    let tree = &tokenizer.sink.sink;
    Ok(flatten(&tree.nodes.borrow(), buffers, limits.depth))
}

/// Index of a node in the tree; `NONE` for no node.
type Link = u32;
const NONE: Link = Link::MAX;
const DOCUMENT: Link = 0;

enum Content {
    Nothing,
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
}

/// A node with links to its neighbours, so that every change takes constant time and dropping needs no recursion.
struct Linked {
    content: Content,
    parent: Link,
    first: Link,
    last: Link,
    previous: Link,
    next: Link,
}

/// What html5ever holds on to: a node and its name. The tree itself holds none, so the live ones are the open elements
/// and the active formatting elements.
struct Handle {
    link: Link,
    name: QualName,
    /// Whether it is an `annotation-xml` whose content is HTML.
    holds_html: bool,
    live: Rc<Cell<u64>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.live.set(self.live.get() - 1);
    }
}

struct Tree {
    nodes: RefCell<Vec<Linked>>,
    work: Cell<u64>,
    live: Rc<Cell<u64>>,
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Tree {
            nodes: RefCell::default(),
            work: Cell::new(0),
            live: Rc::default(),
        };
        tree.add(Content::Nothing);
        tree
    }
}

impl Tree {
    fn add(&self, content: Content) -> Link {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Linked {
            content,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
        });
        (nodes.len() - 1) as Link
    }

    fn handle(&self, link: Link, name: QualName, holds_html: bool) -> Rc<Handle> {
        self.live.set(self.live.get() + 1);
        Rc::new(Handle {
            link,
            name,
            holds_html,
            live: Rc::clone(&self.live),
        })
    }

    fn nameless(&self, link: Link) -> Rc<Handle> {
        self.handle(link, QualName::new(None, ns!(), local_name!("")), false)
    }

    fn charge(&self, steps: u64) {
        self.work.set(self.work.get() + steps);
    }

    fn detach(&self, link: Link) {
        let nodes = &mut *self.nodes.borrow_mut();
        let Linked {
            parent, previous, next, ..
        } = nodes[link as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            _ => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            _ => nodes[next as usize].previous = previous,
        }
        let node = &mut nodes[link as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Puts a node, or text, before `next` (at the end if that is `NONE`) under `parent`.
    fn insert(&self, parent: Link, next: Link, child: NodeOrText<Rc<Handle>>) {
        self.charge(1);
        let previous = {
            let nodes = self.nodes.borrow();
            if next == NONE {
                nodes[parent as usize].last
            } else {
                nodes[next as usize].previous
            }
        };
        let link = match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.link);
                node.link
            }
            NodeOrText::AppendText(text) => {
                if previous != NONE
                    && let Content::Text(before) = &mut self.nodes.borrow_mut()[previous as usize].content
                {
                    return before.push_tendril(&text);
                }
                self.add(Content::Text(text))
            }
        };
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[link as usize];
        (node.parent, node.previous, node.next) = (parent, previous, next);
        match previous {
            NONE => nodes[parent as usize].first = link,
            _ => nodes[previous as usize].next = link,
        }
        match next {
            NONE => nodes[parent as usize].last = link,
            _ => nodes[next as usize].previous = link,
        }
    }
}

/// Lends html5ever the name of an element.
#[derive(Debug)]
struct Name<'a>(&'a QualName);

impl html5ever::interface::ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Tree {
    type Handle = Rc<Handle>;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn allow_declarative_shadow_roots(&self, _: &Rc<Handle>) -> bool {
        false
    }

    fn get_document(&self) -> Rc<Handle> {
        self.nameless(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Handle>) -> Name<'a> {
        self.charge(1);
        Name(&target.name)
    }

    fn same_node(&self, x: &Rc<Handle>, y: &Rc<Handle>) -> bool {
        self.charge(1);
        x.link == y.link
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Rc<Handle> {
        // A formatting element is compared with all active ones, which the sink does not see.
        self.charge(4 + self.live.get() / 4);
        let link = self.add(Content::Element(name.clone(), attributes));
        self.handle(link, name, flags.mathml_annotation_xml_integration_point)
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Rc<Handle>) -> bool {
        target.holds_html
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Handle> {
        // A comment parts two texts, and is then passed over.
        self.nameless(self.add(Content::Nothing))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Handle> {
        self.nameless(self.add(Content::Nothing))
    }

    fn append(&self, parent: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        self.insert(parent.link, NONE, child);
    }

    fn append_before_sibling(&self, sibling: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        let parent = self.nodes.borrow()[sibling.link as usize].parent;
        if parent != NONE {
            self.insert(parent, sibling.link, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Rc<Handle>, previous: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        if self.nodes.borrow()[element.link as usize].parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn get_template_contents(&self, target: &Rc<Handle>) -> Rc<Handle> {
        Rc::clone(target)
    }

    fn add_attrs_if_missing(&self, target: &Rc<Handle>, attributes: Vec<Attribute>) {
        if let Content::Element(_, present) = &mut self.nodes.borrow_mut()[target.link as usize].content {
            for attribute in attributes {
                if !present.iter().any(|a| a.name == attribute.name) {
                    present.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Rc<Handle>) {
        self.charge(1);
        self.detach(target.link);
    }

    fn reparent_children(&self, node: &Rc<Handle>, new_parent: &Rc<Handle>) {
        loop {
            let child = self.nodes.borrow()[node.link as usize].first;
            if child == NONE {
                return;
            }
            self.detach(child);
            self.insert(new_parent.link, NONE, NodeOrText::AppendNode(self.nameless(child)));
        }
    }
}

/// The arrays as they are filled.
struct Flat {
    source: String,
    nodes: Vec<Node>,
    counts: Vec<Counts>,
    /// Open elements, from the root on.
    stack: Vec<NodeId>,
    space: u8,
    body: NodeId,
}

/// Copies the tree in document order.
fn flatten<'p>(tree: &[Linked], buffers: Buffers, depth: usize) -> Dom<'p> {
    let Buffers { mut nodes, mut counts } = buffers;
    nodes.clear();
    counts.clear();
    let mut flat = Flat {
        source: String::new(),
        nodes,
        counts,
        stack: Vec::new(),
        space: 0,
        body: 0,
    };
    // A node's depth in the tree may be greater than in the arrays: the stack ends at the limit, `deeper` goes on.
    let mut deeper = 0usize;
    let mut link = tree[DOCUMENT as usize].first;
    while link != NONE {
        let node = &tree[link as usize];
        match &node.content {
            Content::Nothing => {}
            Content::Text(text) => flat.text(text),
            Content::Element(name, attributes) => {
                let id = flat.element(name, attributes);
                if node.first != NONE {
                    if flat.stack.len() < depth {
                        flat.stack.push(id);
                    } else {
                        deeper += 1;
                    }
                    link = node.first;
                    continue;
                }
            }
        }
        let mut at = link;
        while at != DOCUMENT && tree[at as usize].next == NONE {
            at = tree[at as usize].parent;
            if deeper > 0 {
                deeper -= 1;
            } else if let Some(id) = flat.stack.pop() {
                flat.nodes[id as usize].end = flat.nodes.len() as NodeId;
            }
        }
        link = if at == DOCUMENT { NONE } else { tree[at as usize].next };
    }
    Dom {
        source: Cow::Owned(flat.source),
        nodes: flat.nodes,
        counts: flat.counts,
        body: flat.body,
    }
}

impl Flat {
    fn add(&mut self, tag: Tag, flags: u8, name_len: usize, from: usize, counts: Counts) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            tag,
            flags: Flags(flags | self.space),
            name_len: u16::try_from(name_len).unwrap_or(0),
            parent: self.stack.last().copied().unwrap_or(0),
            end: id + 1,
            from: from as u32,
            to: self.source.len() as u32,
        });
        self.counts.push(counts);
        self.space = 0;
        id
    }

    fn element(&mut self, name: &QualName, attributes: &[Attribute]) -> NodeId {
        let tag = Tag::from_name(name.local.as_bytes());
        self.source.push_str(&name.local);
        let from = self.source.len();
        for attribute in attributes {
            self.source.push(' ');
            if let Some(prefix) = &attribute.name.prefix {
                self.source.push_str(prefix);
                self.source.push(':');
            }
            self.source.push_str(&attribute.name.local);
            self.source.push_str("=\"");
            for c in attribute.value.chars() {
                match c {
                    '&' => self.source.push_str("&amp;"),
                    '"' => self.source.push_str("&quot;"),
                    _ => self.source.push(c),
                }
            }
            self.source.push('"');
        }
        let id = self.add(tag, 0, name.local.len(), from, Counts::default());
        if tag == Tag::Body && self.body == 0 && self.stack.len() == 1 {
            self.body = id;
        }
        id
    }

    fn text(&mut self, text: &str) {
        let from = self.source.len();
        let inside = self.stack.last().map_or(Tag::Html, |&id| self.nodes[id as usize].tag);
        if inside.is_raw() {
            if !text.bytes().all(count::is_space) {
                self.source.push_str(text);
                self.add(Tag::RawText, 0, 0, from, Counts::default());
            }
            return;
        }
        let counted = count::count_literal(text);
        if counted.counts.chars == 0 {
            self.space = Flags::SPACE_BEFORE;
            return;
        }
        if counted.from > 0 {
            self.space = Flags::SPACE_BEFORE;
        }
        self.source.push_str(&text[counted.from..counted.to]);
        self.add(Tag::Text, counted.flags, 0, from, counted.counts);
        if counted.to < text.len() {
            self.space = Flags::SPACE_BEFORE;
        }
    }
}
