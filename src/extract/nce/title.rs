//! Phase 3 of NCE: the title stands before the body, is not long, and its words come again in the body.
//!
//! Readings: the words of a node that are among those of U' count each time they stand there; the tree before U' is
//! that before its first node, and elements around that node are not before it; the amount of text is in characters; of
//! equal nodes the first counts, so the outermost. If there is no U', there is no title either.
//!
//! Matches are summed up in document order, so that any node's share is a difference of two sums.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::super::Selection;
use super::Nce;
use crate::dom::count::is_cjk;
use crate::dom::view::View;
use crate::dom::{NodeId, Tag, text};

/// Words, and how many of them U' has.
#[derive(Clone, Copy, Default)]
struct Matches {
    words: u32,
    known: u32,
}

/// Adds the title to the selection.
pub(super) fn add(nce: &Nce, view: &View<'_>, selection: &mut Selection) {
    let dom = view.dom();
    let Some(first) = selection.ranges.first().map(|r| r.start) else {
        return;
    };
    let mut scratch = String::new();
    let mut known = HashSet::new();
    for id in selection.ranges.iter().flat_map(Clone::clone) {
        if view.dom().node(id).tag == Tag::Text && view.subtree(id).text.words > 0 {
            each_word(view, id, &mut scratch, |word| {
                known.insert(word);
            });
        }
    }
    let mut sums = Vec::with_capacity(first as usize + 1);
    let mut sum = Matches::default();
    for id in 0..first {
        sums.push(sum);
        // A longer text is in no node that could be the title.
        if dom.node(id).tag == Tag::Text && (1..=nce.title_max_words).contains(&view.subtree(id).text.words) {
            each_word(view, id, &mut scratch, |word| {
                sum.words += 1;
                sum.known += u32::from(known.contains(&word));
            });
        }
    }
    sums.push(sum);
    let fits = |id: NodeId| {
        let node = dom.node(id);
        if node.tag == Tag::Title {
            return true;
        }
        let words = view.subtree(id).text.words;
        if id < dom.body() || node.end > first || !(nce.title_min_words..=nce.title_max_words).contains(&words) {
            return false;
        }
        let (before, after) = (sums[id as usize], sums[node.end as usize]);
        let (words, known) = (after.words - before.words, after.known - before.known);
        words > 0 && f64::from(known) >= nce.title_overlap * f64::from(words)
    };
    let mut best: Option<(u64, NodeId)> = None;
    for id in 0..first {
        let chars = nce.chars(view.subtree(id));
        if chars > best.map_or(0, |(most, _)| most) && fits(id) {
            best = Some((chars, id));
        }
    }
    if let Some((_, id)) = best {
        if dom.node(id).tag != Tag::Title {
            selection.insert(dom.subtree(id));
        } else if let Some(text) = dom.children(id).find(|child| dom.node(*child).tag == Tag::Text) {
            // What stands in a title element is shown only if it is asked for by itself.
            selection.insert(dom.subtree(text));
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
