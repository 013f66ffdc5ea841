//! Small checks of elements. Each looks at a bounded number of nodes.

use super::role::{Gap, Role};
use crate::dom::tag::Tag;
use crate::dom::{Dom, Node, NodeId};

/// The most nodes that a question looks at.
const MOST: usize = 256;

/// The longest tag around other elements whose attributes are read. Each of these elements can ask for it again.
pub(super) const MOST_OF_TAG: usize = 1024;

fn inside(nodes: &[Node], id: NodeId) -> &[Node] {
    &nodes[id as usize + 1..nodes[id as usize].end as usize]
}

/// Whether an element may be written as one line: it is short, and all of its blocks are mere containers.
pub(super) fn is_one_line(nodes: &[Node], id: NodeId) -> bool {
    let inside = inside(nodes, id);
    let is_container = |node: &Node| match Role::from_tag(node.tag) {
        Role::Block => matches!(node.tag, Tag::Div | Tag::P | Tag::Header | Tag::Hgroup),
        role => role.border() < Gap::Paragraph,
    };
    inside.len() <= MOST && inside.iter().all(is_container)
}

/// Whether an element has neither blocks, line ends nor hidden content, and may have something written around it.
pub(super) fn is_inline(nodes: &[Node], id: NodeId) -> bool {
    let inside = inside(nodes, id);
    let is_inline = |node: &Node| match Role::from_tag(node.tag) {
        Role::Hidden => false,
        role => role.border() < Gap::Line,
    };
    !inside.is_empty() && inside.len() <= MOST && inside.iter().all(is_inline)
}

/// Whether an element may be written as bold or italic text: it has neither blocks nor hidden content.
pub(super) fn is_phrase(nodes: &[Node], id: NodeId) -> bool {
    let inside = inside(nodes, id);
    let is_phrase = |node: &Node| match Role::from_tag(node.tag) {
        Role::Hidden => false,
        role => role == Role::Break || role.border() < Gap::Line,
    };
    !inside.is_empty() && inside.len() <= MOST && inside.iter().all(is_phrase)
}

/// Whether a heading is among the first nodes of an element.
pub(super) fn has_heading(nodes: &[Node], id: NodeId) -> bool {
    inside(nodes, id).iter().take(MOST).any(|node| node.tag.is_heading())
}

/// The sibling before an element, or the parent if there is none.
pub(super) fn before(nodes: &[Node], id: NodeId) -> &Node {
    let parent = nodes[id as usize].parent;
    let mut before = id - 1;
    while before > parent && nodes[before as usize].parent != parent {
        before = nodes[before as usize].parent;
    }
    &nodes[before as usize]
}

/// Whether an element has a text.
pub(super) fn has_text(nodes: &[Node], id: NodeId) -> bool {
    inside(nodes, id).iter().take(MOST).any(|node| node.tag == Tag::Text)
}

/// Whether the reading of a character needs parentheses, because the page gives none for it.
pub(super) fn needs_parentheses(nodes: &[Node], id: NodeId) -> bool {
    has_text(nodes, id) && is_inline(nodes, id) && before(nodes, id).tag != Tag::Rp
}

/// The kind of a superscript.
pub(super) enum Superscript {
    /// A reference to a footnote.
    Note,
    /// A number above the line. It is short if it has one digit, or a sign.
    Power { is_short: bool },
    /// Letters, such as those of an ordinal number.
    Other,
}

pub(super) fn superscript(dom: &Dom<'_>, id: NodeId) -> Superscript {
    /// A reference to a footnote has a link and a text, and perhaps some elements around them.
    const MOST_OF_NOTE: NodeId = 6;
    let node = dom.node(id);
    let end = node.end.min(id + MOST_OF_NOTE);
    let Some(text) = (id..end).find(|id| dom.node(*id).tag == Tag::Text) else {
        return Superscript::Other;
    };
    let raw = dom.raw(text);
    let is_label = |c: char| c.is_ascii_digit() || matches!(c, '*' | '†' | '‡' | '§' | '¶');
    let is_note = text + 1 == node.end && raw.len() <= 4 && raw.chars().all(is_label);
    let is_link = |id: NodeId| {
        dom.node(id).tag == Tag::A
            && dom.raw(id).len() <= MOST_OF_TAG
            && dom.attribute(id, "href").is_some_and(|href| href.contains('#'))
    };
    if is_note && (is_link(node.parent) || (id..text).any(is_link)) {
        return Superscript::Note;
    }
    let digits = raw.trim_start_matches(['-', '−', '+']);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Superscript::Other;
    }
    Superscript::Power {
        is_short: digits.len() == 1 || digits.len() < raw.len(),
    }
}

/// Whether the number at the end of a text may have a power. Cents are above the line, too, so a longer power is one
/// of ten.
pub(super) fn takes_power(text: &str, is_short: bool) -> bool {
    let ends_with_digit = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    match text.strip_suffix("10").filter(|rest| !ends_with_digit(rest)) {
        Some(rest) => !rest.ends_with(['.', ',']),
        None => is_short && ends_with_digit(text),
    }
}

/// Whether a text consists of characters that are not shown: zero-width spaces and joiners, and marks of direction.
pub(super) fn is_invisible(text: &str) -> bool {
    let is_mark = |c| matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
    let is_direction = |c| matches!(c, '\u{202A}'..='\u{202E}');
    text.chars().all(|c| c.is_whitespace() || is_mark(c) || is_direction(c))
}

/// Whether a link is only a sign, which leads to where it is: the `¶` of a heading.
pub(super) fn is_permalink(dom: &Dom<'_>, id: NodeId) -> bool {
    let node = dom.node(id);
    if node.end != id + 2 || dom.node(id + 1).tag != Tag::Text {
        return false;
    }
    let is_sign = match dom.raw(id + 1).trim() {
        "¶" | "&para;" | "&#182;" | "\u{1F517}" => true,
        // In an index of letters it leads to the numbers.
        "#" => dom.node(node.parent).tag.is_heading(),
        _ => false,
    };
    is_sign
        && dom.raw(id).len() <= MOST_OF_TAG
        && dom
            .attribute(id, "href")
            .is_some_and(|href| href.trim_start().starts_with('#'))
}
