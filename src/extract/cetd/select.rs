//! From densities to the nodes that are kept.

use std::ops::Range;

use super::{Cetd, Densities};
use crate::dom::NodeId;
use crate::dom::view::View;

/// What is known of a node while blocks are marked.
const MARKED: u8 = 1;
/// An ancestor of a marked node.
const AROUND: u8 = 2;

/// Algorithm 2: the marked subtrees, with the texts right in their ancestors where these are kept, and the tag with the
/// greatest DensitySum.
pub(super) fn by_density_sum(
    cetd: &Cetd,
    view: &View<'_>,
    measured: &Densities,
) -> (Vec<Range<NodeId>>, Option<NodeId>) {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let first = body.start;
    let winner = measured.best_under(first);
    let threshold = cetd.lambda * measured.threshold(view, cetd.threshold);
    let least_sum = cetd.least_block * measured.sum(winner);
    let mut marks = vec![0u8; body.len()];
    let mut id = first;
    while id < body.end {
        // A node that is no tag has no density, and fails here too.
        let reached = measured.density(id) >= threshold;
        if !reached || marks[(id - first) as usize] == MARKED {
            id = dom.node(id).end;
            continue;
        }
        let block = measured.best_under(id);
        if measured.sum(block) < least_sum {
            // Nor is there a greater one in any tag below.
            id = dom.node(id).end;
            continue;
        }
        marks[(block - first) as usize] = MARKED;
        id += 1;
        if block == id - 1 {
            id = dom.node(block).end;
        }
    }
    mark_ancestors(view, &mut marks, first);
    let mut ranges = Vec::new();
    let mut id = first;
    while id < body.end {
        let node = dom.node(id);
        match marks[(id - first) as usize] {
            MARKED => ranges.push(id..node.end),
            AROUND => {
                id += 1;
                continue;
            }
            // Reached only right inside of an ancestor.
            _ if node.tag.is_text() && cetd.ancestor_text => ranges.push(id..node.end),
            _ => {}
        }
        id = node.end;
    }
    let winner = (!ranges.is_empty()).then_some(winner);
    (ranges, winner)
}

/// Marks the ancestors of what is marked. Each is come by at most once for each of its children.
fn mark_ancestors(view: &View<'_>, marks: &mut [u8], first: NodeId) {
    let dom = view.dom();
    for i in 1..marks.len() {
        if marks[i] != MARKED {
            continue;
        }
        let mut id = first + i as NodeId;
        while id > first {
            id = dom.node(id).parent;
            let mark = &mut marks[(id - first) as usize];
            if *mark != 0 {
                break;
            }
            *mark = AROUND;
        }
    }
}

/// The text right inside of each tag whose density reaches `lambda` times the body's. Where all text of a tag is kept,
/// so is the tag, whole.
pub(super) fn by_density(view: &View<'_>, measured: &Densities, lambda: f64) -> Vec<Range<NodeId>> {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let first = body.start;
    let threshold = lambda * measured.density(first);
    // Characters that are kept in each subtree.
    let mut kept = vec![0u32; body.len()];
    for id in body.clone().rev() {
        let node = dom.node(id);
        let (i, parent) = ((id - first) as usize, node.parent.saturating_sub(first) as usize);
        if node.tag.is_text() && measured.densities[parent] >= threshold {
            kept[i] = view.range(id..id + 1).text.chars;
        }
        if id > first {
            kept[parent] += kept[i];
        }
    }
    let mut ranges = Vec::new();
    let mut id = first;
    while id < body.end {
        let node = dom.node(id);
        let kept = kept[(id - first) as usize];
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

/// The share of the kept characters that stand outside hyperlinks, 0 to 1. CETD scores tags and not what it keeps; this
/// is what its formula rewards. 0 where there is no text.
pub(super) fn share_outside_links(view: &View<'_>, ranges: &[Range<NodeId>]) -> f64 {
    let (mut chars, mut links) = (0u64, 0u64);
    for range in ranges {
        let sums = view.range(range.clone());
        chars += u64::from(sums.text.chars);
        links += u64::from(sums.control_chars);
    }
    (chars - links) as f64 / chars.max(1) as f64
}
