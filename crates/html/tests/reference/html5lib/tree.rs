//! Trees for comparing a parser's result with that of a case: without comments, doctypes and white space.

use std::collections::BTreeMap;

use dehusk_html::references::decode_attribute;
use dehusk_html::{Attributes, Dom, NodeId, Tag, render_text, text_of};

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Element(Element),
    Text(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Node>,
}

impl Element {
    fn push_text(&mut self, text: &str) {
        let text = text.split_whitespace();
        let merged = match self.children.last_mut() {
            Some(Node::Text(before)) => before,
            _ => {
                let text: String = text.collect();
                return if !text.is_empty() {
                    self.children.push(Node::Text(text));
                };
            }
        };
        merged.extend(text);
    }

    /// The tree without the elements whose names are dropped. Their content takes their place.
    pub fn without(&self, is_dropped: &impl Fn(&str) -> bool) -> Element {
        let mut element = Element {
            children: Vec::new(),
            ..self.clone()
        };
        self.children
            .iter()
            .for_each(|child| child.append_to(&mut element, is_dropped));
        element
    }

    /// All element names and all characters of text, sorted, so that their places do not matter.
    pub fn parts(&self) -> (Vec<&str>, Vec<char>) {
        let (mut names, mut characters) = (vec![self.name.as_str()], Vec::new());
        for child in &self.children {
            match child {
                Node::Text(text) => characters.extend(text.chars()),
                Node::Element(element) => {
                    let (more_names, more_characters) = element.parts();
                    names.extend(more_names);
                    characters.extend(more_characters);
                }
            }
        }
        names.sort_unstable();
        characters.sort_unstable();
        (names, characters)
    }

    /// Whether the tree has an element of this name.
    pub fn holds(&self, name: &str) -> bool {
        self.name == name
            || self.children.iter().any(|child| match child {
                Node::Element(element) => element.holds(name),
                Node::Text(_) => false,
            })
    }

    pub fn without_attributes(&self) -> Element {
        self.with(&|element| element.attributes.clear(), &|_| true)
    }

    pub fn without_characters(&self, left_out: &str) -> Element {
        self.with(&|_| {}, &|c| !left_out.contains(c))
    }

    fn with(&self, change: &impl Fn(&mut Element), keep: &impl Fn(char) -> bool) -> Element {
        let mut changed = Element {
            children: Vec::new(),
            ..self.clone()
        };
        change(&mut changed);
        for child in &self.children {
            match child {
                Node::Element(element) => changed.children.push(Node::Element(element.with(change, keep))),
                Node::Text(text) => changed.push_text(&text.chars().filter(|c| keep(*c)).collect::<String>()),
            }
        }
        changed
    }
}

impl Node {
    fn append_to(&self, parent: &mut Element, is_dropped: &impl Fn(&str) -> bool) {
        match self {
            Node::Text(text) => parent.push_text(text),
            Node::Element(element) if is_dropped(&element.name) => {
                element
                    .children
                    .iter()
                    .for_each(|child| child.append_to(parent, is_dropped));
            }
            Node::Element(element) => parent.children.push(Node::Element(element.without(is_dropped))),
        }
    }
}

/// The tree of a case's `#document` section.
pub fn expected(document: &str) -> Element {
    let mut items: Vec<String> = Vec::new();
    for line in document.lines() {
        match (line.strip_prefix("| "), items.last_mut()) {
            (Some(item), _) => items.push(item.to_owned()),
            (None, Some(before)) => before.extend(["\n", line]),
            (None, None) => {}
        }
    }
    let mut open = vec![Element::default()];
    for item in &items {
        let content = item.trim_start_matches(' ');
        let depth = (item.len() - content.len()) / 2;
        close_to(&mut open, depth + 1);
        let parent = open.last_mut().unwrap();
        let content = content.trim_end_matches('\n');
        if content.starts_with("<!") || content.starts_with("<?") {
            continue;
        } else if let Some(text) = content.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            parent.push_text(text);
        } else if let Some((name, value)) = content.strip_suffix('"').and_then(|rest| rest.split_once("=\"")) {
            parent.attributes.insert(attribute_name(name), value.to_owned());
        } else {
            let name = content.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
            let name = name.unwrap_or(content);
            let local = name.strip_prefix("svg ").or_else(|| name.strip_prefix("math "));
            open.push(Element {
                name: local.unwrap_or(name).to_ascii_lowercase(),
                ..Element::default()
            });
        }
    }
    close_to(&mut open, 1);
    // The line for the content of a template is no element.
    root(open.swap_remove(0).without(&|name| name == "content"))
}

/// An attribute with a namespace is written with a space in the cases, and with a colon in pages.
fn attribute_name(name: &str) -> String {
    name.replacen(' ', ":", 1).to_ascii_lowercase()
}

fn close_to(open: &mut Vec<Element>, depth: usize) {
    while open.len() > depth {
        let element = open.pop().unwrap();
        open.last_mut().unwrap().children.push(Node::Element(element));
    }
}

fn root(document: Element) -> Element {
    let mut elements = document.children.into_iter().filter_map(|child| match child {
        Node::Element(element) => Some(element),
        Node::Text(_) => None,
    });
    elements.next().unwrap_or_default()
}

/// The tree that a parser made.
pub fn of(dom: &Dom<'_>) -> Element {
    element(dom, 0)
}

fn element(dom: &Dom<'_>, id: NodeId) -> Element {
    let tag = dom.node(id).tag;
    let name = if tag == Tag::Other { dom.name(id) } else { tag.name() };
    let mut element = Element {
        name: name.replace('\0', "\u{fffd}").to_ascii_lowercase(),
        ..Element::default()
    };
    for (name, value) in Attributes::new(dom.raw(id)) {
        // The first attribute of a name counts.
        let value = decode_attribute(value).replace("\r\n", "\n").replace('\0', "\u{fffd}");
        let name = name.replace('\0', "\u{fffd}").to_ascii_lowercase();
        element.attributes.entry(name).or_insert(value);
    }
    for child in dom.children(id) {
        match dom.node(child).tag {
            Tag::RawText => element.push_text(&dom.raw(child).replace('\0', "\u{fffd}")),
            Tag::Text => element.push_text(&text_of(dom, child)),
            _ => element.children.push(Node::Element(self::element(dom, child))),
        }
    }
    element
}

/// The view that extractors have of a tree: the paragraphs of text, and the characters with the start and end of links
/// marked.
pub fn seen(dom: &Dom<'_>) -> (String, String) {
    let (mut paragraphs, mut links) = (String::new(), String::new());
    render_text(dom, &[dom.subtree(dom.body())], &[], &mut paragraphs);
    let (mut id, mut linked_to, mut was_linked) = (dom.body(), 0, false);
    while id < dom.node(dom.body()).end {
        let node = dom.node(id);
        if node.tag.is_hidden() {
            id = node.end;
            continue;
        }
        if node.tag == Tag::A {
            linked_to = linked_to.max(node.end);
        }
        if node.tag == Tag::Text {
            if was_linked != (id < linked_to) {
                was_linked = !was_linked;
                links.push('|');
            }
            links.extend(text_of(dom, id).split_whitespace());
        }
        id += 1;
    }
    (paragraphs, links)
}
