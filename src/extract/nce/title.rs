//! Phase 3 of NCE: the title stands before the body, is not long, and its words come again in the body.
//!
//! Readings: the words of a node that are among those of U' count each time they stand there; the tree before U' is
//! that before its first node, and elements around that node are not before it; the amount of text is in characters; of
//! equal nodes a title element counts, then the first, so the outermost. If there is no U', there is no title either.
//!
//! Matches are summed up in document order, so that any node's share is a difference of two sums.

use std::collections::HashSet;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::super::Selection;
use super::Nce;
use crate::dom::count::is_cjk;
use crate::dom::view::View;
use crate::dom::{NodeId, Tag, text};

/// Adds the title to the selection.
pub(super) fn add(nce: &Nce, view: &View<'_>, selection: &mut Selection) {
    let dom = view.dom();
    let Some(first) = selection.ranges.first().map(|r| r.start) else {
        return;
    };
    let chars = |id: NodeId| nce.chars(view.subtree(id));
    let largest = |best: Option<NodeId>, id: NodeId| match best {
        Some(best) if chars(best) >= chars(id) => Some(best),
        _ => (chars(id) > 0).then_some(id),
    };
    let element = (0..first)
        .filter(|id| dom.node(*id).tag == Tag::Title)
        .fold(None, largest);
    // Only what is larger than the page's own title can take its place: often nothing, and no word need be looked at.
    let least = element.map_or(0, chars);
    let fits = |id: &NodeId| {
        let words = view.subtree(*id).text.words;
        (nce.title_min_words..=nce.title_max_words).contains(&words) && dom.node(*id).end <= first && chars(*id) > least
    };
    let mut candidates = (dom.body().min(first)..first).filter(fits).peekable();
    let found = match candidates.peek() {
        None => None,
        Some(from) => {
            let shares = Shares::new(nce, view, selection, *from..first);
            candidates
                .filter(|id| shares.of(dom.subtree(*id)) >= nce.title_overlap)
                .fold(None, largest)
        }
    };
    if let Some(id) = found {
        selection.insert(dom.subtree(id));
    } else if let Some(title) = element
        && let Some(text) = dom.children(title).find(|child| dom.node(*child).tag == Tag::Text)
    {
        // What stands in a title element is shown only if it is asked for by itself.
        selection.insert(dom.subtree(text));
    }
}

/// The words in a stretch of nodes, and how many of them the selection has, summed up.
struct Shares {
    from: NodeId,
    sums: Vec<(u32, u32)>,
}

impl Shares {
    fn new(nce: &Nce, view: &View<'_>, selection: &Selection, stretch: Range<NodeId>) -> Self {
        let mut scratch = String::new();
        let mut known = HashSet::new();
        let is_text = |id: NodeId| view.dom().node(id).tag == Tag::Text;
        for id in selection.ranges.iter().flat_map(Clone::clone).filter(|id| is_text(*id)) {
            if view.subtree(id).text.words > 0 {
                each_word(view, id, &mut scratch, |word| {
                    known.insert(word);
                });
            }
        }
        let mut sums = Vec::with_capacity(stretch.len() + 1);
        let (mut all, mut shared) = (0, 0);
        for id in stretch.clone() {
            sums.push((all, shared));
            // A longer text is in no node that could be the title.
            if is_text(id) && (1..=nce.title_max_words).contains(&view.subtree(id).text.words) {
                each_word(view, id, &mut scratch, |word| {
                    all += 1;
                    shared += u32::from(known.contains(&word));
                });
            }
        }
        sums.push((all, shared));
        Self {
            from: stretch.start,
            sums,
        }
    }

    /// The share of the words of some nodes that the selection has; 0 without words.
    fn of(&self, nodes: Range<NodeId>) -> f64 {
        let at = |id: NodeId| self.sums[(id - self.from) as usize];
        let ((all, shared), (all_before, shared_before)) = (at(nodes.end), at(nodes.start));
        match all - all_before {
            0 => 0.0,
            words => f64::from(shared - shared_before) / f64::from(words),
        }
    }
}

/// Hands over a hash of each word of a text in lower case: letters and digits, a Chinese or Japanese character being a
/// word.
fn each_word(view: &View<'_>, id: NodeId, scratch: &mut String, mut each: impl FnMut(u64)) {
    scratch.clear();
    text::push_node(view.dom().source(), view.dom().node(id), scratch);
    let mut word = String::new();
    for c in scratch.chars().chain(std::iter::once(' ')) {
        if c.is_alphanumeric() && !is_cjk(c) {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            each(xxh3_64(word.as_bytes()));
            word.clear();
        }
        if is_cjk(c) {
            each(u64::from(u32::from(c)));
        }
    }
}
