//! Renders a selection of nodes: to plain text, to Markdown, and to XHTML.
//!
//! [`walk`] goes through the nodes and finds the form of the text: paragraphs, lines, lists, code, tables. It passes
//! what it finds to a [`writer`]. So every form of output comes from one reading of the page.
//!
//! - `walk`: the walk, with `role` (what each element means), `list`, `table`, `inline`, `math` and `mathml` for
//!   the elements that need more than a table, and `hints` for attributes.
//! - `collapse`: the text of single nodes. `source`: what the source has between nodes.
//! - `plain` and `markdown`: the writers. `marks` has the places of lists, tables and code in plain text.
//! - `posts`: the posts and comments of the page, with their authors and dates.
//! - `base`: what the addresses of links are relative to.
//! - `xhtml`: the structure of the page as XHTML.
//! - `annotated`: all of a page with a number, a class and a note for each node.

pub mod annotated;
pub mod base;
mod collapse;
mod footnotes;
mod hints;
mod inline;
mod language;
mod list;
mod markdown;
pub mod marks;
mod math;
mod mathml;
mod plain;
mod posts;
mod role;
mod source;
mod table;
mod walk;
mod writer;
pub mod xhtml;

use std::ops::Range;

pub use collapse::{NodeText, push_node};
pub use hints::{is_callout, is_code_table};

use crate::dom::{Dom, NodeFlags, NodeId, Tag};
use base::Base;
use markdown::{InlineParts, Markdown};
use marks::{Mark, Marks};
use plain::Plain;
use walk::{WalkOptions, write};

/// The form in which text is written.
///
/// ```
/// use dehusk_html::{Buffers, TextForm, parse, render};
///
/// let dom = parse("<h2>Tea</h2><p>1 < 2, says <a href=/b>Bo</a>", Buffers::default());
/// let form = TextForm::markdown().with_links(true).with_url("https://a.example/x");
/// let mut text = String::new();
/// render(&dom, &[dom.subtree(dom.body())], &[], form, &mut text);
/// assert_eq!(text, "## Tea\n\n1 \\< 2, says [Bo](https://a.example/b)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextForm<'u> {
    is_markdown: bool,
    parts: InlineParts,
    url: &'u str,
}

impl<'u> TextForm<'u> {
    /// Plain text.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Markdown: CommonMark with the tables of GFM.
    pub fn markdown() -> Self {
        Self {
            is_markdown: true,
            ..Self::default()
        }
    }

    /// Whether Markdown has links.
    #[must_use]
    pub fn with_links(mut self, links: bool) -> Self {
        self.parts.links = links;
        self
    }

    /// Whether Markdown has images.
    #[must_use]
    pub fn with_images(mut self, images: bool) -> Self {
        self.parts.images = images;
        self
    }

    /// The address of the page. It makes the addresses of links and images absolute.
    #[must_use]
    pub fn with_url(self, url: &'u str) -> Self {
        Self { url, ..self }
    }
}

/// Appends the text of `ranges`, without `masked`.
///
/// Both must be sorted and disjoint. Each is a range of one whole subtree, or of several adjacent subtrees. The gap
/// between two ranges is that of the page; text of the page between them is left out. The elements around a range give
/// it its form: a selected `li` is an item of its list, and a part of a `pre` is code. Scripts are left out.
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

/// Like [`render_text`], in another form.
pub fn render(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], form: TextForm<'_>, out: &mut String) {
    render_form(dom, ranges, masked, form, false, out);
}

/// Like [`render_text`], but with `scripts` the content of `script` elements is text, too.
pub fn render_with(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], scripts: bool, out: &mut String) {
    render_form(dom, ranges, masked, TextForm::plain(), scripts, out);
}

/// Like [`render`], but with `scripts` the content of `script` elements is text, too.
pub fn render_form(
    dom: &Dom,
    ranges: &[Range<NodeId>],
    masked: &[Range<NodeId>],
    form: TextForm<'_>,
    scripts: bool,
    out: &mut String,
) {
    let mut manner = WalkOptions {
        scripts,
        ..WalkOptions::default()
    };
    if !form.is_markdown {
        write(dom, ranges, masked, manner, Plain::new(out, true));
        return;
    }
    let wants_addresses = form.parts != InlineParts::default();
    let base = wants_addresses.then(|| Base::of_page(dom, form.url));
    manner.base = base.as_ref();
    manner.posts = true;
    write(dom, ranges, masked, manner, Markdown::new(out, form.parts));
}

/// Like [`render_with`], with where in the text its lists, tables, code and posts are.
pub fn render_marked(
    dom: &Dom,
    ranges: &[Range<NodeId>],
    masked: &[Range<NodeId>],
    scripts: bool,
    out: &mut String,
) -> Vec<Mark> {
    let manner = WalkOptions {
        scripts,
        posts: true,
        ..WalkOptions::default()
    };
    let plain = Plain::new(out, true).with_marks(Marks::default());
    write(dom, ranges, masked, manner, plain).into_marks()
}

/// Like [`render_with`], but without the markers of lists and tables, so that every word is one of the page.
pub fn render_words(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], scripts: bool, out: &mut String) {
    let manner = WalkOptions {
        scripts,
        ..WalkOptions::default()
    };
    write(dom, ranges, masked, manner, Plain::new(out, false));
}

/// The collapsed text of ranges, without their form: blocks are paragraphs, and the elements around the ranges do not
/// matter. So the work does not depend on the rest of the page.
pub fn render_bare(dom: &Dom, ranges: &[Range<NodeId>], masked: &[Range<NodeId>], out: &mut String) {
    let manner = WalkOptions {
        is_bare: true,
        ..WalkOptions::default()
    };
    write(dom, ranges, masked, manner, Plain::new(out, false));
}

/// The collapsed text of a subtree, even if it is an element that is not shown. Scripts are left out. Blocks are
/// paragraphs; lists, tables and code have no form of their own.
pub fn text_of(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    if dom.node(id).tag == Tag::Text {
        push_node(dom.source(), dom.node(id), &mut out);
        return out;
    }
    let inside = if dom.node(id).tag.is_hidden() {
        id + 1..dom.node(id).end
    } else {
        dom.subtree(id)
    };
    render_bare(dom, &[inside], &[], &mut out);
    out
}

/// Appends the text of a text node as it is shown, with the white space before it and before the nodes from `from` on:
/// collapsed, or in preformatted text with its spaces and line ends.
pub fn push_shown(dom: &Dom, from: NodeId, id: NodeId, is_preformatted: bool, out: &mut String) {
    let node = dom.node(id);
    if is_preformatted {
        (from..=id).for_each(|id| source::push_space_before(dom, id, out));
        source::push_verbatim(dom.raw(id), node.flags.has(NodeFlags::ENTITIES), out);
        return;
    }
    if (from..=id).any(|id| dom.node(id).flags.has(NodeFlags::SPACE_BEFORE)) {
        out.push(' ');
    }
    push_node(dom.source(), node, out);
}

impl Dom<'_> {
    /// The text of the first `title` element that is not empty and not in SVG. `None` if there is none.
    pub fn title(&self) -> Option<String> {
        let in_svg = |mut id: NodeId| {
            while id != 0 {
                id = self.node(id).parent;
                if self.node(id).tag == Tag::Svg {
                    return true;
                }
            }
            false
        };
        let titles = (0..self.len()).filter(|id| self.node(*id).tag == Tag::Title && !in_svg(*id));
        titles.map(|id| text_of(self, id)).find(|title| !title.is_empty())
    }
}
