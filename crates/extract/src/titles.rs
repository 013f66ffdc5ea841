//! The two title repairs of CoreEx, section 6.1. They find a title that is several nodes away from the article.

use std::cell::LazyCell;

use serde::{Deserialize, Serialize};

use super::Selection;
use crate::view::View;
use dehusk_html::{Dom, NodeId, Tag, text_of};

/// Fewest words of a part of the title. A shorter part is usually the name of a section.
const LEAST_WORDS: u32 = 3;

/// Characters between the title of a page and the name of its site.
const SEPARATORS: [char; 13] = ['|', '»', '«', '•', '·', '—', '–', '-', ':', '_', '/', '>', '<'];

/// Longest title that is searched for, in bytes. A longer one is no title and would slow down every comparison.
const LONGEST: usize = 1000;

/// Which nodes match the page's title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitleMatch {
    /// None.
    None,
    /// Nodes with the same text.
    Exact,
    /// Also nodes whose text is the start of the title, or is between two separators of it. Sites put their names
    /// around the title.
    Part,
}

/// First repair: includes the nearest header with text among the previous siblings of the parent of the selected set.
pub(super) fn include_sibling_header(view: &View<'_>, selection: &mut Selection, parent: NodeId) {
    let dom = view.dom();
    if parent == dom.body() {
        return;
    }
    let before = dom.children(dom.node(parent).parent).take_while(|id| *id < parent);
    // The counts leave out what is masked.
    let header = before
        .filter(|id| dom.node(*id).tag.is_heading() && view.subtree(*id).text.words > 0)
        .last();
    if let Some(header) = header {
        selection.insert(dom.subtree(header));
    }
}

/// Second repair: includes the node that has the text of the page's title, unless such a node is selected already. It
/// may consist of several texts, as in `<p>The <b>real</b> headline</p>`. Of several nodes the longest is taken, then a
/// header, then the last one before the selection.
pub(super) fn include_title(view: &View<'_>, selection: &mut Selection, rule: TitleMatch) {
    if rule == TitleMatch::None || selection.ranges.is_empty() {
        return;
    }
    let dom = view.dom();
    let Some(title) = dom
        .title()
        .map(|t| normal(&t))
        .filter(|t| !t.is_empty() && t.len() <= LONGEST)
    else {
        return;
    };
    let most = title.chars().count() as u32;
    let starts = Starts::new(&title);
    let start = selection.ranges[0].start;
    let mut best: Option<((u32, bool, bool, NodeId), NodeId)> = None;
    let least = if rule == TitleMatch::Part { LEAST_WORDS } else { 1 };
    let body = dom.subtree(dom.body());
    let (from, to) = (body.start as usize, body.end as usize);
    for (text, (node, own)) in body.zip(dom.nodes()[from..to].iter().zip(&dom.counts()[from..to])) {
        if node.tag != Tag::Text || own.words == 0 || own.chars > most || !starts.fit(dom.raw(text)) {
            continue;
        }
        let of_text = LazyCell::new(|| normal(&text_of(dom, text)));
        for id in beginning_with(view, text) {
            let counts = view.subtree(id).text;
            if counts.chars > most {
                break;
            }
            if counts.words < least {
                continue;
            }
            let of_element;
            let candidate = if has_one_text(dom, id) {
                &*of_text
            } else {
                of_element = normal(&text_of(dom, id));
                &of_element
            };
            let fits = *candidate == title || (rule == TitleMatch::Part && starts.is_part(candidate));
            if !fits || view.is_masked(id) {
                continue;
            }
            if selection.contains(id) {
                return;
            }
            let rank = (counts.chars, dom.node(id).tag.is_heading(), id < start, id);
            if best.is_none_or(|(top, _)| rank > top) {
                best = Some((rank, id));
            }
        }
    }
    if let Some((_, id)) = best {
        selection.insert(dom.subtree(id));
    }
}

/// Whether a node is a text, or an element with a single one and nothing in it that is not shown.
fn has_one_text(dom: &Dom<'_>, id: NodeId) -> bool {
    let is_text = |id: &NodeId| dom.node(*id).tag == Tag::Text;
    let is_hidden = |id: NodeId| dom.node(id).tag.is_hidden();
    is_text(&id) || dom.subtree(id).filter(is_text).take(2).count() == 1 && !dom.subtree(id).skip(1).any(is_hidden)
}

/// A text, and the elements around it that begin with it, from the inside out.
fn beginning_with<'v>(view: &'v View<'_>, text: NodeId) -> impl Iterator<Item = NodeId> + 'v {
    let dom = view.dom();
    let parent = move |id: &NodeId| (*id > dom.body()).then(|| dom.node(*id).parent);
    std::iter::successors(Some(text), parent).take_while(move |id| view.range(*id..text).text.words == 0)
}

/// Bytes at the start of a text that are compared before the whole text is.
const GLANCE: usize = 8;

/// The possible starts of a part of the title. They rule out most texts of a page without a longer comparison.
struct Starts<'t> {
    /// One bit for each ASCII character that a part can start with.
    ascii: u128,
    /// The rest of the title from each start of a part on. The first is the whole title.
    parts: Vec<&'t str>,
    /// The parts between its separators.
    between: Vec<&'t str>,
}

impl<'t> Starts<'t> {
    fn new(title: &'t str) -> Self {
        let later = title
            .match_indices(SEPARATORS)
            .map(|(at, found)| &title[at + found.len()..]);
        let parts: Vec<&str> = std::iter::once(title).chain(later).map(str::trim_start).collect();
        let firsts = parts.iter().filter_map(|part| part.chars().next());
        let ascii = firsts
            .filter(char::is_ascii)
            .fold(0, |bits, c| bits | 1 << u32::from(c));
        let between = title.split(SEPARATORS).map(str::trim).collect();
        Self { ascii, parts, between }
    }

    /// Whether a text begins the title at a word's end, or is one of the parts between its separators.
    fn is_part(&self, text: &str) -> bool {
        let rest = self.parts.first().and_then(|title| title.strip_prefix(text));
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) || self.between.contains(&text)
    }

    fn fit(&self, raw: &str) -> bool {
        match raw.bytes().next() {
            // A character reference may mean anything.
            Some(b'&') => true,
            Some(byte) if byte.is_ascii_graphic() => {
                self.ascii >> byte.to_ascii_lowercase() & 1 == 1 && self.parts.iter().any(|part| begin_alike(part, raw))
            }
            _ => match raw.trim_start().chars().next() {
                None => false,
                Some('&') => true,
                Some(c) => c
                    .to_lowercase()
                    .next()
                    .is_some_and(|c| self.parts.iter().any(|part| part.starts_with(c))),
            },
        }
    }
}

/// Whether the first bytes of a text and of a part of the title agree, up to the first character reference.
fn begin_alike(part: &str, raw: &str) -> bool {
    let is_literal = |byte: &u8| byte.is_ascii_graphic() && *byte != b'&';
    let bytes = raw.bytes().take(GLANCE).take_while(is_literal);
    part.bytes().zip(bytes).all(|(a, b)| a == b.to_ascii_lowercase())
}

/// Lower case, white space collapsed.
fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    if normal.is_ascii() {
        normal.make_ascii_lowercase();
        return normal;
    }
    normal.to_lowercase()
}
