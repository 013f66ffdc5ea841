//! The two title repairs of CoreEx, section 6.1: titles often stand several nodes away from the article's body.

use serde::{Deserialize, Serialize};

use super::Selection;
use crate::dom::view::View;
use crate::dom::{NodeId, Tag, text};

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
    for id in dom.subtree(dom.body()) {
        let node = dom.node(id);
        let header = node.tag.is_heading();
        if !header && (node.tag != Tag::Text || !starts.fit(dom.raw(id))) {
            continue;
        }
        let counts = if header {
            view.subtree(id).text
        } else {
            dom.counts()[id as usize]
        };
        if counts.words == 0 || counts.chars > most || (rule == TitleMatch::Part && counts.words < LEAST_WORDS) {
            continue;
        }
        let candidate = normal(&text::text_of(dom, id));
        let fits = candidate == title || (rule == TitleMatch::Part && is_part(&title, &candidate));
        if !fits || view.is_masked(id) {
            continue;
        }
        if selection.contains(id) {
            return;
        }
        let rank = (counts.chars, header, id < start, id);
        if best.is_none_or(|(top, _)| rank > top) {
            best = Some((rank, id));
        }
    }
    if let Some((_, id)) = best {
        selection.insert(dom.subtree(id));
    }
}

/// The characters that a text must start with to be a part of the title: a look at one character spares most texts of a
/// page the longer comparison.
struct Starts(Vec<char>);

impl Starts {
    fn of(title: &str) -> Self {
        let parts = std::iter::once(title).chain(title.split(SEPARATORS));
        Self(parts.filter_map(|part| part.trim_start().chars().next()).collect())
    }

    fn fit(&self, raw: &str) -> bool {
        match raw.trim_start().chars().next() {
            None => false,
            // A character reference may stand for anything.
            Some('&') => true,
            Some(c) => c.to_lowercase().next().is_some_and(|c| self.0.contains(&c)),
        }
    }
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
