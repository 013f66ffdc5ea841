//! Renders a selection of nodes: to plain text, and to XHTML.
//!
//! [`walk`] goes through the nodes and finds the form of the text: paragraphs, lines, lists, code, tables. It tells a
//! [`writer`] what it finds. So every form of output comes from one reading of the page.
//!
//! - `walk`: the walk, with `role` (what each element means), `list`, `table`, `code`, `inline` and `math` for the elements that
//!   need more than a table, and `hints` for what attributes say.
//! - `collapse`: the text of single nodes.
//! - `plain`: the writer of plain text.
//! - `xhtml`: the structure of the page as XHTML.

mod base;
mod code;
mod collapse;
mod hints;
mod inline;
mod list;
mod math;
mod plain;
mod role;
mod table;
mod walk;
mod writer;
pub mod xhtml;

use std::ops::Range;

pub use base::Base;
pub use collapse::{NodeText, push_node};

use crate::dom::{Dom, NodeId};
use plain::Plain;
use walk::{Manner, write};

/// Appends the text of `ranges`, without `masked`.
///
/// Both must be sorted and disjoint. Each is a range of one whole subtree, or of several adjacent subtrees. The gap between
/// two ranges is that of the page; text of the page between them is left out. The elements around a range give it its form: a
/// selected `li` is an item of its list, and a part of a `pre` is code. Scripts are left out.
///
/// ```
/// use dehusk_html::{Buffers, parse, render_text};
///
/// let dom = parse("<p>One <b>two</b><ul><li>three<li>four</ul>", Buffers::default());
/// let mut text = String::new();
/// render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
/// assert_eq!(text, "One two\n\n- three\n- four");
/// ```
pub fn render_text(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], out: &mut String) {
    render_with(dom, ranges, masked, false, out);
}

/// Like [`render_text`], but with `scripts` the content of `script` elements is text, too.
pub fn render_with(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], scripts: bool, out: &mut String) {
    let manner = Manner {
        scripts,
        ..Manner::default()
    };
    write(dom, ranges, masked, manner, Plain::new(out, true));
}

/// Like [`render_with`], but without the markers of lists and tables, so that every word is one of the page.
pub fn render_words(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], scripts: bool, out: &mut String) {
    let manner = Manner {
        scripts,
        ..Manner::default()
    };
    write(dom, ranges, masked, manner, Plain::new(out, false));
}

/// The collapsed text of a subtree, even if it is an element that is not shown. Scripts are left out. Blocks are paragraphs; lists,
/// tables and code have no form of their own.
pub fn text_of(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    let inside = if dom.node(id).tag.is_hidden() {
        id + 1..dom.node(id).end
    } else {
        dom.subtree(id)
    };
    let manner = Manner {
        is_bare: true,
        ..Manner::default()
    };
    write(dom, &[inside], &[], manner, Plain::new(&mut out, false));
    out
}
