//! A selection made of texts.

use std::ops::Range;

use dehusk_html::NodeId;

use crate::Selection;
use crate::view::View;

/// The nodes of a range that the view shows, in order.
pub(crate) fn visible(view: &View<'_>, range: Range<NodeId>) -> impl Iterator<Item = NodeId> {
    let Range { start, end } = range;
    let masked = view.masked();
    let mut masked = masked[masked.partition_point(|range| range.end <= start)..]
        .iter()
        .peekable();
    let mut next = start;
    std::iter::from_fn(move || {
        while let Some(range) = masked.next_if(|range| range.start <= next) {
            next = range.end.max(next);
        }
        let id = next;
        next += 1;
        (id < end).then_some(id)
    })
}

/// A selection of the texts for which `keeps` is true: the largest subtrees that hold no other text. `keeps` is asked
/// about each visible text once, in order. The score is the share of the page's words that are kept.
pub(crate) fn select(view: &View<'_>, mut keeps: impl FnMut(NodeId) -> bool) -> Selection {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let place = |id: NodeId| (id - body.start) as usize;
    // The numbers of texts before each node: all, and those that are kept.
    let mut before = vec![(0_u32, 0_u32); body.len() + 1];
    for id in visible(view, body.clone()).filter(|id| dom.node(*id).tag.is_text()) {
        before[place(id) + 1] = (1, u32::from(keeps(id)));
    }
    let mut sum = (0, 0);
    for count in &mut before {
        sum = (sum.0 + count.0, sum.1 + count.1);
        *count = sum;
    }
    let mut selection = Selection::default();
    let mut id = body.start;
    while id < body.end {
        let end = dom.node(id).end;
        let (from, to) = (before[place(id)], before[place(end)]);
        match (to.0 - from.0, to.1 - from.1) {
            (_, 0) => id = end,
            (all, kept) if all == kept => {
                selection.ranges.push(id..end);
                id = end;
            }
            _ => id += 1,
        }
    }
    let words: u32 = selection.ranges.iter().map(|range| view.words(range.clone())).sum();
    if words > 0 {
        selection.score = f64::from(words) / f64::from(view.words(body));
    }
    selection
}
