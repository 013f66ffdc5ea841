//! A page as a plain tree of what is visible in its body.

use std::collections::BTreeSet;

use super::masks::masked;
use dehusk_extract::Selection;
use dehusk_extract::strip::{Forms, Links};
use dehusk_html::counting::is_cjk;
use dehusk_html::{Dom, NodeId, Tag, text_of};

/// An element or a text.
pub struct Node {
    /// Its place in the DOM.
    pub id: NodeId,
    pub tag: Tag,
    /// The collapsed text; empty for elements.
    pub text: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// An `a` with `href`, or any.
    pub link: bool,
    /// A hyperlink in the sense of CETD: a link, a button or a drop-down list.
    pub control: bool,
}

/// The nodes in document order. The first is the body.
pub struct Tree(pub Vec<Node>);

/// How a page is read.
#[derive(Clone, Copy)]
pub struct Reading {
    /// How the elements of forms are read.
    pub forms: Forms,
    /// An `a` without `href` is a link, too.
    pub any_anchor: bool,
    /// Hidden elements are ignored.
    pub hidden: bool,
    /// Statements of at most so many words are ignored.
    pub statement_words: Option<usize>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            forms: Forms::Keep,
            any_anchor: false,
            hidden: false,
            statement_words: None,
        }
    }
}

impl Reading {
    pub fn new(forms: Forms, links: Links) -> Self {
        Self {
            forms,
            any_anchor: links == Links::Anchors,
            ..Self::default()
        }
    }
}

impl Tree {
    /// The visible body of a page. Empty for a page without a body.
    pub fn new(dom: &Dom<'_>, reading: Reading) -> Self {
        let mut tree = Self(Vec::new());
        if !dom.is_empty() {
            tree.add(dom, dom.body(), None, reading, &masked(dom, reading));
        }
        tree
    }

    fn add(&mut self, dom: &Dom<'_>, id: NodeId, parent: Option<usize>, reading: Reading, masked: &BTreeSet<NodeId>) {
        let tag = dom.node(id).tag;
        let attribute = |name| dom.attribute(id, name).map(|value| value.trim().to_lowercase());
        let link = tag == Tag::A && (reading.any_anchor || attribute("href").is_some());
        let button = attribute("type").is_some_and(|kind| ["submit", "reset", "button", "image"].contains(&&*kind));
        let at = self.0.len();
        self.0.push(Node {
            id,
            tag,
            text: if tag.is_text() { text_of(dom, id) } else { String::new() },
            parent,
            children: Vec::new(),
            link,
            control: link || matches!(tag, Tag::Button | Tag::Select) || (tag == Tag::Input && button),
        });
        if let Some(parent) = parent {
            self.0[parent].children.push(at);
        }
        for child in dom.children(id) {
            if !masked.contains(&child) {
                self.add(dom, child, Some(at), reading, masked);
            }
        }
    }

    pub fn node(&self, at: usize) -> &Node {
        &self.0[at]
    }

    pub fn is_text(&self, at: usize) -> bool {
        self.0[at].tag.is_text()
    }

    /// A node and all below it.
    pub fn subtree(&self, at: usize) -> Vec<usize> {
        let mut all = vec![at];
        for child in &self.0[at].children {
            all.extend(self.subtree(*child));
        }
        all
    }

    /// The texts of a subtree.
    pub fn texts(&self, at: usize) -> Vec<usize> {
        self.subtree(at).into_iter().filter(|at| self.is_text(*at)).collect()
    }

    /// A node's ancestors, from the inside out.
    pub fn ancestors(&self, at: usize) -> Vec<usize> {
        std::iter::successors(self.0[at].parent, |at| self.0[*at].parent).collect()
    }

    /// Whether a node is inside an element of some kind.
    pub fn is_in(&self, at: usize, kind: impl Fn(&Node) -> bool) -> bool {
        self.ancestors(at).into_iter().any(|at| kind(&self.0[at]))
    }

    pub fn words(&self, at: usize) -> usize {
        self.texts(at).into_iter().map(|text| words(&self.0[text].text)).sum()
    }

    pub fn chars(&self, at: usize) -> usize {
        let texts = self.texts(at).into_iter();
        texts.map(|text| self.0[text].text.chars().count()).sum()
    }

    /// The texts of this tree that a selection keeps, as places in the DOM.
    pub fn kept_by(&self, selection: &Selection) -> BTreeSet<NodeId> {
        let all = self.0.iter().filter(|node| node.tag.is_text());
        all.map(|node| node.id).filter(|id| selection.contains(*id)).collect()
    }

    /// The texts of some subtrees, as places in the DOM.
    pub fn kept(&self, roots: &[usize]) -> BTreeSet<NodeId> {
        let texts = roots.iter().flat_map(|root| self.texts(*root));
        texts.map(|at| self.0[at].id).collect()
    }
}

/// A word is a run of characters with a letter or digit in it; a Chinese or Japanese character is a word.
pub fn words(text: &str) -> usize {
    let in_run = |run: &str| {
        let cjk = run.chars().filter(|c| is_cjk(*c)).count();
        cjk + run
            .split(is_cjk)
            .filter(|part| part.contains(char::is_alphanumeric))
            .count()
    };
    text.split_whitespace().map(in_run).sum()
}
