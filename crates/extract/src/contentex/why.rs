//! What ContentEx's decisions hung on, for people.

use super::{ContentEx, Extend, Filter, Parameters, Removal, score};
use crate::view::View;
use crate::{Selection, Why};
use dehusk_html::{NodeId, Tag, text_of};

pub(super) fn rule(p: &Parameters) -> String {
    let mut filters = Vec::new();
    if p.link_table {
        let extend = match p.extend {
            Extend::Falling => "up while the score falls",
            Extend::Below => "up while the parent is below that too",
        };
        filters.push(format!(
            "link tables (from a link whose parent scores below {}, {extend}, with at most {} of the page's words \
             outside links)",
            p.threshold, p.table_share
        ));
    }
    let patterns = [
        (p.time, Filter::Time),
        (p.ip, Filter::Ip),
        (p.colon, Filter::Colon),
        (p.copyright, Filter::Copyright),
        (p.repeated, Filter::Repeated),
    ];
    filters.extend(
        patterns
            .into_iter()
            .filter(|(on, _)| *on)
            .map(|(_, filter)| pattern(p, filter)),
    );
    if filters.is_empty() {
        return "everything is kept: all filters are off".to_owned();
    }
    format!(
        "what no filter deletes; score = U / (U + A), U words outside links, A links; filters: {}",
        filters.join("; ")
    )
}

/// A filter of III.B with its limits.
fn pattern(p: &Parameters, filter: Filter) -> String {
    let most = |words: u32| match words {
        0 => String::new(),
        words => format!(" of at most {words} words"),
    };
    match filter {
        Filter::LinkTable => "link tables".to_owned(),
        Filter::Time => format!("texts with a time and at most {} other words", p.time_words),
        Filter::Ip => format!("texts with an IP address and at most {} other words", p.ip_words),
        Filter::Colon => format!("texts{} that end in a colon", most(p.colon_words)),
        Filter::Copyright => format!("texts{} of copyright", most(p.copyright_words)),
        Filter::Repeated => format!(
            "texts of at most {} words that stand on the page at least {} times",
            p.repeated_words, p.repeated_times
        ),
    }
}

pub(super) fn why<'s>(of: &'s ContentEx, view: &'s View<'_>, selection: &'s Selection) -> Why<'s> {
    let dom = view.dom();
    let p = &of.parameters;
    let removals = of.removals(view);
    let deleted_by = move |removal: &Removal, removals: &[Removal]| {
        let at = removal.subtree.start;
        let words = view.subtree(at).text.words;
        match removal.by {
            Filter::LinkTable if dom.node(at).tag == Tag::A => format!(
                "its parent scores {:.4}, below {}, and holds more than {} of the page's words outside links, so the link \
                 alone goes",
                score(view.subtree(dom.node(at).parent)),
                p.threshold,
                p.table_share
            ),
            Filter::LinkTable => format!(
                "it is a link table: score {:.4}, below {}",
                score(view.subtree(at)),
                p.threshold
            ),
            Filter::Repeated => {
                let own = text_of(dom, at);
                let same = |r: &&Removal| r.by == Filter::Repeated && text_of(dom, r.subtree.start) == own;
                let times = removals.iter().filter(same).count();
                format!(
                    "it stands there {times} times, {words} words, and {} go",
                    pattern(p, Filter::Repeated)
                )
            }
            filter => format!("it has {words} words, and {} go", pattern(p, filter)),
        }
    };
    Box::new(move |id| {
        let subtree = dom.subtree(id);
        if selection.contains(id) {
            return Some(match lowest(view, id) {
                Some((parent, lowest)) if p.link_table => format!(
                    "no filter deletes it: of its links the parent that scores lowest is #{parent} with {lowest:.4}, not \
                     below {}",
                    p.threshold
                ),
                Some(_) => "no pattern filter deletes it, and link tables are kept".to_owned(),
                None => "no pattern filter deletes it, and it holds no link".to_owned(),
            });
        }
        let inside: Vec<&Removal> = removals
            .iter()
            .filter(|r| r.subtree.start < subtree.end && r.subtree.end > id)
            .collect();
        match inside[..] {
            [] => Some("there is no word but in what was deleted".to_owned()),
            [one] if one.subtree.start == id => Some(deleted_by(one, &removals)),
            [first, ..] => {
                let all = inside.len();
                let first = format!("#{}: {}", first.subtree.start, deleted_by(first, &removals));
                Some(format!("what is in it was deleted, {all} times; first {first}"))
            }
        }
    })
}

/// The parent of a link in a subtree that scores lowest, of those that decide.
fn lowest(view: &View<'_>, id: NodeId) -> Option<(NodeId, f64)> {
    let dom = view.dom();
    let mut lowest: Option<(NodeId, f64)> = None;
    let mut at = id;
    while at < dom.node(id).end {
        if dom.node(at).tag != Tag::A || view.is_masked(at) {
            at += 1;
            continue;
        }
        let parent = dom.node(at).parent;
        let score = score(view.subtree(parent));
        if lowest.is_none_or(|(_, least)| score < least) {
            lowest = Some((parent, score));
        }
        // A link in a link decides nothing.
        at = dom.node(at).end;
    }
    lowest
}
