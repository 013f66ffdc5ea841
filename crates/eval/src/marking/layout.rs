//! How a page shows its blocks: headings, lists, tables and the like, by names of a closed list. Nothing else of a page's
//! markup is taken over, so its output never contains markup of the page.

use dehusk_extract::fusion::training::PageBlocks;
use dehusk_html::rendering::push_shown;
use dehusk_html::{Dom, NodeId, Tag};

/// Most looks inside one another. A deeper element looks like the one around it.
const DEEPEST: u8 = 32;

/// The texts of a page's blocks, with what gives them their look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The first is the page. Each other one comes after the one around it.
    pub looks: Vec<Look>,
    /// The texts, in order.
    pub texts: Vec<ShownText>,
}

/// An element that gives what is in it a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// The look around it; its own number for the page.
    pub around: u32,
    /// The tag's name, or that of a tag that looks alike; `""` for the page.
    pub name: &'static str,
}

/// A text of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownText {
    /// The number of the block.
    pub block: u32,
    /// The number of the innermost look around the text.
    pub look: u32,
    /// The text with the white space before it, collapsed but in preformatted text.
    pub text: String,
}

impl Layout {
    /// The layout of the blocks of a page.
    pub(super) fn of(dom: &Dom<'_>, cut: &PageBlocks) -> Self {
        let mut looks = Looks::new(dom);
        let mut texts = Vec::new();
        for block in 0..cut.len() {
            let mut before = None;
            for id in cut.texts(block) {
                let from = before.map_or(*id, |before| before + 1);
                before = Some(*id);
                let look = looks.around(dom.node(*id).parent);
                let mut text = String::new();
                push_shown(dom, from, *id, looks.found[look as usize].is_preformatted, &mut text);
                let block = block as u32;
                texts.push(ShownText { block, look, text });
            }
        }
        Self {
            looks: looks.found.iter().map(|found| found.look).collect(),
            texts,
        }
    }
}

/// The looks of a page, as far as they were asked for.
struct Looks<'d, 'p> {
    dom: &'d Dom<'p>,
    found: Vec<Found>,
    /// The innermost look of each node that was passed.
    of_nodes: Vec<Option<u32>>,
    passed: Vec<NodeId>,
}

struct Found {
    look: Look,
    depth: u8,
    is_preformatted: bool,
}

impl<'d, 'p> Looks<'d, 'p> {
    fn new(dom: &'d Dom<'p>) -> Self {
        let page = Found {
            look: Look { around: 0, name: "" },
            depth: 0,
            is_preformatted: false,
        };
        Self {
            dom,
            found: vec![page],
            of_nodes: vec![None; dom.len() as usize],
            passed: Vec::new(),
        }
    }

    /// The look of what is in an element. Each element is passed once, however many texts are in it.
    fn around(&mut self, element: NodeId) -> u32 {
        let mut at = element;
        let mut look = loop {
            if let Some(look) = self.of_nodes[at as usize] {
                break look;
            }
            self.passed.push(at);
            let parent = self.dom.node(at).parent;
            if parent == at {
                break 0;
            }
            at = parent;
        };
        while let Some(element) = self.passed.pop() {
            look = self.inside(element, look);
            self.of_nodes[element as usize] = Some(look);
        }
        look
    }

    fn inside(&mut self, element: NodeId, around: u32) -> u32 {
        let outer = &self.found[around as usize];
        let name = name(self.dom.node(element).tag).filter(|_| outer.depth < DEEPEST);
        let Some(name) = name else { return around };
        let found = Found {
            look: Look { around, name },
            depth: outer.depth + 1,
            is_preformatted: outer.is_preformatted || name == "pre",
        };
        self.found.push(found);
        self.found.len() as u32 - 1
    }
}

/// The name of the look that a tag gives, if it gives any.
fn name(tag: Tag) -> Option<&'static str> {
    Some(match tag {
        Tag::A => "a",
        Tag::B | Tag::Strong => "b",
        Tag::Blockquote => "blockquote",
        Tag::Caption | Tag::Figcaption => "caption",
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => "code",
        Tag::Dd => "dd",
        Tag::Del | Tag::S | Tag::Strike => "del",
        Tag::Dt => "dt",
        Tag::Em | Tag::I | Tag::Cite | Tag::Var => "i",
        Tag::H1 => "h1",
        Tag::H2 => "h2",
        Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => "h3",
        Tag::Li => "li",
        Tag::Ol => "ol",
        Tag::Pre | Tag::Listing | Tag::Xmp => "pre",
        Tag::Sub => "sub",
        Tag::Sup => "sup",
        Tag::Table => "table",
        Tag::Td => "td",
        Tag::Th => "th",
        Tag::Tr => "tr",
        Tag::Ul | Tag::Menu | Tag::Dir => "ul",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    fn layout(page: &str) -> Layout {
        let dom = parse(page, Buffers::default());
        let mut cut = PageBlocks::default();
        cut.cut(&dom);
        Layout::of(&dom, &cut)
    }

    /// The names of the looks around a text, the outermost first.
    fn path(layout: &Layout, mut look: u32) -> String {
        let mut names = Vec::new();
        while look != 0 {
            let Look { around, name } = layout.looks[look as usize];
            names.insert(0, name);
            look = around;
        }
        names.join(" ")
    }

    #[test]
    fn texts_have_their_looks_and_the_white_space_between_them() {
        let layout = layout("<div><ul><li>One <b>two</b> <a href=x>three</a>!</ul><pre>a\n  <i>b</i></pre></div>");
        let shown = |text: &ShownText| (text.block, path(&layout, text.look), text.text.clone());
        let expected = [
            (0, "ul li", "One"),
            (0, "ul li b", " two"),
            (0, "ul li a", " three"),
            (0, "ul li", "!"),
            (1, "pre", "a"),
            (1, "pre i", "\n  b"),
        ];
        let expected = expected.map(|(block, path, text)| (block, path.to_owned(), text.to_owned()));
        assert_eq!(layout.texts.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ten_thousand_nested_quotes_are_shown_as_a_few() {
        let layout = layout(&format!("{}deep", "<blockquote>".repeat(10_000)));
        assert_eq!(layout.texts.len(), 1);
        assert_eq!(
            path(&layout, layout.texts[0].look).split(' ').count(),
            usize::from(DEEPEST)
        );
    }
}
