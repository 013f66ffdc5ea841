//! Finds the table of contents beside the text: links to places in the text, in a bar or after the text. One inside the
//! text is a part of it.

use std::collections::HashSet;

use dehusk_html::{Dom, NodeId, Tag};
use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::lexicon::{NAV, SIDE};
use crate::blocks::{Block, Blocks, Element};

/// Fewer blocks that link to places in the text are no table of contents.
const LEAST_LINKS: usize = 3;

/// The element of the text is the deepest one with at least this many tenths of the kept words, headings and links to places
/// aside, and with at least this many blocks of them.
const TENTHS: usize = 9;
const LEAST_BLOCKS: usize = 3;

/// The most nodes from a text to its link, both counted.
const MOST_AROUND: usize = 6;

/// Adds the blocks of such tables to those that are left out. `kept` has none of these yet.
pub(super) fn find(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool], left_out: &mut [bool]) {
    let mut links = Links { dom, last: None };
    let kept_blocks = (0..kept.len()).filter(|block| kept[*block]);
    // Most pages have none, and then nothing is allocated.
    let found: Vec<(usize, u64)> = kept_blocks
        .filter_map(|block| Some((block, links.target(blocks, &blocks.blocks[block])?)))
        .collect();
    if found.len() < LEAST_LINKS {
        return;
    }
    let Some(text) = Text::find(blocks, kept, &found) else {
        return;
    };
    let (mut places, top) = (None, place(""));
    for run in found.chunk_by(|one, next| one.0 + 1 == next.0) {
        let (first, last) = (run[0].0, run[run.len() - 1].0);
        let is_after = first > text.element.last as usize;
        let is_before = last < text.element.first as usize;
        let is_beside = is_after || is_before && is_in_bar(blocks, text.element, first);
        let words: usize = run.iter().map(|(block, _)| blocks.blocks[*block].words as usize).sum();
        if run.len() < LEAST_LINKS || !is_beside || words >= text.words {
            continue;
        }
        let places = places.get_or_insert_with(|| places_in(dom, text.element));
        // The first entry can be the page itself: `#`.
        let others = run.iter().filter(|(_, target)| *target != top).count();
        if run.iter().filter(|(_, target)| places.contains(target)).count() >= LEAST_LINKS.max(others) {
            left_out[first..=last].fill(true);
        }
    }
}

/// The links around texts, of which the last is remembered: many blocks can be in one, and its tag can be long.
struct Links<'d> {
    dom: &'d Dom<'d>,
    last: Option<(NodeId, Option<u64>)>,
}

/// A number for the name of a place.
fn place(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

impl Links<'_> {
    /// The place that a block leads to if it is nothing but links to places of the page: what follows `#`.
    fn target(&mut self, blocks: &Blocks, block: &Block) -> Option<u64> {
        if block.words == 0 || block.linked_words < block.words || block.heading > 0 {
            return None;
        }
        let mut found = None;
        for text in blocks.texts_of(block) {
            let target = self.target_of_text(*text)?;
            found = found.or(Some(target));
        }
        found
    }

    fn target_of_text(&mut self, text: NodeId) -> Option<u64> {
        let parent = |id: &NodeId| Some(self.dom.node(*id).parent);
        let mut around = std::iter::successors(Some(text), parent).take(MOST_AROUND);
        let link = around.find(|id| self.dom.node(*id).tag == Tag::A)?;
        if let Some((last, target)) = self.last
            && last == link
        {
            return target;
        }
        let target = self.dom.attribute(link, "href");
        let target = target.and_then(|target| target.trim().strip_prefix('#').map(place));
        self.last = Some((link, target));
        target
    }
}

/// The element of a page's text.
struct Text<'b> {
    element: &'b Element,
    /// The kept words in it, headings and links to places aside.
    words: usize,
}

impl<'b> Text<'b> {
    fn find(blocks: &'b Blocks, kept: &[bool], links: &[(usize, u64)]) -> Option<Self> {
        let is_link = |number: usize| links.binary_search_by_key(&number, |(block, _)| *block).is_ok();
        let mut before = vec![(0, 0)];
        let mut sums = (0, 0);
        before.extend(blocks.blocks.iter().enumerate().map(|(number, block)| {
            if kept[number] && block.heading == 0 && !is_link(number) {
                sums = (sums.0 + block.words as usize, sums.1 + 1);
            }
            sums
        }));
        let (all, _) = sums;
        // An element comes before those inside it.
        blocks.elements.iter().rev().find_map(|element| {
            let (from, to) = (before[element.first as usize], before[element.last as usize + 1]);
            let (words, count) = (to.0 - from.0, to.1 - from.1);
            (10 * words >= TENTHS * all && count >= LEAST_BLOCKS).then_some(Self { element, words })
        })
    }
}

/// The names of the places in an element.
fn places_in(dom: &Dom<'_>, element: &Element) -> HashSet<u64> {
    let names = |id: NodeId| {
        ["id", "name"]
            .into_iter()
            .filter_map(move |name| dom.attribute(id, name))
    };
    dom.subtree(element.node)
        .flat_map(names)
        .map(|name| place(&name))
        .collect()
}

/// Whether a block is in a bar that does not hold the text.
fn is_in_bar(blocks: &Blocks, text: &Element, block: usize) -> bool {
    let holds_text = |around: &Element| around.first <= text.first && around.last >= text.last;
    let is_bar = |around: &Element| matches!(around.tag, Tag::Nav | Tag::Aside) || around.kinds & (NAV | SIDE) != 0;
    let mut around = blocks.around(blocks.blocks[block].element);
    let bar_or_text = around.find(|(_, around)| holds_text(around) || is_bar(around));
    bar_or_text.is_some_and(|(_, around)| !holds_text(around))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::tests::kept_after;

    fn kept(page: &str) -> usize {
        let kept = kept_after(page, |dom, blocks, kept| {
            let mut left_out = vec![false; kept.len()];
            find(dom, blocks, kept, &mut left_out);
            kept.iter_mut().zip(left_out).for_each(|(kept, out)| *kept &= !out);
        });
        kept.iter().filter(|kept| **kept).count()
    }

    /// Six blocks.
    const TEXT: &str = "<div><h2 id=a>One</h2><p>A text of some words.<h2 id=b>Two</h2><p>A text of some words.\
        <h2><a name=c></a>Three</h2><p>A text of some words.</div>";

    fn list(links: &str) -> String {
        format!("<ul>{links}</ul>")
    }

    #[test]
    fn a_table_of_contents_beside_the_text_is_left_out() {
        let table = list("<li><a href=#a>One</a><li><a href=#b>Two</a><li><a href='#c'><b>Three</b></a>");
        assert_eq!(kept(&format!("{TEXT}<div>{table}</div>")), 6);
        assert_eq!(kept(&format!("<nav>{table}</nav>{TEXT}")), 6);
        assert_eq!(kept(&format!("<div class=sidebar>{table}</div>{TEXT}")), 6);
        let with_page =
            list("<li><a href=#>Page</a><li><a href=#a>One</a><li><a href=#b>Two</a><li><a href=#c>Three</a>");
        assert_eq!(kept(&format!("{TEXT}<div>{with_page}</div>")), 6);
    }

    #[test]
    fn other_links_and_tables_in_the_text_stay() {
        let table = list("<li><a href=#a>One</a><li><a href=#b>Two</a><li><a href=#c>Three</a>");
        let stays = |page: String, blocks: usize| assert_eq!(kept(&page), blocks, "{page}");
        stays(format!("<div>{table}{TEXT}</div>"), 9);
        // Before the text, and in no bar.
        stays(format!("<div>{table}</div>{TEXT}"), 9);
        stays(format!("<nav>{table}</nav>"), 3);
        // Nothing but a heading or a paragraph is beside it.
        stays(format!("<main><h1>Rivers</h1>{table}</main>"), 4);
        stays(format!("<main><p id=a>Rivers of the world.</p>{table}</main>"), 4);
        for links in [
            "<li><a href=#a>One</a><li><a href=#b>Two</a>",
            "<li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a>",
            "<li><a href=#a>1</a> A note.<li><a href=#b>2</a> A note.<li><a href=#c>3</a> A note.",
            "<li><a href=#/a>One</a><li><a href=#/b>Two</a><li><a href=#/c>Three</a>",
            "<li><a href=#>One</a><li><a href=#>Two</a><li><a href=#>Three</a>",
            "<li><a href=#a>¶ 1</a> <a href=/1>One</a><li><a href=#b>¶ 2</a> <a href=/2>Two</a><li><a href=#c>¶ 3</a> <a href=/3>Three</a>",
        ] {
            stays(format!("{TEXT}{}", list(links)), 6 + links.matches("<li>").count());
        }
    }
}
