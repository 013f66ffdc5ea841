//! The kinds of units between kept blocks.

use std::collections::HashMap;
use std::ops::Range;

use dehusk_html::Tag;
use dehusk_html::rendering;

use super::Tree;
use crate::blocks::NONE;

/// The kind of a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    /// A table of data.
    Table,
    /// A quote or definitions.
    Group,
    /// A list, or rows of a table of data.
    Items,
    /// A paragraph, an item or a heading.
    Text,
    /// A callout: a note or a warning apart from the text.
    Callout,
    /// A text that is left of an element that ends in a kept unit.
    Rest,
    Other,
}

impl Kind {
    fn of(tree: Tree<'_>, element: u32) -> Self {
        let is_in_data = || tree.tables.is_in_data(element);
        match tree.blocks.elements[element as usize].tag {
            Tag::Pre => Self::Code,
            Tag::Table if is_in_data() && !leads_on(tree, element) => Self::Table,
            Tag::Tr | Tag::Thead | Tag::Tbody | Tag::Tfoot if is_in_data() => Self::Items,
            Tag::Blockquote | Tag::Dl | Tag::Dt | Tag::Dd => Self::Group,
            Tag::Ul | Tag::Ol => Self::Items,
            Tag::P | Tag::Li => Self::Text,
            tag if tag.is_heading() => Self::Text,
            _ => Self::Other,
        }
    }
}

/// Whether a table leads to the pages before and above this one, as in manuals. A link to the next page may be one of
/// many in a table of data.
fn leads_on(tree: Tree<'_>, table: u32) -> bool {
    const PAGES: [&str; 4] = ["prev", "previous", "up", "start"];
    let is_page = |rel: &str| PAGES.iter().any(|page| rel.eq_ignore_ascii_case(page));
    let dom = tree.dom;
    dom.subtree(tree.blocks.elements[table as usize].node)
        .filter(|id| dom.node(*id).tag == Tag::A)
        .any(|id| {
            dom.attribute(id, "rel")
                .is_some_and(|rel| rel.split_ascii_whitespace().any(is_page))
        })
}

/// The kind of a unit, of which these blocks are looked at.
pub(super) fn of_unit(tree: Tree<'_>, unit: u32, blocks: &Range<usize>) -> Kind {
    let tag = tree.blocks.elements[unit as usize].tag;
    let is_wrapper = matches!(tag, Tag::Div | Tag::Section | Tag::Figure | Tag::Aside | Tag::Details);
    if (is_wrapper || tag == Tag::Table) && is_code(tree, unit, blocks) {
        return Kind::Code;
    }
    match Kind::of(tree, unit) {
        Kind::Other if is_wrapper && is_callout(tree, unit) => Kind::Callout,
        Kind::Other if matches!(tag, Tag::Div | Tag::Section | Tag::Figure) => inside(tree, unit, blocks),
        kind => kind,
    }
}

/// Whether each of a unit's blocks is in code, in a table of code or in a caption, and not all are captions.
fn is_code(tree: Tree<'_>, unit: u32, blocks: &Range<usize>) -> bool {
    let unit_parent = tree.blocks.elements[unit as usize].parent;
    let mut has_code = false;
    // Many blocks may be in one table.
    let mut asked = HashMap::new();
    let mut is_code_table = |table: u32, node| {
        *asked
            .entry(table)
            .or_insert_with(|| rendering::is_code_table(tree.dom, node))
    };
    for block in &tree.blocks.blocks[blocks.clone()] {
        let mut element = block.element;
        let is_caption = loop {
            if element == unit_parent || element == NONE {
                return false;
            }
            let around = &tree.blocks.elements[element as usize];
            match around.tag {
                Tag::Pre => break false,
                Tag::Table if is_code_table(element, around.node) => break false,
                Tag::Figcaption | Tag::Caption => break true,
                _ => element = around.parent,
            }
        };
        has_code |= !is_caption;
    }
    has_code
}

/// Whether the class of an element marks it as a callout. Notices about cookies and the like have such classes, too.
fn is_callout(tree: Tree<'_>, element: u32) -> bool {
    const NOTICES: [&str; 6] = ["cookie", "consent", "gdpr", "newsletter", "subscribe", "dismiss"];
    let node = tree.blocks.elements[element as usize].node;
    let is_notice = |classes: &str| NOTICES.iter().any(|notice| classes.contains(notice));
    rendering::is_callout(tree.dom, node) && !tree.dom.attribute(node, "class").is_some_and(|class| is_notice(&class))
}

/// Whether some blocks are one text: a paragraph or a caption.
pub(super) fn is_text(tree: Tree<'_>, blocks: &Range<usize>) -> bool {
    let tag = tree.tag(tree.paragraph(blocks.start));
    blocks.len() == 1 && matches!(tag, Some(Tag::P | Tag::Figcaption | Tag::Caption))
}

/// The kind of the only thing in an element that wraps it, if it is code, a table, a list or a quote.
fn inside(tree: Tree<'_>, wrapper: u32, blocks: &Range<usize>) -> Kind {
    let mut element = tree.paragraph(blocks.start);
    let mut kind = Kind::Other;
    while element != wrapper && element != NONE {
        let own = Kind::of(tree, element);
        if tree.holds(element, blocks.end - 1) && !matches!(own, Kind::Text | Kind::Other) {
            kind = own;
        }
        element = tree.above(element);
    }
    kind
}
