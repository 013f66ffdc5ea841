//! Selects nodes by densities.

use std::ops::Range;

use super::tags::Tags;
use super::{Cetd, Densities, DensitySums};
use crate::view::View;
use dehusk_html::NodeId;

/// A mark: the tag is a block.
const MARKED: u8 = 1;
/// A mark: the tag is an ancestor of a block.
const AROUND: u8 = 2;

/// Algorithm 2: the marked subtrees, the texts directly inside their ancestors where these are kept, and the tag with
/// the greatest DensitySum.
pub(super) fn by_density_sum(
    cetd: &Cetd,
    view: &View<'_>,
    measured: &Densities,
) -> (Vec<Range<NodeId>>, Option<NodeId>) {
    let tags = &measured.tags;
    let known = DensitySums::new(cetd, view, measured);
    let Some(winner) = known.best.first().map(|best| *best as usize) else {
        return (Vec::new(), None);
    };
    let threshold = cetd.lambda * measured.threshold(&known, cetd.threshold);
    let least_sum = cetd.least_block * known.sums[winner];
    let mut marks = vec![0u8; tags.rows.len()];
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < marks.len() {
        if measured.densities[at] < threshold || marks[at] == MARKED {
            at = tags.after(at);
            continue;
        }
        let block = known.best[at] as usize;
        if known.sums[block] < least_sum {
            // No tag below has a greater sum.
            at = tags.after(at);
            continue;
        }
        marks[block] = MARKED;
        blocks.push(block);
        at = if block == at { tags.after(at) } else { at + 1 };
    }
    mark_ancestors(tags, &mut marks, &blocks);
    let mut ranges = Vec::new();
    kept_of(cetd, view, tags, &marks, &mut ranges);
    let winner = (!ranges.is_empty()).then_some(tags.rows[winner].id);
    (ranges, winner)
}

/// Marks the ancestors of blocks. Each ancestor is visited at most once for each of its children.
fn mark_ancestors(tags: &Tags, marks: &mut [u8], blocks: &[usize]) {
    for block in blocks {
        let mut at = *block;
        while at > 0 {
            at = tags.rows[at].parent as usize;
            if marks[at] != 0 {
                break;
            }
            marks[at] = AROUND;
        }
    }
}

/// Collects the marked subtrees and the kept texts of their ancestors.
fn kept_of(cetd: &Cetd, view: &View<'_>, tags: &Tags, marks: &[u8], ranges: &mut Vec<Range<NodeId>>) {
    let dom = view.dom();
    let body = dom.subtree(tags.first);
    let mut at = 0;
    let mut id = body.start;
    while id < body.end {
        let node = dom.node(id);
        if node.tag.is_text() {
            // A text directly inside an ancestor.
            if cetd.ancestor_text {
                ranges.push(id..node.end);
            }
            id = node.end;
            continue;
        }
        if tags.rows.get(at).is_none_or(|row| row.id != id) {
            // Masked.
            id = node.end;
            continue;
        }
        match marks[at] {
            AROUND => {
                id += 1;
                at += 1;
                continue;
            }
            MARKED => ranges.push(id..node.end),
            _ => {}
        }
        at = tags.after(at);
        id = node.end;
    }
}

/// The text directly inside each tag whose density reaches `lambda` times the body's. A tag whose text is all kept is
/// kept as a whole.
pub(super) fn by_density(view: &View<'_>, measured: &Densities, lambda: f64) -> Vec<Range<NodeId>> {
    let dom = view.dom();
    let tags = &measured.tags;
    let body = dom.subtree(dom.body());
    let first = body.start;
    let threshold = lambda * measured.density(first);
    let mut reached = vec![false; body.len()];
    for (row, density) in tags.rows.iter().zip(measured.densities.iter()) {
        reached[(row.id - first) as usize] = *density >= threshold;
    }
    // Kept characters before each node.
    let mut before = Vec::with_capacity(body.len() + 1);
    let mut kept = 0;
    for (id, node) in body.clone().zip(&dom.nodes()[first as usize..]) {
        before.push(kept);
        if node.tag.is_text() && reached[node.parent.saturating_sub(first) as usize] {
            kept += view.range(id..id + 1).text.chars;
        }
    }
    before.push(kept);
    let mut ranges = Vec::new();
    let mut id = first;
    while id < body.end {
        let node = dom.node(id);
        let kept = before[(node.end - first) as usize] - before[(id - first) as usize];
        if kept > 0 && kept < view.range(id..node.end).text.chars {
            id += 1;
            continue;
        }
        if kept > 0 {
            ranges.push(id..node.end);
        }
        id = node.end;
    }
    ranges
}

/// The share of the kept characters outside hyperlinks, 0 to 1; 0 without text. CETD scores tags and not selections;
/// this share is what its formula rewards.
pub(super) fn share_outside_links(view: &View<'_>, ranges: &[Range<NodeId>]) -> f64 {
    let (mut chars, mut links) = (0u64, 0u64);
    for range in ranges {
        let sums = view.range(range.clone());
        chars += u64::from(sums.text.chars);
        links += u64::from(sums.control_chars);
    }
    (chars - links) as f64 / chars.max(1) as f64
}
