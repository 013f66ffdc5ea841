//! The link table filter (ContentEx III.A, figure 3).

use super::{Extend, Filter, Parameters, Removal, score};
use crate::view::View;
use dehusk_html::{NodeId, Tag};

/// The link tables of a view, in order and disjoint.
pub(super) fn tables(view: &View<'_>, parameters: &Parameters) -> Vec<Removal> {
    let mut tables: Vec<Removal> = Vec::new();
    if !parameters.link_table {
        return tables;
    }
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let score_of = |id: NodeId| score(view.subtree(id));
    let text_of = |id: NodeId| {
        let sums = view.subtree(id);
        f64::from(sums.text.words - sums.linked_words)
    };
    let most_text = parameters.table_share * text_of(body.start);
    let may_be_table = |id| text_of(id) <= most_text && (parameters.extend == Extend::Falling || id > body.start);
    let reaches = |from, to| match parameters.extend {
        Extend::Falling => score_of(to) < score_of(from),
        Extend::Below => score_of(to) < parameters.threshold,
    };
    let mut masked = view.masked().iter().peekable();
    // The body itself is no link node.
    let mut id = body.start + 1;
    while id < body.end {
        let node = dom.node(id);
        if node.tag != Tag::A || view.range(id..id + 1).anchors == 0 {
            id += 1;
            continue;
        }
        while masked.next_if(|m| m.end <= id).is_some() {}
        if let Some(mask) = masked.peek()
            && mask.start <= id
        {
            id = mask.end;
            continue;
        }
        if score_of(node.parent) >= parameters.threshold {
            // A link node is a terminal, so links inside it do not count.
            id = node.end;
            continue;
        }
        // If the parent cannot be a link table, only the link is deleted.
        let mut table = if may_be_table(node.parent) { node.parent } else { id };
        while table > body.start {
            let parent = dom.node(table).parent;
            if !may_be_table(parent) || !reaches(table, parent) {
                break;
            }
            table = parent;
        }
        // A table can include smaller ones before it.
        while tables.pop_if(|t| t.subtree.start >= table).is_some() {}
        tables.push(Removal {
            subtree: dom.subtree(table),
            by: Filter::LinkTable,
        });
        id = dom.node(table).end;
    }
    tables
}
