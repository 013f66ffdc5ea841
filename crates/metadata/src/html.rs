//! Plain elements: headings, the `title` element, links to the page's own address.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use dehusk_html::rendering::render_bare;
use dehusk_html::{Dom, NodeId, Tag, text_of};
use memchr::memmem::Finder;

use super::evidence::{Claims, Field, LONGEST, Source, clean};
use super::json_ld::Scripts;
use super::meta::Metas;

/// The most headings that are kept. The title is one of the first.
const MOST_HEADINGS: usize = 12;

/// A heading that may be the page's title.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) id: NodeId,
    pub(super) text: String,
    /// The text of its first element, or before it, if more follows.
    pub(super) first: String,
    /// Its text before anything else, if more follows.
    pub(super) start: String,
}

/// The results of one pass over a page.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) claims: Claims,
    pub(super) headings: Vec<Heading>,
}

/// Whether elements with each tag are read. Most are not, and this is one look at each.
static IS_READ: [bool; Tag::ALL.len()] = {
    let mut is_read = [false; Tag::ALL.len()];
    is_read[Tag::Meta as usize] = true;
    is_read[Tag::Script as usize] = true;
    is_read[Tag::Link as usize] = true;
    is_read[Tag::H1 as usize] = true;
    is_read
};

/// Reads a page once.
pub(super) fn collect(dom: &Dom<'_>) -> Collected {
    let mut found = Collected::default();
    let mut scripts = Scripts::default();
    read_elements(dom, &mut found, |id, claims| scripts.read(dom, id, claims));
    found
}

/// Reads the titles, headings and images that a page states. Its scripts are read unless `is_named` finds that
/// the other claims name the image.
pub(super) fn collect_titles_and_images(dom: &Dom<'_>, is_named: impl Fn(&Claims) -> bool) -> Collected {
    let mut found = Collected {
        claims: Claims::only(&[Field::Title, Field::Image]),
        headings: Vec::new(),
    };
    let mut scripts = Vec::new();
    read_elements(dom, &mut found, |id, _| scripts.push(id));
    if !is_named(&found.claims) {
        let mut read = Scripts::default();
        scripts.iter().for_each(|id| read.read(dom, *id, &mut found.claims));
    }
    found
}

fn read_elements(dom: &Dom<'_>, found: &mut Collected, mut read_script: impl FnMut(NodeId, &mut Claims)) {
    let (mut metas, mut lengths) = (Metas::default(), Lengths::default());
    for (id, node) in (0..).zip(dom.nodes()) {
        if !IS_READ[node.tag as usize] {
            continue;
        }
        match node.tag {
            Tag::Meta => metas.read(dom, id, &mut found.claims),
            Tag::Script => read_script(id, &mut found.claims),
            Tag::Link => read_link(dom, id, &mut found.claims),
            Tag::H1 => read_heading(dom, id, &mut lengths, &mut found.headings),
            _ => {}
        }
    }
    if let Some(title) = dom.title() {
        found.claims.add(Field::Title, Source::TitleElement, 0, &title);
    }
}

/// Words in the attributes of the links that matter. Most links have neither.
static CANONICAL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("canonical"));
static IMAGE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("image_src"));

fn read_link(dom: &Dom<'_>, id: NodeId, claims: &mut Claims) {
    let raw = dom.raw(id).as_bytes();
    if CANONICAL.find(raw).is_some() {
        let is_canonical = dom
            .attribute(id, "rel")
            .is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"));
        if let Some(href) = dom.attribute(id, "href").filter(|_| is_canonical) {
            claims.add(Field::Canonical, Source::Link, 0, &href);
        }
    } else if IMAGE.find(raw).is_some()
        && let Some(href) = dom.attribute(id, "href")
    {
        claims.add(Field::Image, Source::Link, 0, &href);
    }
}

/// The text of a heading without its buttons, and without words for those who hear the page.
fn shown_text(dom: &Dom<'_>, id: NodeId) -> String {
    let inside = id + 1..dom.node(id).end;
    let asides = inside.filter(|id| is_aside(dom, *id)).map(|aside| dom.subtree(aside));
    // One aside can be within another.
    let mut masked: Vec<Range<NodeId>> = Vec::new();
    for aside in asides {
        if masked.last().is_none_or(|last| last.end <= aside.start) {
            masked.push(aside);
        }
    }
    let mut shown = String::new();
    if !masked.is_empty() {
        render_bare(dom, &[dom.subtree(id)], &masked, &mut shown);
        shown = clean(&shown);
    }
    if shown.is_empty() {
        clean(&text_of(dom, id))
    } else {
        shown
    }
}

/// Whether an element is a button, or is only heard.
fn is_aside(dom: &Dom<'_>, id: NodeId) -> bool {
    let tag = dom.node(id).tag;
    let is_heard = |class: &str| HEARD.contains(&class);
    tag == Tag::Button
        || !tag.is_text()
            && dom
                .attribute(id, "class")
                .is_some_and(|class| class.split_ascii_whitespace().any(is_heard))
}

/// The classes of elements that are only heard.
const HEARD: [&str; 4] = ["visually-hidden", "visuallyhidden", "sr-only", "screen-reader-text"];

/// The numbers of characters of texts in headings. A heading can be in many others, and the texts of a page need not be
/// counted.
#[derive(Debug, Default)]
struct Lengths(HashMap<NodeId, u32>);

impl Lengths {
    /// Whether a heading is longer than what is kept. Texts after that are not counted, and each text is counted once.
    fn is_too_long(&mut self, dom: &Dom<'_>, heading: NodeId) -> bool {
        let mut texts = dom.subtree(heading).filter(|id| dom.node(*id).tag == Tag::Text);
        let mut chars = 0;
        texts.any(|text| {
            chars += *self.0.entry(text).or_insert_with(|| dom.chars(text..text + 1)) as usize;
            chars > LONGEST
        })
    }
}

fn read_heading(dom: &Dom<'_>, id: NodeId, lengths: &mut Lengths, headings: &mut Vec<Heading>) {
    // Counting comes first, so that no huge heading is rendered.
    if headings.len() == MOST_HEADINGS || lengths.is_too_long(dom, id) {
        return;
    }
    let text = shown_text(dom, id);
    if !text.is_empty() {
        let has_text = |child: &NodeId| dom.words(*child) > 0;
        let mut children = dom.children(id).filter(has_text);
        let first = children.next().filter(|_| children.next().is_some());
        let first = first.map(|first| clean(&text_of(dom, first))).unwrap_or_default();
        let mut texts = dom.subtree(id).filter(|id| dom.node(*id).tag == Tag::Text);
        let start = texts.next().filter(|_| texts.next().is_some());
        let start = start.map(|start| clean(&text_of(dom, start))).unwrap_or_default();
        headings.push(Heading { id, text, first, start });
    }
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, Limits, parse_uncounted};

    use super::*;

    #[test]
    fn texts_of_headings_within_headings_are_counted_once_and_as_far_as_headings_are_kept() {
        let text = "<b>words of a heading</b>".repeat(LONGEST);
        let page = format!("<body>{}{text}", "<h1>".repeat(200));
        let dom = parse_uncounted(&page, Buffers::default(), Limits::NONE).expect("a page");
        let (mut lengths, mut headings) = (Lengths::default(), Vec::new());
        for id in (0..dom.len()).filter(|id| dom.node(*id).tag == Tag::H1) {
            read_heading(&dom, id, &mut lengths, &mut headings);
        }
        assert!(headings.is_empty());
        assert_eq!(lengths.0.len(), LONGEST / "words of a heading".len() + 1);
    }
}
