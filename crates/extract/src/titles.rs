//! The two title repairs of CoreEx, section 6.1: titles often stand several nodes away from the article's body.

use serde::{Deserialize, Serialize};

use super::Selection;
use crate::view::View;
use dehusk_html::{Counts, NodeId, Tag, text_of};

/// Fewest words that a part of the title must have: fewer are names of sections.
const LEAST_WORDS: u32 = 3;

/// What parts the title of a page from the name of its site.
const SEPARATORS: [char; 13] = ['|', '»', '«', '•', '·', '—', '–', '-', ':', '_', '/', '>', '<'];

/// Longest title, in bytes, that is looked for: a longer one is no title, and would make every comparison long.
const LONGEST: usize = 1000;

/// Which nodes count as having the page title's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitleMatch {
    /// None.
    None,
    /// Those with the same text.
    Exact,
    /// Also those whose text begins the title, or stands between its separators: sites put their names around it.
    Part,
}

/// Includes the first header among the previous siblings of the selected set's parent, nearest first.
pub(super) fn include_sibling_header(view: &View<'_>, selection: &mut Selection, parent: NodeId) {
    let dom = view.dom();
    if parent == dom.body() {
        return;
    }
    let before = dom.children(dom.node(parent).parent).take_while(|id| *id < parent);
    let header = before
        .filter(|id| dom.node(*id).tag.is_heading() && !view.is_masked(*id))
        .last();
    if let Some(header) = header.filter(|id| view.subtree(*id).text.words > 0) {
        selection.insert(dom.subtree(header));
    }
}

/// Includes the node whose text is that of the page's title, unless one is selected already: of several the longest, then
/// a header, then the last one before the selection.
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
    let starts = Starts::of(&title);
    let start = selection.ranges[0].start;
    let mut best: Option<((u32, bool, bool, NodeId), NodeId)> = None;
    let least = if rule == TitleMatch::Part { LEAST_WORDS } else { 1 };
    let fits_in = |counts: &Counts| counts.words >= least && counts.chars <= most;
    let body = dom.subtree(dom.body());
    let (from, to) = (body.start as usize, body.end as usize);
    for (id, (node, own)) in body.zip(dom.nodes()[from..to].iter().zip(&dom.counts()[from..to])) {
        let header = node.tag.is_heading();
        let may_be = match node.tag {
            Tag::Text => fits_in(own) && starts.fit(dom.raw(id)),
            _ => header && fits_in(&view.subtree(id).text),
        };
        if !may_be {
            continue;
        }
        let chars = if header { view.subtree(id).text.chars } else { own.chars };
        let candidate = normal(&text_of(dom, id));
        let fits = candidate == title || (rule == TitleMatch::Part && is_part(&title, &candidate));
        if !fits || view.is_masked(id) {
            continue;
        }
        if selection.contains(id) {
            return;
        }
        let rank = (chars, header, id < start, id);
        if best.is_none_or(|(top, _)| rank > top) {
            best = Some((rank, id));
        }
    }
    if let Some((_, id)) = best {
        selection.insert(dom.subtree(id));
    }
}

/// Bytes at the start of a text that are compared before the whole of it is.
const GLANCE: usize = 8;

/// What a text must start with to be a part of the title: a glance spares most texts of a page the longer comparison.
struct Starts<'t> {
    /// One bit for each ASCII character that a part starts with.
    ascii: u128,
    /// The title from each start of a part on.
    parts: Vec<&'t str>,
}

impl<'t> Starts<'t> {
    fn of(title: &'t str) -> Self {
        let behind = title
            .match_indices(SEPARATORS)
            .map(|(at, found)| &title[at + found.len()..]);
        let parts: Vec<&str> = std::iter::once(title).chain(behind).map(str::trim_start).collect();
        let firsts = parts.iter().filter_map(|part| part.chars().next());
        let ascii = firsts
            .filter(char::is_ascii)
            .fold(0, |bits, c| bits | 1 << u32::from(c));
        Self { ascii, parts }
    }

    fn fit(&self, raw: &str) -> bool {
        match raw.bytes().next() {
            // A character reference may stand for anything.
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

/// Whether a text can be one with a part of the title by its first bytes, as far as these stand for themselves.
fn begin_alike(part: &str, raw: &str) -> bool {
    let stands = |byte: &u8| byte.is_ascii_graphic() && *byte != b'&';
    let bytes = raw.bytes().take(GLANCE).take_while(stands);
    part.bytes().zip(bytes).all(|(a, b)| a == b.to_ascii_lowercase())
}

/// Lower case, white space collapsed.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether a text begins the title at a word's end, or is one of the parts between its separators.
fn is_part(title: &str, text: &str) -> bool {
    let begins = title
        .strip_prefix(text)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    begins || title.split(SEPARATORS).any(|part| part.trim() == text)
}
