//! html5ever's sink: builds the tree and counts the steps.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::super::Tag;

/// The index of a node in the tree. `NONE` is no node.
pub(super) type TreeIndex = u32;
pub(super) const NONE: TreeIndex = TreeIndex::MAX;
pub(super) const DOCUMENT: TreeIndex = 0;

pub(super) enum NodeData {
    /// The document, or a comment.
    Nothing,
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
}

/// A node with the indices of its neighbours, so that every change takes constant time and dropping needs no recursion.
pub(super) struct TreeNode {
    pub content: NodeData,
    pub parent: TreeIndex,
    pub first: TreeIndex,
    last: TreeIndex,
    previous: TreeIndex,
    pub next: TreeIndex,
}

/// A reference to a node that html5ever keeps. The tree keeps none, so the live handles are the open elements and the
/// active formatting elements.
pub(super) struct Handle {
    index: TreeIndex,
    name: QualName,
    /// Whether the element is an `annotation-xml` whose content is HTML.
    holds_html: bool,
    live_handles: Rc<Cell<u64>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.live_handles.set(self.live_handles.get() - 1);
    }
}

/// The tree that html5ever builds, and its cost.
pub(super) struct Tree {
    pub nodes: RefCell<Vec<TreeNode>>,
    /// The number of steps so far.
    pub work: Cell<u64>,
    /// The size of the attributes of all elements, in bytes.
    pub attribute_bytes: Cell<u64>,
    /// The number of handles that html5ever keeps.
    pub live_handles: Rc<Cell<u64>>,
    /// The size of the largest formatting element so far with its attributes, in bytes.
    pub largest_formatting: Cell<u64>,
    /// The largest number of attributes of a formatting element so far.
    most_attributes: Cell<u64>,
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Tree {
            nodes: RefCell::default(),
            work: Cell::new(0),
            attribute_bytes: Cell::new(0),
            live_handles: Rc::default(),
            largest_formatting: Cell::new(64),
            most_attributes: Cell::new(0),
        };
        tree.add(NodeData::Nothing);
        tree
    }
}

impl Tree {
    fn add(&self, content: NodeData) -> TreeIndex {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(TreeNode {
            content,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
        });
        (nodes.len() - 1) as TreeIndex
    }

    fn handle(&self, index: TreeIndex, name: QualName, holds_html: bool) -> Rc<Handle> {
        self.live_handles.set(self.live_handles.get() + 1);
        Rc::new(Handle {
            index,
            name,
            holds_html,
            live_handles: Rc::clone(&self.live_handles),
        })
    }

    fn unnamed_handle(&self, index: TreeIndex) -> Rc<Handle> {
        self.handle(index, QualName::new(None, ns!(), local_name!("")), false)
    }

    pub(super) fn charge(&self, steps: u64) {
        self.work.set(self.work.get() + steps);
    }

    /// Charges for a new element.
    fn charge_element(&self, name: &QualName, attributes: &[Attribute]) {
        let number = attributes.len() as u64;
        let values: usize = attributes.iter().map(|a| a.name.local.len() + a.value.len()).sum();
        let size = values as u64 + number * size_of::<Attribute>() as u64;
        self.attribute_bytes.set(self.attribute_bytes.get() + size);
        // html5ever compares a formatting element with all active ones. The sink does not see that.
        let live = self.live_handles.get();
        self.charge(4 + live / 4 + number);
        if Tag::from_name(name.local.as_bytes()).is_formatting() {
            self.largest_formatting
                .set(self.largest_formatting.get().max(64 + size));
            self.most_attributes.set(self.most_attributes.get().max(number));
            // It copies and sorts the attributes of both for that. The charge above includes a few attributes.
            let many = number.saturating_sub(4) + self.most_attributes.get().saturating_sub(4);
            self.charge(4 * live * many);
        }
    }

    fn detach(&self, index: TreeIndex) {
        let nodes = &mut *self.nodes.borrow_mut();
        let TreeNode {
            parent, previous, next, ..
        } = nodes[index as usize];
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
        let node = &mut nodes[index as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Inserts a node or text below `parent`, before `next`. If `next` is `NONE`, it becomes the last child.
    fn insert(&self, parent: TreeIndex, next: TreeIndex, child: NodeOrText<Rc<Handle>>) {
        self.charge(1);
        let previous = {
            let nodes = self.nodes.borrow();
            if next == NONE {
                nodes[parent as usize].last
            } else {
                nodes[next as usize].previous
            }
        };
        let index = match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.index);
                node.index
            }
            NodeOrText::AppendText(text) => {
                if previous != NONE
                    && let NodeData::Text(before) = &mut self.nodes.borrow_mut()[previous as usize].content
                {
                    return before.push_tendril(&text);
                }
                self.add(NodeData::Text(text))
            }
        };
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[index as usize];
        (node.parent, node.previous, node.next) = (parent, previous, next);
        match previous {
            NONE => nodes[parent as usize].first = index,
            _ => nodes[previous as usize].next = index,
        }
        match next {
            NONE => nodes[parent as usize].last = index,
            _ => nodes[next as usize].previous = index,
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
        self.unnamed_handle(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Handle>) -> Name<'a> {
        self.charge(1);
        Name(&target.name)
    }

    fn same_node(&self, x: &Rc<Handle>, y: &Rc<Handle>) -> bool {
        self.charge(1);
        x.index == y.index
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Rc<Handle> {
        self.charge_element(&name, &attributes);
        let index = self.add(NodeData::Element(name.clone(), attributes));
        self.handle(index, name, flags.mathml_annotation_xml_integration_point)
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Rc<Handle>) -> bool {
        target.holds_html
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Handle> {
        // A comment separates two texts. It makes no node of the `Dom`.
        self.unnamed_handle(self.add(NodeData::Nothing))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Handle> {
        self.unnamed_handle(self.add(NodeData::Nothing))
    }

    fn append(&self, parent: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        self.insert(parent.index, NONE, child);
    }

    fn append_before_sibling(&self, sibling: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        let parent = self.nodes.borrow()[sibling.index as usize].parent;
        if parent != NONE {
            self.insert(parent, sibling.index, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Rc<Handle>, previous: &Rc<Handle>, child: NodeOrText<Rc<Handle>>) {
        if self.nodes.borrow()[element.index as usize].parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn get_template_contents(&self, target: &Rc<Handle>) -> Rc<Handle> {
        Rc::clone(target)
    }

    fn add_attrs_if_missing(&self, target: &Rc<Handle>, attributes: Vec<Attribute>) {
        if let NodeData::Element(_, present) = &mut self.nodes.borrow_mut()[target.index as usize].content {
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
        self.detach(target.index);
    }

    fn reparent_children(&self, node: &Rc<Handle>, new_parent: &Rc<Handle>) {
        loop {
            let child = self.nodes.borrow()[node.index as usize].first;
            if child == NONE {
                return;
            }
            self.detach(child);
            self.insert(
                new_parent.index,
                NONE,
                NodeOrText::AppendNode(self.unnamed_handle(child)),
            );
        }
    }
}
