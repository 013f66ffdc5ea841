//! What NCE's decisions hung on, for people.

use std::ops::Range;

use super::{MOST_SIBLINGS, Nce, comments, density};
use crate::view::View;
use crate::{Selection, Why};
use dehusk_html::{NodeId, Tag};

pub(super) fn rule(nce: &Nce) -> String {
    let mut rule = format!(
        "the children with a link density of at most {} of the separator: around the first text of at least {} characters, \
         the closest element that is no p, has at least {} characters, and at most {MOST_SIBLINGS} sibling of {} characters \
         with a link density below {}",
        nce.density, nce.leaf_chars, nce.text_chars, nce.sibling_chars, nce.sibling_density
    );
    if nce.halvings > 0 {
        rule.push_str(&format!(
            " (failing that, with half of the first two sizes, {} times)",
            nce.halvings
        ));
    }
    if nce.comments {
        rule.push_str(&format!(
            "; less all from the first of {} short texts that look alike as comments do, behind {} of the text",
            nce.component, nce.comments_after
        ));
    }
    if nce.title {
        rule.push_str(&format!(
            "; with the largest title before that: {} to {} words, {} of them in the text",
            nce.title_min_words, nce.title_max_words, nce.title_overlap
        ));
    }
    rule.push_str("; score = 1 - link density");
    rule
}

pub(super) fn why<'s>(nce: &'s Nce, view: &'s View<'_>, selection: &'s Selection) -> Why<'s> {
    let dom = view.dom();
    let separator = selection.winner;
    let children = |u| dom.children(u).filter(|id| !view.is_masked(*id));
    let kept: Vec<Range<NodeId>> = match separator {
        Some(u) => children(u)
            .filter(|id| density(view.subtree(*id)) <= nce.density)
            .map(|id| dom.subtree(id))
            .collect(),
        None => vec![dom.subtree(dom.body())],
    };
    let cut = if nce.comments {
        comments::first_comment(nce, view, &kept)
    } else {
        None
    };
    // The last node of U, by which comments end, and what phase 1 kept begins.
    let (first, last) = (kept.first().map(|r| r.start), kept.last().map(|r| r.end));
    let title = |id: NodeId| {
        let words = view.subtree(id).text.words;
        format!("phase 3 took it for the title ({words} words)")
    };
    Box::new(move |id| {
        let Some(u) = separator else {
            if id < dom.body() {
                return Some(title(id));
            }
            return Some(if selection.contains(id) && cut.is_none_or(|cut| id < cut) {
                format!(
                    "there is no separator: no text of at least {} characters has one",
                    nce.leaf_chars
                )
            } else {
                behind(cut?)
            });
        };
        if id == u {
            return Some(separated(nce, view, u));
        }
        let below = |id: NodeId| id > u && dom.subtree(u).contains(&id);
        // The child of the separator that the node is, or is in.
        let child = std::iter::successors(below(id).then_some(id), |at| Some(dom.node(*at).parent))
            .find(|at| dom.node(*at).parent == u);
        Some(match (selection.contains(id), child) {
            (true, Some(child)) if density(view.subtree(child)) <= nce.density => format!(
                "#{child} has a link density of {:.4}, not above {}, and is a child of the separator #{u}",
                density(view.subtree(child)),
                nce.density
            ),
            (true, _) if nce.title && first.is_some_and(|first| id < first) => title(id),
            (true, _) => "the repair by the page's title added it".to_owned(),
            (false, Some(child)) if density(view.subtree(child)) > nce.density => format!(
                "#{child} has a link density of {:.4}, above {}",
                density(view.subtree(child)),
                nce.density
            ),
            (false, Some(_)) if cut.is_some_and(|cut| cut <= id && last.is_some_and(|last| id < last)) => behind(cut?),
            (false, Some(_)) => "phase 2 dropped it".to_owned(),
            (false, None) => format!("it is not under the separator #{u}"),
        })
    })
}

fn behind(cut: NodeId) -> String {
    format!("phase 2 took #{cut} for the first comment, and drops all from there on")
}

/// The figures of phase 1 for the separator.
fn separated(nce: &Nce, view: &View<'_>, u: NodeId) -> String {
    let dom = view.dom();
    let sums = view.subtree(u);
    // The sizes may have been halved until they fitted.
    let leaf_of = |least: u64| {
        dom.subtree(u)
            .find(|id| dom.node(*id).tag.is_text() && nce.chars(view.subtree(*id)) >= least)
    };
    let halved = (0..=nce.halvings.min(31)).find(|h| {
        nce.chars(sums) >= u64::from(nce.text_chars >> h) && leaf_of(u64::from(nce.leaf_chars >> h)).is_some()
    });
    let h = halved.unwrap_or(0);
    let (least_leaf, least) = (nce.leaf_chars >> h, nce.text_chars >> h);
    let leaf = leaf_of(u64::from(least_leaf)).unwrap_or(u);
    let counts = |id: &NodeId| {
        let sums = view.subtree(*id);
        *id != u && nce.chars(sums) >= u64::from(nce.sibling_chars) && density(sums) < nce.sibling_density
    };
    let siblings = match u == dom.body() {
        true => 0,
        false => dom.children(dom.node(u).parent).filter(counts).count(),
    };
    debug_assert!(dom.node(u).tag != Tag::P);
    format!(
        "it is around #{leaf} ({} characters, at least {least_leaf}), has {} characters (at least {least}) and {siblings} \
         siblings with much text (at most {MOST_SIBLINGS})",
        nce.chars(view.subtree(leaf)),
        nce.chars(sums)
    )
}
