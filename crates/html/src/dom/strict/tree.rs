//! html5ever's sink: the tree that it builds, and the count of its steps.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::super::Tag;

/// Index of a node in the tree; `NONE` for no node.
pub(super) type Link = u32;
pub(super) const NONE: Link = Link::MAX;
pub(super) const DOCUMENT: Link = 0;

pub(super) enum Content {
    Nothing,
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
}

/// A node with links to its neighbours, so that every change takes constant time and dropping needs no recursion.
pub(super) struct Linked {
    pub content: Content,
    pub parent: Link,
    pub first: Link,
    last: Link,
    previous: Link,
    pub next: Link,
}

/// What html5ever holds on to: a node and its name. The tree itself holds none, so the live ones are the open elements
/// and the active formatting elements.
pub(super) struct Handle {
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

/// The tree as html5ever builds it, and what that costs.
pub(super) struct Tree {
    pub nodes: RefCell<Vec<Linked>>,
    /// Steps so far.
    pub work: Cell<u64>,
    /// Bytes that the attributes of all elements take.
    pub held: Cell<u64>,
    /// Handles that html5ever holds.
    pub live: Rc<Cell<u64>>,
    /// Bytes of the largest formatting element so far, with its attributes.
    pub largest: Cell<u64>,
    /// Most attributes of a formatting element so far.
    attributes: Cell<u64>,
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Tree {
            nodes: RefCell::default(),
            work: Cell::new(0),
            held: Cell::new(0),
            live: Rc::default(),
            largest: Cell::new(64),
            attributes: Cell::new(0),
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

    pub(super) fn charge(&self, steps: u64) {
        self.work.set(self.work.get() + steps);
    }

    /// Charges for a new element.
    fn charge_element(&self, name: &QualName, attributes: &[Attribute]) {
        let number = attributes.len() as u64;
        let values: usize = attributes.iter().map(|a| a.name.local.len() + a.value.len()).sum();
        let size = values as u64 + number * size_of::<Attribute>() as u64;
        self.held.set(self.held.get() + size);
        // A formatting element is compared with all active ones, which the sink does not see.
        let live = self.live.get();
        self.charge(4 + live / 4 + number);
        if Tag::from_name(name.local.as_bytes()).is_formatting() {
            self.largest.set(self.largest.get().max(64 + size));
            self.attributes.set(self.attributes.get().max(number));
            // For that the attributes of both are copied and sorted; few are a part of what is charged above.
            let many = number.saturating_sub(4) + self.attributes.get().saturating_sub(4);
            self.charge(4 * live * many);
        }
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
pub(super) struct Name<'a>(&'a QualName);

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
        self.charge_element(&name, &attributes);
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
            self.charge((1 + present.len() as u64 / 8) * attributes.len() as u64);
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
