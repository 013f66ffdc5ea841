//! What is left of subtrees when parts of them are taken out.

use std::ops::Range;

use dehusk_html::{Dom, NodeId};

/// Appends the subtrees that are left of the stretch `kept` when what `removed` covers is taken out: the largest ones
/// that hold nothing removed, in order.
///
/// `kept` covers whole subtrees side by side. `removed` is sorted and disjoint, and covers whole subtrees, or all from
/// some node on. A node is looked at only where it holds something removed or is a root of what is left, so the cost is
/// the number of ranges times the depth at most.
pub(super) fn range_difference(
    dom: &Dom<'_>,
    kept: Range<NodeId>,
    removed: &[Range<NodeId>],
    out: &mut Vec<Range<NodeId>>,
) {
    let mut removed = removed[removed.partition_point(|r| r.end <= kept.start)..]
        .iter()
        .peekable();
    let mut id = kept.start;
    while id < kept.end {
        let end = dom.node(id).end;
        match removed.peek() {
            Some(cut) if cut.start <= id => {
                id = cut.end;
                removed.next();
            }
            Some(cut) if cut.start < end => id += 1,
            _ => {
                out.push(id..end);
                id = end;
            }
        }
    }
}
