//! Phase 3.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::super::Selection;
use super::Nce;
use crate::dom::count::is_cjk;
use crate::dom::view::View;
use crate::dom::{Tag, text};

/// Calls with each word.
fn words(text: &str, mut each: impl FnMut(u64)) {
    let mut word = String::new();
    for c in text.chars().chain(std::iter::once(' ')) {
        if is_cjk(c) || !c.is_alphanumeric() {
            if !word.is_empty() {
                each(xxh3_64(word.as_bytes()));
                word.clear();
            }
            if is_cjk(c) {
                each(u64::from(u32::from(c)));
            }
        } else {
            word.extend(c.to_lowercase());
        }
    }
}

/// Adds the title.
pub(super) fn add(nce: &Nce, view: &View<'_>, selection: &mut Selection) {
    let dom = view.dom();
    let Some(first) = selection.ranges.first().map(|r| r.start) else {
        return;
    };
    let mut known = HashSet::new();
    let mut scratch = String::new();
    for range in &selection.ranges {
        for id in range.clone() {
            let node = dom.node(id);
            if node.tag == Tag::Text && !view.is_masked(id) {
                scratch.clear();
                text::push_node(dom.source(), node, &mut scratch);
                words(&scratch, |w| {
                    known.insert(w);
                });
            }
        }
    }
    // Words before each node, and how many of them the content has.
    let mut sums: Vec<(u32, u32)> = Vec::with_capacity(first as usize + 1);
    let mut sum = (0u32, 0u32);
    for id in 0..first {
        sums.push(sum);
        let node = dom.node(id);
        if node.tag == Tag::Text {
            let count = view.subtree(id).text;
            if count.words > 0 && count.words <= nce.title_max_words {
                scratch.clear();
                text::push_node(dom.source(), node, &mut scratch);
                words(&scratch, |w| {
                    sum.0 += 1;
                    sum.1 += u32::from(known.contains(&w));
                });
            }
        }
    }
    sums.push(sum);
    let mut best: Option<(u64, u32)> = None;
    for id in 0..first {
        let node = dom.node(id);
        let count = view.subtree(id);
        let fits = if node.tag == Tag::Title {
            nce.title_element
        } else if node.end > first
            || id < dom.body()
            || !(nce.title_min_words..=nce.title_max_words).contains(&count.text.words)
        {
            false
        } else {
            let (a, b) = (sums[id as usize], sums[node.end as usize]);
            f64::from(b.1 - a.1) >= nce.title_overlap * f64::from(b.0 - a.0) && b.0 > a.0
        };
        let chars = nce.chars(count);
        if fits && chars > 0 && best.is_none_or(|(top, _)| chars > top) {
            best = Some((chars, id));
        }
    }
    if let Some((_, id)) = best {
        let end = dom.node(id).end;
        let start = if dom.node(id).tag == Tag::Title { id + 1 } else { id };
        selection.insert(start..end);
    }
}
