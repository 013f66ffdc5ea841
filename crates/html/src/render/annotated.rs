//! Renders a whole page for people who look at what became of its nodes: XHTML in which every node has its number.
//!
//! Pages are hostile, so nothing is copied but text and four harmless attributes:
//!
//! - Element names are those of a list of elements that only structure text. Every other element becomes `div` or
//!   `span`. So there is no script, form, frame, link, image, style sheet or anything else that loads or runs.
//! - Of the page's attributes, only `lang`, `dir`, `colspan` and `rowspan` stay, with values that are checked.
//! - Elements that are never shown are dropped with their content, but for the page's title.
//!
//! The result is meant to be read by a parser of XML, which builds exactly the tree that is written here.

use std::ops::Range;

use super::role::Role;
use super::xhtml::{BlockContainers, clamped, escape, escape_lines};
use super::{collapse, source};
use crate::dom::tag::Tag;
use crate::dom::{Dom, Node, NodeFlags, NodeId};

/// The annotation that is written with a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Its classes, separated by spaces.
    pub class: String,
    /// A text about it, which becomes the attribute `data-note`. A node with a note can have the focus.
    pub note: String,
}

/// Appends all of a page as a well-formed XHTML fragment, with a class and a note for each node.
///
/// A node has the `id` `nN`, where N is its [`NodeId`]. Text nodes are `span` elements.
///
/// ```
/// use dehusk_html::{Annotation, Buffers, parse, render_annotated};
///
/// let dom = parse("<p onclick='x()'>One<script>x()</script>", Buffers::default());
/// let mut out = String::new();
/// render_annotated(&dom, |id| Annotation { class: format!("k{id}"), note: String::new() }, &mut out);
/// // The root, its head and its body come first.
/// assert!(out.contains("<p id=\"n3\" class=\"k3\"><span id=\"n4\" class=\"k4\">One</span></p>"), "{out}");
/// ```
pub fn render_annotated(dom: &Dom, annotation: impl FnMut(NodeId) -> Annotation, out: &mut String) {
    let all = 0..dom.len();
    let mut writer = AnnotatedWriter {
        dom,
        blocks: BlockContainers::of_all(dom.nodes()),
        annotation,
        out,
        open: Vec::new(),
        preformatted_end: 0,
        scratch: String::new(),
    };
    writer.write(all);
}

struct AnnotatedWriter<'d, 'p, 'o, A> {
    dom: &'d Dom<'p>,
    blocks: BlockContainers,
    annotation: A,
    out: &'o mut String,
    /// The ends and names of the open elements, innermost last.
    open: Vec<(NodeId, &'static str)>,
    /// Nodes before this one are in `pre` or the like.
    preformatted_end: NodeId,
    scratch: String,
}

impl<A: FnMut(NodeId) -> Annotation> AnnotatedWriter<'_, '_, '_, A> {
    fn write(&mut self, range: Range<NodeId>) {
        let mut id = range.start;
        while id < range.end {
            let node = &self.dom.nodes()[id as usize];
            self.close(id);
            if id < self.preformatted_end {
                self.scratch.clear();
                source::push_space_before(self.dom, id, &mut self.scratch);
                escape_lines(&self.scratch, self.out);
            } else if node.flags.has(NodeFlags::SPACE_BEFORE) {
                self.out.push(' ');
            }
            id = match node.tag {
                Tag::Text => {
                    self.text(id, node);
                    id + 1
                }
                Tag::Head => {
                    self.start(id, "div");
                    self.open.push((node.end, "div"));
                    id + 1
                }
                Tag::Title if id < self.dom.body() => {
                    self.element(id, node);
                    id + 1
                }
                tag if tag.is_hidden() => node.end,
                _ => {
                    self.element(id, node);
                    id + 1
                }
            };
        }
        self.close(NodeId::MAX);
    }

    /// Writes the end tags of the elements that end at or before `id`.
    fn close(&mut self, id: NodeId) {
        while let Some((_, name)) = self.open.pop_if(|(end, _)| *end <= id) {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
    }

    fn element(&mut self, id: NodeId, node: &Node) {
        if Role::from_tag(node.tag) == Role::Preformatted {
            self.preformatted_end = self.preformatted_end.max(node.end);
        }
        let name = name(node.tag, node.tag.is_block() || self.blocks.contains_block(id));
        self.start(id, name);
        if node.tag == Tag::Img {
            let alt = self.dom.attribute(id, "alt").unwrap_or_default();
            escape(alt.trim(), self.out);
        }
        self.open.push((node.end, name));
    }

    fn text(&mut self, id: NodeId, node: &Node) {
        self.start(id, "span");
        self.scratch.clear();
        if id < self.preformatted_end {
            let references = node.flags.has(NodeFlags::ENTITIES);
            source::push_verbatim(self.dom.raw(id), references, &mut self.scratch);
            escape_lines(&self.scratch, self.out);
        } else {
            collapse::push_node(self.dom.source(), node, &mut self.scratch);
            escape(&self.scratch, self.out);
        }
        self.out.push_str("</span>");
    }

    /// Writes a start tag.
    fn start(&mut self, id: NodeId, name: &str) {
        let Annotation { class, note } = (self.annotation)(id);
        self.out.push_str(&format!("<{name} id=\"n{id}\""));
        self.attribute("class", &class);
        if !note.is_empty() {
            self.attribute("data-note", &note);
            self.out.push_str(" tabindex=\"0\"");
        }
        if !self.dom.node(id).tag.is_text() {
            self.kept_attributes(id);
        }
        self.out.push('>');
    }

    fn attribute(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.out.push_str(&format!(" {name}=\""));
            escape(value, self.out);
            self.out.push('"');
        }
    }

    fn kept_attributes(&mut self, id: NodeId) {
        for name in ["colspan", "rowspan"] {
            let span = self.dom.attribute(id, name).and_then(|value| clamped(&value));
            self.attribute(name, &span.unwrap_or_default());
        }
        let is_tag = |value: &str| value.len() <= 35 && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let language = self.dom.attribute(id, "lang").filter(|value| is_tag(value));
        self.attribute("lang", &language.unwrap_or_default());
        let direction = self.dom.attribute(id, "dir").map(|value| value.to_ascii_lowercase());
        let direction = direction.filter(|value| matches!(value.as_str(), "ltr" | "rtl" | "auto"));
        self.attribute("dir", &direction.unwrap_or_default());
    }
}

/// The name of the element to write: its own, if it does nothing but structure text.
fn name(tag: Tag, is_block: bool) -> &'static str {
    match tag {
        Tag::Abbr
        | Tag::Address
        | Tag::Article
        | Tag::Aside
        | Tag::B
        | Tag::Bdi
        | Tag::Bdo
        | Tag::Blockquote
        | Tag::Br
        | Tag::Caption
        | Tag::Cite
        | Tag::Code
        | Tag::Dd
        | Tag::Del
        | Tag::Dfn
        | Tag::Div
        | Tag::Dl
        | Tag::Dt
        | Tag::Em
        | Tag::Figcaption
        | Tag::Figure
        | Tag::Footer
        | Tag::H1
        | Tag::H2
        | Tag::H3
        | Tag::H4
        | Tag::H5
        | Tag::H6
        | Tag::Header
        | Tag::Hr
        | Tag::I
        | Tag::Ins
        | Tag::Kbd
        | Tag::Li
        | Tag::Main
        | Tag::Mark
        | Tag::Nav
        | Tag::Ol
        | Tag::P
        | Tag::Pre
        | Tag::Q
        | Tag::Rp
        | Tag::Rt
        | Tag::Ruby
        | Tag::S
        | Tag::Samp
        | Tag::Section
        | Tag::Small
        | Tag::Span
        | Tag::Strong
        | Tag::Sub
        | Tag::Sup
        | Tag::Table
        | Tag::Tbody
        | Tag::Td
        | Tag::Tfoot
        | Tag::Th
        | Tag::Thead
        | Tag::Tr
        | Tag::U
        | Tag::Ul
        | Tag::Var
        | Tag::Wbr => tag.name(),
        _ if is_block => "div",
        _ => "span",
    }
}
