//! The difference of two sets of node ranges.

use std::ops::Range;

use dehusk_html::{Dom, NodeId};

/// Appends the largest subtrees of `kept` that contain nothing of `removed`, in order.
///
/// - `kept` covers whole subtrees side by side.
/// - `removed` is sorted and disjoint. Each range covers whole subtrees, or everything from some node on.
///
/// The function visits only nodes that contain something removed, and roots of the result. So it takes at most the
/// number of ranges times the depth of the tree.
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
