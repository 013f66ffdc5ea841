//! The link table filter (ContentEx III.A, figure 3).

use super::{Extend, Filter, Parameters, Removal, score};
use crate::dom::Tag;
use crate::dom::view::View;

/// The link tables of a view, in order and disjoint.
pub(super) fn tables(view: &View<'_>, parameters: &Parameters) -> Vec<Removal> {
    let mut tables: Vec<Removal> = Vec::new();
    if !parameters.link_table {
        return tables;
    }
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let score_of = |id| score(view.subtree(id));
    let mut masked = view.masked().iter().peekable();
    // The body itself is no link node.
    let mut id = body.start + 1;
    while id < body.end {
        while masked.next_if(|m| m.end <= id).is_some() {}
        if let Some(mask) = masked.peek()
            && mask.start <= id
        {
            id = mask.end;
            continue;
        }
        let node = dom.node(id);
        if node.tag != Tag::A {
            id += 1;
            continue;
        }
        if score_of(node.parent) >= parameters.threshold {
            // A link node is a terminal, so what it holds is not looked at.
            id = node.end;
            continue;
        }
        let mut table = node.parent;
        match parameters.extend {
            Extend::Falling => {
                while table > body.start && score_of(dom.node(table).parent) < score_of(table) {
                    table = dom.node(table).parent;
                }
            }
            Extend::Below => {
                if table == body.start {
                    table = id;
                }
                while dom.node(table).parent > body.start && score_of(dom.node(table).parent) < parameters.threshold {
                    table = dom.node(table).parent;
                }
            }
        }
        // A table may reach back over smaller ones.
        while tables.pop_if(|t| t.subtree.start >= table).is_some() {}
        tables.push(Removal {
            subtree: dom.subtree(table),
            by: Filter::LinkTable,
        });
        id = dom.node(table).end;
    }
    tables
}
